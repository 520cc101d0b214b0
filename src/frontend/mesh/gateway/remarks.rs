//! What is said of settings of the Gateway API and of Envoy Gateway: those that are refused, that do nothing, that limit nothing.

use super::config::{HttpRoute, PolicyRetry, Retry, Rule, TrafficPolicy};
use super::rules::rules;
use crate::effect::Share;
use crate::fact::RemarkKind;
use crate::frontend::envoy::rules::rules as envoy;
use crate::frontend::mesh::object::Object;
use crate::frontend::mesh::said::{Said, nearby};
use crate::frontend::mesh::time::limit;
use crate::frontend::mesh::time::shown;
use std::time::Duration;

const A_DURATION: &str = "duration of the Gateway API: whole numbers with `h`, `m`, `s` or `ms`, such as `1s500ms`";
const A_NUMBER: &str = "whole number";

pub fn route(route: &HttpRoute, object: Object<'_>, said: &mut Said<'_>) {
    for (rule, at) in route.rules.iter().zip(object.list("rules")) {
        said.refused(rule.request.as_ref(), "timeouts.request", A_DURATION);
        said.refused(rule.backend_request.as_ref(), "timeouts.backendRequest", A_DURATION);
        timeouts(rule, said);
        let Some(retry) = &rule.retry else { continue };
        let known: Vec<&str> = rules().fields.iter().map(|f| f.as_str()).collect();
        at.field("retry").into_iter().for_each(|r| said.misspelt(r, "retry", &known));
        self::retry(retry, said);
    }
}

/// `backendRequest` above `request`: the API refuses the object.
fn timeouts(rule: &Rule, said: &mut Said<'_>) {
    let Some((request, each)) = limit(rule.request.as_ref()).zip(limit(rule.backend_request.as_ref())) else { return };
    if each.0 <= request.0 {
        return;
    }
    let of = |ms: u64| shown(Duration::from_millis(ms));
    let message =
        format!("backendRequest {} is longer than request {}: the API refuses the route", of(each.0), of(request.0));
    let help = "set backendRequest, the limit for one try, below request, the limit for all of them";
    said.rejected(each.1, "timeouts.backendRequest", message, help);
}

fn retry(retry: &Retry, said: &mut Said<'_>) {
    said.refused(retry.attempts.as_ref(), "retry.attempts", A_NUMBER);
    said.refused(retry.backoff.as_ref(), "retry.backoff", A_DURATION);
    let Some(codes) = &retry.codes else { return };
    let taken = rules().codes.from..=rules().codes.to;
    let Some(wrong) = codes.is().into_iter().flatten().find(|c| !taken.contains(c)) else { return };
    let message = format!("the API refuses the code {wrong}: it takes {} to {}", taken.start(), taken.end());
    said.rejected(codes.at, "retry.codes", message, "list codes of failures alone");
}

pub fn policy(policy: &TrafficPolicy, object: Object<'_>, said: &mut Said<'_>) {
    said.refused(policy.request_timeout.as_ref(), "timeout.http.requestTimeout", A_DURATION);
    said.refused(policy.connect_timeout.as_ref(), "timeout.tcp.connectTimeout", A_DURATION);
    let Some(retry) = &policy.retry else { return };
    let known: Vec<&str> = rules().policy_fields.iter().map(|f| f.as_str()).collect();
    let written = object.spec.and_then(|s| s.field("retry"));
    written.into_iter().for_each(|r| said.misspelt(r, "retry", &known));
    said.refused(retry.num_retries.as_ref(), "retry.numRetries", A_NUMBER);
    said.refused(retry.timeout.as_ref(), "retry.perRetry.timeout", A_DURATION);
    triggers(retry, said);
    per_retry(policy, retry, said);
    budget(policy, retry, said);
}

fn triggers(retry: &PolicyRetry, said: &mut Said<'_>) {
    let Some(triggers) = &retry.triggers else { return };
    let all = || triggers.is().into_iter().flatten();
    if let Some(word) = all().find(|w| envoy().word(w).is_none()) {
        let meant = nearby(word, &envoy().words()).map(|m| format!("did you mean `{m}`?"));
        let message = format!("Envoy Gateway refuses the trigger `{word}`: there is none of that name");
        let help = meant.unwrap_or("name a trigger such as `connect-failure` or `gateway-error`".to_owned());
        return said.rejected(triggers.at, "retry.retryOn.triggers", message, &help);
    }
    let codes = retry.codes.as_ref().filter(|c| c.is().is_some_and(|c| !c.is_empty()));
    let named = all().any(|w| **w == *"retriable-status-codes");
    if let Some(codes) = codes.filter(|_| all().next().is_some() && !named) {
        let message = "httpStatusCodes does nothing: the triggers do not hold `retriable-status-codes`";
        let help = "add `retriable-status-codes` to the triggers, or take the codes out";
        said.dead(codes.at, "retry.retryOn.httpStatusCodes", message.to_owned(), help);
    }
}

fn per_retry(policy: &TrafficPolicy, retry: &PolicyRetry, said: &mut Said<'_>) {
    let total = limit(policy.request_timeout.as_ref());
    let Some((tries, total)) = limit(retry.timeout.as_ref()).zip(total).filter(|(t, all)| t.0 >= all.0) else { return };
    let of = |ms: u64| shown(Duration::from_millis(ms));
    let message = format!(
        "perRetry.timeout {} is ignored: it is not below the requestTimeout of {}, so a server that hangs gets 1 attempt",
        of(tries.0),
        of(total.0)
    );
    said.dead(tries.1, "retry.perRetry.timeout", message, "set it below requestTimeout, divided by the attempts");
}

fn budget(policy: &TrafficPolicy, retry: &PolicyRetry, said: &mut Said<'_>) {
    if retry.num_retries.as_ref().is_some_and(|n| n.is() == Some(&0)) {
        return;
    }
    let unlimited = match policy.brake.as_ref().map(super::budget).map(|b| b.share) {
        Some(Share::Ratio(ratio)) if ratio < 1.0 => return,
        Some(Share::Ratio(ratio)) => format!("a budget of {} % lets every request be repeated", ratio * 100.0),
        Some(Share::Concurrent(most)) => format!("up to {most} at the same time, however small the traffic"),
        Some(Share::Tokens) => return,
        None => "only Envoy's limit on how many run at the same time is there".to_owned(),
    };
    let help = "set circuitBreaker.retryBudget, such as `percent: {numerator: 20}`";
    said.say(RemarkKind::NoBudget, retry.at, "retry.budget", format!("retries have no budget: {unlimited}"), help);
}
