//! What every front-end emits: places with their effects, operations, and what was looked at and left alone.

use crate::class::Endings;
use crate::effect::{Effect, LoopId, PlaceId, RepeatKind};
use crate::name::Name;
use crate::source::{FileId, Span};
use crate::suppress::Comment;

/// All facts of one front-end, or of a whole run after they were put together.
#[derive(Debug, Default)]
pub struct Facts {
    pub places: Vec<Place>,
    pub operations: Vec<Operation>,
    pub handlers: Vec<Handler>,
    pub entrances: Vec<Entrance>,
    pub by_name: Vec<ByName>,
    pub hosts: Vec<Host>,
    pub sockets: Vec<Socket>,
    pub remarks: Vec<Remark>,
    /// What people accepted or stated, in files of every format.
    pub comments: Vec<Comment>,
    pub loops: Vec<LoopSeen>,
    pub problems: Vec<Problem>,
    /// What was left out on purpose and may surprise.
    pub notes: Vec<(FileId, String)>,
    pub stats: Stats,
    /// The next free number of a layer.
    pub next_loop: u32,
}

/// Something that can repeat work: a function, a client, a proxy's route.
#[derive(Debug)]
pub struct Place {
    /// The path as code names it: `sdk::Client::checkout`.
    pub name: Name,
    pub at: Span,
    pub params: Vec<Param>,
    pub body: Effect,
    /// The Cargo package, or the config file's folder.
    pub package: Name,
    /// The system service it belongs to, for names of dependencies: the package's name unless configured.
    pub service: Name,
    /// What it does hangs on the request that comes in: it hands it on, or asks for its method.
    pub takes_request: bool,
}

#[derive(Debug, Clone)]
pub struct Param {
    pub name: Name,
}

impl Facts {
    pub fn place(&self, id: PlaceId) -> &Place {
        &self.places[id.0 as usize]
    }

    pub fn add_place(&mut self, place: Place) -> PlaceId {
        let id = PlaceId(self.places.len() as u32);
        self.places.push(place);
        id
    }

    pub fn new_loop(&mut self) -> LoopId {
        self.next_loop += 1;
        LoopId(self.next_loop - 1)
    }
}

/// One logical unit of work that starts outside the system.
#[derive(Debug, Clone)]
pub struct Operation {
    /// `POST /checkout`, `main`, `client::pay`.
    pub name: Name,
    pub kind: OperationKind,
    pub place: PlaceId,
    pub at: Span,
    pub service: Name,
    /// The request with which it begins, for what asks for it.
    pub request: Request,
    /// It is one only if nothing in the tree calls its place: an entrance between two parts of a system is none.
    pub unless_called: bool,
}

/// What is known of a request where it comes in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Request {
    /// Upper case.
    pub method: Option<Name>,
    /// With `{}` for a segment that is not known, and `{*}` for an end that is not known: `/api/{*}`.
    pub path: Option<Name>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OperationKind {
    Http,
    Grpc,
    Queue,
    Job,
    Main,
    /// A public function of a library that nothing else in the tree calls.
    Api,
}

impl OperationKind {
    pub fn name(self) -> &'static str {
        match self {
            OperationKind::Http => "http",
            OperationKind::Grpc => "grpc",
            OperationKind::Queue => "queue",
            OperationKind::Job => "job",
            OperationKind::Main => "main",
            OperationKind::Api => "api",
        }
    }
}

/// A handler that remote calls of this tree can lead to.
#[derive(Debug, Clone)]
pub struct Handler {
    pub place: PlaceId,
    /// Upper case; `None` fits any.
    pub method: Option<Name>,
    /// With parameters as `{}`: `/orders/{}`.
    pub path: Option<Name>,
    pub service: Name,
    pub package: Name,
    /// The gRPC service and method that it is, as far as code names them: `Stock/Reserve`.
    pub rpc: Option<Name>,
    /// The answers with which it says that its work failed, where its code shows them.
    pub answers: Option<Endings>,
}

/// Where a proxy of the tree takes requests, and the rules by which it picks what answers.
#[derive(Debug, Clone)]
pub struct Entrance {
    pub file: FileId,
    pub listens: Vec<Listen>,
    /// The first whose names fit the request's host counts; else the first that takes any; else the first.
    pub hosts: Vec<VirtualHost>,
}

/// Routes that are found by the name that is called, whatever the port: of a mesh's proxy beside the caller, of a gateway.
#[derive(Debug, Clone)]
pub struct ByName {
    pub entrance: Entrance,
    pub callers: Callers,
}

/// Whose calls take such routes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Callers {
    /// Everybody's: a gateway under its public name.
    Everybody,
    /// Of all that do not surely lack a proxy of that mesh, or of any: somebody wrote the routes.
    MayHave(Option<Mesh>),
    /// Of those that surely have one: nobody wrote the routes.
    Has(Mesh),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mesh {
    Istio,
    Linkerd,
    Kuma,
}

impl Mesh {
    pub fn from_name(name: &str) -> Option<Mesh> {
        Some(match name {
            "istio" => Mesh::Istio,
            "linkerd" => Mesh::Linkerd,
            "kuma" => Mesh::Kuma,
            _ => return None,
        })
    }
}

/// Whether the proxy of a mesh stands beside what runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sidecar {
    #[default]
    Unknown,
    None,
    Of(Mesh),
}

/// A socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listen {
    /// `127.0.0.1`, a name; `None` is every address of the machine.
    pub host: Option<Name>,
    pub port: u16,
}

#[derive(Debug, Clone)]
pub struct VirtualHost {
    /// Lower case: `shop.internal`, `*.shop.internal`, `*`. Empty fits any.
    pub names: Vec<Name>,
    /// In the order in which they are asked: the first that fits answers.
    pub routes: Vec<Route>,
}

#[derive(Debug, Clone)]
pub struct Route {
    /// Upper case; empty fits any.
    pub methods: Vec<Name>,
    pub path: PathRule,
    /// Something else is asked too (a header, a share of the traffic): it may fit or not.
    pub perhaps: bool,
    pub place: PlaceId,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathRule {
    Any,
    Exact(Name),
    Prefix(Name),
    /// A regular expression; whether a path fits is not computed.
    Pattern(Name),
}

/// Code that takes requests at a port which is constant, or has a default.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Socket {
    pub at: Span,
    pub port: u16,
}

/// Something that runs, as a description of the running system has it: a service of a compose file, a container of
/// Kubernetes.
#[derive(Debug, Clone)]
pub struct Host {
    /// The file whose folder it is near to: of a kustomization its own, not that of a manifest it takes in.
    pub file: FileId,
    pub at: Span,
    /// Names without a dot mean something among the hosts of one system first: a compose project, a kustomization.
    pub system: Name,
    /// Names under which others reach it: `payments`, `payments.shop`, `payments.shop.svc.cluster.local`; a `*` stands
    /// for a namespace that the manifest does not say: `payments.*.svc`.
    pub names: Vec<Name>,
    /// Port that is called by name → port on which it listens. Others mean themselves.
    pub ports: Vec<(u16, u16)>,
    /// Port of the machine → port on which it listens: for what runs beside it, not inside the system.
    pub published: Vec<(u16, u16)>,
    /// What runs there; the first that the tree has counts.
    pub runs: Vec<Runs>,
    /// Folders of the packages that are built into what runs there.
    pub parts: Vec<Name>,
    /// Its environment: variable → value.
    pub env: Vec<(Name, Name)>,
    pub sidecar: Sidecar,
    /// The namespace in which it runs, if it says one.
    pub namespace: Option<Name>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Runs {
    /// The Cargo package whose manifest lies in that folder.
    Folder(Name),
    /// A proxy with that config file.
    Config(Name),
    /// Nothing of its own: it is another name for that host.
    Elsewhere(Name),
}

/// A setting that its system does not take as it is written, or that lets in what it should not. The front-end knows the
/// rules of its format and finds the words; a lint decides on the level.
#[derive(Debug, Clone)]
pub struct Remark {
    pub is: RemarkKind,
    pub at: Span,
    /// The key path of the setting, for fingerprints: `virtual_hosts.all.routes./.retry_policy.num_retries`.
    pub context: Name,
    /// Holds the numbers.
    pub message: String,
    pub help: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RemarkKind {
    /// RL305: a shared layer has no budget, or one that limits nothing.
    NoBudget,
    /// RL306: a failed message comes back without end.
    Redelivered,
    /// RL307: requests run beside those that they repeat.
    Hedged,
    /// RL309: it can never take effect.
    Dead,
    /// RL310: the system refuses or clamps it.
    Rejected,
    /// RL311: requests are sent again on connections that were kept open, beyond the attempts.
    Replays,
    /// RL312: callers set the number of retries.
    CallersDecide,
    /// RL401: a client is built for each request.
    ClientPerRequest,
    /// RL402: a pool is smaller than what asks it at once.
    PoolTooSmall,
    /// RL403: connections are not reused.
    NoReuse,
}

/// A loop that was looked at and is no retry.
#[derive(Debug, Clone)]
pub struct LoopSeen {
    pub at: Span,
    pub is: RepeatKind,
}

/// Input that was claimed and could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub file: FileId,
    /// Byte offset, 0 for the whole file.
    pub at: u32,
    pub message: String,
}

/// Counts for `--stats` and the report.
#[derive(Debug, Default, Clone, Copy)]
pub struct Stats {
    pub files: u64,
    pub lines: u64,
    pub functions: u64,
    /// Calls whose callee is in the tree, as far as known.
    pub calls: u64,
    /// Those of them that lead to at most ten targets.
    pub calls_resolved: u64,
}
