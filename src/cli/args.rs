//! Arguments, and their errors as one line each.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::formats::Format;
use super::{Error, output};
use crate::effect::Confidence;
use crate::lint::{self, Level};
use crate::pipeline::{Options, from_word};
use crate::report::human::Filter;

/// Finds retry amplification in a source tree before an outage does.
///
/// Reads files and prints; runs nothing of what it reads and opens no connection. Exit status: 0 nothing at or above
/// --fail-on, 1 findings, 2 the run could not be done.
#[derive(Debug, Parser)]
#[command(name = "retrylint", version, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Print the findings; the gate for CI
    Check(Check),
    /// List every retry layer with its numbers, and where they come from
    Layers(Layers),
    /// For each operation and dependency: worst-case attempts, and the path that multiplies them
    Audit(Audit),
    /// What a change does: new and fixed findings, and each operation's attempts before and after
    Compare(Compare),
    /// Write today's findings to a file that `check --baseline` leaves out
    Baseline(Baseline),
    /// Draw the call paths: operations, the layers that repeat, dependencies
    Graph(Audit),
    /// Explain a lint, a library's defaults, or why an operation's number is what it is
    Explain(Explain),
    /// Write a first retrylint.toml with the services, hosts and operations that are found
    Init(Init),
    /// Print completions for a shell
    Completions(Completions),
    /// Print the manual page of the program or of a command
    Man(Man),
}

#[derive(Debug, Args)]
pub struct Check {
    #[command(flatten)]
    pub shared: Shared,
    /// Leave out the findings that this file of `retrylint baseline` records
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Only findings whose path touches a file that changed since this revision
    #[arg(long, value_name = "REV")]
    pub changed_since: Option<String>,
    /// What the file on standard input (`-`) is called
    #[arg(long, value_name = "PATH")]
    pub stdin_path: Option<String>,
    /// Files and folders, or `-` for standard input; the working directory if none is given
    #[arg(value_name = "PATH")]
    pub paths: Vec<String>,
}

#[derive(Debug, Args)]
pub struct Compare {
    #[command(flatten)]
    pub shared: Shared,
    /// Take the working tree against this revision
    #[arg(long, value_name = "REV")]
    pub git: Option<String>,
    /// Two saved JSON reports, BASE and HEAD; with --git, files and folders
    #[arg(value_name = "BASE HEAD|PATH")]
    pub paths: Vec<String>,
}

#[derive(Debug, Args)]
pub struct Baseline {
    #[command(flatten)]
    pub shared: Shared,
    /// Files and folders; the working directory if none is given
    #[arg(value_name = "PATH")]
    pub paths: Vec<String>,
}

#[derive(Debug, Args)]
pub struct Layers {
    #[command(flatten)]
    pub shared: Shared,
    /// Files and folders; the working directory if none is given
    #[arg(value_name = "PATH")]
    pub paths: Vec<String>,
}

#[derive(Debug, Args)]
pub struct Audit {
    #[command(flatten)]
    pub shared: Shared,
    /// Only operations whose name holds this
    #[arg(long, value_name = "NAME")]
    pub operation: Option<String>,
    /// Only dependencies whose name holds this
    #[arg(long, value_name = "NAME")]
    pub dependency: Option<String>,
    /// Files and folders; the working directory if none is given
    #[arg(value_name = "PATH")]
    pub paths: Vec<String>,
}

impl Audit {
    /// Which rows are wanted.
    pub fn filter(&self) -> Filter {
        Filter { operation: self.operation.clone(), dependency: self.dependency.clone() }
    }
}

#[derive(Debug, Args)]
pub struct Explain {
    #[command(flatten)]
    pub shared: Shared,
    /// A lint's code or name, a library, or an operation; without it, lists them
    #[arg(value_name = "WHAT")]
    pub what: Option<String>,
    /// Where to look for the operation
    #[arg(value_name = "PATH")]
    pub paths: Vec<String>,
}

#[derive(Debug, Args)]
pub struct Init {
    #[command(flatten)]
    pub shared: Shared,
    /// Write over a retrylint.toml that is there
    #[arg(long)]
    pub force: bool,
    /// Files and folders; the working directory if none is given
    #[arg(value_name = "PATH")]
    pub paths: Vec<String>,
}

#[derive(Debug, Args)]
pub struct Completions {
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub struct Man {
    /// A command; the whole program if none is given
    pub command: Option<String>,
}

#[derive(Debug, Args)]
pub struct Shared {
    /// The settings; otherwise retrylint.toml here or above, up to the repository's root
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// Write to a file instead of standard output; as FORMAT=FILE, which can be given several times, besides it
    #[arg(long, value_name = "[FORMAT=]FILE")]
    pub output: Vec<String>,
    /// Only these lints, by code or name; LINT=LEVEL sets the level too
    #[arg(long, value_name = "LINT[=LEVEL]", value_delimiter = ',')]
    pub select: Vec<String>,
    /// Leave these lints out, by code or name
    #[arg(long, value_name = "LINT", value_delimiter = ',')]
    pub ignore: Vec<String>,
    /// Show the lints that are off by default too, as notes that never fail a run
    #[arg(long)]
    pub pedantic: bool,
    /// Hide findings that are less certain
    #[arg(long, value_enum, default_value_t = Certainty::Medium)]
    pub min_confidence: Certainty,
    /// The lowest level that makes the exit status 1
    #[arg(long, value_enum, default_value_t = FailOn::Error)]
    pub fail_on: FailOn,
    #[arg(long, value_enum, default_value_t = When::Auto)]
    pub color: When,
    /// Print nothing if there are no findings
    #[arg(long)]
    pub quiet: bool,
    /// Print counts and the time to standard error
    #[arg(long)]
    pub stats: bool,
    /// How many threads; as many as there are cores if not given
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Read files that .gitignore leaves out too
    #[arg(long)]
    pub no_ignore: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Certainty {
    Low,
    Medium,
    High,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    Error,
    Warn,
    Never,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum When {
    Auto,
    Always,
    Never,
}

/// The command, or the status to leave with after help or an error was printed.
pub fn parse() -> Result<Command, u8> {
    use clap::error::ErrorKind as Kind;
    Cli::try_parse().map(|cli| cli.command).map_err(|error| match error.kind() {
        Kind::DisplayHelp | Kind::DisplayVersion | Kind::DisplayHelpOnMissingArgumentOrSubcommand => {
            // A reader that closed the pipe wants no more.
            let _ = error.print();
            u8::try_from(error.exit_code()).unwrap_or(2)
        }
        _ => {
            output::complain(&one_line(&error.to_string()));
            2
        }
    })
}

/// clap's error without its usage lines, which `--help` has: what is wrong, and its tip.
fn one_line(text: &str) -> String {
    let before = text.split("\n\nUsage:").next().unwrap_or(text);
    let before = before.split("\n\nFor more information").next().unwrap_or(before);
    let lines = before.lines().map(str::trim).filter(|l| !l.is_empty());
    lines.collect::<Vec<_>>().join("; ").replace("; tip: ", "; ").replace(":; ", ": ")
}

impl Command {
    /// The options of a command that looks at files.
    pub fn shared(&self) -> Option<&Shared> {
        match self {
            Command::Check(c) => Some(&c.shared),
            Command::Layers(c) => Some(&c.shared),
            Command::Audit(c) | Command::Graph(c) => Some(&c.shared),
            Command::Compare(c) => Some(&c.shared),
            Command::Baseline(c) => Some(&c.shared),
            Command::Explain(c) => Some(&c.shared),
            Command::Init(c) => Some(&c.shared),
            Command::Completions(_) | Command::Man(_) => None,
        }
    }
}

impl Shared {
    pub fn options(&self) -> Result<Options, Error> {
        let select = self.select.iter().map(|word| selected(word)).collect::<Result<_, _>>()?;
        for word in &self.ignore {
            known(word, "--ignore")?;
        }
        let min_confidence = match self.min_confidence {
            Certainty::Low => Confidence::Low,
            Certainty::Medium => Confidence::Medium,
            Certainty::High => Confidence::High,
        };
        Ok(Options { pedantic: self.pedantic, select, ignore: self.ignore.clone(), min_confidence })
    }
}

fn selected(word: &str) -> Result<(String, Option<Level>), Error> {
    let (lint, level) = match word.split_once('=') {
        Some((lint, level)) => (lint, Some(level)),
        None => (word, None),
    };
    known(lint, "--select")?;
    let level = match level {
        None => None,
        Some(text) => Some(
            from_word(text)
                .ok_or_else(|| Error(format!("--select: unknown level `{text}`, expected error, warn, note or off")))?,
        ),
    };
    Ok((lint.to_string(), level))
}

fn known(word: &str, option: &str) -> Result<(), Error> {
    match unknown_lint(word) {
        None => Ok(()),
        Some(message) => Err(Error(format!("{option}: {message}"))),
    }
}

/// What to say about a name that no lint has.
pub fn unknown_lint(word: &str) -> Option<String> {
    if lint::by_name(word).is_some() {
        return None;
    }
    let meant = lint::nearest(word).map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
    Some(format!("unknown lint `{word}`{meant}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_well_formed() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn errors_are_one_line() {
        let said = |args: &[&str]| one_line(&Cli::try_parse_from(args).expect_err("refused").to_string());
        let flag = said(&["retrylint", "check", "--pedantc"]);
        assert_eq!(flag, "error: unexpected argument '--pedantc' found; a similar argument exists: '--pedantic'");
        assert!(said(&["retrylint", "chart"]).starts_with("error: unrecognized subcommand 'chart'"));
        let format = said(&["retrylint", "check", "--format", "xml"]);
        assert!(format.starts_with("error: invalid value 'xml' for '--format <FORMAT>'") && !format.contains('\n'));
        assert!(format.contains("human") && format.contains("json"));
    }
}
