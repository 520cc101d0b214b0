//! Random small systems: layers, limits of time and pauses around calls of two dependencies.

use proptest::prelude::*;
use retrylint::class::{Ending, Endings, FailureClass, Scenario};
use retrylint::effect::*;
use retrylint::source::{FileId, Span};
use retrylint::value::{Origin, Value};

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

pub fn effect(depth: u32, in_arm: bool) -> BoxedStrategy<Effect> {
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

pub fn scenarios() -> impl Strategy<Value = Scenario> {
    prop_oneof![4 => Just(Scenario::Hangs), 1 => Just(Scenario::Closes), 1 => Just(Scenario::Answers503)]
}

/// An effect as a failing test shows it.
pub struct Shown(pub Effect);

impl std::fmt::Debug for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&brief(&self.0))
    }
}

/// Each repetition with a number of its own.
pub fn numbered(mut effect: Effect) -> Shown {
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
