//! ServiceProfiles: which requests may be repeated, as long as a budget of the whole service lasts.

use std::time::Duration;

use super::rules::rules;
use super::{connect, shell, to};
use crate::effect::{Budget, Deadline, DeadlineKind, Share};
use crate::fact::{Facts, PathRule, RemarkKind};
use crate::frontend::field::{At, Set};
use crate::frontend::mesh::conditions;
use crate::frontend::mesh::object::{self, Object};
use crate::frontend::mesh::plan::{Does, Layer, Match, Pass, Route, Table};
use crate::frontend::mesh::said::Said;
use crate::frontend::mesh::time;
use crate::frontend::mesh::time::limit;
use crate::name::Name;
use crate::value::{Origin, OriginKind, Value};

const GROUP: &str = "linkerd.io";
/// All of `retryBudget`, which has no defaults once it is written.
const BUDGET: [&str; 3] = ["retryRatio", "minRetriesPerSecond", "ttl"];

pub fn is_profile(object: &Object<'_>) -> bool {
    object.is(GROUP, "ServiceProfile")
}

pub fn tables(objects: &[Object<'_>], facts: &mut Facts) -> Vec<Table> {
    let mut found = Vec::new();
    for object in objects.iter().filter(|o| is_profile(o)) {
        let mut said = Said { facts, object: object.shown(), system: "Linkerd" };
        remarks(*object, &mut said);
        found.push(table(*object));
    }
    found
}

/// Its routes, and all other requests, which are passed on and never repeated.
fn table(object: Object<'_>) -> Table {
    let host = Name::from(object.name.to_ascii_lowercase());
    let budget = budget(object);
    let mut routes: Vec<Route> = object.list("routes").map(|at| route(at, &host, budget)).collect();
    let at = object.at();
    let pass = Pass { to: vec![to(&host, object::shown(&host), at)], ..Pass::default() };
    routes.push(Route { at, matches: Vec::new(), does: Does::Pass(Box::new(pass)), way_in: false });
    shell(object, &host, routes)
}

fn route(at: At<'_>, host: &Name, budget: Budget) -> Route {
    let timeout: Option<Set<Duration>> = at.field("timeout").map(|t| t.given(|n| n.as_str().and_then(time::go)));
    let retryable = at.flag("is_retryable");
    let shown = object::shown(host);
    let pass = Pass {
        to: vec![to(host, shown, at.span())],
        per_try: vec![connect(at.span())],
        layer: at.entry_span("is_retryable").filter(|_| retryable).map(|span| Layer {
            attempts: (
                Value::unknown("only the retry budget of the service limits it"),
                Origin { kind: OriginKind::Config, at: Some(span), source: None },
            ),
            again: rules().profile_again(),
            budget: Some(budget),
            seen: conditions::seen(None),
            ..Layer::new(span)
        }),
        total: limit(timeout.as_ref())
            .map(|(ms, at)| Deadline::new(DeadlineKind::Total, Value::Number(ms), at))
            .into_iter()
            .collect(),
        ..Pass::default()
    };
    Route {
        at: at.span(),
        matches: vec![matching(at.field("condition"))],
        does: Does::Pass(Box::new(pass)),
        way_in: true,
    }
}

/// A method and a pattern of paths; conditions put together of others may hold or not.
fn matching(condition: Option<At<'_>>) -> Match {
    let text = |field: &str| condition.and_then(|c| c.str_of(field));
    let path = match text("path_regex") {
        Some(plain) if !plain.contains(|c: char| "\\.+*?()|[]{}^$".contains(c)) => PathRule::Exact(Name::new(plain)),
        Some(pattern) => PathRule::Pattern(Name::from(format!("^(?:{pattern})$"))),
        None => PathRule::Any,
    };
    let others = condition.is_none_or(|c| c.keys().any(|(key, _)| !["method", "pathRegex"].contains(&key)));
    let methods = text("method").map(|m| Name::from(m.to_ascii_uppercase()));
    Match { path, whole_segments: false, methods: methods.into_iter().collect(), perhaps: others }
}

fn budget(object: Object<'_>) -> Budget {
    let written = object.spec.and_then(|s| s.field("retry_budget"));
    let ratio = written.and_then(|b| b.float("retry_ratio")).and_then(|r| r.is().copied());
    let share = Share::Ratio(ratio.unwrap_or(rules().profile.ratio.value));
    Budget { share, at: written.map(At::span) }
}

fn remarks(object: Object<'_>, said: &mut Said<'_>) {
    for at in object.list("routes") {
        let known = ["name", "condition", "responseClasses", "isRetryable", "timeout"];
        said.misspelt(at, "routes", &known);
        let timeout = at.field("timeout").map(|t| t.given(|n| n.as_str().and_then(time::go)));
        said.refused(timeout.as_ref(), "routes.timeout", "duration such as `300ms` or `2s`");
    }
    let Some((spec, at)) = object.spec.and_then(|s| Some((s, s.field("retry_budget")?))) else { return };
    let span = spec.entry_span("retry_budget").unwrap_or(at.span());
    said.misspelt(at, "retryBudget", &BUDGET);
    let missing = BUDGET.iter().find(|field| !at.keys().any(|(key, _)| key == **field));
    if let Some(field) = missing {
        let message = format!("Linkerd refuses a retryBudget without `{field}`");
        return said.rejected(span, "retryBudget", message, "write all three: retryRatio, minRetriesPerSecond and ttl");
    }
    let ratio = at.float("retry_ratio").and_then(|r| r.is().copied()).unwrap_or(0.0);
    if ratio >= 1.0 {
        let message = format!("a retryRatio of {ratio} limits nothing: every request may be repeated");
        said.say(RemarkKind::NoBudget, span, "retryBudget", message, "lower it, for instance to 0.2");
    }
}
