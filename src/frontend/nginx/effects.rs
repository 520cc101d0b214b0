//! What a location does to the world: attempts at the servers of an upstream, and the answer where none of them answered.

use super::conf::NodeId;
use super::next::{self, Next, Number};
use super::pass::{Goal, Pass, To};
use super::rules::rules;
use super::server::{Peer, Upstream};
use super::unit::Unit;
use super::{idle, methods};
use crate::class::{Ending, Endings, FailureClass};
use crate::effect::{
    ByMethod, Confidence, Deadline, DeadlineKind, Effect, Form, Judged, Key, Methods, Remote, Repeat, RepeatKind,
    Safety, Stop, Target, variable,
};
use crate::fact::Facts;
use crate::name::Name;
use crate::source::Span;
use crate::value::{Origin, OriginKind, Value};

/// One pass with the settings that hold for it.
pub struct Passing<'a> {
    pub unit: &'a Unit<'a>,
    pub pass: &'a Pass,
    pub next: Next,
    /// The place it stands in, for reports.
    pub function: Name,
    /// nginx asks with a GET, whatever came in.
    pub as_get: bool,
}

impl Passing<'_> {
    pub fn new<'a>(unit: &'a Unit<'a>, pass: &'a Pass, function: &Name) -> Passing<'a> {
        let next = Next::read(&unit.conf, pass.block, pass.protocol, unit.version);
        Passing { unit, pass, next, function: function.clone(), as_get: false }
    }

    /// All attempts: errors are still errors.
    pub fn attempts(&self, facts: &mut Facts) -> Effect {
        let goals = self.pass.goals.iter().map(|goal| self.goal(goal, facts)).collect();
        one_of(goals)
    }

    /// Whether it goes on when its client has left: `proxy_ignore_client_abort on`.
    pub fn ignores_leaving(&self) -> bool {
        let name = format!("{}ignore_client_abort", self.pass.protocol.prefix);
        self.unit.conf.setting(self.pass.block, &name).is_some_and(|s| s.arg(0) == "on")
    }

    fn goal(&self, goal: &Goal, facts: &mut Facts) -> Effect {
        let To::Upstream(at) = goal.to else { return self.attempt(goal, None) };
        let upstream = &self.unit.upstreams.all[at];
        let peers = upstream.asked();
        if peers.is_empty() && !upstream.scripted && !upstream.peers.is_empty() {
            return Effect::End(Ending::Status(FailureClass::Gateway));
        }
        let attempt = self.attempt(goal, Some(upstream));
        match self.count(upstream, peers.len() as u64) {
            Some(count) => self.repeat(count, differ(&peers), attempt, facts),
            None => attempt,
        }
    }

    /// Attempts at the servers of an upstream; `None`: only one.
    fn count(&self, upstream: &Upstream, servers: u64) -> Option<Number> {
        let head = self.unit.conf.node(upstream.node).at;
        let config = Origin { kind: OriginKind::Config, at: Some(head), source: None };
        let all = match upstream.scripted {
            true => Number { value: Value::unknown("code picks the servers of the upstream"), origin: config },
            false => Number { value: Value::Number(servers), origin: config },
        };
        if self.next.off || servers == 1 && !upstream.scripted {
            return None;
        }
        let Some(tries) = &self.next.tries else { return Some(all) };
        match (&tries.value, &all.value) {
            (Value::Number(1), _) => None,
            (Value::Number(tries), Value::Number(servers)) if tries >= servers => Some(all),
            (Value::Number(_), Value::Number(_)) => Some(tries.clone()),
            _ => {
                let value = Value::Smallest(vec![tries.value.clone(), all.value]);
                Some(Number { value, origin: tries.origin.clone() })
            }
        }
    }

    fn repeat(&self, count: Number, elsewhere: bool, attempt: Effect, facts: &mut Facts) -> Effect {
        let next = &self.next;
        let at = next.list.unwrap_or(self.at());
        let method = self.method();
        let not_repeated = &rules().not_repeated.methods;
        let never_safe = method.as_ref().is_some_and(|m| not_repeated.contains(m));
        let always_safe = method.as_ref().is_some_and(|m| !not_repeated.contains(m));
        let mut repeat =
            Repeat::new(facts.new_loop(), RepeatKind::Retry, Form::Proxy, self.function.clone(), at, attempt);
        repeat.stops = vec![Stop::Count(count.value, count.origin)];
        repeat.stops.extend(next.limit.clone().map(|limit| Stop::Elapsed(limit.value, limit.origin)));
        repeat.again = if never_safe { next.unsafe_again } else { next.again };
        let looks_at_method = !always_safe && next.unsafe_again != repeat.again;
        let methods = || Methods::These(not_repeated.clone());
        repeat.by_method = looks_at_method.then(|| ByMethod { methods: methods(), again: next.unsafe_again });
        repeat.takes_unsafe = next.list.filter(|_| next.non_idempotent && !always_safe && self.may_be_unsafe());
        repeat.each_server_once = true;
        repeat.default_of = (!next.is_written()).then(|| next::default_layer(self.pass.protocol));
        repeat.per_try_ms = self.read_timeout().0.number();
        repeat.seen.elsewhere = elsewhere;
        repeat.seen.looks_at_error = true;
        repeat.seen.confidence = Confidence::High;
        let permanent = Endings::of_classes([FailureClass::Permanent]);
        repeat.seen.permanent_at = next.list.filter(|_| next.again.meets(permanent));
        Effect::Repeat(Box::new(repeat))
    }

    /// The method, where the configuration fixes it.
    fn method(&self) -> Option<Name> {
        let written = self.unit.conf.setting(self.pass.block, "proxy_method");
        let written = written.filter(|_| *self.pass.protocol.prefix == *"proxy_").map(|n| Name::new(n.arg(0)));
        let own = self.as_get.then(|| Name::new("GET"));
        written.or_else(|| self.pass.protocol.method.clone()).or(own)
    }

    fn may_be_unsafe(&self) -> bool {
        let refused = methods::refused(&self.unit.conf, self.pass.block);
        !rules().not_repeated.methods.iter().all(|method| refused.contains(method))
    }

    fn at(&self) -> Span {
        self.unit.conf.node(self.pass.node).at
    }

    /// One try, with what ends it.
    fn attempt(&self, goal: &Goal, upstream: Option<&Upstream>) -> Effect {
        let replays = upstream.and_then(|u| idle::replays(self.unit, self.pass, u, &self.next));
        let remote = Remote {
            system: self.pass.protocol.system.clone(),
            verb: self.method(),
            safety: Safety::Unknown,
            target: self.target(goal, upstream),
            client: None,
            key: Key::None,
            connect_only: false,
            replays: replays.map(|(n, _)| n),
            at: self.at(),
        };
        let connect = next::time(&self.unit.conf, self.pass.block, self.pass.protocol, "connect_timeout");
        let dialled = within(DeadlineKind::Connect, connect, self.at(), Effect::Remote(remote));
        within(DeadlineKind::Idle, self.read_timeout(), self.at(), dialled)
    }

    fn read_timeout(&self) -> (Value, Option<Span>) {
        next::time(&self.unit.conf, self.pass.block, self.pass.protocol, "read_timeout")
    }

    fn target(&self, goal: &Goal, upstream: Option<&Upstream>) -> Target {
        let passes = Some(goal.passes.clone());
        if let Some(upstream) = upstream {
            let servers = upstream.asked().into_iter().map(|p| p.address.clone()).collect();
            return Target { named: Some(Name::new(&upstream.name)), servers, passes, ..Target::default() };
        }
        match &goal.to {
            To::Address(address) if address.starts_with("unix:") => Target {
                named: Some(Name::new(address)),
                servers: vec![Name::new(address)],
                passes,
                ..Target::default()
            },
            To::Address(address) => Target { address: Some(Name::new(address)), passes, ..Target::default() },
            To::Open(Some(env)) => {
                let address = Some(Name::from(variable::variable(env)));
                Target { address, passes, ..Target::default() }
            }
            _ => {
                let node = self.unit.conf.node(self.pass.node);
                let written = format!("{} {}", node.name, node.arg(0));
                Target { method: Some(Name::from(written)), passes, ..Target::default() }
            }
        }
    }
}

impl Upstream {
    /// The servers that are asked: all that are not marked as down.
    pub fn asked(&self) -> Vec<&Peer> {
        self.peers.iter().filter(|p| !p.down).collect()
    }
}

/// No server is listed twice.
fn differ(peers: &[&Peer]) -> bool {
    let mut addresses: Vec<&Name> = peers.iter().map(|p| &p.address).collect();
    addresses.sort_unstable();
    addresses.windows(2).all(|pair| pair[0] != pair[1])
}

pub fn within(kind: DeadlineKind, (limit, at): (Value, Option<Span>), of: Span, body: Effect) -> Effect {
    body.within(match at {
        Some(at) => Deadline::new(kind, limit, at),
        None => Deadline::default_of(kind, limit, of),
    })
}

/// Exactly one of them happens.
pub fn one_of(mut all: Vec<Effect>) -> Effect {
    match all.len() {
        0 => Effect::Nothing,
        1 => all.remove(0),
        _ => Effect::Branch(all, Judged::Other),
    }
}

/// The answers that take the place of errors.
pub fn answered(body: Effect) -> Effect {
    let renamed = rules().answers.iter().map(|a| (a.after(), Endings::one(Ending::Status(a.class()))));
    Effect::Map(renamed.collect(), Box::new(body))
}

/// What a `return` with that status is to whoever asked.
pub fn returned(status: &str) -> Effect {
    match status.parse().ok().and_then(FailureClass::of_status) {
        Some(class) => Effect::End(Ending::Status(class)),
        None => Effect::Nothing,
    }
}

/// A server of `stream`: it hands on bytes, so that only the connecting can be tried again.
pub fn stream(unit: &Unit<'_>, server: NodeId, function: &Name, facts: &mut Facts) -> Effect {
    let passes = super::pass::of_block(&unit.conf, server, super::location::Kind::Prefix, "", &unit.upstreams);
    let all = passes.iter().map(|pass| stream_pass(unit, pass, function, facts)).collect();
    let closed = Endings::one(Ending::Error(FailureClass::Reset));
    Effect::Map(vec![(Endings::ERRORS, closed)], Box::new(one_of(all)))
}

fn stream_pass(unit: &Unit<'_>, pass: &Pass, function: &Name, facts: &mut Facts) -> Effect {
    let passing = Passing::new(unit, pass, function);
    let switched = unit.conf.setting(pass.block, "proxy_next_upstream");
    let off = switched.is_some_and(|s| s.arg(0) == "off");
    let connect = Endings::one(Ending::Error(FailureClass::Connect));
    let again = if off { Endings::NONE } else { connect };
    let next = Next { off, again, unsafe_again: again, non_idempotent: false, ..passing.next.clone() };
    let mut effect = Passing { next, ..passing }.attempts(facts);
    crate::effect::walk_mut(&mut effect, &mut |e| {
        if let Effect::Remote(remote) = e {
            remote.system = Name::new("tcp");
            remote.connect_only = true;
            remote.target.passes = None;
            remote.replays = None;
        }
    });
    effect
}
