//! `rules/proxies/istio.yaml`: what Istio does where nobody wrote a policy.

use std::sync::LazyLock;
use std::time::Duration;

use serde::Deserialize;

use crate::class::{Endings, FailureClass};
use crate::frontend::mesh::conditions;
use crate::frontend::mesh::time;
use crate::model::{self, load};
use crate::name::Name;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    pub proxy: Name,
    pub about: Name,
    pub retries: Default<u64>,
    retry_on: Vec<ByVersion>,
    inbound: Vec<ByVersion>,
    connect_timeout: Default<Name>,
    answers: Vec<Answer>,
    pub fields: Vec<Name>,
    pub gateway_classes: Vec<Name>,
    pub sources: Vec<Name>,
    pub measured: Vec<Name>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Default<T> {
    pub value: T,
    pub source: Name,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByVersion {
    versions: Name,
    value: Name,
    pub source: Name,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    after: Vec<Name>,
    status: u16,
    pub source: Name,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let text = include_str!("../../../../rules/proxies/istio.yaml");
    serde_yaml::from_str(text).expect("a test reads the same text")
});

pub fn rules() -> &'static Rules {
    &RULES
}

/// Words of conditions and codes, with commas between.
pub fn conditions_of(text: &str, grpc: bool) -> conditions::Conditions {
    let words: Vec<&str> = text.split(',').map(str::trim).filter(|w| !w.is_empty()).collect();
    let codes: Vec<u16> = words.iter().filter_map(|w| conditions::code(w)).collect();
    conditions::of(words.into_iter().filter(|w| conditions::code(w).is_none()), &codes, grpc)
}

impl Rules {
    /// What is repeated where nobody says what, and the source: by version, or what all versions have in common.
    pub fn retry_on(&self, version: Option<&str>, grpc: bool) -> (Endings, &Name) {
        let holds = |d: &&ByVersion| version.is_none_or(|v| load::holds_for(&d.versions, v));
        let fitting = || self.retry_on.iter().filter(holds);
        let all = fitting().fold(Endings::ALL, |all, d| all & conditions_of(&d.value, grpc).again);
        (all, fitting().next_back().map_or(&self.retries.source, |d| &d.source))
    }

    /// What the proxy beside the receiver repeats by itself, where the version is known to do so.
    pub fn inbound(&self, version: Option<&str>) -> Option<(Endings, &Name)> {
        let found = self.inbound.iter().find(|d| version.is_some_and(|v| load::holds_for(&d.versions, v)))?;
        let again = conditions_of(&found.value, false).again;
        (!again.is_empty()).then_some((again, &found.source))
    }

    pub fn connect_timeout(&self) -> Duration {
        time::go(&self.connect_timeout.value).unwrap_or_default()
    }

    pub fn answers(&self) -> Vec<(Endings, Endings)> {
        let status = |s: u16| FailureClass::of_status(s).map_or(Endings::OK, |c| Endings::statuses_of([c]));
        self.answers.iter().map(|a| (model::endings(&a.after), status(a.status))).collect()
    }

    pub fn serves(&self, gateway_class: &str) -> bool {
        self.gateway_classes.iter().any(|c| *c == gateway_class)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::Ending;

    #[test]
    fn the_rules_hold_together() {
        let rules = rules();
        assert_eq!(rules.proxy, "istio");
        assert!(!rules.about.is_empty() && !rules.sources.is_empty() && !rules.measured.is_empty());
        assert!(!rules.connect_timeout().is_zero() && !rules.connect_timeout.source.is_empty());
        let all = rules.retry_on.iter().chain(&rules.inbound);
        assert!(all.clone().all(|d| !d.source.is_empty() && conditions_of(&d.value, true).unknown.is_empty()));
        assert!(rules.answers.iter().all(|a| !a.source.is_empty()));
        assert_eq!(rules.answers().len(), 2);
    }

    #[test]
    fn a_503_was_repeated_before_1_24() {
        let has = |version: Option<&str>| {
            let again = rules().retry_on(version, false).0;
            (again.has(Ending::Error(FailureClass::Connect)), again.has(Ending::Status(FailureClass::Unavailable)))
        };
        assert_eq!(has(Some("1.23.4")), (true, true));
        assert_eq!(has(Some("1.24")), (true, false));
        assert_eq!(has(None), (true, false));
        assert!(rules().inbound(None).is_none() && rules().inbound(Some("1.20")).is_none());
        assert!(rules().inbound(Some("1.25")).is_some());
    }
}
