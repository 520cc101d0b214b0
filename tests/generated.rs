//! Random effects: the tables must be exactly what an adversary can reach.
//!
//! The interpreter below shares no rule with the tables. It runs an effect step by step; whatever is open (does this try
//! fail, which branch, which side of a join moves next) is answered by a script, and every script is played.

use proptest::prelude::*;
use retrylint::analysis::table_of;
use retrylint::class::{Ending, Endings, FailureClass, Scenario};
use retrylint::effect::*;
use retrylint::source::{FileId, Span};
use retrylint::value::{Origin, Value};
use std::collections::BTreeMap;

// ---------------------------------------------------------------- the interpreter

/// Where control goes on.
#[derive(Clone, Copy, PartialEq, Debug)]
enum To {
    Next,
    Exit(Exit),
}

type Out = (To, Ending);

/// Runs longer than this say nothing.
const LONGEST: usize = 400;
const MOST_RUNS: usize = 4000;

struct Run<'r> {
    given: &'r [usize],
    asked: Vec<(usize, usize)>,
    failing: &'r str,
    fails_with: Ending,
    tries: u64,
    too_long: bool,
}

impl Run<'_> {
    fn choose(&mut self, count: usize) -> usize {
        let answer = self.given.get(self.asked.len()).copied().unwrap_or(0);
        self.asked.push((answer, count));
        self.too_long |= self.asked.len() > LONGEST;
        answer
    }

    fn attempt(&mut self, remote: &Remote) -> Out {
        let to = remote.target.address.as_deref().unwrap_or_default();
        self.tries += u64::from(to == "d");
        let fails = to == self.failing && self.choose(2) == 1;
        (To::Next, if fails { self.fails_with } else { Ending::Ok })
    }

    fn run(&mut self, effect: &Effect, caught: &[Ending]) -> Out {
        match effect {
            Effect::End(ending) => (To::Next, *ending),
            Effect::Caught(n) => (To::Next, caught[caught.len() - 1 - *n as usize]),
            Effect::Remote(remote) => self.attempt(remote),
            Effect::Seq(parts) => {
                let mut out = (To::Next, Ending::Ok);
                for part in parts {
                    out = self.run(part, caught);
                    if out.0 != To::Next || matches!(out.1, Ending::Error(_) | Ending::Never) {
                        break;
                    }
                }
                out
            }
            Effect::Branch(parts, _) => {
                let taken = self.choose(parts.len());
                self.run(&parts[taken], caught)
            }
            Effect::Map(rules, body) => self.renamed(rules, body, caught),
            Effect::Recover(body, arms) => {
                let out = self.run(body, caught);
                let arm = arms.iter().find(|arm| arm.on.has(out.1));
                match arm.filter(|_| out.0 == To::Next && out.1 != Ending::Never) {
                    Some(arm) => self.run(&arm.then, &[caught, &[out.1]].concat()),
                    None => out,
                }
            }
            Effect::Outlives(body) => self.run(body, caught),
            Effect::Within(..) | Effect::Spawn(_) | Effect::Leave(..) | Effect::Scope(_) => self.around(effect, caught),
            Effect::Repeat(repeat) => self.repeat(repeat, caught),
            Effect::Join(parts, _) | Effect::Race(parts, _) => {
                unreachable!("not generated: {}", parts.len())
            }
            Effect::Nothing | Effect::Sleep(_) | Effect::Call(_) => (To::Next, Ending::Ok),
        }
    }

    fn around(&mut self, effect: &Effect, caught: &[Ending]) -> Out {
        match effect {
            Effect::Within(_, body) => match self.run(body, caught) {
                (To::Next, Ending::Never) => (To::Next, Ending::Error(FailureClass::Timeout)),
                out => out,
            },
            Effect::Spawn(body) => {
                self.run(body, caught);
                (To::Next, Ending::Ok)
            }
            Effect::Leave(exit, body) => match self.run(body, caught) {
                (To::Next, Ending::Never) => (To::Next, Ending::Never),
                (To::Next, ending) => (To::Exit(*exit), ending),
                out => out,
            },
            Effect::Scope(body) => match self.run(body, caught) {
                (To::Exit(Exit::Return), ending) => (To::Next, ending),
                out => out,
            },
            other => unreachable!("{other:?}"),
        }
    }

    fn renamed(&mut self, rules: &[(Endings, Endings)], body: &Effect, caught: &[Ending]) -> Out {
        let (to, ending) = self.run(body, caught);
        let rule = rules.iter().find(|(from, _)| from.has(ending));
        match rule.filter(|_| to == To::Next && ending != Ending::Never) {
            Some((_, targets)) => {
                let targets: Vec<Ending> = targets.iter().collect();
                (To::Next, targets[self.choose(targets.len())])
            }
            None => (to, ending),
        }
    }

    /// A loop counts its turns itself. One whose head does not end it leaves by its own guard in the last turn, as what it
    /// would have repeated: the generator writes that guard as a branch, so a run that repeats once too often is no run.
    fn repeat(&mut self, repeat: &Repeat, caught: &[Ending]) -> Out {
        let Some(Stop::Count(Value::Number(n), _)) = repeat.stops.first() else { unreachable!() };
        for turn in 1..=*n {
            let (to, ending) = self.run(&repeat.body, caught);
            let falls = to == To::Next && ending != Ending::Never;
            let again = match repeat.jumps {
                true => falls || to == To::Exit(Exit::Again(repeat.id)),
                false => falls && repeat.again.has(ending),
            };
            if !again {
                return if to == To::Exit(Exit::Break(repeat.id)) { (To::Next, ending) } else { (to, ending) };
            }
            if turn == *n && !repeat.jumps {
                return (to, ending);
            }
        }
        if !repeat.exhausts {
            self.too_long = true;
        }
        (To::Next, Ending::Ok)
    }
}

/// Ending → most tries over every script; `None` where there are too many.
fn reached(effect: &Effect, failing: &str, scenario: Scenario) -> Option<BTreeMap<Ending, u64>> {
    let mut best = BTreeMap::new();
    let mut given = Vec::new();
    for _ in 0..MOST_RUNS {
        let mut run =
            Run { given: &given, asked: Vec::new(), failing, fails_with: scenario.ending(), tries: 0, too_long: false };
        let (_, ending) = run.run(effect, &[]);
        if run.asked.len() > LONGEST {
            return None;
        }
        if !run.too_long {
            let most = best.entry(ending).or_insert(0);
            *most = run.tries.max(*most);
        }
        let mut next = run.asked;
        while next.last().is_some_and(|(answer, count)| answer + 1 == *count) {
            next.pop();
        }
        let Some(last) = next.last_mut() else {
            return Some(best);
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

fn repeat(id: u32, n: u64, again: Endings, jumps: bool, exhausts: bool, body: Effect) -> Effect {
    let at = Span::default();
    let stops = vec![Stop::Count(Value::Number(n), Origin::none())];
    let new = Repeat::new(LoopId(id), RepeatKind::Retry, Form::Loop, "f".into(), at, body);
    Effect::Repeat(Box::new(Repeat { stops, again, jumps, exhausts, ..new }))
}

fn set() -> impl Strategy<Value = Endings> {
    let one = |kind: fn(FailureClass) -> Ending, class| Endings::one(kind(class));
    prop_oneof![
        Just(Endings::ERRORS),
        Just(Endings::STATUSES),
        Just(Endings::FAILURES),
        Just(one(Ending::Error, FailureClass::Connect)),
        Just(one(Ending::Error, FailureClass::Timeout)),
        Just(one(Ending::Error, FailureClass::Application)),
        Just(one(Ending::Status, FailureClass::Unavailable)),
        Just(Endings::OK),
    ]
}

fn leaf(arms: u8) -> BoxedStrategy<Effect> {
    let mut all = vec![
        (6, Just(remote("d")).boxed()),
        (3, Just(remote("f")).boxed()),
        (1, Just(Effect::Nothing).boxed()),
        (1, Just(Effect::End(Ending::Error(FailureClass::Application))).boxed()),
        (1, Just(Effect::End(Ending::Status(FailureClass::Unavailable))).boxed()),
    ];
    if arms > 0 {
        all.push((4, (0..arms).prop_map(Effect::Caught).boxed()));
    }
    proptest::strategy::Union::new_weighted(all).boxed()
}

/// The exits that a place inside these loops may take.
fn exit(loops: &[u32]) -> impl Strategy<Value = Exit> + use<> {
    let mut all = vec![Exit::Return];
    all.extend(loops.iter().flat_map(|id| [Exit::Break(LoopId(*id)), Exit::Again(LoopId(*id))]));
    proptest::sample::select(all)
}

fn effect(depth: u32, arms: u8, loops: Vec<u32>) -> BoxedStrategy<Effect> {
    if depth == 0 {
        return leaf(arms);
    }
    let sub = |arms: u8, loops: &[u32]| effect(depth - 1, arms, loops.to_vec());
    let same = || sub(arms, &loops);
    let inside = [&loops[..], &[depth]].concat();
    let targets = prop_oneof![
        Just(Endings::one(Ending::Error(FailureClass::Timeout))),
        Just(Endings::errors_of([FailureClass::Reset]) | Endings::OK),
    ];
    let arm = (set(), sub(arms + 1, &loops)).prop_map(|(on, then)| Arm { on, then });
    let deadline = Deadline::new(DeadlineKind::Total, Value::Number(1), Span::default());
    prop_oneof![
        1 => leaf(arms),
        3 => (same(), same()).prop_map(|(a, b)| Effect::Seq(vec![a, b])),
        1 => (same(), same()).prop_map(|(a, b)| Effect::Branch(vec![a, b], Judged::Other)),
        1 => (set(), targets, same()).prop_map(|(from, to, body)| Effect::Map(vec![(from, to)], Box::new(body))),
        3 => (same(), proptest::collection::vec(arm, 1..3))
            .prop_map(|(body, arms)| Effect::Recover(Box::new(body), arms)),
        2 => (1u64..4, set(), same()).prop_map(move |(n, on, body)| repeat(90 + depth, n, on.without(Endings::OK), false, false, body)),
        3 => (1u64..4, sub(arms, &inside)).prop_map(move |(n, body)| repeat(depth, n, Endings::NONE, true, true, body)),
        1 => same().prop_map(move |body| Effect::Within(deadline.clone(), Box::new(body))),
        1 => sub(arms, &[]).prop_map(|body| Effect::Spawn(Box::new(Effect::Scope(Box::new(body))))),
        2 => (exit(&loops), same()).prop_map(|(exit, body)| Effect::Leave(exit, Box::new(body))),
        1 => same().prop_map(|body| Effect::Scope(Box::new(body))),
    ]
    .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn tables_are_what_runs_reach(
        effect in effect(3, 0, Vec::new()),
        failing in prop_oneof![Just("d"), Just("f")],
        scenario in proptest::sample::select(Scenario::ALL.to_vec()),
    ) {
        if let Some(truth) = reached(&effect, failing, scenario) {
            let table: BTreeMap<Ending, u64> =
                table_of(&effect, failing, scenario, "d").into_iter().map(|(e, tries)| (e, tries.high)).collect();
            prop_assert_eq!(table, truth);
        }
    }
}

/// A loop whose own guard leaves in the last turn, as programs write it.
#[test]
fn a_guarded_loop_reaches_its_last_turn() {
    let id = LoopId(7);
    let guard = Effect::Branch(
        vec![
            Effect::Leave(Exit::Return, Box::new(Effect::Caught(0))),
            Effect::Leave(Exit::Again(id), Box::new(Effect::Nothing)),
        ],
        Judged::Counter,
    );
    let arms = vec![
        Arm { on: Endings::OK, then: Effect::Leave(Exit::Break(id), Box::new(Effect::Nothing)) },
        Arm { on: Endings::FAILURES, then: guard },
    ];
    let body = Effect::Recover(Box::new(remote("d")), arms);
    let whole = Effect::Scope(Box::new(repeat(7, 4, Endings::NONE, true, false, body)));
    let table = table_of(&whole, "d", Scenario::Closes, "d");
    let shown: Vec<(String, u64)> = table.into_iter().map(|(e, tries)| (e.to_string(), tries.high)).collect();
    assert_eq!(shown, [("ok".to_owned(), 4), ("error reset".to_owned(), 4)]);
}
