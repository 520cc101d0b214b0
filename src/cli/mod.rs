//! The command line: the only room that does I/O, and with the loaders the only one that returns errors.

mod args;
mod baseline;
mod changed;
mod compare;
mod config;
pub mod discover;
mod explain;
mod formats;
mod git;
mod init;
mod look;
mod models;
mod output;
mod packaging;
mod progress;
mod remote;
mod terminal;

use std::fmt;
use std::path::Path;
use std::process::ExitCode;

use args::{Audit, Check, Command, FailOn, Layers, Shared};
use formats::{Format, Targets};
use look::{Done, look, look_at_stdin};
use output::Written;

use crate::fact::Stats;
use crate::lint::Level;
use crate::pipeline::Run;
use crate::report::picture::{self, Picture};
use crate::report::{View, github, gitlab, html, human, json, junit, markdown, rdjson, sarif};

/// The run could not be done. One line, for standard error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(pub String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// Statuses: 0 nothing at or above `--fail-on`, 1 findings, 2 the run could not be done.
const CLEAN: u8 = 0;
const FINDINGS: u8 = 1;
const FAILED: u8 = 2;

/// Runs the program on the arguments of the process.
pub fn main() -> ExitCode {
    let command = match args::parse() {
        Ok(command) => command,
        Err(status) => return ExitCode::from(status),
    };
    let status = match on_threads(command.shared().and_then(|shared| shared.threads), || run(&command)) {
        Ok(status) => status,
        Err(error) => {
            output::complain(&format!("error: {error}"));
            FAILED
        }
    };
    ExitCode::from(status)
}

/// Everything runs on threads with stacks that deep sources fit in; the main thread's stack is the system's choice.
fn on_threads<T: Send>(threads: Option<usize>, work: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
    const STACK: usize = 64 * 1024 * 1024;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).stack_size(STACK).build();
    pool.map_err(|e| Error(format!("cannot start threads: {e}")))?.install(work)
}

fn run(command: &Command) -> Result<u8, Error> {
    match command {
        Command::Check(arguments) => check(arguments),
        Command::Layers(arguments) => layers(arguments),
        Command::Audit(arguments) => audit(arguments),
        Command::Compare(arguments) => compare::run(arguments),
        Command::Baseline(arguments) => baseline::run(arguments),
        Command::Graph(arguments) => draw(arguments),
        Command::Explain(arguments) => explain::run(arguments),
        Command::Init(arguments) => init::run(arguments),
        Command::Completions(arguments) => packaging::completions(arguments),
        Command::Man(arguments) => packaging::man(arguments),
    }
}

fn check(check: &Check) -> Result<u8, Error> {
    let targets = Targets::of(&check.shared, formats::OF_CHECK)?;
    let mut done = match (check.paths.iter().any(|p| p == "-"), &check.stdin_path) {
        (true, Some(path)) if check.paths.len() == 1 => look_at_stdin(&check.shared, path)?,
        (true, _) => return Err(Error("`-` stands alone, and --stdin-path says what it is called".to_string())),
        (false, Some(_)) => return Err(Error("--stdin-path is for `-`".to_string())),
        (false, None) => look(Path::new(""), &check.shared, &check.paths, !check.shared.quiet)?,
    };
    if let Some(file) = &check.baseline {
        done.left_out.recorded = baseline::apply(file, &mut done, check.shared.quiet)?;
    }
    if let Some(revision) = &check.changed_since {
        done.left_out.unchanged = changed::keep(revision, &mut done)?;
    }
    let view = View { left_out: done.left_out, ..done.run.view(done.ms) };
    let written = targets.write(|format, style| match format {
        Format::Json => json::render(&view),
        Format::Sarif => sarif::render(&view),
        Format::Github => github::render(&view),
        Format::Gitlab => gitlab::render(&view),
        Format::Rdjson => rdjson::render(&view),
        Format::Junit => junit::render(&view),
        Format::Markdown => markdown::render(&view),
        _ => human::check(&view, style, check.shared.quiet),
    })?;
    say_stats(&check.shared, &done, written);
    Ok(status(&done.run, check.shared.fail_on))
}

fn layers(layers: &Layers) -> Result<u8, Error> {
    let targets = Targets::of(&layers.shared, formats::PLAIN)?;
    let done = look(Path::new(""), &layers.shared, &layers.paths, !layers.shared.quiet)?;
    let view = done.run.view(done.ms);
    let written = targets.write(|format, style| match format {
        Format::Json => json::render(&view),
        _ => human::layers(&view, style),
    })?;
    say_stats(&layers.shared, &done, written);
    Ok(CLEAN)
}

fn audit(audit: &Audit) -> Result<u8, Error> {
    let targets = Targets::of(&audit.shared, formats::OF_AUDIT)?;
    let filter = audit.filter();
    let done = look(Path::new(""), &audit.shared, &audit.paths, !audit.shared.quiet)?;
    let view = done.run.view(done.ms);
    let written = targets.write(|format, style| match format {
        Format::Json => json::render(&view),
        Format::Html => html::render(&view, &done.run.settings, &filter),
        _ => human::audit(&view, style, &filter),
    })?;
    say_stats(&audit.shared, &done, written);
    Ok(CLEAN)
}

fn draw(graph: &Audit) -> Result<u8, Error> {
    let targets = Targets::of(&graph.shared, formats::OF_GRAPH)?;
    let done = look(Path::new(""), &graph.shared, &graph.paths, !graph.shared.quiet)?;
    let view = done.run.view(done.ms);
    let picture = Picture::new(&view, &graph.filter());
    let written = targets.write(|format, style| match format {
        Format::Json => json::render(&view),
        Format::Dot => picture::dot(&picture),
        Format::Mermaid => picture::mermaid(&picture),
        Format::Svg => picture::svg(&picture),
        _ => picture::text(&picture, style),
    })?;
    say_stats(&graph.shared, &done, written);
    Ok(CLEAN)
}

fn say_stats(shared: &Shared, done: &Done, written: Written) {
    if shared.stats && written == Written::Done {
        output::complain(&stats(done.run.facts.stats, done.ms));
    }
}

fn stats(stats: Stats, ms: u64) -> String {
    format!(
        "{} files, {} lines, {} functions; {} calls in the tree, {} of them resolved; {ms} ms",
        stats.files, stats.lines, stats.functions, stats.calls, stats.calls_resolved
    )
}

fn status(run: &Run, fail_on: FailOn) -> u8 {
    let worst = run.findings.iter().filter(|f| f.suppressed.is_none()).map(|f| f.level).max();
    let limit = match fail_on {
        FailOn::Error => Level::Error,
        FailOn::Warn => Level::Warn,
        FailOn::Never => return CLEAN,
    };
    if worst.is_some_and(|w| w >= limit) { FINDINGS } else { CLEAN }
}
