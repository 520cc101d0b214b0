//! Routes of the Gateway API, and Envoy Gateway's policies for them, as plain data. Nothing in here knows a default.

use std::time::Duration;

use crate::fact::PathRule;
use crate::frontend::field::Set;
use crate::name::Name;
use crate::source::Span;

/// An HTTPRoute or a GRPCRoute.
pub struct HttpRoute {
    pub grpc: bool,
    pub hostnames: Vec<Name>,
    pub parents: Vec<Parent>,
    pub rules: Vec<Rule>,
}

/// What a route is attached to.
#[derive(Clone)]
pub struct Parent {
    pub kind: Name,
    pub name: Name,
    pub namespace: Option<Name>,
}

pub struct Rule {
    pub at: Span,
    pub matches: Vec<Match>,
    pub backends: Vec<Backend>,
    pub mirrors: Vec<Backend>,
    pub rewrite: Rewrite,
    /// It answers itself: with a redirect.
    pub redirects: bool,
    pub request: Option<Set<Duration>>,
    pub backend_request: Option<Set<Duration>>,
    pub retry: Option<Retry>,
}

pub struct Match {
    pub path: PathRule,
    pub methods: Vec<Name>,
    pub perhaps: bool,
}

pub struct Backend {
    pub name: Set<Name>,
    pub namespace: Option<Name>,
    pub port: Option<u64>,
    /// It is a Service, and no kind of another system.
    pub service: bool,
}

#[derive(Clone)]
pub enum Rewrite {
    None,
    Whole(Name),
    Prefix(Name),
}

/// `retry` of a rule.
pub struct Retry {
    /// The entry, its key included.
    pub at: Span,
    pub attempts: Option<Set<u64>>,
    pub codes: Option<Set<Vec<u16>>>,
    pub backoff: Option<Set<Duration>>,
}

/// A Gateway, as far as it says who serves it and under which names.
pub struct Gateway {
    pub name: Name,
    pub namespace: Option<Name>,
    pub class: Name,
    pub hostnames: Vec<Name>,
}

/// A BackendTrafficPolicy of Envoy Gateway.
pub struct TrafficPolicy {
    /// Kind and name of what it is for.
    pub targets: Vec<(Name, Name)>,
    pub namespace: Option<Name>,
    pub retry: Option<PolicyRetry>,
    pub request_timeout: Option<Set<Duration>>,
    pub connect_timeout: Option<Set<Duration>>,
    /// The block that brakes retries, if one is written.
    pub brake: Option<Brake>,
}

pub struct PolicyRetry {
    pub at: Span,
    pub num_retries: Option<Set<u64>>,
    /// `retryOn` is written.
    pub listed: bool,
    pub triggers: Option<Set<Vec<Name>>>,
    pub codes: Option<Set<Vec<u16>>>,
    pub timeout: Option<Set<Duration>>,
    pub base_interval: Option<Set<Duration>>,
    pub max_interval: Option<Set<Duration>>,
}

pub struct Brake {
    pub at: Span,
    pub max_parallel_retries: Option<Set<u64>>,
    /// The share of the traffic that retries may make, in 1.
    pub budget: Option<(Span, f64)>,
}
