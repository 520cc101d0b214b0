//! What is new in each turn of a loop: the item that a turn takes from something that outlives it.
//!
//! The head of a `for` is not the only one that hands out items. `while let Some(job) = jobs.recv().await`,
//! `let Some(entry) = lister.next().await? else { .. }` and `if let Some(dir) = self.pending.take()` do the same: a turn
//! that goes on after a failure goes on with another item, and that is no retry.

use rustc_hash::FxHashSet;

use super::{Flow, LoopFrame};
use crate::effect::LoopId;
use crate::frontend::rust::pats;
use crate::frontend::rust::program::Ty;
use crate::frontend::rust::tree::{BinaryOp, ExprId, ExprKind, PatId, RustFile, UnaryOp};

/// Methods without arguments that move an item out of their receiver, so that the next call yields another.
const TAKES: &[&str] = &["next", "try_next", "next_back", "recv", "message", "pop", "pop_front", "pop_back", "take"];
/// The wrapper of an item that a loop's head takes.
const ITEM: &[&str] = &["Some", "Ok"];

impl Flow<'_> {
    /// Remembers which names a turn makes, and those that hold an item taken from outside of it.
    pub(super) fn note_made(&mut self, names: &[PatId], value: ExprId) {
        let mut taken_in = self.step_of(value, TAKES);
        taken_in.extend(self.around().filter(|l| l.spends.is_some_and(|list| self.is_lent(value, list))).map(|l| l.id));
        for frame in self.outer_loops.iter_mut().chain(&mut self.loops).filter(|l| taken_in.contains(&l.id)) {
            frame.fresh.extend(names);
        }
        if let Some(frame) = self.loops.last_mut().or(self.outer_loops.last_mut()) {
            frame.made.extend(names);
        }
    }

    /// `while let Some(item) = source.read(..).await? {`: success goes on with another item, its end or failure leaves.
    pub(super) fn note_head(&mut self, cond: ExprId) {
        let (tree, types) = (self.tree, self.types);
        let mut open = vec![cond];
        while let Some(e) = open.pop() {
            match &tree.expr(e).kind {
                ExprKind::Binary { op: BinaryOp::And, left, right } => open.extend([*left, *right]),
                ExprKind::Let { pat, value }
                    if types.pat_paths.get(pat).is_some_and(|n| ITEM.contains(&n.as_str())) =>
                {
                    let Some(frame) = self.loops.last_mut() else { return };
                    frame.fresh.extend(pats::bindings(tree, *pat));
                    frame.heads.extend(calls_of(tree, *value));
                }
                ExprKind::Unary(UnaryOp::Not, inner) => {
                    if let ExprKind::Method { receiver, name, .. } = &tree.expr(*inner).kind
                        && name == "is_empty"
                        && let Some(frame) = self.loops.last_mut()
                    {
                        frame.spends = types.locals.get(receiver).copied();
                    }
                }
                _ => {}
            }
        }
    }

    /// Locals that a failing arm of the loop replaces by something made of themselves (`path = parent(path)`): what follows
    /// is another question, not the same once more.
    pub(super) fn moved_on(&self, the_loop: ExprId) -> FxHashSet<PatId> {
        let mut moved = FxHashSet::default();
        let mut open: Vec<(ExprId, bool)> = vec![(the_loop, false)];
        while let Some((e, failed)) = open.pop() {
            match &self.tree.expr(e).kind {
                ExprKind::Match { value, arms } => {
                    open.push((*value, failed));
                    open.extend(arms.iter().map(|a| (a.body, failed || self.takes_errors(a.pat))));
                    continue;
                }
                ExprKind::If { cond, then, otherwise } => {
                    let fails =
                        matches!(&self.tree.expr(*cond).kind, ExprKind::Let { pat, .. } if self.takes_errors(*pat));
                    open.extend([(*cond, failed), (*then, failed || fails)]);
                    open.extend(otherwise.map(|o| (o, failed)));
                    continue;
                }
                ExprKind::Assign { to, value } if failed => moved.extend(self.steps_on(*to, *value)),
                _ => {}
            }
            open.extend(pats::children(self.tree, e).into_iter().map(|c| (c, failed)));
        }
        moved
    }

    fn takes_errors(&self, pat: PatId) -> bool {
        self.types.pat_paths.get(&pat).is_some_and(|n| n.as_str() == "Err")
    }

    /// The local that is given a value which a call makes of its old one; numbers and durations count and wait.
    fn steps_on(&self, to: ExprId, value: ExprId) -> Option<PatId> {
        let local = *self.types.locals.get(&to)?;
        let calls = matches!(self.tree.expr(value).kind, ExprKind::Call { .. } | ExprKind::Method { .. });
        let counts = match self.types.pat_types.get(&local)? {
            Ty::Foreign(name, _) => is_number(name),
            _ => false,
        };
        (calls && !counts && pats::mentions(self.tree, self.types, value).contains(&local)).then_some(local)
    }

    /// Whether a call in an expression is lent that local as a whole: `sample(&mut rest)`.
    fn is_lent(&self, e: ExprId, list: PatId) -> bool {
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            let args: &[ExprId] = match &self.tree.expr(e).kind {
                ExprKind::Call { args, .. } => args,
                ExprKind::Method { args, .. } => args,
                _ => &[],
            };
            let lent = |a: &ExprId| match self.tree.expr(*a).kind {
                ExprKind::Ref(inner) => self.types.locals.get(&inner) == Some(&list),
                _ => false,
            };
            if args.iter().any(lent) {
                return true;
            }
            open.extend(pats::children(self.tree, e));
        }
        false
    }

    /// The loops around that an expression takes the next item in: all inside of which its receiver is not made anew.
    pub(super) fn step_of(&self, e: ExprId, methods: &[&str]) -> Vec<LoopId> {
        let ExprKind::Method { receiver, name, args, .. } = &self.tree.expr(pats::root(self.tree, e)).kind else {
            return Vec::new();
        };
        if !args.is_empty() || !methods.contains(&name.as_str()) {
            return Vec::new();
        }
        let from = self.types.locals.get(&pats::root(self.tree, *receiver));
        let outlives = |made: &FxHashSet<PatId>| from.is_none_or(|local| !made.contains(local));
        let inner_first = self.loops.iter().rev().chain(self.outer_loops.iter().rev());
        inner_first.take_while(|l| outlives(&l.made)).map(|l| l.id).collect()
    }

    /// Every loop around, those outside of the closure or future that is compiled too: their turns run it.
    pub(super) fn around(&self) -> impl Iterator<Item = &LoopFrame> {
        self.outer_loops.iter().chain(&self.loops)
    }
}

pub(super) fn is_number(name: &str) -> bool {
    let kinds = ["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "f32", "f64"];
    kinds.contains(&name) || name.ends_with("Duration") || name.ends_with("Instant")
}

/// The call that makes a value, with those it is called on.
fn calls_of(tree: &RustFile, value: ExprId) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut at = pats::root(tree, value);
    loop {
        match &tree.expr(at).kind {
            ExprKind::Method { receiver, .. } => {
                found.push(at);
                at = pats::root(tree, *receiver);
            }
            ExprKind::Call { .. } => {
                found.push(at);
                return found;
            }
            _ => return found,
        }
    }
}
