//! Istio's objects as plain data: what of them decides who is called how often. Nothing in here knows a default.

use std::time::Duration;

use crate::fact::PathRule;
use crate::frontend::field::Set;
use crate::name::Name;
use crate::source::Span;

pub struct VirtualService {
    pub hosts: Vec<Name>,
    /// Where its routes hold; empty for the mesh alone.
    pub gateways: Vec<Name>,
    pub http: Vec<Route>,
}

pub struct Route {
    pub at: Span,
    pub matches: Vec<Match>,
    pub action: Action,
    pub mirrors: Vec<Destination>,
    pub timeout: Option<Set<Duration>>,
    pub retries: Option<Retries>,
    /// The path that stands for the one that matched.
    pub rewrite: Option<Set<Name>>,
}

pub enum Action {
    Destinations(Vec<Destination>),
    /// A status, or a redirect.
    Answer(Option<u16>),
    /// Another object says what becomes of it.
    Delegate,
}

pub struct Destination {
    pub host: Set<Name>,
    pub port: Option<u64>,
    pub subset: Option<Name>,
}

pub struct Match {
    pub path: PathRule,
    pub methods: Vec<Name>,
    pub perhaps: bool,
}

/// `retries` of a route, or a default of the mesh.
#[derive(Clone)]
pub struct Retries {
    /// The entry, its key included.
    pub at: Span,
    pub attempts: Option<Set<u64>>,
    pub per_try_timeout: Option<Set<Duration>>,
    pub retry_on: Option<Set<Name>>,
    pub backoff: Option<Set<Duration>>,
}

/// What a DestinationRule says of the calls to a host, or to a part of it.
pub struct Traffic {
    pub host: Name,
    pub subset: Option<Name>,
    pub max_retries: Option<Set<u64>>,
    pub budget: Option<(Span, Option<f64>)>,
    pub connect_timeout: Option<Set<Duration>>,
}

/// What a mesh's own configuration says.
#[derive(Default)]
pub struct MeshConfig {
    pub outbound: Option<Retries>,
    pub inbound: Option<Retries>,
    /// The release that it installs.
    pub version: Option<Name>,
}
