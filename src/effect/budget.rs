//! Limits on how much extra traffic retries may make.

use crate::source::Span;

/// A limit, shared by many operations, on how much extra traffic retries may make.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Budget {
    pub share: Share,
    pub at: Option<Span>,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Share {
    /// Retries may make so much of the traffic more: 0.2 is 20 %.
    Ratio(f64),
    /// A bucket of tokens that only successes fill: when everything fails, no retry is left.
    Tokens,
    /// So many retries at once; no ratio.
    Concurrent(u64),
}
