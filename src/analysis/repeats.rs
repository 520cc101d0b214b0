//! Unsafe requests that a layer sends again after they may have been processed. The tables judge: a call fails in one
//! way, nothing else fails, and the layer either begins another turn that had a try of that call, or it does not.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::UnsafeRepeat;
use super::endings::{Evaluator, Which, World};
use super::hops::Sends;
use super::node::{Arena, DepId, LayerIx, Node, NodeId, SiteId};
use super::paths::layer_use;
use super::table::Turns;
use super::view::Marks;
use crate::class::{Ending, Endings, FailureClass};
use crate::effect::{Form, Key, LoopId, Safety};
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
        let world = World { failing: counted, fails_with: ending, counted, only: None, clock: false };
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
    found: FxHashSet<(Span, LoopId, LayerIx)>,
}

pub fn judge(
    evaluator: &mut Evaluator<'_>,
    judged: &mut Judged,
    repeat: NodeId,
    marks: &mut Marks,
) -> Vec<UnsafeRepeat> {
    let arena = evaluator.arena;
    let (turns, layer, bodies) = match arena.node(repeat) {
        Node::Repeat { turns, layer, body } => (turns, layer, std::slice::from_ref(body)),
        Node::Failover { turns, layer, bodies } => (turns, layer, &bodies[..]),
        _ => return Vec::new(),
    };
    if !judged.nodes.insert(repeat) {
        return Vec::new();
    }
    let unsure = arena.layers[layer.0 as usize].repeat.takes_unsafe.is_some();
    let mut out = Vec::new();
    for body in bodies {
        for call in unsafe_calls(evaluator, *body, unsure, marks) {
            let again = sent_again_after(evaluator, turns, *body, call.site);
            if !again.is_empty() && judged.is_new(&call, arena.layers[layer.0 as usize].repeat.id, *layer) {
                out.push(found(arena, *layer, &call, again));
            }
        }
    }
    out
}

impl Judged {
    fn is_new(&mut self, call: &UnsafeCall, id: LoopId, layer: LayerIx) -> bool {
        self.found.insert((call.sends.at, id, layer))
    }
}

fn found(arena: &Arena<'_>, layer: LayerIx, call: &UnsafeCall, again: Endings) -> UnsafeRepeat {
    let repeat = arena.layers[layer.0 as usize].repeat;
    // Of a config the policy is to be changed, of code the call that it repeats.
    let policy = matches!(repeat.form, Form::Proxy | Form::Mesh).then(|| repeat.takes_unsafe.unwrap_or(repeat.at));
    UnsafeRepeat {
        at: policy.unwrap_or(call.sends.at),
        call: call.sends.at,
        layer: layer_use(arena, layer),
        verb: call.sends.verb.clone(),
        safety: Safety::Unsafe,
        dependency: arena.deps[call.dep.0 as usize].clone(),
        again,
        key_made: if let Key::Fresh(made) = call.sends.key { Some(made) } else { None },
    }
}

struct UnsafeCall {
    site: SiteId,
    dep: DepId,
    sends: Rc<Sends>,
}

/// Unsafe calls without a key, or with one made beside them, below a node, in the order of the text; with `unsure` also those whose method nobody knows.
fn unsafe_calls(evaluator: &Evaluator<'_>, body: NodeId, unsure: bool, marks: &mut Marks) -> Vec<UnsafeCall> {
    let arena = evaluator.arena;
    let mut out: Vec<UnsafeCall> = Vec::new();
    marks.begin(arena.nodes.len());
    let mut open = vec![body];
    while let Some(id) = open.pop() {
        if arena.below(id).deps.is_empty() || !marks.first(id) {
            continue;
        }
        if let Node::Remote { dep, site, sends, .. } = arena.node(id) {
            let connects = arena.sites[site.0 as usize].remote.connect_only;
            let harmful = sends.safety == Safety::Unsafe || (unsure && sends.safety == Safety::Unknown);
            let known = out.iter().any(|known| known.site == *site && known.sends == *sends);
            if harmful && sends.key != Key::Once && !connects && !known {
                out.push(UnsafeCall { site: *site, dep: *dep, sends: Rc::clone(sends) });
            }
        }
        let from = open.len();
        open.extend(arena.node(id).children());
        open[from..].reverse();
    }
    out
}
