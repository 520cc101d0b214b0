//! Lints judge, they never parse: each compares what an analysis computed with a threshold and finds the words.
//!
//! One file per lint. Its page under `rules/lints` is compiled in, so that the documentation that `explain` prints is
//! the one that the tests check.

pub mod finding;

mod amplification;
mod growth;
mod layers;
mod registry;
mod remarks;
mod words;

mod rl101;
mod rl102;
mod rl103;
mod rl104;
mod rl105;
mod rl106;
mod rl107;
mod rl108;
mod rl109;
mod rl110;
mod rl111;
mod rl112;
mod rl113;
mod rl114;
mod rl115;
mod rl201;
mod rl202;
mod rl203;
mod rl205;
mod rl301;
mod rl302;
mod rl303;
mod rl304;
mod rl305;
mod rl306;
mod rl307;
mod rl308;
mod rl309;
mod rl310;
mod rl311;
mod rl312;
mod rl401;
mod rl402;
mod rl403;
mod rl404;
mod rl901;
mod rl902;
mod rl903;
mod rl904;

#[cfg(test)]
mod pages;
#[cfg(test)]
mod testing;

use crate::analysis::Analysis;
use crate::effect::Confidence;
use crate::fact::Facts;
use crate::name::Name;
use crate::settings::Settings;
use crate::source::{Sources, Span};

pub use finding::{Finding, Level, Related};
pub use registry::{ALL, by_name, nearest};
pub use rl302::drop_covered;
pub use rl902::{Idle, unused};

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

impl Lint {
    /// A finding at the lint's own level; fingerprint and suppression are the pipeline's.
    fn finding(&self, at: Span, confidence: Confidence, message: String, help: String) -> Finding {
        Finding {
            code: self.code,
            name: self.name,
            level: self.level,
            confidence,
            message,
            at,
            related: Vec::new(),
            help,
            context: Name::new(""),
            dependency: None,
            suppressed: None,
            fingerprint: String::new(),
        }
    }
}
