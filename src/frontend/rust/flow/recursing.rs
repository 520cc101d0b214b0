//! What bounds a function that calls itself: a parameter that moves by a constant towards a comparison.

use super::call::Parts;
use super::{Closing, Flow};
use crate::effect::Stop;
use crate::frontend::rust::pats;
use crate::frontend::rust::program::{BodyId, FnId};
use crate::frontend::rust::tree::{BinaryOp, ExprId, ExprKind, Lit, PatId};
use crate::value::{Origin, OriginKind, Value};

/// A parameter that each closing call moves: its position, and whether it rises.
struct Moving {
    index: u16,
    name: PatId,
    rises: bool,
}

impl Flow<'_> {
    /// Called where the body calls its own function.
    pub(super) fn note_recursion(&mut self, e: ExprId, id: FnId, parts: &Parts) {
        let moving = self.moving(parts);
        let moves = moving.is_some();
        let stops = moving.and_then(|moving| self.limit(id, &moving)).into_iter().collect();
        self.notes.recursion.push(Closing { at: self.at(e), moves, stops });
    }

    /// `f(.., n + 1, ..)` where `n` is the parameter at that position.
    fn moving(&self, parts: &Parts) -> Option<Moving> {
        let BodyId::Fn(id) = self.body else { return None };
        let shift = u16::from(self.world.program.function(id).receiver.is_some() && parts.receiver.is_some());
        parts.args.iter().enumerate().find_map(|(i, arg)| {
            let ExprKind::Binary { op, left, right } = &self.tree.expr(*arg).kind else { return None };
            let name = *self.types.locals.get(left)?;
            let index = *self.params.get(&name)?;
            let one = matches!(self.tree.expr(*right).kind, ExprKind::Lit(Lit::Int(1, _)));
            let rises = match op {
                BinaryOp::Add => true,
                BinaryOp::Sub => false,
                _ => return None,
            };
            (one && index == i as u16 + shift).then_some(Moving { index, name, rises })
        })
    }

    /// The comparison that the parameter moves towards, and the number of calls it allows.
    fn limit(&self, id: FnId, moving: &Moving) -> Option<Stop> {
        let root = self.world.program.function(id).body?;
        let (op, limit, at) = self.comparison_of(root, moving.name)?;
        let (limit, _) = self.world.values.as_count(&self.world.values.eval(self.body, limit));
        let first = self.first_value(id, moving.index)?;
        let limit = limit.number()?;
        // The last call is the one whose comparison no longer lets it go on.
        let inclusive = u64::from(match moving.rises {
            true => matches!(op, BinaryOp::Le | BinaryOp::Gt),
            false => matches!(op, BinaryOp::Ge | BinaryOp::Lt),
        });
        let span = if moving.rises { limit.checked_sub(first)? } else { first.checked_sub(limit)? };
        let origin = Origin { kind: OriginKind::Literal, at: Some(self.at(at)), source: None };
        Some(Stop::Count(Value::Number(span + 1 + inclusive), origin))
    }

    /// `n < 4` as (operator, the other side, the whole), the parameter on the left.
    fn comparison_of(&self, root: ExprId, name: PatId) -> Option<(BinaryOp, ExprId, ExprId)> {
        let mut open = vec![root];
        while let Some(e) = open.pop() {
            if let ExprKind::Binary { op, left, right } = &self.tree.expr(e).kind {
                let compares = matches!(
                    op,
                    BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge | BinaryOp::Eq | BinaryOp::Ne
                );
                if compares && self.types.locals.get(left) == Some(&name) {
                    return Some((*op, *right, e));
                }
            }
            open.extend(pats::children(self.tree, e).into_iter().rev());
        }
        None
    }

    /// The largest span of values with which others begin the recursion; nothing if nobody does or it is not a number.
    fn first_value(&self, id: FnId, index: u16) -> Option<u64> {
        let values = self.world.values;
        let outside = values.params_of_callers(id, index).into_iter().filter(|(body, _)| *body != BodyId::Fn(id));
        let numbers: Option<Vec<u64>> =
            outside.map(|(body, e)| values.as_count(&values.eval(body, e)).0.number()).collect();
        numbers?.into_iter().max()
    }
}
