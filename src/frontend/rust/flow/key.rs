//! Idempotency keys: whether the one on a request is the same for every attempt, or made anew beside the call.

use super::Flow;
use super::remote::Fields;
use crate::effect::Key;
use crate::frontend::rust::pats;
use crate::frontend::rust::program::{BodyId, Target};
use crate::frontend::rust::tree::{At, ExprId, ExprKind};
use crate::frontend::rust::values::Source;
use crate::frontend::rust::waits;
use crate::source::Span;

/// How many functions and bindings a key is followed through.
const DEEPEST: u8 = 6;

impl Fields<'_, '_> {
    /// The key that a setter put on the request of that call.
    pub(super) fn key(&self, call: ExprId) -> Key {
        let Some(field) = self.set("key") else { return Key::None };
        let value = field.at.and_then(|at| self.flow.value_set_at(at));
        let made = value.and_then(|value| self.flow.made_anew(value, 0));
        let beside = made.filter(|made| self.flow.closure_around(*made) == self.flow.closure_around(call));
        beside.map_or(Key::Once, |made| Key::Fresh(self.flow.at(made)))
    }
}

impl Flow<'_> {
    /// The value of the header that a setter of this body sets.
    fn value_set_at(&self, setter: Span) -> Option<ExprId> {
        let here = |at: &At| self.span(*at).start == setter.start && self.span(*at).file == setter.file;
        self.tree.exprs.iter().find_map(|e| match &e.kind {
            ExprKind::Method { name_at, args, .. } if here(name_at) && e.at.end == setter.end => args.get(1).copied(),
            _ => None,
        })
    }

    /// The part of a value of this body that randomness makes, each time it is evaluated.
    fn made_anew(&self, value: ExprId, depth: u8) -> Option<ExprId> {
        let mut open = vec![value];
        while let Some(e) = open.pop() {
            if self.makes_randomness(self.body, e, depth) {
                return Some(e);
            }
            if let Some(from) = self.bound_to(e).filter(|_| depth < DEEPEST) {
                return self.made_anew(from, depth + 1);
            }
            open.extend(pats::children(self.tree, e));
        }
        None
    }

    fn makes_randomness(&self, body: BodyId, e: ExprId, depth: u8) -> bool {
        let values = self.world.values;
        if waits::makes_randomness(values, body, e) {
            return true;
        }
        let Some(Target::Fns(ids, _)) = values.target(body, e) else { return false };
        let [id] = ids[..] else { return false };
        let (callee, Some(root)) = (BodyId::Fn(id), self.world.program.function(id).body) else { return false };
        let mut open = vec![root];
        while let Some(e) = open.pop().filter(|_| depth < DEEPEST) {
            if self.makes_randomness(callee, e, depth + 1) {
                return true;
            }
            pats::push_children(self.world.program.tree_of(callee), e, &mut open);
        }
        false
    }

    /// The value that a local holds for good: by its `let`.
    fn bound_to(&self, e: ExprId) -> Option<ExprId> {
        let pat = self.types.locals.get(&e)?;
        let locals = self.world.values.locals(self.body);
        match locals.bindings.get(pat)?.source {
            Source::Let(value) => value,
            _ => None,
        }
    }

    /// The innermost closure around an expression.
    fn closure_around(&self, e: ExprId) -> Option<At> {
        let at = self.tree.expr(e).at;
        let closures = self.tree.exprs.iter().filter(|c| matches!(c.kind, ExprKind::Closure { .. })).map(|c| c.at);
        closures.filter(|c| c.start <= at.start && at.end <= c.end).max_by_key(|c| c.start)
    }
}
