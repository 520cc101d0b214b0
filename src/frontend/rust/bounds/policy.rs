//! What ends a loop though nobody here can count it: a policy that is asked again in each turn, and moves on meanwhile.

use super::Search;
use super::atoms::Look;
use super::focus::Focus;
use crate::effect::Stop;
use crate::frontend::rust::program::{FnId, Target, Ty};
use crate::frontend::rust::tree::{ExprId, ExprKind, Receiver};
use crate::frontend::rust::val::Val;
use crate::frontend::rust::values::{is_mutable, walk};
use crate::value::Origin;

impl Search<'_, '_, '_> {
    /// The loop ends once some question is answered so: how often it is not, only who answers knows.
    pub(super) fn policy(&mut self) {
        if self.found.stops.iter().any(|s| *s != Stop::Cancelled) {
            return;
        }
        let mut asked = Vec::new();
        self.each(&mut |e| {
            if self.look.decides(e) && self.look.asks_a_policy(e) {
                asked.push(e);
            }
        });
        let ends = |e: &ExprId| self.ends(Focus::Answer(*e, false)) || self.ends(Focus::Answer(*e, true));
        if let Some(e) = asked.into_iter().find(ends) {
            self.found.stops.push(Stop::Ends(Origin::literal(self.look.values.span(self.look.body, e))));
        }
    }
}

impl Look<'_, '_> {
    /// A call that says yes or no, or gives something or nothing, at once.
    pub fn decides(&self, e: ExprId) -> bool {
        let call = matches!(self.kind(e), ExprKind::Call { .. } | ExprKind::Method { .. });
        let either = match self.values.type_of(self.body, e) {
            Some(Ty::Foreign(name, _)) => matches!(name.as_str(), "bool" | "Option" | "ControlFlow"),
            _ => false,
        };
        call && either
    }

    /// Whether a call is handed something that moves from turn to turn, and its answer may hang on that in a way that
    /// cannot be followed.
    fn asks_a_policy(&self, e: ExprId) -> bool {
        match self.values.target(self.body, e) {
            Some(Target::Fns(fns, _)) => {
                let mutable = |f: &FnId| self.values.program.function(*f).receiver == Some(Receiver::Mut);
                let moves = self.hands_over_what_moves(e, fns.iter().any(mutable));
                moves && (fns.len() > 1 || fns.iter().any(|f| self.is_opaque(*f)))
            }
            Some(Target::Foreign(path)) if is_of_std(path) => false,
            Some(Target::Constructor(_)) | None => false,
            Some(_) => self.hands_over_what_moves(e, self.on_mutable_local(e)),
        }
    }

    fn hands_over_what_moves(&self, e: ExprId, receiver_moves: bool) -> bool {
        let (receiver, args) = match self.kind(e) {
            ExprKind::Method { receiver, args, .. } => (Some(*receiver), &args[..]),
            ExprKind::Call { args, .. } => (None, &args[..]),
            _ => return false,
        };
        let lasts = |e: ExprId| {
            let cell = self.cell(e)?;
            let scope = cell.root.and_then(|p| self.locals.bindings.get(&p)?.scope);
            Some(!scope.is_some_and(|s| s != self.the_loop && self.locals.inside(s, self.the_loop)))
        };
        let counts = args.iter().any(|a| self.counter(*a).is_some());
        counts || receiver_moves && receiver.is_some_and(|r| lasts(r) == Some(true))
    }

    fn on_mutable_local(&self, e: ExprId) -> bool {
        let ExprKind::Method { receiver, .. } = self.kind(e) else { return false };
        let root = self.cell(*receiver).and_then(|c| c.root);
        root.is_some_and(|p| is_mutable(self.values.tree(self.body), p))
    }

    /// A body that compares something, or asks somebody outside of the tree.
    fn is_opaque(&self, f: FnId) -> bool {
        let Some(inner) = self.within(f, &[], None) else { return true };
        walk::any(self.values.tree(inner.body), inner.the_loop, &mut |x| match inner.kind(x) {
            ExprKind::Binary { op, .. } => super::atoms::is_comparison(*op),
            ExprKind::Call { .. } | ExprKind::Method { .. } => match self.values.target(inner.body, x) {
                Some(Target::Foreign(path)) => !is_of_std(path),
                Some(Target::Many(_) | Target::Callable | Target::Unknown(_)) | None => true,
                Some(Target::Fns(fns, _)) => fns.len() > 1,
                Some(Target::Constructor(_)) => false,
            },
            _ => false,
        })
    }

    /// The time that a called function allows, where it asks the clock.
    pub fn elapsed_inside(&self, e: ExprId) -> Vec<Val> {
        let inner = self.function_called(e).and_then(|(f, handed)| self.within(f, &handed, None));
        let Some(inner) = inner else { return Vec::new() };
        let mut found = Vec::new();
        walk::each(self.values.tree(inner.body), inner.the_loop, &mut |x| {
            found.extend(inner.elapsed(x).map(|(_, allowed)| allowed));
            true
        });
        found
    }
}

fn is_of_std(path: &str) -> bool {
    !path.contains("::") || ["std::", "core::", "alloc::"].iter().any(|root| path.starts_with(root))
}
