//! Contour: the routes of HTTPProxies.

use std::time::Duration;

use super::defaults::contour as rules;
use super::object::{self, Object};
use super::plan::{Does, Layer, Match, Pass, Route, Table, To};
use super::said::{Said, nearby};
use super::time::{self, limit, shown};
use super::{conditions, defaults};
use crate::class::FailureClass;
use crate::effect::{Deadline, DeadlineKind, Form};
use crate::fact::{Callers, Facts, PathRule};
use crate::frontend::envoy::rules::rules as envoy;
use crate::frontend::field::{At, Given, Set};
use crate::name::Name;
use crate::value::Value;

const GROUP: &str = "projectcontour.io";
const A_NUMBER: &str = "whole number, -1 for none";

pub fn tables(objects: &[Object<'_>], facts: &mut Facts) -> Vec<Table> {
    let mut found = Vec::new();
    for object in objects.iter().filter(|o| o.is(GROUP, "HTTPProxy")) {
        let mut said = Said { facts, object: object.shown(), system: "Contour" };
        let routes: Vec<Route> = object.list("routes").map(|at| route(*object, at, &mut said)).collect();
        if !routes.is_empty() {
            found.push(table(*object, routes));
        }
    }
    found
}

fn table(object: Object<'_>, routes: Vec<Route>) -> Table {
    let fqdn = object.spec.and_then(|s| s.at(&["virtualhost", "fqdn"])).and_then(At::str);
    Table {
        file: object.root.file(),
        object: Name::from(object.shown()),
        namespace: object.namespace.map(Name::new),
        service: Name::new(fqdn.unwrap_or(object.name)),
        names: fqdn.map(|f| Name::from(f.to_ascii_lowercase())).into_iter().collect(),
        callers: Callers::Everybody,
        form: Form::Proxy,
        answers: envoy().answers(),
        routes,
    }
}

fn route(object: Object<'_>, at: At<'_>, said: &mut Said<'_>) -> Route {
    let status = at.at(&["direct_response_policy", "status_code"]).and_then(|s| s.str()?.parse().ok());
    let does = match () {
        () if at.has("request_redirect_policy") => Does::Answer(None),
        () if at.has("direct_response_policy") => Does::Answer(status.and_then(FailureClass::of_status)),
        () => Does::Pass(Box::new(pass(object, at, said))),
    };
    Route { at: at.span(), matches: vec![matching(at)], does, way_in: true }
}

/// All conditions of a route must hold.
fn matching(at: At<'_>) -> Match {
    let rule = |field: &str| at.list("conditions").find_map(|c| c.field(field)).and_then(At::name);
    let prefix = rule("prefix").filter(|p| **p != *"/").map(PathRule::Prefix);
    let pattern = || rule("regex").map(|r| PathRule::Pattern(Name::from(format!("^(?:{r})$"))));
    let path = prefix.or_else(|| rule("exact").map(PathRule::Exact)).or_else(pattern);
    let others = at.list("conditions").any(|c| c.has("header") || c.has("query_parameter"));
    Match { path: path.unwrap_or(PathRule::Any), whole_segments: true, methods: Vec::new(), perhaps: others }
}

fn pass(object: Object<'_>, at: At<'_>, said: &mut Said<'_>) -> Pass {
    let (copies, services): (Vec<At<'_>>, Vec<At<'_>>) = at.list("services").partition(|s| s.flag("mirror"));
    let total = total(at, said);
    let layer = layer(at, &total, said);
    let connect = rules().connect_timeout.ms();
    let per_try = vec![Deadline::default_of(DeadlineKind::Connect, Value::Number(connect), at.span())];
    let written = at.at(&["retry_policy"]).and_then(|p| duration(p, "per_try_timeout"));
    let mut pass = Pass {
        to: services.into_iter().filter_map(|s| to(object, s)).collect(),
        mirrors: copies.into_iter().filter_map(|s| to(object, s)).collect(),
        per_try,
        layer,
        total: total.into_iter().collect(),
        ..Pass::default()
    };
    if let Some(tries) = limit(written.as_ref()) {
        pass.limit_tries(tries);
    }
    pass
}

fn fits(ms: u64, total: &Option<Deadline>) -> bool {
    total.as_ref().and_then(|t| t.limit.number()).is_none_or(|all| ms < all)
}

fn to(object: Object<'_>, at: At<'_>) -> Option<To> {
    let named = at.field("name").and_then(At::name)?;
    let host = object.resolve(&named);
    let port = at.count("port").and_then(|p| p.is().copied());
    let address = port.map_or_else(|| object::address(&host), |port| Name::from(format!("{host}:{port}")));
    Some(To { named, address: Some(address), at: at.span(), inbound: None })
}

fn duration(at: At<'_>, field: &str) -> Option<Set<Duration>> {
    at.field(field).map(|f| f.given(|n| n.as_str().and_then(time::go)))
}

/// `infinity` is no limit; nothing, and 0, are the default.
fn total(at: At<'_>, said: &mut Said<'_>) -> Option<Deadline> {
    let response = at.at(&["timeout_policy", "response"]);
    if response.and_then(At::str).is_some_and(|t| matches!(t, "infinity" | "infinite")) {
        return None;
    }
    let set = response.map(|r| r.given(|n| n.as_str().and_then(time::go)));
    if let Some(zero) = set.as_ref().filter(|s| s.is() == Some(&Duration::ZERO)) {
        let default = shown(Duration::from_millis(rules().route_timeout.ms()));
        let message =
            format!("a response timeout of 0 switches nothing off: Contour takes it for not written, {default}");
        said.dead(zero.at, "timeoutPolicy.response", message, "write `infinity` for no limit");
    }
    Some(match limit(set.as_ref()) {
        Some((ms, at)) => Deadline::new(DeadlineKind::Total, Value::Number(ms), at),
        None => {
            let ms = rules().route_timeout.ms();
            Deadline::default_of(DeadlineKind::Total, Value::Number(ms), at.span())
        }
    })
}

fn layer(route: At<'_>, total: &Option<Deadline>, said: &mut Said<'_>) -> Option<Layer> {
    let at = route.field("retry_policy")?;
    let span = route.entry_span("retry_policy").unwrap_or(at.span());
    said.misspelt(at, "retryPolicy", &rules().fields());
    // -1 is none.
    let off = at.str_of("count").is_some_and(|c| c.trim() == "-1");
    let count: Option<Set<u64>> = at.count("count").filter(|_| !off);
    said.refused(count.as_ref(), "retryPolicy.count", A_NUMBER);
    if let Some(zero) = count.as_ref().filter(|c| c.is() == Some(&0)) {
        let message = "a count of 0 does not switch retries off: Contour takes it for not written, which is 1 retry";
        said.dead(zero.at, "retryPolicy.count", message.to_owned(), "write -1 for none");
    }
    per_try(at, total, said);
    let words: Vec<&str> = at.list("retry_on").filter_map(At::str).collect();
    unknown(at, &words, said);
    let default = [rules().retry_on.value.as_str()];
    let words = if words.is_empty() { &default[..] } else { &words };
    let named = words.contains(&"retriable-status-codes");
    let codes: Vec<u16> = at.list("retriable_status_codes").filter_map(|c| c.str()?.parse().ok()).collect();
    let found =
        conditions::of(words.iter().copied().filter(|w| rules().knows(w)), if named { &codes } else { &[] }, false);
    let set = count.filter(|c| !matches!(c.value, Given::Is(0)));
    let implied: &defaults::Default<u64> = &rules().retries;
    let attempts = conditions::attempts(set.as_ref(), "count", span, Some((implied.value, &implied.source)))?;
    let seen = conditions::seen(found.permanent.then_some(span));
    let wait = conditions::backoff(None, None, span);
    (!off).then(|| Layer { attempts, again: found.again, wait, seen, ..Layer::new(span) })
}

fn per_try(at: At<'_>, total: &Option<Deadline>, said: &mut Said<'_>) {
    let set = duration(at, "per_try_timeout");
    if let Some(Set { value: Given::Wrong(text), at }) = &set {
        let message =
            format!("perTryTimeout `{text}` does nothing: it is no duration, and Contour takes it for not written");
        return said.dead(*at, "retryPolicy.perTryTimeout", message, "write a duration such as `250ms`");
    }
    let Some((ms, at)) = limit(set.as_ref()).filter(|(ms, _)| !fits(*ms, total)) else { return };
    let all = total.as_ref().and_then(|t| t.limit.number()).unwrap_or(0);
    let of = |ms: u64| shown(Duration::from_millis(ms));
    let message = format!("perTryTimeout {} is ignored: it is not below the response timeout of {}", of(ms), of(all));
    said.dead(at, "retryPolicy.perTryTimeout", message, "set it below timeoutPolicy.response, divided by the attempts");
}

fn unknown(at: At<'_>, words: &[&str], said: &mut Said<'_>) {
    let Some(word) = words.iter().find(|w| !rules().knows(w)) else { return };
    let span = at.entry_span("retry_on").unwrap_or(at.span());
    let meant = nearby(word, &rules().words()).map(|m| format!("did you mean `{m}`?"));
    let help = meant.unwrap_or("name a condition such as `5xx` or `connect-failure`".to_owned());
    said.rejected(
        span,
        "retryPolicy.retryOn",
        format!("Contour refuses the condition `{word}`: none of that name"),
        &help,
    );
}
