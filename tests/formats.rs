//! Every format of `check` has one rendering here, and each is held against its published schema or read back.
//!
//! `RETRYLINT_BLESS=1 cargo test --test formats` writes the renderings anew.

use std::path::{Path, PathBuf};
use std::process::Command;

use rayon::prelude::*;
use serde_json::{Value, json};

/// Four services, a client that retries, a gateway: findings with paths over files.
const SHOP: &str = "fixtures/systems/shop";
/// Findings that somebody accepted.
const SAID: &str = "fixtures/cases/said-in-comments";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn check(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_retrylint"));
    command.arg("check").args(arguments).current_dir(folder);
    let output = command.output().expect("the binary runs");
    assert!(output.status.code().is_some_and(|c| c < 2), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8")
}

fn report(fixture: &str, format: &str) -> String {
    check(&root().join(fixture), &["--format", format])
}

fn golden(name: &str, text: &str) {
    let file = root().join("tests/golden").join(name);
    if std::env::var_os("RETRYLINT_BLESS").is_some() {
        std::fs::create_dir_all(file.parent().expect("a parent")).expect("a folder");
        std::fs::write(&file, text).expect("written");
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(text == expected, "{name} is rendered otherwise; RETRYLINT_BLESS=1 shows it in the diff:\n{text}");
}

fn schema(path: &str) -> Value {
    let text = std::fs::read_to_string(root().join(path)).expect("a schema");
    serde_json::from_str(&text).expect("JSON")
}

fn validator(schema: &Value) -> jsonschema::Validator {
    jsonschema::validator_for(schema).expect("a schema")
}

fn valid(validator: &jsonschema::Validator, report: &Value) {
    let errors: Vec<String> =
        validator.iter_errors(report).map(|e| format!("{}: {e}", e.instance_path())).take(5).collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

/// Every folder of these fixtures is a tree of its own.
fn folders() -> Vec<PathBuf> {
    let groups =
        ["systems", "mesh", "cases", "envoy", "broken/nginx", "silent"].map(|g| root().join("fixtures").join(g));
    let all = groups.iter().flat_map(|g| std::fs::read_dir(g).expect("a folder")).flatten();
    let mut folders: Vec<PathBuf> = all.map(|e| e.path()).filter(|p| p.is_dir()).collect();
    folders.sort();
    assert!(folders.len() > 80, "the fixtures are there");
    folders
}

/// The pages of lints change on their own and are tested on their own.
fn without_pages(mut log: Value) -> Value {
    for rule in log["runs"][0]["tool"]["driver"]["rules"].as_array_mut().expect("rules") {
        assert!(rule["help"]["text"].as_str().is_some_and(|t| t.contains("## How to fix it")));
        rule["help"] = json!({"text": "the page", "markdown": "the page"});
    }
    log
}

/// The published schema lets fields be added; here each must be in it.
fn strict(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            if object.contains_key("properties") {
                object.insert("additionalProperties".into(), json!(false));
            }
            object.values_mut().for_each(strict);
        }
        Value::Array(items) => items.iter_mut().for_each(strict),
        _ => {}
    }
}

/// One run for each folder writes every format; each is held against what is published of it.
#[test]
fn every_format_is_valid_everywhere() {
    let mut own = schema("docs/retrylint.schema.json");
    strict(&mut own);
    let own = validator(&own);
    let sarif = validator(&schema("tests/schemas/sarif-2.1.0.json"));
    let rdjson = validator(&schema("tests/schemas/rdjson.json"));
    folders().par_iter().for_each(|folder| {
        let to = tempfile::tempdir().expect("a folder");
        let file = |format: &str| to.path().join(format);
        let outputs =
            ["json", "sarif", "rdjson", "gitlab", "junit"].map(|f| format!("--output={f}={}", file(f).display()));
        let mut arguments = vec!["--pedantic"];
        arguments.extend(outputs.iter().map(String::as_str));
        check(folder, &arguments);
        let read = |format: &str| std::fs::read_to_string(file(format)).expect("written");
        let json = |format: &str| serde_json::from_str::<Value>(&read(format)).expect("JSON");
        valid(&own, &json("json"));
        valid(&sarif, &json("sarif"));
        valid(&rdjson, &json("rdjson"));
        gitlab(&json("gitlab"));
        junit(&read("junit"));
    });
    let mut report: Value = serde_json::from_str(&report(SHOP, "json")).expect("JSON");
    report["stats"]["more"] = json!(1);
    assert!(!own.is_valid(&report), "a field that is not published is refused");
}

/// What its merge requests read.
fn gitlab(issues: &Value) {
    let mut seen = std::collections::HashSet::new();
    for issue in issues.as_array().expect("a list") {
        let text = |key: &str| issue[key].as_str().expect(key).to_string();
        assert!(!text("description").is_empty() && !text("check_name").is_empty());
        assert!(seen.insert(text("fingerprint")), "each has its own fingerprint");
        assert!(["info", "minor", "major", "critical", "blocker"].contains(&text("severity").as_str()));
        let path = issue["location"]["path"].as_str().expect("a path");
        assert!(!path.starts_with("./") && !path.starts_with('/'), "{path}");
        assert!(issue["location"]["lines"]["begin"].as_u64().is_some_and(|l| l > 0));
    }
}

/// It counts what it holds.
fn junit(text: &str) {
    let document = roxmltree::Document::parse(text).expect("XML");
    let count = |name: &str| document.descendants().filter(|n| n.has_tag_name(name)).count().to_string();
    let suite = document.descendants().find(|n| n.has_tag_name("testsuite")).expect("a suite");
    for (attribute, element) in [("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped")] {
        assert_eq!(suite.attribute(attribute), Some(count(element).as_str()), "{attribute}: {text}");
    }
}

#[test]
fn sarif_of_the_shop() {
    let log: Value = serde_json::from_str(&report(SHOP, "sarif")).expect("JSON");
    golden("shop.sarif", &format!("{:#}\n", without_pages(log)));
}

#[test]
fn sarif_of_what_is_accepted() {
    let log: Value = serde_json::from_str(&report(SAID, "sarif")).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    let accepted: Vec<&Value> = results.iter().filter(|r| r["suppressions"] != json!([])).collect();
    assert_eq!(accepted.len(), 1);
    let said = &accepted[0]["suppressions"][0];
    assert_eq!((&said["kind"], &said["status"]), (&json!("inSource"), &json!("accepted")));
    assert!(said["justification"].as_str().is_some_and(|j| !j.is_empty()), "{said}");
}

#[test]
fn the_other_formats_of_the_shop() {
    golden("shop.rdjson", &report(SHOP, "rdjson"));
    golden("shop.gitlab.json", &report(SHOP, "gitlab"));
    golden("shop.junit.xml", &report(SHOP, "junit"));
    assert!(report(SAID, "junit").contains("<skipped message="));
}

#[test]
fn github_and_markdown_of_the_shop() {
    golden("shop.github.txt", &report(SHOP, "github"));
    golden("shop.md", &report(SHOP, "markdown"));
}

/// A file to each consumer and words to the terminal, in one run.
#[test]
fn several_reports_in_one_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let to = |name: &str| folder.path().join(name).display().to_string();
    let (sarif, junit) = (format!("sarif={}", to("a.sarif")), format!("junit={}", to("a.xml")));
    let said = check(&root().join(SHOP), &["--output", &sarif, "--output", &junit]);
    assert!(said.contains("RL301") && said.contains("1 error"), "{said}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("written");
    assert_eq!(read("a.sarif"), report(SHOP, "sarif"));
    assert_eq!(read("a.xml"), report(SHOP, "junit"));
}
