//! A lint's page is its documentation, what `explain` prints, and this test: every "bad" example gives exactly the findings
//! marked in it, every "good" one none. Title and level agree with the registry.

mod support;

use std::path::Path;

use retrylint::lint;
use retrylint::model::load;
use support::compare::{Expect, compare};
use support::marks;
use support::runs::{self, Files};

struct Page {
    path: String,
    /// As the page says it: `Level: **error**`.
    level: String,
    title: String,
    examples: Vec<Example>,
    /// A `[dependencies]` table of the page, instead of the usual one.
    dependencies: Option<String>,
    /// `[[service]]` entries of the page: the retrylint.toml of its examples.
    settings: Option<String>,
}

struct Example {
    language: Language,
    bad: bool,
    line: usize,
    text: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    Rust,
    Yaml,
    Nginx,
}

impl Language {
    fn of(word: &str) -> Option<Language> {
        match word {
            "rust" => Some(Language::Rust),
            "yaml" => Some(Language::Yaml),
            "nginx" => Some(Language::Nginx),
            _ => None,
        }
    }

    /// The file as which an example is read.
    fn file(self) -> &'static str {
        match self {
            Language::Rust => "src/lib.rs",
            Language::Yaml => "envoy.yaml",
            Language::Nginx => "nginx.conf",
        }
    }
}

fn pages() -> Vec<Page> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/lints");
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> =
        entries.flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "md")).collect();
    paths.sort();
    let read = |p: &std::path::PathBuf| {
        let text = std::fs::read_to_string(p).expect("a page is text");
        parse(p.file_name().unwrap_or_default().to_string_lossy().into_owned(), &text)
    };
    paths.iter().map(read).collect()
}

fn parse(path: String, text: &str) -> Page {
    let (level, title) = (String::new(), String::new());
    let mut page = Page { path, level, title, examples: Vec::new(), dependencies: None, settings: None };
    let mut fence: Option<(String, usize, String)> = None;
    for (n, line) in text.lines().enumerate() {
        if let Some((info, from, body)) = &mut fence {
            if line.trim_end() == "```" {
                page.add(info, *from, body);
                fence = None;
            } else {
                body.push_str(line);
                body.push('\n');
            }
        } else if let Some(level) = line.strip_prefix("Level:").or(line.strip_prefix("level:")) {
            page.level = level.chars().filter(char::is_ascii_alphabetic).collect();
        } else if let Some(info) = line.strip_prefix("```") {
            fence = Some((info.trim().to_string(), n + 2, String::new()));
        } else if let Some(title) = line.strip_prefix("# ").filter(|_| page.title.is_empty()) {
            page.title = title.trim().to_string();
        }
    }
    page
}

impl Page {
    fn add(&mut self, info: &str, line: usize, body: &str) {
        let words: Vec<&str> = info.split([' ', ',']).filter(|w| !w.is_empty()).collect();
        match words.as_slice() {
            [first, rest @ ..] if rest.contains(&"bad") || rest.contains(&"good") => {
                let Some(language) = Language::of(first) else { return };
                let bad = rest.contains(&"bad");
                self.examples.push(Example { language, bad, line, text: body.to_string() });
            }
            ["toml", ..] if body.contains("[[service]]") => self.settings = Some(body.to_string()),
            ["toml", ..] if body.contains("[dependencies]") => self.dependencies = Some(body.to_string()),
            _ => {}
        }
    }

    fn manifest(&self) -> String {
        let usual = || {
            let mut crates: Vec<String> =
                load::built_in().expect("models").iter().map(|m| m.krate.to_string()).collect();
            crates.extend(["rand", "tokio", "reqwest", "thiserror", "anyhow", "tracing"].map(String::from));
            crates.retain(|c| c != "std" && !c.contains('*'));
            crates.sort();
            crates.dedup();
            let lines: Vec<String> = crates.iter().map(|c| format!("{c} = \"*\"")).collect();
            format!("[dependencies]\n{}\n", lines.join("\n"))
        };
        let dependencies = self.dependencies.clone().unwrap_or_else(usual);
        format!("[package]\nname = \"example\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n{dependencies}")
    }
}

fn wrong_in(page: &Page, code: &str, example: &Example) -> Result<Vec<String>, String> {
    let file = example.language.file();
    let (found, text) = marks::take(file, &example.text)?;
    let named = found.iter().any(|m| m.code() == Some(code));
    match (example.bad, found.iter().any(|m| m.code().is_some())) {
        (true, _) if !named => return Err(format!("a bad example without a mark of {code}")),
        (false, true) => return Err("a good example with a mark".to_string()),
        _ => {}
    }
    let mut files = Files::from([(file.to_string(), text)]);
    if example.language == Language::Rust {
        files.insert("Cargo.toml".to_string(), page.manifest());
    }
    files.extend(page.settings.iter().map(|text| ("retrylint.toml".to_string(), text.clone())));
    let expect = Expect { also: vec![code.to_string()], ..Expect::default() };
    Ok(compare(&expect, &found, &runs::in_process(&files)?))
}

/// Whether a format is read already.
fn is_read(language: Language) -> bool {
    let format = match language {
        Language::Rust => return true,
        Language::Yaml => "envoy",
        Language::Nginx => "nginx",
    };
    retrylint::frontend::CONFIGS.iter().any(|config| config.name() == format)
}

#[test]
fn examples_give_what_they_are_marked_with() {
    let mut report = Vec::new();
    for page in pages() {
        let code: String = page.path.chars().take(5).collect();
        for example in page.examples.iter().filter(|e| is_read(e.language)) {
            let wrong = wrong_in(&page, &code, example).unwrap_or_else(|e| vec![e]);
            report.extend(wrong.into_iter().map(|w| format!("{}:{}: {w}", page.path, example.line)));
        }
    }
    assert!(report.is_empty(), "\n{}", report.join("\n"));
}

#[test]
fn pages_and_registry_agree() {
    let pages = pages();
    let mut report = Vec::new();
    for lint in lint::ALL {
        let name = format!("{}-{}.md", lint.code, lint.name);
        let Some(page) = pages.iter().find(|p| p.path == name) else {
            report.push(format!("{} has no page {name}", lint.code));
            continue;
        };
        if !page.level.starts_with(lint.level.name()) {
            report.push(format!("{name}: level `{}`, the registry says {}", page.level, lint.level.name()));
        }
        if page.title != format!("{}: {}", lint.code, lint.name) {
            report.push(format!("{name}: its title is `{}`", page.title));
        }
        if lint.page.is_empty() {
            report.push(format!("{name} is not compiled in"));
        }
    }
    for page in &pages {
        if !lint::ALL.iter().any(|l| page.path == format!("{}-{}.md", l.code, l.name)) {
            report.push(format!("{} is the page of no lint", page.path));
        }
    }
    assert!(report.is_empty(), "\n{}", report.join("\n"));
}

/// Every lint about code is shown at work at least once, and once at rest.
#[test]
fn pages_have_examples() {
    for page in pages() {
        let code: String = page.path.chars().take(5).collect();
        if code.starts_with("RL9") {
            continue;
        }
        assert!(page.examples.iter().any(|e| e.bad), "{} has no bad example", page.path);
        assert!(page.examples.iter().any(|e| !e.bad), "{} has no good example", page.path);
    }
}
