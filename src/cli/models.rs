//! The models of a run: those compiled into the program, and the files that `models` in retrylint.toml names.

use std::path::{Path, PathBuf};

use globset::{Glob, GlobSetBuilder};
use walkdir::WalkDir;

use super::{Error, config};
use crate::model::{Model, Models, load};
use crate::pipeline;
use crate::settings::Settings;
use crate::source::Sources;

/// The models that these sources can use. The user's own come last, so that they win over equal ones.
pub fn of(root: &Path, settings: &Settings, sources: &Sources) -> Result<Models, Error> {
    let mut all = pipeline::models_for(sources).map_err(|e| Error(e.to_string()))?;
    all.extend(own(root, settings)?);
    Ok(Models::new(all))
}

/// Every model there is, for `explain`.
pub fn all(settings: &Settings) -> Result<Models, Error> {
    let mut all = load::built_in().map_err(|e| Error(e.to_string()))?;
    all.extend(own(Path::new(""), settings)?);
    Ok(Models::new(all))
}

fn own(root: &Path, settings: &Settings) -> Result<Vec<Model>, Error> {
    if settings.models.is_empty() {
        return Ok(Vec::new());
    }
    let folder = root.join(Path::new(&settings.file).parent().unwrap_or(Path::new("")));
    let files = matching(&folder, &settings.models).map_err(|e| Error(format!("{}: {e}", settings.file)))?;
    files.iter().map(|path| model(path)).collect()
}

fn model(path: &Path) -> Result<Model, Error> {
    let shown = path.display().to_string().replace('\\', "/");
    let text = std::fs::read_to_string(path).map_err(|e| Error(format!("{shown}: {}", config::reason(&e))))?;
    load::from_text(&shown, &text).map_err(|e| Error(e.to_string()))
}

/// Files below a folder whose path from there fits a pattern, sorted. Only what lies under the fixed part of a pattern is
/// walked.
fn matching(folder: &Path, patterns: &[String]) -> Result<Vec<PathBuf>, String> {
    let mut files = Vec::new();
    for pattern in patterns {
        let mut set = GlobSetBuilder::new();
        set.add(Glob::new(pattern).map_err(|e| e.to_string())?);
        let set = set.build().map_err(|e| e.to_string())?;
        let fixed: PathBuf = Path::new(pattern).components().take_while(|c| !is_pattern(c.as_os_str())).collect();
        let start = if folder.as_os_str().is_empty() { Path::new(".").join(&fixed) } else { folder.join(&fixed) };
        let before = files.len();
        for entry in WalkDir::new(start).sort_by_file_name().into_iter().flatten() {
            let path = entry.path().strip_prefix("./").unwrap_or(entry.path());
            if entry.file_type().is_file() && set.is_match(path.strip_prefix(folder).unwrap_or(path)) {
                files.push(path.to_path_buf());
            }
        }
        if files.len() == before {
            return Err(format!("`models`: no file fits `{pattern}`"));
        }
    }
    files.sort();
    files.dedup();
    Ok(files)
}

fn is_pattern(part: &std::ffi::OsStr) -> bool {
    part.to_string_lossy().contains(['*', '?', '[', '{'])
}
