//! `compare`: two saved reports, or the working tree against a revision of it.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::args::{Compare, FailOn, Shared};
use super::formats::{self, Format, Targets};
use super::git::Repository;
use super::look::look;
use super::{CLEAN, Error, FINDINGS, config, remote};
use crate::compare::{Diff, compare, saved::Saved};
use crate::report::{compare as report, json};

/// Larger reports are no reports.
const LARGEST: u64 = 512 << 20;

pub fn run(arguments: &Compare) -> Result<u8, Error> {
    let targets = Targets::of(&arguments.shared, formats::OF_COMPARE)?;
    let (base, head, from) = match (&arguments.git, arguments.paths.as_slice()) {
        (Some(revision), paths) => against(revision, &arguments.shared, paths)?,
        (None, [base, head]) => (read(base)?, read(head)?, None),
        (None, _) => return Err(Error("compare takes two saved JSON reports, or --git REV".to_string())),
    };
    let diff = compare(&base, &head);
    let links = from.map(|repository| links(&repository, &diff)).transpose()?.unwrap_or_default();
    targets.write(|format, style| match format {
        Format::Json => report::json(&diff),
        Format::Markdown => report::markdown(&diff, &links),
        _ => report::human(&diff, style),
    })?;
    Ok(status(&diff, arguments.shared.fail_on))
}

fn read(path: &str) -> Result<Saved, Error> {
    use std::io::Read as _;
    let failed = |e: std::io::Error| Error(format!("{path}: {}", config::reason(&e)));
    let mut text = String::new();
    let file = std::fs::File::open(path).map_err(failed)?;
    file.take(LARGEST).read_to_string(&mut text).map_err(failed)?;
    Saved::parse(&text).map_err(|e| Error(format!("{path}: {e}")))
}

/// Both runs. The revision is unpacked into a private folder that goes away at the end; the working tree is only read.
fn against(revision: &str, shared: &Shared, paths: &[String]) -> Result<(Saved, Saved, Option<Repository>), Error> {
    let here = config::absolute(Path::new(""))?;
    let repository = Repository::around(&here)?;
    let commit = repository.commit(revision)?;
    let folder = tempfile::tempdir().map_err(|e| Error(format!("a temporary folder: {}", config::reason(&e))))?;
    repository.unpack(&commit, folder.path())?;
    let root = folder.path().join(here.strip_prefix(repository.root()).unwrap_or(Path::new("")));
    std::fs::create_dir_all(&root).map_err(|e| Error(format!("{}: {}", root.display(), config::reason(&e))))?;
    let old = paths.iter().map(|p| inside(&repository, &here, p)).collect::<Result<Vec<_>, _>>()?;
    let there: Vec<String> = old.into_iter().filter(|p| root.join(p).exists()).collect();
    let base = match (paths.is_empty(), there.is_empty()) {
        (false, true) => Saved { schema_version: 1, ..Saved::default() },
        _ => saved(&json::render(&look(&root, shared, &there, false)?.run.view(0)))?,
    };
    let head = saved(&json::render(&look(Path::new(""), shared, paths, !shared.quiet)?.run.view(0)))?;
    Ok((base, head, Some(repository)))
}

fn saved(text: &str) -> Result<Saved, Error> {
    Saved::parse(text).map_err(Error)
}

/// A path of the command line as it is called from the same folder of the other tree.
fn inside(repository: &Repository, here: &Path, path: &str) -> Result<String, Error> {
    let mut full = PathBuf::new();
    for part in here.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                full.pop();
            }
            other => full.push(other),
        }
    }
    let below = full.strip_prefix(repository.root());
    let below = below.map_err(|_| Error(format!("{path}: lies outside of the repository")))?;
    let up = here.strip_prefix(repository.root()).map_or(0, |p| p.components().count());
    let relative = (0..up).map(|_| Path::new("..")).collect::<PathBuf>().join(below);
    Ok(if relative.as_os_str().is_empty() { ".".to_string() } else { relative.display().to_string() })
}

/// Places are linked where the commit that is checked out has the file as it is here.
fn links(repository: &Repository, diff: &Diff<'_>) -> Result<report::Links, Error> {
    let Some(origin) = repository.origin() else { return Ok(report::Links::default()) };
    let Ok(commit) = repository.commit("HEAD") else { return Ok(report::Links::default()) };
    let here = config::absolute(Path::new(""))?;
    let folder = here.strip_prefix(repository.root()).unwrap_or(Path::new("")).display().to_string();
    let folder = if folder.is_empty() { folder } else { format!("{}/", folder.replace('\\', "/")) };
    let related = |f: &crate::compare::saved::Found| f.related.iter().map(|r| r.path.clone()).collect::<Vec<_>>();
    let mut paths: BTreeSet<String> =
        diff.new.iter().flat_map(|f| related(f).into_iter().chain([f.path.clone()])).collect();
    paths.extend(diff.operations.iter().flat_map(|o| o.layers.iter().map(|l| l.path.to_string())));
    paths.extend(diff.changed.iter().chain(&diff.moved).map(|p| p.after.path.clone()));
    paths.extend(diff.statements.iter().map(|s| s.path.clone()));
    paths.extend(diff.accepted.iter().map(|f| f.path.clone()));
    // A path above the folder would need the folder taken off again.
    paths.retain(|p| !p.starts_with("../") && !Path::new(p).is_absolute());
    let full: BTreeSet<String> = paths.iter().map(|p| format!("{folder}{p}")).collect();
    let changed = repository.changed(&commit, &full)?;
    paths.retain(|p| !changed.contains(&format!("{folder}{p}")));
    Ok(report::Links { base: remote::files_at(&origin, &commit), folder, same: paths })
}

/// New findings fail like those of `check`.
fn status(diff: &Diff<'_>, fail_on: FailOn) -> u8 {
    let limit = match fail_on {
        FailOn::Error => 3,
        FailOn::Warn => 2,
        FailOn::Never => return CLEAN,
    };
    if diff.new.iter().any(|f| f.severity() >= limit) { FINDINGS } else { CLEAN }
}
