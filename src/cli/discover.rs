//! Stub of the walk over files, with the borders of the real one.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::fact::Problem;
use crate::source::{SourceFile, Sources};

#[derive(Debug, Clone, Default)]
pub struct Options {
    pub tests: bool,
    pub no_ignore: bool,
    pub exclude: Vec<String>,
}

#[derive(Debug, Default)]
pub struct Found {
    pub sources: Sources,
    pub problems: Vec<Problem>,
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiscoverError {
    NoSuchPath(String),
}

impl fmt::Display for DiscoverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DiscoverError::NoSuchPath(path) => write!(f, "no such path: {path}"),
        }
    }
}

pub fn discover(root: &Path, paths: &[PathBuf], _options: &Options) -> Result<Found, DiscoverError> {
    let mut files = Vec::new();
    for path in paths {
        let full = root.join(path);
        std::fs::metadata(&full).map_err(|_| DiscoverError::NoSuchPath(path.display().to_string()))?;
        for entry in walkdir::WalkDir::new(&full).sort_by_file_name().into_iter().flatten() {
            let shown = entry.path().strip_prefix(root).unwrap_or(entry.path()).display().to_string();
            let shown = shown.trim_start_matches("./").to_string();
            let wanted = shown.ends_with(".rs") || shown.ends_with("Cargo.toml") || shown.ends_with("Cargo.lock");
            if let Some(text) = wanted.then(|| std::fs::read_to_string(entry.path()).ok()).flatten() {
                files.push(SourceFile::new(shown, text));
            }
        }
    }
    Ok(Found { sources: Sources::new(files), ..Found::default() })
}
