//! The book under `docs/`: its generated pages are what `rules/` says, its contents list every page, and no link is dead.
//!
//! `UPDATE=1 cargo test --test book` writes the generated pages anew.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use retrylint::lint;
use retrylint::model::{Means, Model, Scalar, load};
use walkdir::WalkDir;

const MADE: &str = "<!-- Made of rules/ by `UPDATE=1 cargo test --test book`; a change here is lost. -->\n";

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

/// Relative path → text of every page that is generated.
fn generated() -> BTreeMap<String, String> {
    let mut pages = BTreeMap::new();
    let mut index = format!("# Lints\n\n{MADE}\n| code | name | level | |\n| --- | --- | --- | --- |\n");
    for lint in lint::ALL {
        let file = format!("{}-{}.md", lint.code, lint.name);
        let (code, name, level) = (lint.code, lint.name, lint.level.name());
        index.push_str(&format!("| [{code}]({file}) | {name} | {level} | {} |\n", lint.summary));
        pages.insert(format!("lints/{file}"), page(lint.page));
    }
    pages.insert("lints/README.md".into(), index);
    pages.insert("models.md".into(), models());
    pages
}

/// A lint's page without what only its test reads: the verdicts of examples, which become words.
fn page(text: &str) -> String {
    let mut out = String::new();
    for (n, line) in text.lines().enumerate() {
        let line = match line {
            "```rust bad" | "```rust good" => "```rust,ignore".to_string(),
            line => marks(line),
        };
        out.push_str(line.trim_end());
        out.push('\n');
        if n == 0 {
            out.push_str(&format!("\n{MADE}"));
        }
    }
    out
}

/// `//~ RL103` is read by the tests; a reader gets `// RL103`.
fn marks(line: &str) -> String {
    line.replace("//~ ", "// ").replace("#~ ", "# ")
}

fn models() -> String {
    let mut all = load::built_in().expect("the models load");
    all.sort_by(|a, b| (&a.krate, &a.versions).cmp(&(&b.krate, &b.versions)));
    let mut out = format!("# Libraries\n\n{MADE}\n");
    out.push_str("What is known of each library, and the line of its own source that proves each default. Counts are said as what they\nmean: 3 retries are 4 attempts.\n");
    all.iter().for_each(|model| out.push_str(&table(model)));
    out
}

fn table(model: &Model) -> String {
    let mut out = format!("\n## {} {}\n\n{}\n", model.krate, cell(&model.versions), model.about);
    if !model.describes_calls() {
        out.push_str("\nIts calls are not followed.\n");
    }
    let mut rows = String::new();
    for (path, kind) in &model.types {
        for (name, field) in &kind.fields {
            let value = match &field.default {
                None => continue,
                Some(Scalar::Bool(b)) => b.to_string(),
                Some(Scalar::Int(n)) => n.to_string(),
                Some(Scalar::Float(x)) => x.to_string(),
                Some(Scalar::Text(t)) => t.to_string(),
            };
            let means = match field.means {
                Some(Means::Attempts) => " attempts",
                Some(Means::Retries) => " retries",
                None => "",
            };
            let source = field.source.as_deref().unwrap_or_default();
            rows.push_str(&format!("| `{path}` | {name} | {}{means} | {} |\n", cell(&value), cell(source)));
        }
    }
    if !rows.is_empty() {
        out.push_str(&format!("\n| type | default of | is | source |\n| --- | --- | --- | --- |\n{rows}"));
    }
    out
}

/// Text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;").replace('*', "\\*")
}

#[test]
fn generated_pages_are_what_the_rules_say() {
    let pages = generated();
    let update = std::env::var_os("UPDATE").is_some();
    let mut stale = Vec::new();
    for (path, text) in &pages {
        let file = docs().join(path);
        if update {
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            std::fs::write(&file, text).expect("a page");
        } else if std::fs::read_to_string(&file).ok().as_deref() != Some(text) {
            stale.push(path.as_str());
        }
    }
    assert!(stale.is_empty(), "`UPDATE=1 cargo test --test book` writes {stale:?}");
    let known = |path: &Path| pages.contains_key(&format!("lints/{}", path.file_name().unwrap_or_default().display()));
    let left: Vec<PathBuf> = pages_below(&docs().join("lints")).into_iter().filter(|p| !known(p)).collect();
    assert!(left.is_empty(), "pages of lints that are gone: {left:?}");
}

fn pages_below(folder: &Path) -> Vec<PathBuf> {
    let walk = WalkDir::new(folder).sort_by_file_name().into_iter().flatten();
    walk.map(|e| e.into_path()).filter(|p| p.extension().is_some_and(|e| e == "md")).collect()
}

#[test]
fn the_contents_list_every_page() {
    let summary = read(&docs().join("SUMMARY.md"));
    let listed: BTreeSet<PathBuf> = links(&summary).into_iter().map(|l| docs().join(l)).collect();
    let mut pages: BTreeSet<PathBuf> = pages_below(&docs()).into_iter().collect();
    pages.remove(&docs().join("SUMMARY.md"));
    let missing: Vec<_> = pages.difference(&listed).collect();
    let gone: Vec<_> = listed.difference(&pages).collect();
    assert!(missing.is_empty() && gone.is_empty(), "SUMMARY.md leaves out {missing:?} and lists {gone:?}");
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Text outside of code.
fn prose(text: &str) -> String {
    let mut out = String::new();
    let mut code = false;
    for line in text.lines() {
        code ^= line.trim_start().starts_with("```");
        let parts = line.split('`').step_by(2);
        out.push_str(&if code { String::new() } else { parts.collect::<Vec<_>>().join("`") });
        out.push('\n');
    }
    out
}

/// Where links lead, those to other sites left out.
fn links(text: &str) -> Vec<String> {
    let text = prose(text);
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
    targets.filter(|t| !t.contains("://") && !t.starts_with("mailto:")).map(str::to_string).collect()
}

/// The anchors of a page's headings, as the book and code hosts make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for head in prose_with_code(text).iter().filter_map(|l| l.strip_prefix('#')) {
        let head = head.trim_start_matches('#').trim().to_lowercase();
        let kept = head.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        out.insert(kept.map(|c| if c == ' ' { '-' } else { c }).collect());
    }
    out
}

/// Lines outside of blocks of code.
fn prose_with_code(text: &str) -> Vec<&str> {
    let mut code = false;
    let outside = |line: &&str| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    };
    text.lines().filter(outside).collect()
}

#[test]
fn no_link_is_dead() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = pages_below(&docs());
    pages.extend(["README.md", "ARCHITECTURE.md", "CHANGELOG.md"].map(|name| root.join(name)));
    let mut dead = Vec::new();
    let mut seen = 0;
    for page in &pages {
        for link in links(&read(page)) {
            seen += 1;
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if path.is_empty() { page.clone() } else { page.with_file_name("").join(path) };
            let inside = target.components().all(|c| !matches!(c, Component::ParentDir)) || target.starts_with(root);
            let found = target.is_file() && (anchor.is_empty() || anchors(&read(&target)).contains(anchor));
            if !inside || !found {
                dead.push(format!("{}: {link}", page.strip_prefix(root).unwrap_or(page).display()));
            }
        }
    }
    assert!(seen > 40, "only {seen} links were found");
    assert!(dead.is_empty(), "\n{}", dead.join("\n"));
}
