//! The settings of a section, with what it inherits: a later line takes the place of an earlier one, and the section's own
//! that of its `defaults`.

use rustc_hash::FxHashMap;

use super::conf::{Doc, Kind, Section, Statement};
use super::lex::{self, Word};
use super::rules::rules;
use crate::name::Name;
use crate::source::Span;

/// What is written, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct Set<T> {
    pub value: T,
    pub at: Span,
}

/// A number as HAProxy reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Count {
    Is(u64),
    /// No number begins it: it counts as nothing.
    Wrong(String),
    /// Somebody fills it in.
    Later(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Time {
    Millis(u64),
    /// Filled in later, or no time at all.
    Later(String),
}

#[derive(Debug, Clone, Default)]
pub struct Settings {
    pub tcp: bool,
    /// Retries, not attempts.
    pub retries: Option<Set<Count>>,
    pub retry_on: Option<Set<Vec<Word>>>,
    /// With the interval, if one is written.
    pub redispatch: Option<Set<Option<i64>>>,
    pub connect: Option<Set<Time>>,
    pub server: Option<Set<Time>>,
    /// The server is picked by something of the request, so that a request gets the same one again.
    pub hashed: bool,
    /// The option after which a connection serves one request.
    pub closing: Option<Set<Name>>,
    pub default_backend: Option<Set<String>>,
    /// `option abortonclose`: a request ends when its client leaves.
    pub aborts: bool,
    /// What is not written may stand in a file that is not here.
    pub elsewhere: bool,
}

/// HAProxy takes no more words in a line.
const MOST_WORDS: usize = 64;

impl Settings {
    pub fn read(section: &Section, inherited: Settings) -> Settings {
        let mut settings = inherited;
        section.lines.iter().for_each(|line| settings.line(line));
        settings
    }

    fn line(&mut self, line: &Statement) {
        let no = line.word(0) == "no";
        let words = usize::from(no);
        match line.word(words) {
            "mode" => self.tcp = line.word(1) != "http",
            "retries" => self.retries = Some(Set { value: count(line.word(1)), at: line.at }),
            "retry-on" => {
                let listed = line.from(1).iter().take(MOST_WORDS).cloned().collect();
                self.retry_on = Some(Set { value: listed, at: line.at });
            }
            "balance" => self.hashed = rules().hashes.iter().any(|h| **h == *line.word(1)),
            "default_backend" => self.default_backend = Some(Set { value: line.word(1).to_owned(), at: line.at }),
            "timeout" => self.time(line.word(1), line.word(2), line.at),
            "contimeout" => self.time("connect", line.word(1), line.at),
            "srvtimeout" => self.time("server", line.word(1), line.at),
            "option" => self.option(line.word(words + 1), line.word(words + 2), no, line.at),
            "redispatch" => self.option("redispatch", line.word(words + 1), no, line.at),
            _ => {}
        }
    }

    fn option(&mut self, name: &str, argument: &str, no: bool, at: Span) {
        if name == "redispatch" {
            self.redispatch = (!no).then(|| Set { value: argument.parse().ok(), at });
        } else if rules().closing.options.iter().any(|o| **o == *name) {
            self.closing = (!no).then(|| Set { value: Name::new(name), at });
        } else if name == "abortonclose" {
            self.aborts = !no;
        } else if name == "http-keep-alive" && !no {
            self.closing = None;
        }
    }

    fn time(&mut self, name: &str, written: &str, at: Span) {
        let value = match lex::time(written) {
            Ok(ms) => Time::Millis(ms),
            Err(_) => Time::Later(written.to_owned()),
        };
        match name {
            "connect" => self.connect = Some(Set { value, at }),
            "server" => self.server = Some(Set { value, at }),
            _ => {}
        }
    }

    /// `None` where it is filled in later.
    pub fn retries(&self) -> Option<u64> {
        match self.retries.as_ref().map(|r| &r.value) {
            None => Some(rules().defaults.retries.value),
            Some(Count::Is(n)) => Some(*n),
            Some(Count::Wrong(_)) => Some(0),
            Some(Count::Later(_)) => None,
        }
    }

    /// The words after which a request is tried again.
    pub fn words(&self) -> Vec<&str> {
        match &self.retry_on {
            Some(list) => list.value.iter().map(|w| w.value.as_str()).collect(),
            None => vec![rules().defaults.retry_on.value.as_str()],
        }
    }
}

/// A number followed by anything is that number, and one below zero is none.
fn count(text: &str) -> Count {
    if text.contains('{') || text.contains('$') {
        return Count::Later(text.to_owned());
    }
    let number = text.trim_start_matches('+');
    let digits = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    match number[..digits].parse() {
        Ok(n) => Count::Is(n),
        Err(_) if digits > 0 => Count::Is(u64::MAX),
        Err(_) => Count::Wrong(text.to_owned()),
    }
}

/// The settings of every section, file by file.
pub fn of_all(docs: &[Doc<'_>]) -> Vec<Vec<Settings>> {
    let mut named: FxHashMap<&Name, Settings> = FxHashMap::default();
    // Of parts alone nobody knows what stands in their defaults.
    let parts = !docs.iter().any(Doc::is_main);
    let mut last = Settings { elsewhere: parts, ..Settings::default() };
    let mut all = Vec::new();
    for doc in docs {
        let mut of_doc = Vec::new();
        for section in &doc.sections {
            let asked = section.from.as_ref().and_then(|name| named.get(name)).cloned();
            let settings = match section.kind {
                Kind::Defaults => Settings::read(section, asked.unwrap_or_default()),
                Kind::Frontend | Kind::Backend | Kind::Listen => {
                    Settings::read(section, asked.unwrap_or_else(|| last.clone()))
                }
                Kind::Global | Kind::Other => Settings::default(),
            };
            if section.kind == Kind::Defaults {
                last = settings.clone();
                named.insert(&section.name, settings.clone());
            }
            of_doc.push(settings);
        }
        all.push(of_doc);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::haproxy::{conf, lex};
    use crate::source::FileId;

    fn all(text: &str) -> Vec<Settings> {
        let sections = conf::sections(FileId(0), lex::lines(text).0);
        of_all(&[Doc { file: FileId(0), path: "a", sections }]).remove(0)
    }

    #[test]
    fn the_last_line_counts_and_defaults_are_inherited() {
        let text = "defaults a\n retries 1\n timeout server 3s\n option redispatch 2\n\
                    defaults b from a\n mode tcp\n retries 2\n retry-on 503\n retry-on 504 conn-failure\n\
                    backend x\n no option redispatch\nbackend y from a\n retries 0\n timeout server 500";
        let all = all(text);
        let (x, y) = (&all[2], &all[3]);
        assert_eq!((x.retries(), x.words(), x.tcp), (Some(2), vec!["504", "conn-failure"], true));
        assert!(x.redispatch.is_none() && y.redispatch.as_ref().is_some_and(|r| r.value == Some(2)));
        assert_eq!((y.retries(), y.words(), y.tcp), (Some(0), vec!["conn-failure"], false));
        assert_eq!(y.server.as_ref().map(|s| &s.value), Some(&Time::Millis(500)));
    }

    #[test]
    fn numbers_as_haproxy_reads_them() {
        assert_eq!(
            [count("3"), count("2x"), count("99999999999999999999")],
            [Count::Is(3), Count::Is(2), Count::Is(u64::MAX)]
        );
        assert_eq!((count("three"), count("-1")), (Count::Wrong("three".into()), Count::Wrong("-1".into())));
        assert_eq!(all("backend x\n retries \"$N\"")[0].retries(), None);
    }
}
