//! Another revision of the tree, asked of git so that nothing of the repository runs: no hook, no file-system monitor, no
//! filter, no diff driver, no pager, no connection. Only `rev-parse`, `ls-tree`, `cat-file` and `config --get` are called;
//! none of them looks at the index or the working tree, and none writes.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{Error, config, discover};

/// More than this in one revision is no source tree.
const MOST_BYTES: u64 = 1 << 30;

/// A repository, known by the folder that holds `.git`.
#[derive(Debug)]
pub struct Repository {
    root: PathBuf,
}

/// A file of a revision: submodules and symbolic links are none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub path: String,
    pub object: String,
    pub size: u64,
}

/// What is done with the content of each file.
type Take<'a> = dyn FnMut(&Entry, Vec<u8>) -> Result<(), Error> + 'a;

impl Repository {
    /// The one that a folder stands in.
    pub fn around(folder: &Path) -> Result<Repository, Error> {
        let root = folder.ancestors().find(|f| f.join(".git").exists());
        let none = || Error("no git repository here or above".to_string());
        Ok(Repository { root: root.ok_or_else(none)?.to_path_buf() })
    }

    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The commit that a revision names.
    pub fn commit(&self, revision: &str) -> Result<String, Error> {
        let commit = format!("{revision}^{{commit}}");
        let said = self.ask(&["rev-parse", "--verify", "--end-of-options", &commit]);
        let said = said.map_err(|e| Error(format!("`{revision}` is no revision of this repository: {}", e.0)))?;
        Ok(String::from_utf8_lossy(&said).trim().to_string())
    }

    /// Every file of a commit. A path that leads out of the tree is refused with the whole commit.
    pub fn files(&self, commit: &str) -> Result<Vec<Entry>, Error> {
        let said = self.ask(&["ls-tree", "-r", "-l", "-z", "--full-tree", commit])?;
        let mut files = Vec::new();
        for line in said.split(|b| *b == 0).filter(|l| !l.is_empty()) {
            let Ok(line) = std::str::from_utf8(line) else { continue };
            let Some(entry) = entry(line) else { continue };
            if !is_inside(&entry.path) {
                return Err(Error(format!("{commit} holds a path that leads out of its tree: {}", entry.path)));
            }
            files.push(entry);
        }
        Ok(files)
    }

    /// The contents of files, each as it is asked for. One that git does not have is left out.
    pub fn read(&self, files: &[Entry], take: &mut Take<'_>) -> Result<(), Error> {
        if files.iter().map(|f| f.size).sum::<u64>() > MOST_BYTES {
            return Err(Error("the revision is larger than a source tree can be".to_string()));
        }
        let mut child = self.git(&["cat-file", "--batch"]).stdin(Stdio::piped()).spawn().map_err(missing)?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (Some(mut input), Some(output)) = (input, output) else { return Err(unclear()) };
        let asked: String = files.iter().map(|f| format!("{}\n", f.object)).collect();
        let writer = std::thread::spawn(move || {
            // A git that ends early says why by itself.
            let _ = input.write_all(asked.as_bytes());
        });
        let mut output = BufReader::new(output);
        let result = files.iter().try_for_each(|file| match object(&mut output)? {
            Some(bytes) => take(file, bytes),
            None => Ok(()),
        });
        drop(output);
        let _ = writer.join();
        let _ = child.wait();
        result
    }

    /// Writes what a run could look at into a folder, which then is a tree of its own.
    pub fn unpack(&self, commit: &str, into: &Path) -> Result<(), Error> {
        let settings = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or(path);
            matches!(name, ".gitignore" | ".ignore" | "retrylint.toml")
        };
        let mut files = self.files(commit)?;
        files.retain(|f| f.size <= discover::LARGEST && (discover::wanted(&f.path) || settings(&f.path)));
        // Ends the search for settings and manifests above, and lets .gitignore count.
        make(&into.join(".git"))?;
        self.read(&files, &mut |file, bytes| {
            let to = into.join(&file.path);
            make(to.parent().unwrap_or(into))?;
            let opened = std::fs::File::options().write(true).create_new(true).open(&to);
            match opened.and_then(|mut f| f.write_all(&bytes)) {
                // Names that differ in case alone are one where the file system says so.
                Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
                Err(e) => Err(Error(format!("{}: {}", to.display(), config::reason(&e)))),
                Ok(()) => Ok(()),
            }
        })
    }

    /// Those of these files (paths from the root) that are here otherwise than in a commit, or not in it. Line endings do
    /// not count: a checkout may have changed them.
    pub fn changed(&self, commit: &str, files: &BTreeSet<String>) -> Result<BTreeSet<String>, Error> {
        let known: BTreeMap<String, Entry> = self.files(commit)?.into_iter().map(|e| (e.path.clone(), e)).collect();
        let mut changed: BTreeSet<String> = files.iter().filter(|f| !known.contains_key(*f)).cloned().collect();
        let asked: Vec<Entry> = files.iter().filter_map(|f| known.get(f).cloned()).collect();
        changed.extend(asked.iter().map(|e| e.path.clone()));
        self.read(&asked, &mut |file, bytes| {
            let here = std::fs::read(self.root.join(&file.path)).unwrap_or_default();
            if without_returns(&here) == without_returns(&bytes) {
                changed.remove(&file.path);
            }
            Ok(())
        })?;
        Ok(changed)
    }

    /// The address of `origin`, if it has one.
    pub fn origin(&self) -> Option<String> {
        let said = self.ask(&["config", "--get", "remote.origin.url"]).ok()?;
        Some(String::from_utf8_lossy(&said).trim().to_string()).filter(|s| !s.is_empty())
    }

    fn ask(&self, arguments: &[&str]) -> Result<Vec<u8>, Error> {
        let output = self.git(arguments).stderr(Stdio::piped()).output().map_err(missing)?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let line = said.lines().find(|l| !l.trim().is_empty()).unwrap_or("it failed without a word");
        Err(Error(format!("git: {}", line.trim().trim_start_matches("fatal: "))))
    }

    /// What a repository's own configuration could make git run is overruled here, option by option.
    fn git(&self, arguments: &[&str]) -> Command {
        let mut git = Command::new("git");
        git.arg("-C").arg(&self.root);
        git.args(["--no-pager", "--no-replace-objects", "--literal-pathspecs", "--no-optional-locks"]);
        for setting in [
            "core.fsmonitor=false",
            "core.hooksPath=/dev/null",
            "core.sshCommand=false",
            "core.askPass=false",
            "core.gitProxy=",
            "core.alternateRefsCommand=false",
            "core.pager=cat",
            "diff.external=",
            "protocol.allow=never",
            "safe.bareRepository=explicit",
        ] {
            git.args(["-c", setting]);
        }
        git.args(arguments);
        // A hook that starts this run points git at its own index and folder.
        for variable in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_EXTERNAL_DIFF"] {
            git.env_remove(variable);
        }
        // A repository with a part of its objects elsewhere must not fetch the others.
        git.env("GIT_NO_LAZY_FETCH", "1").env("GIT_ALLOW_PROTOCOL", "none").env("GIT_TERMINAL_PROMPT", "0");
        git.env("GIT_OPTIONAL_LOCKS", "0").env("LC_ALL", "C");
        git.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        git
    }
}

fn missing(error: std::io::Error) -> Error {
    Error(format!("git: {}", config::reason(&error)))
}

fn unclear() -> Error {
    Error("git: its answer was not understood".to_string())
}

fn make(folder: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(folder).map_err(|e| Error(format!("{}: {}", folder.display(), config::reason(&e))))
}

/// `100644 blob <object> <size>\t<path>`; only plain files.
fn entry(line: &str) -> Option<Entry> {
    let (about, path) = line.split_once('\t')?;
    let mut words = about.split_ascii_whitespace();
    let (mode, kind) = (words.next()?, words.next()?);
    let (object, size) = (words.next()?.to_string(), words.next()?.parse().ok()?);
    (kind == "blob" && mode.starts_with("100")).then(|| Entry { path: path.to_string(), object, size })
}

/// Nothing in a tree keeps its maker from calling an entry `..` or `.git`.
fn is_inside(path: &str) -> bool {
    let part = |p: &str| !matches!(p, "" | "." | "..") && !p.eq_ignore_ascii_case(".git");
    path.split('/').all(part) && !path.contains(['\\', '\0']) && !(cfg!(windows) && path.contains(':'))
}

/// One answer of `cat-file --batch`; `None` for an object that is not there.
fn object(output: &mut impl BufRead) -> Result<Option<Vec<u8>>, Error> {
    let mut head = String::new();
    output.read_line(&mut head).map_err(missing)?;
    let mut words = head.split_ascii_whitespace().skip(1);
    let size: u64 = match (words.next(), words.next()) {
        (Some("missing"), _) => return Ok(None),
        (Some("blob"), Some(size)) => size.parse().map_err(|_| unclear())?,
        _ => return Err(unclear()),
    };
    let mut bytes = Vec::new();
    output.take(size + 1).read_to_end(&mut bytes).map_err(missing)?;
    (bytes.pop() == Some(b'\n') && bytes.len() as u64 == size).then_some(Some(bytes)).ok_or_else(unclear)
}

fn without_returns(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().copied().filter(|b| *b != b'\r').collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_files_inside() {
        let file = |path: &str| Entry { path: path.into(), object: "ab".into(), size: 7 };
        assert_eq!(entry("100644 blob ab       7\ta b.rs"), Some(file("a b.rs")));
        assert_eq!(entry("100755 blob ab       7\tx"), Some(file("x")));
        assert_eq!(entry("120000 blob ab       7\tlink"), None);
        assert_eq!(entry("160000 commit ab       -\tmodule"), None);
        for path in ["../x", "a/../x", "/x", "a//x", ".git/config", "a/.GIT/x", "a\\..\\x", "./x", ""] {
            assert!(!is_inside(path), "{path}");
        }
        assert!(is_inside("a/b.c/.gitignore"));
    }

    #[test]
    fn answers() {
        let mut said = &b"ab blob 3\nx\ny\ncd missing\nef blob 9\nx"[..];
        assert_eq!(object(&mut said), Ok(Some(b"x\ny".to_vec())));
        assert_eq!(object(&mut said), Ok(None));
        assert!(object(&mut said).is_err());
    }
}
