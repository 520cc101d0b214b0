//! Every layer of the tree, whether an operation reaches it or not: what `layers` prints and the loop lints judge.

use rustc_hash::{FxHashMap, FxHashSet};

use super::Layer;
use super::deadlines::Covered;
use super::mentions::called_param;
use super::node::{Arena, LayerIx};
use super::number::{Limit, limit};
use super::paths::reasoned;
use crate::effect::{Arg, DeadlineKind, Effect, LoopId, PlaceId, Repeat, RepeatKind};
use crate::fact::Facts;
use crate::source::Span;
use crate::value::{Bound, Tries};

pub fn all(facts: &Facts, arena: &Arena<'_>, covered: &Covered) -> Vec<Layer> {
    let mut bound: FxHashMap<LoopId, Vec<LayerIx>> = FxHashMap::default();
    for (i, layer) in arena.layers.iter().enumerate() {
        bound.entry(layer.repeat.id).or_default().push(LayerIx(i as u32));
    }
    let mut seen = FxHashSet::default();
    let mut out = Vec::new();
    for (i, place) in facts.places.iter().enumerate() {
        let mut found = Vec::new();
        collect(&place.body, &mut found);
        for (repeat, total_ms) in found {
            if seen.insert(repeat.id) {
                let instances = bound.get(&repeat.id).map_or(&[][..], Vec::as_slice);
                out.push(layer(arena, covered, PlaceId(i as u32), repeat, total_ms, instances));
            }
        }
    }
    out.sort_by_key(|layer| (layer.at, layer.id));
    out
}

/// The layers of a body in the order of the text, each with the nearest total deadline around it in the same body.
fn collect<'e>(body: &'e Effect, found: &mut Vec<(&'e Repeat, Option<u64>)>) {
    let mut open: Vec<(&Effect, Option<u64>)> = vec![(body, None)];
    while let Some((effect, total)) = open.pop() {
        let from = open.len();
        let mut push = |inner: &'e Effect, total| open.push((inner, total));
        match effect {
            Effect::Seq(parts) | Effect::Branch(parts, _) | Effect::Join(parts, _) | Effect::Race(parts, _) => {
                parts.iter().for_each(|part| push(part, total));
            }
            Effect::Call(call) => {
                for arg in &call.args {
                    if let Arg::Closure(body) = arg {
                        push(body, total);
                    }
                }
            }
            Effect::Within(deadline, body) => {
                let ends = deadline.kind == DeadlineKind::Total;
                push(body, deadline.limit.number().filter(|_| ends).or(total));
            }
            Effect::Spawn(body) | Effect::Outlives(body) => push(body, None),
            Effect::Map(_, body) | Effect::Leave(_, body) | Effect::Scope(body) => push(body, total),
            Effect::Recover(body, arms) => {
                push(body, total);
                arms.iter().for_each(|arm| push(&arm.then, total));
            }
            Effect::Repeat(repeat) => {
                if matches!(repeat.kind, RepeatKind::Retry | RepeatKind::Failover | RepeatKind::Reconnecting) {
                    found.push((repeat, total));
                }
                push(&repeat.body, total);
            }
            Effect::Nothing | Effect::End(_) | Effect::Caught(_) | Effect::Remote(_) | Effect::Sleep(_) => {}
        }
        open[from..].reverse();
    }
}

fn layer(
    arena: &Arena<'_>,
    covered: &Covered,
    place: PlaceId,
    repeat: &Repeat,
    total_ms: Option<u64>,
    instances: &[LayerIx],
) -> Layer {
    let plain = limit(repeat, &|_| None);
    let bound = bound_by_callers(arena, repeat, instances);
    let largest = largest(&bound);
    let chosen = largest.unwrap_or(&plain);
    let reached = instances.iter().any(|ix| covered.reached.contains(ix));
    let detached = reached && !instances.iter().any(|ix| covered.awaited.contains(ix));
    let only_by_deadline = reached && !instances.iter().any(|ix| covered.open.contains(ix));
    let attempts = largest.map_or(plain.n, |_| bound.iter().fold(Tries::ONE, |n, (_, l)| n.worse(l.n)));
    Layer {
        id: repeat.id,
        place,
        at: repeat.at,
        end: repeat.end,
        repeat: repeat.kind,
        form: repeat.form,
        default_of: repeat.default_of.clone(),
        function: repeat.function.clone(),
        attempts: reasoned(attempts, true, &chosen.why),
        from: chosen.origin.clone(),
        elapsed_ms: chosen.elapsed_ms,
        stops_otherwise: chosen.otherwise || total_ms.is_some() || only_by_deadline,
        wait: repeat.wait.clone(),
        again: repeat.again,
        seen: repeat.seen.clone(),
        per_try_ms: repeat.per_try_ms,
        budget: repeat.budget,
        total_ms,
        bound_by: given_by(&bound),
        reached,
        detached,
    }
}

/// What each caller's call makes of the layer's limit, where the layer hangs on what a caller gives.
fn bound_by_callers<'x>(arena: &'x Arena<'_>, repeat: &Repeat, instances: &[LayerIx]) -> Vec<(Span, &'x Limit)> {
    if called_param(&repeat.body).is_none() && !hangs_on_a_param(repeat) {
        return Vec::new();
    }
    let layers = instances.iter().map(|ix| &arena.layers[ix.0 as usize]);
    layers.filter_map(|l| Some((l.bound_at?, &l.limit))).collect()
}

/// The first of the largest.
fn largest<'x>(bound: &[(Span, &'x Limit)]) -> Option<&'x Limit> {
    let size = |l: &Limit| (l.n.high, l.n.low);
    let larger = |a: &'x Limit, b: &'x Limit| if size(a) < size(b) { b } else { a };
    bound.iter().map(|(_, l)| *l).reduce(larger)
}

/// The number at each call, in the order of the source.
fn given_by(bound: &[(Span, &Limit)]) -> Vec<(Span, Bound<u64>)> {
    let mut given: Vec<_> = bound.iter().map(|(call, l)| (*call, reasoned(l.n, true, &l.why))).collect();
    given.sort_by_key(|(call, _)| *call);
    given.dedup();
    given
}

/// Whether its number changes with what a caller gives.
fn hangs_on_a_param(repeat: &Repeat) -> bool {
    let asked = std::cell::Cell::new(false);
    limit(repeat, &|_| {
        asked.set(true);
        None
    });
    asked.get()
}
