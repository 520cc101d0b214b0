//! Defaults of gateways that are Envoy inside and have few of their own: one file of rules each.

use std::sync::LazyLock;

use serde::Deserialize;

use super::time;
use crate::name::Name;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Defaults {
    pub proxy: Name,
    pub about: Name,
    /// Retries, not attempts, of a policy that does not say.
    pub retries: Default<u64>,
    /// Conditions of a policy that does not say; empty where it must.
    pub retry_on: Default<Name>,
    /// For all tries of a route together.
    pub route_timeout: Default<Name>,
    pub connect_timeout: Default<Name>,
    /// Words that a policy may name.
    pub words: Vec<Name>,
    /// Fields of a policy.
    pub fields: Vec<Name>,
    pub sources: Vec<Name>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Default<T> {
    pub value: T,
    pub source: Name,
}

impl Default<Name> {
    pub fn ms(&self) -> u64 {
        time::go(&self.value).map_or(0, time::millis)
    }
}

static CONTOUR: LazyLock<Defaults> = LazyLock::new(|| read(include_str!("../../../rules/proxies/contour.yaml")));
static EMISSARY: LazyLock<Defaults> = LazyLock::new(|| read(include_str!("../../../rules/proxies/emissary.yaml")));

fn read(text: &str) -> Defaults {
    serde_yaml::from_str(text).expect("a test reads the same text")
}

pub fn contour() -> &'static Defaults {
    &CONTOUR
}

pub fn emissary() -> &'static Defaults {
    &EMISSARY
}

impl Defaults {
    pub fn knows(&self, word: &str) -> bool {
        self.words.iter().any(|w| *w == word)
    }

    pub fn words(&self) -> Vec<&str> {
        self.words.iter().map(Name::as_str).collect()
    }

    pub fn fields(&self) -> Vec<&str> {
        self.fields.iter().map(Name::as_str).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::envoy::rules::rules as envoy;

    #[test]
    fn the_rules_hold_together() {
        for rules in [contour(), emissary()] {
            assert!(!rules.proxy.is_empty() && !rules.about.is_empty() && !rules.sources.is_empty());
            assert!(rules.route_timeout.ms() > 0 && rules.connect_timeout.ms() > 0 && !rules.fields.is_empty());
            assert!(rules.words.iter().all(|w| envoy().word(w).is_some()), "{}", rules.proxy);
            assert!(rules.retry_on.value.is_empty() || rules.knows(&rules.retry_on.value));
            let sources = [&rules.retries.source, &rules.retry_on.source, &rules.route_timeout.source];
            assert!(sources.iter().all(|s| !s.is_empty()) && !rules.connect_timeout.source.is_empty());
        }
    }
}
