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

/// Stub: every lint of this version, by code.
pub static ALL: &[&Lint] = &[];

/// Stub: the lint with this code or name.
pub fn by_name(text: &str) -> Option<&'static Lint> {
    ALL.iter().copied().find(|l| l.code.eq_ignore_ascii_case(text) || l.name.eq_ignore_ascii_case(text))
}

/// Stub: the code or name that was probably meant.
pub fn nearest(_text: &str) -> Option<&'static str> {
    None
}

/// Stub: drops what a finding of RL301 says better.
pub fn drop_covered(_findings: &mut Vec<Finding>) {}

/// Stub: what is wrong with a suppression or statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Idle {
    DoesNothing,
    NoReason,
    NotUnderstood,
}

/// Stub: RL902 at a comment.
pub fn unused(at: crate::source::Span, text: &str, idle: Idle) -> Finding {
    Finding {
        code: "RL902",
        name: "unused-suppression",
        level: Level::Warn,
        confidence: crate::effect::Confidence::High,
        message: format!("`{text}` {idle:?}"),
        at,
        related: Vec::new(),
        help: String::new(),
        context: crate::name::Name::new(""),
        dependency: None,
        suppressed: None,
        fingerprint: String::new(),
    }
}
