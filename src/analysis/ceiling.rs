//! The ceiling: classes of failure ignored, layers multiply, calls in a row, side by side or after another's failure add,
//! branches take the largest. What failures of mixed kinds in one run could reach.

use rustc_hash::FxHashMap;

use super::node::{Arena, DepId, Node, NodeId};
use crate::value::Tries;

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Of {
    All,
    /// One call alone: of calls in a row or side by side the largest.
    One,
}

pub type Memo = FxHashMap<(NodeId, DepId, Of), Tries>;

pub fn of(arena: &Arena<'_>, memo: &mut Memo, node: NodeId, dep: DepId, what: Of) -> Tries {
    if !arena.holds(node, dep) {
        return Tries::ZERO;
    }
    if let Some(known) = memo.get(&(node, dep, what)) {
        return *known;
    }
    let found = stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || compute(arena, memo, node, dep, what));
    memo.insert((node, dep, what), found);
    found
}

fn compute(arena: &Arena<'_>, memo: &mut Memo, node: NodeId, dep: DepId, what: Of) -> Tries {
    let mut each = |id: NodeId| of(arena, memo, id, dep, what);
    match arena.node(node) {
        Node::Seq(parts) | Node::Join(parts, _) | Node::Race(parts, _) if what == Of::One => {
            parts.iter().map(|p| each(*p)).fold(Tries::ZERO, Tries::worse)
        }
        Node::Branch(parts) => parts.iter().map(|p| each(*p)).fold(Tries::ZERO, Tries::worse),
        Node::Recover(body, _, arms) => {
            let first = each(*body);
            first.plus(arms.iter().map(|a| each(*a)).fold(Tries::ZERO, Tries::worse))
        }
        Node::Repeat { turns, body, .. } if turns.multiplies => each(*body).times(turns.n),
        Node::Failover { turns, bodies, .. } if turns.multiplies => {
            let mut parts: Vec<Tries> = bodies.iter().map(|b| each(*b)).collect();
            parts.sort_unstable_by_key(|t| std::cmp::Reverse((t.high, t.low)));
            let most = usize::try_from(turns.n.high).unwrap_or(usize::MAX).min(parts.len());
            parts[..most].iter().copied().fold(Tries::ZERO, Tries::plus)
        }
        Node::Remote { dep: own, behind, .. } => {
            let own = if *own == dep { Tries::ONE } else { Tries::ZERO };
            let behind = behind.map_or(Tries::ZERO, each);
            if what == Of::One { own.worse(behind) } else { own.plus(behind) }
        }
        other => other.children().map(each).fold(Tries::ZERO, Tries::plus),
    }
}
