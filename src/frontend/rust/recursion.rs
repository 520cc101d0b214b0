//! A function that calls itself after a failure is a retry without a loop.

use rustc_hash::FxHashMap;

use super::flow::{Closing, OpSeen};
use crate::effect::{self, Callee, Effect, Exit, Form, LoopId, PlaceId, Repeat, RepeatKind, Stop};
use crate::fact::Place;
use crate::source::Span;
use crate::value::{Origin, Value};

/// Turns every place that calls itself directly into a repetition whose closing call goes back to its head.
///
/// A call over the parts of what the place was given, in a loop over these, is a walk over data and no repetition.
pub fn fold(places: &mut [Place], closings: &FxHashMap<PlaceId, Vec<Closing>>, ops: &FxHashMap<Span, OpSeen>) {
    let mut next = highest(places) + 1;
    for (i, place) in places.iter_mut().enumerate() {
        let own = PlaceId(i as u32);
        let over_data = |at: &Span| ops.get(at).is_some_and(|o| !o.fresh_in.is_empty());
        let all = closings.get(&own).map(Vec::as_slice).unwrap_or_default();
        let known: Vec<&Closing> = all.iter().filter(|c| !over_data(&c.at)).collect();
        let Some(at) = closing(&place.body, own, &known) else { continue };
        let id = LoopId(next);
        next += 1;
        effect::walk_mut(&mut place.body, &mut |e| {
            if let Effect::Call(call) = e
                && call.callee == Callee::Place(own)
            {
                let again = Effect::Leave(Exit::Again(id), Box::new(Effect::Nothing));
                *e = if over_data(&call.at) { Effect::Nothing } else { again };
            }
        });
        // Where the body ends without the closing call, the function returns: that leaves the repetition.
        let body = Effect::Leave(Exit::Break(id), Box::new(std::mem::replace(&mut place.body, Effect::Nothing)));
        let unjudged = Repeat::new(id, RepeatKind::Unjudged, Form::Recursion, place.name.clone(), at, body);
        place.body = Effect::Repeat(Box::new(Repeat { stops: stops(&known), jumps: true, ..unjudged }));
    }
}

/// One closing call is bounded by what moves in it; two in one body can each close every turn.
fn stops(known: &[&Closing]) -> Vec<Stop> {
    match known {
        [only] if !only.stops.is_empty() => only.stops.clone(),
        _ => vec![Stop::Count(Value::unknown("the recursion's bound could not be followed"), Origin::none())],
    }
}

/// The place of the repetition: the call that moves a counter, else the first.
fn closing(body: &Effect, own: PlaceId, known: &[&Closing]) -> Option<Span> {
    let mut found = Vec::new();
    effect::walk(body, &mut |e| {
        if let Effect::Call(call) = e
            && call.callee == Callee::Place(own)
            && known.iter().any(|c| c.at == call.at)
        {
            found.push(call.at);
        }
    });
    let moves = |at: &Span| known.iter().any(|c| c.at == *at && c.moves);
    found.iter().copied().find(moves).or(found.first().copied())
}

pub fn highest(places: &[Place]) -> u32 {
    let mut most = 0;
    for place in places {
        effect::walk(&place.body, &mut |e| {
            if let Effect::Repeat(repeat) = e {
                most = most.max(repeat.id.0);
            }
        });
    }
    most
}
