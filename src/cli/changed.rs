//! `--changed-since`: the findings whose path touches a file that is no longer as it was.

use std::collections::BTreeSet;
use std::path::Path;

use super::git::Repository;
use super::look::Done;
use super::{Error, config, discover};
use crate::source::Span;

/// Takes out the findings of which no place lies in a changed file, and returns how many.
pub fn keep(revision: &str, done: &mut Done) -> Result<usize, Error> {
    let here = config::absolute(Path::new(""))?;
    let repository = Repository::around(&here)?;
    let commit = repository.commit(revision)?;
    let run = &mut done.run;
    let files: BTreeSet<&str> = run.sources.iter().map(|(_, f)| f.shown()).collect();
    // As it is called from here, and from the root. What lies outside of the repository has no past to compare with.
    let named: Vec<(&str, String)> =
        files.into_iter().map(|f| (f, discover::shown(repository.root(), &here.join(f)))).collect();
    let asked: BTreeSet<String> = named.iter().map(|(_, n)| n.clone()).filter(|n| !n.starts_with("../")).collect();
    let changed = repository.changed(&commit, &asked)?;
    let unchanged = |name: &str| asked.contains(name) && !changed.contains(name);
    let touched: BTreeSet<String> =
        named.iter().filter(|(_, name)| !unchanged(name)).map(|(shown, _)| shown.to_string()).collect();
    let (sources, before) = (&run.sources, run.findings.len());
    let touches = |at: Span| touched.contains(sources.path(at));
    run.findings.retain(|f| touches(f.at) || f.related.iter().any(|r| touches(r.at)));
    Ok(before - run.findings.len())
}
