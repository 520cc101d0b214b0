//! `rules/proxies/linkerd.yaml`: what Linkerd does where nothing is written, and what its words mean.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::class::{Endings, FailureClass};
use crate::frontend::mesh::time;
use crate::model;
use crate::name::Name;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    pub proxy: Name,
    pub about: Name,
    pub limit: Default<u64>,
    base_interval: Default<Name>,
    max_interval: Default<Name>,
    connect_timeout: Default<Name>,
    pub profile: Profile,
    http: BTreeMap<Name, Range>,
    grpc: BTreeMap<Name, Vec<Name>>,
    answers: Vec<Answer>,
    pub sources: Vec<Name>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Default<T> {
    pub value: T,
    pub source: Name,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    again: Vec<Name>,
    pub ratio: Default<f64>,
    pub source: Name,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Range {
    from: u16,
    to: u16,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    after: Vec<Name>,
    status: u16,
    pub source: Name,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let text = include_str!("../../../../rules/proxies/linkerd.yaml");
    serde_yaml::from_str(text).expect("a test reads the same text")
});

pub fn rules() -> &'static Rules {
    &RULES
}

fn status(code: u16) -> Endings {
    FailureClass::of_status(code).map_or(Endings::NONE, |class| Endings::statuses_of([class]))
}

impl Rules {
    /// What a word of `retry.linkerd.io/http` repeats: a name, a code, or two codes with a dash between.
    pub fn http(&self, word: &str) -> Option<Endings> {
        let named = self.http.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)).map(|(_, r)| (r.from, r.to));
        let code = |text: &str| text.parse::<u16>().ok().filter(|c| (100..600).contains(c));
        let range = || {
            let (from, to) = word.split_once('-').unwrap_or((word, word));
            Some((code(from)?, code(to)?)).filter(|(from, to)| from <= to)
        };
        let (from, to) = named.or_else(range)?;
        Some((from..=to).fold(Endings::NONE, |all, c| all | status(c)))
    }

    pub fn grpc(&self, word: &str) -> Option<Endings> {
        let found = self.grpc.iter().find(|(name, _)| name.eq_ignore_ascii_case(word));
        found.map(|(_, names)| model::endings(names))
    }

    /// Names of conditions, for what a misspelt one was meant to be.
    pub fn words(&self) -> Vec<&str> {
        self.http.keys().chain(self.grpc.keys()).map(Name::as_str).collect()
    }

    pub fn profile_again(&self) -> Endings {
        model::endings(&self.profile.again)
    }

    pub fn answers(&self) -> Vec<(Endings, Endings)> {
        self.answers.iter().map(|a| (model::endings(&a.after), status(a.status))).collect()
    }

    /// The first wait, the longest one, and what proves them.
    pub fn waits(&self) -> (u64, u64, &Name) {
        let ms = |d: &Default<Name>| time::go(&d.value).map_or(0, time::millis);
        (ms(&self.base_interval), ms(&self.max_interval), &self.base_interval.source)
    }

    pub fn connect_ms(&self) -> u64 {
        time::go(&self.connect_timeout.value).map_or(0, time::millis)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::Ending;

    #[test]
    fn the_rules_hold_together() {
        let rules = rules();
        assert!(rules.proxy == "linkerd" && !rules.about.is_empty() && !rules.sources.is_empty());
        let (base, most, source) = rules.waits();
        assert!(base > 0 && most > base && !source.is_empty() && rules.connect_ms() > 0);
        assert!(!rules.max_interval.source.is_empty() && !rules.connect_timeout.source.is_empty());
        assert!(!rules.limit.source.is_empty() && !rules.profile.source.is_empty());
        assert!(rules.answers.iter().all(|a| !a.source.is_empty()));
        assert!(rules.profile_again().has(Ending::Status(FailureClass::GatewayTimeout)));
    }

    #[test]
    fn words_codes_and_ranges() {
        let has = |word: &str, class| rules().http(word).map(|e| e.has(Ending::Status(class)));
        assert_eq!(has("5XX", FailureClass::ServerError), Some(true));
        assert_eq!(has("gateway-error", FailureClass::ServerError), Some(false));
        assert_eq!(has("500-502", FailureClass::Gateway), Some(true));
        assert_eq!(has("503", FailureClass::Unavailable), Some(true));
        for wrong in ["", "5", "503-500", "999", "reset", " 503"] {
            assert_eq!(has(wrong, FailureClass::Gateway), None, "{wrong}");
        }
    }
}
