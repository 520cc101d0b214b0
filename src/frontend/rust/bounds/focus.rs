//! What of a loop is looked at: a loop is played once for each thing that may end it.

use crate::frontend::rust::tree::ExprId;
use crate::frontend::rust::val::Val;
use crate::frontend::rust::values::Cell;

/// What is followed; everything else is an open choice.
#[derive(Debug, Clone, PartialEq)]
pub enum Focus {
    /// A counter and the limit it is compared with; none: whatever it is compared with.
    Counter(Cell, Option<Val>),
    /// A flag that begins with that value and counts as 1 once it has the other.
    Flag(Cell, bool),
    /// An iterator and what is left in it.
    Left(Cell),
    /// Time is up.
    Clock,
    /// Somebody asked to stop.
    Cancel,
    /// A question that is answered so from now on.
    Answer(ExprId, bool),
}

impl Focus {
    /// The local or field that is followed.
    pub fn cell(&self) -> Option<&Cell> {
        match self {
            Focus::Counter(cell, _) | Focus::Flag(cell, _) | Focus::Left(cell) => Some(cell),
            Focus::Clock | Focus::Cancel | Focus::Answer(..) => None,
        }
    }
}
