//! What a loop is (docs/semantics.md, "What a retry loop is"): asked of its turn's effect, one operation at a time.
//!
//! For each operation of the turn the question is put twice: where does control go if it succeeds, and where if it fails
//! in each way it can, everything else succeeding? A retry sends a failure back to the head and success out of the loop.

mod outcome;
mod outcomes;

use rustc_hash::FxHashMap;

use super::flow::{LoopNote, OpSeen};
use crate::class::{Ending, Endings, FailureClass, Scenario};
use crate::effect::{self, Arg, Callee, Confidence, Effect, LoopId, PlaceId, Repeat, RepeatKind, Shape, Stop, Wait};
use crate::source::Span;
use crate::value::Origin;

use outcome::{Outcome, Run, To};
use outcomes::Outcomes;

/// What classification needs to know of a place that is called.
#[derive(Clone, Debug, Default)]
pub struct PlaceFacts {
    /// A remote call is reached.
    pub remote: bool,
    /// It sends data that changes something.
    pub sends: bool,
    /// Something foreign and unknown is awaited.
    pub awaits: bool,
    /// It waits, and how.
    pub sleeps: Option<Wait>,
    /// How its result can fail, by its signature.
    pub fails: Endings,
}

impl PlaceFacts {
    /// It is a wait and no operation. Where something unknown is awaited beside a wait of unknown length, it may be both.
    fn only_waits(&self) -> bool {
        !self.remote && self.sleeps.as_ref().is_some_and(|w| !self.awaits || w.shape != Shape::Unknown)
    }
}

pub struct Judge<'a> {
    pub facts: &'a FxHashMap<PlaceId, PlaceFacts>,
    pub ops: &'a FxHashMap<Span, OpSeen>,
    pub notes: &'a FxHashMap<LoopId, LoopNote>,
}

/// One operation of a turn.
struct Op {
    at: Span,
    remote: bool,
    sends: bool,
    unknown: bool,
    /// It is a connect: whatever fails there can pass by itself.
    only_connects: bool,
    fails: Endings,
}

/// What was found out about one loop.
struct Verdict {
    kind: RepeatKind,
    again: Endings,
    path_without_wait: bool,
    /// Some path may wait in a way that is not followed.
    maybe_waits: bool,
    looks: bool,
    /// Whether a failure goes again or ends the loop hangs on something that is not followed.
    may_end: bool,
    /// Something besides the operation can end the loop: a flag that others set, a list that runs out.
    ends_otherwise: bool,
    confidence: Confidence,
}

impl Judge<'_> {
    /// Gives every loop in an effect its kind, the inner ones first.
    pub fn judge(&self, effect: &mut Effect) {
        stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || {
            for child in effect::children_mut(effect) {
                self.judge(child);
            }
            if let Effect::Call(call) = effect {
                for arg in &mut call.args {
                    if let Arg::Closure(inner) = arg {
                        self.judge(inner);
                    }
                }
            }
            if let Effect::Repeat(repeat) = effect
                && repeat.kind == RepeatKind::Unjudged
            {
                self.one(repeat);
            }
        });
    }

    fn one(&self, repeat: &mut Repeat) {
        let mut ops = Vec::new();
        self.operations(&repeat.body, &mut ops);
        let verdicts = ops.iter().filter_map(|op| self.about(repeat, op)).collect::<Vec<_>>();
        let rank = |kind: RepeatKind| match kind {
            RepeatKind::Retry => 7,
            RepeatKind::Failover => 6,
            RepeatKind::Reconnecting => 5,
            RepeatKind::Polling => 4,
            RepeatKind::Serving => 3,
            RepeatKind::Iteration => 2,
            RepeatKind::Spin | RepeatKind::Unjudged => 1,
        };
        let kind = verdicts.iter().map(|v| v.kind).max_by_key(|k| rank(*k)).unwrap_or(RepeatKind::Iteration);
        repeat.kind = kind;
        for verdict in verdicts.iter().filter(|v| v.kind == kind) {
            repeat.again |= verdict.again;
            repeat.seen.path_without_wait |= verdict.path_without_wait;
            repeat.seen.looks_at_error |= verdict.looks;
            repeat.seen.confidence = repeat.seen.confidence.max(verdict.confidence);
        }
        let may_end = verdicts.iter().filter(|v| v.kind == kind).all(|v| v.may_end);
        let ends = verdicts.iter().any(|v| v.ends_otherwise) || may_end;
        if kind == RepeatKind::Retry && ends && repeat.stops.is_empty() {
            repeat.stops.push(Stop::Ends(Origin::none()));
        }
        if repeat.again.meets(Endings::STATUSES) && holds_response(&repeat.body) {
            repeat.seen.retry_after = self.notes.get(&repeat.id).map(|n| n.reads_retry_after);
        }
        let hidden = !repeat.seen.path_without_wait && verdicts.iter().any(|v| v.kind == kind && v.maybe_waits);
        self.pauses(repeat, hidden);
        if let Some(note) = self.notes.get(&repeat.id).filter(|_| kind == RepeatKind::Retry) {
            take_over(repeat, note, &ops);
        }
    }

    /// The wait of a turn: the first that is followed. `hidden`: something may wait in a way that is not.
    fn pauses(&self, repeat: &mut Repeat, hidden: bool) {
        let waits = self.waits(&repeat.body);
        let known = waits.iter().find(|w| w.shape != Shape::Unknown).or(waits.first());
        match known {
            Some(wait) => repeat.wait = wait.clone(),
            None if hidden => repeat.wait = Wait::unknown(repeat.at),
            None => {}
        }
    }

    /// Every call in a turn that could fail, in the order of the text; the work of other tasks is not among them.
    fn operations(&self, effect: &Effect, found: &mut Vec<Op>) {
        stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || match effect {
            Effect::Remote(remote) => found.push(Op {
                at: remote.at,
                remote: true,
                sends: remote.safety == crate::effect::Safety::Unsafe || remote.verb.as_deref() == Some("PUT"),
                unknown: false,
                only_connects: remote.connect_only,
                fails: scenario_endings(),
            }),
            Effect::Call(call) => self.called(call, found),
            Effect::Spawn(_) => {}
            other => effect::children(other).into_iter().for_each(|c| self.operations(c, found)),
        });
    }

    fn called(&self, call: &crate::effect::Call, found: &mut Vec<Op>) {
        let mut op = Op {
            at: call.at,
            remote: false,
            sends: false,
            unknown: false,
            only_connects: false,
            fails: Endings::FAILURES,
        };
        let places: &[PlaceId] = match &call.callee {
            Callee::Place(id) => std::slice::from_ref(id),
            Callee::AnyOf(_, ids) => ids,
            Callee::Param(_) => {
                op.unknown = true;
                &[]
            }
            Callee::Unknown(_) => {
                op.unknown = self.ops.get(&call.at).is_some_and(|o| o.awaited);
                &[]
            }
        };
        let facts: Vec<&PlaceFacts> = places.iter().filter_map(|p| self.facts.get(p)).collect();
        if !facts.is_empty() {
            op.remote = facts.iter().any(|f| f.remote);
            op.sends = facts.iter().any(|f| f.sends);
            op.unknown = facts.iter().any(|f| f.awaits);
            op.fails = facts.iter().fold(Endings::NONE, |all, f| all | f.fails);
        }
        for arg in &call.args {
            if let Arg::Closure(inner) = arg {
                let mut below = Vec::new();
                self.operations(inner, &mut below);
                op.remote |= below.iter().any(|o| o.remote);
                op.sends |= below.iter().any(|o| o.sends);
                op.unknown |= below.iter().any(|o| o.unknown);
            }
        }
        found.push(op);
    }

    fn about(&self, repeat: &Repeat, op: &Op) -> Option<Verdict> {
        let id = repeat.id.0;
        let stays = |o: &Outcome| matches!(o.to, To::On) || o.to == To::Again(id);
        let fine = self.outcomes(&repeat.body, op.at, Ending::Ok)?;
        let tried: Vec<&Outcome> = fine.iter().filter(|o| o.tried).collect();
        if tried.is_empty() {
            return None;
        }
        let leaves = tried.iter().any(|o| !stays(o) && !o.by_chance);
        // A turn that only waits may lie between two tries: a state machine's, one that waits until it is time.
        let waits_elsewhere = fine.iter().any(|o| !o.tried && stays(o) && o.slept);
        let goes_on = tried.iter().any(|o| stays(o) && !o.judged);
        let asks_again = tried.iter().any(|o| stays(o) && o.judged);
        let mut verdict = Verdict {
            kind: RepeatKind::Iteration,
            again: Endings::NONE,
            path_without_wait: false,
            maybe_waits: false,
            looks: op.only_connects,
            may_end: true,
            ends_otherwise: fine.iter().any(|o| !o.tried && o.otherwise && !stays(o)),
            confidence: Confidence::Medium,
        };
        let (mut slept, mut possible) = (false, Endings::NONE);
        let seen = self.ops.get(&op.at);
        let fails = seen.and_then(|o| o.fails).map_or(op.fails, |by_type| op.fails & by_type);
        for ending in fails.iter() {
            let outcomes = self.outcomes(&repeat.body, op.at, ending)?;
            let back: Vec<&Outcome> =
                outcomes.iter().filter(|o| o.tried && stays(o) && o.ending != Ending::Never).collect();
            possible |= Endings::one(ending);
            if back.is_empty() || (ending == Ending::Status(FailureClass::Application)) {
                continue;
            }
            // Nothing tells it from success: what is looked at is what the value holds.
            if asks_again && seen.is_some_and(|o| o.valued) && ways(&fine) == ways(&outcomes) {
                continue;
            }
            // An answer that nothing looks at goes wherever success goes.
            if matches!(ending, Ending::Status(_)) && (goes_on || back.iter().all(|o| o.judged)) {
                continue;
            }
            verdict.again |= Endings::one(ending);
            slept |= back.iter().any(|o| o.slept);
            let hidden = |o: &&Outcome| !o.slept && (o.maybe || waits_elsewhere);
            verdict.path_without_wait |= back.iter().any(|o| !o.slept && !hidden(o));
            verdict.maybe_waits |= back.iter().any(hidden);
            verdict.ends_otherwise |= outcomes.iter().any(|o| o.tried && o.by_chance);
            verdict.looks |= back.iter().any(|o| o.looked);
            verdict.may_end &= outcomes.iter().any(|o| o.tried && !stays(o) && !o.looked && o.ending != Ending::Never);
        }
        let errors = possible & Endings::ERRORS;
        verdict.looks |= !verdict.again.holds(errors);
        let fresh = seen.is_some_and(|o| o.fresh_in.contains(&repeat.id));
        let steps = seen.is_some_and(|o| o.steps_in.contains(&repeat.id));
        verdict.kind = self.kind(repeat, op, &verdict, &Ways { leaves, goes_on, asks_again, slept, fresh, steps });
        if op.remote && verdict.kind == RepeatKind::Retry {
            verdict.confidence = Confidence::High;
        }
        Some(verdict)
    }

    fn kind(&self, repeat: &Repeat, op: &Op, verdict: &Verdict, ways: &Ways) -> RepeatKind {
        let over_data = self.notes.get(&repeat.id).is_some_and(|n| n.over_data);
        if verdict.again.is_empty() {
            return match (ways.asks_again, ways.goes_on) {
                (true, false) => RepeatKind::Polling,
                (_, true) if !over_data && !repeat.exhausts => RepeatKind::Serving,
                _ => RepeatKind::Iteration,
            };
        }
        if ways.steps {
            return RepeatKind::Iteration;
        }
        if ways.fresh {
            return if ways.leaves && !ways.goes_on { RepeatKind::Failover } else { RepeatKind::Iteration };
        }
        if ways.leaves && !ways.goes_on {
            return match op.remote || op.unknown {
                true => RepeatKind::Retry,
                false => RepeatKind::Spin,
            };
        }
        if over_data || repeat.exhausts {
            RepeatKind::Iteration
        } else if ways.slept && !verdict.path_without_wait && !ways.goes_on_slept(self, repeat, op) {
            RepeatKind::Reconnecting
        } else {
            RepeatKind::Serving
        }
    }

    /// The waits of a turn, in the order of the text; those of inner loops are theirs.
    fn waits(&self, effect: &Effect) -> Vec<Wait> {
        let mut found = Vec::new();
        self.collect_waits(effect, &mut found);
        found
    }

    fn collect_waits(&self, effect: &Effect, found: &mut Vec<Wait>) {
        stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || match effect {
            Effect::Sleep(wait) => found.push(wait.clone()),
            Effect::Call(call) => {
                found.extend(self.wait_of(&call.callee).map(|wait| given(wait, call)));
            }
            Effect::Repeat(_) | Effect::Spawn(_) => {}
            other => effect::children(other).into_iter().for_each(|c| self.collect_waits(c, found)),
        });
    }

    /// The wait that a call is, if it is one and no operation; of several implementations none may be an operation.
    fn wait_of(&self, callee: &Callee) -> Option<&Wait> {
        let places: &[PlaceId] = match callee {
            Callee::Place(id) => std::slice::from_ref(id),
            Callee::AnyOf(_, ids) => ids,
            Callee::Param(_) | Callee::Unknown(_) => &[],
        };
        let facts = || places.iter().filter_map(|id| self.facts.get(id));
        let works = facts().any(|f| !f.only_waits() && (f.remote || f.awaits));
        facts().filter(|f| f.only_waits() && !works).find_map(|f| f.sleeps.as_ref())
    }

    fn outcomes(&self, body: &Effect, at: Span, ending: Ending) -> Option<Outcomes> {
        let mut run = Run { judge: self, at, ending, caught: Vec::new(), left: 40_000 };
        run.eval(body)
    }
}

/// What a loop's text says beside its effect.
fn take_over(repeat: &mut Repeat, note: &LoopNote, ops: &[Op]) {
    repeat.seen.permanent_at = note.permanent_at;
    repeat.seen.named.clone_from(&note.named);
    repeat.seen.dropped_at = note.spent.dropped_at.filter(|_| note.spent.by_head);
    let last = ops.iter().filter(|op| op.remote || op.unknown).map(|op| op.at).max();
    let always = note.spent.ends && note.spent.by_head && !repeat.seen.path_without_wait;
    let behind = |wait: &Span| last.is_some_and(|op| op.file == wait.file && op.end <= wait.start);
    repeat.seen.waits_in_vain = repeat.wait.at.filter(|wait| always && behind(wait));
}

/// A callee's wait where it is called. One of a single length takes the length that is handed over; otherwise nobody knows
/// whose length the callee's is.
fn given(wait: &Wait, call: &effect::Call) -> Wait {
    let at = Some(call.at);
    let lengths: Vec<_> = call
        .args
        .iter()
        .filter_map(|a| match a {
            Arg::Value(value, _) => Some(value.number()),
            _ => None,
        })
        .collect();
    match lengths[..] {
        [] => Wait { at, ..wait.clone() },
        [base_ms] if wait.shape == Shape::Fixed => Wait { at, base_ms, ..wait.clone() },
        _ => Wait { at, base_ms: None, ..wait.clone() },
    }
}

/// Where a turn goes if an operation ends so, and whether an answer decided.
fn ways(outcomes: &Outcomes) -> std::collections::BTreeSet<(To, bool)> {
    outcomes.iter().filter(|o| o.tried && o.ending != Ending::Never).map(|o| (o.to, o.judged)).collect()
}

/// Where control can go, in short.
struct Ways {
    leaves: bool,
    goes_on: bool,
    asks_again: bool,
    slept: bool,
    fresh: bool,
    steps: bool,
}

impl Ways {
    /// A wait on the successful way back too: a period, no backoff.
    fn goes_on_slept(&self, judge: &Judge<'_>, repeat: &Repeat, op: &Op) -> bool {
        let stays = |o: &Outcome| matches!(o.to, To::On) || o.to == To::Again(repeat.id.0);
        judge
            .outcomes(&repeat.body, op.at, Ending::Ok)
            .is_some_and(|all| all.iter().any(|o| o.tried && stays(o) && o.slept))
    }
}

/// The loop itself sends an HTTP request, so that the answer with its headers is in its hands.
fn holds_response(body: &Effect) -> bool {
    let mut found = false;
    effect::walk(body, &mut |e| found |= matches!(e, Effect::Remote(remote) if &*remote.system == "http"));
    found
}

fn scenario_endings() -> Endings {
    Scenario::ALL.into_iter().map(Scenario::ending).collect()
}
