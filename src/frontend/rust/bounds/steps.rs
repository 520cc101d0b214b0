//! What an assignment does to the thing that is followed.

use super::focus::Focus;
use super::run::Node;
use super::turn::Compile;
use crate::frontend::rust::tree::{BinaryOp, ExprId, ExprKind, Lit};
use crate::frontend::rust::values::Source;

impl Compile<'_, '_, '_> {
    fn is_focus(&self, to: ExprId) -> bool {
        match &self.focus {
            Focus::Counter(cell, _) | Focus::Flag(cell, _) | Focus::Left(cell) => {
                self.look.cell(to).as_ref() == Some(cell)
            }
            _ => false,
        }
    }

    pub(super) fn moved(&self, op: BinaryOp, to: ExprId, value: ExprId) -> Node {
        if !self.is_focus(to) {
            return Node::nothing();
        }
        match (op, self.look.number(value)) {
            (BinaryOp::Add, Some(n)) => Node::Move(n),
            (BinaryOp::Sub, Some(n)) => Node::Move(-n),
            _ => Node::Lose,
        }
    }

    pub(super) fn assigned(&self, to: ExprId, value: ExprId) -> Node {
        if !self.is_focus(to) {
            return Node::nothing();
        }
        if let (Focus::Flag(_, first), ExprKind::Lit(Lit::Bool(b))) = (&self.focus, self.look.kind(value)) {
            return if b == first { Node::Lose } else { Node::Move(1) };
        }
        self.step(to, value).unwrap_or(Node::Lose)
    }

    /// `n = n + 1`, `n = n.saturating_sub(1)`, `left = rest` where `rest` came of `left.checked_sub(1)`.
    fn step(&self, to: ExprId, value: ExprId) -> Option<Node> {
        let look = self.look;
        let own = look.cell(to)?;
        match look.kind(value) {
            ExprKind::Binary { op: BinaryOp::Add | BinaryOp::Sub, .. } => {
                let (cell, n) = look.counter(value)?;
                (cell == own).then_some(Node::Move(n))
            }
            ExprKind::Try(inner) => {
                let (cell, n) = look.checked_sub(*inner)?;
                (cell == own).then_some(Node::Move(-n))
            }
            ExprKind::Method { receiver, name, args, .. } => {
                let n = look.number(*args.first()?)?;
                let same = look.cell(*receiver)? == own;
                match name.as_str() {
                    "saturating_add" | "wrapping_add" if same => Some(Node::Move(n)),
                    "saturating_sub" if same => Some(Node::Sink(n)),
                    "wrapping_sub" if same => Some(Node::Move(-n)),
                    _ => None,
                }
            }
            ExprKind::Match { value, arms } => {
                let (cell, n) = look.checked_sub(*value)?;
                let keeps = arms.iter().any(|a| matches!(look.kind(a.body), ExprKind::Path(_)));
                (cell == own && keeps).then_some(Node::Move(-n))
            }
            ExprKind::Path(_) => {
                let pat = look.values.types(look.body).locals.get(&value)?;
                match look.locals.bindings.get(pat)?.source {
                    Source::Matched(from) | Source::Let(Some(from)) => {
                        let (cell, n) = look.checked_sub(from)?;
                        (cell == own).then_some(Node::Move(-n))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}
