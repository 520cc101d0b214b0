//! What the code calls the number of its count, and how many attempts it really gives: whether `max_retries` means retries
//! is for a lint to say (RL114); here it is counted.

use super::atoms::Compare;
use super::focus::Focus;
use super::run::{self, Run};
use super::{PROBE, Search};
use crate::effect::Stop;
use crate::frontend::rust::tree::{ExprId, ExprKind, Lit};
use crate::frontend::rust::values::largest;
use crate::name::Name;

/// A number by name in a comparison or at the head of a loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    pub at: ExprId,
    pub name: Name,
    /// Attempts beyond the number.
    pub over: i64,
}

impl Search<'_, '_, '_> {
    /// Of a loop that one count bounds, and nothing else.
    pub(super) fn name(&mut self) {
        if !matches!(self.found.stops[..], [Stop::Count(..)]) {
            return;
        }
        let compares = self.found.conditions.iter().filter_map(|e| self.look.compare(*e)).collect::<Vec<_>>();
        self.found.named = match compares.iter().min_by_key(|c| c.at) {
            Some(compare) => self.of_comparison(compare),
            None => self.of_head(),
        };
    }

    fn of_comparison(&self, compare: &Compare) -> Option<Named> {
        let name = self.called(compare.limit_at?)?;
        let first = largest(&self.begins_at(&compare.cell)?).0.number()?;
        let first = i64::try_from(first).ok()?;
        let turn = self.turn(Focus::Counter(compare.cell.clone(), Some(compare.limit.clone())), false);
        let each = i64::from(compare.cell.root.is_some() && compare.cell.root == self.look.head);
        let limit = first.checked_add(PROBE)?;
        let turns = PROBE as u64 + 80;
        let left = std::cell::Cell::new(run::FUEL);
        let tries =
            Run { turn: &turn, the_loop: self.look.the_loop, start: first, limit, each, turns, left }.tries()?;
        Some(Named { at: compare.at, name, over: i64::try_from(tries).ok()? - limit })
    }

    /// `for _ in 1..=max_attempts`
    fn of_head(&self) -> Option<Named> {
        let ExprKind::For { iter, .. } = self.look.kind(self.look.the_loop) else { return None };
        let ExprKind::Range { start: Some(start), end: Some(end), inclusive } = self.look.kind(*iter) else {
            return None;
        };
        let ExprKind::Lit(Lit::Int(first, _)) = self.look.kind(*start) else { return None };
        let name = self.called(*end)?;
        Some(Named { at: *iter, name, over: i64::from(*inclusive) - i64::try_from(*first).ok()? })
    }

    /// The name by which an expression reads a number: a local's, a constant's, a field's, a getter's.
    fn called(&self, e: ExprId) -> Option<Name> {
        match self.look.kind(e) {
            ExprKind::Path(path) => path.last().map(|s| s.name.clone()),
            ExprKind::Field { name, .. } => Some(name.clone()),
            ExprKind::Method { name, args, .. } if args.is_empty() => Some(name.clone()),
            ExprKind::Cast { value, .. } | ExprKind::Ref(value) | ExprKind::Unary(_, value) => self.called(*value),
            _ => None,
        }
    }
}
