//! Effects with everything bound, as one graph of shared nodes: what the tables are computed over.
//!
//! A place that is called twice with the same arguments is one node with two parents. No node leads back to itself.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::delay::{self, Delay};
use super::hops::Sends;
use super::number::{Limit, Num};
use super::table::Turns;
use crate::class::{Ending, Endings};
use crate::effect::{Deadline, Exit, Remote, Repeat, Until, Wins};
use crate::name::Name;
use crate::source::Span;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct NodeId(pub u32);

/// A dependency by its name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct DepId(pub u32);

/// A remote call by its place in the text, whatever it is bound to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SiteId(pub u32);

/// A layer as it is bound at one call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LayerIx(pub u32);

/// A deadline as it is bound where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct DeadlineIx(pub u32);

impl LayerIx {
    /// None of them: where a node does not hold the one that is left on, all that it holds are off.
    pub const NONE: LayerIx = LayerIx(u32::MAX);
}

#[derive(Debug)]
pub enum Node {
    Nothing,
    End(Ending),
    Caught(u8),
    Seq(Vec<NodeId>),
    Branch(Vec<NodeId>),
    Join(Vec<NodeId>, Until),
    Race(Vec<NodeId>, Wins),
    Remote {
        dep: DepId,
        site: SiteId,
        behind: Option<NodeId>,
        sends: Rc<Sends>,
    },
    /// A call that a hop of the tree answers: what the hop does.
    Hop {
        site: SiteId,
        body: NodeId,
    },
    Map(Rc<[(Endings, Endings)]>, NodeId),
    Recover(NodeId, Rc<[Endings]>, Vec<NodeId>),
    Repeat {
        turns: Turns,
        layer: LayerIx,
        body: NodeId,
    },
    /// One body per server, each tried once at most, in the worst order.
    Failover {
        turns: Turns,
        layer: LayerIx,
        bodies: Vec<NodeId>,
    },
    Within {
        ends: Covers,
        deadline: DeadlineIx,
        body: NodeId,
    },
    Sleep(Delay),
    Spawn(NodeId),
    /// Goes on when its caller has left.
    Outlives(NodeId),
    Leave(Exit, NodeId),
    Scope(NodeId),
    /// The body of a function or closure, called.
    Frame(NodeId),
    /// A call that leads nowhere we know.
    Unknown,
}

/// What a deadline ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Covers {
    pub hang: bool,
    pub total: bool,
    pub connect: bool,
}

impl Covers {
    /// What a timer that wins a race ends.
    pub const ALL: Covers = Covers { hang: true, total: true, connect: true };
}

impl Node {
    pub fn children(&self) -> impl Iterator<Item = NodeId> + '_ {
        let (one, many): (Option<NodeId>, &[NodeId]) = match self {
            Node::Nothing | Node::End(_) | Node::Caught(_) | Node::Unknown | Node::Sleep(_) => (None, &[]),
            Node::Seq(parts) | Node::Branch(parts) | Node::Join(parts, _) | Node::Race(parts, _) => (None, parts),
            Node::Remote { behind, .. } => (*behind, &[]),
            Node::Recover(body, _, arms) => (Some(*body), arms),
            Node::Map(_, body) | Node::Spawn(body) | Node::Outlives(body) | Node::Leave(_, body) => (Some(*body), &[]),
            Node::Scope(body) | Node::Frame(body) => (Some(*body), &[]),
            Node::Repeat { body, .. } | Node::Within { body, .. } | Node::Hop { body, .. } => (Some(*body), &[]),
            Node::Failover { bodies, .. } => (None, bodies),
        };
        one.into_iter().chain(many.iter().copied())
    }
}

/// What is known of everything below a node, itself included.
#[derive(Debug, Clone, Default)]
pub struct Below {
    /// Sorted.
    pub deps: Rc<[DepId]>,
    /// How many enclosing arms it mentions.
    pub caught: u8,
    /// Something here makes the number differ from the plain calls: a layer, an arm that calls something, or a success
    /// that leaves.
    pub repeats: bool,
    /// The layers that can multiply something here. Sorted.
    pub layers: Rc<[LayerIx]>,
    /// Dependencies whose success does not simply go on (`if let Ok(hit) = cache.get() { return hit }`): only their
    /// failure leads to what comes after, in the same function.
    pub gates: Rc<[DepId]>,
    /// A call that leads nowhere we know.
    pub unknown: bool,
    pub clock: Clock,
}

/// What a clock has to do with a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Clock {
    /// Time can pass in it, besides a try that hangs for ever.
    pub passes: bool,
    /// Some limit of time in it can end something else than a try that hangs.
    pub cuts: bool,
    /// What happens when hangs on a number or a pause that may be one or the other.
    pub open: bool,
    /// A limit of time of any kind stands in it.
    pub limits: bool,
}

#[derive(Debug)]
pub struct Site<'a> {
    pub remote: &'a Remote,
    /// More than one where callers bind its address.
    pub deps: Vec<DepId>,
}

#[derive(Debug)]
pub struct BoundLayer<'a> {
    pub repeat: &'a Repeat,
    pub limit: Limit,
    pub bound_at: Option<Span>,
}

/// A limit of time with its parameters bound.
#[derive(Debug)]
pub struct BoundDeadline<'a> {
    pub deadline: &'a Deadline,
    pub limit: Num,
}

impl BoundDeadline<'_> {
    /// The limit, where it is a known number of ms.
    pub fn ms(&self) -> Option<u64> {
        Some(self.limit.high).filter(|ms| *ms != u64::MAX)
    }
}

#[derive(Debug, Default)]
pub struct Arena<'a> {
    pub nodes: Vec<Node>,
    pub below: Vec<Below>,
    pub gaps: FxHashMap<NodeId, Vec<Name>>,
    pub deps: Vec<Name>,
    pub sites: Vec<Site<'a>>,
    pub layers: Vec<BoundLayer<'a>>,
    pub deadlines: Vec<BoundDeadline<'a>>,
    /// Races of which one side is a timer: it ends the others.
    pub timed: rustc_hash::FxHashSet<NodeId>,
    dep_ids: FxHashMap<Name, DepId>,
    site_ids: FxHashMap<Span, SiteId>,
    /// A deadline of the facts is the same wherever it is bound to the same number.
    deadline_ids: FxHashMap<(*const Deadline, u64, u64), DeadlineIx>,
    layer_ids: FxHashMap<(crate::effect::LoopId, Option<Span>, crate::value::Tries), LayerIx>,
}

impl<'a> Arena<'a> {
    pub const NOTHING: NodeId = NodeId(0);

    pub fn new() -> Arena<'a> {
        let mut arena = Arena::default();
        arena.add(Node::Nothing);
        arena
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub fn below(&self, id: NodeId) -> &Below {
        &self.below[id.0 as usize]
    }

    pub fn holds(&self, id: NodeId, dep: DepId) -> bool {
        self.below(id).deps.binary_search(&dep).is_ok()
    }

    pub fn dep(&mut self, name: &Name) -> DepId {
        let next = DepId(self.deps.len() as u32);
        *self.dep_ids.entry(name.clone()).or_insert_with(|| {
            self.deps.push(name.clone());
            next
        })
    }

    pub fn site(&mut self, remote: &'a Remote, dep: DepId) -> SiteId {
        self.site_of(remote, &[dep])
    }

    /// A call that a hop answers, with everything that the hop leads to.
    pub fn hop(&mut self, remote: &'a Remote, body: NodeId) -> SiteId {
        let deps = Rc::clone(&self.below(body).deps);
        self.site_of(remote, &deps)
    }

    fn site_of(&mut self, remote: &'a Remote, deps: &[DepId]) -> SiteId {
        let next = SiteId(self.sites.len() as u32);
        let id = *self.site_ids.entry(remote.at).or_insert_with(|| {
            self.sites.push(Site { remote, deps: Vec::new() });
            next
        });
        let known = &mut self.sites[id.0 as usize].deps;
        let new: Vec<DepId> = deps.iter().copied().filter(|dep| !known.contains(dep)).collect();
        known.extend(new);
        id
    }

    pub fn layer(&mut self, layer: BoundLayer<'a>) -> LayerIx {
        let next = LayerIx(self.layers.len() as u32);
        let key = (layer.repeat.id, layer.bound_at, layer.limit.n);
        *self.layer_ids.entry(key).or_insert_with(|| {
            self.layers.push(layer);
            next
        })
    }

    pub fn deadline(&mut self, deadline: &'a Deadline, limit: Num) -> DeadlineIx {
        let next = DeadlineIx(self.deadlines.len() as u32);
        let key = (std::ptr::from_ref(deadline), limit.low, limit.high);
        *self.deadline_ids.entry(key).or_insert_with(|| {
            self.deadlines.push(BoundDeadline { deadline, limit });
            next
        })
    }

    pub fn add(&mut self, node: Node) -> NodeId {
        let below = self.summary(&node);
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(node);
        self.below.push(below);
        id
    }

    pub fn gap(&mut self, at: NodeId, text: Name) {
        let gaps = self.gaps.entry(at).or_default();
        if !gaps.contains(&text) {
            gaps.push(text);
        }
    }

    fn summary(&self, node: &Node) -> Below {
        let mut out = self.of_children(node);
        self.clock(node, &mut out.clock);
        match node {
            Node::Remote { dep, .. } => out.deps = union(&out.deps, &[*dep].into()),
            Node::Caught(level) => out.caught = level.saturating_add(1),
            // Nothing outside a function is caught inside it.
            Node::Frame(_) => {
                out.caught = 0;
                out.gates = Rc::default();
            }
            Node::Map(rules, body) if rules.iter().any(|(from, to)| from.has(Ending::Ok) && *to != Endings::OK) => {
                self.gate(&mut out, *body);
            }
            Node::Recover(body, on, arms) => {
                let turns = |(on, arm): (&Endings, &NodeId)| on.has(Ending::Ok) && *arm != Arena::NOTHING;
                if on.iter().zip(arms).any(turns) {
                    self.gate(&mut out, *body);
                }
                let arms = || arms.iter().map(|arm| self.below(*arm));
                let inner = arms().map(|arm| arm.caught.saturating_sub(1)).max().unwrap_or(0);
                out.caught = inner.max(self.below(*body).caught);
                out.repeats |= arms().any(|arm| !arm.deps.is_empty());
            }
            Node::Repeat { turns, layer, .. } | Node::Failover { turns, layer, .. }
                if turns.multiplies && turns.n.high > 1 && !out.deps.is_empty() =>
            {
                out.repeats = true;
                out.layers = union(&out.layers, &[*layer].into());
            }
            _ => {}
        }
        out
    }

    fn clock(&self, node: &Node, clock: &mut Clock) {
        match node {
            Node::Sleep(pause) => {
                clock.passes = pause.most > 0;
                clock.open = !pause.is_fixed();
            }
            Node::Within { ends, deadline, .. } => {
                clock.limits = true;
                if !ends.hang {
                    return;
                }
                let limit = &self.deadlines[deadline.0 as usize].limit;
                clock.cuts |= clock.passes;
                clock.passes = true;
                clock.open |= limit.low != limit.high;
            }
            Node::Repeat { turns, layer, .. } | Node::Failover { turns, layer, .. } if turns.multiplies => {
                let BoundLayer { repeat, limit, .. } = &self.layers[layer.0 as usize];
                clock.passes |= delay::sum(&repeat.wait, 40).most > 0;
                clock.cuts |= limit.elapsed_ms.is_some() && clock.passes;
                clock.open |= turns.n.low != turns.n.high || delay::may_differ(&repeat.wait);
            }
            _ => {}
        }
    }

    fn of_children(&self, node: &Node) -> Below {
        let mut out = Below { unknown: matches!(node, Node::Unknown), ..Below::default() };
        for child in node.children() {
            let child = self.below(child);
            out.deps = union(&out.deps, &child.deps);
            out.gates = union(&out.gates, &child.gates);
            out.layers = union(&out.layers, &child.layers);
            out.caught = out.caught.max(child.caught);
            out.repeats |= child.repeats;
            out.unknown |= child.unknown;
            out.clock.passes |= child.clock.passes;
            out.clock.cuts |= child.clock.cuts;
            out.clock.open |= child.clock.open;
            out.clock.limits |= child.clock.limits;
        }
        out
    }

    fn gate(&self, out: &mut Below, body: NodeId) {
        out.gates = union(&out.gates, &self.below(body).deps);
        out.repeats |= !out.gates.is_empty();
    }
}

/// The union of two sorted sets; one of them itself where it holds the other.
fn union<T: Ord + Copy>(a: &Rc<[T]>, b: &Rc<[T]>) -> Rc<[T]> {
    if Rc::ptr_eq(a, b) || b.iter().all(|d| a.binary_search(d).is_ok()) {
        return Rc::clone(a);
    }
    if a.iter().all(|d| b.binary_search(d).is_ok()) {
        return Rc::clone(b);
    }
    let mut all: Vec<T> = a.iter().chain(b.iter()).copied().collect();
    all.sort_unstable();
    all.dedup();
    all.into()
}
