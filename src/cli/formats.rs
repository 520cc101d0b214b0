//! Which report goes where: the formats that a command has, `--format` for standard output, `--output` for files.

use std::path::PathBuf;

use clap::ValueEnum;

use super::args::{Shared, When};
use super::output::{self, Written};
use super::{Error, terminal};
use crate::report::human::Style;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For a terminal
    Human,
    /// For programs
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of GitHub's workflows
    Github,
    /// GitLab's Code Quality report
    Gitlab,
    /// For reviewdog
    Rdjson,
    /// JUnit's XML, for test dashboards
    Junit,
    /// For a review comment
    Markdown,
    /// One page that opens from disk
    Html,
    /// Graphviz
    Dot,
    /// Mermaid
    Mermaid,
    /// A picture
    Svg,
}

/// What a command can print.
pub const PLAIN: &[Format] = &[Format::Human, Format::Json];
pub const OF_CHECK: &[Format] = &[
    Format::Human,
    Format::Json,
    Format::Sarif,
    Format::Github,
    Format::Gitlab,
    Format::Rdjson,
    Format::Junit,
    Format::Markdown,
];

pub const OF_AUDIT: &[Format] = &[Format::Human, Format::Json, Format::Html];
pub const OF_GRAPH: &[Format] = &[Format::Human, Format::Json, Format::Dot, Format::Mermaid, Format::Svg];
pub const OF_COMPARE: &[Format] = &[Format::Human, Format::Json, Format::Markdown];

/// Where a run's reports go.
#[derive(Debug, PartialEq, Eq)]
pub struct Targets {
    /// `None` where a file takes its place.
    stdout: Option<Format>,
    files: Vec<(Format, PathBuf)>,
    color: When,
}

impl Targets {
    /// Refuses what the command does not print, before any work is done.
    pub fn of(shared: &Shared, known: &[Format]) -> Result<Targets, Error> {
        let mut targets = Targets { stdout: Some(shared.format), files: Vec::new(), color: shared.color };
        check(shared.format, "--format", known)?;
        for text in &shared.output {
            match text.split_once('=') {
                None => {
                    targets.stdout = None;
                    targets.files.push((shared.format, PathBuf::from(text)));
                }
                Some((word, file)) => {
                    let unknown = || {
                        let known = words(known);
                        Error(format!("--output: unknown format `{word}` in `{text}`, expected one of {known}"))
                    };
                    let format = Format::from_str(word, false).map_err(|_| unknown())?;
                    check(format, "--output", known)?;
                    targets.files.push((format, PathBuf::from(file)));
                }
            }
        }
        Ok(targets)
    }

    /// Writes every report.
    pub fn write(&self, report: impl Fn(Format, Style) -> String) -> Result<Written, Error> {
        for (format, file) in &self.files {
            output::to_file(file, &report(*format, Style::PLAIN))?;
        }
        match self.stdout {
            Some(format) => output::to_stdout(&report(format, terminal::style(self.color))),
            None => Ok(Written::Done),
        }
    }
}

fn check(format: Format, option: &str, known: &[Format]) -> Result<(), Error> {
    if known.contains(&format) {
        return Ok(());
    }
    let (word, known) = (words(&[format]), words(known));
    Err(Error(format!("{option}: this command does not print {word}, it prints {known}")))
}

fn words(formats: &[Format]) -> String {
    let names = formats.iter().filter_map(Format::to_possible_value).map(|v| v.get_name().to_string());
    names.collect::<Vec<_>>().join(", ")
}
