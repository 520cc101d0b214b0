//! `baseline`: today's findings by fingerprint, so that a large code base can start today and only new ones fail.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::args::Baseline;
use super::look::{Done, look};
use super::{CLEAN, Error, config, output};
use crate::pipeline::Run;

/// Where it is written unless `--output` says otherwise.
const NAME: &str = "retrylint-baseline.json";
const VERSION: u32 = 1;
/// So many fixed entries are named, the others are counted.
const NAMED: usize = 10;

/// The file. It holds no line and no message, so that it changes only when findings come or go.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Recorded {
    schema_version: u32,
    findings: Vec<Entry>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    fingerprint: String,
    code: String,
    path: String,
    count: usize,
}

/// Writes the file and says what it holds.
pub fn run(arguments: &Baseline) -> Result<u8, Error> {
    let shared = &arguments.shared;
    let name = match shared.output.as_slice() {
        [] => NAME,
        [name] => name.as_str(),
        _ => return Err(Error("--output: baseline writes one file".to_string())),
    };
    let done = look(Path::new(""), shared, &arguments.paths, !shared.quiet)?;
    let findings = entries(&done.run);
    let counted: usize = findings.iter().map(|e| e.count).sum();
    let recorded = Recorded { schema_version: VERSION, findings };
    let text = serde_json::to_string_pretty(&recorded).expect("plain data");
    output::to_file(Path::new(name), &format!("{text}\n"))?;
    if !shared.quiet {
        let findings = if counted == 1 { "finding" } else { "findings" };
        output::to_stdout(&format!(
            "{counted} {findings} written to {name}; `retrylint check --baseline {name}` leaves them out\n"
        ))?;
    }
    Ok(CLEAN)
}

/// By path and code, so that a change of one file changes lines that stand together.
fn entries(run: &Run) -> Vec<Entry> {
    let mut counts: BTreeMap<(String, &str, &str), usize> = BTreeMap::new();
    for finding in run.findings.iter().filter(|f| f.suppressed.is_none()) {
        let path = run.sources.path(finding.at).to_string();
        *counts.entry((path, finding.code, &finding.fingerprint)).or_default() += 1;
    }
    let entry = |((path, code, fingerprint), count): ((String, &str, &str), usize)| Entry {
        fingerprint: fingerprint.to_string(),
        code: code.to_string(),
        path,
        count,
    };
    counts.into_iter().map(entry).collect()
}

/// Takes the recorded findings out of a run, and says which entries nothing answers to any more. Returns how many were taken.
pub fn apply(file: &Path, done: &mut Done, quiet: bool) -> Result<usize, Error> {
    let shown = file.display();
    let text = std::fs::read_to_string(file).map_err(|e| Error(format!("{shown}: {}", config::reason(&e))))?;
    let recorded: Recorded = serde_json::from_str(&text).map_err(|e| Error(format!("{shown}: {e}")))?;
    if recorded.schema_version != VERSION {
        let version = recorded.schema_version;
        return Err(Error(format!("{shown}: a baseline of version {version}, this version reads {VERSION}")));
    }
    let mut left: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in &recorded.findings {
        *left.entry(&entry.fingerprint).or_default() += entry.count;
    }
    let before = done.run.findings.len();
    done.run.findings.retain(|f| match left.get_mut(f.fingerprint.as_str()) {
        Some(n) if *n > 0 && f.suppressed.is_none() => {
            *n -= 1;
            false
        }
        _ => true,
    });
    let taken = before - done.run.findings.len();
    let gone: Vec<&Entry> = recorded.findings.iter().filter(|e| left[e.fingerprint.as_str()] > 0).collect();
    let gone: Vec<&Entry> = gone.into_iter().filter(|e| is_judged(e, &done.run)).collect();
    if !quiet {
        say(&gone, &shown.to_string());
    }
    Ok(taken)
}

/// Nothing is said of entries that this run could not find: other paths, lints that are off.
fn is_judged(entry: &Entry, run: &Run) -> bool {
    let looked_at = run.sources.find(&entry.path).is_some() || !Path::new(&entry.path).exists();
    looked_at && run.ran.contains(&entry.code.as_str())
}

fn say(gone: &[&Entry], file: &str) {
    if gone.is_empty() {
        return;
    }
    let mut named: Vec<String> = gone.iter().take(NAMED).map(|e| format!("{} in {}", e.code, e.path)).collect();
    if gone.len() > NAMED {
        named.push(format!("{} more", gone.len() - NAMED));
    }
    let (n, entries) = (gone.len(), if gone.len() == 1 { "entry" } else { "entries" });
    output::complain(&format!(
        "note: {n} {entries} of {file} can be removed, nothing is found there any more ({}); `retrylint baseline` writes it anew",
        named.join(", ")
    ));
}
