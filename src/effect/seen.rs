//! What a front-end saw of a layer beside what it does: for the lints.

use crate::name::Name;
use crate::source::Span;

/// What the lints of a layer need and its effect does not say.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Seen {
    /// Some path from a failed try to the next has no wait.
    pub path_without_wait: bool,
    /// Some test looks at the error or the status before the next turn.
    pub looks_at_error: bool,
    /// The body's only errors are transient by type, or the client's own policy classifies.
    pub classified_below: bool,
    /// Each attempt goes to a server that has not been asked: nothing is gained by waiting.
    pub elsewhere: bool,
    /// Nothing that people can set changes the wait.
    pub wait_is_fixed: bool,
    pub retry_after: Option<bool>,
    /// Where a permanent class is let in, and which.
    pub permanent_at: Option<Span>,
    /// What the code calls the number of its count.
    pub named: Option<CountName>,
    /// The wait after which no attempt follows: the last failure waits too before the loop gives up.
    pub waits_in_vain: Option<Span>,
    /// The value that stands in for the failure when the attempts are spent, and nothing tells of it.
    pub dropped_at: Option<Span>,
    pub confidence: Confidence,
    /// The setting that takes the bound away, if one does (RL101's place).
    pub unbounded_at: Option<Span>,
    /// Statements in comments: `owner`.
    pub declared_owner: bool,
    /// No limit per try takes effect here: one is written and dead (RL309 says so), or the protocol has none and repeats
    /// answers alone. RL203 says nothing of one slow try.
    pub dead_per_try: bool,
}

/// The name of the number that a count is compared with, and what the count makes of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CountName {
    /// The comparison.
    pub at: Span,
    /// `max_retries`, `ATTEMPTS`.
    pub name: Name,
    /// Attempts beyond that number: 1 where it counts retries, 0 where it counts attempts.
    pub over: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Confidence {
    Low,
    #[default]
    Medium,
    High,
}

impl Confidence {
    pub fn name(self) -> &'static str {
        match self {
            Confidence::Low => "low",
            Confidence::Medium => "medium",
            Confidence::High => "high",
        }
    }
}
