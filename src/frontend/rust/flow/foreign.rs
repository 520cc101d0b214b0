//! Calls of libraries: what their models say they do, and what is taken of those without a model.

use super::call::Parts;
use super::{Flow, tidy};
use crate::effect::{Call, Callee, Deadline, DeadlineKind, Effect, Until, Wait, Wins};
use crate::frontend::rust::program::{Target, Ty};
use crate::frontend::rust::tree::ExprId;
use crate::frontend::rust::waits;
use crate::model::Does;
use crate::value::{Origin, OriginKind, Why};

impl Flow<'_> {
    pub(super) fn foreign_call(&mut self, e: ExprId, path: &str, parts: &Parts) -> Effect {
        let does = self.world.models.function(path).and_then(|f| f.does.clone());
        match does {
            Some(Does::Remote(model)) => self.remote(e, path, &model, parts),
            Some(Does::Sleep { duration }) => {
                let mut effects = self.before(parts);
                effects.push(self.sleep(e, parts.get(duration)));
                tidy::seq(effects)
            }
            Some(Does::Deadline { duration, body }) => self.deadline(e, parts.get(duration), parts.get(body)),
            Some(Does::Spawn { body }) => {
                let inner = parts.get(body).map_or(Effect::Nothing, |b| self.future(b, true));
                if tidy::is_pure(&inner) { inner } else { Effect::Spawn(Box::new(inner)) }
            }
            Some(Does::Runs { body }) => parts.get(body).map_or(Effect::Nothing, |b| self.future(b, true)),
            Some(Does::Join { all }) => self.join(&parts.args, all),
            Some(Does::Race { ok }) => self.race(&parts.args, ok),
            Some(Does::StatusToError) => {
                let inner = parts.receiver.map_or(Effect::Nothing, |r| self.expr(r));
                tidy::statuses_to_errors(inner, false)
            }
            Some(Does::Verdict { again }) => self.verdict_value(again, &parts.args),
            Some(Does::Blocks) => {
                let mut effects = self.before(parts);
                effects.push(Effect::Sleep(Wait::unknown(self.at(e))));
                tidy::seq(effects)
            }
            Some(Does::Local | Does::Status | Does::Random | Does::GivesBack { .. }) => self.passes_on(parts),
            Some(Does::Retry(_)) => self.passes_on(parts),
            None => match self.sleeps_for(path, parts) {
                Some(duration) => self.sleep(e, Some(duration)),
                None => self.plain_foreign(e, path, parts),
            },
        }
    }

    /// A function without a model by the name that every runtime gives to its pause, with a duration as its argument.
    fn sleeps_for(&self, path: &str, parts: &Parts) -> Option<ExprId> {
        let named = matches!(path.rsplit("::").next(), Some("sleep" | "sleep_for" | "delay_for"));
        let duration = |e: &ExprId| matches!(self.types.types.get(e), Some(Ty::Foreign(name, _)) if name.rsplit("::").next() == Some("Duration"));
        parts.args.first().copied().filter(|first| named && duration(first))
    }

    pub(super) fn sleep(&mut self, e: ExprId, duration: Option<ExprId>) -> Effect {
        let at = self.at(e);
        let Some(duration) = duration else { return Effect::Sleep(Wait::unknown(at)) };
        let around = self.loop_exprs.last().copied();
        let mut wait = waits::wait(self.world.values, self.body, duration, around);
        // Where the delay is computed elsewhere, that place is its origin.
        wait.from = wait.at.map(|at| Origin { kind: OriginKind::Computed, at: Some(at), source: None });
        wait.at = Some(at);
        Effect::Sleep(wait)
    }

    fn deadline(&mut self, e: ExprId, duration: Option<ExprId>, body: Option<ExprId>) -> Effect {
        let inner = body.map_or(Effect::Nothing, |b| self.future(b, true));
        if tidy::only_waits(&inner) {
            return self.waits_at_most(e, duration, body, inner);
        }
        let limit = duration.map_or(crate::value::Value::unknown("not given"), |d| {
            let limit = self.world.values.eval(self.body, d);
            self.world.values.as_ms(&limit).0
        });
        inner.within(Deadline::new(DeadlineKind::Total, limit, self.at(e)))
    }

    /// `timeout(pause, stop.changed())`: the pause, unless something local comes first.
    fn waits_at_most(&mut self, e: ExprId, duration: Option<ExprId>, body: Option<ExprId>, inner: Effect) -> Effect {
        let does = body.and_then(|b| match self.types.targets.get(&self.beneath(b)) {
            Some(Target::Foreign(path)) => self.world.models.function(path).and_then(|f| f.does.as_ref()),
            _ => None,
        });
        match does {
            Some(Does::Blocks) => self.sleep(e, duration),
            // It may be an answer that is waited for.
            Some(Does::Local) => Effect::Sleep(Wait::unknown(self.at(e))),
            _ => inner,
        }
    }

    pub(super) fn join(&mut self, args: &[ExprId], all: bool) -> Effect {
        let parts: Vec<Effect> = args.iter().map(|a| self.future(*a, true)).collect();
        let mut parts: Vec<Effect> = parts.into_iter().filter(|p| !tidy::is_pure(p)).collect();
        match parts.len() {
            0 => Effect::Nothing,
            1 => parts.remove(0),
            _ => Effect::Join(parts, if all { Until::All } else { Until::FirstError }),
        }
    }

    fn race(&mut self, args: &[ExprId], ok: bool) -> Effect {
        let parts: Vec<Effect> = args.iter().map(|a| self.future(*a, true)).filter(|p| !tidy::is_pure(p)).collect();
        match parts.len() {
            0 => Effect::Nothing,
            _ => Effect::Race(parts, if ok { Wins::FirstOk } else { Wins::First }),
        }
    }

    /// The receiver's ending is the result's; arguments are evaluated and dropped.
    fn passes_on(&mut self, parts: &Parts) -> Effect {
        let receiver = parts.receiver.map_or(Effect::Nothing, |r| self.expr(r));
        let mut effects: Vec<Effect> = parts.args.iter().map(|a| tidy::dropped(self.expr(*a))).collect();
        if effects.iter().all(tidy::is_pure) {
            return receiver;
        }
        effects.insert(0, tidy::tried(receiver));
        tidy::seq(effects)
    }

    /// A foreign call without a model.
    fn plain_foreign(&mut self, e: ExprId, path: &str, parts: &Parts) -> Effect {
        let name = path.rsplit("::").next().unwrap_or(path).to_owned();
        if let Some(receiver) = parts.receiver {
            let effect = self.expr(receiver);
            if !tidy::is_pure(&effect) {
                return self.result_combinator(&name, effect, parts);
            }
        }
        let closures = self.closures_run(&name, parts);
        let awaited = self.notes.ops.get(&self.at(e)).is_some_and(|o| o.awaited);
        // Reading an answer is part of it; handing it to something else is not.
        let derived = match parts.receiver {
            Some(receiver) => self.derived(receiver).is_some(),
            None => parts.args.iter().any(|a| self.derived(*a).is_some()),
        };
        let known_local = path.starts_with("std::") || is_lock(path) || self.world.models.is_modelled(path);
        let mut effects = self.before(parts);
        effects.extend(closures);
        if awaited && !derived && !known_local {
            self.note_op(e);
            effects.push(Effect::Call(Call {
                callee: Callee::Unknown(Why::new(path)),
                args: Vec::new(),
                at: self.at(e),
            }));
        }
        tidy::seq(effects)
    }
}

/// A lock of any runtime, by the names that all of them share.
fn is_lock(path: &str) -> bool {
    let lock = ["Mutex::lock", "RwLock::read", "RwLock::write", "Semaphore::acquire"];
    lock.iter().any(|end| path.strip_suffix(end).is_some_and(|rest| rest.is_empty() || rest.ends_with("::")))
}
