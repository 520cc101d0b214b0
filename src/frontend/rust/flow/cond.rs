//! Conditions with effects: `if`, chains of `&&` and `||` with calls and `let` in them.

use super::test::Test;
use super::{Flow, tidy};
use crate::class::Endings;
use crate::effect::{Arm, Effect, Judged};
use crate::frontend::rust::pats;
use crate::frontend::rust::program::{Target, Ty};
use crate::frontend::rust::tree::{BinaryOp, ExprId, ExprKind, UnaryOp};
use crate::frontend::rust::values::cell;
use crate::name::last_segment;

type Side<'s, 'a> = &'s mut dyn FnMut(&mut Flow<'a>) -> Effect;

impl<'a> Flow<'a> {
    pub(super) fn if_expr(&mut self, cond: ExprId, then: ExprId, otherwise: Option<ExprId>) -> Effect {
        if otherwise.is_none()
            && self.asks_for_a_duration(cond, then)
            && let wait = self.expr(then)
            && matches!(wait, Effect::Sleep(_))
        {
            return wait;
        }
        let mut yes = |flow: &mut Self| flow.expr(then);
        let mut no = |flow: &mut Self| otherwise.map_or(Effect::Nothing, |o| flow.expr(o));
        self.condition(cond, &mut yes, &mut no)
    }

    /// `if !pause.is_zero() { sleep(pause) }`, `if seconds > 0.0 { .. }`: a wait that is left out where it would be none.
    fn asks_for_a_duration(&self, cond: ExprId, then: ExprId) -> bool {
        let asked = match &self.tree.expr(cond).kind {
            ExprKind::Unary(UnaryOp::Not, inner) => match &self.tree.expr(*inner).kind {
                ExprKind::Method { receiver, name, .. } if *name == "is_zero" => *receiver,
                _ => return false,
            },
            ExprKind::Binary { op: BinaryOp::Gt | BinaryOp::Ne, left, .. } => *left,
            _ => return false,
        };
        let lasts = match self.types.types.get(&asked) {
            Some(Ty::Foreign(name, _)) => matches!(last_segment(name), "Duration" | "f64" | "f32"),
            _ => false,
        };
        let Some(asked) = cell(self.tree, self.types, asked).filter(|_| lasts) else { return false };
        let mut open = vec![then];
        let (mut named, mut loops) = (false, false);
        while let Some(e) = open.pop() {
            let kind = &self.tree.expr(e).kind;
            named |= cell(self.tree, self.types, e).is_some_and(|c| c == asked);
            loops |= matches!(kind, ExprKind::Loop { .. } | ExprKind::While { .. } | ExprKind::For { .. });
            pats::push_children(self.tree, e, &mut open);
        }
        named && !loops
    }

    /// The effect of a condition and of the side it leads to.
    pub(super) fn condition(&mut self, cond: ExprId, then: Side<'_, 'a>, els: Side<'_, 'a>) -> Effect {
        if !self.spend() {
            return Effect::Nothing;
        }
        stacker::maybe_grow(128 * 1024, 8 * 1024 * 1024, || self.condition_inner(cond, then, els))
    }

    fn condition_inner(&mut self, cond: ExprId, then: Side<'_, 'a>, els: Side<'_, 'a>) -> Effect {
        if self.is_quiet(cond) {
            let test = self.test(cond);
            return self.split(test, then, els);
        }
        match &self.tree.expr(cond).kind {
            ExprKind::Let { pat, value } => self.if_let(*pat, *value, then, els),
            ExprKind::Unary(UnaryOp::Not, inner) => self.condition(*inner, els, then),
            ExprKind::Binary { op: BinaryOp::And, left, right } => {
                let (left, right) = (*left, *right);
                self.condition_pair(left, right, then, els, true)
            }
            ExprKind::Binary { op: BinaryOp::Or, left, right } => {
                let (left, right) = (*left, *right);
                self.condition_pair(left, right, then, els, false)
            }
            ExprKind::Method { receiver, name, .. }
                if matches!(&**name, "is_ok" | "is_err" | "is_some" | "is_none") =>
            {
                let good = matches!(&**name, "is_ok" | "is_some");
                self.looked_at_directly(*receiver, good, then, els)
            }
            _ => self.answered(cond, then, els),
        }
    }

    fn condition_pair(
        &mut self,
        left: ExprId,
        right: ExprId,
        then: Side<'_, 'a>,
        els: Side<'_, 'a>,
        both: bool,
    ) -> Effect {
        let els = std::cell::RefCell::new(els);
        let then = std::cell::RefCell::new(then);
        let mut inner = |flow: &mut Self| {
            let mut yes = |f: &mut Self| (then.borrow_mut())(f);
            let mut no = |f: &mut Self| (els.borrow_mut())(f);
            flow.condition(right, &mut yes, &mut no)
        };
        if both {
            let mut no = |f: &mut Self| (els.borrow_mut())(f);
            self.condition(left, &mut inner, &mut no)
        } else {
            let mut yes = |f: &mut Self| (then.borrow_mut())(f);
            self.condition(left, &mut yes, &mut inner)
        }
    }

    /// `op().await.is_err()`
    fn looked_at_directly(&mut self, receiver: ExprId, good: bool, then: Side<'_, 'a>, els: Side<'_, 'a>) -> Effect {
        let scrutinee = self.expr(receiver);
        if tidy::only_waits(&scrutinee) {
            let test = self.test(receiver);
            let sides = self.split(Test::unknown(test.level, test.judged), then, els);
            return tidy::seq(vec![scrutinee, sides]);
        }
        let (on_ok, on_error): (Side<'_, 'a>, Side<'_, 'a>) = if good { (then, els) } else { (els, then) };
        let arms = self.in_arm(|flow, level| {
            let fine = on_ok(flow);
            let bad = flow.while_failing(level, |f| on_error(f));
            vec![Arm { on: Endings::GOES_ON, then: fine }, Arm { on: Endings::ERRORS, then: bad }]
        });
        tidy::recover(scrutinee, arms)
    }

    /// A condition that is the answer of an operation: `while !done().await? {`.
    fn answered(&mut self, cond: ExprId, then: Side<'_, 'a>, els: Side<'_, 'a>) -> Effect {
        let scrutinee = self.expr(cond);
        if tidy::only_waits(&scrutinee) {
            let test = self.test(cond);
            let sides = self.split(test, then, els);
            return tidy::seq(vec![scrutinee, sides]);
        }
        let sides = self.in_arm(|flow, level| {
            let test = Test::unknown(Some(level), Judged::Answer);
            flow.split(test, then, els)
        });
        // Errors that can leave have left by a `?`; what is looked at is a value.
        tidy::recover(scrutinee, vec![Arm { on: Endings::ALL.without(Endings::NEVER), then: sides }])
    }

    /// Nothing in it can send, wait or leave: no `.await`, no `?`, no call of the tree that could.
    pub(super) fn is_quiet(&self, e: ExprId) -> bool {
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            match &self.tree.expr(e).kind {
                ExprKind::Await(_) | ExprKind::Try(_) | ExprKind::Let { .. } | ExprKind::Block(_) => return false,
                ExprKind::Closure { .. } => continue,
                ExprKind::Call { .. } | ExprKind::Method { .. } if !self.is_quiet_call(e) => return false,
                _ => {}
            }
            pats::push_children(self.tree, e, &mut open);
        }
        true
    }

    pub(super) fn is_quiet_call(&self, e: ExprId) -> bool {
        match self.types.targets.get(&e) {
            Some(Target::Fns(ids, _)) => ids.iter().all(|id| !self.world.loud.contains(id)),
            Some(Target::Foreign(path)) => self.world.models.function(path).is_none_or(|f| {
                matches!(
                    f.does,
                    None | Some(crate::model::Does::Local | crate::model::Does::Random | crate::model::Does::Status)
                )
            }),
            Some(Target::Constructor(_)) | None => true,
            Some(Target::Callable | Target::Many(_) | Target::Unknown(_)) => {
                !matches!(self.types.targets.get(&e), Some(Target::Callable))
            }
        }
    }
}
