//! What a place does to the world, as a tree: the common language of all front-ends.
//!
//! The meaning of each effect is its table of endings (`analysis/endings.rs`). Three forms serve code that jumps:
//! [`Effect::Leave`] ends somewhere else than where it stands, [`Effect::Scope`] is where a `return` lands, and
//! [`Effect::Caught`] ends as the ending did that an enclosing arm is looking at.

mod budget;
mod deadline;
mod method;
mod remote;
mod seen;
pub mod variable;
mod walk;

use crate::class::{Ending, Endings};
use crate::name::Name;
use crate::source::Span;
use crate::value::{Origin, Value};

pub use budget::{Budget, Share};
pub use deadline::{Deadline, DeadlineKind, SetBy};
pub use method::{ByMethod, Methods};
pub use remote::{Client, Key, Passes, Remote, Safety, Target};
pub use seen::{Confidence, CountName, Seen};
pub use walk::{children, children_mut, walk, walk_mut};

/// A place among [`crate::fact::Facts::places`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PlaceId(pub u32);

/// A loop or layer; unique within a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LoopId(pub u32);

#[derive(Clone, PartialEq, Debug)]
pub enum Effect {
    Nothing,
    End(Ending),
    /// Ends as what the n-th enclosing arm (0 is the innermost) has caught.
    Caught(u8),
    /// One after another; an error or a hang leaves, success and an answer nobody looked at go on.
    Seq(Vec<Effect>),
    /// Exactly one of them.
    Branch(Vec<Effect>, Judged),
    Join(Vec<Effect>, Until),
    Race(Vec<Effect>, Wins),
    Call(Call),
    Remote(Remote),
    /// Endings renamed: each ending of a left set becomes any of the right set. The first rule that fits; others stay.
    Map(Vec<(Endings, Endings)>, Box<Effect>),
    /// The first arm whose set holds the body's ending takes over (`ok` may be caught too); others stay as they are.
    Recover(Box<Effect>, Vec<Arm>),
    Repeat(Box<Repeat>),
    Within(Deadline, Box<Effect>),
    Sleep(Wait),
    /// Goes on by itself; the caller sees success.
    Spawn(Box<Effect>),
    /// The caller waits for it, but where the caller leaves it goes on: a server that does not notice that its client has
    /// closed (nginx with `proxy_ignore_client_abort on`, HAProxy without `abortonclose`). Deadlines outside do not cut it.
    Outlives(Box<Effect>),
    /// Goes on at the exit, with the inner effect's ending. Errors, answers and success alike; a hang hangs where it stands.
    Leave(Exit, Box<Effect>),
    /// A function's body or an async block: where `Exit::Return` lands.
    Scope(Box<Effect>),
}

/// What a branch looked at to decide. Loop classification and RL106 ask for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Judged {
    /// Something that has nothing to do with the answer.
    Other,
    /// The content of a successful answer (`if page.is_empty()`, `Some`/`None` inside `Ok`).
    Answer,
    /// The error or the status, in a way that could not be followed to classes.
    Error,
    /// A counter or a clock that bounds the loop.
    Counter,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Arm {
    pub on: Endings,
    pub then: Effect,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Until {
    /// `try_join!`: until the first error.
    FirstError,
    /// `join!`, `join_all`.
    All,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Wins {
    /// `select!`.
    First,
    /// `select_ok`, hedging.
    FirstOk,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Exit {
    /// Leaves the innermost [`Effect::Scope`].
    Return,
    /// Leaves the loop with that id.
    Break(LoopId),
    /// Goes to the head of the loop with that id.
    Again(LoopId),
}

#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    pub callee: Callee,
    pub args: Vec<Arg>,
    pub at: Span,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Callee {
    Place(PlaceId),
    /// A trait method with 2 to 10 implementations: the worst of them. The name is the trait's.
    AnyOf(Name, Vec<PlaceId>),
    /// The i-th parameter of this place, which is callable (a closure, a function, a future).
    Param(u16),
    /// A call that could not be resolved but is awaited or foreign; a gap with this reason.
    Unknown(crate::value::Why),
}

/// What a call hands to a parameter. Closures may mention parameters of the place in which they are written.
#[derive(Clone, PartialEq, Debug)]
pub enum Arg {
    Value(Value, Origin),
    Closure(Box<Effect>),
    Place(PlaceId),
    /// A callable parameter of the caller handed on.
    Param(u16),
    /// An address, as in [`Target::address`].
    Text(Name),
    /// Nothing that matters.
    Other,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Repeat {
    pub id: LoopId,
    pub kind: RepeatKind,
    pub form: Form,
    /// `None`: somebody wrote it. Otherwise the model and the line of the library's source, for reports.
    pub default_of: Option<Name>,
    /// The function in which it stands, as `sdk::Client::checkout`.
    pub function: Name,
    /// The loop's head, the combinator's call, the line that adds the layer.
    pub at: Span,
    /// The last byte of it, for reports.
    pub end: Span,
    /// The smallest applies. Empty: nothing bounds it.
    pub stops: Vec<Stop>,
    /// For combinators, clients and middleware: which endings of the body are tried again. For loops: filled in when the
    /// loop is classified, for reports; there the jumps of the body decide.
    pub again: Endings,
    /// The same for some methods, where the layer looks at the method: nginx repeats a POST only before it was sent.
    pub by_method: Option<ByMethod>,
    /// Where a setting takes in requests that may do harm twice whatever their method (RL108).
    pub takes_unsafe: Option<Span>,
    /// Each attempt goes to another of the servers that the call in its body names, and each server gets one at most.
    pub each_server_once: bool,
    pub budget: Option<Budget>,
    /// The body decides by `Exit::Again`, `Exit::Break` and by falling through to the head.
    pub jumps: bool,
    /// When turns run out, control falls out of the loop's end (`for`, `while`); otherwise a guard inside decides.
    pub exhausts: bool,
    pub wait: Wait,
    pub body: Effect,
    pub seen: Seen,
    /// What one deadline covers around all turns is a `Within` outside; this is a per-try limit inside, for reports (ms).
    pub per_try_ms: Option<u64>,
}

impl Repeat {
    /// A repetition of which nothing is known yet.
    pub fn new(id: LoopId, kind: RepeatKind, form: Form, function: Name, at: Span, body: Effect) -> Repeat {
        Repeat {
            id,
            kind,
            form,
            default_of: None,
            function,
            at,
            end: at,
            stops: Vec::new(),
            again: Endings::NONE,
            by_method: None,
            takes_unsafe: None,
            each_server_once: false,
            budget: None,
            jumps: false,
            exhausts: false,
            wait: Wait::none(),
            body,
            seen: Seen::default(),
            per_try_ms: None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RepeatKind {
    /// Not looked at yet; never leaves a front-end.
    Unjudged,
    Retry,
    /// One attempt per alternative.
    Failover,
    Iteration,
    Serving,
    Reconnecting,
    Polling,
    Spin,
}

/// What it is made of: the `kind` of a layer in reports.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    Loop,
    Recursion,
    Combinator,
    Helper,
    Client,
    Middleware,
    Proxy,
    Mesh,
    Queue,
    Driver,
    Hedge,
}

impl Form {
    pub fn name(self) -> &'static str {
        match self {
            Form::Loop => "loop",
            Form::Recursion => "recursion",
            Form::Combinator => "combinator",
            Form::Helper => "helper",
            Form::Client => "client",
            Form::Middleware => "middleware",
            Form::Proxy => "proxy",
            Form::Mesh => "mesh",
            Form::Queue => "queue",
            Form::Driver => "driver",
            Form::Hedge => "hedge",
        }
    }
}

/// What ends a repetition besides success.
#[derive(Clone, PartialEq, Debug)]
pub enum Stop {
    /// Attempts in all, and where the number comes from.
    Count(Value, Origin),
    /// No turn begins after so many milliseconds.
    Elapsed(Value, Origin),
    /// An iterator or a policy object that ends by itself at an unknown number.
    Ends(Origin),
    /// A cancellation token or a shutdown signal that the loop itself checks.
    Cancelled,
}

/// The pause before the next turn.
#[derive(Clone, PartialEq, Debug)]
pub struct Wait {
    pub shape: Shape,
    pub base_ms: Option<u64>,
    pub factor: Option<f64>,
    pub cap_ms: Option<u64>,
    /// A maximum applies, whether its number is known or not.
    pub capped: bool,
    pub jitter: Jitter,
    /// The wait itself, or where the delay is built or computed.
    pub at: Option<Span>,
    /// `<<`, `pow` or `*` on the delay can overflow before a cap applies, at this place.
    pub overflows: Option<Span>,
    pub from: Option<Origin>,
}

impl Wait {
    pub fn none() -> Wait {
        Wait {
            shape: Shape::None,
            base_ms: None,
            factor: None,
            cap_ms: None,
            capped: false,
            jitter: Jitter::None,
            at: None,
            overflows: None,
            from: None,
        }
    }

    /// A wait about which nothing is known but that it is there.
    pub fn unknown(at: Span) -> Wait {
        Wait { shape: Shape::Unknown, jitter: Jitter::Unknown, at: Some(at), ..Wait::none() }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    None,
    Fixed,
    Linear,
    Exponential,
    /// A table, Fibonacci, another function of the attempt.
    Custom,
    Unknown,
}

impl Shape {
    pub fn name(self) -> &'static str {
        match self {
            Shape::None => "none",
            Shape::Fixed => "fixed",
            Shape::Linear => "linear",
            Shape::Exponential => "exponential",
            Shape::Custom => "custom",
            Shape::Unknown => "unknown",
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Jitter {
    None,
    Full,
    Equal,
    Decorrelated,
    /// Some randomness reaches the delay.
    Some,
    Unknown,
}

impl Jitter {
    pub fn name(self) -> &'static str {
        match self {
            Jitter::None => "none",
            Jitter::Full => "full",
            Jitter::Equal => "equal",
            Jitter::Decorrelated => "decorrelated",
            Jitter::Some => "some",
            Jitter::Unknown => "unknown",
        }
    }
}
