//! Counters that end a loop: found by what is compared, in the loop's own body and in the functions that it asks.

use super::atoms::{Compare, Look};
use super::focus::Focus;
use super::{Search, measure};
use crate::effect::Stop;
use crate::frontend::rust::program::{AdtId, BodyId, Ty};
use crate::frontend::rust::tree::{BinaryOp, ExprId, ExprKind};
use crate::frontend::rust::val::Val;
use crate::frontend::rust::values::{Cell, Change, any, walk};
use crate::value::{Origin, Value};

/// Comparisons in one called function that are looked at.
const MOST: usize = 40;

impl Search<'_, '_, '_> {
    pub(super) fn counters(&mut self) {
        let candidates = self.compared();
        let mut done: Vec<(Cell, Val)> = Vec::new();
        for candidate in &candidates {
            let key = (candidate.cell.clone(), candidate.limit.clone());
            if done.contains(&key) {
                continue;
            }
            done.push(key);
            let limit = Some(candidate.limit.clone());
            if let Some(found) = self.count(&candidate.cell, limit, &candidate.limit) {
                let same = candidates.iter().filter(|c| c.cell == candidate.cell && c.limit == candidate.limit);
                self.counted(found, same.collect());
            }
        }
        if self.found.stops.is_empty() {
            self.largest_limits(&candidates);
        }
    }

    /// `Err(e) if n < warn => .., Err(e) if n < most => .., Err(e) => return`: no limit alone ends it, the largest does.
    fn largest_limits(&mut self, candidates: &[Compare]) {
        let mut done: Vec<&Cell> = Vec::new();
        for candidate in candidates {
            let same: Vec<&Compare> = candidates.iter().filter(|c| c.cell == candidate.cell).collect();
            let several = same.iter().any(|c| c.limit != candidate.limit);
            let own = same.iter().any(|c| c.limit == Val::Nothing);
            if !several || own || done.contains(&&candidate.cell) {
                continue;
            }
            done.push(&candidate.cell);
            let limit = any(same.iter().map(|c| c.limit.clone()));
            if let Some(found) = self.count(&candidate.cell, None, &limit) {
                self.counted(found, same);
            }
        }
    }

    fn counted(&mut self, (value, origin): (Value, Origin), compared: Vec<&Compare>) {
        self.found.stops.push(Stop::Count(value, origin));
        for compare in compared {
            self.found.at.get_or_insert(self.at(compare.at));
            self.found.exhausts |= self.in_head(compare.at);
            if self.only_counts(compare.at) {
                self.found.conditions.insert(compare.at);
            }
        }
    }

    /// A condition that looks at nothing else that a turn brings: what a predicate is handed besides may be the failure.
    pub(super) fn only_counts(&self, e: ExprId) -> bool {
        let look = &self.look;
        let Some((_, handed)) = look.function_called(e) else { return true };
        handed.iter().all(|arg| {
            let brought = |x: ExprId| {
                let pat = look.values.types(look.body).locals.get(&x);
                let scope = pat.and_then(|p| look.locals.bindings.get(p)?.scope);
                scope.is_some_and(|s| s != look.the_loop && look.locals.inside(s, look.the_loop))
            };
            !walk::any(look.values.tree(look.body), *arg, &mut |x| brought(x))
        })
    }

    /// What is compared with what, as the loop's own body names it.
    fn compared(&self) -> Vec<Compare> {
        let mut candidates: Vec<Compare> = Vec::new();
        self.each(&mut |e| {
            let own = self.look.compare(e);
            if let Some((cell, _)) = self.look.checked_sub(e)
                && self.look.moves(&cell)
            {
                let (limit, op) = (Val::Nothing, BinaryOp::Ge);
                candidates.push(Compare { cell, offset: 0, op, limit, limit_at: None, at: e });
            }
            match own {
                Some(compare) => candidates.push(compare),
                None => self.look.compared_inside(e, &mut Vec::new(), &mut |cell, limit| {
                    let (offset, op) = (0, BinaryOp::Ge);
                    candidates.push(Compare { cell, offset, op, limit, limit_at: None, at: e });
                }),
            }
        });
        candidates
    }

    /// The number of tries that a counter allows, if it ends the loop.
    fn count(&self, cell: &Cell, against: Option<Val>, limit: &Val) -> Option<(Value, Origin)> {
        let focus = Focus::Counter(cell.clone(), against);
        let turn = self.turn(focus.clone(), false);
        let each = i64::from(cell.root.is_some() && cell.root == self.look.head);
        let first = self.begins_at(cell)?;
        let own = *limit == Val::Nothing;
        let limit = if own { Val::Int(Value::Number(0), Origin::none()) } else { limit.clone() };
        measure(&turn, self.look.the_loop, each, &first, &limit).or_else(|| {
            let turn = self.turn(focus, true);
            measure(&turn, self.look.the_loop, each, &first, &limit)
        })
    }

    /// The counter's value when the loop is reached.
    pub(super) fn begins_at(&self, cell: &Cell) -> Option<Val> {
        let values = self.look.values;
        let changes = self.look.locals.changes.get(cell).map(Vec::as_slice).unwrap_or_default();
        let outside = changes.iter().filter(|c| !self.look.locals.inside(c.at(), self.look.the_loop));
        let at = |e: ExprId| values.tree(self.look.body).expr(e).at.start;
        let before = outside.filter(|c| at(c.at()) < at(self.look.the_loop)).max_by_key(|c| at(c.at()));
        match before {
            Some(Change::Assign(_, value)) => return Some(values.eval(self.look.body, *value)),
            Some(Change::Op(..)) => return Some(Val::unknown("it is changed before the loop")),
            Some(Change::Lent(_)) | None => {}
        }
        if cell.root.is_some() && cell.root == self.look.head {
            return Some(self.head_start());
        }
        match (cell.root, &cell.fields[..]) {
            (Some(pat), []) => Some(values.first_value(self.look.body, &self.look.locals, pat)),
            (root, fields) => {
                let whole = root.map(|pat| values.first_value(self.look.body, &self.look.locals, pat));
                if let Some(part) = whole.and_then(|w| part_of(w, fields)) {
                    return Some(part);
                }
                let name = fields.last()?;
                let owner = self.owner(cell);
                Some(owner.map_or_else(|| Val::unknown("a field"), |adt| values.field_of(adt, name)))
            }
        }
    }

    /// The type that holds a field: of an expression of the loop that names it, or of the object through which it is reached.
    fn owner(&self, cell: &Cell) -> Option<AdtId> {
        let look = &self.look;
        let mut found = None;
        self.each(&mut |e| {
            let Some(Ty::Adt(adt, _)) = look.values.type_of(look.body, e) else { return };
            if let Some(holder) = look.cell(e)
                && holder.root == cell.root
                && cell.fields.split_last().is_some_and(|(_, rest)| *rest == holder.fields[..])
            {
                found = Some(*adt);
            }
        });
        found
    }
}

/// A field of an object whose making is known.
fn part_of(whole: Val, fields: &[crate::name::Name]) -> Option<Val> {
    fields.iter().try_fold(whole, |value, field| match value {
        Val::Object(o) => o.fields.get(field).map(|f| f.value.clone()),
        _ => None,
    })
}

impl Look<'_, '_> {
    /// Comparisons in a called function of what it was handed: of a counter, of a field of an object. Either side of one
    /// may be what counts; playing the turn tells which.
    fn compared_inside(&self, e: ExprId, inside: &mut Vec<BodyId>, found: &mut dyn FnMut(Cell, Val)) {
        let Some((f, handed)) = self.function_called(e) else { return };
        let home = BodyId::Fn(f);
        if inside.len() >= 2 || inside.contains(&home) || handed.iter().all(|a| self.cell(*a).is_none()) {
            return;
        }
        let Some(plain) = self.within(f, &handed, None) else { return };
        let tree = self.values.tree(home);
        let mut compared = Vec::new();
        let mut calls = Vec::new();
        walk::each(tree, plain.the_loop, &mut |x| {
            match tree.expr(x).kind {
                ExprKind::Binary { op, left, right } if super::atoms::is_comparison(op) => {
                    compared.extend([left, right].into_iter().filter_map(|s| Some((plain.counted_cell(s)?, x))));
                }
                ExprKind::Call { .. } | ExprKind::Method { .. } => calls.push(x),
                _ => {}
            }
            compared.len() < MOST
        });
        for (cell, x) in compared {
            let Some(outer) = self.named_outside(f, &handed, &cell) else { continue };
            let Some(look) = self.within(f, &handed, Some(cell)) else { continue };
            if let Some(compare) = look.compare(x) {
                found(outer, compare.limit);
            }
        }
        inside.push(home);
        for call in calls.into_iter().take(MOST) {
            plain.compared_inside(call, inside, &mut |cell, limit| {
                if let Some(outer) = self.named_outside(f, &handed, &cell) {
                    found(outer, limit);
                }
            });
        }
        inside.pop();
    }

    /// The cell in one side of a comparison, a constant more or less.
    fn counted_cell(&self, e: ExprId) -> Option<Cell> {
        match self.kind(e) {
            ExprKind::Cast { value, .. } => self.counted_cell(*value),
            ExprKind::Binary { op: BinaryOp::Add | BinaryOp::Sub, left, right } => {
                self.counted_cell(*left).or_else(|| self.counted_cell(*right))
            }
            _ => self.cell(e),
        }
    }

    /// What a cell of a called function is called where it is called.
    fn named_outside(&self, f: crate::frontend::rust::program::FnId, handed: &[ExprId], cell: &Cell) -> Option<Cell> {
        let at = (0..handed.len()).find(|i| self.parameter(f, *i) == Some(cell.root))?;
        match (cell.fields.is_empty(), self.cell(handed[at])) {
            // A plain number: it must be a counter here.
            (true, _) => self.counter(handed[at]).map(|(cell, _)| cell),
            (false, Some(own)) => {
                let fields = own.fields.iter().chain(&cell.fields).cloned().collect();
                Some(Cell { root: own.root, fields })
            }
            (false, None) => None,
        }
    }
}
