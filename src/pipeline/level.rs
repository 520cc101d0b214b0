//! Which level each lint has in a run: the default, then the config, then the command line.

use super::Options;
use crate::lint::{Level, Lint};
use crate::settings::Settings;

/// The levels of one run, and the registry they are of.
pub struct Levels<'a> {
    pub registry: &'a [&'static Lint],
    levels: Vec<Level>,
}

impl<'a> Levels<'a> {
    pub fn new(registry: &'a [&'static Lint], settings: &Settings, options: &Options) -> Levels<'a> {
        let levels = registry.iter().map(|lint| level(lint, settings, options)).collect();
        Levels { registry, levels }
    }

    /// Off for a code that this version does not have.
    pub fn of(&self, code: &str) -> Level {
        self.find(code).map_or(Level::Off, |i| self.levels[i])
    }

    /// Whether it ran, by code or name; `None` if there is no such lint.
    pub fn ran(&self, word: &str) -> Option<bool> {
        self.find(word).map(|i| self.levels[i] > Level::Off)
    }

    pub fn lint(&self, word: &str) -> Option<&'static Lint> {
        self.find(word).map(|i| self.registry[i])
    }

    fn find(&self, word: &str) -> Option<usize> {
        self.registry.iter().position(|l| is(l, word))
    }
}

/// A lint is called by its code or its name.
pub fn is(lint: &Lint, word: &str) -> bool {
    lint.name.eq_ignore_ascii_case(word) || lint.code.eq_ignore_ascii_case(word)
}

fn level(lint: &Lint, settings: &Settings, options: &Options) -> Level {
    if options.ignore.iter().any(|w| is(lint, w)) {
        return Level::Off;
    }
    let configured = settings.lints.iter().find(|(w, _)| is(lint, w)).and_then(|(_, word)| from_word(word));
    let selected = options.select.iter().find(|(w, _)| is(lint, w));
    match (selected, configured) {
        (Some((_, Some(level))), _) => *level,
        (Some((_, None)), Some(level)) if level > Level::Off => level,
        (Some((_, None)), _) if lint.level == Level::Off => Level::Warn,
        (Some((_, None)), _) => lint.level,
        (None, _) if !options.select.is_empty() => Level::Off,
        (None, Some(level)) => level,
        (None, None) if lint.level == Level::Off && options.pedantic => Level::Note,
        (None, None) => lint.level,
    }
}

/// A level as people write it.
pub fn from_word(word: &str) -> Option<Level> {
    [Level::Off, Level::Note, Level::Warn, Level::Error].into_iter().find(|l| l.name() == word)
}
