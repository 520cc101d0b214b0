//! A change on its way through a review: base, head, comparison, comment, SARIF, baseline, and clean again. And a repository
//! whose configuration wants to run something.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

const MANIFEST: &str =
    "[package]\nname = \"eager\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[dependencies]\nreqwest = \"0.12\"\n";
/// An operation that hands on to three attempts with a growing, random pause: nothing to complain about.
const PULL: &str = "use std::time::Duration;

pub async fn refresh(http: &reqwest::Client) -> Result<String, reqwest::Error> {
    pull(http).await
}

async fn pull(http: &reqwest::Client) -> Result<String, reqwest::Error> {
    let mut turn = 0;
    loop {
        let sent = http.get(\"http://stock.internal/\").timeout(Duration::from_secs(1)).send().await;
        match sent {
            Ok(answer) => return answer.text().await,
            Err(e) if turn >= 2 || !e.is_connect() => return Err(e),
            Err(_) => turn += 1,
        }
        tokio::time::sleep(Duration::from_millis(rand::random_range(0..100 << turn))).await;
    }
}
";
/// The bad change: another loop around it, without a pause.
const TWICE: &str = "
async fn twice(http: &reqwest::Client) -> Result<String, reqwest::Error> {
    let mut again = 0;
    loop {
        match pull(http).await {
            Ok(answer) => return Ok(answer),
            Err(e) if again >= 4 => return Err(e),
            Err(_) => again += 1,
        }
    }
}
";

/// The library after the bad change.
fn bad() -> String {
    format!("{PULL}{TWICE}").replacen("pull(http).await", "twice(http).await", 1)
}

struct Tree(tempfile::TempDir);

impl Tree {
    fn new() -> Tree {
        let tree = Tree(tempfile::tempdir().expect("a folder"));
        tree.write("Cargo.toml", MANIFEST);
        tree.write("src/lib.rs", PULL);
        tree.git(&["init", "--quiet", "--initial-branch=main"]);
        tree.commit();
        tree
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn write(&self, path: &str, text: &str) {
        let to = self.path().join(path);
        std::fs::create_dir_all(to.parent().expect("a parent")).expect("a folder");
        std::fs::write(to, text).expect("a file");
    }

    fn git(&self, arguments: &[&str]) {
        let mut git = Command::new("git");
        git.args(["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgSign=false"]);
        let output = git.args(arguments).current_dir(self.path()).output().expect("git runs");
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn commit(&self) {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "x"]);
    }

    fn run(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let Output { status, stdout, stderr } = Command::new(env!("CARGO_BIN_EXE_retrylint"))
            .args(arguments)
            .current_dir(self.path())
            .output()
            .expect("the binary runs");
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        (status.code(), text(stdout), text(stderr))
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let (_, out, err) = self.run(arguments);
        serde_json::from_str(&out).unwrap_or_else(|e| panic!("{arguments:?}: {e}: {err}"))
    }
}

fn codes(found: &Value) -> Vec<&str> {
    found.as_array().expect("a list").iter().filter_map(|f| f["code"].as_str()).collect()
}

fn changed() -> Tree {
    let tree = Tree::new();
    tree.git(&["remote", "add", "origin", "https://someone:secret@github.com/shop/eager.git"]);
    assert_eq!(tree.run(&["check"]).0, Some(0), "{:?}", tree.run(&["check"]));
    tree.run(&["check", "--output", "json=.git/base.json"]);
    tree.write("src/lib.rs", &bad());
    tree.commit();
    tree
}

#[test]
fn a_bad_change_in_a_review() {
    let tree = changed();
    tree.run(&["check", "--output", "json=.git/head.json"]);
    let saved = tree.json(&["compare", ".git/base.json", ".git/head.json", "--format", "json"]);
    let diff = tree.json(&["compare", "--git", "HEAD~1", "--format", "json"]);
    assert_eq!(saved, diff, "two saved reports and the revision say the same");
    assert!(codes(&diff["new"]).contains(&"RL102"), "{diff:#}");
    assert_eq!(codes(&diff["fixed"]).len(), 0, "{diff:#}");
    assert_eq!(tree.run(&["compare", "--git", "HEAD~1"]).0, Some(1), "new errors fail");
    assert_eq!(tree.run(&["compare", "--git", "HEAD"]).0, Some(0));

    let (_, comment, _) = tree.run(&["compare", "--git", "HEAD~1", "--format", "markdown"]);
    assert!(comment.starts_with("**retrylint: "), "{comment}");
    let because = "`eager::refresh` → `stock.internal`: **3 → 15 attempts**, because the loop in `eager::twice` ";
    assert!(comment.contains(because), "{comment}");
    assert!(comment.contains("](https://github.com/shop/eager/blob/"), "{comment}");
    assert!(!comment.contains("secret"), "{comment}");
    let log = tree.json(&["check", "--format", "sarif"]);
    assert!(log["runs"][0]["results"].as_array().is_some_and(|r| !r.is_empty()));
}

#[test]
fn a_baseline_until_all_is_clean() {
    let tree = changed();
    let (status, out, err) = tree.run(&["baseline"]);
    assert_eq!(status, Some(0), "{out}{err}");
    let recorded = ["check", "--baseline", "retrylint-baseline.json"];
    let (status, out, err) = tree.run(&recorded);
    assert_eq!((status, err.as_str()), (Some(0), ""), "{out}");
    assert!(out.contains("in the baseline"), "{out}");
    let more = TWICE.replace("async fn twice", "pub async fn more").replace("pull(", "crate::pull(");
    tree.write("src/more.rs", &more);
    tree.write("src/lib.rs", &format!("pub mod more;\n\n{}", bad()));
    assert_eq!(tree.run(&recorded).0, Some(1), "a new one fails, those on other lines do not");

    std::fs::remove_file(tree.path().join("src/more.rs")).expect("removed");
    tree.write("src/lib.rs", PULL);
    let (status, _, err) = tree.run(&recorded);
    assert_eq!(status, Some(0));
    assert!(err.contains("can be removed") && err.contains("RL102 in src/lib.rs"), "{err}");
    let diff = tree.json(&["compare", "--git", "HEAD", "--format", "json"]);
    assert!(codes(&diff["fixed"]).contains(&"RL102"), "{diff:#}");
}

#[test]
fn moved_lines_and_renamed_locals_are_no_news() {
    let tree = changed();
    let renamed = bad().replace("again", "round").replace("answer", "reply").replace("sent", "result");
    tree.write("src/lib.rs", &format!("//! A crate.\n\n{renamed}"));
    let diff = tree.json(&["compare", "--git", "HEAD", "--format", "json"]);
    assert_eq!((codes(&diff["new"]).len(), codes(&diff["fixed"]).len()), (0, 0), "{diff:#}");
    let moved = diff["moved"].as_array().expect("a list").len() + diff["changed"].as_array().expect("a list").len();
    assert!(moved > 0, "{diff:#}");
    assert_eq!(diff["operations"], serde_json::json!([]));
}

#[test]
fn accepting_is_seen() {
    let tree = changed();
    let accepted =
        bad().replace("again = 0;\n", "again = 0;\n    // retrylint: allow(no-backoff) -- a @mention and <b>\n");
    tree.write("src/lib.rs", &accepted);
    let diff = tree.json(&["compare", "--git", "HEAD", "--format", "json"]);
    assert_eq!(codes(&diff["accepted"]), ["RL102"], "{diff:#}");
    assert_eq!(diff["statements"][0]["says"], "allow(no-backoff)");
    let (_, comment, _) = tree.run(&["compare", "--git", "HEAD", "--format", "markdown"]);
    assert!(comment.contains("&lt;b&gt;") && !comment.contains("@mention"), "{comment}");
}

#[test]
fn only_what_the_change_touches() {
    let tree = Tree::new();
    tree.write("src/lib.rs", &format!("pub mod other;\n{}", bad()));
    tree.write("src/other.rs", "");
    tree.commit();
    let since = ["check", "--changed-since", "HEAD", "--format", "json"];
    assert_eq!(codes(&tree.json(&since)["findings"]).len(), 0);
    tree.write("src/other.rs", &TWICE.replace("async fn", "pub async fn").replace("pull(", "crate::pull("));
    let report = tree.json(&since);
    let found = report["findings"].as_array().expect("a list");
    assert!(!found.is_empty());
    for finding in found {
        let places = finding["related"].as_array().expect("a list").iter().chain([finding]);
        assert!(places.into_iter().any(|p| p["path"] == "src/other.rs"), "{finding:#}");
    }
    let (status, _, err) = tree.run(&["check", "--changed-since", "no-such"]);
    assert_eq!((status, err.lines().count()), (Some(2), 1), "{err}");
    let (status, _, err) = tree.run(&["compare", "--git", "--upload-pack=x"]);
    assert_eq!((status, err.lines().count()), (Some(2), 1), "{err}");
}

/// Whatever a stranger's configuration names: nothing of it runs, and nothing of the tree is written.
#[cfg(unix)]
#[test]
fn a_hostile_configuration_runs_nothing() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let tree = Tree::new();
    tree.write(".gitattributes", "* filter=bad diff=bad text\n");
    symlink("/etc/passwd", tree.path().join("src/link.rs")).expect("a link");
    tree.commit();
    let ran = tree.path().join(".git/ran");
    let script = tree.path().join(".git/evil");
    std::fs::write(&script, format!("#!/bin/sh\ntouch '{}'\n", ran.display())).expect("written");
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).expect("set");
    for hook in ["post-index-change", "post-checkout", "reference-transaction", "pre-auto-gc"] {
        std::fs::copy(&script, tree.path().join(".git/hooks").join(hook)).expect("a hook");
    }
    let evil = script.display();
    let included =
        format!("[core]\n\tfsmonitor = {evil}\n\tpager = {evil}\n\tsshCommand = {evil}\n\teditor = {evil}\n");
    tree.write(".git/included", &included);
    let config = std::fs::read_to_string(tree.path().join(".git/config")).expect("read");
    let hostile = format!(
        "{config}[include]\n\tpath = included\n[filter \"bad\"]\n\tclean = {evil}\n\tsmudge = {evil}\n\tprocess = {evil}\n\
         \trequired = true\n[diff]\n\texternal = {evil}\n[diff \"bad\"]\n\ttextconv = {evil}\n\tcommand = {evil}\n\
         [alias]\n\trev-parse = !{evil}\n\tls-tree = !{evil}\n[remote \"origin\"]\n\turl = ext::{evil}\n\
         \tpromisor = true\n\tuploadpack = {evil}\n[extensions]\n\tpartialClone = origin\n[pager]\n\tls-tree = {evil}\n\
         \tconfig = {evil}\n[gpg]\n\tprogram = {evil}\n"
    );
    tree.write(".git/config", &hostile);
    tree.write("src/lib.rs", &bad());
    let index = std::fs::read(tree.path().join(".git/index")).expect("read");
    let (status, out, err) = tree.run(&["compare", "--git", "HEAD", "--format", "markdown"]);
    assert_eq!(status, Some(1), "{out}{err}");
    assert!(out.contains("RL102") && !out.contains("]("), "{out}");
    assert_eq!(tree.run(&["check", "--changed-since", "HEAD"]).0, Some(1));
    // An object that only the promised remote has is not fetched.
    let (status, _, err) = tree.run(&["compare", "--git", "1111111111111111111111111111111111111111"]);
    assert_eq!((status, err.lines().count()), (Some(2), 1), "{err}");
    assert!(!ran.exists(), "something of the repository ran");
    assert_eq!(std::fs::read(tree.path().join(".git/index")).expect("read"), index, "the index is as it was");
}

#[test]
fn standard_input_and_bad_baselines() {
    use std::io::Write;
    use std::process::Stdio;
    let tree = Tree::new();
    let mut child = Command::new(env!("CARGO_BIN_EXE_retrylint"))
        .args(["check", "-", "--stdin-path", "src/lib.rs"])
        .current_dir(tree.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let text = bad();
    child.stdin.take().expect("piped").write_all(text.as_bytes()).expect("written");
    let output = child.wait_with_output().expect("it ends");
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.code() == Some(1) && out.contains("RL102") && out.contains("src/lib.rs"), "{out}");
    tree.write("bad.json", "{\"schema_version\": 9, \"findings\": []}");
    for arguments in [
        &["check", "-"][..],
        &["check", "--stdin-path", "a.rs"],
        &["check", "--baseline", "none.json"],
        &["check", "--baseline", "bad.json"],
        &["compare", "bad.json"],
        &["compare", "bad.json", "bad.json"],
    ] {
        let (status, out, err) = tree.run(arguments);
        assert_eq!((status, out.as_str(), err.lines().count()), (Some(2), "", 1), "{arguments:?}: {err}");
    }
}
