//! Emissary: Mappings, and the policy of the Module for those that have none.

use std::time::Duration;

use super::conditions;
use super::defaults::emissary as rules;
use super::object::{self, Object};
use super::plan::{Does, Layer, Match, Pass, Route, Table, To};
use super::said::{Said, nearby};
use super::time::{self, limit, shown};
use crate::effect::{Deadline, DeadlineKind, Form, Passes};
use crate::fact::{Callers, Facts, PathRule};
use crate::frontend::envoy::rules::rules as envoy;
use crate::frontend::field::{At, Set};
use crate::name::Name;
use crate::source::Span;
use crate::value::Value;

const GROUP: &str = "getambassador.io";

pub fn tables(objects: &[Object<'_>], facts: &mut Facts) -> Vec<Table> {
    let module = objects.iter().find(|o| o.is(GROUP, "Module")).and_then(|o| o.spec?.field("config"));
    let mut found = Vec::new();
    for object in objects.iter().filter(|o| o.is(GROUP, "Mapping")) {
        let Some(spec) = object.spec.filter(|s| !s.flag("shadow")) else { continue };
        let mut said = Said { facts, object: object.shown(), system: "Emissary" };
        found.extend(table(*object, spec, module, &mut said));
    }
    found
}

fn table(object: Object<'_>, spec: At<'_>, module: Option<At<'_>>, said: &mut Said<'_>) -> Option<Table> {
    let hostname = spec.str_of("hostname").or_else(|| spec.str_of("host"));
    let named = hostname.filter(|h| *h != "*" && !spec.flag("host_regex"));
    let does = match spec.has("host_redirect") {
        true => Does::Answer(None),
        false => Does::Pass(Box::new(pass(object, spec, module, said)?)),
    };
    let route = Route { at: object.at(), matches: vec![matching(spec)], does, way_in: true };
    Some(Table {
        file: object.root.file(),
        object: Name::from(object.shown()),
        namespace: object.namespace.map(Name::new),
        service: Name::new(named.unwrap_or(object.name)),
        names: named.map(|h| Name::from(h.to_ascii_lowercase())).into_iter().collect(),
        callers: Callers::Everybody,
        form: Form::Proxy,
        answers: envoy().answers(),
        routes: vec![route],
    })
}

fn matching(spec: At<'_>) -> Match {
    let prefix = spec.field("prefix").and_then(At::name);
    let path = match prefix {
        Some(pattern) if spec.flag("prefix_regex") => PathRule::Pattern(Name::from(format!("^(?:{pattern})$"))),
        Some(exact) if spec.flag("prefix_exact") => PathRule::Exact(exact),
        Some(prefix) => PathRule::Prefix(prefix),
        None => PathRule::Any,
    };
    let method = spec.str_of("method").filter(|_| !spec.flag("method_regex"));
    let others = ["headers", "regex_headers", "query_parameters", "weight", "precedence", "method_regex"];
    Match {
        path,
        whole_segments: false,
        methods: method.map(|m| Name::from(m.to_ascii_uppercase())).into_iter().collect(),
        perhaps: others.iter().any(|f| spec.has(f)),
    }
}

fn pass(object: Object<'_>, spec: At<'_>, module: Option<At<'_>>, said: &mut Said<'_>) -> Option<Pass> {
    let to = to(object, spec.text("service")?)?;
    let own = |field: &str, of_all: &str| milliseconds(spec, field).or_else(|| milliseconds(module?, of_all));
    let written = own("timeout_ms", "cluster_request_timeout_ms");
    let total = match &written {
        Some((0, _)) => None,
        Some((ms, at)) => Some(Deadline::new(DeadlineKind::Total, Value::Number(*ms), *at)),
        None => Some(Deadline::default_of(DeadlineKind::Total, Value::Number(rules().route_timeout.ms()), object.at())),
    };
    let owner = Some(spec).filter(|s| s.has("retry_policy")).or(module.filter(|m| m.has("retry_policy")));
    let (layer, tries) = owner.and_then(|o| layer(o, &total, said)).unzip();
    let connect = match own("connect_timeout_ms", "cluster_connect_timeout_ms") {
        Some((ms, at)) => Deadline::new(DeadlineKind::Connect, Value::Number(ms), at),
        None => Deadline::default_of(DeadlineKind::Connect, Value::Number(rules().connect_timeout.ms()), object.at()),
    };
    let tries = tries.flatten().map(|(ms, at)| Deadline::new(DeadlineKind::Total, Value::Number(ms), at));
    Some(Pass {
        to: vec![to],
        passes: Some(passes(spec)),
        per_try: [connect].into_iter().chain(tries).collect(),
        layer,
        total: total.into_iter().collect(),
        ..Pass::default()
    })
}

fn milliseconds(at: At<'_>, field: &str) -> Option<(u64, Span)> {
    let set = at.count(field)?;
    set.is().map(|ms| (*ms, set.at))
}

/// `[scheme://]name[.namespace][:port]`, in the Mapping's namespace unless it names one.
fn to(object: Object<'_>, service: Set<Name>) -> Option<To> {
    let text = service.is()?;
    let bare = text.split_once("://").map_or(text.as_str(), |(_, rest)| rest);
    let (host, port) = bare.split_once(':').map_or((bare, None), |(host, port)| (host, Some(port)));
    let full = match host.split_once('.') {
        Some((name, namespace)) if !namespace.contains('.') => Name::from(object::service(name, namespace)),
        _ => object.resolve(host),
    };
    let address = port.map_or_else(|| object::address(&full), |port| Name::from(format!("{full}:{port}")));
    Some(To { named: Name::new(host), address: Some(address), at: service.at, inbound: None })
}

/// The prefix is taken away unless `rewrite` says otherwise; an empty one leaves the path alone.
fn passes(spec: At<'_>) -> Passes {
    let prefix = spec.str_of("prefix").unwrap_or("/");
    if spec.flag("prefix_regex") || spec.has("regex_rewrite") {
        return Passes::Unknown;
    }
    match spec.str_of("rewrite") {
        Some("") => Passes::Same,
        to => Passes::Prefix { from: Name::new(prefix), to: Name::new(to.unwrap_or("/")) },
    }
}

/// A policy and its limit for one try; one whose condition is wrong is dropped.
fn layer(owner: At<'_>, total: &Option<Deadline>, said: &mut Said<'_>) -> Option<(Layer, Option<(u64, Span)>)> {
    let at = owner.field("retry_policy")?;
    let span = owner.entry_span("retry_policy").unwrap_or(at.span());
    said.misspelt(at, "retry_policy", &rules().fields());
    let condition = at.text("retry_on");
    let word = condition.as_ref().and_then(Set::is).map_or("", |w| w.as_str());
    if !rules().knows(word) {
        // An empty block asks for nothing.
        if at.keys().next().is_some() && condition.as_ref().is_none_or(|c| c.is().is_some()) {
            refused(word, condition.as_ref().map_or(span, |c| c.at), said);
        }
        return None;
    }
    let set = at.count("num_retries");
    said.refused(set.as_ref(), "retry_policy.num_retries", "whole number");
    let default = &rules().retries;
    let attempts = conditions::attempts(set.as_ref(), "num_retries", span, Some((default.value, &default.source)))?;
    let again = conditions::of([word], &[], false).again;
    let tries = per_try(at, total, said);
    let wait = conditions::backoff(None, None, span);
    let mut seen = conditions::seen(None);
    seen.dead_per_try = tries.is_none() && at.has("per_try_timeout");
    Some((Layer { attempts, again, wait, seen, per_try_ms: tries.map(|(ms, _)| ms), ..Layer::new(span) }, tries))
}

fn refused(word: &str, at: Span, said: &mut Said<'_>) {
    let (message, help) = match word {
        "" => ("a retry_policy without retry_on is an error: Emissary drops it".to_owned(), None),
        list if list.contains(',') => {
            (format!("Emissary drops a retry_policy with the list `{list}`: retry_on is one condition"), None)
        }
        other => (
            format!("Emissary drops a retry_policy with retry_on `{other}`: no condition of that name"),
            nearby(other, &rules().words()).map(|m| format!("did you mean `{m}`?")),
        ),
    };
    let help = help.unwrap_or("name one of `5xx`, `gateway-error`, `connect-failure`, `retriable-4xx`".to_owned());
    said.rejected(at, "retry_policy.retry_on", message, &help);
}

/// The limit for one try, where it is below that for all.
fn per_try(at: At<'_>, total: &Option<Deadline>, said: &mut Said<'_>) -> Option<(u64, Span)> {
    let set: Option<Set<Duration>> = at.field("per_try_timeout").map(|f| f.given(|n| n.as_str().and_then(time::go)));
    said.refused(set.as_ref(), "retry_policy.per_try_timeout", "duration such as `250ms`");
    let tries = limit(set.as_ref())?;
    let all = total.as_ref().and_then(|t| t.limit.number());
    let Some(all) = all.filter(|all| tries.0 >= *all) else { return Some(tries) };
    let of = |ms: u64| shown(Duration::from_millis(ms));
    let message = format!(
        "per_try_timeout {} is ignored: it is not below the timeout of {} for all tries of the Mapping",
        of(tries.0),
        of(all)
    );
    said.dead(
        tries.1,
        "retry_policy.per_try_timeout",
        message,
        "raise timeout_ms, which is 3000 where none is written",
    );
    None
}
