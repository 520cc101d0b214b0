//! Policies to layers: a place for each name of each policy, with its attempts around one call.
//!
//! Whoever has the config is a client outside of what is seen here, so each name is an operation of its own: it begins where
//! a call to that method does.

use super::read::{Config, Method, MethodConfig, Policy, Set};
use super::rules::rules;
use crate::class::{Endings, FailureClass};
use crate::effect::{
    Budget, Confidence, Deadline, DeadlineKind, Effect, Form, Jitter, Key, Remote, Repeat, RepeatKind, Safety, Shape,
    Share, Stop, Target, Wait,
};
use crate::fact::{Facts, Operation, OperationKind, Place, Request};
use crate::name::Name;
use crate::source::Span;
use crate::value::{Origin, OriginKind, Value};

/// More names of one policy are not followed.
const MOST: usize = 1_000;

/// A policy that clients take.
pub struct Works<'c> {
    pub policy: &'c Policy,
    pub hedges: bool,
    /// As it is written.
    pub written: u64,
}

impl Works<'_> {
    /// Attempts in all: no client makes more than its own limit.
    pub fn attempts(&self) -> u64 {
        self.written.min(rules().defaults.max_attempts.value)
    }
}

/// The policy of an entry, unless clients refuse it.
pub fn works(config: &MethodConfig) -> Option<Works<'_>> {
    let (policy, hedges) = match (&config.retry, &config.hedging) {
        (Some(policy), None) => (policy, false),
        (None, Some(policy)) => (policy, true),
        _ => return None,
    };
    let written = *policy.max_attempts.as_ref()?.is()?;
    let repeats = written >= rules().defaults.least_attempts.value;
    (repeats && (hedges || !again(policy).is_empty())).then_some(Works { policy, hedges, written })
}

/// Whether the tokens are used up by the first failure.
pub fn forbids(config: &Config) -> Option<Span> {
    let throttling = config.throttling.as_ref()?;
    let most = throttling.max_tokens.as_ref()?.is()?;
    (1..=rules().defaults.dead_tokens.value).contains(most).then_some(throttling.at)
}

pub fn facts(config: &Config, path: &str, facts: &mut Facts) {
    for method in &config.methods {
        let Some(works) = works(method) else { continue };
        for name in method.names.iter().take(MOST) {
            place(config, method, &works, name, path, facts);
        }
    }
}

fn place(config: &Config, method: &MethodConfig, works: &Works<'_>, name: &Method, path: &str, facts: &mut Facts) {
    let mut parts = path.rsplit('/');
    let file = parts.next().unwrap_or(path);
    let service = Name::new(parts.next().unwrap_or(file.split('.').next().unwrap_or(file)));
    let label = label(name);
    let function = Name::from(format!("{file} {label}"));
    let tries = tries(config, works, name, &function, facts);
    let body = tries.within(deadline(method));
    let id = facts.add_place(Place {
        name: function,
        at: name.at,
        params: Vec::new(),
        body,
        package: service.clone(),
        service: service.clone(),
        takes_request: false,
    });
    facts.operations.push(Operation {
        name: Name::from(label),
        kind: OperationKind::Grpc,
        place: id,
        at: name.at,
        service,
        request: Request::default(),
        unless_called: true,
    });
}

pub fn label(name: &Method) -> String {
    match (name.service.is_empty(), name.method.is_empty()) {
        (true, _) => "any gRPC method".to_owned(),
        (false, true) => name.service.to_string(),
        (false, false) => format!("{}/{}", name.service, name.method),
    }
}

/// One limit for all attempts. Where none is written the caller may set one.
fn deadline(method: &MethodConfig) -> Deadline {
    let limit = match method.timeout.as_ref().and_then(Set::is) {
        Some(ms) => Value::Number(*ms),
        None => Value::unknown("the caller sets the deadline of a call"),
    };
    Deadline::new(DeadlineKind::Total, limit, method.timeout.as_ref().map_or(method.at, |t| t.at))
}

fn tries(config: &Config, works: &Works<'_>, name: &Method, function: &Name, facts: &mut Facts) -> Effect {
    let policy = works.policy;
    let form = if works.hedges { Form::Hedge } else { Form::Client };
    let call = if works.hedges { hedged(policy, call(name)) } else { call(name) };
    let mut repeat = Repeat::new(facts.new_loop(), RepeatKind::Retry, form, function.clone(), policy.at, call);
    let count = if forbids(config).is_some() { 1 } else { works.attempts() };
    let at = policy.max_attempts.as_ref().map(|m| m.at);
    repeat.stops = vec![Stop::Count(Value::Number(count), Origin { kind: OriginKind::Config, at, source: None })];
    // A hedge is sent while the one before it is under way, however that ends.
    repeat.again = if works.hedges { Endings::FAILURES } else { again(policy) };
    repeat.wait = if works.hedges { delay(policy) } else { wait(policy) };
    repeat.budget = config.throttling.as_ref().map(|t| Budget { share: Share::Tokens, at: Some(t.at) });
    repeat.seen.looks_at_error = true;
    repeat.seen.classified_below = true;
    repeat.seen.dead_per_try = true;
    repeat.seen.confidence = Confidence::High;
    let listed = policy.codes.as_ref().and_then(Set::is).into_iter().flatten();
    let permanent = Endings::statuses_of([FailureClass::Permanent]);
    let mut permanent = listed.filter(|(code, _)| rules().code(code).is_some_and(|e| e.meets(permanent)));
    repeat.seen.permanent_at = permanent.next().filter(|_| !works.hedges).map(|(_, at)| *at);
    Effect::Repeat(Box::new(repeat))
}

fn again(policy: &Policy) -> Endings {
    let listed = policy.codes.as_ref().and_then(Set::is).into_iter().flatten();
    listed.filter_map(|(code, _)| rules().code(code)).fold(Endings::NONE, |all, one| all | one)
}

fn call(name: &Method) -> Effect {
    let any = name.service.is_empty();
    let target = Target {
        method: any.then(|| Name::new("any gRPC method")),
        named: (!any).then(|| name.service.clone()),
        servers: if any { Vec::new() } else { vec![name.service.clone()] },
        rpc: (!any).then(|| name.service.clone()),
        ..Target::default()
    };
    Effect::Remote(Remote {
        system: Name::new("grpc"),
        verb: (!name.method.is_empty()).then(|| name.method.clone()),
        safety: Safety::Unknown,
        target,
        client: None,
        key: Key::None,
        connect_only: false,
        replays: None,
        at: name.at,
    })
}

/// The wait grows, has a cap, and is random by a fifth to either side.
fn wait(policy: &Policy) -> Wait {
    let given = |set: &Option<Set<u64>>| set.as_ref().and_then(Set::is).copied();
    Wait {
        shape: Shape::Exponential,
        base_ms: given(&policy.initial_backoff),
        factor: policy.multiplier.as_ref().and_then(Set::is).copied(),
        cap_ms: given(&policy.max_backoff),
        capped: true,
        jitter: Jitter::Some,
        at: policy.initial_backoff.as_ref().map(|i| i.at),
        ..Wait::none()
    }
}

/// A hedge that has no answer yet is as good as failed: the next one is sent.
fn hedged(policy: &Policy, call: Effect) -> Effect {
    let delay = policy.hedging_delay.as_ref();
    let limit = Value::Number(delay.and_then(Set::is).copied().unwrap_or_default().max(1));
    let at = delay.map_or(policy.at, |d| d.at);
    call.within(Deadline::new(DeadlineKind::Idle, limit, at))
}

/// Between two hedges; without one all are sent at once.
fn delay(policy: &Policy) -> Wait {
    match policy.hedging_delay.as_ref().map(|d| (d.is().copied(), d.at)) {
        Some((ms, at)) if ms != Some(0) => Wait { shape: Shape::Fixed, base_ms: ms, at: Some(at), ..Wait::none() },
        _ => Wait::none(),
    }
}
