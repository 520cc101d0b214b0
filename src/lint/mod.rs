//! Lints judge, they never parse: each compares what an analysis computed with a threshold and finds the words.

pub mod finding;

use crate::analysis::Analysis;
use crate::fact::Facts;
use crate::settings::Settings;
use crate::source::Sources;

pub use finding::{Finding, Level, Related};

/// A lint as a value.
pub struct Lint {
    pub code: &'static str,
    pub name: &'static str,
    pub summary: &'static str,
    pub level: Level,
    /// The text of `rules/lints/CODE-name.md`.
    pub page: &'static str,
    pub check: fn(&Context<'_>) -> Vec<Finding>,
}

/// What a lint may look at.
pub struct Context<'a> {
    pub sources: &'a Sources,
    pub facts: &'a Facts,
    pub analysis: &'a Analysis,
    pub settings: &'a Settings,
}

/// Every lint of this version, by code.
pub const ALL: &[Lint] = &[];
