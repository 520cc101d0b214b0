//! Which layer to keep (semantics.md, "Who keeps the retry").

use super::UnsafeRepeat;
use super::endings::Which;
use super::node::LayerIx;
use super::paths::{Pair, Run, Worst, split, world};
use crate::effect::RepeatKind;
use crate::source::{Sources, Span};

pub(super) fn keep(
    run: &mut Run<'_, '_>,
    operation: usize,
    pair: &Pair<'_>,
    owners: &[LayerIx],
    worst: &Worst,
    repeated: &[UnsafeRepeat],
) -> Option<LayerIx> {
    let arena = run.arena();
    let layer = |l: &LayerIx| &arena.layers[l.0 as usize];
    if let Some(declared) = owners.iter().find(|l| is_declared(run, operation, **l)) {
        return Some(*declared);
    }
    let written: Vec<LayerIx> = owners.iter().copied().filter(|l| layer(l).repeat.default_of.is_none()).collect();
    // A failover is not switched off in favour of a retry, but where it is all there is it stays.
    let retries: Vec<LayerIx> =
        written.iter().copied().filter(|l| layer(l).repeat.kind != RepeatKind::Failover).collect();
    let candidates = if retries.is_empty() { written } else { retries };
    if candidates.len() < 2 {
        return candidates.first().copied();
    }
    let multiplying = multiplying(run, pair, worst, owners);
    let everywhere = |l: &LayerIx| multiplying.iter().all(|set| set.contains(l) || set.is_empty());
    let is_safe = |l: &LayerIx| {
        let key = (layer(l).repeat.id, layer(l).bound_at);
        !repeated.iter().any(|u| (u.layer.id, u.layer.bound_at) == key)
    };
    let best = candidates.iter().find(|l| everywhere(l) && is_safe(l));
    best.or(candidates.first()).copied()
}

/// In each scenario the layers that multiply the dearest call.
fn multiplying(run: &mut Run<'_, '_>, pair: &Pair<'_>, worst: &Worst, owners: &[LayerIx]) -> Vec<Vec<LayerIx>> {
    let mut out = Vec::new();
    for scenario in &pair.view.scenarios {
        let world = world(worst.failing, *scenario, Which::Dep(pair.dep));
        let choice = run.focus().dearest(pair.root, world).map(|(_, choice)| choice);
        let (_, mut multiply) = split(choice.as_ref());
        multiply.retain(|l| owners.contains(l));
        out.push(multiply);
    }
    out
}

/// By a statement at the layer, or by the settings: a function's path or the file in which it stands.
fn is_declared(run: &Run<'_, '_>, operation: usize, layer: LayerIx) -> bool {
    let repeat = run.arena().layers[layer.0 as usize].repeat;
    let name = &run.facts.operations[operation].name;
    let set = run.settings.operations.iter().find(|o| *name == *o.name.as_str());
    let owner = set.and_then(|o| o.owner.as_deref());
    owner.is_some_and(|owner| is_owner(run.sources, repeat.at, &repeat.function, owner)) || repeat.seen.declared_owner
}

/// Whether a layer at that place is the one that the settings mean: a function's path, or the file in which it stands.
pub fn is_owner(sources: &Sources, at: Span, function: &str, owner: &str) -> bool {
    let ends = function.strip_suffix(owner);
    let known = (at.file.0 as usize) < sources.len();
    ends.is_some_and(|rest| rest.is_empty() || rest.ends_with("::")) || (known && sources.path(at) == owner)
}
