//! Running the analysis: in process over text, or the binary in a folder of its own.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use retrylint::effect::Confidence;
use retrylint::model::Models;
use retrylint::pipeline::{self, Options};
use retrylint::report::json;
use retrylint::settings;
use retrylint::source::{SourceFile, Sources};
use serde_json::Value;
use walkdir::WalkDir;

use super::marks::{self, Mark};

/// Relative path → text, without marks.
pub type Files = BTreeMap<String, String>;

/// Every file of a folder that a run could read, and the marks in them. `case.toml` is about the folder, not of it.
pub fn read(folder: &Path) -> Result<(Vec<Mark>, Files), String> {
    let (mut all, mut files) = (Vec::new(), Files::new());
    for entry in WalkDir::new(folder).sort_by_file_name().into_iter().flatten() {
        let relative =
            entry.path().strip_prefix(folder).unwrap_or(entry.path()).display().to_string().replace('\\', "/");
        if !entry.file_type().is_file() || relative == "case.toml" || relative == "expect.toml" {
            continue;
        }
        let bytes = std::fs::read(entry.path()).map_err(|e| format!("{}: {e}", entry.path().display()))?;
        let (found, text) = marks::take(&relative, &String::from_utf8_lossy(&bytes))?;
        all.extend(found);
        files.insert(relative, text);
    }
    Ok((all, files))
}

/// The JSON report of an in-process run with everything shown.
pub fn in_process(files: &Files) -> Result<Value, String> {
    let settings = match files.get("retrylint.toml") {
        Some(text) => settings::parse("retrylint.toml", text).map_err(|e| e.to_string())?,
        None => settings::Settings::default(),
    };
    let sources =
        Sources::new(files.iter().map(|(path, text)| SourceFile::new(path.as_str(), text.as_str())).collect());
    let options = Options { pedantic: true, min_confidence: Confidence::Low, ..Options::default() };
    let models = Models::new(pipeline::models_for(&sources).map_err(|e| e.to_string())?);
    let run = pipeline::run(sources, Vec::new(), settings, &models, &options);
    serde_json::from_str(&json::render(&run.view(0))).map_err(|e| e.to_string())
}

/// The JSON report of the binary over a copy of the files, as a user would run it.
pub fn binary(name: &str, files: &Files) -> Result<Value, String> {
    const LIMIT: Duration = Duration::from_secs(60);
    let place = tempfile::tempdir().map_err(|e| e.to_string())?;
    let root = place.path().join(name);
    for (path, text) in files {
        let to = root.join(path);
        std::fs::create_dir_all(to.parent().unwrap_or(&root)).map_err(|e| e.to_string())?;
        std::fs::write(&to, text).map_err(|e| e.to_string())?;
    }
    let answer = place.path().join("report.json");
    let out = std::fs::File::create(&answer).map_err(|e| e.to_string())?;
    let arguments = ["check", "--format", "json", "--pedantic", "--min-confidence", "low", "--fail-on", "never"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_retrylint"));
    command.args(arguments).current_dir(&root).stdout(out).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|e| e.to_string())?;
    let began = Instant::now();
    let status = loop {
        match child.try_wait().map_err(|e| e.to_string())? {
            Some(status) => break status,
            None if began.elapsed() > LIMIT => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("no answer within {} s", LIMIT.as_secs()));
            }
            None => std::thread::sleep(Duration::from_millis(3)),
        }
    };
    if status.code() != Some(0) {
        return Err(format!("{status}"));
    }
    let text = std::fs::read_to_string(&answer).map_err(|e| e.to_string())?;
    serde_json::from_str(&text).map_err(|e| format!("standard output is not JSON: {e}"))
}
