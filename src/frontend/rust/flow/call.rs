//! Calls: into the tree, of parameters, of libraries by their models, of macros that run something.

use super::{Flow, Known, tidy};
use crate::effect::{Arg, Call, Callee, Deadline, DeadlineKind, Effect, PlaceId, Until, Wins};
use crate::frontend::rust::pats;
use crate::frontend::rust::program::{BodyId, FnId, Target, Ty};
use crate::frontend::rust::tree::{ExprId, ExprKind, Lit};
use crate::frontend::rust::waits;
use crate::model::{ArgRef, Does};
use crate::name::last_segment;
use crate::value::{Origin, OriginKind, Why};

/// A call taken apart: the receiver if it is a method, and the arguments after it.
#[derive(Clone)]
pub(super) struct Parts {
    pub receiver: Option<ExprId>,
    pub args: Vec<ExprId>,
}

impl Parts {
    pub fn get(&self, which: ArgRef) -> Option<ExprId> {
        match which {
            ArgRef::Receiver => self.receiver,
            ArgRef::Arg(i) => self.args.get(usize::from(i)).copied(),
        }
    }
}

impl Flow<'_> {
    pub(super) fn parts_of(&self, e: ExprId) -> Parts {
        match &self.tree.expr(e).kind {
            ExprKind::Method { receiver, args, .. } => Parts { receiver: Some(*receiver), args: args.to_vec() },
            ExprKind::Call { args, .. } => Parts { receiver: None, args: args.clone() },
            _ => Parts { receiver: None, args: Vec::new() },
        }
    }

    pub(super) fn call(&mut self, e: ExprId) -> Effect {
        if let Some(effect) = self.retry_chain(e) {
            return effect;
        }
        let parts = self.parts_of(e);
        match self.types.targets.get(&e).cloned() {
            Some(Target::Fns(ids, of)) => self.tree_call(e, &ids, of, &parts),
            Some(Target::Foreign(path)) => self.foreign_call(e, &path, &parts),
            Some(Target::Constructor(path)) => self.constructor(&path, &parts.args),
            Some(Target::Callable) => self.callable(e, &parts),
            Some(Target::Many(n)) => self.unknown_call(e, &parts, &format!("a trait with {n} implementations")),
            Some(Target::Unknown(why)) => self.unknown_call(e, &parts, why),
            None => self.unknown_call(e, &parts, "not resolved"),
        }
    }

    /// Receiver and arguments are evaluated before the call; closures are not.
    fn before(&mut self, parts: &Parts) -> Vec<Effect> {
        let all: Vec<ExprId> = parts.receiver.iter().chain(&parts.args).copied().collect();
        all.into_iter().map(|a| tidy::dropped(self.expr(a))).collect()
    }

    pub(super) fn tree_call(
        &mut self,
        e: ExprId,
        ids: &[FnId],
        of: Option<crate::name::Name>,
        parts: &Parts,
    ) -> Effect {
        let places: Vec<PlaceId> = ids.iter().filter_map(|id| self.world.places.get(id).copied()).collect();
        let mut effects = self.before(parts);
        let (Some(first), Some(place)) = (ids.first(), places.first().copied()) else { return tidy::seq(effects) };
        if self.body == BodyId::Fn(*first) {
            self.note_recursion(*first, parts);
        }
        let args = self.bind_args(*first, parts);
        let callee = match (of, places.len()) {
            (Some(name), 2..) => Callee::AnyOf(name, places),
            _ => Callee::Place(place),
        };
        let quiet = ids.iter().all(|id| !self.world.loud.contains(id))
            && args.iter().all(|a| matches!(a, Arg::Other | Arg::Value(..)));
        if quiet {
            // A constructor or getter: its value may still be (part of) an ending that was caught.
            return tidy::seq(effects);
        }
        self.note_op(e);
        effects.push(Effect::Call(Call { callee, args, at: self.at(e) }));
        tidy::seq(effects)
    }

    /// What each parameter of a function of the tree gets, the receiver first.
    fn bind_args(&mut self, id: FnId, parts: &Parts) -> Vec<Arg> {
        let function = self.world.program.function(id);
        let mut given: Vec<Option<ExprId>> = Vec::new();
        if function.receiver.is_some() && parts.receiver.is_some() {
            given.push(None);
        }
        given.extend(parts.args.iter().map(|a| Some(*a)));
        given.into_iter().map(|a| a.map_or(Arg::Other, |a| self.argument(a))).collect()
    }

    fn argument(&mut self, e: ExprId) -> Arg {
        let inner = pats::root(self.tree, e);
        match &self.tree.expr(inner).kind {
            ExprKind::Closure { .. } | ExprKind::Async { .. } => {
                return Arg::Closure(Box::new(self.future(inner, false)));
            }
            ExprKind::Path(_) => {
                if let Some(Target::Fns(ids, _)) = self.types.targets.get(&inner)
                    && let Some(place) = ids.first().and_then(|id| self.world.places.get(id))
                {
                    return Arg::Place(*place);
                }
                if let Some(local) = self.types.locals.get(&inner) {
                    if let Some(Known::Later(effect)) = self.env.get(local) {
                        return Arg::Closure(effect.clone());
                    }
                    if let Some(i) = self.params.get(local)
                        && !self.is_number(e)
                        && inner == e
                    {
                        return Arg::Param(*i);
                    }
                }
            }
            _ => {}
        }
        if self.is_number(e) {
            let val = self.world.values.eval(self.body, e);
            let duration = matches!(self.types.types.get(&e), Some(Ty::Foreign(name, _)) if name.ends_with("Duration"));
            let (value, origin) =
                if duration { self.world.values.as_ms(&val) } else { self.world.values.as_count(&val) };
            return Arg::Value(value, origin);
        }
        Arg::Other
    }

    fn is_number(&self, e: ExprId) -> bool {
        if matches!(self.tree.expr(e).kind, ExprKind::Lit(Lit::Int(..))) {
            return true;
        }
        fn numeric(ty: &Ty) -> bool {
            match ty {
                Ty::Foreign(name, args) if name == "Option" => args.iter().any(numeric),
                Ty::Foreign(name, _) => {
                    matches!(&**name, "u8" | "u16" | "u32" | "u64" | "usize" | "i8" | "i16" | "i32" | "i64" | "isize")
                        || name.ends_with("Duration")
                }
                _ => false,
            }
        }
        self.types.types.get(&e).is_some_and(numeric)
    }

    /// Remembers, for classification, of which loop's fresh data a call is made.
    pub(super) fn note_op(&mut self, e: ExprId) {
        let mut from = pats::mentions(self.tree, self.types, e);
        let further: Vec<_> = from.iter().filter_map(|l| self.made_of.get(l)).flatten().copied().collect();
        from.extend(further);
        let fresh: Vec<_> =
            self.loops.iter().filter(|l| l.fresh.iter().any(|p| from.contains(p))).map(|l| l.id).collect();
        let at = self.at(e);
        let steps = self.step_of(e, &["next", "try_next", "message", "recv"]);
        let seen = self.notes.ops.entry(at).or_default();
        seen.fresh_in.extend(fresh);
        seen.steps_in.extend(steps);
    }

    fn foreign_call(&mut self, e: ExprId, path: &str, parts: &Parts) -> Effect {
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
            Some(Does::Local | Does::Status | Does::Random) => self.passes_on(parts),
            Some(Does::Retry(_)) => self.passes_on(parts),
            None => self.plain_foreign(e, path, parts),
        }
    }

    pub(super) fn sleep(&mut self, e: ExprId, duration: Option<ExprId>) -> Effect {
        let at = self.at(e);
        let Some(duration) = duration else { return Effect::Sleep(crate::effect::Wait::unknown(at)) };
        let around = self.loop_exprs.last().copied();
        let mut wait = waits::wait(self.world.values, self.body, duration, around);
        // Where the delay is computed elsewhere, that place is its origin.
        wait.from = wait.at.map(|at| Origin { kind: OriginKind::Computed, at: Some(at), source: None });
        wait.at = Some(at);
        Effect::Sleep(wait)
    }

    fn deadline(&mut self, e: ExprId, duration: Option<ExprId>, body: Option<ExprId>) -> Effect {
        let inner = body.map_or(Effect::Nothing, |b| self.future(b, true));
        if tidy::is_pure(&inner) {
            return inner;
        }
        let limit = duration.map_or(crate::value::Value::unknown("not given"), |d| {
            let limit = self.world.values.eval(self.body, d);
            self.world.values.as_ms(&limit).0
        });
        Effect::Within(Deadline { kind: DeadlineKind::Total, limit, at: self.at(e) }, Box::new(inner))
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
        let name = last_segment(path).to_owned();
        if let Some(receiver) = parts.receiver {
            let effect = self.expr(receiver);
            if !tidy::is_pure(&effect) {
                return self.result_combinator(&name, effect, &parts.args);
            }
        }
        let closures = self.closures_run(parts);
        let awaited = self.notes.ops.get(&self.at(e)).is_some_and(|o| o.awaited);
        let derived = parts.receiver.iter().chain(&parts.args).any(|a| self.derived(*a).is_some());
        let known_local = path.starts_with("std::") || self.world.models.is_modelled(path);
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

    /// Closures handed to code that is not known are taken to run once, here: `iter.map(|x| ..)`, `scope(|s| ..)`.
    fn closures_run(&mut self, parts: &Parts) -> Vec<Effect> {
        let mut found = Vec::new();
        for arg in &parts.args {
            let inner = self.tree.expr(*arg);
            if matches!(inner.kind, ExprKind::Closure { .. } | ExprKind::Async { .. }) {
                let effect = self.future(*arg, false);
                found.push(tidy::dropped(effect));
            }
        }
        found
    }

    fn constructor(&mut self, path: &str, args: &[ExprId]) -> Effect {
        match (path, args) {
            ("Err", _) => self.made_error(args),
            (_, [only]) => self.expr(*only),
            _ => {
                let parts: Vec<Effect> = args.iter().map(|a| tidy::dropped(self.expr(*a))).collect();
                tidy::seq(parts)
            }
        }
    }

    /// A call of something that a local, a parameter or a field holds.
    fn callable(&mut self, e: ExprId, parts: &Parts) -> Effect {
        let mut effects = self.before(parts);
        let callee = match &self.tree.expr(e).kind {
            ExprKind::Call { callee, .. } => Some(pats::root(self.tree, *callee)),
            _ => parts.receiver.map(|r| pats::root(self.tree, r)),
        };
        let local = callee.and_then(|c| self.types.locals.get(&c).copied());
        let effect = match local {
            Some(local) => match (self.env.get(&local), self.params.get(&local)) {
                (Some(Known::Later(effect)), _) => (**effect).clone(),
                (_, Some(i)) => Effect::Call(Call { callee: Callee::Param(*i), args: Vec::new(), at: self.at(e) }),
                _ => self.stored(e),
            },
            None => self.stored(e),
        };
        self.note_op(e);
        effects.push(effect);
        tidy::seq(effects)
    }

    fn stored(&self, e: ExprId) -> Effect {
        Effect::Call(Call { callee: Callee::Unknown(Why::new("a stored function")), args: Vec::new(), at: self.at(e) })
    }

    fn unknown_call(&mut self, e: ExprId, parts: &Parts, why: &str) -> Effect {
        if let Some(receiver) = parts.receiver {
            let effect = self.expr(receiver);
            if !tidy::is_pure(&effect) {
                let name = match &self.tree.expr(e).kind {
                    ExprKind::Method { name, .. } => name.clone(),
                    _ => "".into(),
                };
                return self.result_combinator(&name, effect, &parts.args);
            }
        }
        let closures = self.closures_run(parts);
        let mut effects = self.before(parts);
        effects.extend(closures);
        let awaited = self.notes.ops.get(&self.at(e)).is_some_and(|o| o.awaited);
        let derived = parts.receiver.is_some_and(|r| self.derived(r).is_some());
        if awaited && !derived {
            self.note_op(e);
            effects.push(Effect::Call(Call {
                callee: Callee::Unknown(Why::new(why)),
                args: Vec::new(),
                at: self.at(e),
            }));
        }
        tidy::seq(effects)
    }
}
