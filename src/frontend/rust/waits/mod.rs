//! The shape of a delay: how it hangs on what changes from turn to turn, and whether randomness reaches it.
//!
//! An expression becomes a [`Delay`]: constant, growing by addition, growing by multiplication, from a table, with its
//! first value, factor, cap and jitter. Operators combine delays as they combine numbers; calls of the tree's functions
//! are followed with their arguments. What is not understood is `Unknown`, never a guess.

mod combine;
mod follow;
mod jitter;
mod local;
#[cfg(test)]
mod tests;

use super::bounds;
use super::program::BodyId;
use super::tree::ExprId;
use super::values::Values;
use crate::effect::{Jitter, Shape, Stop, Wait};
use crate::source::Span;
use crate::value::{ENDLESS, Origin, Value};
use follow::Follow;
pub use jitter::makes as makes_randomness;

/// How a number goes with the turns.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Delay {
    pub grows: Grows,
    /// The first value, in the unit of the expression (milliseconds for durations).
    pub base: Option<f64>,
    /// For `Times`: by how much each turn multiplies. For `Plus`: what each turn adds.
    pub factor: Option<f64>,
    pub cap: Option<f64>,
    pub capped: bool,
    pub jitter: Jitter,
    /// Nothing but randomness: `rand::random::<f64>()`.
    pub random: bool,
    /// An operation that can overflow, where no cap has been applied before it, and at which exponent.
    pub risky: Option<Risk>,
    /// Where it is computed, if that is not where the wait stands.
    pub at: Option<Span>,
    pub from: Option<Origin>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Risk {
    pub at: Span,
    /// The turn at which the number no longer fits.
    pub turn: u64,
    /// A cap stands outside: without one the wait itself is the limit long before.
    pub before_cap: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grows {
    Not,
    /// A counter: 0, 1, 2 or the like.
    Counter,
    Plus,
    Times,
    Custom,
    /// The value that the same variable had one turn before.
    Before,
    Unknown,
}

impl Delay {
    pub fn unknown() -> Delay {
        Delay { grows: Grows::Unknown, jitter: Jitter::Unknown, ..Delay::constant(None) }
    }

    pub fn constant(base: Option<f64>) -> Delay {
        Delay {
            grows: Grows::Not,
            base,
            factor: None,
            cap: None,
            capped: false,
            jitter: Jitter::None,
            random: false,
            risky: None,
            at: None,
            from: None,
        }
    }

    pub fn is_known(&self) -> bool {
        self.grows != Grows::Unknown
    }
}

/// The wait whose duration is that expression. `at` is set only where the delay is computed in another function or in a
/// builder; where the wait itself stands, the caller knows.
pub fn wait(values: &Values, body: BodyId, duration: ExprId, the_loop: Option<ExprId>) -> Wait {
    let follow = Follow::new(values, the_loop.map(|l| (body, l)));
    let delay = follow.delay(body, duration);
    let mut loops = follow.loops.borrow().clone();
    loops.extend(the_loop.map(|l| (body, l)));
    let turns: Option<Vec<u64>> = loops.iter().map(|(b, l)| most_turns(values, *b, *l)).collect();
    let turns = turns.and_then(|all| all.into_iter().max());
    finish(delay, turns)
}

/// The largest number of turns that the loop's own bound allows; `None` if it is not known.
fn most_turns(values: &Values, body: BodyId, the_loop: ExprId) -> Option<u64> {
    let counts = bounds::bounds(values, body, the_loop).stops.into_iter().filter_map(|s| match s {
        Stop::Count(Value::Number(n), _) if n < ENDLESS => Some(n),
        _ => None,
    });
    counts.min()
}

fn finish(delay: Delay, turns: Option<u64>) -> Wait {
    let shape = match delay.grows {
        Grows::Not => Shape::Fixed,
        Grows::Counter | Grows::Plus => Shape::Linear,
        Grows::Times => Shape::Exponential,
        Grows::Custom => Shape::Custom,
        Grows::Before | Grows::Unknown => Shape::Unknown,
    };
    let ms = |x: f64| (x.is_finite() && x >= 0.0).then(|| if x > 0.0 { x.round().max(1.0) as u64 } else { 0 });
    let risky = delay.risky.filter(|r| r.before_cap && turns.is_none_or(|n| n > r.turn));
    Wait {
        shape,
        base_ms: delay.base.and_then(ms),
        factor: delay.factor.filter(|_| delay.grows == Grows::Times),
        cap_ms: delay.cap.and_then(ms),
        capped: delay.capped || delay.cap.is_some(),
        jitter: delay.jitter,
        at: delay.at,
        overflows: risky.map(|r| r.at),
        from: delay.from,
    }
}
