//! Unsafe requests that a layer sends again after they may have been processed. The tables judge: a call fails in one
//! way, nothing else fails, and the layer either begins another turn that had a try of that call, or it does not.

use rustc_hash::FxHashSet;

use super::UnsafeRepeat;
use super::endings::{Evaluator, Which, World};
use super::node::{Node, NodeId, SiteId};
use super::paths::layer_use;
use super::table::Turns;
use super::view::Marks;
use crate::class::{Ending, Endings, FailureClass};
use crate::effect::{Key, LoopId, Safety};
use crate::source::Span;

/// Failures after which nobody knows whether the request was processed.
const DOUBTFUL: [Ending; 6] = [
    Ending::Error(FailureClass::Reset),
    Ending::Never,
    Ending::Status(FailureClass::ServerError),
    Ending::Status(FailureClass::Gateway),
    Ending::Status(FailureClass::Unavailable),
    Ending::Status(FailureClass::GatewayTimeout),
];

/// The doubtful failures of one call after which the layer begins another turn.
fn sent_again_after(evaluator: &mut Evaluator<'_>, turns: &Turns, body: NodeId, site: SiteId) -> Endings {
    let mut again = Endings::NONE;
    for ending in DOUBTFUL {
        let counted = Which::Site(site);
        let world = World { failing: counted, fails_with: ending, counted, only: None };
        let table = evaluator.table(body, world);
        if turns.again(&table).is_some_and(|m| m.high > 0) {
            let shown = if ending == Ending::Never { Ending::Error(FailureClass::Timeout) } else { ending };
            again |= Endings::one(shown);
        }
    }
    again
}

/// What was judged already, by any operation.
#[derive(Default)]
pub struct Judged {
    nodes: FxHashSet<NodeId>,
    found: FxHashSet<(SiteId, LoopId, Option<Span>)>,
}

pub fn judge(
    evaluator: &mut Evaluator<'_>,
    judged: &mut Judged,
    repeat: NodeId,
    marks: &mut Marks,
) -> Vec<UnsafeRepeat> {
    let arena = evaluator.arena;
    let Node::Repeat { turns, layer, body } = arena.node(repeat) else {
        return Vec::new();
    };
    if !judged.nodes.insert(repeat) {
        return Vec::new();
    }
    let mut out = Vec::new();
    for (site, dep) in unsafe_calls(evaluator, *body, marks) {
        let again = sent_again_after(evaluator, turns, *body, site);
        let layer = layer_use(arena, *layer);
        if again.is_empty() || !judged.found.insert((site, layer.id, layer.bound_at)) {
            continue;
        }
        let remote = arena.sites[site.0 as usize].remote;
        out.push(UnsafeRepeat {
            at: remote.at,
            layer,
            verb: remote.verb.clone(),
            safety: remote.safety,
            dependency: arena.deps[dep].clone(),
            again,
        });
    }
    out
}

/// Unsafe calls without a key below a node, in the order of the text, with their dependencies.
fn unsafe_calls(evaluator: &Evaluator<'_>, body: NodeId, marks: &mut Marks) -> Vec<(SiteId, usize)> {
    let arena = evaluator.arena;
    let mut out = Vec::new();
    marks.begin(arena.nodes.len());
    let mut open = vec![body];
    while let Some(id) = open.pop() {
        if arena.below(id).deps.is_empty() || !marks.first(id) {
            continue;
        }
        if let Node::Remote { dep, site, .. } = arena.node(id) {
            let remote = arena.sites[site.0 as usize].remote;
            let known = out.iter().any(|(known, _)| known == site);
            if remote.safety == Safety::Unsafe && remote.key == Key::None && !remote.connect_only && !known {
                out.push((*site, dep.0 as usize));
            }
        }
        let from = open.len();
        open.extend(arena.node(id).children());
        open[from..].reverse();
    }
    out
}
