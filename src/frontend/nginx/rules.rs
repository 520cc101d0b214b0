//! `rules/proxies/nginx.yaml`: what nginx does where a configuration says nothing.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use crate::class::{Endings, FailureClass};
use crate::model::{self, load};
use crate::name::Name;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    pub proxy: Name,
    pub about: Name,
    pub protocols: Vec<Protocol>,
    defaults: BTreeMap<Name, Vec<Default>>,
    next_upstream: BTreeMap<Name, Vec<Name>>,
    pub not_repeated: NotRepeated,
    pub answers: Vec<Answer>,
    pub sources: Vec<Name>,
    pub measured: Vec<Name>,
}

/// A directive that passes a request on.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Protocol {
    pub directive: Name,
    /// Begins the names of its settings.
    pub prefix: Name,
    pub system: Name,
    /// What is meant where an address has none.
    pub port: Option<u16>,
    /// The only method that such a request has.
    pub method: Option<Name>,
    pub source: Name,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Default {
    #[serde(default = "any")]
    versions: Name,
    value: Name,
    source: Name,
}

fn any() -> Name {
    Name::new("*")
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotRepeated {
    pub methods: Vec<Name>,
    but_after: Vec<Name>,
    pub source: Name,
}

/// What the client gets after these endings.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    after: Vec<Name>,
    pub status: u16,
    pub source: Name,
}

impl NotRepeated {
    /// The endings after which even such a request is passed on.
    pub fn but_after(&self) -> Endings {
        model::endings(&self.but_after)
    }
}

impl Answer {
    pub fn after(&self) -> Endings {
        model::endings(&self.after)
    }

    pub fn class(&self) -> FailureClass {
        FailureClass::of_status(self.status).unwrap_or(FailureClass::ServerError)
    }
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let text = include_str!("../../../rules/proxies/nginx.yaml");
    serde_yaml::from_str(text).expect("a test reads the same text")
});

pub fn rules() -> &'static Rules {
    &RULES
}

impl Rules {
    /// The value of a setting that is not written, and its source. Of several by version the one for this version; `None`
    /// if no version is known and they differ.
    pub fn default(&self, setting: &str, version: Option<&str>) -> Option<(&str, &Name)> {
        let all = self.defaults.get(setting)?;
        let holds = |d: &&Default| version.is_none_or(|v| load::holds_for(&d.versions, v));
        let mut fitting = all.iter().filter(holds);
        let first = fitting.next()?;
        fitting.all(|other| other.value == first.value).then_some((first.value.as_str(), &first.source))
    }

    /// What a word of `*_next_upstream` passes on; `None` for a word that nginx does not know.
    pub fn passed_on(&self, word: &str) -> Option<Endings> {
        self.next_upstream.get(word).map(|names| model::endings(names))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::Ending;

    #[test]
    fn the_rules_hold_together() {
        let rules = rules();
        assert_eq!(rules.proxy, "nginx");
        let names = rules.next_upstream.values().flatten().chain(&rules.not_repeated.but_after);
        for name in names.chain(rules.answers.iter().flat_map(|a| &a.after)) {
            assert!(load::ending_name(name).is_some(), "`{name}` is no ending");
        }
        for (setting, all) in &rules.defaults {
            assert!(!all.is_empty() && all.iter().all(|d| !d.source.is_empty()), "{setting}");
        }
        assert!(rules.protocols.iter().all(|p| p.prefix.ends_with('_') && !p.source.is_empty()));
        let unknown = "proxy: nginx\nabout: a\nsurprise: 1\n";
        assert!(serde_yaml::from_str::<Rules>(unknown).is_err());
    }

    #[test]
    fn defaults_by_version() {
        let value = |setting: &str, version: Option<&str>| rules().default(setting, version).map(|(value, _)| value);
        assert_eq!(value("read_timeout", None), Some("60s"));
        assert_eq!(value("http_version", Some("1.22")), Some("1.0"));
        assert_eq!(value("http_version", Some("1.29.7")), Some("1.1"));
        assert_eq!(value("http_version", None), None);
        assert_eq!(value("none", None), None);
    }

    #[test]
    fn words_and_answers() {
        let error = rules().passed_on("error").expect("a word");
        assert!(error.has(Ending::Error(FailureClass::Connect)) && !error.has(Ending::Error(FailureClass::Timeout)));
        assert_eq!(rules().passed_on("http_418"), None);
        let answer = |ending: Ending| rules().answers.iter().find(|a| a.after().has(ending)).map(Answer::class);
        assert_eq!(answer(Ending::Error(FailureClass::Reset)), Some(FailureClass::Gateway));
        assert_eq!(answer(Ending::Error(FailureClass::Timeout)), Some(FailureClass::GatewayTimeout));
    }
}
