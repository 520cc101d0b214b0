//! Services that call each other in a circle, with a retry on the way: a failure anywhere on it is multiplied once more by
//! each turn. The binder meets the circles; here the layers on them are found.

use std::collections::BTreeMap;

use super::Cycle;
use crate::effect::{Arg, Call, Callee, Effect, PlaceId, Repeat, RepeatKind};
use crate::fact::Facts;
use crate::graph::Links;
use crate::graph::calls::walk;
use crate::name::Name;
use crate::source::Span;

/// One entry per retry on a circle, in the order of the places; of several circles through it the first.
pub(super) fn all(facts: &Facts, links: &Links<'_>, circles: &[Vec<PlaceId>]) -> Vec<Cycle> {
    let mut found: BTreeMap<Span, Cycle> = BTreeMap::new();
    for circle in circles {
        let services = services(links, circle);
        for (i, from) in circle.iter().enumerate() {
            let to = circle[(i + 1) % circle.len()];
            for repeat in around(facts, links, *from, to) {
                let new = || Cycle {
                    at: repeat.at,
                    layer: repeat.id,
                    function: repeat.function.clone(),
                    services: services.clone(),
                };
                found.entry(repeat.at).or_insert_with(new);
            }
        }
    }
    found.into_values().collect()
}

/// The services of a circle in order, each once, and the first again.
fn services(links: &Links<'_>, circle: &[PlaceId]) -> Vec<Name> {
    let mut names: Vec<Name> = Vec::new();
    for place in circle {
        let name = Name::new(links.service(*place));
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.extend(names.first().cloned());
    names
}

/// The layers of a place around what leads from it to another.
fn around<'f>(facts: &'f Facts, links: &Links<'_>, from: PlaceId, to: PlaceId) -> Vec<&'f Repeat> {
    let mut found = Vec::new();
    walk(&facts.place(from).body, &mut |effect| match effect {
        Effect::Repeat(repeat) if multiplies(repeat) && leads(links, from, &repeat.body, to) => found.push(&**repeat),
        Effect::Call(Call { callee: Callee::Place(helper), args, .. }) => {
            let handed = |arg: &Arg| matches!(arg, Arg::Closure(body) if leads(links, from, body, to));
            if args.iter().any(handed) && (helper.0 as usize) < facts.places.len() {
                found.extend(layers_of_helper(&facts.place(*helper).body));
            }
        }
        _ => {}
    });
    found
}

fn multiplies(repeat: &Repeat) -> bool {
    matches!(repeat.kind, RepeatKind::Retry | RepeatKind::Failover)
}

fn leads(links: &Links<'_>, from: PlaceId, body: &Effect, to: PlaceId) -> bool {
    let mut found = false;
    walk(body, &mut |effect| match effect {
        Effect::Remote(remote) => found |= links.anywhere(from, remote).contains(&to),
        Effect::Call(Call { callee: Callee::Place(place), .. }) => found |= *place == to,
        Effect::Call(Call { callee: Callee::AnyOf(_, places), .. }) => found |= places.contains(&to),
        _ => {}
    });
    found
}

/// Layers of a helper around the closure that it was given.
fn layers_of_helper(body: &Effect) -> Vec<&Repeat> {
    let mut found = Vec::new();
    walk(body, &mut |effect| {
        if let Effect::Repeat(repeat) = effect
            && multiplies(repeat)
        {
            let mut calls = false;
            walk(&repeat.body, &mut |e| {
                calls |= matches!(e, Effect::Call(Call { callee: Callee::Param(_), .. }));
            });
            if calls {
                found.push(&**repeat);
            }
        }
    });
    found
}
