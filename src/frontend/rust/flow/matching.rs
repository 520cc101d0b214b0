//! `match`, `if let` and patterns: which endings an arm takes.

use super::test::Test;
use super::{Flow, Known, Level, tidy};
use crate::class::{Ending, Endings, FailureClass};
use crate::effect::{Arm, Effect, Judged};
use crate::frontend::rust::infer::IO_ERROR;
use crate::frontend::rust::pats;
use crate::frontend::rust::program::Ty;
use crate::frontend::rust::tree::{self, ExprId, ExprKind, PatId, PatKind};
use crate::source::Span;

/// One arm as it was compiled: the endings it can take and those it surely takes.
struct Taken {
    can: Endings,
    sure: Endings,
    judged: Judged,
    effect: Effect,
}

impl Flow<'_> {
    /// Every name of a pattern holds what the arm has caught.
    pub(super) fn bind(&mut self, pat: PatId, level: Level) {
        for name in pats::bindings(self.tree, pat) {
            self.env.insert(name, Known::Caught(level));
        }
    }

    pub(super) fn match_expr(&mut self, value: ExprId, arms: &[tree::Arm]) -> Effect {
        let scrutinee = self.expr(value);
        let nested = arms.iter().any(|a| self.is_nested(a.pat));
        if tidy::only_waits(&scrutinee) {
            let sides = self.untracked_match(value, arms);
            return tidy::seq(vec![scrutinee, sides]);
        }
        let mut mentioned = pats::mentions(self.tree, self.types, value);
        let further: Vec<PatId> = mentioned.iter().filter_map(|l| self.made_of.get(l)).flatten().copied().collect();
        mentioned.extend(further);
        let taken = self
            .in_arm(|flow, level| arms.iter().map(|arm| flow.arm(arm, level, nested, &mentioned)).collect::<Vec<_>>());
        put_together(scrutinee, taken)
    }

    /// A match on something that is no ending: any of the arms. If it is made of an answer, the answer's content decides.
    fn untracked_match(&mut self, value: ExprId, arms: &[tree::Arm]) -> Effect {
        if let Some(level) = self.test(value).level {
            let scrutinee = self.caught(level);
            for arm in arms {
                let names = pats::bindings(self.tree, arm.pat);
                self.note_origin(&names, value);
            }
            let taken = self.in_arm(|flow, _| {
                let any = |effect| Taken { can: Endings::ALL, sure: Endings::NONE, judged: Judged::Answer, effect };
                arms.iter().map(|arm| any(flow.expr(arm.body))).collect::<Vec<_>>()
            });
            return put_together(scrutinee, taken);
        }
        let counter = matches!(self.test(value).judged, Judged::Counter) || self.counters.contains(&value);
        let mut parts = Vec::new();
        for arm in arms {
            let names = pats::bindings(self.tree, arm.pat);
            self.note_origin(&names, value);
            self.note_made(&names, value);
            let guard = arm.guard.map_or(Effect::Nothing, |g| tidy::dropped(self.expr(g)));
            let body = self.expr(arm.body);
            parts.push(tidy::seq(vec![guard, body]));
        }
        alternatives(parts, if counter { Judged::Counter } else { Judged::Other })
    }

    fn arm(&mut self, arm: &tree::Arm, level: Level, nested: bool, made_of: &rustc_hash::FxHashSet<PatId>) -> Taken {
        let test = self.pattern_test(arm.pat, level, nested);
        self.bind(arm.pat, level);
        for name in pats::bindings(self.tree, arm.pat) {
            self.made_of.entry(name).or_default().extend(made_of.iter().copied());
        }
        let guarded = match arm.guard {
            None => test,
            Some(guard) => {
                let fails = !test.yes.meets(Endings::GOES_ON);
                let inner = if fails { self.while_failing(level, |f| f.test(guard)) } else { self.test(guard) };
                let own = if inner.level == Some(level) || inner.level.is_none() {
                    inner
                } else {
                    Test::unknown(Some(level), inner.judged)
                };
                test.and(Test { level: Some(level), ..own })
            }
        };
        let fails = !guarded.yes.meets(Endings::GOES_ON);
        let effect = if fails { self.while_failing(level, |f| f.expr(arm.body)) } else { self.expr(arm.body) };
        self.note_permanent(guarded.names.yes, &effect);
        Taken { can: guarded.yes, sure: guarded.yes.without(guarded.no), judged: guarded.judged, effect }
    }

    /// `if let PAT = value { then } else { els }`, also `let else`.
    pub(super) fn if_let(
        &mut self,
        pat: PatId,
        value: ExprId,
        then: &mut dyn FnMut(&mut Self) -> Effect,
        els: &mut dyn FnMut(&mut Self) -> Effect,
    ) -> Effect {
        let scrutinee = self.expr(value);
        let names = pats::bindings(self.tree, pat);
        self.note_origin(&names, value);
        self.note_made(&names, value);
        if tidy::only_waits(&scrutinee) {
            let test = self.test(value);
            let sides = self.split(Test::unknown(test.level, test.judged), then, els);
            return tidy::seq(vec![scrutinee, sides]);
        }
        let nested = self.is_nested(pat);
        let taken = self.in_arm(|flow, level| {
            let test = flow.pattern_test(pat, level, nested);
            flow.bind(pat, level);
            let fails = !test.yes.meets(Endings::GOES_ON);
            let first = if fails { flow.while_failing(level, &mut *then) } else { then(flow) };
            let fails = !test.no.meets(Endings::GOES_ON);
            let second = if fails { flow.while_failing(level, &mut *els) } else { els(flow) };
            flow.note_permanent(test.names.yes, &first);
            flow.note_permanent(test.names.no, &second);
            vec![
                Taken { can: test.yes, sure: test.yes.without(test.no), judged: test.judged, effect: first },
                Taken { can: test.no, sure: test.no, judged: test.judged, effect: second },
            ]
        });
        put_together(scrutinee, taken)
    }

    /// `Ok(Ok(..))`, `Ok(Err(..))`: the outer error is that of a deadline around an operation with errors of its own.
    fn is_nested(&self, pat: PatId) -> bool {
        match &self.tree.pat(pat).kind {
            PatKind::TupleStruct { parts, .. } if self.names(pat) == Some("Ok") => {
                parts.iter().any(|p| matches!(self.names(*p), Some("Ok" | "Err")))
            }
            PatKind::Or(parts) => parts.iter().any(|p| self.is_nested(*p)),
            _ => false,
        }
    }

    fn names(&self, pat: PatId) -> Option<&str> {
        self.types.pat_paths.get(&pat).map(|n| n.as_str())
    }

    /// For which endings of the arm at that level a pattern fits. `nested`: an outer `Err` is the deadline's.
    pub(super) fn pattern_test(&mut self, pat: PatId, level: Level, nested: bool) -> Test {
        let tree = self.tree;
        match &tree.pat(pat).kind {
            PatKind::Or(parts) => parts
                .iter()
                .map(|p| self.pattern_test(*p, level, nested))
                .reduce(Test::or)
                .unwrap_or(Test::constant(true)),
            PatKind::Typed(inner, _) | PatKind::Ref(inner) => self.pattern_test(*inner, level, nested),
            PatKind::Ident { sub: Some(inner), .. } => self.pattern_test(*inner, level, nested),
            PatKind::TupleStruct { parts, .. } => self.constructor_test(pat, parts, level, nested),
            PatKind::Path(_) | PatKind::Struct { .. } => self.variant_test(pat, level),
            PatKind::Ident { .. } if self.types.pat_paths.contains_key(&pat) => self.variant_test(pat, level),
            PatKind::Lit(value) => self.literal_test(*value, level),
            PatKind::Range { start, end, inclusive } => self.range_test(*start, *end, *inclusive, level),
            PatKind::Tuple(_) | PatKind::Slice(_) | PatKind::Other => Test::unknown(Some(level), Judged::Answer),
            PatKind::Ident { .. } | PatKind::Wild | PatKind::Rest => {
                Test { level: Some(level), ..Test::constant(true) }
            }
        }
    }

    fn constructor_test(&mut self, pat: PatId, parts: &[PatId], level: Level, nested: bool) -> Test {
        let inner = |flow: &mut Self| parts.first().map(|p| flow.pattern_test(*p, level, false));
        let timeout = Endings::one(Ending::Error(FailureClass::Timeout));
        match self.names(pat) {
            Some("Ok") if nested => {
                let within = Test::exactly(level, Endings::ALL.without(timeout), Judged::Other);
                inner(self).map_or(within, |t| within.and(t))
            }
            Some("Err") if nested => Test::exactly(level, timeout, Judged::Error),
            Some("Ok") => {
                let outer = Test::exactly(level, Endings::GOES_ON, Judged::Other);
                inner(self).map_or(outer, |t| outer.and(answer(t)))
            }
            Some("Err") => {
                let outer = Test::exactly(level, Endings::ERRORS, Judged::Other);
                inner(self).map_or(outer, |t| outer.and(t))
            }
            Some("Some") => {
                let outer = Test::sides(level, (Endings::ALL, Endings::GOES_ON | Endings::ERRORS), Judged::Answer);
                inner(self).map_or(outer, |t| outer.and(t))
            }
            _ => {
                let test = self.variant_test(pat, level);
                let all_io = parts.iter().any(|p| self.takes_any_io_error(*p));
                if all_io { test.naming(self.pat_span(pat)) } else { test }
            }
        }
    }

    /// A part that takes a `std::io::Error` whatever its kind is: a full disk as well as a reset.
    fn takes_any_io_error(&self, part: PatId) -> bool {
        let open = matches!(self.tree.pat(part).kind, PatKind::Wild | PatKind::Ident { sub: None, .. });
        open && matches!(self.types.pat_types.get(&part), Some(Ty::Foreign(name, _)) if name == IO_ERROR)
    }

    fn pat_span(&self, pat: PatId) -> Span {
        self.span(self.tree.pat(pat).at)
    }

    /// A variant or constant: of the tree by what it is made from, of a library by its model.
    fn variant_test(&mut self, pat: PatId, level: Level) -> Test {
        let Some(path) = self.types.pat_paths.get(&pat) else { return Test::unknown(Some(level), Judged::Answer) };
        if path.as_str() == "None" {
            return Test::sides(level, (Endings::GOES_ON | Endings::ERRORS, Endings::GOES_ON), Judged::Answer);
        }
        match self.named_set(path) {
            // What wraps other errors names none of them.
            Some(set) if set.0.holds(Endings::ERRORS.without(Endings::of_classes([FailureClass::Application]))) => {
                Test::sides(level, set, Judged::Error)
            }
            Some(set) => Test::sides(level, set, Judged::Error).named_at(self.pat_span(pat)),
            None => {
                Test::unknown(Some(level), if self.failing.contains(&level) { Judged::Error } else { Judged::Answer })
            }
        }
    }

    fn literal_test(&mut self, value: ExprId, level: Level) -> Test {
        match &self.tree.expr(value).kind {
            ExprKind::Lit(tree::Lit::Int(n, _)) if (100..=599).contains(n) => {
                let class = FailureClass::of_status(*n as u16);
                let set = class.map_or(Endings::OK, |c| Endings::of_classes([c]));
                Test::sides(level, (set, Endings::ALL), Judged::Error).named_at(self.at(value))
            }
            _ => Test::unknown(Some(level), Judged::Answer),
        }
    }

    fn range_test(&mut self, start: Option<ExprId>, end: Option<ExprId>, inclusive: bool, level: Level) -> Test {
        let number = |e: Option<ExprId>| match e.map(|e| &self.tree.expr(e).kind) {
            Some(ExprKind::Lit(tree::Lit::Int(n, _))) => Some(*n as u16),
            _ => None,
        };
        let from = number(start).unwrap_or(0);
        let to = number(end).map_or(u16::MAX, |n| if inclusive { n } else { n.saturating_sub(1) });
        if !(100..=599).contains(&from) {
            return Test::unknown(Some(level), Judged::Answer);
        }
        let mut test = Test::sides(level, (Endings::NONE, Endings::ERRORS), Judged::Error);
        for status in (100..=599u16).filter(|s| *s < 300 || *s >= 400) {
            let endings = FailureClass::of_status(status).map_or(Endings::OK, |c| Endings::of_classes([c]));
            if (from..=to).contains(&status) {
                test.yes |= endings;
            } else {
                test.no |= endings;
            }
        }
        test
    }
}

/// What is said inside `Ok(..)` is said about the answer.
fn answer(test: Test) -> Test {
    Test { judged: if test.judged == Judged::Other { Judged::Other } else { Judged::Answer }, ..test }
}

/// Several alternatives that hang on no ending; one that fails by itself is in no scenario if another does not.
pub(super) fn alternatives(parts: Vec<Effect>, judged: Judged) -> Effect {
    let fine = parts.iter().any(|p| !tidy::fails_by_itself(p));
    let parts =
        parts.into_iter().filter(|p| !(fine && judged != Judged::Counter && tidy::fails_by_itself(p))).collect();
    tidy::branch(parts, judged)
}

/// The arms over an ending: each ending leads to the first arm that surely takes it, or to any that may before it.
fn put_together(scrutinee: Effect, taken: Vec<Taken>) -> Effect {
    let mut groups: Vec<(Vec<usize>, Endings)> = Vec::new();
    for ending in Ending::all().filter(|e| *e != Ending::Never) {
        let one = Endings::one(ending);
        let mut candidates = Vec::new();
        for (i, arm) in taken.iter().enumerate() {
            if arm.can.meets(one) {
                candidates.push(i);
            }
            if arm.sure.meets(one) {
                break;
            }
        }
        let candidates = feasible(ending, candidates, &taken);
        match groups.iter_mut().find(|(c, _)| *c == candidates) {
            Some((_, set)) => *set |= one,
            None => groups.push((candidates, one)),
        }
    }
    let arms = groups.into_iter().filter(|(c, _)| !c.is_empty()).map(|(candidates, on)| {
        let judged = candidates.iter().map(|i| taken[*i].judged).find(|j| *j != Judged::Other).unwrap_or(Judged::Other);
        let mut then = tidy::branch(candidates.iter().map(|i| taken[*i].effect.clone()).collect(), judged);
        let looked = candidates.iter().any(|i| taken[*i].judged == Judged::Error);
        if looked && !matches!(then, Effect::Branch(..)) {
            // The error was looked at, whatever came of it: RL106 asks.
            then = Effect::Branch(vec![then], Judged::Error);
        }
        Arm { on, then }
    });
    tidy::recover(scrutinee, arms.collect())
}

/// A successful answer that is judged bad is a failure of its own class: success takes the arms that do not fail, the
/// class `application` those that do, if the arms differ in that.
fn feasible(ending: Ending, candidates: Vec<usize>, taken: &[Taken]) -> Vec<usize> {
    let fails = |i: &usize| tidy::fails_by_itself(&taken[*i].effect);
    let judged = candidates.iter().all(|i| taken[*i].judged != Judged::Counter);
    if candidates.len() < 2 || !judged || candidates.iter().all(fails) || !candidates.iter().any(fails) {
        return candidates;
    }
    match ending {
        Ending::Ok => candidates.into_iter().filter(|i| !fails(i)).collect(),
        Ending::Status(FailureClass::Application) => candidates.into_iter().filter(fails).collect(),
        _ => candidates,
    }
}

impl Flow<'_> {
    /// Two sides of a condition that has been looked at.
    pub(super) fn split(
        &mut self,
        test: Test,
        then: &mut dyn FnMut(&mut Self) -> Effect,
        els: &mut dyn FnMut(&mut Self) -> Effect,
    ) -> Effect {
        let Some(level) = test.level else {
            return match (test.yes.is_empty(), test.no.is_empty()) {
                (true, _) => els(self),
                (_, true) => then(self),
                _ => alternatives(vec![then(self), els(self)], test.judged),
            };
        };
        let scrutinee = self.caught(level);
        let bad = |set: Endings| !set.is_empty() && !set.meets(Endings::OK);
        let taken = self.in_arm(|flow, _| {
            let first = if bad(test.yes) { flow.while_failing(level, &mut *then) } else { then(flow) };
            let second = if bad(test.no) { flow.while_failing(level, &mut *els) } else { els(flow) };
            flow.note_permanent(test.names.yes, &first);
            flow.note_permanent(test.names.no, &second);
            vec![
                Taken { can: test.yes, sure: test.yes.without(test.no), judged: test.judged, effect: first },
                Taken { can: test.no, sure: test.no, judged: test.judged, effect: second },
            ]
        });
        put_together(scrutinee, taken)
    }
}
