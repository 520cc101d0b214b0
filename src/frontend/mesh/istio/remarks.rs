//! What is said of Istio's settings themselves: those that do nothing, that Istio refuses, that limit nothing.

use super::config::{Retries, Route, Traffic, VirtualService};
use super::plan::Istio;
use super::rules::rules;
use crate::fact::RemarkKind;
use crate::frontend::envoy::rules::rules as envoy;
use crate::frontend::field::At;
use crate::frontend::mesh::conditions;
use crate::frontend::mesh::object::Object;
use crate::frontend::mesh::said::{Said, nearby};
use crate::frontend::mesh::time::{limit, shown};
use crate::source::Span;

const A_DURATION: &str = "duration such as `250ms` or `2s`";
const A_NUMBER: &str = "whole number of 0 or more";

pub fn virtual_service(istio: &Istio, object: Object<'_>, service: &VirtualService, said: &mut Said<'_>) {
    for (route, at) in service.http.iter().zip(object.list("http")) {
        said.refused(route.timeout.as_ref(), "http.timeout", A_DURATION);
        let Some(retries) = &route.retries else { continue };
        policy(retries, at.field("retries"), said);
        per_try(route, retries, said);
        budget(istio, object, route, retries, said);
    }
}

/// A policy of a route, or a default of the mesh.
pub fn policy(retries: &Retries, written: Option<At<'_>>, said: &mut Said<'_>) {
    let known: Vec<&str> = rules().fields.iter().map(|f| f.as_str()).collect();
    let before = said.facts.remarks.len();
    written.into_iter().for_each(|at| said.misspelt(at, "retries", &known));
    said.refused(retries.attempts.as_ref(), "retries.attempts", A_NUMBER);
    said.refused(retries.per_try_timeout.as_ref(), "retries.perTryTimeout", A_DURATION);
    said.refused(retries.backoff.as_ref(), "retries.backoff", A_DURATION);
    let misspelt = said.facts.remarks.len() > before;
    // An empty block says nothing but that there shall be no retries.
    let shapes = written.is_none_or(|at| at.keys().next().is_some());
    if retries.attempts.is_none() && !misspelt && shapes {
        let message = "a `retries` block without `attempts` turns retries off, the default ones too: 1 attempt";
        let help = "write `attempts`, the number of tries after the first; or take the block out for the default of 2";
        said.dead(retries.at, "retries.attempts", message.to_owned(), help);
        return;
    }
    conditions(retries, said);
}

fn conditions(retries: &Retries, said: &mut Said<'_>) {
    let Some((text, at)) = retries.retry_on.as_ref().and_then(|r| Some((r.is()?, r.at))) else { return };
    for word in text.split(',').filter(|w| !w.is_empty()) {
        if conditions::code(word).is_none() && envoy().word(word).is_none() {
            let (message, help) = unknown(word);
            return said.rejected(at, "retries.retryOn", message, &help);
        }
    }
}

fn unknown(word: &str) -> (String, String) {
    let bare = word.trim();
    if bare != word && (conditions::code(bare).is_some() || envoy().word(bare).is_some()) {
        let message = format!("Istio refuses `{word}` in retryOn: it does not strip the blanks around `{bare}`");
        return (message, "write the conditions with commas and without blanks between".to_owned());
    }
    let meant = nearby(bare, &envoy().words());
    let help = meant
        .map_or("name a condition such as `5xx`, `reset`, `connect-failure`, or a status".to_owned(), |m| {
            format!("did you mean `{m}`?")
        });
    (format!("Istio refuses `{bare}` in retryOn: no condition of that name, and no status"), help)
}

fn per_try(route: &Route, retries: &Retries, said: &mut Said<'_>) {
    let off = retries.attempts.as_ref().is_none_or(|a| a.is() == Some(&0));
    let Some((tries, total)) = limit(retries.per_try_timeout.as_ref()).zip(limit(route.timeout.as_ref())) else {
        return;
    };
    if off || tries.0 < total.0 {
        return;
    }
    let of = |ms: u64| shown(std::time::Duration::from_millis(ms));
    let message = format!(
        "perTryTimeout {} is ignored: it is not below the route's timeout of {}, so a server that hangs gets 1 attempt",
        of(tries.0),
        of(total.0)
    );
    said.dead(tries.1, "retries.perTryTimeout", message, "set it below the route's timeout, divided by the attempts");
}

fn budget(istio: &Istio, object: Object<'_>, route: &Route, retries: &Retries, said: &mut Said<'_>) {
    let super::config::Action::Destinations(all) = &route.action else { return };
    let number = retries.attempts.as_ref().and_then(|a| a.is().copied()).unwrap_or(0);
    let Some(first) = all.first().filter(|_| number > 0) else { return };
    let Some(host) = first.host.is() else { return };
    if istio.budget(&object.resolve(host), first.subset.as_ref()).is_some() {
        return;
    }
    let message = format!("retries to `{host}` have no budget: Istio takes Envoy's limit of 3 at the same time away");
    let help = "set `trafficPolicy.retryBudget`, or `connectionPool.http.maxRetries`, in the host's DestinationRule";
    said.say(RemarkKind::NoBudget, retries.at, "retries.budget", message, help);
}

pub fn traffic(traffic: &Traffic, said: &mut Said<'_>) {
    let Some(set) = traffic.max_retries.as_ref() else { return };
    said.refused(Some(set), "connectionPool.http.maxRetries", A_NUMBER);
    if set.is() == Some(&0) {
        zero(set.at, said);
    }
}

fn zero(at: Span, said: &mut Said<'_>) {
    let message =
        "maxRetries 0 does nothing: Istio takes it for not set, and lets any number of retries through at once";
    let help = "to switch retries off write `attempts: 0` in the route's `retries`; to limit them write 1 or more here";
    said.dead(at, "connectionPool.http.maxRetries", message.to_owned(), help);
}
