//! What the conditions of proxies that are Envoy inside repeat: its words, and status codes beside them, and how often and when.

use std::time::Duration;

use crate::class::{Endings, FailureClass};
use crate::effect::{Confidence, Jitter, Seen, Shape, Wait};
use crate::frontend::envoy::rules::rules as envoy;
use crate::frontend::field::{Given, Set};
use crate::frontend::mesh::time::millis;
use crate::name::Name;
use crate::source::Span;
use crate::value::{Attempts, Origin, OriginKind, Value};

/// Words and codes, as far as Envoy knows them.
#[derive(Debug, Default)]
pub struct Conditions {
    pub again: Endings,
    pub unknown: Vec<String>,
    /// A code that says no for good is among them.
    pub permanent: bool,
}

/// `grpc`: the route is for gRPC alone, so that answers have its codes.
pub fn of<'w>(words: impl IntoIterator<Item = &'w str>, codes: &[u16], grpc: bool) -> Conditions {
    let mut found = Conditions::default();
    for word in words {
        match envoy().word(word) {
            Some(means) => found.again |= if grpc { means.grpc } else { means.again },
            None => found.unknown.push(word.to_owned()),
        }
    }
    let classes = || codes.iter().filter_map(|code| FailureClass::of_status(*code));
    found.again |= Endings::statuses_of(classes());
    found.permanent = classes().any(|class| class == FailureClass::Permanent);
    found
}

/// A word that stands for a status code.
pub fn code(word: &str) -> Option<u16> {
    word.parse().ok().filter(|code| (100..=599).contains(code))
}

/// A policy that looks at what failed; `permanent` is where it lets in what will not change.
pub fn seen(permanent: Option<Span>) -> Seen {
    Seen {
        looks_at_error: true,
        classified_below: true,
        permanent_at: permanent,
        confidence: Confidence::High,
        ..Seen::default()
    }
}

/// Envoy's waits: random between nothing and a bound that doubles, ten times the first at most.
pub fn wait(base: Option<(u64, Span)>, cap: Option<u64>, default: Origin) -> Wait {
    let defaults = &envoy().defaults;
    let shortest = u64::try_from(defaults.base_interval.duration().as_millis()).unwrap_or(u64::MAX);
    let first = base.map_or(shortest, |(ms, _)| ms.max(1));
    let written = |at: Span| Origin { kind: OriginKind::Config, at: Some(at), source: None };
    Wait {
        shape: Shape::Exponential,
        base_ms: Some(first),
        factor: Some(2.0),
        cap_ms: Some(cap.unwrap_or(first.saturating_mul(defaults.max_interval.value))),
        capped: true,
        jitter: Jitter::Full,
        at: base.map(|(_, at)| at),
        overflows: None,
        from: Some(base.map_or(default, |(_, at)| written(at))),
    }
}

/// Attempts in all; `None` where the setting switches retries off. `implied` is what stands in for a number that is not
/// written: without it the number is the implementation's.
pub fn attempts(
    set: Option<&Set<u64>>,
    field: &str,
    at: Span,
    implied: Option<(u64, &Name)>,
) -> Option<(Value, Origin)> {
    let Some(set) = set.filter(|s| !matches!(s.value, Given::Wrong(_))) else {
        return Some(match implied {
            Some((retries, source)) => {
                let source = Name::from(format!("{field} ({source})"));
                let origin = Origin { kind: OriginKind::LibraryDefault, at: Some(at), source: Some(source) };
                (Value::Number(Attempts::from_retries(retries).total()), origin)
            }
            None => (Value::unknown(&format!("the implementation decides: `{field}` is not written")), Origin::none()),
        });
    };
    let origin = Origin { kind: OriginKind::Config, at: Some(set.at), source: None };
    match &set.value {
        Given::Is(0) => None,
        Given::Is(n) => Some((Value::Number(Attempts::from_retries(*n).total()), origin)),
        Given::Later(text) => Some((Value::unknown(&format!("`{field}` is filled in later: {text}")), origin)),
        Given::Wrong(_) => None,
    }
}

/// The waits of a policy that may write the first one and the longest one.
pub fn backoff(base: Option<&Set<Duration>>, max: Option<&Set<Duration>>, at: Span) -> Wait {
    let written = base.and_then(|b| Some((millis(*b.is()?), b.at)));
    let cap = max.and_then(|m| m.is()).map(|m| millis(*m));
    let source = Name::from(format!("backoff ({})", envoy().defaults.base_interval.source));
    wait(written, cap, Origin { kind: OriginKind::LibraryDefault, at: Some(at), source: Some(source) })
}
