//! Retry policies, hedging and mirrors: what routes and virtual hosts have alike.

use crate::frontend::envoy::config::{BackOff, Mirror, Policy, RateLimited, Set};
use crate::frontend::envoy::rules::rules;
use crate::frontend::field::At;
use crate::name::Name;
use crate::source::Span;

/// The policy of a route or a virtual host, written out or as a typed extension.
pub fn policy(owner: At<'_>) -> Option<Policy> {
    let fields = ["retry_policy", "retry_policy_typed_config"];
    let (field, at) = fields.into_iter().find_map(|f| Some((f, owner.field(f)?)))?;
    let status_codes = at.field("retriable_status_codes").map(|codes| {
        let numbers = codes.items().filter_map(|c| c.str()?.parse().ok()).collect();
        codes.set(numbers)
    });
    Some(Policy {
        at: owner.entry_span(field).unwrap_or(at.span()),
        retry_on: at.text("retry_on"),
        num_retries: at.count("num_retries"),
        per_try_timeout: at.duration("per_try_timeout"),
        per_try_idle_timeout: at.duration("per_try_idle_timeout"),
        status_codes,
        back_off: back_off(at, "retry_back_off"),
        rate_limited: rate_limited(at),
        foreign: foreign(at),
        headers: at.list("retriable_headers").next().is_some(),
        methods: at.list("retriable_request_headers").filter_map(methods).flatten().collect(),
    })
}

/// Fields of other messages and other systems that people write into a policy. Fields that are not known at all may be
/// new ones.
fn foreign(at: At<'_>) -> Vec<(Name, Span)> {
    let known = |key: &str| rules().foreign_field(key).is_some();
    let outer = at.keys().chain(at.field("retry_back_off").into_iter().flat_map(At::keys));
    outer.filter(|(key, _)| known(key)).map(|(key, span)| (Name::new(key), span)).collect()
}

pub fn back_off(at: At<'_>, field: &str) -> Option<BackOff> {
    let inner = at.field(field)?;
    Some(BackOff {
        at: at.entry_span(field).unwrap_or(inner.span()),
        base: inner.duration("base_interval"),
        max: inner.duration("max_interval"),
    })
}

fn rate_limited(at: At<'_>) -> Option<RateLimited> {
    let inner = at.field("rate_limited_retry_back_off")?;
    let headers = inner.list("reset_headers").filter_map(|h| h.str_of("name"));
    Some(RateLimited { headers: headers.map(|h| Name::from(h.to_ascii_lowercase())).collect() })
}

/// The methods that a header matcher lets pass, if it asks for the method and for nothing that is not followed here.
pub fn methods(matcher: At<'_>) -> Option<Vec<Name>> {
    let asks = matcher.str_of("name").is_some_and(|n| n.eq_ignore_ascii_case(":method"));
    if !asks || matcher.flag("invert_match") {
        return None;
    }
    let exact = matcher.at(&["string_match", "exact"]).or_else(|| matcher.field("exact_match"));
    if let Some(method) = exact.and_then(At::str) {
        return Some(vec![Name::from(method.to_ascii_uppercase())]);
    }
    let regex = [&["string_match", "safe_regex", "regex"][..], &["safe_regex_match", "regex"], &["regex_match"]];
    let text = regex.iter().find_map(|path| matcher.at(path)?.str())?;
    let text = text.trim_start_matches('^').trim_end_matches('$');
    let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(text);
    let words: Vec<&str> = inner.trim_start_matches("?:").split('|').collect();
    let plain = words.iter().all(|w| !w.is_empty() && w.bytes().all(|b| b.is_ascii_alphabetic()));
    plain.then(|| words.iter().map(|w| Name::from(w.to_ascii_uppercase())).collect())
}

/// Whether hedging on the per-try timeout is switched on.
pub fn hedge(owner: At<'_>) -> Option<Set<bool>> {
    let policy = owner.field("hedge_policy")?;
    let mut set = policy.bool("hedge_on_per_try_timeout")?;
    set.at = owner.entry_span("hedge_policy").unwrap_or(set.at);
    Some(set)
}

/// Where copies of requests go, those that are switched off left out.
pub fn mirrors(owner: At<'_>) -> Vec<Mirror> {
    let old = owner.field("request_mirror_policy");
    let all = owner.list("request_mirror_policies").chain(old);
    let on = |m: &At<'_>| {
        let share =
            m.at(&["runtime_fraction", "default_value", "numerator"]).and_then(|n| n.str()?.parse::<u64>().ok());
        share != Some(0)
    };
    all.filter(on).filter_map(|m| m.text("cluster")).map(|cluster| Mirror { cluster }).collect()
}
