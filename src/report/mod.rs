//! One file per format. Each owns its types; none computes anything that a person could read as a number of the analysis.

pub mod compare;
pub mod github;
pub mod gitlab;
pub mod html;
pub mod human;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod markup;
pub mod picture;
pub mod rdjson;
pub mod sanitise;
pub mod sarif;
pub mod starter;
pub mod uri;
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
    pub left_out: LeftOut,
    /// How long the run took: the only thing that differs between two runs.
    pub ms: u64,
}

/// How many findings were asked not to be shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// They stand in the baseline.
    pub recorded: usize,
    /// Their path touches no changed file.
    pub unchanged: usize,
}

impl LeftOut {
    /// For the end of a summary: empty, or `, 3 in the baseline, 2 elsewhere than the change`.
    pub fn words(self) -> String {
        let recorded = (self.recorded > 0).then(|| format!(", {} in the baseline", self.recorded));
        let unchanged = (self.unchanged > 0).then(|| format!(", {} outside of the change", self.unchanged));
        [recorded, unchanged].into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests_data;
