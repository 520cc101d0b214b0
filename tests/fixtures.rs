//! Every fixture says in marks what is found in it, and nothing else may be. A folder with a Cargo.toml or a retrylint.toml
//! is one run, and so is one with a config file directly in it; so is a single `.rs` file outside of such folders. Marks hold
//! in both directions; codes that are off by default are compared only where a mark names them. `expect.toml` beside the
//! files asks for numbers by scenario: `operations` with the keys of a case's, and `scenarios = { closes = 3 }`; `marks` are
//! those of files that have no comments.

mod support;

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use support::compare::{Expect, compare};
use support::marks::{self, Mark};
use support::runs::{self, Files};

const CONFIGS: [&str; 5] = ["yaml", "yml", "json", "conf", "cfg"];

fn runs_below(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut entries: Vec<PathBuf> = entries.flatten().map(|e| e.path()).collect();
    entries.sort();
    let whole = |p: &PathBuf| {
        let config = p.extension().is_some_and(|e| CONFIGS.iter().any(|c| e == *c));
        p.is_file() && (config || p.ends_with("Cargo.toml") || p.ends_with("retrylint.toml"))
    };
    if entries.iter().any(whole) {
        found.push(folder.to_path_buf());
        return;
    }
    for entry in entries {
        if entry.is_dir() {
            runs_below(&entry, found);
        } else if entry.extension().is_some_and(|e| e == "rs") {
            found.push(entry);
        }
    }
}

fn wrong_in(run: &Path) -> Result<Vec<String>, String> {
    let (found, files) = if run.is_dir() {
        runs::read(run)?
    } else {
        let bytes = std::fs::read(run).map_err(|e| e.to_string())?;
        let name = run.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let (found, text) = marks::take(&name, &String::from_utf8_lossy(&bytes))?;
        (found, Files::from([(name, text)]))
    };
    let (expect, marks) = expected(run)?;
    let found: Vec<Mark> = found.into_iter().chain(marks).collect();
    Ok(compare(&expect, &found, &runs::in_process(&files)?))
}

/// The numbers that `expect.toml` asks for, and the marks of files that have no comments.
fn expected(run: &Path) -> Result<(Expect, Vec<Mark>), String> {
    let Ok(text) = std::fs::read_to_string(run.join("expect.toml")) else { return Ok(Default::default()) };
    let table: toml::Table = text.parse().map_err(|e| format!("expect.toml: {e}"))?;
    if table.is_empty() || table.keys().any(|key| !["operations", "marks"].contains(&key.as_str())) {
        return Err("expect.toml holds `operations`, `marks` and nothing else".to_string());
    }
    let tables = |key: &str| -> Result<Vec<toml::Table>, String> {
        let list = table.get(key).and_then(|v| v.as_array()).into_iter().flatten();
        list.map(|v| v.as_table().cloned().ok_or(format!("expect.toml: `{key}` is a list of tables"))).collect()
    };
    let marks = tables("marks")?.iter().map(marks::of_table).collect::<Result<_, _>>()?;
    Ok((Expect { operations: tables("operations")?, ..Expect::default() }, marks))
}

/// Runs everything below `fixtures/NAME`; how many runs there were.
fn hold(name: &str) -> usize {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let mut all = Vec::new();
    runs_below(&root.join(name), &mut all);
    let pool = rayon::ThreadPoolBuilder::new().stack_size(64 * 1024 * 1024).build().expect("threads");
    let one = |run: &PathBuf| {
        let wrong = wrong_in(run).unwrap_or_else(|e| vec![e]);
        let shown = run.strip_prefix(&root).unwrap_or(run).display();
        (!wrong.is_empty()).then(|| format!("{shown}\n      {}", wrong.join("\n      ")))
    };
    let report: Vec<String> = pool.install(|| all.par_iter().filter_map(one).collect());
    assert!(report.is_empty(), "\n{}", report.join("\n"));
    all.len()
}

#[test]
fn rust() {
    hold("rust");
}

#[test]
fn systems() {
    assert!(hold("systems") >= 4, "the shop and its variants");
}

/// Rows of what was counted on the wire, and what the format's own rules say.
#[test]
fn envoy() {
    hold("envoy");
}

#[test]
fn grpc() {
    hold("grpc");
}

#[test]
fn haproxy() {
    hold("haproxy");
}

#[test]
fn nginx() {
    hold("nginx");
}

#[test]
fn mesh() {
    hold("mesh");
}

/// Idiomatic code about which nothing is said.
#[test]
fn silent() {
    hold("silent");
}

/// Files that cannot be read: each says so, and nothing stops.
#[test]
fn broken() {
    hold("broken");
}
