//! From arguments to a run: settings, files, models, and the words about what was left out.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Instant;

use super::args::Shared;
use super::progress::Progress;
use super::{Error, config, discover, models, output};
use crate::fact::Problem;
use crate::pipeline::{self, Run};
use crate::report::LeftOut;
use crate::settings::Settings;
use crate::source::{SourceFile, Sources};

/// A run with the time it took.
pub struct Done {
    pub run: Run,
    pub ms: u64,
    /// Findings that were asked not to be shown.
    pub left_out: LeftOut,
}

/// Looks at `paths`, which are taken from `root`: the working directory where it is empty. `say` is whether notes and
/// progress go to standard error.
pub fn look(root: &Path, shared: &Shared, paths: &[String], say: bool) -> Result<Done, Error> {
    let began = Instant::now();
    let progress = Progress::start(say);
    let loaded = config::load(root, shared.config.as_deref(), paths)?;
    let found = find(root, shared, paths, &loaded.settings)?;
    finish(root, shared, loaded, found, (began, progress, say))
}

/// Looks at the text on standard input as if it stood at `path`.
pub fn look_at_stdin(shared: &Shared, path: &str) -> Result<Done, Error> {
    let (began, root, say) = (Instant::now(), Path::new(""), !shared.quiet);
    let mut text = Vec::new();
    let read = std::io::stdin().lock().take(discover::LARGEST + 1).read_to_end(&mut text);
    read.map_err(|e| Error(format!("standard input: {}", config::reason(&e))))?;
    if text.len() as u64 > discover::LARGEST {
        return Err(Error(format!("standard input: more than {} bytes", discover::LARGEST)));
    }
    let text = String::from_utf8(text).map_err(|_| Error("standard input: not UTF-8 text".to_string()))?;
    let loaded = config::load(root, shared.config.as_deref(), &[])?;
    let found = discover::discover_text(&config::absolute(root)?, path, text);
    finish(root, shared, loaded, found, (began, Progress::start(say), say))
}

fn finish(
    root: &Path,
    shared: &Shared,
    loaded: config::Loaded,
    found: discover::Found,
    (began, progress, say): (Instant, Progress, bool),
) -> Result<Done, Error> {
    let options = shared.options()?;
    let models = models::of(root, &loaded.settings, &found.sources)?;
    let said: Vec<String> = found.notes.iter().map(|note| format!("note: {note}")).collect();
    let (sources, problems) = with_settings(found, loaded.text.as_deref(), &loaded.settings.file);
    let run = pipeline::run(sources, problems, loaded.settings, &models, &options);
    drop(progress);
    if say {
        said.iter().for_each(|line| output::complain(line));
        notes(&run);
    }
    let ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(Done { run, ms, left_out: LeftOut::default() })
}

fn notes(run: &Run) {
    for (file, note) in &run.facts.notes {
        output::complain(&format!("note: {}: {note}", run.sources.get(*file).shown()));
    }
    if run.in_tests > 0 {
        let n = run.in_tests;
        output::complain(&format!(
            "note: {n} more in code that serves tests by its name are not shown; `[paths] tests = true` shows them"
        ));
    }
}

/// The one call that looks for files.
fn find(root: &Path, shared: &Shared, paths: &[String], settings: &Settings) -> Result<discover::Found, Error> {
    let here = config::absolute(root)?;
    let mut paths: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
    if paths.is_empty() {
        paths.push(PathBuf::from("."));
    }
    let options =
        discover::Options { tests: settings.tests, no_ignore: shared.no_ignore, exclude: settings.exclude.clone() };
    discover::discover(&here, &paths, &options).map_err(|e| Error(e.to_string()))
}

/// Findings about `retrylint.toml` need its text among the sources. Problems know files by number, which shift with it.
fn with_settings(found: discover::Found, text: Option<&str>, path: &str) -> (Sources, Vec<Problem>) {
    let Some(text) = text.filter(|_| found.sources.find(path).is_none()) else {
        return (found.sources, found.problems);
    };
    let paths: Vec<String> = found.problems.iter().map(|p| found.sources.get(p.file).path.clone()).collect();
    let sources = found.sources.with(SourceFile::new(path, text));
    let moved = found.problems.into_iter().zip(paths);
    let moved = moved.filter_map(|(p, path)| Some(Problem { file: sources.find(&path)?, ..p }));
    let problems = moved.collect();
    (sources, problems)
}
