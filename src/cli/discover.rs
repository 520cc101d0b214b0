//! From paths on the command line to texts in memory: the only place that looks for files.
//!
//! Symbolic links are never followed and nothing outside of the given paths is read, except the Cargo.toml and
//! Cargo.lock of the folders above them up to the repository's root: versions and workspace dependencies stand there.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::{Component, Path, PathBuf};

use globset::{Glob, GlobSet, GlobSetBuilder};
use rayon::prelude::*;

use crate::fact::Problem;
use crate::frontend::{is_config, looks_into};
use crate::source::{SourceFile, Sources};

/// Larger files are generated: no hand-written file of a corpus of 37,000 came near.
pub const LARGEST: u64 = 2_000_000;
/// How names of files end that may be configs of proxies or descriptions of a system. Whether one is, its content says.
const CONFIGS: &[&str] = &[".yaml", ".yml", ".json", ".conf", ".cfg", ".conf.template", ".tmpl", ".template", ".nginx"];
/// Folders whose files are configs whatever they are called.
const CONFIG_FOLDERS: &[&str] = &["sites-available", "sites-enabled"];
/// Words in the name of a folder or file whose code serves tests alone: `tests-fuzz`, `test_helpers.rs`, `e2e`.
const SUPPORT: &[&str] =
    &["test", "tests", "testing", "fuzz", "e2e", "bench", "benches", "benchmark", "benchmarks", "mock", "mocks"];
/// Folders whose code does not run in production, left out unless asked for or given as a path.
const TESTS: &[&str] = &["test", "tests", "testdata", "fixtures", "examples", "benches", "docs"];

#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Take test folders too.
    pub tests: bool,
    /// Read what .gitignore leaves out, and hidden files.
    pub no_ignore: bool,
    /// Globs on the path as it is shown, or on any folder above it.
    pub exclude: Vec<String>,
}

#[derive(Debug, Default)]
pub struct Found {
    pub sources: Sources,
    /// Files that are claimed and cannot be read; their text in `sources` is empty.
    pub problems: Vec<Problem>,
    /// What was left out on purpose and may surprise.
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiscoverError {
    NoSuchPath(String),
    BadGlob { glob: String, why: String },
}

impl fmt::Display for DiscoverError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DiscoverError::NoSuchPath(path) => write!(f, "no such path: {path}"),
            DiscoverError::BadGlob { glob, why } => {
                write!(f, "not a pattern of paths: {glob}: {why}")
            }
        }
    }
}

impl std::error::Error for DiscoverError {}

/// What became of one file.
enum Read {
    Text(String),
    TooLarge(u64),
    Failed(String),
}

/// Finds and reads all files below `paths`, which are taken relative to `root`, the working directory.
pub fn discover(root: &Path, paths: &[PathBuf], options: &Options) -> Result<Found, DiscoverError> {
    let exclude = globs(&options.exclude)?;
    // The path that is shown → the path to open.
    let mut files = BTreeMap::new();
    let mut support = BTreeSet::new();
    for path in paths {
        let full = root.join(path);
        let Ok(about) = fs::metadata(&full) else {
            return Err(DiscoverError::NoSuchPath(path.display().to_string()));
        };
        if about.is_dir() {
            for found in walk(&full, options) {
                let shown = shown(root, &found);
                if wanted(&shown) && !excluded(&exclude, &shown) {
                    if !options.tests && is_support(&full, &found) {
                        support.insert(shown.clone());
                    }
                    files.insert(shown, found);
                }
            }
        } else {
            files.insert(shown(root, &full), full.clone());
        }
        manifests_above(root, &full, &mut files);
    }
    Ok(read_all(&files, &support))
}

/// One file whose text is at hand, with the manifests that stand above the place where it is said to be.
pub fn discover_text(root: &Path, path: &str, text: String) -> Found {
    let full = root.join(path);
    let mut files = BTreeMap::new();
    manifests_above(root, &full, &mut files);
    let shown = shown(root, &full);
    let mut found = read_all(&files, &BTreeSet::new());
    found.sources = found.sources.with(SourceFile::new(shown, text));
    found
}

/// Whether a folder below the given one, or the file itself, names itself after tests.
fn is_support(given: &Path, file: &Path) -> bool {
    let below = file.strip_prefix(given).unwrap_or(file);
    let words = |part: &str| part.split(['-', '_', '.']).any(|word| SUPPORT.contains(&word));
    below.components().any(|c| c.as_os_str().to_str().is_some_and(words))
}

fn globs(patterns: &[String]) -> Result<GlobSet, DiscoverError> {
    let bad = |glob: &str, why: globset::Error| DiscoverError::BadGlob { glob: glob.to_owned(), why: why.to_string() };
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        set.add(Glob::new(pattern.trim_end_matches('/')).map_err(|e| bad(pattern, e))?);
    }
    set.build().map_err(|e| bad("", e))
}

/// The path or a folder above it fits a glob.
fn excluded(globs: &GlobSet, shown: &str) -> bool {
    !globs.is_empty() && Path::new(shown).ancestors().any(|p| globs.is_match(p))
}

/// Whether a name is one of files that may be looked at.
pub fn wanted(shown: &str) -> bool {
    let name = shown.rsplit('/').next().unwrap_or(shown);
    is_rust(name) || may_be_config(shown)
}

fn is_rust(shown: &str) -> bool {
    let name = shown.rsplit('/').next().unwrap_or(shown);
    name.ends_with(".rs") || matches!(name, "Cargo.toml" | "Cargo.lock")
}

fn may_be_config(shown: &str) -> bool {
    let mut parts = shown.rsplit('/');
    let (name, folder) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let ends = CONFIGS.iter().any(|end| name.len() > end.len() && name.ends_with(end));
    ends || CONFIG_FOLDERS.contains(&folder) || looks_into(shown)
}

fn walk(folder: &Path, options: &Options) -> Vec<PathBuf> {
    let tests = options.tests;
    // The given folder itself is always read, whatever its name.
    let keep = move |depth: usize, is_dir: bool, path: &Path| depth == 0 || !is_dir || keeps(path, tests);
    if options.no_ignore {
        let walker = walkdir::WalkDir::new(folder).follow_links(false).into_iter();
        let kept = walker.filter_entry(move |e| keep(e.depth(), e.file_type().is_dir(), e.path()));
        return kept.flatten().filter(|e| e.file_type().is_file()).map(walkdir::DirEntry::into_path).collect();
    }
    let mut walker = ignore::WalkBuilder::new(folder);
    walker
        .follow_links(false)
        .filter_entry(move |e| keep(e.depth(), e.file_type().is_some_and(|t| t.is_dir()), e.path()));
    let is_file = |e: &ignore::DirEntry| e.file_type().is_some_and(|t| t.is_file());
    walker.build().flatten().filter(is_file).map(ignore::DirEntry::into_path).collect()
}

fn keeps(folder: &Path, tests: bool) -> bool {
    let name = folder.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    let built = name == "target" && folder.join("CACHEDIR.TAG").exists();
    name != ".git" && !built && (tests || !TESTS.contains(&name))
}

/// Cargo.toml and Cargo.lock of the folders above, up to the one that holds `.git`.
fn manifests_above(root: &Path, full: &Path, files: &mut BTreeMap<String, PathBuf>) {
    let Ok(full) = std::path::absolute(full) else {
        return;
    };
    let full = clean(&full);
    let mut above = Vec::new();
    let mut repository = full.join(".git").exists();
    for folder in full.ancestors().skip(1) {
        if repository {
            break;
        }
        above.push(folder);
        repository = folder.join(".git").exists();
    }
    // Outside of a repository anything above may be anyone's: only the folder of a lone file belongs to it.
    if !repository {
        above.truncate(usize::from(full.is_file()));
    }
    for folder in above {
        for name in ["Cargo.toml", "Cargo.lock"] {
            let path = folder.join(name);
            if fs::symlink_metadata(&path).is_ok_and(|m| m.is_file()) {
                files.entry(shown(root, &path)).or_insert(path);
            }
        }
    }
}

/// Without `.` and `..`, by text alone.
fn clean(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// Relative to the working directory, with `/`; `../` where it stands above it.
pub fn shown(root: &Path, path: &Path) -> String {
    let absolute = |p: &Path| clean(&std::path::absolute(p).unwrap_or_else(|_| p.to_owned()));
    let (root, path) = (absolute(root), absolute(path));
    let (mut from, mut to) = (root.components().peekable(), path.components().peekable());
    while from.peek().is_some() && from.peek() == to.peek() {
        from.next();
        to.next();
    }
    let up = from.map(|_| "..".to_owned());
    let down = to.map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

fn read_all(files: &BTreeMap<String, PathBuf>, support: &BTreeSet<String>) -> Found {
    let read: Vec<(&String, Read)> = files.par_iter().map(|(shown, path)| (shown, read(path))).collect();
    let (mut sources, mut failed, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    for (shown, result) in read {
        match result {
            Read::Text(text) if is_rust(shown) || is_config(shown, &text) => {
                let mut file = SourceFile::new(shown.clone(), text);
                file.support = support.contains(shown);
                sources.push(file);
            }
            Read::Text(_) => {}
            // Whose content is not known to be ours is not worth a word.
            Read::TooLarge(_) | Read::Failed(_) if !is_rust(shown) => {}
            Read::TooLarge(size) => notes.push(format!("{shown}: skipped, {size} bytes are more than {LARGEST}")),
            Read::Failed(why) => {
                sources.push(SourceFile::new(shown.clone(), ""));
                failed.push((shown, why));
            }
        }
    }
    let sources = Sources::new(sources);
    let problem =
        |(shown, message): (&String, String)| sources.find(shown).map(|file| Problem { file, at: 0, message });
    let problems = failed.into_iter().filter_map(problem).collect();
    Found { sources, problems, notes }
}

/// The size is asked of what was opened, so that a file that grows meanwhile cannot fill memory.
fn read(path: &Path) -> Read {
    use std::io::Read as _;
    let open = || -> std::io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        fs::File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    match open() {
        Ok(bytes) if bytes.len() as u64 > LARGEST => {
            Read::TooLarge(fs::metadata(path).map_or(bytes.len() as u64, |m| m.len()))
        }
        Ok(bytes) => String::from_utf8(bytes).map_or_else(|_| Read::Failed("not UTF-8".to_owned()), Read::Text),
        Err(error) => Read::Failed(format!("cannot be read: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &[u8])]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for (path, text) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a file has a folder")).expect("folders");
            fs::write(path, text).expect("a file");
        }
        folder
    }

    fn found(folder: &Path, path: &str, options: &Options) -> Vec<String> {
        let found = discover(folder, &[PathBuf::from(path)], options).expect("paths exist");
        found.sources.iter().map(|(_, f)| f.path.clone()).collect()
    }

    #[test]
    fn folders_that_are_left_out() {
        let folder = tree(&[
            (".git/x.rs", b""),
            (".gitignore", b"ignored.rs"),
            (".hidden/a.rs", b""),
            ("a.rs", b""),
            ("a.txt", b""),
            ("ignored.rs", b""),
            ("tests/t.rs", b""),
            ("tests/fixtures/f.rs", b""),
            ("target/CACHEDIR.TAG", b""),
            ("target/t.rs", b""),
            ("src/target/b.rs", b""),
            ("gen/g.rs", b""),
        ]);
        let root = folder.path();
        let mut options = Options { exclude: vec!["gen".into()], ..Options::default() };
        assert_eq!(found(root, ".", &options), ["a.rs", "src/target/b.rs"]);
        assert_eq!(found(root, "tests", &options), ["tests/t.rs"]);
        assert_eq!(found(root, "tests/fixtures", &options), ["tests/fixtures/f.rs"]);
        options = Options { tests: true, no_ignore: true, exclude: vec!["**/*.rs".into()] };
        assert_eq!(found(root, ".", &options).len(), 0);
        options.exclude.clear();
        let all =
            [".hidden/a.rs", "a.rs", "gen/g.rs", "ignored.rs", "src/target/b.rs", "tests/fixtures/f.rs", "tests/t.rs"];
        assert_eq!(found(root, ".", &options), all);
    }

    #[test]
    fn manifests_above_up_to_the_repository() {
        let folder = tree(&[
            ("Cargo.toml", b""),
            ("repo/.git/HEAD", b""),
            ("repo/Cargo.toml", b""),
            ("repo/Cargo.lock", b""),
            ("repo/a/Cargo.toml", b""),
            ("repo/a/src/lib.rs", b""),
            ("repo/b/src/lib.rs", b""),
        ]);
        let expected = ["repo/Cargo.lock", "repo/Cargo.toml", "repo/a/Cargo.toml", "repo/a/src/lib.rs"];
        assert_eq!(found(folder.path(), "repo/a", &Options::default()), expected);
        assert_eq!(found(folder.path(), "repo/a/src/lib.rs", &Options::default()), expected);
        let inside = folder.path().join("repo/b");
        let above = ["../Cargo.lock", "../Cargo.toml", "src/lib.rs"];
        assert_eq!(found(&inside, ".", &Options::default()), above);
    }

    #[test]
    fn unreadable_is_no_abort() {
        let folder = tree(&[("a.rs", b"\xff\xfe"), ("b.rs", &[b' '; 2_000_001]), ("c.rs", b"fn f() {}")]);
        let found = discover(folder.path(), &[PathBuf::from(".")], &Options::default()).expect("reads");
        let paths: Vec<&str> = found.sources.iter().map(|(_, f)| f.path.as_str()).collect();
        assert_eq!(paths, ["a.rs", "c.rs"]);
        assert_eq!((found.problems.len(), found.notes.len()), (1, 1));
        assert_eq!(found.problems[0].message, "not UTF-8");
    }

    #[test]
    fn missing_path() {
        let folder = tree(&[]);
        let error = discover(folder.path(), &[PathBuf::from("x/y")], &Options::default()).expect_err("missing");
        assert_eq!(error.to_string(), "no such path: x/y");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let folder = tree(&[("a/a.rs", b""), ("b/b.rs", b"")]);
        std::os::unix::fs::symlink("../b", folder.path().join("a/link")).expect("a link");
        std::os::unix::fs::symlink("a.rs", folder.path().join("a/link.rs")).expect("a link");
        assert_eq!(found(folder.path(), "a", &Options::default()), ["a/a.rs"]);
    }
}
