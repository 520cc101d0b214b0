//! From the effects of places to one graph of bound nodes: calls replaced by what they call, parameters by what is given.
//!
//! An instance of a place is made once per set of arguments that its body looks at, and shared by everybody who calls it
//! with these, so that the size of the graph follows the size of the code and not the number of paths through it.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::delay::{self, Delay};
use super::hops::Came;
use super::mentions::{called_param, used};
use super::node::{Arena, Covers, Node, NodeId};
use super::number::{self, Num};
use crate::class::{Ending, Endings};
use crate::effect::{Arg, Call, Callee, Deadline, DeadlineKind, Effect, PlaceId, Shape, Wait};
use crate::fact::{Facts, Request};
use crate::graph::{Graph, Links};
use crate::name::Name;
use crate::source::Span;
use crate::value::Value;

/// Calls inside calls; deeper ones are a gap.
const DEEPEST: usize = 500;
/// Nodes made for one operation.
const MOST_NODES: usize = 200_000;

/// What a parameter stands for.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Given {
    Number(Num),
    /// A closure, already bound where it is written, and the call that gave it.
    Body(NodeId, Span),
    /// A place, the place at which its component was entered, and the call that gave it.
    Place(PlaceId, PlaceId, Span),
    Text(Name),
    Nothing,
}

impl Given {
    pub(super) fn call(&self) -> Option<Span> {
        match self {
            Given::Body(_, at) | Given::Place(_, _, at) => Some(*at),
            Given::Number(number) => number.bound_at,
            Given::Text(_) | Given::Nothing => None,
        }
    }
}

#[derive(Clone)]
pub(super) struct Frame {
    pub place: PlaceId,
    pub entry: PlaceId,
    pub args: Rc<[Given]>,
    /// The request that came in; nothing is known of it where the place does not ask.
    pub came: Rc<Came>,
    /// The one of several servers that is looked at alone.
    pub server: Option<usize>,
    /// The pause of the loop around, which counts as the loop's.
    pub pause: Option<Span>,
}

impl Frame {
    pub(super) fn given(&self, i: u16) -> Option<&Given> {
        self.args.get(i as usize).filter(|given| **given != Given::Nothing)
    }

    pub(super) fn number(&self, i: u16) -> Option<Num> {
        match self.given(i) {
            Some(Given::Number(number)) => Some(number.clone()),
            _ => None,
        }
    }

    fn evaluate(&self, value: &Value) -> Num {
        number::evaluate(value, &|i| self.number(i))
    }
}

/// A place, the place at which its component was entered, its arguments, and the request it got.
type Instance = (PlaceId, PlaceId, Rc<[Given]>, Rc<Came>);

pub struct Binder<'a> {
    pub arena: Arena<'a>,
    pub(super) facts: &'a Facts,
    pub(super) graph: &'a Graph,
    pub(super) links: &'a Links<'a>,
    /// Per place: which of its parameters its body looks at.
    uses: Vec<FxHashSet<u16>>,
    pub(super) instances: FxHashMap<Instance, NodeId>,
    pub(super) open: Vec<(PlaceId, Rc<Came>)>,
    /// Ways through places that lead back to where they begin, over a call between services.
    pub circles: Vec<Vec<PlaceId>>,
    /// Calls that were cut although the graph of places does not know them.
    pub(super) cuts: usize,
    nodes_before: usize,
    no_request: Rc<Came>,
    /// Per handler whose code shows its answers: these.
    pub(super) answers: FxHashMap<PlaceId, Endings>,
}

impl<'a> Binder<'a> {
    pub fn new(facts: &'a Facts, graph: &'a Graph, links: &'a Links<'a>) -> Binder<'a> {
        let answers = facts.handlers.iter().filter_map(|h| Some((h.place, h.answers?))).collect();
        Binder {
            arena: Arena::new(),
            facts,
            graph,
            links,
            uses: facts.places.iter().map(|place| used(&place.body)).collect(),
            instances: FxHashMap::default(),
            open: Vec::new(),
            circles: Vec::new(),
            cuts: 0,
            nodes_before: 0,
            no_request: Rc::default(),
            answers,
        }
    }

    /// The node of an operation: its place with nothing given but the request.
    pub fn operation(&mut self, place: PlaceId, request: &Request) -> NodeId {
        self.nodes_before = self.arena.nodes.len();
        match (place.0 as usize) < self.facts.places.len() {
            true => self.instance(place, self.graph.entry(place), Rc::from([]), &Came::from_outside(request)),
            false => Arena::NOTHING,
        }
    }

    /// A whole operation under a deadline that stands in no effect.
    pub fn within(&mut self, deadline: &'a Deadline, body: NodeId) -> NodeId {
        let limit = number::evaluate(&deadline.limit, &|_| None);
        let ends = covers(deadline, &limit);
        let deadline = self.arena.deadline(deadline, limit);
        self.simplest(Node::Within { ends, deadline, body })
    }

    pub(super) fn instance(&mut self, place: PlaceId, entry: PlaceId, args: Rc<[Given]>, came: &Came) -> NodeId {
        let came = match self.facts.place(place).takes_request {
            true => Rc::new(came.clone()),
            false => Rc::clone(&self.no_request),
        };
        let key = (place, entry, args, came);
        if let Some(known) = self.instances.get(&key) {
            return *known;
        }
        if self.open.len() >= DEEPEST || self.arena.nodes.len() - self.nodes_before > MOST_NODES {
            return self.cut("too many paths");
        }
        self.open.push((place, Rc::clone(&key.3)));
        let cuts = self.cuts;
        let facts = self.facts;
        let frame = Frame { place, entry, args: Rc::clone(&key.2), came: Rc::clone(&key.3), server: None, pause: None };
        let body = self.effect(&facts.place(place).body, &frame);
        let node = self.framed(body);
        self.open.pop();
        // What was cut because of what is open is only true here, unless nothing is open any more.
        if self.cuts == cuts || self.open.is_empty() {
            self.instances.insert(key, node);
        }
        node
    }

    fn framed(&mut self, body: NodeId) -> NodeId {
        match self.arena.node(body) {
            Node::Nothing | Node::End(_) | Node::Unknown | Node::Remote { .. } | Node::Frame(_) => body,
            _ => self.arena.add(Node::Frame(body)),
        }
    }

    fn cut(&mut self, why: &str) -> NodeId {
        self.cuts += 1;
        let node = self.arena.add(Node::Seq(Vec::new()));
        self.arena.gap(node, Name::new(why));
        node
    }

    pub(super) fn effect(&mut self, effect: &'a Effect, frame: &Frame) -> NodeId {
        stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || self.bind(effect, frame))
    }

    fn all(&mut self, parts: &'a [Effect], frame: &Frame) -> Vec<NodeId> {
        parts.iter().map(|part| self.effect(part, frame)).collect()
    }

    fn bind(&mut self, effect: &'a Effect, frame: &Frame) -> NodeId {
        let node = match effect {
            Effect::Nothing => return Arena::NOTHING,
            Effect::Sleep(wait) => return self.sleep(wait, frame),
            Effect::End(Ending::Ok) => return Arena::NOTHING,
            Effect::End(ending) => Node::End(*ending),
            Effect::Caught(level) => Node::Caught(*level),
            Effect::Seq(parts) => return self.seq(parts, frame),
            Effect::Branch(parts, _) => return self.branch(parts, frame),
            Effect::Join(parts, until) => Node::Join(self.all(parts, frame), *until),
            Effect::Race(parts, wins) => {
                let race = Node::Race(self.all(parts, frame), *wins);
                let race = self.simplest(race);
                if parts.iter().any(is_timer) {
                    self.arena.timed.insert(race);
                }
                return race;
            }
            Effect::Call(call) => return self.call(call, frame),
            Effect::Remote(remote) => return self.remote(remote, frame),
            Effect::Map(rules, body) => Node::Map(rules.clone().into(), self.effect(body, frame)),
            Effect::Recover(body, arms) => {
                let body = self.effect(body, frame);
                let on = arms.iter().map(|arm| arm.on).collect();
                Node::Recover(body, on, arms.iter().map(|arm| self.effect(&arm.then, frame)).collect())
            }
            Effect::Repeat(repeat) => return self.repeat(repeat, frame),
            Effect::Within(deadline, body) => {
                let limit = frame.evaluate(&deadline.limit);
                let ends = covers(deadline, &limit);
                let body = self.effect(body, frame);
                Node::Within { ends, deadline: self.arena.deadline(deadline, limit), body }
            }
            Effect::Spawn(body) => Node::Spawn(self.effect(body, frame)),
            Effect::Outlives(body) => Node::Outlives(self.effect(body, frame)),
            Effect::Leave(exit, body) => Node::Leave(*exit, self.effect(body, frame)),
            Effect::Scope(body) => Node::Scope(self.effect(body, frame)),
        };
        self.simplest(node)
    }

    /// A node around nothing is nothing, where the table says so too.
    fn simplest(&mut self, node: Node) -> NodeId {
        match &node {
            Node::Scope(body) | Node::Spawn(body) | Node::Outlives(body) | Node::Within { body, .. }
                if *body == Arena::NOTHING =>
            {
                Arena::NOTHING
            }
            Node::Recover(body, on, _) if *body == Arena::NOTHING && !on.iter().any(|on| on.has(Ending::Ok)) => {
                Arena::NOTHING
            }
            _ => self.arena.add(node),
        }
    }

    fn seq(&mut self, parts: &'a [Effect], frame: &Frame) -> NodeId {
        let mut nodes = self.all(parts, frame);
        // Only a last part that does nothing says something: that the whole ends well.
        let last = nodes.pop();
        nodes.retain(|node| *node != Arena::NOTHING);
        nodes.extend(last);
        match nodes[..] {
            [] => Arena::NOTHING,
            [only] => only,
            _ => self.arena.add(Node::Seq(nodes)),
        }
    }

    fn branch(&mut self, parts: &'a [Effect], frame: &Frame) -> NodeId {
        let nodes = self.all(parts, frame);
        self.one_of(nodes)
    }

    pub(super) fn one_of(&mut self, mut nodes: Vec<NodeId>) -> NodeId {
        if nodes.iter().all(|node| *node == Arena::NOTHING) {
            return Arena::NOTHING;
        }
        match nodes.len() {
            1 => nodes.remove(0),
            _ => self.arena.add(Node::Branch(nodes)),
        }
    }

    /// The pause of a loop is the loop's own, and passes between its turns.
    fn sleep(&mut self, wait: &Wait, frame: &Frame) -> NodeId {
        let pause = delay::alone(wait);
        if pause == Delay::NONE || (wait.at.is_some() && wait.at == frame.pause) {
            return Arena::NOTHING;
        }
        self.arena.add(Node::Sleep(pause))
    }

    fn call(&mut self, call: &'a Call, frame: &Frame) -> NodeId {
        match &call.callee {
            _ if frame.pause == Some(call.at) => Arena::NOTHING,
            Callee::Place(place) => self.call_place(*place, call, frame),
            Callee::AnyOf(of, places) => {
                let nodes = places.iter().map(|place| self.call_place(*place, call, frame)).collect();
                let node = self.one_of(nodes);
                if places.len() > 1 && !self.arena.below(node).deps.is_empty() {
                    let gap = format!("the worst of {} implementations of {of}", places.len());
                    self.arena.gap(node, Name::from(gap));
                }
                node
            }
            Callee::Param(i) => match frame.given(*i).cloned() {
                Some(Given::Body(node, _)) => node,
                Some(Given::Place(place, entry, _)) => {
                    let args = self.args(place, call, frame);
                    self.instance(place, entry, args, &frame.came)
                }
                _ => self.unknown("a callable parameter that nothing binds"),
            },
            Callee::Unknown(why) => self.unknown(&why.0),
        }
    }

    fn unknown(&mut self, why: &str) -> NodeId {
        let node = self.arena.add(Node::Unknown);
        self.arena.gap(node, Name::new(why));
        node
    }

    fn call_place(&mut self, place: PlaceId, call: &'a Call, frame: &Frame) -> NodeId {
        if place.0 as usize >= self.facts.places.len() {
            return Arena::NOTHING;
        }
        match self.graph.enter(frame.entry, frame.place, place) {
            Some(entry) => {
                let args = self.args(place, call, frame);
                self.instance(place, entry, args, &frame.came)
            }
            None => self.closes(place),
        }
    }

    /// A call that closes a cycle is its body once. In a large component some calls are cut that close none from here.
    fn closes(&mut self, place: PlaceId) -> NodeId {
        let Some(members) = self.graph.large_cycle(place) else {
            return Arena::NOTHING;
        };
        let node = self.arena.add(Node::Seq(Vec::new()));
        self.arena.gap(node, Name::from(format!("a cycle of {members} functions")));
        node
    }

    /// The arguments that the callee looks at; the others are nothing, so that they do not make instances differ.
    fn args(&mut self, callee: PlaceId, call: &'a Call, frame: &Frame) -> Rc<[Given]> {
        let mut args = Vec::with_capacity(call.args.len());
        for (i, arg) in call.args.iter().enumerate() {
            let wanted = self.uses[callee.0 as usize].contains(&(i as u16));
            args.push(if wanted { self.arg(arg, call, frame) } else { Given::Nothing });
        }
        while args.last() == Some(&Given::Nothing) {
            args.pop();
        }
        args.into()
    }

    fn arg(&mut self, arg: &'a Arg, call: &Call, frame: &Frame) -> Given {
        match arg {
            Arg::Value(value, origin) => {
                let number = frame.evaluate(value);
                let handed_on = number.bound_at.is_some();
                let origin = if handed_on { number.origin.clone() } else { origin.clone() };
                Given::Number(Num { bound_at: number.bound_at.or(Some(call.at)), origin, ..number })
            }
            Arg::Closure(body) => {
                // A closure around the caller's own callable parameter hands that on.
                let from = called_param(body).and_then(|i| frame.given(i)).and_then(Given::call);
                let body = self.effect(body, frame);
                Given::Body(self.framed(body), from.unwrap_or(call.at))
            }
            Arg::Place(place) if (place.0 as usize) < self.facts.places.len() => {
                match self.graph.enter(frame.entry, frame.place, *place) {
                    Some(entry) => Given::Place(*place, entry, call.at),
                    None => Given::Body(Arena::NOTHING, call.at),
                }
            }
            Arg::Param(i) => frame.given(*i).cloned().unwrap_or(Given::Nothing),
            Arg::Text(text) => Given::Text(text.clone()),
            Arg::Place(_) | Arg::Other => Given::Nothing,
        }
    }
}

/// What a deadline ends; one without a limit ends nothing.
fn covers(deadline: &Deadline, limit: &Num) -> Covers {
    let kind = deadline.kind;
    match limit.low {
        u64::MAX => Covers::default(),
        _ => Covers {
            hang: kind.ends_a_hang(),
            total: kind == DeadlineKind::Total,
            connect: kind == DeadlineKind::Connect,
        },
    }
}

/// Whether a side of a race begins by waiting for a time to pass, not for somebody.
fn is_timer(side: &Effect) -> bool {
    match side {
        Effect::Sleep(wait) => !matches!(wait.shape, Shape::None | Shape::Unknown),
        Effect::Seq(parts) => parts.first().is_some_and(is_timer),
        Effect::Recover(body, _) => is_timer(body),
        _ => false,
    }
}
