//! What is said of settings themselves: those that do nothing, that Envoy refuses, that limit nothing, that callers may
//! change.

use std::collections::BTreeMap;
use std::time::Duration;

use super::config::{Action, Budget, Cluster, Given, Manager, Pass, Policy, Range, Set};
use super::emit;
use super::layer::{self, Words};
use super::route::{self, Around};
use super::rules::rules;
use super::system::System;
use crate::fact::{Facts, Remark, RemarkKind};
use crate::name::Name;
use crate::source::Span;

pub fn remarks(system: &System<'_>, facts: &mut Facts) {
    let mut said = Said { facts };
    policies(system, &mut said);
    for source in &system.sources {
        source.file.managers().for_each(|m| callers(m, &mut said));
        source.file.clusters.iter().for_each(|c| cluster(c, &mut said));
    }
}

struct Said<'f> {
    facts: &'f mut Facts,
}

impl Said<'_> {
    fn say(&mut self, is: RemarkKind, at: Span, context: &str, message: String, help: &str) {
        let context = Name::new(context);
        self.facts.remarks.push(Remark { is, at, context, message, help: help.to_string() });
    }

    /// A value that Envoy does not take.
    fn refused<T>(&mut self, set: Option<&Set<T>>, context: &str, field: &str, wants: &str) {
        if let Some(Set { value: Given::Wrong(text), at }) = set {
            let message = format!("Envoy refuses `{field}: {text}`: it is no {wants}");
            self.say(RemarkKind::Rejected, *at, &format!("{context}.{field}"), message, &format!("write {wants}"));
        }
    }
}

const A_DURATION: &str = "duration in seconds, such as `0.25s`";
const A_NUMBER: &str = "whole number of 0 or more";

/// A policy and all the routes that it is for.
struct Uses<'s> {
    policy: &'s Policy,
    routes: Vec<(Around<'s>, &'s Pass)>,
}

fn policies(system: &System<'_>, said: &mut Said<'_>) {
    let mut by_place: BTreeMap<Span, Uses<'_>> = BTreeMap::new();
    for around in emit::routes(system) {
        let Action::Pass(pass) = &around.route.action else { continue };
        self::pass(around, pass, said);
        if let Some(policy) = around.policy(pass) {
            by_place
                .entry(policy.at)
                .or_insert_with(|| Uses { policy, routes: Vec::new() })
                .routes
                .push((around, pass));
        }
    }
    for uses in by_place.values() {
        one_policy(system, uses, said);
    }
}

/// The way to a policy by names, so that it stays the same when something is added beside it.
fn context(around: Around<'_>, pass: &Pass) -> String {
    let host = format!("virtual_hosts.{}", around.host.name);
    match pass.policy {
        Some(_) => format!("{host}.routes.{}.retry_policy", emit::label(around.route)),
        None => format!("{host}.retry_policy"),
    }
}

fn one_policy(system: &System<'_>, uses: &Uses<'_>, said: &mut Said<'_>) {
    let Some((around, pass)) = uses.routes.first() else { return };
    let policy = uses.policy;
    let context = context(*around, pass);
    let context = context.as_str();
    said.refused(policy.num_retries.as_ref(), context, "num_retries", A_NUMBER);
    said.refused(policy.per_try_timeout.as_ref(), context, "per_try_timeout", A_DURATION);
    said.refused(policy.per_try_idle_timeout.as_ref(), context, "per_try_idle_timeout", A_DURATION);
    said.refused(policy.retry_on.as_ref(), context, "retry_on", "text of conditions with commas between");
    for (field, at) in &policy.foreign {
        let belongs = rules().foreign_field(field).map_or("", |b| b.as_str());
        let message = format!("Envoy refuses `{field}` here: no retry policy has a field of that name");
        said.say(
            RemarkKind::Rejected,
            *at,
            &format!("{context}.{field}"),
            message,
            &format!("what it says belongs into {belongs}"),
        );
    }
    back_off(policy, context, said);
    let words = layer::words(policy, around.asked(pass));
    conditions(policy, &words, context, said);
    per_try(uses, context, said);
    let number = layer::attempts(policy).0.number();
    if words.works(policy) && number != Some(1) {
        budget(system, uses, context, said);
        clusters(system, uses).for_each(|c| stopped(c, said));
    }
}

fn conditions(policy: &Policy, words: &Words<'_>, context: &str, said: &mut Said<'_>) {
    if policy.retry_on.as_ref().is_some_and(|r| r.is().is_none()) {
        return;
    }
    let holder = context;
    let context = format!("{holder}.retry_on");
    let at = policy.retry_on.as_ref().map_or(policy.at, |r| r.at);
    let known = "name a condition that Envoy knows, such as `5xx`, `gateway-error`, `connect-failure` or `retriable-status-codes`";
    if !words.unknown.is_empty() {
        let list: Vec<String> = words.unknown.iter().map(|w| format!("`{w}`")).collect();
        let rest = if words.known.is_empty() { "; the policy never retries: 1 attempt" } else { "" };
        let message = format!("Envoy ignores {} in retry_on: no condition of that name{rest}", list.join(", "));
        return said.say(RemarkKind::Dead, at, &context, message, known);
    }
    let lists = [policy.num_retries.is_some(), policy.status_codes.is_some(), policy.back_off.is_some()];
    if words.known.is_empty() && lists.contains(&true) {
        let number = policy.num_retries.as_ref().and_then(Set::is);
        let what = number.map_or("the retry policy".to_string(), |n| format!("num_retries {n}"));
        let message = format!("{what} does nothing: the policy has no retry_on, so Envoy makes 1 attempt");
        return said.say(RemarkKind::Dead, policy.at, &context, message, known);
    }
    lists_and_words(policy, words, holder, said);
}

/// A list without its word, and a word without its list.
fn lists_and_words(policy: &Policy, words: &Words<'_>, holder: &str, said: &mut Said<'_>) {
    let codes = policy.status_codes.as_ref();
    let has_codes = codes.and_then(Set::is).is_some_and(|c| !c.is_empty());
    let context = format!("{holder}.retriable_status_codes");
    let word = "retriable-status-codes";
    if let Some(codes) = codes.filter(|_| has_codes && !words.asks_codes && !words.known.is_empty()) {
        let message = format!("retriable_status_codes does nothing: retry_on does not hold `{word}`");
        said.say(
            RemarkKind::Dead,
            codes.at,
            &context,
            message,
            &format!("add `{word}` to retry_on, or take the list out"),
        );
    }
    if words.asks_codes && !has_codes {
        let at = policy.retry_on.as_ref().map_or(policy.at, |r| r.at);
        let message = format!("`{word}` does nothing: the policy lists no retriable_status_codes");
        said.say(RemarkKind::Dead, at, &context, message, "list the codes in retriable_status_codes");
    }
    if words.asks_headers && !policy.headers {
        let at = policy.retry_on.as_ref().map_or(policy.at, |r| r.at);
        let message = "`retriable-headers` does nothing: the policy lists no retriable_headers".to_string();
        let context = format!("{holder}.retriable_headers");
        said.say(RemarkKind::Dead, at, &context, message, "list the headers in retriable_headers");
    }
}

/// Said only where no route that has the policy leaves room for the limit.
fn per_try(uses: &Uses<'_>, context: &str, said: &mut Said<'_>) {
    let Some(set) = uses.policy.per_try_timeout.as_ref() else { return };
    let Some(limit) = set.is().filter(|d| !d.is_zero()) else { return };
    let totals: Vec<Option<Duration>> = uses.routes.iter().map(|(_, pass)| route::total(pass)).collect();
    let largest = totals.iter().copied().collect::<Option<Vec<Duration>>>().and_then(|all| all.into_iter().max());
    let Some(largest) = largest.filter(|total| limit >= total) else { return };
    let message = format!(
        "per_try_timeout {} is ignored: it is not below the route's timeout of {}, so a server that hangs gets 1 attempt",
        shown(*limit),
        shown(largest)
    );
    let context = format!("{context}.per_try_timeout");
    said.say(RemarkKind::Dead, set.at, &context, message, "set it below the route's timeout, divided by the attempts");
}

fn back_off(policy: &Policy, context: &str, said: &mut Said<'_>) {
    let Some(back_off) = &policy.back_off else { return };
    let context = format!("{context}.retry_back_off");
    said.refused(back_off.base.as_ref(), &context, "base_interval", A_DURATION);
    said.refused(back_off.max.as_ref(), &context, "max_interval", A_DURATION);
    let (base, max) = (back_off.base.as_ref(), back_off.max.as_ref().and_then(Set::is));
    let wrong = match (base.map(|b| (b, b.is())), max) {
        (None, _) => Some("retry_back_off without base_interval".to_string()),
        (Some((_, Some(base))), _) if base.is_zero() => Some("a base_interval of 0 s".to_string()),
        (Some((_, Some(base))), Some(max)) if max < base => {
            Some(format!("a max_interval of {} below the base_interval of {}", shown(*max), shown(*base)))
        }
        _ => None,
    };
    if let Some(wrong) = wrong {
        let help = "give a base_interval above 0 and a max_interval that is not below it";
        said.say(RemarkKind::Rejected, back_off.at, &context, format!("Envoy refuses {wrong}"), help);
    }
}

/// The clusters that the routes of a policy name.
fn clusters<'s>(system: &'s System<'s>, uses: &'s Uses<'s>) -> impl Iterator<Item = &'s Cluster> {
    let of = move |(around, pass): &'s (Around<'s>, &'s Pass)| {
        pass.to.clusters.iter().filter_map(move |c| system.cluster(around.file, c.is()?))
    };
    uses.routes.iter().flat_map(of)
}

fn budget(system: &System<'_>, uses: &Uses<'_>, context: &str, said: &mut Said<'_>) {
    let mut without: Vec<(&str, String)> =
        clusters(system, uses).filter_map(|c| Some((c.name.as_str(), unlimited(c)?))).collect();
    without.sort_unstable();
    without.dedup();
    let Some((name, brake)) = without.first() else { return };
    let more = if without.len() > 1 { format!(", and {} more", without.len() - 1) } else { String::new() };
    let message = format!("retries to `{name}`{more} have no budget: {brake}");
    let help = "set a retry_budget in the cluster's circuit_breakers, such as 20 % with a min_retry_concurrency of 3";
    said.say(RemarkKind::NoBudget, uses.policy.at, &format!("{context}.budget"), message, help);
}

/// What brakes a cluster's retries, if it is no budget that limits anything.
fn unlimited(cluster: &Cluster) -> Option<String> {
    match &cluster.budget {
        Some(Budget { percent, min_concurrency, .. }) => {
            let percent = percent.as_ref().and_then(Set::is).copied().unwrap_or(rules().defaults.budget_percent.value);
            let least = min_concurrency.as_ref().and_then(Set::is).copied().unwrap_or(0);
            if percent >= 100.0 {
                return Some(format!("a budget of {percent} % lets every request be repeated"));
            }
            (least > 1000).then(|| format!("a min_retry_concurrency of {least} is never reached"))
        }
        None => {
            let set = cluster.max_retries.as_ref();
            let most = set.map_or(Some(rules().defaults.max_retries.value), |m| m.is().copied())?;
            (most > 0).then(|| format!("up to {most} at the same time, however small the traffic"))
        }
    }
}

fn pass(around: Around<'_>, pass: &Pass, said: &mut Said<'_>) {
    let context = format!("virtual_hosts.{}.routes.{}.route", around.host.name, emit::label(around.route));
    said.refused(pass.timeout.as_ref(), &context, "timeout", A_DURATION);
    said.refused(pass.idle_timeout.as_ref(), &context, "idle_timeout", A_DURATION);
    let Some(hedge) = around.hedge(pass) else { return };
    let works = around.policy(pass).is_some_and(|p| layer::words(p, around.asked(pass)).works(p));
    let missing = match (works, route::per_try(around, pass)) {
        (false, _) => "no retry policy with a condition",
        (true, None) => "no per_try_timeout below the route's timeout",
        (true, Some(_)) => return hedged(around, pass, hedge.at, &context, said),
    };
    let message = format!("hedge_on_per_try_timeout does nothing: the route has {missing}");
    said.say(
        RemarkKind::Dead,
        hedge.at,
        &format!("{context}.hedge_policy"),
        message,
        "give the route both, or take it out",
    );
}

/// Every try that is late goes on beside those that follow it.
fn hedged(around: Around<'_>, pass: &Pass, at: Span, context: &str, said: &mut Said<'_>) {
    let number = around.policy(pass).and_then(|p| layer::attempts(p).0.number());
    let together = number.map_or("all its attempts".to_string(), |n| format!("up to {n} requests"));
    let message = format!(
        "a slow request is not given up when the next one starts: {together} to `{}` can run beside each other, unsafe methods among them",
        emit::label(around.route)
    );
    let help = "let the per-try timeout end a try, or hedge reads alone and with a budget";
    said.say(RemarkKind::Hedged, at, &format!("{context}.hedge_policy"), message, help);
}

fn callers(manager: &Manager, said: &mut Said<'_>) {
    let Some(ranges) = &manager.internal_ranges else { return };
    let all = ranges.is().into_iter().flatten().find(|r| covers_everybody(r));
    if let Some(range) = all {
        let message = format!(
            "anybody counts as internal ({}/{}), so the header x-envoy-max-retries of any caller sets the number of retries",
            range.prefix, range.length
        );
        let help = "name the ranges of your own callers in cidr_ranges, or take internal_address_config out";
        said.say(RemarkKind::CallersDecide, ranges.at, "internal_address_config", message, help);
    }
}

fn covers_everybody(range: &Range) -> bool {
    range.length == 0 && (range.prefix.contains('.') || range.prefix.contains(':'))
}

fn cluster(cluster: &Cluster, said: &mut Said<'_>) {
    let context = format!("clusters.{}", cluster.name);
    said.refused(cluster.connect_timeout.as_ref(), &context, "connect_timeout", A_DURATION);
    said.refused(cluster.max_retries.as_ref(), &context, "max_retries", A_NUMBER);
    if let Some(set) = cluster.max_requests_per_connection.as_ref().filter(|m| m.is() == Some(&1)) {
        let message =
            format!("max_requests_per_connection 1: every request to `{}` opens a connection of its own", cluster.name);
        let context = format!("{context}.max_requests_per_connection");
        said.say(RemarkKind::NoReuse, set.at, &context, message, "take it out, or raise it");
    }
}

/// A cluster that lets no retry through, and routes that would retry.
fn stopped(cluster: &Cluster, said: &mut Said<'_>) {
    let Some(most) = layer::forbids(cluster) else { return };
    let message = format!("max_retries 0 stops every retry to `{}`: 1 attempt, whatever its routes say", cluster.name);
    let help = "raise it, or set a retry_budget; or take the retry policies out";
    said.say(RemarkKind::Dead, most.at, &format!("clusters.{}.max_retries", cluster.name), message, help);
}

fn shown(duration: Duration) -> String {
    format!("{} s", duration.as_secs_f64())
}
