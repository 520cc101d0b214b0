//! Finds and reads `retrylint.toml`, and checks the lint names in it against the lints there are.

use std::path::{Path, PathBuf};

use super::{Error, args};
use crate::settings::{Settings, SettingsError, parse};

pub const NAME: &str = "retrylint.toml";

/// Settings with the text they came from.
#[derive(Debug, Default)]
pub struct Loaded {
    pub settings: Settings,
    pub text: Option<String>,
}

/// Paths are taken from `root`, the working directory where it is empty.
///
/// The file named on the command line, else the nearest one here or above up to the repository's root, else the one in
/// the only folder that is looked at, else defaults.
pub fn load(root: &Path, named: Option<&Path>, paths: &[String]) -> Result<Loaded, Error> {
    let found = match named {
        Some(path) => Some((path.to_path_buf(), path.display().to_string())),
        None => nearest(root)?.or_else(|| inside(root, paths)),
    };
    let Some((path, shown)) = found else { return Ok(Loaded::default()) };
    let shown = shown.replace('\\', "/");
    let text = std::fs::read_to_string(&path).map_err(|e| Error(format!("{shown}: {}", reason(&e))))?;
    let settings = parse(&shown, &text).and_then(|s| check(s, &text)).map_err(|e| Error(e.to_string()))?;
    Ok(Loaded { settings, text: Some(text) })
}

fn check(settings: Settings, text: &str) -> Result<Settings, SettingsError> {
    for word in settings.lints.keys() {
        if let Some(message) = args::unknown_lint(word) {
            let at = settings.lint_places.get(word).copied().unwrap_or(0) as usize;
            return Err(SettingsError::at(&settings.file, text, at, message));
        }
    }
    Ok(settings)
}

/// The file and how it is shown: relative to the working directory.
fn nearest(root: &Path) -> Result<Option<(PathBuf, String)>, Error> {
    let here = absolute(root)?;
    let mut shown = String::new();
    for folder in here.ancestors() {
        let file = folder.join(NAME);
        if file.is_file() {
            return Ok(Some((file, format!("{shown}{NAME}"))));
        }
        if folder.join(".git").exists() {
            break;
        }
        shown.push_str("../");
    }
    Ok(None)
}

fn inside(root: &Path, paths: &[String]) -> Option<(PathBuf, String)> {
    let [only] = paths else { return None };
    let file = Path::new(only).join(NAME);
    root.join(&file).is_file().then(|| (root.join(&file), file.display().to_string()))
}

/// The folder from which paths are taken; the working directory where `root` is empty.
pub fn absolute(root: &Path) -> Result<PathBuf, Error> {
    let here = std::env::current_dir().map_err(|e| Error(format!("the working directory: {}", reason(&e))))?;
    Ok(if root.as_os_str().is_empty() { here } else { here.join(root) })
}

/// An I/O error without the system's number.
pub fn reason(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file or folder".to_string(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_string(),
        std::io::ErrorKind::InvalidData => "not UTF-8 text".to_string(),
        _ => error.to_string().split(" (os error").next().unwrap_or_default().to_string(),
    }
}
