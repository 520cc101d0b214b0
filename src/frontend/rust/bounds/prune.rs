//! A turn without what cannot change how many tries it has.
//!
//! Most of a real loop's body neither tries, nor leaves, nor touches the counter, and a turn is run for every value that
//! the counter takes. What is left after this counts the same: a choice between nothing and nothing is nothing.

use std::rc::Rc;

use super::run::{Cond, MatchArm, Node, Side};

pub fn pruned(node: Node) -> Node {
    stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || match node {
        Node::Seq(parts) => seq(parts.into_iter().map(pruned)),
        Node::Any(parts) => any(parts.into_iter().map(pruned)),
        Node::If(cond, yes, no) => {
            let (cond, yes, no) = (condition(cond), pruned(*yes), pruned(*no));
            if is_nothing(&yes) && is_nothing(&no) { before(cond) } else { Node::If(cond, Box::new(yes), Box::new(no)) }
        }
        Node::Match(cond, arms) => {
            let cond = condition(cond);
            let arms: Vec<MatchArm> = arms.into_iter().map(arm).collect();
            if all_go_on(&cond, &arms) { before(cond) } else { Node::Match(cond, arms) }
        }
        Node::Catch(exit, inner) => match pruned(*inner) {
            Node::Jump(to) if to == exit => Node::nothing(),
            inner if is_nothing(&inner) => inner,
            inner => Node::Catch(exit, Box::new(inner)),
        },
        other => other,
    })
}

fn is_nothing(node: &Node) -> bool {
    matches!(node, Node::Seq(parts) if parts.is_empty())
}

fn seq(parts: impl Iterator<Item = Node>) -> Node {
    let mut all = Vec::new();
    for part in parts {
        match part {
            Node::Seq(inner) => all.extend(inner),
            other => all.push(other),
        }
    }
    match (all.len(), all.pop()) {
        (1, Some(only)) => only,
        (_, last) => {
            all.extend(last);
            Node::Seq(all)
        }
    }
}

/// A choice of none is where nothing goes on, so an empty list stays.
fn any(parts: impl Iterator<Item = Node>) -> Node {
    let mut all = Vec::new();
    for part in parts {
        if !is_nothing(&part) || !all.iter().any(is_nothing) {
            all.push(part);
        }
    }
    match &all[..] {
        [only] if is_nothing(only) => Node::nothing(),
        _ => Node::Any(all),
    }
}

fn arm(arm: MatchArm) -> MatchArm {
    MatchArm { guard: arm.guard.map(condition), body: pruned(arm.body), ..arm }
}

/// Whether every value that comes in goes on as it came: nothing is done, and both sides have an arm without a guard.
fn all_go_on(cond: &Cond, arms: &[MatchArm]) -> bool {
    let idle = |a: &MatchArm| is_nothing(&a.body) && a.guard.as_ref().is_none_or(is_idle);
    let takes =
        |side: Side| arms.iter().any(|a| a.guard.is_none() && a.after.is_empty() && a.side.is_none_or(|s| s == side));
    is_idle(last(cond)) && arms.iter().all(idle) && takes(Side::Yes) && takes(Side::No)
}

fn condition(cond: Cond) -> Cond {
    stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || match cond {
        Cond::And(a, b) => match (condition(*a), condition(*b)) {
            (Cond::Open, Cond::Open) => Cond::Open,
            (a, b) => Cond::And(Box::new(a), Box::new(b)),
        },
        Cond::Or(a, b) => match (condition(*a), condition(*b)) {
            (Cond::Open, Cond::Open) => Cond::Open,
            (a, b) => Cond::Or(Box::new(a), Box::new(b)),
        },
        Cond::Not(inner) => match condition(*inner) {
            Cond::Open => Cond::Open,
            inner => Cond::Not(Box::new(inner)),
        },
        Cond::First(node, cond) => match (pruned(*node), condition(*cond)) {
            (node, cond) if is_nothing(&node) => cond,
            (node, cond) => Cond::First(Box::new(node), Box::new(cond)),
        },
        Cond::Call(node) => Cond::Call(Rc::new(pruned(Rc::unwrap_or_clone(node)))),
        other => other,
    })
}

/// The test itself, behind what happens first.
fn last(mut cond: &Cond) -> &Cond {
    while let Cond::First(_, then) = cond {
        cond = then;
    }
    cond
}

/// A test that leaves everything as it is.
fn is_idle(cond: &Cond) -> bool {
    stacker::maybe_grow(64 * 1024, 1024 * 1024, || match cond {
        Cond::And(a, b) | Cond::Or(a, b) => is_idle(a) && is_idle(b),
        Cond::Not(inner) => is_idle(inner),
        Cond::Compare(..) | Cond::AtLeast(_) | Cond::Is(_) | Cond::Open => true,
        Cond::Next | Cond::First(..) | Cond::Call(_) => false,
    })
}

/// What a condition does when both its sides do nothing.
fn before(cond: Cond) -> Node {
    let mut parts = Vec::new();
    let mut cond = cond;
    while let Cond::First(node, then) = cond {
        parts.push(*node);
        cond = *then;
    }
    if !is_idle(&cond) {
        let (yes, no) = (Box::new(Node::nothing()), Box::new(Node::nothing()));
        parts.push(Node::If(cond, yes, no));
    }
    seq(parts.into_iter())
}

#[cfg(test)]
mod tests {
    use super::super::run::{Cond, Exit, MatchArm, Node, Side};
    use super::pruned;
    use crate::frontend::rust::tree::{BinaryOp, ExprId};

    fn nothing() -> Box<Node> {
        Box::new(Node::nothing())
    }

    fn open() -> Box<Cond> {
        Box::new(Cond::Open)
    }

    #[test]
    fn a_choice_of_nothing_is_nothing() {
        let arm = |side| MatchArm { side, full: false, guard: None, after: Vec::new(), body: Node::nothing() };
        for node in [
            Node::If(Cond::And(open(), Box::new(Cond::Not(open()))), nothing(), nothing()),
            Node::Match(Cond::Open, vec![arm(Some(Side::Yes)), arm(Some(Side::No))]),
            Node::Any(vec![Node::nothing(), Node::Seq(vec![Node::nothing()])]),
            Node::Catch(Exit::Return, Box::new(Node::Jump(Exit::Return))),
        ] {
            assert_eq!(pruned(node), Node::nothing());
        }
    }

    #[test]
    fn what_counts_stays() {
        let compare = || Cond::Compare(0, BinaryOp::Lt);
        let one_side = || {
            vec![MatchArm { side: Some(Side::Yes), full: false, guard: None, after: Vec::new(), body: Node::nothing() }]
        };
        for node in [
            Node::If(Cond::Next, nothing(), nothing()),
            Node::If(compare(), Box::new(Node::Work), nothing()),
            Node::Match(compare(), one_side()),
            Node::Any(Vec::new()),
            Node::Any(vec![Node::nothing(), Node::Lose]),
            Node::Catch(Exit::Return, Box::new(Node::Jump(Exit::Break(ExprId(1))))),
        ] {
            assert_eq!(format!("{:?}", pruned(node.clone())), format!("{node:?}"));
        }
    }

    #[test]
    fn what_happens_first_happens() {
        let cond = Cond::First(Box::new(Node::Work), open());
        assert_eq!(pruned(Node::If(cond, nothing(), nothing())), Node::Work);
    }
}
