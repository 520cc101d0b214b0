//! Limits of time. One stands around what it ends: [`Effect::within`] inside a repetition is a limit per try, around it a
//! total one, so that per try and total are a matter of nesting alone.
//!
//! What looks like a deadline and is none has another form. A limit that is only asked between attempts (nginx's
//! `proxy_next_upstream_timeout`, backon's total delay) is [`super::Stop::Elapsed`] of the repetition. A server that does
//! not stop when its client has left is [`Effect::Outlives`].

use super::Effect;
use crate::source::Span;
use crate::value::Value;

#[derive(Clone, PartialEq, Debug)]
pub struct Deadline {
    pub kind: DeadlineKind,
    /// Milliseconds; [`Value::Unbounded`] where a setting says that there is no limit.
    pub limit: Value,
    /// The setting or the call that sets it; for a default, what it is the default of.
    pub at: Span,
    pub set: SetBy,
}

/// Who says so.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SetBy {
    Code,
    /// Nobody wrote it: a default.
    Default,
    /// The settings state it of an operation.
    Statement,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum DeadlineKind {
    /// Covers everything inside.
    Total,
    /// Between two reads: the length of a try that hangs, never a total one.
    Idle,
    /// Until the connection stands; does not end a hang.
    Connect,
    /// Until a pooled connection is handed out; does not end a hang.
    Acquire,
}

impl DeadlineKind {
    /// Whether it ends a request that was read and is never answered.
    pub fn ends_a_hang(self) -> bool {
        matches!(self, DeadlineKind::Total | DeadlineKind::Idle)
    }
}

impl Deadline {
    pub fn new(kind: DeadlineKind, limit: Value, at: Span) -> Deadline {
        Deadline { kind, limit, at, set: SetBy::Code }
    }

    pub fn default_of(kind: DeadlineKind, limit: Value, at: Span) -> Deadline {
        Deadline { kind, limit, at, set: SetBy::Default }
    }
}

impl Effect {
    /// The effect with a limit of time around it.
    pub fn within(self, deadline: Deadline) -> Effect {
        Effect::Within(deadline, Box::new(self))
    }
}
