//! `rules/proxies/envoy.yaml`: what Envoy does where a configuration says nothing, and what its words mean.

use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::time::Duration;

use serde::Deserialize;

use crate::class::{Endings, FailureClass};
use crate::model;
use crate::name::Name;
use crate::yaml::{proto_duration, same_field};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    pub proxy: Name,
    pub about: Name,
    pub defaults: Defaults,
    conditions: BTreeMap<Name, Condition>,
    foreign_fields: BTreeMap<Name, Name>,
    pub hedged: Hedged,
    pub answers: Vec<Answer>,
    pub denied: Denied,
    pub sources: Vec<Name>,
    pub measured: Vec<Name>,
}

/// A default, and what proves it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Default<T> {
    pub value: T,
    pub source: Name,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Defaults {
    pub num_retries: Default<u64>,
    pub base_interval: Default<Name>,
    pub max_interval: Default<u64>,
    pub route_timeout: Default<Name>,
    pub stream_idle_timeout: Default<Name>,
    pub connect_timeout: Default<Name>,
    pub max_retries: Default<u64>,
    pub budget_percent: Default<f64>,
    pub max_connect_attempts: Default<u64>,
    pub tcp_idle_timeout: Default<Name>,
    pub ask_timeout: Default<Name>,
}

impl Default<Name> {
    pub fn duration(&self) -> Duration {
        proto_duration(&self.value).unwrap_or_default()
    }
}

/// A word of `retry_on`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Condition {
    again: Vec<Name>,
    asks: Option<Asks>,
    /// It names a code of gRPC, and what such a code is.
    grpc: Option<Vec<Name>>,
}

/// What else decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Asks {
    StatusCodes,
    Headers,
    /// A header that only other Envoys set.
    AnswerHeader,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hedged {
    again: Vec<Name>,
    pub source: Name,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    after: Vec<Name>,
    status: u16,
    pub source: Name,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Denied {
    status: u16,
    pub source: Name,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let text = include_str!("../../../rules/proxies/envoy.yaml");
    serde_yaml::from_str(text).expect("a test reads the same text")
});

pub fn rules() -> &'static Rules {
    &RULES
}

/// What a word of `retry_on` means.
pub struct Word {
    /// Endings after which it repeats a request.
    pub again: Endings,
    /// The same where the answers are those of gRPC.
    pub grpc: Endings,
    pub asks: Option<Asks>,
    pub is_grpc: bool,
}

impl Rules {
    /// `None` for a word that Envoy does not know, and ignores.
    pub fn word(&self, word: &str) -> Option<Word> {
        let condition = self.conditions.get(word)?;
        let again = model::endings(&condition.again);
        let grpc = model::endings(condition.grpc.as_deref().unwrap_or_default());
        Some(Word { again, grpc: again | grpc, asks: condition.asks, is_grpc: condition.grpc.is_some() })
    }

    /// All words that Envoy knows.
    pub fn words(&self) -> Vec<&str> {
        self.conditions.keys().map(Name::as_str).collect()
    }

    /// For a field that no retry policy has: where what it says belongs.
    pub fn foreign_field(&self, written: &str) -> Option<&Name> {
        self.foreign_fields.iter().find(|(field, _)| same_field(field, written)).map(|(_, belongs)| belongs)
    }

    /// What is tried again besides, with hedging.
    pub fn hedged(&self) -> Endings {
        model::endings(&self.hedged.again)
    }

    /// Endings of the last try, and the answers that they become.
    pub fn answers(&self) -> Vec<(Endings, Endings)> {
        let answer = |a: &Answer| (model::endings(&a.after), status(a.status));
        self.answers.iter().map(answer).collect()
    }

    pub fn denied(&self) -> FailureClass {
        FailureClass::of_status(self.denied.status).unwrap_or(FailureClass::Permanent)
    }
}

fn status(status: u16) -> Endings {
    FailureClass::of_status(status).map_or(Endings::OK, |class| Endings::statuses_of([class]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::Ending;

    #[test]
    fn the_rules_hold_together() {
        let rules = rules();
        let d = &rules.defaults;
        let times =
            [&d.base_interval, &d.route_timeout, &d.stream_idle_timeout, &d.connect_timeout, &d.tcp_idle_timeout];
        assert!(times.into_iter().chain([&d.ask_timeout]).all(|t| !t.duration().is_zero()));
        for (word, condition) in &rules.conditions {
            let names = condition.again.iter().chain(condition.grpc.iter().flatten());
            assert!(names.clone().all(|n| !model::endings(std::slice::from_ref(n)).is_empty()), "{word}");
        }
        assert!(!rules.proxy.is_empty() && !rules.about.is_empty() && !rules.sources.is_empty());
        assert!(!rules.measured.is_empty());
        assert_eq!(rules.answers().len(), 2);
        assert_eq!(rules.denied(), FailureClass::Permanent);
    }

    #[test]
    fn words_cover_what_was_measured() {
        let has = |word: &str, ending| rules().word(word).is_some_and(|w| w.again.has(ending));
        let closed = Ending::Error(FailureClass::Reset);
        let refused = Ending::Error(FailureClass::Connect);
        assert!(has("gateway-error", closed) && has("reset", closed) && has("5xx", closed));
        assert!(!has("connect-failure", closed) && !has("reset-before-request", closed));
        assert!(has("connect-failure", refused) && has("5xx", refused));
        assert!(!has("gateway-error", Ending::Status(FailureClass::ServerError)));
        assert!(
            !has("5xx", Ending::Status(FailureClass::Throttled))
                && !has("unavailable", Ending::Status(FailureClass::Unavailable))
        );
        assert!(has("retriable-4xx", Ending::Status(FailureClass::Conflict)));
        assert!(rules().word("503").is_none() && rules().word("5XX").is_none());
    }
}
