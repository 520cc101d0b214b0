//! TCP proxies: they dial, as often as they may; what goes over the connection is not their concern.

use crate::class::{Ending, Endings, FailureClass};
use crate::effect::{self, Deadline, DeadlineKind, Effect, Form, Passes, PlaceId, Repeat, RepeatKind, Stop};
use crate::fact::{Facts, Operation, OperationKind, Request};
use crate::frontend::envoy::config::{Listener, Set, TcpProxy};
use crate::frontend::envoy::layer;
use crate::frontend::envoy::route::Bodies;
use crate::frontend::envoy::rules::rules;
use crate::frontend::envoy::system::Source;
use crate::name::Name;
use crate::source::FileId;
use crate::value::{Origin, OriginKind, Value};

pub fn label(listener: &Listener) -> String {
    format!("listener {}", if listener.name.is_empty() { "tcp" } else { &listener.name })
}

pub fn operation(listener: &Listener, proxy: &TcpProxy, place: PlaceId, source: &Source<'_>) -> Operation {
    Operation {
        name: Name::from(label(listener)),
        kind: OperationKind::Http,
        place,
        at: proxy.at,
        service: Name::new(source.system_name()),
        request: Request::default(),
        unless_called: true,
    }
}

pub fn body(bodies: &Bodies<'_>, file: FileId, proxy: &TcpProxy, function: &Name, facts: &mut Facts) -> Effect {
    let once = rules().defaults.max_connect_attempts.value;
    let mut body = bodies.targets(file, &proxy.to, Passes::Same);
    effect::walk_mut(&mut body, &mut |effect| {
        if let Effect::Remote(remote) = effect {
            remote.connect_only = true;
            remote.system = Name::new("tcp");
        }
    });
    if let Some(attempts) = proxy.max_connect_attempts.as_ref().filter(|a| a.is() != Some(&once)) {
        let mut repeat =
            Repeat::new(facts.new_loop(), dials(bodies, file, proxy), Form::Proxy, function.clone(), attempts.at, body);
        repeat.stops = vec![stop(attempts)];
        repeat.again = Endings::errors_of([FailureClass::Connect]);
        let origin = Origin { kind: OriginKind::Config, at: Some(attempts.at), source: None };
        if proxy.back_off.is_some() {
            repeat.wait = layer::back_off(proxy.back_off.as_ref(), origin);
        }
        repeat.seen.looks_at_error = true;
        repeat.seen.classified_below = true;
        body = Effect::Repeat(Box::new(repeat));
    }
    let default = rules().defaults.tcp_idle_timeout.duration();
    let idle = proxy.idle_timeout.as_ref().and_then(Set::is).copied().unwrap_or(default);
    if !idle.is_zero() {
        let at = proxy.idle_timeout.as_ref().map_or(proxy.at, |i| i.at);
        body = body.within(Deadline::new(DeadlineKind::Idle, Value::Number(layer::millis(idle)), at));
    }
    // The client's connection is closed when there is none to pass it on to.
    let closed = Endings::one(Ending::Error(FailureClass::Reset));
    Effect::Map(vec![(Endings::ERRORS, closed)], Box::new(body))
}

fn stop(attempts: &Set<u64>) -> Stop {
    let later = || Value::unknown("`max_connect_attempts` is filled in later");
    let count = attempts.is().map_or_else(later, |n| Value::Number(*n));
    Stop::Count(count, Origin { kind: OriginKind::Config, at: Some(attempts.at), source: None })
}

/// Each time another server is picked, unless there is but one.
fn dials(bodies: &Bodies<'_>, file: FileId, proxy: &TcpProxy) -> RepeatKind {
    let one = |name: &Name| bodies.system.cluster(file, name).is_some_and(|c| c.is_static && c.servers.len() == 1);
    let all = !proxy.to.clusters.is_empty() && proxy.to.clusters.iter().all(|c| c.is().is_some_and(&one));
    if all { RepeatKind::Retry } else { RepeatKind::Failover }
}
