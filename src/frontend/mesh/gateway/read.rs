//! Objects of the Gateway API, and of Envoy Gateway, to plain data.

use std::time::Duration;

use super::config::{
    Backend, Brake, Gateway, HttpRoute, Match, Parent, PolicyRetry, Retry, Rewrite, Rule, TrafficPolicy,
};
use crate::fact::PathRule;
use crate::frontend::field::{At, Set};
use crate::frontend::mesh::object::Object;
use crate::frontend::mesh::time;
use crate::name::Name;
use crate::yaml::Node;

fn duration(at: At<'_>, field: &str) -> Option<Set<Duration>> {
    at.field(field).map(|f| f.given(|n| n.as_str().and_then(time::gep_2257)))
}

fn name(at: At<'_>, field: &str) -> Option<Name> {
    at.field(field).and_then(At::name)
}

pub fn route(object: Object<'_>) -> HttpRoute {
    let grpc = object.kind == "GRPCRoute";
    HttpRoute {
        grpc,
        hostnames: object.list("hostnames").filter_map(At::name).collect(),
        parents: object.list("parent_refs").filter_map(parent).collect(),
        rules: object.list("rules").map(|at| rule(at, grpc)).collect(),
    }
}

fn parent(at: At<'_>) -> Option<Parent> {
    let kind = name(at, "kind").unwrap_or_else(|| Name::new("Gateway"));
    Some(Parent { kind, name: name(at, "name")?, namespace: name(at, "namespace") })
}

fn rule(at: At<'_>, grpc: bool) -> Rule {
    let filters = || at.list("filters");
    let mirrors = filters().filter_map(|f| f.at(&["request_mirror", "backend_ref"]));
    let rewrite = filters().find_map(|f| f.at(&["url_rewrite", "path"]));
    let timeouts = at.field("timeouts");
    Rule {
        at: at.span(),
        matches: at.list("matches").map(|m| if grpc { grpc_match(m) } else { http_match(m) }).collect(),
        backends: at.list("backend_refs").filter(|b| !is_off(*b)).filter_map(backend).collect(),
        mirrors: mirrors.filter_map(backend).collect(),
        rewrite: rewrite.map_or(Rewrite::None, of_path),
        redirects: filters().any(|f| f.has("request_redirect")),
        request: timeouts.and_then(|t| duration(t, "request")),
        backend_request: timeouts.and_then(|t| duration(t, "backend_request")),
        retry: retry(at),
    }
}

/// A share of nothing of the traffic.
fn is_off(backend: At<'_>) -> bool {
    backend.count("weight").is_some_and(|w| w.is() == Some(&0))
}

pub fn backend(at: At<'_>) -> Option<Backend> {
    let kind = at.str_of("kind").unwrap_or("Service");
    let group = at.str_of("group").unwrap_or_default();
    Some(Backend {
        name: at.text("name")?,
        namespace: name(at, "namespace"),
        port: at.count("port").and_then(|p| p.is().copied()),
        service: kind == "Service" && matches!(group, "" | "core"),
    })
}

fn of_path(at: At<'_>) -> Rewrite {
    let whole = name(at, "replace_full_path").map(Rewrite::Whole);
    whole.or_else(|| name(at, "replace_prefix_match").map(Rewrite::Prefix)).unwrap_or(Rewrite::None)
}

fn http_match(at: At<'_>) -> Match {
    let path = at.field("path");
    let kind = path.and_then(|p| p.str_of("type")).unwrap_or("PathPrefix");
    let value = path.and_then(|p| name(p, "value")).unwrap_or_else(|| Name::new("/"));
    let rule = match kind {
        "PathPrefix" => Some(PathRule::Prefix(value)),
        "Exact" => Some(PathRule::Exact(value)),
        "RegularExpression" => Some(PathRule::Pattern(value)),
        _ => None,
    };
    let others = at.keys().any(|(key, _)| !["path", "method", "name"].contains(&key));
    let method = at.str_of("method").map(|m| Name::from(m.to_ascii_uppercase()));
    Match {
        perhaps: others || rule.is_none(),
        path: rule.unwrap_or(PathRule::Any),
        methods: method.into_iter().collect(),
    }
}

fn grpc_match(at: At<'_>) -> Match {
    let method = at.field("method");
    let exact = method.and_then(|m| m.str_of("type")).is_none_or(|t| t == "Exact");
    let part = |field: &str| method.filter(|_| exact).and_then(|m| m.str_of(field));
    let path = match (part("service"), part("method")) {
        (Some(service), Some(method)) => PathRule::Exact(Name::from(format!("/{service}/{method}"))),
        (Some(service), None) => PathRule::Prefix(Name::from(format!("/{service}/"))),
        _ => PathRule::Any,
    };
    let others = at.keys().any(|(key, _)| !["method", "name"].contains(&key));
    Match { perhaps: others || (method.is_some() && path == PathRule::Any), path, methods: Vec::new() }
}

fn codes(at: At<'_>, field: &str) -> Option<Set<Vec<u16>>> {
    at.field(field).map(|f| f.set(f.items().filter_map(|c| c.str()?.parse().ok()).collect()))
}

fn retry(owner: At<'_>) -> Option<Retry> {
    let at = owner.field("retry")?;
    Some(Retry {
        at: owner.entry_span("retry").unwrap_or(at.span()),
        attempts: at.field("attempts").map(|f| f.given(Node::as_count)),
        codes: codes(at, "codes"),
        backoff: duration(at, "backoff"),
    })
}

pub fn gateway(object: Object<'_>) -> Gateway {
    let hostnames = object.list("listeners").filter_map(|l| name(l, "hostname"));
    Gateway {
        name: Name::new(object.name),
        namespace: object.namespace.map(Name::new),
        class: object.spec.and_then(|s| name(s, "gateway_class_name")).unwrap_or_else(|| Name::new("")),
        hostnames: hostnames.collect(),
    }
}

pub fn traffic_policy(object: Object<'_>) -> Option<TrafficPolicy> {
    let spec = object.spec?;
    let target = |at: At<'_>| Some((name(at, "kind")?, name(at, "name")?));
    let targets = spec.list("target_refs").chain(spec.field("target_ref"));
    Some(TrafficPolicy {
        targets: targets.filter_map(target).collect(),
        namespace: object.namespace.map(Name::new),
        retry: policy_retry(spec),
        request_timeout: spec.at(&["timeout", "http"]).and_then(|t| duration(t, "request_timeout")),
        connect_timeout: spec.at(&["timeout", "tcp"]).and_then(|t| duration(t, "connect_timeout")),
        brake: spec.field("circuit_breaker").map(brake),
    })
}

fn policy_retry(spec: At<'_>) -> Option<PolicyRetry> {
    let at = spec.field("retry")?;
    let on = at.field("retry_on");
    let per = at.field("per_retry");
    let triggers = on.and_then(|o| o.field("triggers")).map(|t| t.set(t.items().filter_map(At::name).collect()));
    let wait = per.and_then(|p| p.field("back_off"));
    Some(PolicyRetry {
        at: spec.entry_span("retry").unwrap_or(at.span()),
        num_retries: at.field("num_retries").map(|f| f.given(Node::as_count)),
        listed: on.is_some(),
        triggers,
        codes: on.and_then(|o| codes(o, "http_status_codes")),
        timeout: per.and_then(|p| duration(p, "timeout")),
        base_interval: wait.and_then(|w| duration(w, "base_interval")),
        max_interval: wait.and_then(|w| duration(w, "max_interval")),
    })
}

fn brake(at: At<'_>) -> Brake {
    let budget = at.field("retry_budget").and_then(|b| {
        let percent = b.field("percent")?;
        let number = |field: &str| percent.count(field).and_then(|n| n.is().copied());
        Some((b.span(), number("numerator")? as f64 / number("denominator").unwrap_or(100).max(1) as f64))
    });
    Brake { at: at.span(), max_parallel_retries: at.count("max_parallel_retries"), budget }
}
