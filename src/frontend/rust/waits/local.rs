//! Variables: what a local or field is each turn, by how the loop changes it.

use super::follow::Follow;
use super::{Delay, Grows, combine};
use crate::frontend::rust::program::{BodyId, Ty};
use crate::frontend::rust::tree::{BinaryOp, ExprId, ExprKind, PatId};
use crate::frontend::rust::val::Val;
use crate::frontend::rust::values::{BodyIndex, Cell, Change, Part, Source, cell, float, walk};
use crate::name::last_segment;

impl Follow<'_, '_> {
    pub(super) fn variable(&self, body: BodyId, e: ExprId) -> Delay {
        let values = self.values;
        let Some(cell) = cell(values.tree(body), values.types(body), e) else {
            return self.of_value(body, e);
        };
        if self.itself.borrow().iter().any(|(b, c)| (*b, c) == (body, &cell)) {
            return Delay { grows: Grows::Before, ..Delay::constant(None) };
        }
        let locals = values.locals(body);
        let changes = locals.changes.get(&cell).cloned().unwrap_or_default();
        let moving: Vec<Change> = changes.into_iter().filter(|c| !matches!(c, Change::Lent(_))).collect();
        let first = match (cell.root, cell.fields.is_empty()) {
            (Some(pat), true) => self.bound(body, &locals, pat),
            _ => self.of_value(body, e),
        };
        moving.iter().fold(first, |before, change| self.changed(body, &locals, &cell, before, *change))
    }

    /// What a value is where nothing about it moves.
    fn of_value(&self, body: BodyId, e: ExprId) -> Delay {
        let value = match self.values.eval(body, e) {
            Val::Param(i) => return self.parameter(body, i),
            Val::Unknown(_) if matches!(self.values.tree(body).expr(e).kind, ExprKind::Field { .. }) => {
                // A field that nobody sets here: a number all the same, and the same one each turn.
                return match self.values.type_of(body, e) {
                    Some(Ty::Unknown | Ty::ForeignValue(_)) | None => Delay::unknown(),
                    Some(_) => Delay::constant(None),
                };
            }
            value => value,
        };
        match float(&value) {
            Some(n) => Delay::constant(Some(n)),
            None if matches!(value, Val::Int(..) | Val::Duration(..)) => Delay::constant(None),
            None => match self.values.type_of(body, e) {
                Some(Ty::Foreign(name, _)) if is_number(name) => Delay::constant(None),
                _ => Delay::unknown(),
            },
        }
    }

    /// A parameter: what the followed call handed over, else the same each turn, unless every turn is a call of its own.
    fn parameter(&self, body: BodyId, i: u16) -> Delay {
        let frames = self.frames.borrow();
        if let Some((f, handed)) = frames.last()
            && BodyId::Fn(*f) == body
        {
            return handed.get(i as usize).cloned().unwrap_or_else(Delay::unknown);
        }
        drop(frames);
        match self.moves_by_recursion(body, i) {
            Some(first) => Delay { grows: Grows::Counter, factor: Some(1.0), ..Delay::constant(first) },
            None => self.seen_from_callers(body, i),
        }
    }

    /// `async fn pause(n)` sleeps; how `n` moves is seen where it is called.
    fn seen_from_callers(&self, body: BodyId, i: u16) -> Delay {
        let BodyId::Fn(f) = body else {
            return Delay::constant(None);
        };
        if self.chased.borrow().contains(&(f, i)) || self.chased.borrow().len() > 4 {
            return Delay::constant(None);
        }
        self.chased.borrow_mut().push((f, i));
        let mut parts = Vec::new();
        for (caller, e) in self.values.params_of_callers(f, i).into_iter().take(16) {
            if let Some(turns) = self.loop_around(caller, e) {
                self.loops.borrow_mut().push((caller, turns));
            }
            // Another body: what has been handed down so far means nothing there.
            let frames = std::mem::take(&mut *self.frames.borrow_mut());
            parts.push(self.delay(caller, e));
            *self.frames.borrow_mut() = frames;
        }
        self.chased.borrow_mut().pop();
        parts.retain(Delay::is_known);
        match parts.is_empty() {
            true => Delay::constant(None),
            false => combine::either(parts),
        }
    }

    fn loop_around(&self, body: BodyId, e: ExprId) -> Option<ExprId> {
        let (tree, locals) = (self.values.tree(body), self.values.locals(body));
        let mut at = Some(e);
        while let Some(e) = at {
            if matches!(tree.expr(e).kind, ExprKind::Loop { .. } | ExprKind::While { .. } | ExprKind::For { .. }) {
                return Some(e);
            }
            at = locals.parents.get(&e).copied();
        }
        None
    }

    /// `deliver(h, n + 1)` inside `deliver`: the parameter counts. Its first value, if callers agree on one.
    fn moves_by_recursion(&self, body: BodyId, i: u16) -> Option<Option<f64>> {
        let BodyId::Fn(f) = body else { return None };
        let handed = self.values.params_of_callers(f, i);
        let own = handed.iter().filter(|(b, _)| *b == body);
        let counts = own.into_iter().any(|(_, e)| match &self.values.tree(body).expr(*e).kind {
            ExprKind::Binary { op: BinaryOp::Add | BinaryOp::Sub, left, right } => {
                let is = |x: ExprId| self.values.eval(body, x) == Val::Param(i);
                is(*left) || is(*right)
            }
            _ => false,
        });
        if !counts {
            return None;
        }
        let others = handed.iter().filter(|(b, _)| *b != body);
        let mut first = others.map(|(b, e)| float(&self.values.eval(*b, *e)));
        Some(first.next().flatten())
    }

    /// The first value of a local.
    fn bound(&self, body: BodyId, locals: &BodyIndex, pat: PatId) -> Delay {
        let Some(binding) = locals.bindings.get(&pat) else {
            return Delay::unknown();
        };
        match &binding.source {
            Source::Let(Some(value)) if binding.parts.is_empty() => self.delay(body, *value),
            Source::Matched(value) if binding.parts == [Part::Inside] || binding.parts.is_empty() => {
                self.delay(body, *value)
            }
            Source::Param(i) if binding.parts.is_empty() => self.parameter(body, *i),
            Source::For(the_loop) => self.item(body, *the_loop, &binding.parts),
            _ => Delay::unknown(),
        }
    }

    /// What the head of a `for` gives: a counter, or one of a list.
    fn item(&self, body: BodyId, the_loop: ExprId, parts: &[Part]) -> Delay {
        let tree = self.values.tree(body);
        let ExprKind::For { iter, .. } = tree.expr(the_loop).kind else {
            return Delay::unknown();
        };
        let counter = |first: Option<f64>| Delay { grows: Grows::Counter, factor: Some(1.0), ..Delay::constant(first) };
        match &tree.expr(iter).kind {
            ExprKind::Range { start, .. } => counter(start.map_or(Some(0.0), |s| float(&self.values.eval(body, s)))),
            ExprKind::Method { name, receiver, .. } if *name == "enumerate" => match parts {
                [Part::Field(i)] if *i == "0" => counter(Some(0.0)),
                _ => self.table(&self.values.eval(body, *receiver)),
            },
            ExprKind::Method { receiver, .. } if matches!(tree.expr(*receiver).kind, ExprKind::Range { .. }) => {
                counter(None)
            }
            _ => match self.values.eval(body, iter) {
                list @ Val::List(_) => self.table(&list),
                _ => Delay::unknown(),
            },
        }
    }

    fn changed(&self, body: BodyId, locals: &BodyIndex, cell: &Cell, before: Delay, change: Change) -> Delay {
        let in_loop = match self.the_loop {
            Some((b, l)) if b == body => locals.inside(change.at(), l),
            _ => self.loop_around(body, change.at()).is_some(),
        };
        let guard_cap = self.guard(body, locals, cell, change.at());
        let after = match change {
            Change::Op(_, op, by) => self.after_operator(body, op, before.clone(), by, change.at()),
            Change::Assign(_, value) => {
                self.itself.borrow_mut().push((body, cell.clone()));
                let next = self.delay(body, value);
                self.itself.borrow_mut().pop();
                self.after_assignment(body, value, before.clone(), next, in_loop)
            }
            Change::Lent(_) => before.clone(),
        };
        match guard_cap {
            Some(limit) if in_loop => combine::cap(after, limit),
            _ => after,
        }
    }

    fn after_operator(&self, body: BodyId, op: BinaryOp, before: Delay, by: ExprId, at: ExprId) -> Delay {
        let by = self.delay(body, by);
        let jitter = combine::add(before.clone(), by.clone(), 1.0).jitter;
        let grown = |grows, factor| Delay { grows, factor, jitter, ..before.clone() };
        match op {
            BinaryOp::Mul if by.grows == Grows::Not => grown(Grows::Times, by.base),
            BinaryOp::Shl if by.grows == Grows::Not => grown(Grows::Times, by.base.map(f64::exp2)),
            BinaryOp::Add if by.random => Delay { jitter, ..before },
            // A whole number that goes up by one is as well a counter.
            BinaryOp::Add | BinaryOp::Sub if by.base == Some(1.0) && before.base.is_none_or(|b| b <= 1.0) => {
                Delay { grows: Grows::Counter, factor: Some(1.0), jitter, ..before }
            }
            BinaryOp::Add if by.grows == Grows::Not => grown(Grows::Plus, by.base),
            BinaryOp::Mul | BinaryOp::Add | BinaryOp::Sub | BinaryOp::Div | BinaryOp::Shr => grown(Grows::Custom, None),
            _ => {
                let _ = at;
                Delay::unknown()
            }
        }
    }

    /// `d = f(d)`: how `f` hangs on the value before.
    fn after_assignment(&self, body: BodyId, value: ExprId, before: Delay, next: Delay, in_loop: bool) -> Delay {
        if !in_loop {
            return combine::either(vec![before, next]);
        }
        match next.grows {
            Grows::Times => {
                // The product of one turn is limited by the cap of the turn before, if there is one.
                let risky = if next.capped { None } else { next.risky };
                let base = before.base;
                let factor = next.factor;
                let jitter = if next.jitter == crate::effect::Jitter::None { before.jitter } else { next.jitter };
                Delay { grows: Grows::Times, base, factor, risky, jitter, from: before.from, at: before.at, ..next }
            }
            Grows::Plus if next.base.is_none() => Delay { base: before.base, ..next },
            Grows::Plus => Delay { base: before.base, ..next },
            Grows::Before => Delay { jitter: next.jitter, capped: next.capped, cap: next.cap, ..before },
            _ if next.jitter == crate::effect::Jitter::Decorrelated => {
                Delay { grows: Grows::Times, base: before.base, ..next }
            }
            Grows::Not if self.reads(body, value) => Delay { grows: Grows::Custom, ..next },
            Grows::Not => combine::either(vec![before, next]),
            _ => next,
        }
    }

    fn reads(&self, body: BodyId, e: ExprId) -> bool {
        walk::any(self.values.tree(body), e, &mut |x| self.is_itself(body, x))
    }

    /// Whether an expression reads the variable whose change is being looked at.
    pub(super) fn reads_itself(&self, body: BodyId, e: ExprId) -> bool {
        !self.itself.borrow().is_empty() && self.reads(body, e)
    }

    fn is_itself(&self, body: BodyId, e: ExprId) -> bool {
        let found = cell(self.values.tree(body), self.values.types(body), e);
        found.is_some_and(|c| self.itself.borrow().iter().any(|(b, i)| *b == body && *i == c))
    }

    /// `if d < MAX { d *= 2 }`: the limit of the test around a change.
    fn guard(&self, body: BodyId, locals: &BodyIndex, own: &Cell, change: ExprId) -> Option<Delay> {
        let tree = self.values.tree(body);
        let mut at = change;
        for _ in 0..3 {
            let parent = *locals.parents.get(&at)?;
            if let ExprKind::If { cond, then, .. } = tree.expr(parent).kind
                && then == at
                && let ExprKind::Binary { op, left, right } = tree.expr(cond).kind
            {
                let is_own = |e| cell(tree, self.values.types(body), e).as_ref() == Some(own);
                let limit = match op {
                    BinaryOp::Lt | BinaryOp::Le if is_own(left) => right,
                    BinaryOp::Gt | BinaryOp::Ge if is_own(right) => left,
                    _ => return None,
                };
                return Some(self.delay(body, limit));
            }
            at = parent;
        }
        None
    }
}

fn is_number(name: &str) -> bool {
    matches!(
        last_segment(name),
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i32" | "i64" | "f32" | "f64" | "Duration"
    )
}
