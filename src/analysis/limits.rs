//! The limits of time above each call of one operation: how long one try can take at most, and how long whoever began waits.
//!
//! One pass over the nodes of the operation, callers first; where several ways lead to a call, the longest limit counts.

use rustc_hash::FxHashMap;

use super::Limited;
use super::node::{Arena, BoundDeadline, Node, NodeId, SiteId};
use crate::effect::{Deadline, DeadlineKind, SetBy};
use crate::fact::{Facts, Operation};
use crate::settings::Settings;
use crate::value::{Bound, Tries, Value, Why};

/// A limit in ms as a pair of ends: [`Limit::NONE`] where there is none, from 0 on where it is not known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit(Tries);

impl Limit {
    pub const NONE: Limit = Limit(Tries::UNBOUNDED);

    fn tighter(self, other: Limit) -> Limit {
        Limit(Tries { low: self.0.low.min(other.0.low), high: self.0.high.min(other.0.high) })
    }

    pub fn looser(self, other: Limit) -> Limit {
        Limit(self.0.worse(other.0))
    }

    pub fn bound(self) -> Bound<u64> {
        match (self.0.low, self.0.high) {
            (Tries::INFINITE, _) => Bound::Unbounded,
            (_, Tries::INFINITE) => Bound::Unknown(Some(Why::new("a limit of time is not known"))),
            (low, high) if low == high => Bound::Exactly(high),
            (_, high) => Bound::AtMost(high),
        }
    }
}

/// What stands above a node.
#[derive(Clone, Copy, Debug)]
pub struct Above {
    /// The smallest limit that ends it.
    pub nearest: Limit,
    /// The outermost: how long the operation is waited for.
    pub outermost: Limit,
}

impl Above {
    const NOTHING: Above = Above { nearest: Limit::NONE, outermost: Limit::NONE };

    fn or(self, other: Above) -> Above {
        Above { nearest: self.nearest.looser(other.nearest), outermost: self.outermost.looser(other.outermost) }
    }
}

/// The limits above each call, given the nodes below a root, the root among them.
pub fn above(arena: &Arena<'_>, root: NodeId, nodes: &[NodeId]) -> FxHashMap<SiteId, Above> {
    let mut sites = FxHashMap::default();
    if !arena.below(root).clock.passes {
        return sites;
    }
    // A node is made after its parts, so that this order has callers first.
    let mut order = nodes.to_vec();
    order.sort_unstable_by(|a, b| b.cmp(a));
    let mut known: FxHashMap<NodeId, Above> = FxHashMap::from_iter([(root, Above::NOTHING)]);
    for id in order {
        let Some(here) = known.get(&id).copied() else { continue };
        if let Node::Remote { site, .. } | Node::Hop { site, .. } = arena.node(id) {
            sites.entry(*site).and_modify(|all: &mut Above| *all = all.or(here)).or_insert(here);
        }
        let inner = inside(arena, id, here);
        for child in arena.node(id).children() {
            known.entry(child).and_modify(|all| *all = all.or(inner)).or_insert(inner);
        }
    }
    sites
}

fn inside(arena: &Arena<'_>, id: NodeId, above: Above) -> Above {
    match arena.node(id) {
        Node::Within { ends, deadline, .. } if ends.hang => {
            let limit = &arena.deadlines[deadline.0 as usize].limit;
            let limit = Limit(Tries { low: limit.low, high: limit.high });
            let outermost = if above.outermost == Limit::NONE { limit } else { above.outermost };
            Above { nearest: above.nearest.tighter(limit), outermost }
        }
        Node::Outlives(_) => Above { nearest: Limit::NONE, ..above },
        Node::Spawn(_) => Above::NOTHING,
        _ => above,
    }
}

/// Every limit of time with a known number, each place and number once, in the order of the files.
pub fn all(arena: &Arena<'_>) -> Vec<Limited> {
    let one = |bound: &BoundDeadline<'_>| {
        let deadline = bound.deadline;
        Some(Limited { at: deadline.at, ms: bound.ms()?, kind: deadline.kind, set: deadline.set })
    };
    let mut all: Vec<Limited> = arena.deadlines.iter().filter_map(one).collect();
    all.sort_by_key(|limited| (limited.at, limited.kind, limited.ms));
    all.dedup();
    all
}

/// The deadline that the settings state of each operation.
pub fn declared(facts: &Facts, settings: &Settings) -> Vec<Option<Deadline>> {
    let of = |operation: &Operation| {
        let set = settings.operations.iter().find(|o| operation.name == *o.name.as_str())?;
        let limit = Value::Number(set.deadline_ms?);
        Some(Deadline { set: SetBy::Statement, ..Deadline::new(DeadlineKind::Total, limit, operation.at) })
    };
    facts.operations.iter().map(of).collect()
}
