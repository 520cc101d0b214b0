//! The command line: the only room that does I/O, and with the loaders the only one that returns errors.

mod args;
mod config;
pub mod discover;
mod explain;
mod init;
mod models;
mod output;
mod packaging;
mod terminal;

use std::fmt;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use args::{Audit, Command, FailOn, Format, Shared};
use output::Written;

use crate::fact::Stats;
use crate::lint::Level;
use crate::pipeline::{self, Run};
use crate::report::picture::{self, Picture};
use crate::report::{html, human, json};
use crate::settings::Settings;
use crate::source::{SourceFile, Sources};

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
    command.check_formats()?;
    match command {
        Command::Check(check) => {
            let done = look(&check.shared, &check.paths)?;
            let report = |format, style| match format {
                Format::Json => json::render(&done.run.view(done.ms)),
                _ => human::check(&done.run.view(done.ms), style, check.shared.quiet),
            };
            finish(&check.shared, &done, report)?;
            Ok(status(&done.run, check.shared.fail_on))
        }
        Command::Layers(layers) => {
            let done = look(&layers.shared, &layers.paths)?;
            finish(&layers.shared, &done, |format, style| match format {
                Format::Json => json::render(&done.run.view(done.ms)),
                _ => human::layers(&done.run.view(done.ms), style),
            })?;
            Ok(CLEAN)
        }
        Command::Audit(audit) => {
            let done = look(&audit.shared, &audit.paths)?;
            finish(&audit.shared, &done, |format, style| match format {
                Format::Json => json::render(&done.run.view(done.ms)),
                Format::Html => html::render(&done.run.view(done.ms), &done.run.settings, &audit.filter()),
                _ => human::audit(&done.run.view(done.ms), style, &audit.filter()),
            })?;
            Ok(CLEAN)
        }
        Command::Graph(graph) => draw(graph),
        Command::Explain(explain) => explain::run(explain),
        Command::Init(init) => init::run(init),
        Command::Completions(arguments) => packaging::completions(arguments),
        Command::Man(arguments) => packaging::man(arguments),
    }
}

fn draw(graph: &Audit) -> Result<u8, Error> {
    let done = look(&graph.shared, &graph.paths)?;
    let picture = Picture::new(&done.run.view(done.ms), &graph.filter());
    finish(&graph.shared, &done, |format, style| match format {
        Format::Json => json::render(&done.run.view(done.ms)),
        Format::Dot => picture::dot(&picture),
        Format::Mermaid => picture::mermaid(&picture),
        Format::Svg => picture::svg(&picture),
        _ => picture::text(&picture, style),
    })?;
    Ok(CLEAN)
}

/// A run with the time it took.
struct Done {
    run: Run,
    ms: u64,
}

fn look(shared: &Shared, paths: &[String]) -> Result<Done, Error> {
    let began = Instant::now();
    let loaded = config::load(shared.config.as_deref(), paths)?;
    let options = shared.options()?;
    let found = find(shared, paths, &loaded.settings)?;
    for note in found.notes.iter().filter(|_| !shared.quiet) {
        output::complain(&format!("note: {note}"));
    }
    let models = models::of(&loaded.settings, &found.sources)?;
    let (sources, problems) = with_settings(found, loaded.text.as_deref(), &loaded.settings.file);
    let run = pipeline::run(sources, problems, loaded.settings, &models, &options);
    for (file, note) in run.facts.notes.iter().filter(|_| !shared.quiet) {
        output::complain(&format!("note: {}: {note}", run.sources.get(*file).shown()));
    }
    if run.in_tests > 0 && !shared.quiet {
        let n = run.in_tests;
        output::complain(&format!(
            "note: {n} more in code that serves tests by its name are not shown; `[paths] tests = true` shows them"
        ));
    }
    Ok(Done { run, ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX) })
}

/// The one call that looks for files.
fn find(shared: &Shared, paths: &[String], settings: &Settings) -> Result<discover::Found, Error> {
    let here = std::env::current_dir().map_err(|e| Error(format!("the working directory: {}", config::reason(&e))))?;
    let mut paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
    if paths.is_empty() {
        paths.push(PathBuf::from("."));
    }
    let options =
        discover::Options { tests: settings.tests, no_ignore: shared.no_ignore, exclude: settings.exclude.clone() };
    discover::discover(&here, &paths, &options).map_err(|e| Error(e.to_string()))
}

/// Findings about `retrylint.toml` need its text among the sources. Problems know files by number, which shift with it.
fn with_settings(found: discover::Found, text: Option<&str>, path: &str) -> (Sources, Vec<crate::fact::Problem>) {
    let Some(text) = text.filter(|_| found.sources.find(path).is_none()) else {
        return (found.sources, found.problems);
    };
    let paths: Vec<String> = found.problems.iter().map(|p| found.sources.get(p.file).path.clone()).collect();
    let sources = found.sources.with(SourceFile::new(path, text));
    let moved = found
        .problems
        .into_iter()
        .zip(paths)
        .filter_map(|(p, path)| Some(crate::fact::Problem { file: sources.find(&path)?, ..p }));
    let problems = moved.collect();
    (sources, problems)
}

fn finish(shared: &Shared, done: &Done, report: impl Fn(Format, human::Style) -> String) -> Result<(), Error> {
    let files = shared.outputs()?;
    for (format, file) in &files {
        output::to_file(file, &report(*format, human::Style::PLAIN))?;
    }
    let mut written = Written::Done;
    if files.is_empty() {
        written = output::to_stdout(&report(shared.format, terminal::style(shared.color)))?;
    }
    if shared.stats && written == Written::Done {
        output::complain(&stats(done.run.facts.stats, done.ms));
    }
    Ok(())
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
