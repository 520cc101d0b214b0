//! Retries around a closure: a library's combinator with its policy, its condition and its verdicts in errors.

use super::Flow;
use super::call::Parts;
use super::test::Test;
use crate::class::Endings;
use crate::effect::{Effect, Exit, Form, Judged, LoopId, Repeat, RepeatKind, Wait};
use crate::frontend::rust::pats;
use crate::frontend::rust::program::{BodyId, Target};
use crate::frontend::rust::tree::{ExprId, ExprKind};
use crate::model::{Does, RetryCall};
use crate::name::Name;

/// Functions that are read in search of a verdict.
const MOST_READ: usize = 60;

/// A retry at the bottom of a chain of modifiers: `op.retry(policy).when(..).notify(..)`.
struct Chain {
    call: ExprId,
    model: RetryCall,
    /// Modifiers by name with their first argument.
    modifiers: Vec<(Name, Option<ExprId>)>,
}

impl Flow<'_> {
    pub(super) fn retry_chain(&mut self, e: ExprId) -> Option<Effect> {
        let chain = self.find_retry(e)?;
        let parts = self.parts_of(chain.call);
        let id = self.fresh_loop();
        let outer = self.verdict.take();
        self.verdict = chain.model.verdict_in_error.then_some(id);
        let body = self.operation(parts.get(chain.model.operation));
        let stops_itself =
            chain.model.verdict_in_error && (leaves(&body, id) || self.gives_up(parts.get(chain.model.operation)));
        self.verdict = outer;
        let condition = self.condition_of(&chain, &parts);
        let span = self.at(chain.call);
        let mut again = match chain.model.retries_on.is_empty() {
            true => Endings::ERRORS,
            false => crate::model::endings(&chain.model.retries_on),
        };
        let adjusts =
            chain.model.adjust_method.as_ref().is_some_and(|name| chain.modifiers.iter().any(|(n, _)| n == name));
        let looks = condition.is_some() || stops_itself || adjusts;
        if let Some(test) = condition {
            again = again & test.yes;
        }
        let mut repeat = self.repeat(id, Form::Combinator, span, body);
        repeat.kind = RepeatKind::Retry;
        repeat.jumps = false;
        repeat.again = again;
        repeat.seen.looks_at_error = looks;
        repeat.seen.permanent_at = condition.and_then(|test| test.names.yes);
        repeat.seen.confidence = crate::effect::Confidence::High;
        self.with_policy(&mut repeat, e, &chain.model, &parts);
        if adjusts {
            repeat.wait = Wait::unknown(span);
        }
        self.note_op(chain.call);
        Some(Effect::Repeat(Box::new(repeat)))
    }

    /// The policy: an argument's, a type's defaults, or what the chain that ends here has set.
    fn with_policy(&self, repeat: &mut Repeat, end: ExprId, model: &RetryCall, parts: &Parts) {
        let at = repeat.at;
        let policy = match (&model.default_policy, model.policy) {
            (Some(what), _) => return self.apply_default(repeat, what, at),
            (None, Some(which)) => parts.get(which),
            (None, None) => Some(end),
        };
        let policy = policy.map(|p| self.world.values.eval(self.body, p));
        self.apply_policy(repeat, policy.as_ref(), at);
    }

    /// The operation of a combinator: a closure, a function by name, a future factory in a local or parameter.
    fn operation(&mut self, arg: Option<ExprId>) -> Effect {
        let Some(arg) = arg else { return Effect::Nothing };
        let below = pats::root(self.tree, arg);
        if let ExprKind::Path(_) = self.tree.expr(below).kind {
            if let Some(Target::Fns(ids, of)) = self.types.targets.get(&below).cloned() {
                let places: Vec<_> = ids.iter().filter_map(|i| self.world.places.get(i).copied()).collect();
                let Some(first) = places.first().copied() else { return Effect::Nothing };
                let callee = match (of, places.len()) {
                    (Some(name), 2..) => crate::effect::Callee::AnyOf(name, places),
                    _ => crate::effect::Callee::Place(first),
                };
                return Effect::Call(crate::effect::Call { callee, args: Vec::new(), at: self.at(arg) });
            }
            if let Some(i) = self.types.locals.get(&below).and_then(|l| self.params.get(l)) {
                let callee = crate::effect::Callee::Param(*i);
                return Effect::Call(crate::effect::Call { callee, args: Vec::new(), at: self.at(arg) });
            }
        }
        self.future(arg, true)
    }

    /// For which endings a given predicate says "again"; `None` if there is no predicate.
    fn condition_of(&mut self, chain: &Chain, parts: &Parts) -> Option<Test> {
        let by_argument = chain.model.condition.and_then(|c| parts.get(c));
        let by_modifier = chain
            .model
            .condition_method
            .as_ref()
            .and_then(|name| chain.modifiers.iter().find(|(n, _)| n == name).and_then(|(_, arg)| *arg));
        let predicate = by_argument.or(by_modifier)?;
        let tree = self.tree;
        Some(self.in_arm(|flow, level| match &tree.expr(predicate).kind {
            ExprKind::Closure { params, body, .. } => {
                params.iter().for_each(|(pat, _)| flow.bind(*pat, level));
                flow.while_failing(level, |f| f.truth(*body))
            }
            _ => flow.named_predicate(predicate),
        }))
    }

    /// A predicate given by name: a function of the tree, or a method path of the error's type.
    fn named_predicate(&mut self, e: ExprId) -> Test {
        let test = match self.types.targets.get(&e).cloned() {
            Some(Target::Fns(ids, _)) => ids.first().and_then(|id| self.predicate(*id, 0)),
            Some(Target::Foreign(path)) => {
                self.told(&path).map(|set| Test::exactly(0, set, Judged::Error).named_at(self.at(e)))
            }
            _ => None,
        };
        test.unwrap_or(Test::unknown(None, Judged::Other))
    }

    /// Whether anything that the operation reaches can say "stop" (`backoff::Error::permanent` in a function it calls).
    fn gives_up(&self, operation: Option<ExprId>) -> bool {
        let Some(operation) = operation else { return false };
        let mut open = vec![(self.body, operation)];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some((body, e)) = open.pop() {
            let (tree, Some(types)) = (self.world.program.tree_of(body), self.world.bodies.get(&body)) else {
                continue;
            };
            if types.paths.get(&e).is_some_and(|path| self.verdict_of(path) == Some(false)) {
                return true;
            }
            match types.targets.get(&e) {
                Some(Target::Foreign(path) | Target::Constructor(path)) if self.verdict_of(path) == Some(false) => {
                    return true;
                }
                Some(Target::Fns(ids, _)) => {
                    for id in ids.iter().filter(|id| seen.len() < MOST_READ && seen.insert(**id)) {
                        open.extend(self.world.program.function(*id).body.map(|root| (BodyId::Fn(*id), root)));
                    }
                }
                _ => {}
            }
            open.extend(pats::children(tree, e).into_iter().map(|c| (body, c)));
        }
        false
    }

    fn find_retry(&self, e: ExprId) -> Option<Chain> {
        let mut modifiers = Vec::new();
        let mut call = e;
        loop {
            let Some(Target::Foreign(path)) = self.types.targets.get(&call) else { return None };
            if let Some(Does::Retry(model)) = self.world.models.function(path).and_then(|f| f.does.clone()) {
                return Some(Chain { call, model, modifiers });
            }
            let ExprKind::Method { receiver, name, args, .. } = &self.tree.expr(call).kind else { return None };
            modifiers.push((name.clone(), args.first().copied()));
            call = *receiver;
        }
    }
}

/// Whether a verdict inside the body stops the retry with that id.
fn leaves(body: &Effect, id: LoopId) -> bool {
    stacker::maybe_grow(64 * 1024, 1024 * 1024, || match body {
        Effect::Leave(Exit::Break(other), _) if *other == id => true,
        other => crate::effect::children(other).into_iter().any(|c| leaves(c, id)),
    })
}
