//! Every folder of `fixtures/cases` is a small project with a verdict. Those that this version does not get right yet stand
//! in `WAITING.toml` with the reason; the test fails when one of them passes, so that the list cannot grow stale.
//! `UPDATE=1 cargo test --test cases` rewrites the list.

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use support::compare::{Expect, compare};
use support::marks;
use support::runs;
use toml::Table;

const WAITING: &str = "fixtures/cases/WAITING.toml";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn folders() -> Vec<PathBuf> {
    let all = std::fs::read_dir(root().join("fixtures/cases")).expect("the cases are part of the repository");
    let mut folders: Vec<PathBuf> = all.flatten().map(|e| e.path()).filter(|p| p.join("case.toml").is_file()).collect();
    folders.sort();
    folders
}

fn strings(table: &Table, key: &str) -> Option<Vec<String>> {
    let list = table.get(key)?.as_array()?;
    Some(list.iter().filter_map(|v| v.as_str().map(str::to_string)).collect())
}

fn tables(table: &Table, key: &str) -> Vec<Table> {
    let list = table.get(key).and_then(|v| v.as_array());
    list.into_iter().flatten().filter_map(|v| v.as_table().cloned()).collect()
}

/// What is wrong with one case; empty if it passes.
fn verdict(folder: &Path) -> Result<Vec<String>, String> {
    let text = std::fs::read_to_string(folder.join("case.toml")).map_err(|e| e.to_string())?;
    let case: Table = text.parse().map_err(|e| format!("case.toml: {e}"))?;
    let expect = case.get("expect").and_then(|v| v.as_table()).ok_or("case.toml: no [expect]")?;
    strange_keys(&case, expect)?;
    let (mut all, mut files) = runs::read(folder)?;
    for mark in tables(expect, "marks") {
        all.push(marks::of_table(&mark).map_err(|e| format!("case.toml: {e}"))?);
    }
    if let Some(config) = expect.get("config").and_then(|v| v.as_str()) {
        files.insert("retrylint.toml".to_string(), config.to_string());
    }
    let silent = expect.get("silent").and_then(|v| v.as_bool()) == Some(true);
    if silent && all.iter().any(|m| m.code().is_some()) {
        return Err("case.toml says silent and the input has marks".to_string());
    }
    let expect = Expect {
        only: strings(expect, "only"),
        also: Vec::new(),
        tolerate: strings(expect, "tolerate").unwrap_or_default(),
        operations: tables(expect, "operations"),
        layers: tables(expect, "layers"),
    };
    let name = folder.file_name().and_then(|n| n.to_str()).unwrap_or("case");
    Ok(compare(&expect, &all, &runs::binary(name, &files)?))
}

fn strange_keys(case: &Table, expect: &Table) -> Result<(), String> {
    const TOP: [&str; 5] = ["title", "reference", "what", "measured", "expect"];
    const EXPECT: [&str; 7] = ["silent", "only", "tolerate", "operations", "layers", "marks", "config"];
    let strange = |table: &Table, known: &[&str]| table.keys().find(|k| !known.contains(&k.as_str())).cloned();
    match strange(case, &TOP).or(strange(expect, &EXPECT)) {
        Some(key) => Err(format!("case.toml: unknown key `{key}`")),
        None => Ok(()),
    }
}

fn waiting() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(root().join(WAITING)).unwrap_or_default();
    toml::from_str(&text).expect("WAITING.toml is a table of names and reasons")
}

fn rewrite(failing: &BTreeMap<String, Vec<String>>, old: &BTreeMap<String, String>) {
    let mut text = String::from("# Cases that this version does not get right yet, each with the reason.\n\n");
    for name in failing.keys() {
        let rust = root().join("fixtures/cases").join(name).join("src").is_dir();
        let first = if rust { "not looked at yet" } else { "its format is not read yet" };
        let reason = old.get(name).map_or(first, String::as_str);
        text.push_str(&format!("{name} = {reason:?}\n"));
    }
    std::fs::write(root().join(WAITING), text).expect("the repository can be written");
}

#[test]
fn cases_give_their_verdicts() {
    let all: Vec<(String, Vec<String>)> = folders()
        .par_iter()
        .map(|folder| {
            let name = folder.file_name().expect("a folder of the list").to_string_lossy().into_owned();
            (name, verdict(folder).unwrap_or_else(|e| vec![e]))
        })
        .collect();
    assert!(all.len() > 80, "only {} cases found", all.len());
    let names: Vec<String> = all.iter().map(|(n, _)| n.clone()).collect();
    let failing: BTreeMap<String, Vec<String>> = all.into_iter().filter(|(_, wrong)| !wrong.is_empty()).collect();
    let waiting = waiting();
    if std::env::var_os("UPDATE").is_some() {
        return rewrite(&failing, &waiting);
    }
    let mut report = Vec::new();
    for (name, wrong) in failing.iter().filter(|(name, _)| !waiting.contains_key(*name)) {
        report.push(format!("FAIL {name}\n      {}", wrong.join("\n      ")));
    }
    for name in waiting.keys() {
        if !names.contains(name) {
            report.push(format!("{WAITING} names `{name}`, which is no case"));
        } else if !failing.contains_key(name) {
            report.push(format!("{name} passes: take it from {WAITING}"));
        }
    }
    assert!(report.is_empty(), "\n{}", report.join("\n"));
}
