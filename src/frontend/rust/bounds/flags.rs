//! A flag that allows one more turn: `if !refreshed { refreshed = true; continue; }` is a counter that goes to one.

use super::focus::Focus;
use super::{Search, measure};
use crate::effect::Stop;
use crate::frontend::rust::tree::{ExprId, ExprKind, Lit};
use crate::frontend::rust::val::Val;
use crate::frontend::rust::values::{Cell, Change, Source};
use crate::value::{Origin, Value};

impl Search<'_, '_, '_> {
    pub(super) fn flags(&mut self) {
        let mut found: Vec<(Cell, bool, ExprId)> = Vec::new();
        self.each(&mut |e| {
            if let ExprKind::Path(_) = self.look.kind(e)
                && let Some(cell) = self.look.cell(e).filter(|c| self.look.moves(c))
                && !found.iter().any(|(c, ..)| *c == cell)
                && let Some(first) = self.flag(&cell)
            {
                found.push((cell, first, e));
            }
        });
        for (cell, first, e) in found {
            let number = |n| Val::Int(Value::Number(n), Origin::none());
            let turn = self.turn(Focus::Flag(cell, first), false);
            if let Some((value, _)) = measure(&turn, self.look.the_loop, 0, &number(0), &number(1)) {
                let origin = Origin::literal(self.look.values.span(self.look.body, e));
                self.found.stops.push(Stop::Count(value, origin));
                self.found.at.get_or_insert(self.at(e));
                self.found.conditions.insert(e);
            }
        }
    }

    /// The value with which a local begins, if it and all that is assigned to it is `true` or `false`.
    fn flag(&self, cell: &Cell) -> Option<bool> {
        let root = cell.root.filter(|_| cell.fields.is_empty())?;
        let literal = |e: ExprId| match self.look.kind(e) {
            ExprKind::Lit(Lit::Bool(b)) => Some(*b),
            _ => None,
        };
        let changes = self.look.locals.changes.get(cell)?;
        let plain = changes.iter().all(|c| matches!(c, Change::Assign(_, value) if literal(*value).is_some()));
        match self.look.locals.bindings.get(&root)?.source {
            Source::Let(Some(value)) if plain => literal(value),
            _ => None,
        }
    }
}
