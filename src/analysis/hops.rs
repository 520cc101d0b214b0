//! Remote calls and repetitions, bound: what answers a call, how a request goes on through proxies, and where several
//! servers stand behind one name.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use super::bind::{Binder, Frame, Given};
use super::mentions::called_param;
use super::node::{BoundLayer, Node, NodeId};
use super::number;
use super::table::Turns;
use crate::class::{Endings, FailureClass};
use crate::effect::{Effect, Key, PlaceId, Remote, Repeat, RepeatKind, Safety};
use crate::fact::Request;
use crate::graph::calls::walk;
use crate::graph::{Lead, Link};
use crate::name::Name;
use crate::source::Span;

/// Methods of requests that may do harm when they are sent twice (RFC 9110, 9.2.2: all others of its own are idempotent).
const UNSAFE_METHODS: [&str; 2] = ["POST", "PATCH"];

/// What is sent, as far as it matters when it is sent twice.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Sends {
    /// The call that made the request; a hop hands on what another call made.
    pub at: Span,
    pub verb: Option<Name>,
    pub safety: Safety,
    /// The idempotency key on it.
    pub key: Key,
}

/// The request that a place got, and the call of this tree that made it, if one did.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Came {
    pub request: Request,
    pub made: Option<Sends>,
}

impl Came {
    pub fn from_outside(request: &Request) -> Came {
        Came { request: request.clone(), made: None }
    }
}

fn is_unsafe(method: &Name) -> bool {
    UNSAFE_METHODS.iter().any(|m| *method == *m)
}

/// What a call sends. A hop sends what came in; its own method, if it has one, decides where it is.
fn sends(remote: &Remote, frame: &Frame) -> Sends {
    if remote.target.passes.is_none() {
        return Sends { at: remote.at, verb: remote.verb.clone(), safety: remote.safety, key: remote.key };
    }
    if let Some(made) = frame.came.made.as_ref().filter(|_| remote.verb.is_none()) {
        let key = if made.key == Key::None { remote.key } else { made.key };
        return Sends { key, ..made.clone() };
    }
    let verb = remote.verb.clone().or_else(|| frame.came.request.method.clone());
    let safety = match &verb {
        None => Safety::Unknown,
        Some(method) if is_unsafe(method) => Safety::Unsafe,
        Some(_) => Safety::Repeatable,
    };
    Sends { at: remote.at, verb, safety, key: remote.key }
}

impl<'a> Binder<'a> {
    pub(super) fn remote(&mut self, remote: &'a Remote, frame: &Frame) -> NodeId {
        let mut nodes = Vec::new();
        for link in self.links_of(remote, frame) {
            let node = self.linked(remote, &link, frame);
            link.gaps.into_iter().for_each(|gap| self.arena.gap(node, gap));
            nodes.push(node);
        }
        self.one_of(nodes)
    }

    /// Where a call leads, each different end once; at the server that is looked at alone, if one is.
    fn links_of(&self, remote: &Remote, frame: &Frame) -> Vec<Link> {
        let given = remote.target.param.and_then(|i| frame.given(i));
        let text = match given {
            Some(Given::Text(text)) => Some(text.clone()),
            _ => None,
        };
        let all = self.links.links(frame.place, remote, text.as_ref(), &frame.came.request);
        match frame.server.and_then(|server| all.get(server)) {
            Some(one) => vec![one.clone()],
            None => distinct(all),
        }
    }

    fn linked(&mut self, remote: &'a Remote, link: &Link, frame: &Frame) -> NodeId {
        let sends = Rc::new(sends(remote, frame));
        let behind = self.behind(link, &sends, frame);
        match (&link.dependency, behind) {
            (Some(dependency), behind) => {
                let dep = self.arena.dep(dependency);
                let site = self.arena.site(remote, dep);
                self.arena.add(Node::Remote { dep, site, behind, sends })
            }
            (None, Some(body)) => {
                let site = self.arena.hop(remote, body);
                self.arena.add(Node::Hop { site, body })
            }
            (None, None) => self.arena.add(Node::Seq(Vec::new())),
        }
    }

    /// What answers, as alternatives; each place once per path. A handler of code answers by its own rules, a proxy's route
    /// says itself how it answers.
    fn behind(&mut self, link: &Link, sends: &Sends, frame: &Frame) -> Option<NodeId> {
        let mut nodes = Vec::new();
        for lead in &link.leads {
            let Some(body) = self.lead(lead, sends, frame) else {
                let cut = self.arena.add(Node::Seq(Vec::new()));
                self.arena.gap(cut, Name::new("cycle"));
                nodes.push(cut);
                continue;
            };
            let answers_itself = self.facts.place(lead.place).takes_request;
            nodes.push(if answers_itself { body } else { self.handler(lead.place, body) });
        }
        (!nodes.is_empty()).then(|| self.one_of(nodes))
    }

    /// A handler whose work fails answers what its code shows, else any failure of a server; an answer that it got and did
    /// not look at is no failure of its work.
    fn handler(&mut self, place: PlaceId, body: NodeId) -> NodeId {
        use FailureClass::{Gateway, GatewayTimeout, ServerError, Unavailable};
        let any = || Endings::statuses_of([ServerError, Gateway, Unavailable, GatewayTimeout]);
        let answers = self.answers.get(&place).copied().unwrap_or_else(any);
        let rules = Rc::from([(Endings::ERRORS, answers), (Endings::STATUSES, Endings::OK)]);
        // Code behind a call that was dropped is taken not to notice.
        let body = self.arena.add(Node::Outlives(body));
        self.arena.add(Node::Map(rules, body))
    }

    fn lead(&mut self, lead: &Lead, sends: &Sends, frame: &Frame) -> Option<NodeId> {
        let entry = self.graph.enter(frame.entry, frame.place, lead.place);
        let came = Came { request: lead.request.clone(), made: Some(sends.clone()) };
        // What a request or an address that a caller gave leads back to, the graph of places does not know.
        let asks = self.facts.place(lead.place).takes_request;
        let same =
            |(place, open): &(PlaceId, Rc<Came>)| *place == lead.place && (!asks || open.request == came.request);
        let open = self.open.iter().position(same);
        if entry.is_none() || open.is_some() {
            self.cuts += usize::from(entry.is_some());
            self.circle(lead.place);
            return None;
        }
        Some(self.instance(lead.place, entry?, Rc::from([]), &came))
    }

    /// The way from a place that is being bound back to itself.
    fn circle(&mut self, to: PlaceId) {
        let Some(at) = self.open.iter().position(|(place, _)| *place == to) else { return };
        let circle: Vec<PlaceId> = self.open[at..].iter().map(|(place, _)| *place).collect();
        if !self.circles.contains(&circle) {
            self.circles.push(circle);
        }
    }

    pub(super) fn repeat(&mut self, repeat: &'a Repeat, frame: &Frame) -> NodeId {
        let limit = number::limit(repeat, &|i| frame.number(i));
        let called = called_param(&repeat.body).and_then(|i| frame.given(i)).and_then(Given::call);
        let bound_at = called.or(limit.bound_at);
        let turns = Turns {
            id: repeat.id,
            n: limit.n,
            again: again(repeat, frame.came.request.method.as_ref()),
            jumps: repeat.jumps,
            exhausts: repeat.exhausts,
            multiplies: matches!(repeat.kind, RepeatKind::Retry | RepeatKind::Failover),
        };
        let why = limit.why.clone();
        let layer = self.arena.layer(BoundLayer { repeat, limit, bound_at });
        // What pauses between the turns is not in them.
        let inside = Frame { pause: repeat.wait.at.filter(|_| repeat.jumps), ..frame.clone() };
        let frame = if turns.multiplies { &inside } else { frame };
        let servers = if repeat.each_server_once { self.servers(repeat, frame) } else { 0 };
        let node = match servers {
            0 | 1 => {
                let body = self.effect(&repeat.body, frame);
                self.arena.add(Node::Repeat { turns, layer, body })
            }
            _ => {
                let at = |server| Frame { server: Some(server), ..frame.clone() };
                let bodies = (0..servers).map(|i| self.effect(&repeat.body, &at(i))).collect();
                self.arena.add(Node::Failover { turns, layer, bodies })
            }
        };
        if let Some(why) = why.filter(|_| turns.multiplies && turns.n.high == u64::MAX) {
            self.arena.gap(node, why);
        }
        node
    }

    /// How many servers the call in a repetition names; 0 if they all lead to one end.
    fn servers(&self, repeat: &Repeat, frame: &Frame) -> usize {
        let mut found = 0;
        walk(&repeat.body, &mut |effect| {
            if let Effect::Remote(remote) = effect {
                let all = self.links.links(frame.place, remote, None, &frame.came.request);
                let count = all.len();
                found = if distinct(all).len() > 1 { found.max(count) } else { found };
            }
        });
        found
    }

    /// Places of which there is an instance.
    pub fn reached(&self) -> FxHashSet<PlaceId> {
        self.instances.keys().map(|(place, ..)| *place).collect()
    }
}

/// After which endings a request with that method is tried again; one that is not known is any.
fn again(repeat: &Repeat, method: Option<&Name>) -> Endings {
    let less = repeat.by_method.as_ref().filter(|less| method.is_some_and(|m| less.methods.has(m)));
    less.map_or(repeat.again, |less| less.again)
}

fn distinct(links: Vec<Link>) -> Vec<Link> {
    let mut found: Vec<Link> = Vec::new();
    for link in links {
        if !found.contains(&link) {
            found.push(link);
        }
    }
    found
}
