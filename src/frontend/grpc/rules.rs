//! `rules/proxies/grpc.yaml`: what gRPC clients make of a service config, and what their codes mean.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::class::Endings;
use crate::model;
use crate::name::Name;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    pub proxy: Name,
    pub about: Name,
    pub defaults: Defaults,
    codes: BTreeMap<Name, Code>,
    pub sources: Vec<Name>,
    pub measured: Vec<Name>,
}

/// A number, and what proves it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Default {
    pub value: u64,
    pub source: Name,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Defaults {
    pub max_attempts: Default,
    pub least_attempts: Default,
    pub dead_tokens: Default,
    pub most_tokens: Default,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Code {
    number: u64,
    again: Vec<Name>,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let text = include_str!("../../../rules/proxies/grpc.yaml");
    serde_yaml::from_str(text).expect("a test reads the same text")
});

pub fn rules() -> &'static Rules {
    &RULES
}

impl Rules {
    /// What a code, by its name or number, is to a caller; `None` for one that gRPC does not have.
    pub fn code(&self, written: &str) -> Option<Endings> {
        let upper = written.to_ascii_uppercase();
        let named = self.codes.get(upper.as_str());
        let numbered = || self.codes.values().find(|c| written.parse() == Ok(c.number));
        named.or_else(numbered).map(|c| model::endings(&c.again))
    }

    pub fn codes(&self) -> impl Iterator<Item = &str> {
        self.codes.keys().map(Name::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::{Ending, FailureClass};
    use crate::model::load;

    #[test]
    fn the_rules_hold_together() {
        let rules = rules();
        assert_eq!((rules.proxy.as_str(), rules.codes.len()), ("grpc", 16));
        assert!(rules.codes.values().flat_map(|c| &c.again).all(|n| load::ending_name(n).is_some()));
        let d = &rules.defaults;
        assert!(
            [&d.max_attempts, &d.least_attempts, &d.dead_tokens, &d.most_tokens].iter().all(|d| !d.source.is_empty())
        );
        assert!(!rules.about.is_empty() && !rules.sources.is_empty() && !rules.measured.is_empty());
        assert!(serde_yaml::from_str::<Rules>("proxy: grpc\nsurprise: 1\n").is_err());
    }

    #[test]
    fn codes_by_name_and_number() {
        let unavailable =
            |written| rules().code(written).is_some_and(|e: Endings| e.has(Ending::Error(FailureClass::Connect)));
        assert!(unavailable("UNAVAILABLE") && unavailable("unavailable") && unavailable("14"));
        assert!(rules().code("5XX").is_none() && rules().code("0").is_none() && rules().code("OK").is_none());
    }
}
