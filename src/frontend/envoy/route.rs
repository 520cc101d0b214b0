//! What a route does to a request that comes in, as an effect: who is asked first, copies, the tries with their limits of
//! time, the policy around them, and what the client gets in the end.

use std::time::Duration;

use super::config::{
    Action, Ask, Cluster, Manager, Match, Pass, Path, Policy, Rewrite, Route, Server, Set, Table, To, VirtualHost,
};
use super::layer::{self, Asked, millis};
use super::rules::{Default, rules};
use super::system::System;
use crate::class::{Ending, Endings, FailureClass};
use crate::effect::{
    Arm, ByMethod, Call, Callee, Deadline, DeadlineKind, Effect, Exit, Form, Judged, Key, Methods, Passes, PlaceId,
    Remote, Repeat, RepeatKind, Safety, Stop, Target,
};
use crate::fact::Facts;
use crate::name::Name;
use crate::source::{FileId, Span};
use crate::value::Value;

/// A route with all that has a say in it.
#[derive(Clone, Copy)]
pub struct Around<'s> {
    pub file: FileId,
    pub manager: Option<&'s Manager>,
    pub table: &'s Table,
    pub host: &'s VirtualHost,
    pub route: &'s Route,
}

impl<'s> Around<'s> {
    /// The route's own policy, else the virtual host's: one replaces the other, they never merge.
    pub fn policy(self, pass: &'s Pass) -> Option<&'s Policy> {
        pass.policy.as_ref().or(self.host.policy.as_ref())
    }

    pub fn hedge(self, pass: &'s Pass) -> Option<&'s Set<bool>> {
        pass.hedge.as_ref().or(self.host.hedge.as_ref()).filter(|h| h.is() == Some(&true))
    }

    pub fn asked(self, pass: &'s Pass) -> Asked {
        Asked { grpc: self.route.matching.grpc, hedged: self.hedge(pass).is_some() && per_try(self, pass).is_some() }
    }
}

/// What a field of time says, or its default; `None` where it says that there is no limit.
fn limit(set: Option<&Set<Duration>>, default: &Default<Name>) -> Option<Duration> {
    let written = set.and_then(Set::is).copied();
    Some(written.unwrap_or_else(|| default.duration())).filter(|d| !d.is_zero())
}

/// The limit for all tries of a route together.
pub fn total(pass: &Pass) -> Option<Duration> {
    limit(pass.timeout.as_ref(), &rules().defaults.route_timeout)
}

/// The limit for one try, where it takes effect: one that is not below the limit for all is ignored.
pub fn per_try<'s>(around: Around<'s>, pass: &'s Pass) -> Option<&'s Set<Duration>> {
    let set = around.policy(pass)?.per_try_timeout.as_ref()?;
    let tries = set.is().filter(|d| !d.is_zero())?;
    total(pass).is_none_or(|all| *tries < all).then_some(set)
}

pub struct Bodies<'s> {
    pub system: &'s System<'s>,
    /// What answers behind an internal listener.
    pub internal: &'s dyn Fn(FileId, &str) -> Vec<PlaceId>,
}

impl Bodies<'_> {
    pub fn route(&self, around: Around<'_>, function: &Name, facts: &mut Facts) -> Effect {
        let main = match &around.route.action {
            Action::Pass(pass) => self.pass(around, pass, function, facts),
            Action::Answer(status) => {
                return Effect::End(FailureClass::of_status(*status).map_or(Ending::Ok, Ending::Status));
            }
            Action::Unknown => return Effect::Nothing,
        };
        let asks = around.manager.map_or(&[][..], |m| &m.asks);
        let asked = asks.iter().filter(|a| !around.route.without.contains(&a.filter));
        let mut steps: Vec<Effect> = asked.map(|ask| self.ask(around.file, ask)).collect();
        if steps.is_empty() {
            return main;
        }
        steps.push(main);
        Effect::Scope(Box::new(Effect::Seq(steps)))
    }

    /// Somebody is asked: what is no success ends the request, unless its failure is allowed.
    fn ask(&self, file: FileId, ask: &Ask) -> Effect {
        let system = if ask.grpc { "grpc" } else { "http" };
        let mut call = self.remote(file, &ask.cluster, system, None);
        let limit = limit(ask.timeout.as_ref(), &rules().defaults.ask_timeout);
        if let Some(limit) = limit {
            call = within(DeadlineKind::Total, limit, ask.timeout.as_ref().map(|t| t.at), ask.cluster.at, call);
        }
        let denied = Effect::Leave(Exit::Return, Box::new(Effect::End(Ending::Status(rules().denied()))));
        let then = if ask.may_fail { Effect::Nothing } else { denied };
        Effect::Recover(Box::new(call), vec![Arm { on: Endings::FAILURES, then }])
    }

    fn pass(&self, around: Around<'_>, pass: &Pass, function: &Name, facts: &mut Facts) -> Effect {
        let tries = self.tries(around, pass, function, facts);
        let main = self.limits(around, pass, tries);
        let mut steps: Vec<Effect> = self.mirrors(around, pass);
        steps.push(Effect::Map(rules().answers(), Box::new(main)));
        if steps.len() == 1 { steps.remove(0) } else { Effect::Seq(steps) }
    }

    /// A copy is sent once, whatever becomes of the request, and has the route's limit of time.
    fn mirrors(&self, around: Around<'_>, pass: &Pass) -> Vec<Effect> {
        let levels = [&pass.mirrors, &around.host.mirrors, &around.table.mirrors];
        let nearest = levels.into_iter().find(|l| !l.is_empty()).into_iter().flatten();
        let copy = |cluster: &Set<Name>| {
            let call = self.remote(around.file, cluster, "http", Some(Passes::Same));
            let limited = match total(pass) {
                Some(limit) => within(DeadlineKind::Total, limit, pass.timeout.as_ref().map(|t| t.at), pass.at, call),
                None => call,
            };
            Effect::Spawn(Box::new(limited))
        };
        nearest.map(|m| copy(&m.cluster)).collect()
    }

    fn tries(&self, around: Around<'_>, pass: &Pass, function: &Name, facts: &mut Facts) -> Effect {
        let mut one = self.targets(around.file, &pass.to, passes(&around.route.matching, &pass.rewrite));
        let Some(policy) = around.policy(pass) else { return one };
        let idle =
            policy.per_try_idle_timeout.as_ref().and_then(|set| Some((set, *set.is().filter(|d| !d.is_zero())?)));
        if let Some((set, limit)) = idle {
            one = within(DeadlineKind::Idle, limit, Some(set.at), set.at, one);
        }
        let per_try = per_try(around, pass);
        let limit = per_try.and_then(|set| Some((set, *set.is()?)));
        if let Some((set, limit)) = limit {
            one = within(DeadlineKind::Total, limit, Some(set.at), set.at, one);
        }
        let words = layer::words(policy, around.asked(pass));
        if !words.works(policy) {
            return one;
        }
        let (count, origin) = layer::attempts(policy);
        let brake = self.brake(around.file, &pass.to);
        let count = if brake.is_some_and(|c| layer::forbids(c).is_some()) { Value::Number(1) } else { count };
        let mut repeat =
            Repeat::new(facts.new_loop(), RepeatKind::Retry, Form::Proxy, function.clone(), policy.at, one);
        repeat.stops = vec![Stop::Count(count, origin)];
        repeat.again = words.again;
        repeat.by_method = gated(policy);
        repeat.budget = brake.map(layer::budget);
        repeat.wait = layer::wait(policy);
        repeat.seen = layer::seen(policy);
        repeat.seen.dead_per_try = per_try.is_none() && policy.per_try_timeout.as_ref().is_some_and(is_limit);
        repeat.per_try_ms = limit.map(|(_, limit)| millis(limit));
        Effect::Repeat(Box::new(repeat))
    }

    /// The cluster whose brake counts: of several the first.
    fn brake(&self, file: FileId, to: &To) -> Option<&Cluster> {
        to.clusters.iter().find_map(|c| self.system.cluster(file, c.is()?))
    }

    fn limits(&self, around: Around<'_>, pass: &Pass, mut body: Effect) -> Effect {
        if let Some(limit) = total(pass) {
            body = within(DeadlineKind::Total, limit, pass.timeout.as_ref().map(|t| t.at), pass.at, body);
        }
        if let Some((limit, at)) =
            pass.max_stream_duration.as_ref().and_then(|s| Some((*s.is()?, s.at))).filter(|(d, _)| !d.is_zero())
        {
            body = within(DeadlineKind::Total, limit, Some(at), at, body);
        }
        let manager = around.manager.and_then(|m| m.stream_idle_timeout.as_ref());
        let idle = pass.idle_timeout.as_ref().or(manager);
        match limit(idle, &rules().defaults.stream_idle_timeout) {
            Some(limit) => within(DeadlineKind::Idle, limit, idle.map(|i| i.at), pass.at, body),
            None => body,
        }
    }

    /// One try: to one of the clusters that may be picked.
    pub fn targets(&self, file: FileId, to: &To, passes: Passes) -> Effect {
        let named = to.clusters.iter().map(|c| self.cluster(file, c, passes.clone()));
        let dynamic = to.decided_by.iter().map(|by| {
            let shown = by.is().map_or("", |n| n.as_str());
            let target = Target {
                method: Some(Name::from(format!("cluster by {shown}"))),
                passes: Some(passes.clone()),
                ..Target::default()
            };
            Effect::Remote(http(target, "http", by.at))
        });
        let mut all: Vec<Effect> = named.chain(dynamic).collect();
        match all.len() {
            0 => Effect::Nothing,
            1 => all.remove(0),
            _ => Effect::Branch(all, Judged::Other),
        }
    }

    fn cluster(&self, file: FileId, name: &Set<Name>, passes: Passes) -> Effect {
        let found = name.is().and_then(|n| self.system.cluster(file, n));
        if let Some(aggregate) = found.filter(|c| !c.aggregate.is_empty()) {
            // An aggregate of aggregates is refused by Envoy; one level is enough here as well.
            let one = |c: &Set<Name>| {
                self.remote(aggregate.file, &Set { value: c.value.clone(), at: name.at }, "http", Some(passes.clone()))
            };
            return Effect::Branch(aggregate.aggregate.iter().map(one).collect(), Judged::Other);
        }
        let internal = found.into_iter().flat_map(|c| &c.servers).find_map(|s| match s {
            Server::Internal(listener) => Some(listener),
            Server::Address(_) => None,
        });
        let behind = internal.map_or(Vec::new(), |l| (self.internal)(file, l));
        let call = |place: PlaceId| Effect::Call(Call { callee: Callee::Place(place), args: Vec::new(), at: name.at });
        match behind.as_slice() {
            [] => self.remote(file, name, "http", Some(passes)),
            [one] => call(*one),
            many => Effect::Branch(many.iter().map(|p| call(*p)).collect(), Judged::Other),
        }
    }

    fn remote(&self, file: FileId, name: &Set<Name>, system: &str, passes: Option<Passes>) -> Effect {
        let (Some(called), cluster) = (name.is(), name.is().and_then(|n| self.system.cluster(file, n))) else {
            let target =
                Target { method: Some(Name::new("cluster that is filled in later")), passes, ..Target::default() };
            return Effect::Remote(http(target, system, name.at));
        };
        let servers = cluster.into_iter().flat_map(|c| &c.servers).filter_map(|s| match s {
            Server::Address(address) => Some(address.clone()),
            Server::Internal(_) => None,
        });
        let target = Target { named: Some(called.clone()), servers: servers.collect(), passes, ..Target::default() };
        let call = Effect::Remote(http(target, system, name.at));
        let connect = cluster.and_then(|c| c.connect_timeout.as_ref());
        match limit(connect, &rules().defaults.connect_timeout) {
            Some(limit) => within(DeadlineKind::Connect, limit, connect.map(|c| c.at), name.at, call),
            None => call,
        }
    }
}

/// Whether it says a time, not that there is no limit.
fn is_limit(set: &Set<Duration>) -> bool {
    set.is().is_some_and(|d| !d.is_zero())
}

/// A limit that is written somewhere, else the default of what stands at `of`.
fn within(kind: DeadlineKind, limit: Duration, at: Option<Span>, of: Span, body: Effect) -> Effect {
    let limit = Value::Number(millis(limit));
    body.within(match at {
        Some(at) => Deadline::new(kind, limit, at),
        None => Deadline::default_of(kind, limit, of),
    })
}

pub fn http(target: Target, system: &str, at: Span) -> Remote {
    Remote {
        system: Name::new(system),
        verb: None,
        safety: Safety::Unknown,
        target,
        client: None,
        key: Key::None,
        connect_only: false,
        replays: None,
        at,
    }
}

/// What becomes of the path.
fn passes(matching: &Match, rewrite: &Rewrite) -> Passes {
    match (rewrite, &matching.path) {
        (Rewrite::None, _) => Passes::Same,
        (Rewrite::Unknown, _) => Passes::Unknown,
        (Rewrite::Matched(to), Path::Any) => Passes::Prefix { from: Name::new("/"), to: to.clone() },
        (Rewrite::Matched(to), Path::Prefix(from) | Path::Segments(from)) => {
            Passes::Prefix { from: from.clone(), to: to.clone() }
        }
        (Rewrite::Matched(to), Path::Exact(_)) => Passes::Fixed(to.clone()),
        (Rewrite::Matched(_), Path::Pattern(_) | Path::Unknown) => Passes::Unknown,
    }
}

/// Where the policy asks for methods, requests of all others are not tried again.
fn gated(policy: &Policy) -> Option<ByMethod> {
    let methods = Methods::AllBut(policy.methods.clone());
    (!policy.methods.is_empty()).then_some(ByMethod { methods, again: Endings::NONE })
}
