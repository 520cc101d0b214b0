//! `rules/proxies/haproxy.yaml`: what HAProxy does where a configuration says nothing, and what its words mean.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::lex;
use crate::class::{Endings, FailureClass};
use crate::model;
use crate::name::Name;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    pub proxy: Name,
    pub about: Name,
    pub defaults: Defaults,
    retry_on: BTreeMap<Name, Vec<Name>>,
    unsafe_words: Vec<Name>,
    pub hashes: Vec<Name>,
    pub closing: Closing,
    pub answers: Vec<Answer>,
    pub known: Known,
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
    pub retries: Default<u64>,
    pub retry_on: Default<Name>,
    pub turn_around: Default<Name>,
}

/// Options after which a connection serves one request.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Closing {
    pub options: Vec<Name>,
    pub source: Name,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    after: Vec<Name>,
    status: u16,
    pub source: Name,
}

/// Words beside which a mistyped one is looked for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Known {
    /// Settings that are looked after.
    pub settings: Vec<Name>,
    pub options: Vec<Name>,
    pub times: Vec<Name>,
    pub actions: Vec<Name>,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let text = include_str!("../../../rules/proxies/haproxy.yaml");
    serde_yaml::from_str(text).expect("a test reads the same text")
});

pub fn rules() -> &'static Rules {
    &RULES
}

impl Rules {
    /// What a word of `retry-on` repeats; `None` for a word that HAProxy does not know.
    pub fn repeats(&self, word: &str) -> Option<Endings> {
        self.retry_on.get(word).map(|names| model::endings(names))
    }

    pub fn words(&self) -> impl Iterator<Item = &Name> {
        self.retry_on.keys()
    }

    /// Whether it takes in every request, whatever it does.
    pub fn takes_unsafe(&self, word: &str) -> bool {
        self.unsafe_words.iter().any(|w| **w == *word)
    }

    /// Endings of the last try, and the answers that they become.
    pub fn renamed(&self) -> Vec<(Endings, Endings)> {
        let class = |a: &Answer| FailureClass::of_status(a.status).map_or(Endings::OK, |c| Endings::statuses_of([c]));
        self.answers.iter().map(|a| (model::endings(&a.after), class(a))).collect()
    }

    /// Milliseconds before a failed connect to the same server is tried again.
    pub fn turn_around(&self) -> u64 {
        lex::time(&self.defaults.turn_around.value).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::Ending;
    use crate::model::load;

    #[test]
    fn the_rules_hold_together() {
        let rules = rules();
        assert_eq!((rules.proxy.as_str(), rules.turn_around()), ("haproxy", 1000));
        let names = rules.retry_on.values().flatten().chain(rules.answers.iter().flat_map(|a| &a.after));
        for name in names {
            assert!(load::ending_name(name).is_some(), "`{name}` is no ending");
        }
        assert!(rules.repeats(&rules.defaults.retry_on.value).is_some());
        assert!(rules.unsafe_words.iter().all(|w| rules.repeats(w).is_some()));
        assert!(rules.answers.iter().all(|a| a.status >= 500 && !a.source.is_empty()));
        assert!(!rules.about.is_empty() && !rules.sources.is_empty() && !rules.measured.is_empty());
        assert!(!rules.closing.source.is_empty() && !rules.defaults.retries.source.is_empty());
        assert!(serde_yaml::from_str::<Rules>("proxy: haproxy\nsurprise: 1\n").is_err());
    }

    #[test]
    fn words_cover_what_was_measured() {
        let has = |word: &str, ending| rules().repeats(word).is_some_and(|e| e.has(ending));
        let unavailable = Ending::Status(FailureClass::Unavailable);
        assert!(has("503", unavailable) && !has("503", Ending::Error(FailureClass::Connect)));
        assert!(
            has("all-retryable-errors", unavailable)
                && has("all-retryable-errors", Ending::Error(FailureClass::Timeout))
        );
        assert!(has("empty-response", Ending::Error(FailureClass::Reset)) && rules().repeats("5xx").is_none());
        assert!(rules().repeats("none").is_some_and(Endings::is_empty));
    }
}
