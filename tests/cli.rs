//! What a user meets at the door: exit codes, and one clear line for everything that can be wrong.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

struct Said {
    status: Option<i32>,
    out: String,
    err: String,
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retrylint"));
    command.args(arguments).current_dir(folder);
    for variable in ["NO_COLOR", "CLICOLOR_FORCE", "COLUMNS"] {
        command.env_remove(variable);
    }
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Said {
    let output = command(folder, arguments).output().expect("the binary runs");
    Said {
        status: output.status.code(),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// A folder with a package that retries three times without a pause, and these settings.
fn package(settings: Option<&str>) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: &str| {
        let to = folder.path().join(path);
        std::fs::create_dir_all(to.parent().expect("a parent")).expect("a folder");
        std::fs::write(to, text).expect("a file");
    };
    write(
        "Cargo.toml",
        "[package]\nname = \"eager\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[dependencies]\nreqwest = \"0.12\"\n",
    );
    write(
        "src/lib.rs",
        "pub async fn pull(http: &reqwest::Client) -> Result<String, reqwest::Error> {
    let mut turn = 0;
    loop {
        match http.get(\"http://stock.internal/\").send().await {
            Ok(answer) => return answer.text().await,
            Err(e) if turn >= 2 => return Err(e),
            Err(_) => turn += 1,
        }
    }
}
",
    );
    if let Some(settings) = settings {
        write("retrylint.toml", settings);
    }
    folder
}

/// Status 2, nothing on standard output, and exactly one line that holds every part.
fn refused(said: &Said, parts: &[&str]) {
    assert_eq!(said.status, Some(2), "{}", said.err);
    assert_eq!(said.out, "");
    assert_eq!(said.err.lines().count(), 1, "one line: {}", said.err);
    for part in parts {
        assert!(said.err.contains(part), "`{part}` is missing: {}", said.err);
    }
}

#[test]
fn missing_path() {
    let folder = package(None);
    refused(&run(folder.path(), &["check", "no/such"]), &["error: no such path: no/such"]);
    refused(&run(folder.path(), &["audit", "--config", "no.toml"]), &["error: no.toml", "no such file or folder"]);
}

#[test]
fn bad_arguments() {
    let folder = package(None);
    refused(&run(folder.path(), &["check", "--pedantc"]), &["--pedantc", "--pedantic"]);
    refused(&run(folder.path(), &["chek"]), &["chek", "check"]);
    refused(&run(folder.path(), &["chart"]), &["chart"]);
    refused(&run(folder.path(), &["check", "--format", "xml"]), &["xml", "human", "json"]);
    refused(&run(folder.path(), &["layers", "--format", "sarif"]), &["sarif", "human, json"]);
    refused(&run(folder.path(), &["check", "--threads", "many"]), &["--threads", "many"]);
    refused(&run(folder.path(), &["check", "--output", "xml=x"]), &["xml", "sarif"]);
}

#[test]
fn unknown_lints_name_the_nearest() {
    let folder = package(None);
    refused(&run(folder.path(), &["check", "--select", "no-backof"]), &["unknown lint `no-backof`", "`no-backoff`"]);
    refused(&run(folder.path(), &["check", "--ignore", "RL1O2"]), &["unknown lint `RL1O2`", "did you mean"]);
    let folder = package(Some("[lints]\nno-backof = \"off\"\n"));
    refused(&run(folder.path(), &["check"]), &["retrylint.toml:2:1: unknown lint `no-backof`", "`no-backoff`"]);
}

#[test]
fn bad_settings_name_their_place() {
    for (text, said) in [
        ("[limits]\nattemps = 3\n", "retrylint.toml:2:1: unknown key `attemps`"),
        ("[limits\nattempts = 3\n", "retrylint.toml:1:8: "),
        ("[[service]]\nname = \"a\"\nhost = [\"b\"]\n", "retrylint.toml:3:1: unknown key `host`"),
        ("[lints]\nno-backoff = \"loud\"\n", "retrylint.toml:2:14: unknown level `loud`"),
        ("[limits]\ntimeout = 60\n", "retrylint.toml:2:11: "),
    ] {
        refused(&run(package(Some(text)).path(), &["check"]), &[said]);
    }
}

#[test]
fn settings_are_found_above_up_to_the_repository() {
    let folder = package(Some("[limits]\nattemps = 3\n"));
    refused(&run(&folder.path().join("src"), &["check"]), &["../retrylint.toml:2:1: "]);
    std::fs::create_dir(folder.path().join("src/.git")).expect("a folder");
    assert_ne!(
        run(&folder.path().join("src"), &["check"]).status,
        Some(2),
        "another repository's settings do not count"
    );
}

#[test]
fn exit_codes() {
    let folder = package(None);
    let found = run(folder.path(), &["check"]);
    assert_eq!(found.status, Some(1), "{}{}", found.out, found.err);
    assert!(found.out.contains("RL102"), "{}", found.out);
    assert!(!found.out.contains('\u{1b}'), "no colour in a pipe");
    assert!(found.out.is_ascii(), "no line drawing in a pipe");
    assert_eq!(run(folder.path(), &["check", "--fail-on", "never"]).status, Some(0));
    assert_eq!(run(folder.path(), &["check", "--ignore", "RL102,RL106,RL201"]).status, Some(0));
    assert_eq!(run(folder.path(), &["check", "--select", "RL106"]).status, Some(0), "a warning");
    assert_eq!(run(folder.path(), &["check", "--select", "RL106", "--fail-on", "warn"]).status, Some(1));
}

#[test]
fn colour_where_it_is_asked_for() {
    let folder = package(None);
    assert!(run(folder.path(), &["check", "--color", "always"]).out.contains('\u{1b}'));
    let forced = command(folder.path(), &["check"]).env("CLICOLOR_FORCE", "1").output().expect("runs");
    assert!(forced.stdout.contains(&0x1b));
    let refused =
        command(folder.path(), &["check"]).env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1").output().expect("runs");
    assert!(!refused.stdout.contains(&0x1b));
}

#[test]
fn nothing_to_check() {
    let folder = tempfile::tempdir().expect("a folder");
    let said = run(folder.path(), &["check"]);
    assert_eq!((said.status, said.err.as_str()), (Some(0), ""));
    assert!(said.out.starts_with("nothing to check here"), "{}", said.out);
    assert_eq!(run(folder.path(), &["check", "--quiet"]).out, "");
}

#[test]
fn a_closed_pipe_ends_quietly() {
    let folder = package(None);
    for arguments in [&["check", "--format", "json"][..], &["check", "--format", "sarif"], &["explain"], &["--help"]] {
        let mut command = command(folder.path(), arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the binary runs");
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().expect("piped").read_to_string(&mut said).expect("text");
        let status = child.wait().expect("it ends");
        assert_eq!(said, "", "{arguments:?}");
        assert!(status.code().is_some_and(|c| c < 2), "{arguments:?}: {status}");
    }
}

#[test]
fn the_same_bytes_twice() {
    let folder = package(None);
    let report = |threads: &str| {
        let said = run(folder.path(), &["check", "--format", "json", "--pedantic", "--threads", threads]);
        said.out.lines().filter(|l| !l.trim_start().starts_with("\"ms\"")).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(report("1"), report("4"));
}

#[test]
fn reports_go_to_files() {
    let folder = package(None);
    let said = run(folder.path(), &["check", "--output", "json=a.json", "--output", "b.txt"]);
    assert_eq!((said.status, said.out.as_str()), (Some(1), ""), "{}", said.err);
    let json = std::fs::read_to_string(folder.path().join("a.json")).expect("written");
    let report: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(report["schema_version"], 1);
    assert!(std::fs::read_to_string(folder.path().join("b.txt")).expect("written").contains("RL102"));
}

#[test]
fn explain() {
    let folder = package(None);
    assert!(run(folder.path(), &["explain", "RL102"]).out.contains("no-backoff"));
    assert!(run(folder.path(), &["explain", "no-backoff"]).out.contains("RL102"));
    let library = run(folder.path(), &["explain", "reqwest"]).out;
    for (asked, told) in [
        ("aws-sdk-s3", "aws-sdk-*"),
        ("kube-client", "kube "),
        ("tokio_retry", "tokio-retry"),
        ("pingora", "pingora-core"),
    ] {
        assert!(run(folder.path(), &["explain", asked]).out.starts_with(told), "{asked}");
    }
    assert!(library.contains("reqwest") && library.contains(".rs:"), "{library}");
    let why = run(folder.path(), &["explain", "pull"]).out;
    assert!(why.contains("why 3") && why.contains("src/lib.rs:3:5"), "{why}");
    assert!(run(folder.path(), &["explain"]).out.contains("RL301"));
    refused(&run(folder.path(), &["explain", "no-backof"]), &["`no-backof`", "did you mean `no-backoff`"]);
}

#[test]
fn templates_are_noted_and_no_finding() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "server {\n  listen {{ port }};\n  server_name a;\n}\n";
    std::fs::write(folder.path().join("site.conf.j2"), text).expect("a file");
    let said = run(folder.path(), &["check"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(said.err.contains("note: site.conf.j2: skipped, a template"), "{}", said.err);
    assert_eq!(run(folder.path(), &["check", "--quiet"]).err, "");
}

/// A library that only its users know: its default is a layer with the line that proves it, and mistakes have a place.
#[test]
fn models_of_ones_own() {
    let folder = package(Some("models = [\"retrylint/*.yaml\"]\n"));
    let write = |path: &str, text: &str| {
        let to = folder.path().join(path);
        std::fs::create_dir_all(to.parent().expect("a parent")).expect("a folder");
        std::fs::write(to, text).expect("a file");
    };
    let model = "crate: billing
versions: \"*\"
about: Bills.
types:
  billing::Client:
    role: client
    fields:
      attempts: {default: 2, means: retries, source: \"billing-1.0.0/src/lib.rs:7\"}
    retries: {form: client, shape: fixed, source: \"billing-1.0.0/src/lib.rs:7\"}
    methods:
      charge: {async: true, returns: \"Result<(), billing::Error>\", does: {remote: {system: http, verb: POST, answers_are_errors: true}}}
sources: [\"billing-1.0.0/src/lib.rs:7\"]
";
    write("retrylint/billing.yaml", model);
    write(
        "src/lib.rs",
        "pub async fn pay(bills: &billing::Client) -> Result<(), billing::Error> {\n    bills.charge().await\n}\n",
    );
    let layers = run(folder.path(), &["layers"]).out;
    assert!(layers.contains("client  3 ") && layers.contains("default of billing-1.0.0/src/lib.rs:7"), "{layers}");
    assert!(
        run(folder.path(), &["explain", "billing"]).out.contains("attempts = 2 retries  billing-1.0.0/src/lib.rs:7")
    );
    write("retrylint/billing.yaml", &model.replace("means: retries, ", ""));
    refused(&run(folder.path(), &["check"]), &["retrylint/billing.yaml:8: ", "attempts or retries"]);
    write("retrylint/billing.yaml", &model.replace("role: client", "rôle: client"));
    refused(&run(folder.path(), &["check"]), &["retrylint/billing.yaml:", "rôle"]);
}

#[test]
fn init_writes_once_and_changes_no_finding() {
    let folder = package(None);
    let findings = || {
        let report: serde_json::Value =
            serde_json::from_str(&run(folder.path(), &["check", "--format", "json"]).out).expect("JSON");
        report["findings"].clone()
    };
    let before = findings();
    assert!(before.as_array().is_some_and(|all| all.len() > 1), "{before}");
    let said = run(folder.path(), &["init"]);
    assert_eq!(said.status, Some(0), "{}", said.err);
    assert!(said.out.starts_with("wrote retrylint.toml: 1 service, 1 host, 1 operation"), "{}", said.out);
    let text = std::fs::read_to_string(folder.path().join("retrylint.toml")).expect("it is there");
    assert!(text.contains("stock.internal") && text.contains("#[[operation]]"), "{text}");
    assert_eq!(before, findings());
    refused(&run(folder.path(), &["init"]), &["retrylint.toml: there is one already", "--force"]);
    assert_eq!(run(folder.path(), &["init", "--force"]).status, Some(0));
    assert_eq!(std::fs::read_to_string(folder.path().join("retrylint.toml")).expect("still there"), text);
}

#[cfg(unix)]
#[test]
fn init_never_writes_through_a_link() {
    let folder = package(None);
    let other = folder.path().join("other");
    std::fs::write(&other, "kept").expect("a file");
    std::os::unix::fs::symlink(&other, folder.path().join("retrylint.toml")).expect("a link");
    refused(&run(folder.path(), &["init"]), &["there is one already"]);
    // What the link leads to is no settings file: the run that is forced says so instead of guessing.
    assert_eq!(run(folder.path(), &["init", "--force"]).status, Some(2));
    assert_eq!(std::fs::read_to_string(&other).expect("the other file"), "kept");
}

#[test]
fn completions_and_manual_pages() {
    let folder = tempfile::tempdir().expect("a folder");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let said = run(folder.path(), &["completions", shell]);
        assert!(said.status == Some(0) && said.out.contains("retrylint") && said.out.contains("audit"), "{shell}");
    }
    let page = run(folder.path(), &["man"]).out;
    assert!(page.starts_with(".ie") || page.starts_with(".TH"), "{}", &page[..80]);
    let page = run(folder.path(), &["man", "audit"]).out;
    assert!(page.contains("retrylint\\-audit") && page.contains("\\-\\-dependency"), "{page}");
    refused(&run(folder.path(), &["man", "nothing"]), &["no command `nothing`", "audit"]);
}

#[test]
fn a_format_that_a_command_has_not_is_refused_before_any_work() {
    let folder = package(None);
    refused(&run(folder.path(), &["check", "--format", "svg"]), &["svg"]);
    refused(&run(folder.path(), &["graph", "--format", "html"]), &["html", "mermaid"]);
    let page = run(folder.path(), &["audit", "--format", "html"]).out;
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"));
    let again = run(folder.path(), &["audit", "--format", "html", "--threads", "1"]).out;
    assert_eq!(page, again, "the same bytes whatever the number of threads");
    for format in ["svg", "dot", "mermaid", "human"] {
        let one = run(folder.path(), &["graph", "--format", format]);
        assert_eq!(one.status, Some(0), "{format}: {}", one.err);
        assert_eq!(one.out, run(folder.path(), &["graph", "--format", format, "--threads", "1"]).out, "{format}");
    }
}
