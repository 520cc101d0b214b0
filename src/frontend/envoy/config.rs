//! An Envoy configuration as plain data: what of it decides who is called how often, each value with its place. Nothing in
//! here knows a default: a field that is not written is `None`.

use std::time::Duration;

use crate::name::Name;
use crate::source::{FileId, Span};

pub use crate::frontend::field::{Given, Set};

/// All of one file.
#[derive(Debug, Default)]
pub struct File {
    /// It is a bootstrap: a whole system of its own, with what its control plane adds.
    pub bootstrap: bool,
    /// Clusters or routes come from somewhere that is not in the file.
    pub dynamic: bool,
    pub listeners: Vec<Listener>,
    /// Route tables that stand alone.
    pub tables: Vec<Table>,
    pub clusters: Vec<Cluster>,
}

impl File {
    /// Whether anything of Envoy's was found in it.
    pub fn holds_something(&self) -> bool {
        self.bootstrap || !(self.listeners.is_empty() && self.tables.is_empty() && self.clusters.is_empty())
    }

    /// Every HTTP connection manager of the file.
    pub fn managers(&self) -> impl Iterator<Item = &Manager> {
        let filters = self.listeners.iter().flat_map(|l| &l.filters);
        filters.filter_map(|f| match &f.what {
            FilterKind::Http(manager) => Some(&**manager),
            FilterKind::Tcp(_) => None,
        })
    }
}

#[derive(Debug)]
pub struct Listener {
    pub name: Name,
    pub listens: Listens,
    pub filters: Vec<Filter>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Listens {
    /// Host and port; no host for every address.
    Socket(Option<Name>, u16),
    /// Reached by clusters of the same Envoy alone.
    Internal,
    /// A pipe, or an address that is filled in later.
    Elsewhere,
}

/// A network filter that passes on, with the server names that its chain asks for.
#[derive(Debug)]
pub struct Filter {
    pub server_names: Vec<Name>,
    pub what: FilterKind,
}

#[derive(Debug)]
pub enum FilterKind {
    Http(Box<Manager>),
    Tcp(Box<TcpProxy>),
}

/// An HTTP connection manager.
#[derive(Debug)]
pub struct Manager {
    pub routes: Routes,
    pub stream_idle_timeout: Option<Set<Duration>>,
    /// Ranges whose callers count as internal, with the entry that holds them.
    pub internal_ranges: Option<Set<Vec<Range>>>,
    /// Filters that ask somebody before the request goes on, in order.
    pub asks: Vec<Ask>,
}

#[derive(Debug)]
pub enum Routes {
    Inline(Table),
    /// By name, from another file or a control plane.
    Named(Name),
    Unknown,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Range {
    pub prefix: Name,
    pub length: u64,
}

/// A call to a cluster that must succeed before a request goes on: `ext_authz`.
#[derive(Debug)]
pub struct Ask {
    pub filter: Name,
    pub cluster: Set<Name>,
    pub timeout: Option<Set<Duration>>,
    pub grpc: bool,
    /// A failure of the one that is asked lets the request pass.
    pub may_fail: bool,
}

#[derive(Debug)]
pub struct TcpProxy {
    pub at: Span,
    pub to: To,
    pub max_connect_attempts: Option<Set<u64>>,
    pub back_off: Option<BackOff>,
    pub idle_timeout: Option<Set<Duration>>,
}

/// A route configuration.
#[derive(Debug)]
pub struct Table {
    pub name: Option<Name>,
    pub hosts: Vec<VirtualHost>,
    pub mirrors: Vec<Mirror>,
}

#[derive(Debug)]
pub struct VirtualHost {
    pub name: Name,
    pub domains: Vec<Name>,
    pub routes: Vec<Route>,
    pub policy: Option<Policy>,
    pub hedge: Option<Set<bool>>,
    pub mirrors: Vec<Mirror>,
}

#[derive(Debug)]
pub struct Route {
    pub at: Span,
    pub matching: Match,
    pub action: Action,
    /// Filters that are switched off for it.
    pub without: Vec<Name>,
}

#[derive(Debug, Default)]
pub struct Match {
    pub path: Path,
    /// Upper case; empty for any.
    pub methods: Vec<Name>,
    /// Something else is asked as well: a header, a share of the traffic.
    pub perhaps: bool,
    pub grpc: bool,
}

#[derive(Debug, Default, Clone, PartialEq)]
pub enum Path {
    #[default]
    Any,
    Prefix(Name),
    /// A prefix that ends where a segment ends.
    Segments(Name),
    Exact(Name),
    /// Of the whole path.
    Pattern(Name),
    /// A template of segments, or a kind that is not known here.
    Unknown,
}

#[derive(Debug)]
pub enum Action {
    Pass(Box<Pass>),
    /// Envoy answers itself with this status; a redirect answers as well.
    Answer(u16),
    /// Nothing that is known here.
    Unknown,
}

/// A route action that passes the request on.
#[derive(Debug)]
pub struct Pass {
    /// The `route:` entry.
    pub at: Span,
    pub to: To,
    pub timeout: Option<Set<Duration>>,
    pub idle_timeout: Option<Set<Duration>>,
    pub max_stream_duration: Option<Set<Duration>>,
    pub policy: Option<Policy>,
    pub hedge: Option<Set<bool>>,
    pub mirrors: Vec<Mirror>,
    pub rewrite: Rewrite,
}

/// Where a request goes.
#[derive(Debug)]
pub struct To {
    pub clusters: Vec<Set<Name>>,
    /// Where a header or an extension decides: its name.
    pub decided_by: Option<Set<Name>>,
}

#[derive(Debug, Default, Clone, PartialEq)]
pub enum Rewrite {
    #[default]
    None,
    /// The part that the route matched is replaced.
    Matched(Name),
    Unknown,
}

#[derive(Debug, Clone)]
pub struct Mirror {
    pub cluster: Set<Name>,
}

/// A retry policy.
#[derive(Debug, Clone)]
pub struct Policy {
    /// The entry, its key included.
    pub at: Span,
    pub retry_on: Option<Set<Name>>,
    pub num_retries: Option<Set<u64>>,
    pub per_try_timeout: Option<Set<Duration>>,
    pub per_try_idle_timeout: Option<Set<Duration>>,
    pub status_codes: Option<Set<Vec<u16>>>,
    pub back_off: Option<BackOff>,
    pub rate_limited: Option<RateLimited>,
    /// Fields that no retry policy has, by their name.
    pub foreign: Vec<(Name, Span)>,
    /// Response headers are asked.
    pub headers: bool,
    /// The methods that it asks for (`:method` among `retriable_request_headers`); empty for any.
    pub methods: Vec<Name>,
}

#[derive(Debug, Clone)]
pub struct BackOff {
    pub at: Span,
    pub base: Option<Set<Duration>>,
    pub max: Option<Set<Duration>>,
}

/// A wait that the answer asks for.
#[derive(Debug, Clone)]
pub struct RateLimited {
    /// Lower case.
    pub headers: Vec<Name>,
}

#[derive(Debug)]
pub struct Cluster {
    pub file: FileId,
    pub name: Name,
    /// `host:port`, or the name of an internal listener.
    pub servers: Vec<Server>,
    /// All servers are listed; a name that is resolved may stand for several.
    pub is_static: bool,
    /// Of an aggregate: the clusters it picks from.
    pub aggregate: Vec<Set<Name>>,
    pub connect_timeout: Option<Set<Duration>>,
    pub max_requests_per_connection: Option<Set<u64>>,
    /// Of the thresholds for the priority that everything has by default.
    pub max_retries: Option<Set<u64>>,
    pub budget: Option<Budget>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Server {
    Address(Name),
    Internal(Name),
}

#[derive(Debug, Clone)]
pub struct Budget {
    pub at: Span,
    pub percent: Option<Set<f64>>,
    pub min_concurrency: Option<Set<u64>>,
}
