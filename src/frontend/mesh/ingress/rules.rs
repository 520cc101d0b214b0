//! `rules/proxies/ingress-nginx.yaml`: what the controller does where nobody says anything.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::frontend::mesh::defaults::Default;
use crate::name::Name;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    pub proxy: Name,
    pub about: Name,
    /// As an IngressClass names it.
    pub controller: Name,
    /// What its annotations begin with.
    pub prefix: Name,
    /// What those of a controller begin with whose class may have the same name.
    pub other_prefix: Name,
    /// Words of nginx, with blanks between them.
    pub next_upstream: Default<Name>,
    /// Attempts in all.
    pub tries: Default<u64>,
    /// In seconds.
    pub connect_timeout: Default<u64>,
    /// In seconds, between two reads.
    pub read_timeout: Default<u64>,
    pub annotations: Vec<Name>,
    pub sources: Vec<Name>,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let text = include_str!("../../../../rules/proxies/ingress-nginx.yaml");
    serde_yaml::from_str(text).expect("a test reads the same text")
});

pub fn rules() -> &'static Rules {
    &RULES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::nginx::rules::rules as nginx;

    #[test]
    fn the_rules_hold_together() {
        let rules = rules();
        assert!(!rules.proxy.is_empty() && !rules.about.is_empty() && !rules.sources.is_empty());
        assert!(rules.controller.contains('/') && rules.prefix.ends_with('/') && rules.other_prefix.ends_with('/'));
        assert!(rules.next_upstream.value.split(' ').all(|word| nginx().passed_on(word).is_some()));
        assert!(rules.tries.value > 1 && rules.connect_timeout.value > 0 && rules.read_timeout.value > 0);
        let sources = [&rules.tries.source, &rules.connect_timeout.source, &rules.read_timeout.source];
        assert!(sources.iter().all(|s| !s.is_empty()) && !rules.next_upstream.source.is_empty());
        assert!(rules.annotations.iter().all(|a| a.starts_with("proxy-")));
    }
}
