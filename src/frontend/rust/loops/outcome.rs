//! The ways one turn can go if one operation ends so and all others succeed.

use super::Judge;
use super::outcomes::Outcomes;
use crate::class::{Ending, Endings, FailureClass};
use crate::effect::{self, Call, Callee, Effect, Exit, Judged, Repeat, RepeatKind};
use crate::source::Span;

/// One way a turn can go.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Outcome {
    pub to: To,
    pub ending: Ending,
    /// It waited on the way, before or after the operation.
    pub slept: bool,
    /// It may have waited: behind a guard that is not followed, or in a call that is not.
    pub maybe: bool,
    /// Something that is not known was awaited. After a failure that may have been a wait.
    pub awaited: bool,
    pub tried: bool,
    /// The content of an answer decided.
    pub judged: bool,
    /// The error was looked at in a way that could not be followed.
    pub looked: bool,
    /// It left because of something that has nothing to do with the operation; as well it could have stayed.
    pub by_chance: bool,
    /// It left on one side of such a choice.
    pub otherwise: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum To {
    On,
    Return,
    Break(u32),
    Again(u32),
}

const START: Outcome = Outcome {
    to: To::On,
    ending: Ending::Ok,
    slept: false,
    maybe: false,
    awaited: false,
    tried: false,
    judged: false,
    looked: false,
    by_chance: false,
    otherwise: false,
};

/// More ways than this through one turn: nothing is said about the loop.
const MOST: usize = 600;

/// One evaluation: the operation at that place ends so, all others succeed.
pub(super) struct Run<'j, 'a> {
    pub judge: &'j Judge<'a>,
    pub at: Span,
    pub ending: Ending,
    /// What the arms around have caught, and whether it is of the operation looked at.
    pub caught: Vec<(Ending, bool)>,
    pub left: u32,
}

impl Run<'_, '_> {
    pub fn eval(&mut self, effect: &Effect) -> Option<Outcomes> {
        self.left = self.left.checked_sub(1)?;
        let out = stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || self.eval_inner(effect))?;
        (out.len() <= MOST).then_some(out)
    }

    fn eval_inner(&mut self, effect: &Effect) -> Option<Outcomes> {
        match effect {
            Effect::Nothing | Effect::Spawn(_) => Some(Outcomes::one(START)),
            Effect::End(ending) => Some(Outcomes::one(Outcome { ending: *ending, ..START })),
            Effect::Caught(n) => {
                let ending = self.level(*n).map_or(Ending::Ok, |(ending, _)| ending);
                Some(Outcomes::one(Outcome { ending, ..START }))
            }
            Effect::Sleep(_) => Some(Outcomes::one(Outcome { slept: true, ..START })),
            Effect::Remote(remote) => Some(self.op(remote.at, false)),
            Effect::Call(call) => Some(self.call(call)),
            Effect::Seq(parts) => self.seq(parts),
            Effect::Join(parts, _) => self.seq(parts),
            Effect::Branch(parts, judged) => self.any(parts, *judged),
            Effect::Race(parts, _) => {
                let sides = parts.iter().map(|part| self.eval(part)).collect::<Option<Vec<_>>>()?;
                Some(sides.into_iter().flatten().collect())
            }
            Effect::Map(rules, body) => {
                let body = self.eval(body)?;
                Some(body.into_iter().flat_map(|o| renamed(rules, o)).collect())
            }
            Effect::Recover(body, arms) => self.recover(body, arms),
            Effect::Outlives(body) => self.eval(body),
            Effect::Within(_, body) => {
                let body = self.eval(body)?;
                let cut = |e| if e == Ending::Never { Ending::Error(FailureClass::Timeout) } else { e };
                Some(body.into_iter().map(|o| Outcome { ending: cut(o.ending), ..o }).collect())
            }
            Effect::Leave(exit, body) => {
                let body = self.eval(body)?;
                let to = match exit {
                    Exit::Return => To::Return,
                    Exit::Break(id) => To::Break(id.0),
                    Exit::Again(id) => To::Again(id.0),
                };
                Some(
                    body.into_iter()
                        .map(|o| if o.to == To::On && o.ending != Ending::Never { Outcome { to, ..o } } else { o })
                        .collect(),
                )
            }
            Effect::Scope(body) => {
                let body = self.eval(body)?;
                Some(
                    body.into_iter()
                        .map(|o| if o.to == To::Return { Outcome { to: To::On, ..o } } else { o })
                        .collect(),
                )
            }
            Effect::Repeat(repeat) => self.inner_loop(repeat),
        }
    }

    fn only_waits(&self, callee: &Callee) -> bool {
        self.judge.wait_of(callee).is_some()
    }

    fn op(&self, at: Span, waits: bool) -> Outcomes {
        if at == self.at && !waits {
            Outcomes::one(Outcome { ending: self.ending, tried: true, ..START })
        } else {
            Outcomes::one(Outcome { slept: waits, ..START })
        }
    }

    /// A call that is not the one looked at succeeds; what it awaits meanwhile may be a wait.
    fn call(&self, call: &Call) -> Outcomes {
        let mut out = self.op(call.at, self.only_waits(&call.callee));
        if call.at != self.at {
            let seen = self.judge.ops.get(&call.at);
            let facts = |id| self.judge.facts.get(id);
            let awaited = match &call.callee {
                Callee::Unknown(_) | Callee::Param(_) => seen.is_some_and(|o| o.awaited),
                Callee::Place(id) => facts(id).is_some_and(|f| f.awaits || f.sleeps.is_some()),
                Callee::AnyOf(_, ids) => ids.iter().filter_map(facts).any(|f| f.awaits || f.sleeps.is_some()),
            };
            let maybe = awaited && seen.is_some_and(|o| o.dropped);
            out = out.into_iter().map(|o| Outcome { awaited, maybe, ..o }).collect();
        }
        out
    }

    fn seq(&mut self, parts: &[Effect]) -> Option<Outcomes> {
        let mut done = Outcomes::default();
        let mut open = Outcomes::one(START);
        for part in parts {
            let next = self.eval(part)?;
            let mut onward = Outcomes::default();
            for before in &open {
                for after in &next {
                    let both = then(before, after);
                    if both.to == To::On && both.ending.goes_on() {
                        onward.insert(both)
                    } else {
                        done.insert(both)
                    };
                }
            }
            if onward.len() > MOST {
                return None;
            }
            open = onward;
        }
        done.extend(open);
        Some(done)
    }

    fn level(&self, n: u8) -> Option<(Ending, bool)> {
        self.caught.iter().rev().nth(usize::from(n)).copied()
    }

    /// Whether an effect ends by what the operation at hand gave: it mentions it, so many arms further out.
    fn is_about_ours(&self, effect: &Effect, inside: u8) -> bool {
        stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || match effect {
            Effect::Caught(n) => n.checked_sub(inside).and_then(|n| self.level(n)).is_some_and(|(_, ours)| ours),
            Effect::Recover(body, arms) => {
                let deeper = inside.saturating_add(1);
                self.is_about_ours(body, inside) || arms.iter().any(|arm| self.is_about_ours(&arm.then, deeper))
            }
            other => effect::children(other).into_iter().any(|child| self.is_about_ours(child, inside)),
        })
    }

    fn any(&mut self, parts: &[Effect], judged: Judged) -> Option<Outcomes> {
        // What another operation answered says nothing about this one.
        let ours = self.caught.last().is_none_or(|(_, ours)| *ours);
        let judged = if ours || judged == Judged::Counter { judged } else { Judged::Other };
        let mut all = Outcomes::default();
        let sides = parts.iter().map(|part| self.eval(part)).collect::<Option<Vec<_>>>()?;
        let on = |o: &Outcome| o.to == To::On;
        let waits = sides.iter().flatten().any(|o| on(o) && o.slept);
        // `if attempt > 1 { sleep }`: the side without a wait is that of the first turn, which comes after no failure.
        let later = judged == Judged::Counter && waits;
        let several = judged == Judged::Other && sides.len() > 1;
        let stays = judged == Judged::Other && sides.iter().flatten().any(on);
        for outcome in sides.into_iter().flatten() {
            all.insert(Outcome {
                slept: outcome.slept || (later && on(&outcome)),
                maybe: outcome.maybe || (judged == Judged::Other && waits && on(&outcome)),
                judged: outcome.judged || judged == Judged::Answer,
                looked: outcome.looked || judged == Judged::Error,
                by_chance: outcome.by_chance || (stays && !on(&outcome)),
                otherwise: outcome.otherwise || (several && !on(&outcome)),
                ..outcome
            });
        }
        Some(all)
    }

    fn recover(&mut self, body: &Effect, arms: &[effect::Arm]) -> Option<Outcomes> {
        let mut all = Outcomes::default();
        let again = self.is_about_ours(body, 0);
        for before in self.eval(body)? {
            let arm = arms.iter().find(|a| before.to == To::On && a.on.has(before.ending));
            match arm {
                None => all.insert(before),
                Some(arm) => {
                    self.caught.push((before.ending, again || before.tried));
                    let after = self.eval(&arm.then);
                    self.caught.pop();
                    all.extend(after?.iter().map(|a| then(&before, a)));
                }
            }
        }
        Some(all)
    }

    fn inner_loop(&mut self, repeat: &Repeat) -> Option<Outcomes> {
        let id = repeat.id.0;
        let body = self.eval(&repeat.body)?;
        let retries = matches!(repeat.kind, RepeatKind::Retry | RepeatKind::Failover);
        let out = body.into_iter().filter_map(|o| match o.to {
            To::Break(b) if b == id => Some(Outcome { to: To::On, ..o }),
            To::Again(a) if a == id => {
                (repeat.exhausts || !retries).then_some(Outcome { to: To::On, ending: Ending::Ok, ..o })
            }
            To::On if repeat.jumps => (repeat.exhausts || !retries).then_some(Outcome { ending: Ending::Ok, ..o }),
            _ => Some(o),
        });
        Some(out.collect())
    }
}

/// One outcome after another.
fn then(before: &Outcome, after: &Outcome) -> Outcome {
    Outcome {
        to: after.to,
        ending: after.ending,
        slept: before.slept || after.slept,
        maybe: before.maybe || after.maybe || (before.tried && after.awaited),
        awaited: before.awaited || after.awaited,
        tried: before.tried || after.tried,
        judged: before.judged || after.judged,
        looked: before.looked || after.looked,
        by_chance: before.by_chance || after.by_chance,
        otherwise: before.otherwise || after.otherwise,
    }
}

fn renamed(rules: &[(Endings, Endings)], outcome: Outcome) -> Vec<Outcome> {
    if outcome.to != To::On {
        return vec![outcome];
    }
    match rules.iter().find(|(from, _)| from.has(outcome.ending)) {
        None => vec![outcome],
        Some((_, to)) => to.iter().map(|ending| Outcome { ending, ..outcome }).collect(),
    }
}
