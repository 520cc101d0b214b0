//! What every front-end emits: places with their effects, operations, and what was looked at and left alone.

use crate::effect::{Effect, PlaceId, RepeatKind};
use crate::name::Name;
use crate::source::{FileId, Span};

/// All facts of one front-end, or of a whole run after they were put together.
#[derive(Debug, Default)]
pub struct Facts {
    pub places: Vec<Place>,
    pub operations: Vec<Operation>,
    pub handlers: Vec<Handler>,
    pub loops: Vec<LoopSeen>,
    pub problems: Vec<Problem>,
    pub stats: Stats,
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
}

#[derive(Debug, Clone)]
pub struct Param {
    pub name: Name,
}

impl Facts {
    pub fn place(&self, id: PlaceId) -> &Place {
        &self.places[id.0 as usize]
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
