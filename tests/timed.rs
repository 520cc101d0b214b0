//! Random small systems with a clock: what the analysis says of attempts and of time, against runs of them.
//!
//! The interpreter shares no rule with the analysis. It runs an effect step by step; whatever is open (does this try fail,
//! which branch, how long is this pause) is answered by a script, and every script is played. No run may pass a bound, and
//! some run must reach it.

use proptest::prelude::*;
use retrylint::analysis::{effective_of, time_of};
use retrylint::class::{Ending, Endings, FailureClass, Scenario};
use retrylint::effect::*;
use retrylint::source::{FileId, Span};
use retrylint::value::{Bound, Origin, Value};

// ---------------------------------------------------------------- the interpreter

/// A deadline came: the one with that index, counted from the outermost.
struct Expired(usize);

type Out = Result<Ending, Expired>;

const LONGEST: usize = 60;
const MOST_RUNS: usize = 6000;

struct Run<'r> {
    given: &'r [usize],
    asked: Vec<(usize, usize)>,
    failing: &'r str,
    fails_with: Ending,
    tries: u64,
    now: u64,
    limits: Vec<u64>,
    /// Pauses are as short as can be, or of any length.
    shortest: bool,
}

impl Run<'_> {
    fn choose(&mut self, count: usize) -> usize {
        let answer = self.given.get(self.asked.len()).copied().unwrap_or(0);
        self.asked.push((answer, count));
        answer
    }

    /// Time passes, up to the first deadline; of two at once the outer one counts.
    fn wait(&mut self, ms: Option<u64>) -> Result<(), Expired> {
        let first = self.limits.iter().min().copied();
        let then = ms.map(|ms| self.now + ms);
        match (first, then) {
            (Some(first), then) if then.is_none_or(|then| then >= first) => {
                self.now = first;
                let index = self.limits.iter().position(|l| *l == first).expect("the smallest is among them");
                Err(Expired(index))
            }
            (_, then) => {
                self.now = then.unwrap_or(self.now);
                Ok(())
            }
        }
    }

    fn pause(&mut self, wait: &Wait, turn: u32) -> Result<(), Expired> {
        let base = wait.base_ms.unwrap_or(0);
        let full = match wait.shape {
            Shape::Fixed => base,
            Shape::Linear => base * u64::from(turn),
            Shape::Exponential => base * 2u64.pow(turn - 1),
            _ => 0,
        };
        let full = full.min(wait.cap_ms.unwrap_or(full));
        let least = match wait.jitter {
            Jitter::Full => 0,
            Jitter::Equal => full / 2,
            _ => full,
        };
        let more = if self.shortest { 0 } else { self.choose((full - least + 1) as usize) as u64 };
        self.wait(Some(least + more))
    }

    fn run(&mut self, effect: &Effect, caught: Option<Ending>) -> Out {
        match effect {
            Effect::End(ending) => Ok(*ending),
            Effect::Caught(_) => Ok(caught.expect("only in arms")),
            Effect::Sleep(wait) => self.pause(wait, 1).map(|()| Ending::Ok),
            Effect::Remote(remote) => self.attempt(remote),
            Effect::Seq(parts) => {
                let mut out = Ending::Ok;
                for part in parts {
                    out = self.run(part, caught)?;
                    if !out.goes_on() {
                        break;
                    }
                }
                Ok(out)
            }
            Effect::Branch(parts, _) => {
                let taken = self.choose(parts.len());
                self.run(&parts[taken], caught)
            }
            Effect::Map(rules, body) => {
                let ending = self.run(body, caught)?;
                let rule = rules.iter().find(|(from, _)| from.has(ending) && ending != Ending::Never);
                Ok(rule.and_then(|(_, to)| to.iter().next()).unwrap_or(ending))
            }
            Effect::Recover(body, arms) => {
                let ending = self.run(body, caught)?;
                let arm = arms.iter().find(|arm| arm.on.has(ending) && ending != Ending::Never);
                arm.map_or(Ok(ending), |arm| self.run(&arm.then, Some(ending)))
            }
            Effect::Repeat(repeat) => self.repeat(repeat, caught),
            Effect::Within(deadline, body) => self.within(deadline, body, caught),
            Effect::Outlives(body) => self.outlives(body, caught),
            other => unreachable!("not generated: {other:?}"),
        }
    }

    fn attempt(&mut self, remote: &Remote) -> Out {
        let to = remote.target.address.as_deref().unwrap_or_default();
        self.tries += u64::from(to == "d");
        if to != self.failing || self.choose(2) == 0 {
            return Ok(Ending::Ok);
        }
        if self.fails_with == Ending::Never {
            self.wait(None)?;
        }
        Ok(self.fails_with)
    }

    fn repeat(&mut self, repeat: &Repeat, caught: Option<Ending>) -> Out {
        let Some(Stop::Count(Value::Number(n), _)) = repeat.stops.first() else { unreachable!() };
        let elapsed = repeat.stops.iter().find_map(|stop| match stop {
            Stop::Elapsed(Value::Number(ms), _) => Some(*ms),
            _ => None,
        });
        let began = self.now;
        for turn in 1.. {
            let ending = self.run(&repeat.body, caught)?;
            if !repeat.again.has(ending) || ending == Ending::Never || turn == *n {
                return Ok(ending);
            }
            // A turn that would begin too late is not waited for.
            let (before, limits) = (self.now, std::mem::take(&mut self.limits));
            let _ = self.pause(&repeat.wait, turn as u32);
            self.limits = limits;
            let pause = self.now - before;
            self.now = before;
            if elapsed.is_some_and(|limit| before + pause - began >= limit) {
                return Ok(ending);
            }
            self.wait(Some(pause))?;
        }
        unreachable!("it returns at its last turn")
    }

    fn within(&mut self, deadline: &Deadline, body: &Effect, caught: Option<Ending>) -> Out {
        let Value::Number(ms) = deadline.limit else { unreachable!() };
        let depth = self.limits.len();
        self.limits.push(self.now + ms);
        let out = self.run(body, caught);
        self.limits.truncate(depth);
        match out {
            Err(Expired(index)) if index == depth => Ok(Ending::Error(FailureClass::Timeout)),
            other => other,
        }
    }

    /// It goes on without its caller, who is cut at its own deadline.
    fn outlives(&mut self, body: &Effect, caught: Option<Ending>) -> Out {
        let above = std::mem::take(&mut self.limits);
        let ending = self.run(body, caught).unwrap_or_else(|_| unreachable!("no deadline is above"));
        self.limits = above;
        match self.limits.iter().min().copied() {
            Some(first) if self.now >= first || ending == Ending::Never => {
                self.now = first;
                Err(Expired(self.limits.iter().position(|l| *l == first).expect("the smallest is among them")))
            }
            _ => Ok(ending),
        }
    }
}

#[derive(Default, Debug)]
struct Truth {
    tries: u64,
    /// `None`: it can hang.
    time: Option<u64>,
}

/// The most over every script; `None` where there are too many.
fn reached(effect: &Effect, failing: &str, scenario: Scenario, shortest: bool) -> Option<Truth> {
    let mut truth = Truth { tries: 0, time: Some(0) };
    let mut given = Vec::new();
    for _ in 0..MOST_RUNS {
        let mut run = Run {
            given: &given,
            asked: Vec::new(),
            failing,
            fails_with: scenario.ending(),
            tries: 0,
            now: 0,
            limits: Vec::new(),
            shortest,
        };
        let ending = run.run(effect, None).unwrap_or(Ending::Never);
        if run.asked.len() > LONGEST {
            return None;
        }
        truth.tries = truth.tries.max(run.tries);
        let now = run.now;
        truth.time = truth.time.filter(|_| ending != Ending::Never).map(|most| most.max(now));
        let mut next = run.asked;
        while next.last().is_some_and(|(answer, count)| answer + 1 == *count) {
            next.pop();
        }
        let Some(last) = next.last_mut() else {
            return Some(truth);
        };
        last.0 += 1;
        given = next.into_iter().map(|(answer, _)| answer).collect();
    }
    None
}

// ---------------------------------------------------------------- the generator

fn remote(to: &str) -> Effect {
    Effect::Remote(Remote {
        system: "http".into(),
        verb: None,
        safety: Safety::Unknown,
        target: Target { address: Some(to.into()), ..Target::default() },
        client: None,
        key: Key::None,
        connect_only: false,
        replays: None,
        at: Span::new(FileId(0), 0, 1),
    })
}

fn wait() -> impl Strategy<Value = Wait> {
    let shapes = prop_oneof![
        2 => Just(Shape::None),
        2 => Just(Shape::Fixed),
        1 => Just(Shape::Linear),
        2 => Just(Shape::Exponential),
    ];
    let jitters = prop_oneof![Just(Jitter::None), Just(Jitter::Full), Just(Jitter::Equal)];
    (shapes, jitters, 1u64..4, proptest::option::of(2u64..5)).prop_map(|(shape, jitter, base, cap)| Wait {
        shape,
        base_ms: Some(base),
        factor: Some(2.0),
        cap_ms: cap,
        capped: cap.is_some(),
        jitter,
        ..Wait::none()
    })
}

fn set() -> impl Strategy<Value = Endings> {
    prop_oneof![
        Just(Endings::ERRORS),
        Just(Endings::FAILURES),
        Just(Endings::one(Ending::Error(FailureClass::Timeout))),
        Just(Endings::one(Ending::Error(FailureClass::Reset))),
        Just(Endings::STATUSES),
    ]
}

fn repeat(n: u64, elapsed: Option<u64>, again: Endings, wait: Wait, body: Effect) -> Effect {
    let mut stops = vec![Stop::Count(Value::Number(n), Origin::none())];
    stops.extend(elapsed.map(|ms| Stop::Elapsed(Value::Number(ms), Origin::none())));
    let new = Repeat::new(LoopId(1), RepeatKind::Retry, Form::Proxy, "f".into(), Span::default(), body);
    Effect::Repeat(Box::new(Repeat { stops, again, wait, ..new }))
}

fn within(ms: u64, body: Effect) -> Effect {
    body.within(Deadline::new(DeadlineKind::Total, Value::Number(ms), Span::default()))
}

fn leaf(in_arm: bool) -> BoxedStrategy<Effect> {
    let caught = if in_arm { Just(Effect::Caught(0)).boxed() } else { Just(remote("d")).boxed() };
    prop_oneof![
        6 => Just(remote("d")),
        3 => Just(remote("f")),
        2 => caught,
        2 => wait().prop_map(|wait| Effect::Sleep(Wait { shape: Shape::Fixed, ..wait })).boxed(),
        1 => Just(Effect::End(Ending::Error(FailureClass::Reset))),
    ]
    .boxed()
}

fn effect(depth: u32, in_arm: bool) -> BoxedStrategy<Effect> {
    if depth == 0 {
        return leaf(in_arm);
    }
    let sub = move || effect(depth - 1, in_arm);
    let renames = vec![(
        Endings::one(Ending::Error(FailureClass::Timeout)),
        Endings::statuses_of([FailureClass::GatewayTimeout]),
    )];
    prop_oneof![
        1 => leaf(in_arm),
        3 => (sub(), sub()).prop_map(|(a, b)| Effect::Seq(vec![a, b])),
        1 => (sub(), sub()).prop_map(|(a, b)| Effect::Branch(vec![a, b], Judged::Other)),
        1 => sub().prop_map(move |body| Effect::Map(renames.clone(), Box::new(body))),
        2 => (sub(), set(), effect(depth - 1, true))
            .prop_map(|(body, on, then)| Effect::Recover(Box::new(body), vec![Arm { on, then }])),
        4 => (1u64..4, proptest::option::weighted(0.2, 1u64..8), set(), wait(), sub())
            .prop_map(|(n, elapsed, on, wait, body)| repeat(n, elapsed, on, wait, body)),
        4 => (1u64..12, sub()).prop_map(|(ms, body)| within(ms, body)),
        1 => sub().prop_map(|body| Effect::Outlives(Box::new(body))),
    ]
    .boxed()
}

fn scenarios() -> impl Strategy<Value = Scenario> {
    prop_oneof![4 => Just(Scenario::Hangs), 1 => Just(Scenario::Closes), 1 => Just(Scenario::Answers503)]
}

/// An effect as a failing test shows it.
struct Shown(Effect);

impl std::fmt::Debug for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&brief(&self.0))
    }
}

/// Each repetition with a number of its own.
fn numbered(mut effect: Effect) -> Shown {
    let mut next = 0;
    walk_mut(&mut effect, &mut |effect| {
        if let Effect::Repeat(repeat) = effect {
            next += 1;
            repeat.id = LoopId(next);
        }
    });
    Shown(effect)
}

fn brief(effect: &Effect) -> String {
    let all = |parts: &[Effect]| parts.iter().map(brief).collect::<Vec<_>>().join(", ");
    let pause =
        |w: &Wait| format!("{} {:?} cap {:?} {}", w.shape.name(), w.base_ms.unwrap_or(0), w.cap_ms, w.jitter.name());
    match effect {
        Effect::End(ending) => format!("end {ending}"),
        Effect::Caught(_) => "caught".into(),
        Effect::Sleep(wait) => format!("sleep({})", pause(wait)),
        Effect::Remote(remote) => remote.target.address.as_deref().unwrap_or_default().to_owned(),
        Effect::Seq(parts) => format!("seq({})", all(parts)),
        Effect::Branch(parts, _) => format!("branch({})", all(parts)),
        Effect::Map(_, body) => format!("map({})", brief(body)),
        Effect::Recover(body, arms) => {
            format!("recover({} on {:?}: {})", brief(body), arms[0].on, brief(&arms[0].then))
        }
        Effect::Repeat(r) => format!(
            "repeat({:?} on {:?} wait {}: {})",
            r.stops
                .iter()
                .map(|s| match s {
                    Stop::Count(Value::Number(n), _) => format!("x{n}"),
                    Stop::Elapsed(Value::Number(n), _) => format!("{n} ms"),
                    _ => "?".into(),
                })
                .collect::<Vec<_>>(),
            r.again,
            pause(&r.wait),
            brief(&r.body)
        ),
        Effect::Within(d, body) => format!("within({}: {})", d.limit.number().unwrap_or(0), brief(body)),
        Effect::Outlives(body) => format!("outlives({})", brief(body)),
        other => format!("{other:?}"),
    }
}

/// The top of a bound; `None` where there is none.
fn most(bound: &Bound<u64>) -> Option<u64> {
    match bound {
        Bound::Exactly(n) | Bound::AtMost(n) => Some(*n),
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, max_global_rejects: 100_000, ..ProptestConfig::default() })]

    /// Whatever the pauses, no run starts more tries, and one starts exactly so many.
    #[test]
    fn attempts_are_what_deadlines_let_start(
        effect in effect(3, false).prop_map(numbered),
        failing in prop_oneof![3 => Just("d"), 1 => Just("f")],
        scenario in scenarios(),
    ) {
        if let Some(truth) = reached(&effect.0, failing, scenario, false) {
            prop_assert_eq!(effective_of(&effect.0, failing, scenario, "d").high, truth.tries);
        }
    }

    /// The same for larger ones, with the shortest pauses alone: never more, and as many where pauses have one length.
    #[test]
    fn attempts_are_what_the_shortest_pauses_let_start(
        effect in effect(4, false).prop_map(numbered),
        failing in prop_oneof![3 => Just("d"), 1 => Just("f")],
        scenario in scenarios(),
    ) {
        if let Some(truth) = reached(&effect.0, failing, scenario, true) {
            let found = effective_of(&effect.0, failing, scenario, "d");
            prop_assert!(found.high >= truth.tries, "{found:?} {truth:?}");
            let mut fixed = true;
            walk(&effect.0, &mut |effect| match effect {
                Effect::Repeat(repeat) => fixed &= repeat.wait.jitter == Jitter::None || repeat.wait.shape == Shape::None,
                Effect::Sleep(wait) => fixed &= wait.jitter == Jitter::None,
                _ => {}
            });
            prop_assert!(!fixed || found.high == truth.tries, "{found:?} {truth:?}");
        }
    }

    /// Whatever the pauses, no run takes longer, and one takes exactly so long.
    #[test]
    fn time_is_what_the_longest_run_takes(
        effect in effect(3, false).prop_map(numbered), failing in prop_oneof![3 => Just("d"), 1 => Just("f")], scenario in scenarios(),
    ) {
        if let Some(truth) = reached(&effect.0, failing, scenario, false) {
            prop_assert_eq!(most(&time_of(&effect.0, failing, scenario)), truth.time);
        }
    }
}
