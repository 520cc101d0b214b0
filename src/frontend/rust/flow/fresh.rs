//! What is new in each turn of a loop: the item that a turn takes from something that outlives it.
//!
//! The head of a `for` is not the only one that hands out items. `while let Some(job) = jobs.recv().await`,
//! `let Some(entry) = lister.next().await? else { .. }` and `if let Some(dir) = self.pending.take()` do the same: a turn
//! that goes on after a failure goes on with another item, and that is no retry.

use super::Flow;
use crate::effect::LoopId;
use crate::frontend::rust::pats;
use crate::frontend::rust::tree::{ExprId, ExprKind, PatId};

/// Methods without arguments that move an item out of their receiver, so that the next call yields another.
const TAKES: &[&str] = &["next", "try_next", "next_back", "recv", "message", "pop", "pop_front", "pop_back", "take"];

impl Flow<'_> {
    /// Remembers which names a turn makes, and those that hold an item taken from outside of it.
    pub(super) fn note_made(&mut self, names: &[PatId], value: ExprId) {
        let taken_in = self.step_of(value, TAKES);
        for frame in self.loops.iter_mut().filter(|l| taken_in.contains(&l.id)) {
            frame.fresh.extend(names);
        }
        if let Some(frame) = self.loops.last_mut() {
            frame.made.extend(names);
        }
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
        let outlives = |made: &rustc_hash::FxHashSet<PatId>| from.is_none_or(|local| !made.contains(local));
        self.loops.iter().rev().take_while(|l| outlives(&l.made)).map(|l| l.id).collect()
    }
}
