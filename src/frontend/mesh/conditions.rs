//! What the conditions of proxies that are Envoy inside repeat: its words, and status codes beside them.

use crate::class::{Endings, FailureClass};
use crate::effect::{Confidence, Jitter, Seen, Shape, Wait};
use crate::frontend::envoy::rules::rules as envoy;
use crate::source::Span;
use crate::value::{Origin, OriginKind};

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
