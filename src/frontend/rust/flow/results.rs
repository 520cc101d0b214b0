//! What is done with a result on its way: `map_err`, `or_else`, `unwrap_or`, and verdicts about going again.

use super::call::Parts;
use super::{Flow, block, tidy};
use crate::class::{Ending, Endings, FailureClass};
use crate::effect::{Arm, Effect, Exit};
use crate::frontend::rust::program::Target;
use crate::frontend::rust::tree::{ExprId, ExprKind};
use crate::model::Does;

impl Flow<'_> {
    /// `map_err`, `or_else`, `unwrap_or` and the like on the result of an operation.
    pub(super) fn result_combinator(&mut self, name: &str, effect: Effect, parts: &Parts) -> Effect {
        let (receiver, args) = (parts.receiver, &parts.args);
        let arm = |on, then| vec![Arm { on, then }];
        match name {
            "map_err" | "inspect_err" => self.map_err(effect, args),
            "or_else" | "unwrap_or_else" => {
                let then =
                    self.in_arm(|f, level| f.while_failing(level, |f| f.closure_on(args.first().copied(), level)));
                tidy::recover(effect, arm(Endings::ERRORS, then))
            }
            "and_then" => {
                let then = self.in_arm(|f, level| f.closure_on(args.first().copied(), level));
                tidy::recover(effect, arm(Endings::GOES_ON, then))
            }
            "map" | "inspect" | "map_ok" => {
                let then = self.in_arm(|f, level| {
                    let inner = f.closure_on(args.first().copied(), level);
                    let end = f.caught(level);
                    tidy::seq(vec![tidy::dropped(inner), end])
                });
                if then == Effect::Caught(0) { effect } else { tidy::recover(effect, arm(Endings::GOES_ON, then)) }
            }
            "unwrap_or" | "unwrap_or_default" | "is_ok" | "is_err" | "is_some" | "is_none" | "map_or"
            | "map_or_else" => tidy::dropped(effect),
            "unwrap" | "expect" if receiver.is_some_and(|r| self.around_a_result(r)) => {
                tidy::tried_on(effect, Endings::one(Ending::Error(FailureClass::Timeout)))
            }
            "unwrap" | "expect" => tidy::tried(effect),
            _ => {
                let rest: Vec<Effect> = args.iter().map(|a| tidy::dropped(self.expr(*a))).collect();
                if rest.iter().all(tidy::is_pure) {
                    effect
                } else {
                    tidy::seq([vec![tidy::tried(effect)], rest].concat())
                }
            }
        }
    }

    /// A closure's (or function's) effect with its parameters holding what the arm has caught.
    pub(super) fn closure_on(&mut self, arg: Option<ExprId>, level: super::Level) -> Effect {
        let Some(arg) = arg else { return Effect::Nothing };
        let tree = self.tree;
        match &tree.expr(arg).kind {
            ExprKind::Closure { params, body, .. } => {
                for (pat, _) in params {
                    self.bind(*pat, level);
                }
                self.closed(*body)
            }
            ExprKind::Path(_) => match self.types.targets.get(&arg).cloned() {
                Some(Target::Foreign(path)) => match self.world.models.function(&path).and_then(|f| f.does.clone()) {
                    Some(Does::Verdict { again }) => self.verdict_at(again, level),
                    _ => Effect::Nothing,
                },
                Some(Target::Fns(ids, of)) => {
                    let parts = Parts { receiver: None, args: Vec::new() };
                    self.tree_call(arg, &ids, of, &parts)
                }
                // A variant by name: `map_err(backoff::Error::Permanent)`.
                _ => {
                    let again = self.types.paths.get(&arg).and_then(|path| self.verdict_of(path));
                    again.map_or(Effect::Nothing, |again| self.verdict_at(again, level))
                }
            },
            _ => Effect::Nothing,
        }
    }

    fn map_err(&mut self, effect: Effect, args: &[ExprId]) -> Effect {
        let then = self.in_arm(|f, level| {
            let inner = f.while_failing(level, |f| f.closure_on(args.first().copied(), level));
            let end = f.caught(level);
            match inner {
                Effect::Leave(..) => inner,
                Effect::Scope(_) | Effect::Branch(..) | Effect::Recover(..) => {
                    tidy::seq(vec![tidy::dropped(inner), end])
                }
                other => tidy::seq(vec![tidy::dropped(other), end]),
            }
        });
        if then == Effect::Caught(0) { effect } else { tidy::recover(effect, vec![Arm { on: Endings::ERRORS, then }]) }
    }

    /// `backoff::Error::permanent(e)`: stops the retry around it.
    pub(super) fn verdict_value(&mut self, again: bool, args: &[ExprId]) -> Effect {
        let level = args.iter().find_map(|a| self.derived(*a)).or(self.failing.last().copied());
        match level {
            Some(level) => self.verdict_at(again, level),
            None if again => Effect::Nothing,
            None => self.verdict.map_or(Effect::Nothing, |id| {
                tidy::leave(Exit::Break(id), Effect::End(Ending::Error(FailureClass::Application)))
            }),
        }
    }

    /// Whether a variant (or function) says "again" or "stop", by its model.
    pub(super) fn verdict_of(&self, path: &str) -> Option<bool> {
        match self.world.models.function(path).and_then(|f| f.does.as_ref()) {
            Some(Does::Verdict { again }) => Some(*again),
            _ => None,
        }
    }

    fn verdict_at(&mut self, again: bool, level: super::Level) -> Effect {
        match self.verdict {
            Some(id) if !again => tidy::leave(Exit::Break(id), block::as_error(self.caught(level))),
            _ => Effect::Nothing,
        }
    }
}
