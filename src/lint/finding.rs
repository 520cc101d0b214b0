//! A finding: what a lint says about one set of layers.

use crate::effect::Confidence;
use crate::name::Name;
use crate::source::Span;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    Off,
    Note,
    Warn,
    Error,
}

impl Level {
    pub fn name(self) -> &'static str {
        match self {
            Level::Off => "off",
            Level::Note => "note",
            Level::Warn => "warn",
            Level::Error => "error",
        }
    }
}

#[derive(Debug, Clone)]
pub struct Finding {
    pub code: &'static str,
    pub name: &'static str,
    pub level: Level,
    pub confidence: Confidence,
    /// One line that holds the numbers.
    pub message: String,
    pub at: Span,
    /// In path order.
    pub related: Vec<Related>,
    /// What to change.
    pub help: String,
    /// The enclosing function or key path, for the fingerprint.
    pub context: Name,
    pub dependency: Option<Name>,
    pub suppressed: Option<Suppressed>,
    pub fingerprint: String,
}

#[derive(Debug, Clone)]
pub struct Related {
    pub at: Span,
    pub message: String,
}

#[derive(Debug, Clone)]
pub struct Suppressed {
    pub at: Span,
    pub reason: Option<String>,
}
