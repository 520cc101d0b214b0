//! What objects of any mesh or gateway come to, once their numbers are attempts and their defaults are filled in: routes for
//! names, with what each does to a request.

use crate::class::{Endings, FailureClass};
use crate::effect::{Budget, ByMethod, Deadline, DeadlineKind, Form, Passes, Seen, Wait};
use crate::fact::{Callers, PathRule};
use crate::name::Name;
use crate::source::{FileId, Span};
use crate::value::{Origin, Value};

/// The routes that one object gives to the hosts that it names.
pub struct Table {
    pub file: FileId,
    /// `VirtualService catalog`.
    pub object: Name,
    /// The namespace of the object, if it says one.
    pub namespace: Option<Name>,
    /// What operations and dependencies are told apart by: the host it is for, or the object.
    pub service: Name,
    /// Lower case; empty where it is reached by no name of its own.
    pub names: Vec<Name>,
    pub callers: Callers,
    /// A layer of the mesh, or one of a gateway.
    pub form: Form,
    /// Endings of the last try, and what the caller gets.
    pub answers: Vec<(Endings, Endings)>,
    pub routes: Vec<Route>,
}

pub struct Route {
    pub at: Span,
    /// One of them fits; empty for every request.
    pub matches: Vec<Match>,
    pub does: Does,
    /// Somebody wrote it for requests that come in; the others only say what becomes of the rest.
    pub way_in: bool,
}

pub enum Does {
    Pass(Box<Pass>),
    /// The proxy answers itself; `None` for an answer that is no failure.
    Answer(Option<FailureClass>),
    /// Something that is not followed.
    Unknown,
}

/// A request that is passed on.
#[derive(Default)]
pub struct Pass {
    /// One of them is picked.
    pub to: Vec<To>,
    pub mirrors: Vec<To>,
    pub grpc: bool,
    pub passes: Option<Passes>,
    /// Around one try, the inner ones first.
    pub per_try: Vec<Deadline>,
    pub layer: Option<Layer>,
    /// Around all tries, the inner ones first.
    pub total: Vec<Deadline>,
}

impl Pass {
    /// A limit per try as Envoy takes it: one that is not below the limit for all is ignored.
    pub fn limit_tries(&mut self, (ms, at): (u64, Span)) {
        let works = self.total.iter().filter_map(|t| t.limit.number()).all(|all| ms < all);
        let Some(layer) = &mut self.layer else { return };
        layer.seen.dead_per_try = !works;
        layer.per_try_ms = works.then_some(ms);
        if works {
            self.per_try.push(Deadline::new(DeadlineKind::Total, Value::Number(ms), at));
        }
    }
}

#[derive(Clone)]
pub struct To {
    /// As the object writes it.
    pub named: Name,
    /// `catalog.shop.svc.cluster.local:8080`; `None` for what is no service.
    pub address: Option<Name>,
    pub at: Span,
    /// The proxy beside the receiver, where one surely repeats.
    pub inbound: Option<Inbound>,
}

/// What the proxy beside a receiver does before the request reaches it.
#[derive(Clone)]
pub struct Inbound {
    pub layer: Layer,
    /// Endings of the last try, and what the one that calls gets.
    pub answers: Vec<(Endings, Endings)>,
}

pub struct Match {
    pub path: PathRule,
    /// It ends where a segment ends.
    pub whole_segments: bool,
    /// Upper case; empty for any.
    pub methods: Vec<Name>,
    /// Something else is asked as well.
    pub perhaps: bool,
}

/// What repeats a request.
#[derive(Clone)]
pub struct Layer {
    pub at: Span,
    pub attempts: (Value, Origin),
    /// No try begins after so many milliseconds.
    pub elapsed: Option<(Value, Origin)>,
    pub again: Endings,
    pub by_method: Option<ByMethod>,
    /// Where somebody asked for repeats of requests that may do harm twice.
    pub takes_unsafe: Option<Span>,
    pub wait: Wait,
    pub budget: Option<Budget>,
    /// The default that it is, where nobody wrote it.
    pub default_of: Option<Name>,
    pub seen: Seen,
    pub per_try_ms: Option<u64>,
}

impl Layer {
    /// A layer of which nothing is known yet.
    pub fn new(at: Span) -> Layer {
        Layer {
            at,
            attempts: (Value::Number(1), Origin::none()),
            elapsed: None,
            again: Endings::NONE,
            by_method: None,
            takes_unsafe: None,
            wait: Wait::none(),
            budget: None,
            default_of: None,
            seen: Seen::default(),
            per_try_ms: None,
        }
    }
}
