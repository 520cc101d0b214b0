//! Numbers from the graph: what `audit` prints and what lints compare with thresholds.

mod bind;
mod ceiling;
mod clock;
mod cycles;
mod deadlines;
mod delay;
mod endings;
mod focus;
pub mod formula;
mod hops;
mod keep;
mod layers;
mod limits;
mod mentions;
mod moment;
mod node;
mod number;
mod outer;
mod paths;
mod repeats;
mod ranges;
mod single;
mod sustained;
mod table;
mod time;
mod turning;
mod view;

pub use formula::nominal;
pub use keep::is_owner;
pub use paths::analyse;
pub use single::{effective_of, table_of, time_of};

use crate::class::{Endings, Scenario};
use crate::effect::{Budget, Confidence, DeadlineKind, Form, LoopId, PlaceId, RepeatKind, Safety, Seen, SetBy, Wait};
use crate::name::Name;
use crate::source::Span;
use crate::value::{Bound, Origin};

/// Everything that is computed in one run.
#[derive(Debug, Default)]
pub struct Analysis {
    /// Every layer of the tree, in the order of files and places: what `layers` prints.
    pub layers: Vec<Layer>,
    /// One row per operation and dependency, in the order of the operations.
    pub rows: Vec<Row>,
    /// One entry per remote call, operation and dependency.
    pub sites: Vec<CallSite>,
    /// Remote calls that nothing ends under `hangs`, one per client or bare call.
    pub without_timeout: Vec<WithoutTimeout>,
    /// Unsafe requests inside a layer that repeats them after they may have been processed.
    pub unsafe_repeats: Vec<UnsafeRepeat>,
    /// Limits of time that are longer than the nearest one above, of work that goes on when its caller has left.
    pub inversions: Vec<Inversion>,
    /// Layers whose attempts do not fit the nearest limit above.
    pub misfits: Vec<Misfit>,
    /// Waits for a pooled connection without a limit, or longer than the limit above.
    pub pool_waits: Vec<PoolWait>,
    /// Every limit of time with a known number, each place once.
    pub deadlines: Vec<Limited>,
    /// Retries on circles of services.
    pub cycles: Vec<Cycle>,
    /// Calls of a host that nothing here defines, with the host: sorted, each once.
    pub unresolved: Vec<(Span, Name)>,
}

/// One place that may repeat work.
#[derive(Debug, Clone)]
pub struct Layer {
    pub id: LoopId,
    pub place: PlaceId,
    pub at: Span,
    pub end: Span,
    pub repeat: RepeatKind,
    pub form: Form,
    /// `None`: written. Otherwise the model and its source line.
    pub default_of: Option<Name>,
    pub function: Name,
    /// Over all calls that bind it: the largest. For a helper whose number is a parameter nobody binds: unknown.
    pub attempts: Bound<u64>,
    pub from: Origin,
    /// A limit on elapsed time, in ms, if one bounds it.
    pub elapsed_ms: Option<u64>,
    /// Some finite deadline, cancellation or end of an iterator stops it besides a count.
    pub stops_otherwise: bool,
    pub wait: Wait,
    /// The retried endings.
    pub again: Endings,
    pub seen: Seen,
    pub per_try_ms: Option<u64>,
    pub budget: Option<Budget>,
    pub total_ms: Option<u64>,
    /// The calls that bind it, with the number they give, in order; empty if it needs none.
    pub bound_by: Vec<(Span, Bound<u64>)>,
    /// It encloses a remote or unknown call on some path from an operation.
    pub reached: bool,
    /// On every such path it runs in a task of its own: nobody waits for its end.
    pub detached: bool,
}

impl Layer {
    /// The `kind` of a layer in reports.
    pub fn kind(&self) -> &'static str {
        match self.repeat {
            RepeatKind::Failover => "failover",
            RepeatKind::Reconnecting => "reconnect",
            _ if !self.bound_by.is_empty() && self.form == Form::Loop => "helper",
            _ => self.form.name(),
        }
    }
}

/// A layer on a path, with the number it has there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LayerUse {
    pub id: LoopId,
    pub at: Span,
    /// The call that binds it, for a helper.
    pub bound_at: Option<Span>,
    pub attempts: Bound<u64>,
    /// Written or a default.
    pub written: bool,
    pub function: Name,
}

/// One operation and one dependency.
#[derive(Debug, Clone)]
pub struct Row {
    /// Index into the facts' operations.
    pub operation: usize,
    pub dependency: Name,
    /// The remote calls to it, sorted.
    pub sites: Vec<Span>,
    pub calls: Bound<u64>,
    pub attempts: Bound<u64>,
    pub amplification: Bound<u64>,
    pub ceiling: Bound<u64>,
    /// How many times the calm traffic it stays at while everything fails, budgets counted in.
    pub sustained: Bound<f64>,
    /// Further sends on connections that were kept open, apart from the attempts.
    pub replays: Option<u64>,
    pub worst: Scenario,
    pub failing: Name,
    /// The attempts that start before every deadline above them, in the worst scenario.
    pub effective: Bound<u64>,
    pub scenarios: Vec<InScenario>,
    /// How long the operation is waited for, in ms: the outermost deadline above the calls.
    pub deadline: Bound<u64>,
    /// Why the number may be wrong or is not known.
    pub gaps: Vec<Name>,
    /// On the path to the call that gives the amplification, outermost first.
    pub layers: Vec<LayerUse>,
    /// Those of them that multiply.
    pub owners: Vec<LayerUse>,
    /// The layer to keep.
    pub keep: Option<LayerUse>,
    /// The attempts if that layer alone were left.
    pub with_one_owner: Vec<(LayerUse, Bound<u64>)>,
}

/// The numbers of a pair in one scenario of the dependency whose failure is the worst.
#[derive(Debug, Clone)]
pub struct InScenario {
    pub scenario: Scenario,
    pub attempts: Bound<u64>,
    /// Those that start before every deadline above them.
    pub effective: Bound<u64>,
    /// How long the operation can take, in ms.
    pub time: Bound<u64>,
}

#[derive(Debug, Clone)]
pub struct CallSite {
    pub at: Span,
    pub operation: usize,
    pub dependency: Name,
    pub attempts: Bound<u64>,
    /// The attempts that start in time where the dependency hangs.
    pub effective: Bound<u64>,
    /// How long the operation can take then, in ms.
    pub time: Bound<u64>,
    /// The smallest limit that ends one try, in ms.
    pub deadline: Bound<u64>,
}

#[derive(Debug, Clone)]
pub struct WithoutTimeout {
    /// The client's construction, else the call.
    pub at: Span,
    pub call: Span,
    pub what: Name,
    /// A connect timeout is set, although nothing ends a hang.
    pub connect_timeout: bool,
    /// High where the client is built in the tree or the call is bare; medium where it comes from outside.
    pub confidence: Confidence,
    /// It goes through a client that somebody hands over and that is not followed.
    pub handed_over: bool,
}

#[derive(Debug, Clone)]
pub struct UnsafeRepeat {
    /// The call that is repeated; where a proxy repeats it, the policy or condition that does.
    pub at: Span,
    /// The call that made the request.
    pub call: Span,
    pub layer: LayerUse,
    pub verb: Option<Name>,
    pub safety: Safety,
    pub dependency: Name,
    /// The endings after which it is sent again.
    pub again: Endings,
    /// Where an idempotency key is made beside the call.
    pub key_made: Option<Span>,
}

/// A limit of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limited {
    pub at: Span,
    pub ms: u64,
    pub kind: DeadlineKind,
    pub set: SetBy,
}

/// Work whose limit is longer than its caller's.
#[derive(Debug, Clone)]
pub struct Inversion {
    pub inner: Limited,
    pub outer: Limited,
    /// The calls between, the outermost first.
    pub hops: Vec<Span>,
    pub operation: usize,
}

/// Attempts that do not fit the limit above them.
#[derive(Debug, Clone)]
pub struct Misfit {
    pub layer: LayerUse,
    /// `None`: only a budget limits them.
    pub attempts: Option<u64>,
    /// How long one attempt can last, in ms; `None`: nothing limits it, or it fails at once.
    pub per_try: Option<u64>,
    /// How long all can take; `None`: one alone can use everything.
    pub needs: Option<u64>,
    pub starts: u64,
    pub finishes: u64,
    pub outer: Limited,
    /// The calls between, the outermost first.
    pub hops: Vec<Span>,
    pub operation: usize,
}

/// A wait for a pooled connection.
#[derive(Debug, Clone)]
pub struct PoolWait {
    /// Where the limit is set, or the pool is built.
    pub at: Span,
    /// `None`: for ever.
    pub ms: Option<u64>,
    pub set: SetBy,
    /// The nearest limit above.
    pub outer: Option<Limited>,
}

/// A retry on a circle of calls between services.
#[derive(Debug, Clone)]
pub struct Cycle {
    pub at: Span,
    pub layer: LoopId,
    pub function: Name,
    /// The way round: the first stands at the end again.
    pub services: Vec<Name>,
}

#[cfg(test)]
mod tests;
