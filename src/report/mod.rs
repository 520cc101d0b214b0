//! One file per format. Each owns its types; none computes anything that a person could read as a number of the analysis.

pub mod html;
pub mod human;
pub mod json;
pub mod picture;
pub mod sanitise;
pub mod starter;
pub mod words;

use crate::analysis::Analysis;
use crate::fact::Facts;
use crate::lint::Finding;
use crate::source::Sources;

/// What a report may look at.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub sources: &'a Sources,
    pub facts: &'a Facts,
    pub analysis: &'a Analysis,
    /// Sorted, suppressed ones included.
    pub findings: &'a [Finding],
    pub pedantic: bool,
    /// How long the run took: the only thing that differs between two runs.
    pub ms: u64,
}

#[cfg(test)]
mod tests_data;
