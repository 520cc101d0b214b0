//! Istio's objects to plain data.

use std::time::Duration;

use super::config::{Action, Destination, Match, MeshConfig, Retries, Route, Traffic, VirtualService};
use crate::fact::PathRule;
use crate::frontend::field::{At, Set};
use crate::frontend::mesh::object::Object;
use crate::frontend::mesh::time;
use crate::name::Name;
use crate::source::Span;
use crate::yaml::{Kind, Node};

fn duration(at: At<'_>, field: &str) -> Option<Set<Duration>> {
    at.field(field).map(|f| f.given(|n| n.as_str().and_then(time::go)))
}

/// A protobuf number that may be negative, which Istio refuses.
fn count(at: At<'_>, field: &str) -> Option<Set<u64>> {
    at.field(field).map(|f| f.given(Node::as_count))
}

pub fn virtual_service(object: Object<'_>) -> VirtualService {
    let names = |field| object.list(field).filter_map(At::name).collect();
    VirtualService {
        hosts: names("hosts"),
        gateways: names("gateways"),
        http: object.list("http").map(route).collect(),
    }
}

fn route(at: At<'_>) -> Route {
    let destinations = || at.list("route").filter_map(|r| destination(r.field("destination")?)).collect();
    let status = |field: &str, key: &str| at.at(&[field, key]).and_then(|s| s.str()?.parse().ok());
    let action = match () {
        () if at.has("redirect") => Action::Answer(status("redirect", "redirect_code")),
        () if at.has("direct_response") => Action::Answer(status("direct_response", "status")),
        () if at.has("delegate") => Action::Delegate,
        () => Action::Destinations(destinations()),
    };
    let mirrors = at.field("mirror").into_iter().chain(at.list("mirrors").filter_map(|m| m.field("destination")));
    Route {
        at: at.span(),
        matches: at.list("match").map(matching).collect(),
        action,
        mirrors: mirrors.filter_map(destination).collect(),
        timeout: duration(at, "timeout"),
        retries: retries(at, "retries"),
        rewrite: at.field("rewrite").and_then(|r| r.text("uri")),
    }
}

fn destination(at: At<'_>) -> Option<Destination> {
    Some(Destination {
        host: at.text("host")?,
        port: at.at(&["port"]).and_then(|p| p.count("number")).and_then(|n| n.is().copied()),
        subset: at.field("subset").and_then(At::name),
    })
}

/// What of a match is not followed asks for something that may hold or not.
fn matching(at: At<'_>) -> Match {
    let path = at.field("uri").map(|uri| {
        let rule = |field: &str| uri.field(field).and_then(At::name);
        let exact = rule("exact").map(PathRule::Exact).or_else(|| rule("prefix").map(PathRule::Prefix));
        exact.or_else(|| rule("regex").map(|r| PathRule::Pattern(Name::from(format!("^(?:{r})$")))))
    });
    let methods = at.field("method").map(|method| {
        let exact = method.str_of("exact").map(|m| vec![Name::from(m.to_ascii_uppercase())]);
        exact.or_else(|| methods_of(method.str_of("regex")?))
    });
    let others = at.keys().any(|(key, _)| !["uri", "method", "name", "ignoreUriCase"].contains(&key));
    Match {
        perhaps: others || path == Some(None) || methods == Some(None),
        path: path.flatten().unwrap_or(PathRule::Any),
        methods: methods.flatten().unwrap_or_default(),
    }
}

/// `^(GET|HEAD)$`.
fn methods_of(pattern: &str) -> Option<Vec<Name>> {
    let text = pattern.trim_start_matches('^').trim_end_matches('$');
    let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(text);
    let words: Vec<&str> = inner.trim_start_matches("?:").split('|').collect();
    let plain = words.iter().all(|w| !w.is_empty() && w.bytes().all(|b| b.is_ascii_alphabetic()));
    plain.then(|| words.iter().map(|w| Name::from(w.to_ascii_uppercase())).collect())
}

pub fn retries(owner: At<'_>, field: &str) -> Option<Retries> {
    let at = owner.field(field)?;
    if at.kind() != Kind::Mapping {
        return None;
    }
    Some(Retries {
        at: owner.entry_span(field).unwrap_or(at.span()),
        attempts: count(at, "attempts"),
        per_try_timeout: duration(at, "per_try_timeout"),
        retry_on: at.text("retry_on"),
        backoff: duration(at, "backoff"),
    })
}

/// A rule for the host, and one for each of its subsets that has a policy of its own.
pub fn traffic(object: Object<'_>) -> Vec<Traffic> {
    let Some(spec) = object.spec else { return Vec::new() };
    let Some(host) = spec.str_of("host").map(|h| object.resolve(h)) else { return Vec::new() };
    let mut found: Vec<Traffic> =
        spec.field("traffic_policy").map(|policy| of_policy(policy, &host, None)).into_iter().collect();
    for subset in spec.list("subsets") {
        if let (Some(name), Some(policy)) = (subset.field("name").and_then(At::name), subset.field("traffic_policy")) {
            found.push(of_policy(policy, &host, Some(name)));
        }
    }
    found
}

fn of_policy(policy: At<'_>, host: &Name, subset: Option<Name>) -> Traffic {
    let pool = |fields: &[&str]| policy.at(fields);
    Traffic {
        host: host.clone(),
        subset,
        max_retries: pool(&["connection_pool", "http"]).and_then(|h| count(h, "max_retries")),
        budget: policy.field("retry_budget").map(|b| (b.span(), b.float("percent").and_then(|p| p.is().copied()))),
        connect_timeout: pool(&["connection_pool", "tcp"]).and_then(|t| duration(t, "connect_timeout")),
    }
}

/// The settings of a mesh, as `meshConfig` of an installation holds them, or the text of a ConfigMap.
pub fn mesh_config(at: At<'_>) -> MeshConfig {
    MeshConfig {
        outbound: retries(at, "default_http_retry_policy"),
        inbound: retries(at, "default_inbound_http_retry_policy"),
        version: None,
    }
}

/// The same where the settings are a text inside of another file: everything stands where that text does.
pub fn moved(config: MeshConfig, to: Span) -> MeshConfig {
    fn set<T>(set: Option<Set<T>>, at: Span) -> Option<Set<T>> {
        set.map(|s| Set { at, ..s })
    }
    let one = |retries: Option<Retries>| {
        retries.map(|r| Retries {
            at: to,
            attempts: set(r.attempts, to),
            per_try_timeout: set(r.per_try_timeout, to),
            retry_on: set(r.retry_on, to),
            backoff: set(r.backoff, to),
        })
    };
    MeshConfig { outbound: one(config.outbound), inbound: one(config.inbound), version: config.version }
}
