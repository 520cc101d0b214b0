//! What a retry policy does: which endings it repeats, how often, with which waits, and under which brake.

use std::time::Duration;

use super::config::{BackOff, Cluster, Given, Policy, Set};
use super::rules::{Asks, rules};
use crate::class::{Endings, FailureClass};
use crate::effect::{Budget, Confidence, Jitter, Seen, Shape, Share, Wait};
use crate::name::Name;
use crate::source::Span;
use crate::value::{Attempts, Origin, OriginKind, Value};

/// What is known of the request that a policy is for.
#[derive(Clone, Copy)]
pub struct Asked {
    /// The route matches gRPC alone.
    pub grpc: bool,
    pub hedged: bool,
}

/// The words of a policy, sorted by what they are worth.
pub struct Words<'p> {
    pub again: Endings,
    /// Words that Envoy knows.
    pub known: Vec<&'p str>,
    pub unknown: Vec<&'p str>,
    pub asks_codes: bool,
    pub asks_headers: bool,
}

/// Reads `retry_on` as Envoy does: commas between, blanks around a word do not matter.
pub fn words<'p>(policy: &'p Policy, asked: Asked) -> Words<'p> {
    let text = policy.retry_on.as_ref().and_then(Set::is).map_or("", |n| n.as_str());
    let mut found =
        Words { again: Endings::NONE, known: Vec::new(), unknown: Vec::new(), asks_codes: false, asks_headers: false };
    let all: Vec<&str> = text.split(',').map(str::trim).filter(|w| !w.is_empty()).collect();
    // A policy of gRPC's words alone is written for gRPC.
    let grpc = asked.grpc || all.iter().all(|w| rules().word(w).is_some_and(|w| w.is_grpc));
    for word in all {
        let Some(means) = rules().word(word) else {
            found.unknown.push(word);
            continue;
        };
        found.known.push(word);
        found.again |= if grpc { means.grpc } else { means.again };
        found.asks_codes |= means.asks == Some(Asks::StatusCodes);
        found.asks_headers |= means.asks == Some(Asks::Headers);
    }
    if found.asks_codes {
        let codes = policy.status_codes.as_ref().and_then(Set::is).into_iter().flatten();
        found.again |= Endings::statuses_of(codes.filter_map(|c| FailureClass::of_status(*c)));
    }
    if asked.hedged && !found.known.is_empty() {
        found.again |= rules().hedged();
    }
    found
}

impl Words<'_> {
    /// Whether the policy can repeat anything: a word that is known, and behind a word for a list the list.
    pub fn works(&self, policy: &Policy) -> bool {
        let needs_list =
            |w: &&&str| rules().word(w).is_some_and(|w| matches!(w.asks, Some(Asks::StatusCodes | Asks::Headers)));
        let plain = self.known.iter().any(|w| !needs_list(&w));
        let codes = policy.status_codes.as_ref().and_then(Set::is).is_some_and(|c| !c.is_empty());
        plain || (self.asks_codes && codes) || (self.asks_headers && policy.headers)
    }
}

fn default_origin(at: Span, setting: &str, source: &Name) -> Origin {
    let source = Name::from(format!("{} {setting} ({source})", rules().proxy));
    Origin { kind: OriginKind::LibraryDefault, at: Some(at), source: Some(source) }
}

/// Attempts in all, and where the number comes from.
pub fn attempts(policy: &Policy) -> (Value, Origin) {
    let default = &rules().defaults.num_retries;
    let implied = || {
        (
            Value::Number(Attempts::from_retries(default.value).total()),
            default_origin(policy.at, "num_retries", &default.source),
        )
    };
    let Some(set) = &policy.num_retries else { return implied() };
    let origin = Origin { kind: OriginKind::Config, at: Some(set.at), source: None };
    match &set.value {
        Given::Is(n) => (Value::Number(Attempts::from_retries(*n).total()), origin),
        Given::Later(text) => (Value::unknown(&format!("`num_retries` is filled in later: {text}")), origin),
        Given::Wrong(_) => implied(),
    }
}

/// The brake that everything shares which goes to that cluster.
pub fn budget(cluster: &Cluster) -> Budget {
    let defaults = &rules().defaults;
    match (&cluster.budget, &cluster.max_retries) {
        (Some(budget), _) => {
            let percent = budget.percent.as_ref().and_then(Set::is).copied().unwrap_or(defaults.budget_percent.value);
            Budget { share: Share::Ratio(percent / 100.0), at: Some(budget.at) }
        }
        (None, Some(most)) => {
            let number = most.is().copied().unwrap_or(defaults.max_retries.value);
            Budget { share: Share::Concurrent(number), at: Some(most.at) }
        }
        (None, None) => Budget { share: Share::Concurrent(defaults.max_retries.value), at: None },
    }
}

/// The setting that stops every retry of that cluster, if there is one.
pub fn forbids(cluster: &Cluster) -> Option<&Set<u64>> {
    cluster.max_retries.as_ref().filter(|m| cluster.budget.is_none() && m.is() == Some(&0))
}

/// The wait of a policy, written or not.
pub fn wait(policy: &Policy) -> Wait {
    let default = default_origin(policy.at, "retry_back_off", &rules().defaults.base_interval.source);
    back_off(policy.back_off.as_ref(), default)
}

/// Envoy's waits are random between nothing and a bound that grows.
pub fn back_off(written: Option<&BackOff>, default: Origin) -> Wait {
    let defaults = &rules().defaults;
    let given = |set: Option<&Set<Duration>>| set.and_then(Set::is).copied();
    let base = given(written.and_then(|b| b.base.as_ref())).unwrap_or(defaults.base_interval.duration());
    // Less than a millisecond is one.
    let base = millis(base).max(1);
    let most = || base.saturating_mul(defaults.max_interval.value);
    let cap = given(written.and_then(|b| b.max.as_ref())).map_or_else(most, millis);
    Wait {
        shape: Shape::Exponential,
        base_ms: Some(base),
        factor: Some(2.0),
        cap_ms: Some(cap),
        capped: true,
        jitter: Jitter::Full,
        at: written.map(|b| b.at),
        overflows: None,
        from: Some(written.map_or(default, |b| Origin { kind: OriginKind::Config, at: Some(b.at), source: None })),
    }
}

pub fn seen(policy: &Policy) -> Seen {
    let permanent = policy.status_codes.as_ref().filter(|codes| {
        let listed = codes.is().into_iter().flatten();
        listed.into_iter().any(|c| FailureClass::of_status(*c) == Some(FailureClass::Permanent))
    });
    let retry_after = policy.rate_limited.as_ref().map(|r| r.headers.iter().any(|h| *h == "retry-after"));
    Seen {
        looks_at_error: true,
        classified_below: true,
        retry_after,
        permanent_at: permanent.map(|p| p.at),
        confidence: Confidence::High,
        ..Seen::default()
    }
}

pub fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
