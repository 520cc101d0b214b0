//! Calls: into the tree, of parameters, of what is not known.

use super::{Flow, Known, tidy};
use crate::class::Endings;
use crate::effect::{Arg, Call, Callee, Effect, Judged, PlaceId};
use crate::frontend::rust::pats;
use crate::frontend::rust::program::{BodyId, FnId, Owner, Target, Ty};
use crate::frontend::rust::tree::{ExprId, ExprKind, Lit};
use crate::model::ArgRef;
use crate::value::Why;

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
            Some(Target::Fns(ids, _)) if ids.iter().all(|id| !self.takes(*id, &parts)) => {
                self.unknown_call(e, &parts, "resolved to a function with other parameters")
            }
            Some(Target::Fns(ids, of)) => self.tree_call(e, &ids, of, &parts),
            Some(Target::Foreign(path)) => self.foreign_call(e, &path, &parts),
            Some(Target::Constructor(path)) => self.constructor(&path, &parts.args),
            Some(Target::Callable) => self.callable(e, &parts),
            Some(Target::Many(n)) => self.unknown_call(e, &parts, &format!("a trait with {n} implementations")),
            Some(Target::Unknown(why)) => self.unknown_call(e, &parts, why),
            None => self.unknown_call(e, &parts, "not resolved"),
        }
    }

    /// Whether a function has as many parameters as a call gives; a receiver may be given as the first argument.
    fn takes(&self, id: FnId, parts: &Parts) -> bool {
        let function = self.world.program.function(id);
        let wanted = function.params.len() + usize::from(function.receiver.is_some());
        wanted == parts.args.len() + usize::from(parts.receiver.is_some())
    }

    /// Receiver and arguments are evaluated before the call; closures are not.
    pub(super) fn before(&mut self, parts: &Parts) -> Vec<Effect> {
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
        if let Some(effect) = self.extension(e, ids, parts) {
            return effect;
        }
        let places: Vec<PlaceId> = ids.iter().filter_map(|id| self.world.places.get(id).copied()).collect();
        let mut effects = self.before(parts);
        let (Some(first), Some(place)) = (ids.first(), places.first().copied()) else { return tidy::seq(effects) };
        if self.body == BodyId::Fn(*first) {
            self.note_recursion(e, *first, parts);
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
            effects.extend(self.judges(e, parts));
            return tidy::seq(effects);
        }
        self.note_op(e);
        effects.push(Effect::Call(Call { callee, args, at: self.at(e) }));
        tidy::seq(effects)
    }

    /// A method of the tree on the `Result` of an operation that gives a `Result` (`load().await.or_note(|| ..)?`): the
    /// operation's ending goes through it, as through a method of `Result` itself.
    fn extension(&mut self, e: ExprId, ids: &[FnId], parts: &Parts) -> Option<Effect> {
        let program = self.world.program;
        let is_result = |ty: Option<&Ty>| matches!(ty, Some(Ty::Foreign(name, _)) if name == "Result");
        let of_result = ids.iter().all(|id| match &program.def(*id).owner {
            Owner::Impl { for_type, .. } => is_result(Some(for_type)),
            _ => false,
        });
        let both = |r| [r, e].iter().all(|x| is_result(self.types.types.get(x)));
        let waits = ids.iter().any(|id| program.function(*id).is_async);
        let passes = |r: &ExprId| (both(*r) || of_result) && !waits && !self.is_quiet(*r);
        let receiver = parts.receiver.filter(passes)?;
        let effect = self.expr(receiver);
        Some(self.result_combinator("", effect, parts))
    }

    /// A function that is given a failure and answers with a `Result` (`failure.delay(attempt)?`) decides by it.
    fn judges(&mut self, e: ExprId, parts: &Parts) -> Option<Effect> {
        let fallible = matches!(self.types.types.get(&e), Some(Ty::Foreign(name, _)) if name == "Result");
        let level = parts.receiver.iter().chain(&parts.args).find_map(|a| self.derived(*a))?;
        if !fallible || !self.failing.contains(&level) {
            return None;
        }
        let stop = super::block::as_error(self.caught(level));
        Some(Effect::Branch(vec![Effect::Nothing, stop], Judged::Error))
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
        let fresh: Vec<_> = self.around().filter(|l| l.fresh.iter().any(|p| from.contains(p))).map(|l| l.id).collect();
        let at = self.at(e);
        let mut steps = self.step_of(e, &["next", "try_next", "message", "recv"]);
        steps.extend(self.around().filter(|l| l.heads.contains(&e)).map(|l| l.id));
        let fails = self.types.types.get(&e).and_then(fails);
        let valued = matches!(self.types.types.get(&e), Some(Ty::Adt(..)));
        let seen = self.notes.ops.entry(at).or_default();
        seen.fresh_in.extend(fresh);
        seen.steps_in.extend(steps);
        (seen.fails, seen.valued) = (fails, valued);
    }

    /// Closures handed to code that is not known are taken to run once, here: `iter.map(|x| ..)`, `scope(|s| ..)`. By the
    /// name that every runtime gives to it, `spawn` and its kin begin a task.
    pub(super) fn closures_run(&mut self, name: &str, parts: &Parts) -> Vec<Effect> {
        let spawns = name == "spawn" || name.starts_with("spawn_");
        let mut found = Vec::new();
        let tree = self.tree;
        for arg in &parts.args {
            let inner = tree.expr(*arg);
            if let (ExprKind::Closure { params, .. }, Some(receiver)) = (&inner.kind, parts.receiver) {
                let names: Vec<_> = params.iter().flat_map(|(pat, _)| pats::bindings(tree, *pat)).collect();
                self.note_origin(&names, receiver);
            }
            if matches!(inner.kind, ExprKind::Closure { .. } | ExprKind::Async { .. }) {
                let effect = tidy::dropped(self.future(*arg, false));
                let apart = spawns && !tidy::is_pure(&effect);
                found.push(if apart { Effect::Spawn(Box::new(effect)) } else { effect });
            }
        }
        found
    }

    fn constructor(&mut self, path: &str, args: &[ExprId]) -> Effect {
        if let Some(again) = self.verdict_of(path) {
            return self.verdict_value(again, args);
        }
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
        let name = match &self.tree.expr(e).kind {
            ExprKind::Method { name, .. } => name.clone(),
            ExprKind::Call { callee, .. } => match &self.tree.expr(*callee).kind {
                ExprKind::Path(path) => path.last().map_or_else(|| "".into(), |s| s.name.clone()),
                _ => "".into(),
            },
            _ => "".into(),
        };
        if let Some(receiver) = parts.receiver {
            let effect = self.expr(receiver);
            if !tidy::is_pure(&effect) {
                return self.result_combinator(&name, effect, parts);
            }
        }
        let closures = self.closures_run(&name, parts);
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

/// How a value of that type can say that something failed; `None` where the type does not tell.
fn fails(ty: &Ty) -> Option<Endings> {
    match ty {
        Ty::Tuple(parts) if parts.is_empty() => Some(Endings::NONE),
        Ty::Foreign(name, _) if matches!(&**name, "Option" | "bool" | "String" | "Vec") => Some(Endings::STATUSES),
        _ => None,
    }
}
