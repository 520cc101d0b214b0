//! Levels, acceptance and fingerprints over made-up lints.

use super::*;
use crate::analysis::Analysis;
use crate::lint::Lint;
use crate::lint::Related;
use crate::name::Name;
use crate::source::{FileId, SourceFile, Span};

const TEXT: &str =
    "fn a() {\n    // retrylint: allow(one) -- fine\n    x();\n    // retrylint: allow(RL101)\n    y();\n}\n";

fn finding(code: &'static str, needle: &str, related: Option<&str>) -> Finding {
    let at = |needle: &str| {
        let start = TEXT.find(needle).expect("the text has it") as u32;
        Span::new(FileId(0), start, start + 1)
    };
    Finding {
        code,
        name: "",
        level: Level::Error,
        confidence: Confidence::Medium,
        message: format!("about {needle}"),
        at: at(needle),
        related: related.map(|r| Related { at: at(r), message: String::new() }).into_iter().collect(),
        help: String::new(),
        context: Name::new("a"),
        dependency: None,
        suppressed: None,
        fingerprint: String::new(),
    }
}

type Check = fn(&Context<'_>) -> Vec<Finding>;

fn lint(code: &'static str, name: &'static str, level: Level, check: Check) -> &'static Lint {
    Box::leak(Box::new(Lint { code, name, summary: "", level, page: "", check }))
}

fn registry() -> Vec<&'static Lint> {
    vec![
        lint("RL101", "one", Level::Error, |_| vec![finding("RL101", "y()", None), finding("RL101", "x()", None)]),
        lint("RL102", "two", Level::Off, |_| vec![finding("RL102", "fn a", Some("x()"))]),
        lint("RL103", "three", Level::Warn, |_| {
            vec![Finding { confidence: Confidence::Low, ..finding("RL103", "fn a", None) }]
        }),
        lint("RL902", "unused-suppression", Level::Warn, |_| Vec::new()),
    ]
}

fn run_on(text: &str, config: &str, options: &Options) -> Vec<Finding> {
    let files = vec![SourceFile::new("a.rs", text), SourceFile::new("retrylint.toml", config)];
    let sources = Sources::new(files);
    let settings = crate::settings::parse("retrylint.toml", config).expect("good settings");
    let comments = crate::suppress::comments(FileId(0), text);
    let mut facts = Facts { comments, ..Facts::default() };
    facts.places.push(crate::fact::Place {
        name: Name::new("a"),
        at: Span::default(),
        params: Vec::new(),
        body: crate::effect::Effect::Nothing,
        package: Name::new("p"),
        service: Name::new("p"),
        takes_request: false,
    });
    let analysis = Analysis::default();
    let context = Context { sources: &sources, facts: &facts, analysis: &analysis, settings: &settings };
    let registry = registry();
    findings(&context, options, &level::Levels::new(&registry, context.settings, options)).0
}

fn codes(findings: &[Finding]) -> Vec<(&str, Level, bool)> {
    findings.iter().map(|f| (f.code, f.level, f.suppressed.is_some())).collect()
}

#[test]
fn sorted_accepted_and_complained_about() {
    let found = run_on(TEXT, "", &Options::default());
    let expected = [("RL101", Level::Error, true), ("RL902", Level::Warn, false), ("RL101", Level::Error, true)];
    assert_eq!(codes(&found), expected);
}

#[test]
fn an_idle_comment_and_an_unknown_name() {
    let text = TEXT.replace("allow(one)", "allow(thre)").replace("allow(RL101)", "allow(RL103)");
    let found = run_on(&text, "", &Options { min_confidence: Confidence::Low, ..Options::default() });
    let messages: Vec<&str> = found.iter().filter(|f| f.code == "RL902").map(|f| f.message.as_str()).collect();
    assert_eq!(messages.len(), 2, "{messages:?}");
    assert!(messages[0].contains("allow(thre)"), "{messages:?}");
    assert!(messages[1].contains("allow(RL103)"), "{messages:?}");
    let quiet = run_on(&text, "[lints]\nthree = \"off\"\n", &Options::default());
    assert_eq!(quiet.iter().filter(|f| f.code == "RL902").count(), 1, "a lint that did not run is left alone");
}

#[test]
fn levels() {
    let pedantic = Options { pedantic: true, min_confidence: Confidence::Low, ..Options::default() };
    let found = run_on("fn a() { x(); y(); }", "", &pedantic);
    assert!(codes(&found).contains(&("RL102", Level::Note, false)));
    assert!(codes(&found).contains(&("RL103", Level::Warn, false)));
    let select = Options { select: vec![("two".into(), None)], ..Options::default() };
    assert_eq!(codes(&run_on("fn a() { x(); y(); }", "", &select)), [("RL102", Level::Warn, false)]);
    let configured = run_on("fn a() { x(); y(); }", "[lints]\ntwo = \"error\"\nRL101 = \"off\"\n", &Options::default());
    assert_eq!(codes(&configured), [("RL102", Level::Error, false)]);
    let ignore = Options { ignore: vec!["RL101".into()], ..Options::default() };
    assert!(codes(&run_on("fn a() { x(); y(); }", "", &ignore)).is_empty());
}

#[test]
fn entries_of_the_config() {
    let config = "[[allow]]\ncode = \"one\"\npath = \"*.rs\"\nreason = \"old\"\n[[allow]]\ncode = \"one\"\npath = \"b.rs\"\nreason = \"x\"\n";
    let found = run_on("fn a() { x(); y(); }", config, &Options::default());
    let expected = [("RL101", Level::Error, true), ("RL101", Level::Error, true), ("RL902", Level::Warn, false)];
    assert_eq!(codes(&found), expected);
    assert_eq!(found[2].at.start as usize, config.rfind("[[allow]]").expect("it is there"));
}

#[test]
fn fingerprints_know_no_lines() {
    let one = run_on("fn a() { x(); y(); }", "", &Options::default());
    let other = run_on("\n\nfn a() {  x(); y(); }", "", &Options::default());
    let prints = |f: &[Finding]| f.iter().map(|f| f.fingerprint.clone()).collect::<Vec<_>>();
    assert_eq!(prints(&one), prints(&other));
    assert_ne!(one[0].fingerprint, one[1].fingerprint);
}

#[test]
fn a_layer_of_the_path_accepts_too() {
    let options = Options { select: vec![("two".into(), None)], ..Options::default() };
    let text = TEXT.replace("allow(one)", "allow(two)");
    assert_eq!(codes(&run_on(&text, "", &options)), [("RL102", Level::Warn, true)]);
}
