//! Named numbers: the ones that semantics.md and its executable form agree on.

use super::*;
use crate::class::{Ending, FailureClass};
use crate::effect::*;
use crate::fact::{Facts, Handler, Operation, OperationKind, Param, Place, Request};
use crate::settings::{Service, Settings};
use crate::source::{FileId, Sources};
use crate::value::Value;

/// A small program, put together part by part; every part stands at a place of its own.
#[derive(Default)]
struct Make {
    next: u32,
    facts: Facts,
    settings: Settings,
}

impl Make {
    fn at(&mut self) -> Span {
        self.next += 1;
        Span::new(FileId(0), self.next, self.next + 1)
    }

    fn remote(&mut self, address: &str) -> Remote {
        Remote {
            system: "http".into(),
            verb: Some("POST".into()),
            safety: Safety::Unsafe,
            target: Target { address: Some(format!("http://{address}").into()), ..Target::default() },
            client: None,
            key: Key::None,
            connect_only: false,
            replays: None,
            at: self.at(),
        }
    }

    fn to(&mut self, address: &str) -> Effect {
        Effect::Remote(self.remote(address))
    }

    fn repeat(&mut self, count: Option<Value>, again: Endings, body: Effect) -> Repeat {
        let at = self.at();
        let stops = count.into_iter().map(|n| Stop::Count(n, Origin::literal(at))).collect();
        let new = Repeat::new(LoopId(self.next), RepeatKind::Retry, Form::Loop, "sdk::f".into(), at, body);
        Repeat { stops, again, ..new }
    }

    fn retry(&mut self, n: u64, again: Endings, body: Effect) -> Effect {
        Effect::Repeat(Box::new(self.repeat(Some(Value::Number(n)), again, body)))
    }

    fn nested(&mut self, counts: &[u64], body: Effect) -> Effect {
        counts.iter().fold(body, |body, n| self.retry(*n, Endings::FAILURES, body))
    }

    fn place(&mut self, name: &str, params: &[&str], body: Effect) -> PlaceId {
        let params = params.iter().map(|p| Param { name: (*p).into() }).collect();
        let package = Name::new(name.split("::").next().unwrap_or_default());
        let at = self.at();
        self.facts.places.push(Place {
            name: name.into(),
            at,
            params,
            body,
            service: package.clone(),
            package,
            takes_request: false,
        });
        PlaceId(self.facts.places.len() as u32 - 1)
    }

    fn call(&mut self, place: PlaceId, args: Vec<Arg>) -> Effect {
        Effect::Call(Call { callee: Callee::Place(place), args, at: self.at() })
    }

    fn operation(&mut self, body: Effect) -> Analysis {
        let place = self.place("app::main", &[], body);
        self.run(place)
    }

    fn run(&mut self, place: PlaceId) -> Analysis {
        let at = self.at();
        self.facts.operations.push(Operation {
            name: "main".into(),
            kind: OperationKind::Main,
            place,
            at,
            service: "app".into(),
            request: Request::default(),
            unless_called: false,
        });
        analyse(&self.facts, &self.settings, &Sources::default())
    }

    /// A service of the tree with one handler.
    fn service(&mut self, name: &str, body: Effect) -> PlaceId {
        let place = self.place(&format!("{name}::handler"), &[], body);
        self.settings.services.push(Service {
            name: name.to_owned(),
            package: Some(name.to_owned()),
            ..Service::default()
        });
        let path = Some("/x/{}".into());
        self.facts.handlers.push(Handler {
            place,
            method: Some("POST".into()),
            path,
            service: name.into(),
            package: name.into(),
            rpc: None,
            answers: None,
        });
        place
    }
}

fn row<'r>(analysis: &'r Analysis, dependency: &str) -> &'r Row {
    analysis.rows.iter().find(|row| row.dependency == *dependency).expect("a row for the dependency")
}

fn errors(classes: &[FailureClass]) -> Endings {
    Endings::errors_of(classes.iter().copied())
}

fn seq<const N: usize>(parts: [Effect; N]) -> Effect {
    Effect::Seq(parts.into())
}

fn recover(body: Effect, on: Endings, then: Effect) -> Effect {
    Effect::Recover(Box::new(body), vec![Arm { on, then }])
}

fn attempts(build: impl FnOnce(&mut Make) -> Effect) -> Bound<u64> {
    let mut make = Make::default();
    let body = build(&mut make);
    row(&make.operation(body), "d").attempts.clone()
}

#[test]
fn layers_multiply() {
    for (counts, product) in [(vec![3; 4], 81), (vec![6; 4], 1296), (vec![3; 5], 243)] {
        let found = attempts(|m| {
            let d = m.to("d");
            m.nested(&counts, d)
        });
        assert_eq!(found, Bound::Exactly(product));
    }
}

#[test]
fn one_owner_leaves_its_own_attempts() {
    let mut m = Make::default();
    let d = m.to("d");
    let body = m.nested(&[2, 3, 4, 5], d);
    let analysis = m.operation(body);
    let row = row(&analysis, "d");
    let numbers: Vec<_> = row.with_one_owner.iter().map(|(_, n)| n.clone()).collect();
    assert_eq!(numbers, [5, 4, 3, 2].map(Bound::Exactly));
    assert_eq!((row.layers.len(), row.owners.len()), (4, 4));
    // Every layer repeats the unsafe request, so that none is safer than the outermost.
    assert_eq!(row.keep.as_ref(), row.owners.first());
    assert_eq!((&row.amplification, &row.ceiling), (&Bound::Exactly(120), &Bound::Exactly(120)));
}

#[test]
fn a_default_is_never_the_one_to_keep() {
    let mut m = Make::default();
    let d = m.to("d");
    let inner = m.retry(3, Endings::FAILURES, d);
    let mut outer = m.repeat(Some(Value::Number(4)), Endings::FAILURES, inner);
    outer.default_of = Some("sdk".into());
    let analysis = m.operation(Effect::Repeat(Box::new(outer)));
    let row = row(&analysis, "d");
    assert_eq!(row.keep.as_ref(), row.owners.get(1));
    assert!(!row.owners[0].written);
}

#[test]
fn the_worst_is_to_succeed_late() {
    let mut m = Make::default();
    let parts = seq([m.to("d"), m.to("d")]);
    let body = m.retry(3, Endings::ERRORS, parts);
    let analysis = m.operation(body);
    let found = row(&analysis, "d");
    assert_eq!((&found.attempts, &found.calls), (&Bound::Exactly(6), &Bound::Exactly(2)));
    assert_eq!((&found.amplification, found.worst), (&Bound::Exactly(3), Scenario::Refuses));
    assert_eq!(found.sites.len(), 2);
    assert_eq!(analysis.sites.iter().map(|s| s.attempts.clone()).collect::<Vec<_>>(), [3, 3].map(Bound::Exactly));
}

#[test]
fn two_retries_in_a_row_own_two_paths() {
    let mut m = Make::default();
    let (a, b) = (m.to("d"), m.to("d"));
    let body = seq([m.retry(3, Endings::ERRORS, a), m.retry(4, Endings::ERRORS, b)]);
    let analysis = m.operation(body);
    let row = row(&analysis, "d");
    assert_eq!((&row.attempts, &row.amplification), (&Bound::Exactly(7), &Bound::Exactly(4)));
    assert_eq!(row.owners.len(), 1);
}

#[test]
fn a_failing_neighbour_repeats_the_calls_beside_it() {
    let mut m = Make::default();
    let parts = seq([m.to("d"), m.to("f")]);
    let body = m.retry(3, errors(&[FailureClass::Reset]), parts);
    let analysis = m.operation(body);
    assert_eq!(row(&analysis, "d").attempts, Bound::Exactly(3));
    assert_eq!(row(&analysis, "d").worst, Scenario::Closes);
}

#[test]
fn a_cache_that_fails_lets_calls_through() {
    let mut m = Make::default();
    let hit = Effect::Leave(Exit::Return, Box::new(Effect::Caught(0)));
    let arms = vec![Arm { on: Endings::OK, then: hit }, Arm { on: Endings::FAILURES, then: Effect::Nothing }];
    let cache = Effect::Recover(Box::new(m.to("cache")), arms);
    let body = Effect::Scope(Box::new(seq([cache, m.to("d")])));
    let analysis = m.operation(body);
    let row = row(&analysis, "d");
    assert_eq!((&row.calls, &row.attempts, row.failing.as_str()), (&Bound::Exactly(0), &Bound::Exactly(1), "cache"));
}

#[test]
fn a_status_is_no_error_until_somebody_looks() {
    let unavailable = Endings::statuses_of([FailureClass::Unavailable]);
    let mut m = Make::default();
    let d = m.to("d");
    let checked = vec![(unavailable, errors(&[FailureClass::Unavailable]))];
    let body = m.retry(3, Endings::ERRORS, Effect::Map(checked, Box::new(d)));
    let analysis = m.operation(body);
    let of = |s| row(&analysis, "d").scenarios.iter().find(|n| n.scenario == s).map(|n| n.attempts.clone());
    assert_eq!(of(Scenario::Answers503), Some(Bound::Exactly(3)));
    assert_eq!(of(Scenario::Answers504), Some(Bound::Exactly(1)));
    assert_eq!(of(Scenario::Closes), Some(Bound::Exactly(3)));
}

#[test]
fn what_is_caught_can_be_handed_on() {
    let mut m = Make::default();
    let (d, log) = (m.to("d"), m.to("log"));
    let cleaned = recover(d, Endings::ERRORS, seq([log, Effect::Caught(0)]));
    let body = m.retry(3, errors(&[FailureClass::Connect]), cleaned);
    let analysis = m.operation(body);
    assert_eq!(row(&analysis, "d").worst, Scenario::Refuses);
    assert_eq!(row(&analysis, "d").attempts, Bound::Exactly(3));
    assert_eq!(row(&analysis, "log").attempts, Bound::Exactly(3));
}

#[test]
fn bounds_that_are_not_known() {
    let shown = |stops: Vec<Stop>, wait: Wait| {
        attempts(|m| {
            let d = m.to("d");
            let mut repeat = m.repeat(None, Endings::FAILURES, d);
            (repeat.stops, repeat.wait) = (stops, wait);
            Effect::Repeat(Box::new(repeat))
        })
    };
    let fixed = Wait { shape: Shape::Fixed, base_ms: Some(2), ..Wait::none() };
    let none = Origin::none;
    let count = |n| Stop::Count(n, none());
    let elapsed = || Stop::Elapsed(Value::Number(10), none());
    assert_eq!(shown(vec![], Wait::none()), Bound::Unbounded);
    assert_eq!(shown(vec![Stop::Cancelled], Wait::none()), Bound::Unbounded);
    assert_eq!(shown(vec![elapsed()], fixed.clone()), Bound::AtMost(6));
    assert!(matches!(shown(vec![elapsed()], Wait::none()), Bound::Unknown(Some(_))));
    assert!(matches!(shown(vec![Stop::Ends(none())], fixed.clone()), Bound::Unknown(Some(_))));
    assert_eq!(shown(vec![count(Value::Number(4)), elapsed()], fixed), Bound::Exactly(4));
    assert_eq!(shown(vec![count(Value::Number(0))], Wait::none()), Bound::Exactly(1));
    assert_eq!(shown(vec![count(Value::Number(1_000_000))], Wait::none()), Bound::Unbounded);
    let unknown = shown(vec![count(Value::unknown("read at run time"))], Wait::none());
    assert_eq!(unknown, Bound::Unknown(Some(crate::value::Why::new("read at run time"))));
}

#[test]
fn a_helper_takes_effect_where_it_is_called() {
    let mut m = Make::default();
    let f = Effect::Call(Call { callee: Callee::Param(1), args: vec![], at: m.at() });
    let helper = Effect::Repeat(Box::new(m.repeat(Some(Value::Param(0)), Endings::FAILURES, f)));
    let helper = m.place("app::with_retry", &["n", "f"], helper);
    let number = |n| Arg::Value(Value::Number(n), Origin::none());
    let d = m.to("d");
    let inner = m.call(helper, vec![number(4), Arg::Closure(Box::new(d))]);
    let body = m.call(helper, vec![number(3), Arg::Closure(Box::new(inner))]);
    let analysis = m.operation(body);
    let row = row(&analysis, "d");
    assert_eq!((&row.attempts, row.owners.len()), (&Bound::Exactly(12), 2));
    assert_ne!(row.owners[0].bound_at, row.owners[1].bound_at);
    let layer = &analysis.layers[0];
    assert_eq!((analysis.layers.len(), layer.kind(), &layer.attempts), (1, "helper", &Bound::Exactly(4)));
    assert_eq!(layer.bound_by.iter().map(|(_, n)| n.clone()).collect::<Vec<_>>(), [4, 3].map(Bound::Exactly));
    assert!(layer.reached);
}

#[test]
fn services_of_the_tree_multiply() {
    let mut m = Make::default();
    let db = m.to("db");
    let b = m.retry(3, Endings::ERRORS, db);
    m.service("b", b);
    let to_b = m.to("b/x/{}");
    let a = m.retry(3, Endings::FAILURES, to_b);
    let checked = vec![(Endings::STATUSES, errors(&[FailureClass::ServerError]))];
    m.service("a", Effect::Map(checked, Box::new(a)));
    let to_a = m.to("a/x/7");
    let body = m.nested(&[3, 3], to_a);
    let analysis = m.operation(body);
    let numbers = ["a", "b", "db"].map(|d| row(&analysis, d).attempts.clone());
    assert_eq!(numbers, [9, 27, 81].map(Bound::Exactly));
}

#[test]
fn services_in_a_circle_end() {
    let mut m = Make::default();
    let back = m.to("a/x/1");
    m.service("b", back);
    let to_b = m.to("b/x/1");
    let retried = m.retry(2, Endings::FAILURES, to_b);
    let a = m.service("a", retried);
    let analysis = m.run(a);
    assert_eq!(row(&analysis, "a").attempts, Bound::Exactly(2));
    assert!(row(&analysis, "a").gaps.iter().any(|gap| *gap == "cycle"));
}

#[test]
fn a_call_that_closes_a_cycle_adds_nothing() {
    let mut m = Make::default();
    let d = m.to("d");
    let again = m.call(PlaceId(1), vec![]);
    let first = m.place("app::first", &[], seq([d, again]));
    let back = m.call(first, vec![]);
    m.place("app::second", &[], back);
    assert_eq!(row(&m.run(first), "d").attempts, Bound::Exactly(1));
}

#[test]
fn only_a_deadline_ends_a_hang() {
    let mut m = Make::default();
    let deadline = |kind, m: &mut Make| Deadline::new(kind, Value::Number(5), m.at());
    let (total, connect) = (deadline(DeadlineKind::Total, &mut m), deadline(DeadlineKind::Connect, &mut m));
    let bare = m.remote("bare");
    let (inside, connecting) = (m.to("inside"), m.remote("connecting"));
    let mut only = m.remote("only");
    only.connect_only = true;
    let body = seq([
        Effect::Remote(bare.clone()),
        Effect::Within(total, Box::new(inside)),
        Effect::Within(connect.clone(), Box::new(Effect::Remote(connecting.clone()))),
        Effect::Within(connect, Box::new(Effect::Remote(only))),
    ]);
    let analysis = m.operation(body);
    let found: Vec<_> = analysis.without_timeout.iter().map(|w| (w.call, w.connect_timeout)).collect();
    assert_eq!(found, [(bare.at, false), (connecting.at, true)]);
}

#[test]
fn an_unsafe_request_is_repeated_after_a_reset_but_not_after_a_refusal() {
    let mut m = Make::default();
    let (reset, refused) = (m.remote("d"), m.to("d"));
    let at = reset.at;
    let parts = seq([
        m.retry(2, errors(&[FailureClass::Reset, FailureClass::Connect]), Effect::Remote(reset)),
        m.retry(2, errors(&[FailureClass::Connect]), refused),
    ]);
    let analysis = m.operation(parts);
    let found: Vec<_> = analysis.unsafe_repeats.iter().map(|u| (u.at, u.again)).collect();
    assert_eq!(found, [(at, Endings::one(Ending::Error(FailureClass::Reset)))]);
}

#[test]
fn dependencies_are_named_by_what_is_known() {
    let mut m = Make::default();
    let mut named = |target: Target| {
        let mut remote = m.remote("-");
        (remote.system, remote.target) = ("postgres".into(), target);
        Effect::Remote(remote)
    };
    let text = |t: &str| Some(Name::new(t));
    let parts = vec![
        named(Target { address: text("postgres://db.internal:5432/app"), ..Target::default() }),
        named(Target { address: text("{$DB_URL}"), ..Target::default() }),
        named(Target { via: text("AppState.db"), ..Target::default() }),
        named(Target { method: text("Bus::publish"), ..Target::default() }),
        named(Target { param: Some(0), ..Target::default() }),
    ];
    let pull = m.place("app::net::pull", &["url"], Effect::Seq(parts));
    let unbound = m.run(pull);
    let names: Vec<&str> = unbound.rows.iter().map(|row| row.dependency.as_str()).collect();
    let expected = ["db.internal", "app:$DB_URL", "app:postgres via AppState.db", "app:Bus::publish", "net::pull(url)"];
    assert_eq!(names, expected);
    let bound = m.call(pull, vec![Arg::Text("http://stock:8080/x".into())]);
    let bound = m.operation(bound);
    assert!(bound.rows.iter().any(|row| row.operation == 1 && row.dependency == "stock:8080"));
}
