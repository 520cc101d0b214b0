//! Stub of the walk over files: whatever is named, read in order. The real one honours ignore files and limits.

use std::path::Path;

use super::{Error, config};
use crate::fact::Problem;
use crate::settings::Settings;
use crate::source::{SourceFile, Sources};

#[derive(Debug, Default)]
pub struct Found {
    pub sources: Sources,
    pub problems: Vec<Problem>,
}

pub fn discover(paths: &[String], _settings: &Settings, _no_ignore: bool) -> Result<Found, Error> {
    let here = [".".to_string()];
    let mut files = Vec::new();
    for path in if paths.is_empty() { &here[..] } else { paths } {
        std::fs::metadata(path).map_err(|e| Error(format!("{path}: {}", config::reason(&e))))?;
        for entry in walkdir::WalkDir::new(path).sort_by_file_name().into_iter().flatten() {
            let wanted = entry.file_type().is_file() && wanted(entry.path());
            if let Some(text) = wanted.then(|| std::fs::read_to_string(entry.path()).ok()).flatten() {
                let shown = entry.path().display().to_string();
                files.push(SourceFile::new(shown.strip_prefix("./").unwrap_or(&shown), text));
            }
        }
    }
    Ok(Found { sources: Sources::new(files), problems: Vec::new() })
}

fn wanted(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "rs" || e == "toml") || path.file_name().is_some_and(|n| n == "Cargo.lock")
}
