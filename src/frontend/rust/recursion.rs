//! A function that calls itself after a failure is a retry without a loop.

use rustc_hash::FxHashMap;

use crate::effect::{self, Callee, Effect, Exit, Form, LoopId, PlaceId, Repeat, RepeatKind, Stop};
use crate::fact::Place;
use crate::source::Span;
use crate::value::{Origin, Value};

/// Turns every place that calls itself directly into a repetition whose closing call goes back to its head.
pub fn fold(places: &mut [Place], bounds: &FxHashMap<PlaceId, Vec<Vec<Stop>>>) {
    let mut next = highest(places) + 1;
    for (i, place) in places.iter_mut().enumerate() {
        let own = PlaceId(i as u32);
        let Some(at) = closing(&place.body, own) else { continue };
        let id = LoopId(next);
        next += 1;
        effect::walk_mut(&mut place.body, &mut |e| {
            if matches!(e, Effect::Call(call) if call.callee == Callee::Place(own)) {
                *e = Effect::Leave(Exit::Again(id), Box::new(Effect::Nothing));
            }
        });
        // Where the body ends without the closing call, the function returns: that leaves the repetition.
        let body = Effect::Leave(Exit::Break(id), Box::new(std::mem::replace(&mut place.body, Effect::Nothing)));
        let unjudged = Repeat::new(id, RepeatKind::Unjudged, Form::Recursion, place.name.clone(), at, body);
        place.body = Effect::Repeat(Box::new(Repeat { stops: stops(bounds.get(&own)), jumps: true, ..unjudged }));
    }
}

/// One closing call is bounded by what moves in it; two in one body can each close every turn.
fn stops(bounds: Option<&Vec<Vec<Stop>>>) -> Vec<Stop> {
    match bounds.map(Vec::as_slice) {
        Some([only]) if !only.is_empty() => only.clone(),
        _ => vec![Stop::Count(Value::unknown("the recursion's bound could not be followed"), Origin::none())],
    }
}

fn closing(body: &Effect, own: PlaceId) -> Option<Span> {
    let mut found = None;
    effect::walk(body, &mut |e| {
        if let Effect::Call(call) = e
            && call.callee == Callee::Place(own)
        {
            found.get_or_insert(call.at);
        }
    });
    found
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
