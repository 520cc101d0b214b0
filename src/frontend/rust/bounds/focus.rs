//! What of a loop is looked at: a loop is played once for each thing that may end it.

use crate::frontend::rust::val::Val;
use crate::frontend::rust::values::Cell;

/// What is followed; everything else is an open choice.
#[derive(Debug, Clone, PartialEq)]
pub enum Focus {
    /// A counter and the limit it is compared with.
    Counter(Cell, Val),
    /// A flag that begins with that value and counts as 1 once it has the other.
    Flag(Cell, bool),
    /// An iterator and what is left in it.
    Left(Cell),
    /// Time is up.
    Clock,
    /// Somebody asked to stop.
    Cancel,
}
