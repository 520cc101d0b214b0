//! `rules/proxies/gateway-api.yaml`: what implementations of the Gateway API do where a route says nothing.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::class::Endings;
use crate::frontend::mesh::conditions;
use crate::frontend::mesh::time;
use crate::model;
use crate::name::Name;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rules {
    pub proxy: Name,
    pub about: Name,
    connection_errors: Again,
    pub envoy_gateway: EnvoyGateway,
    pub codes: Codes,
    pub fields: Vec<Name>,
    pub policy_fields: Vec<Name>,
    pub sources: Vec<Name>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Again {
    again: Vec<Name>,
    pub source: Name,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Codes {
    pub from: u16,
    pub to: u16,
    pub source: Name,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Default<T> {
    pub value: T,
    pub source: Name,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnvoyGateway {
    pub retries: Default<u64>,
    retry_on: Default<Name>,
    codes: Default<Vec<u16>>,
    connect_timeout: Default<Name>,
    request_timeout: Default<Name>,
    pub max_parallel_retries: Default<u64>,
    gateway_classes: Vec<Name>,
    pub controller: Name,
}

static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let text = include_str!("../../../../rules/proxies/gateway-api.yaml");
    serde_yaml::from_str(text).expect("a test reads the same text")
});

pub fn rules() -> &'static Rules {
    &RULES
}

impl Rules {
    /// What any implementation should repeat besides the codes of a retry.
    pub fn connection_errors(&self) -> Endings {
        model::endings(&self.connection_errors.again)
    }
}

impl EnvoyGateway {
    pub fn serves(&self, gateway_class: &str) -> bool {
        self.gateway_classes.iter().any(|c| *c == gateway_class)
    }

    /// What is repeated: the triggers that are written, or the default ones, and codes.
    pub fn again(&self, triggers: Option<&[Name]>, codes: Option<&[u16]>, grpc: bool) -> Endings {
        let default: Vec<Name> = self.retry_on.value.split(',').map(Name::new).collect();
        let words = triggers.filter(|t| !t.is_empty()).unwrap_or(&default);
        // Triggers that are written must name the codes for them to count.
        let asks = triggers.is_none_or(|t| t.is_empty() || t.iter().any(|w| *w == "retriable-status-codes"));
        let codes = if asks { codes.unwrap_or(&self.codes.value) } else { &[] };
        conditions::of(words.iter().map(Name::as_str), codes, grpc).again
    }

    pub fn connect_ms(&self) -> u64 {
        time::go(&self.connect_timeout.value).map_or(0, time::millis)
    }

    pub fn request_ms(&self) -> u64 {
        time::go(&self.request_timeout.value).map_or(0, time::millis)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::{Ending, FailureClass};

    #[test]
    fn the_rules_hold_together() {
        let rules = rules();
        assert!(!rules.proxy.is_empty() && !rules.about.is_empty() && !rules.sources.is_empty());
        assert!(rules.connection_errors().has(Ending::Error(FailureClass::Timeout)));
        assert!(!rules.connection_errors.source.is_empty() && !rules.codes.source.is_empty());
        let eg = &rules.envoy_gateway;
        assert!(eg.connect_ms() > 0 && eg.request_ms() > 0 && eg.serves("eg") && !eg.serves("istio"));
        let sources = [&eg.retry_on.source, &eg.connect_timeout.source, &eg.request_timeout.source, &eg.codes.source];
        assert!(sources.iter().all(|s| !s.is_empty()) && !eg.max_parallel_retries.source.is_empty());
    }

    #[test]
    fn codes_count_where_the_triggers_name_them() {
        let eg = &rules().envoy_gateway;
        let has = |triggers: Option<&[Name]>, codes: Option<&[u16]>| {
            eg.again(triggers, codes, false).has(Ending::Status(FailureClass::Unavailable))
        };
        let (reset, both) = ([Name::new("reset")], [Name::new("reset"), Name::new("retriable-status-codes")]);
        assert!(has(None, None) && has(None, Some(&[503])) && !has(None, Some(&[500])));
        assert!(!has(Some(&reset), Some(&[503])) && has(Some(&both), Some(&[503])));
    }
}
