//! What other programs read: the action, the hooks of pre-commit, the package. Scripts of the action run against stand-ins.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use serde_yaml::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn text(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn yaml(path: &str) -> Value {
    serde_yaml::from_str(&text(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

fn steps(action: &Value) -> Vec<&Value> {
    action["runs"]["steps"].as_sequence().into_iter().flatten().collect()
}

#[test]
fn no_text_of_an_event_stands_in_a_script() {
    let action = yaml("action.yml");
    let steps = steps(&action);
    assert!(steps.len() > 3, "the action has its steps");
    let scripts: Vec<&str> = steps.iter().filter_map(|s| s["run"].as_str()).collect();
    assert!(scripts.len() > 2);
    assert!(scripts.iter().all(|script| !script.contains("${{")), "{scripts:?}");
    for step in &steps {
        assert!(step["run"].is_string() == step["shell"].is_string(), "a script names its shell: {step:?}");
    }
}

#[test]
fn every_variable_that_a_script_reads_is_given() {
    let action = yaml("action.yml");
    for step in steps(&action) {
        let Some(script) = step["run"].as_str().and_then(|run| run.split_once("action/")).map(|(_, rest)| rest) else {
            continue;
        };
        let script = format!("action/{}", script.trim_end_matches('"'));
        let code = text(&script) + &text("action/arguments.sh");
        let given: Vec<&str> = step["env"].as_mapping().into_iter().flatten().filter_map(|(k, _)| k.as_str()).collect();
        let mut read: Vec<String> = code
            .match_indices("RETRYLINT_")
            .map(|(at, _)| code[at..].chars().take_while(|c| c.is_ascii_uppercase() || *c == '_').collect())
            .collect();
        read.sort();
        read.dedup();
        for variable in read {
            assert!(given.contains(&variable.as_str()), "{script} reads {variable}, which its step does not give");
        }
    }
}

/// A folder with programs that write down how they were called and say what they are told to.
struct Stage {
    folder: tempfile::TempDir,
}

impl Stage {
    fn new(programs: &[(&str, &str)]) -> Stage {
        let stage = Stage { folder: tempfile::tempdir().expect("a folder") };
        let bin = stage.folder.path().join("retrylint/bin");
        std::fs::create_dir_all(&bin).expect("a folder");
        for (name, body) in programs {
            let program = bin.join(name);
            let log =
                format!("printf '%s' {name} >> \"$RUNNER_TEMP/log\"; printf ' <%s>' \"$@\" >> \"$RUNNER_TEMP/log\"");
            let code = format!("#!/bin/sh\n{log}; echo >> \"$RUNNER_TEMP/log\"\n{body}\n");
            std::fs::write(&program, code).expect("a program");
            std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).expect("it can be run");
        }
        stage
    }

    fn play(&self, script: &str, variables: &[(&str, &str)]) -> (bool, String) {
        let temp = self.folder.path();
        let mut all: BTreeMap<&str, &str> = variables.iter().copied().collect();
        let temp_text = temp.display().to_string();
        let output = temp.join("output").display().to_string();
        all.extend([("RUNNER_TEMP", temp_text.as_str()), ("GITHUB_OUTPUT", output.as_str())]);
        all.insert("GITHUB_REPOSITORY", "shop/orders");
        let done = Command::new("bash").arg(root().join(script)).envs(&all).current_dir(temp).output().expect("bash");
        let log = std::fs::read_to_string(temp.join("log")).unwrap_or_default().replace(&temp_text, "TEMP");
        (done.status.success(), log)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }
}

#[test]
fn the_check_hands_on_paths_as_they_are() {
    let stage = Stage::new(&[("retrylint", "exit 1")]);
    let hostile = "a b\n--fix\n$(touch pwned)\n";
    let (good, log) = stage.play("action/check.sh", &[("RETRYLINT_PATHS", hostile), ("RETRYLINT_FAIL_ON", "warn")]);
    assert!(good, "findings do not end the step");
    assert_eq!(
        log,
        "retrylint <check> <--color=never> <--fail-on=warn> <--output=sarif=TEMP/retrylint.sarif> <--> <a b> <--fix> \
         <$(touch pwned)>\n"
    );
    assert!(stage.read("output").contains("status=1\n"));
    assert!(!stage.folder.path().join("pwned").exists());
}

#[test]
fn a_first_comment_is_posted_and_a_known_one_written_over() {
    let variables = [("RETRYLINT_BASE", "0123abc"), ("RETRYLINT_REQUEST", "7"), ("GH_TOKEN", "t")];
    for (known, wanted) in [
        ("", "<POST> <repos/shop/orders/issues/7/comments>"),
        ("echo 99", "<PATCH> <repos/shop/orders/issues/comments/99>"),
    ] {
        let gh = format!("case \"$*\" in *--paginate*) {};; esac", if known.is_empty() { ":" } else { known });
        let stage = Stage::new(&[("retrylint", "echo 9 to 27"), ("git", ""), ("gh", gh.as_str())]);
        let (good, log) = stage.play("action/comment.sh", &variables);
        assert!(good, "{log}");
        assert!(log.contains(wanted), "{log}");
        assert!(
            log.contains("<compare> <--color=never> <--fail-on=never> <--git=0123abc> <--format=markdown> <-->"),
            "{log}"
        );
        assert_eq!(stage.read("retrylint.md"), "<!-- retrylint -->\n9 to 27\n");
    }
}

#[test]
fn a_comparison_that_fails_is_no_comment() {
    let stage = Stage::new(&[("retrylint", "exit 2"), ("git", ""), ("gh", "")]);
    let (good, log) = stage.play("action/comment.sh", &[("RETRYLINT_BASE", "0"), ("RETRYLINT_REQUEST", "7")]);
    assert!(good && !log.contains("gh "), "{log}");
}

#[test]
fn pre_commit_finds_its_hook() {
    let hooks = yaml(".pre-commit-hooks.yaml");
    let hook = &hooks[0];
    for key in ["id", "name", "entry", "language"] {
        assert!(hook[key].is_string(), "{key}");
    }
    assert_eq!(hook["entry"].as_str(), Some("retrylint check"));
    assert_eq!(hook["pass_filenames"].as_bool(), Some(false));
}

#[test]
fn the_package_and_the_image_hold_what_the_build_reads() {
    let manifest: toml::Table = text("Cargo.toml").parse().expect("TOML");
    let include: Vec<&str> =
        manifest["package"]["include"].as_array().into_iter().flatten().filter_map(|v| v.as_str()).collect();
    for needed in ["/src/**", "/rules/**", "/README.md", "/LICENSE-MIT", "/LICENSE-APACHE"] {
        assert!(include.contains(&needed), "the package leaves {needed} out");
    }
    let binstall = &manifest["package"]["metadata"]["binstall"];
    assert!(binstall["pkg-url"].as_str().is_some_and(|url| url.contains("{ target }")));
    let image = text("Dockerfile");
    for folder in ["COPY src src", "COPY rules rules", "COPY Cargo.toml Cargo.lock"] {
        assert!(image.contains(folder), "{folder}");
    }
}
