//! `rules/proxies/traefik.yaml`: what Traefik does where nobody says anything.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::class::{Ending, Endings, FailureClass};
use crate::frontend::mesh::defaults::Default;
use crate::model;
use crate::name::Name;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    pub proxy: Name,
    pub about: Name,
    network_errors: Vec<Name>,
    /// Methods that are not sent again after an answer.
    pub not_repeated: Vec<Name>,
    /// How many times the first wait the longest one is.
    pub longest_wait: Default<u64>,
    pub dial_timeout: Default<Name>,
    pub answers: Vec<Answer>,
    /// Of a retry middleware, in lower case.
    pub fields: Vec<Name>,
    pub sources: Vec<Name>,
}

/// What the client gets after these endings.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    after: Vec<Name>,
    pub status: u16,
    pub source: Name,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let text = include_str!("../../../../rules/proxies/traefik.yaml");
    serde_yaml::from_str(text).expect("a test reads the same text")
});

pub fn rules() -> &'static Rules {
    &RULES
}

impl Rules {
    pub fn network_errors(&self) -> Endings {
        model::endings(&self.network_errors)
    }

    /// Endings of the last try, and what the client gets.
    pub fn answers(&self) -> Vec<(Endings, Endings)> {
        let class = |a: &Answer| FailureClass::of_status(a.status).unwrap_or(FailureClass::ServerError);
        self.answers.iter().map(|a| (model::endings(&a.after), Endings::one(Ending::Status(class(a))))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::load;

    #[test]
    fn the_rules_hold_together() {
        let rules = rules();
        assert!(!rules.proxy.is_empty() && !rules.about.is_empty() && !rules.sources.is_empty());
        assert!(rules.dial_timeout.ms() > 0 && rules.longest_wait.value > 1);
        assert!(!rules.dial_timeout.source.is_empty() && !rules.longest_wait.source.is_empty());
        let names = rules.network_errors.iter().chain(rules.answers.iter().flat_map(|a| &a.after));
        assert!(names.into_iter().all(|name| load::ending_name(name).is_some()));
        assert!(rules.answers.iter().all(|a| a.status >= 500 && !a.source.is_empty()));
        assert!(rules.fields.iter().all(|f| **f == f.to_ascii_lowercase()) && !rules.not_repeated.is_empty());
    }
}
