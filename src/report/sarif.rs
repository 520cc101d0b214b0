//! SARIF 2.1.0, for code scanning. Rules carry their whole page; a finding's places are related locations and, in path
//! order, one code flow.

mod types;

use std::collections::BTreeSet;

use self::types::*;
use super::{View, sanitise, uri};
use crate::effect::Confidence;
use crate::lint::{self, Finding, Level, Lint};
use crate::source::{Sources, Span};

/// The published schema of the version that is written.
const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// What paths are relative to: the working directory, the root of a checkout in CI.
const ROOT: &str = "%SRCROOT%";
/// The name of our fingerprint, with the version of how it is computed.
const FINGERPRINT: &str = "retrylint/v1";

/// The whole log as text, ending in a line break.
pub fn render(view: &View<'_>) -> String {
    let text = serde_json::to_string_pretty(&log(view)).expect("plain data with keys of text");
    sanitise::json(&format!("{text}\n")).into_owned()
}

fn log<'a>(view: &'a View<'_>) -> Log<'a> {
    let codes: BTreeSet<&str> = view.findings.iter().map(|f| f.code).collect();
    let lints: Vec<&'static Lint> = lint::ALL.iter().copied().filter(|l| codes.contains(l.code)).collect();
    let results = view.findings.iter().map(|f| result(view.sources, &lints, f)).collect();
    let driver = Driver {
        name: env!("CARGO_PKG_NAME"),
        semantic_version: env!("CARGO_PKG_VERSION"),
        rules: lints.iter().map(|l| rule(l)).collect(),
    };
    let run = RunRow {
        tool: Tool { driver },
        invocations: [Invocation { execution_successful: true }],
        original_uri_base_ids: [(ROOT, Base { description: text("The folder that retrylint was started in.") })].into(),
        column_kind: "unicodeCodePoints",
        results,
    };
    Log { schema: SCHEMA, version: "2.1.0", runs: [run] }
}

fn rule(lint: &'static Lint) -> Rule {
    let (what, page) = (paragraph(lint.page, "What it means"), lint.page);
    Rule {
        id: lint.code,
        name: lint.name,
        short_description: text(lint.summary),
        full_description: text(&what),
        help: Help { text: page, markdown: page },
        default_configuration: Configuration { enabled: lint.level > Level::Off, level: level(lint.level) },
        properties: Tags { tags: ["retry", "reliability"] },
    }
}

/// The first paragraph below a heading of a lint's page, as one line.
fn paragraph(page: &str, heading: &str) -> String {
    let below = page.split_once(&format!("\n## {heading}\n")).map_or("", |(_, rest)| rest);
    below.trim_start().split("\n\n").next().unwrap_or_default().lines().collect::<Vec<_>>().join(" ")
}

fn result<'a>(sources: &'a Sources, lints: &[&'static Lint], finding: &'a Finding) -> ResultRow<'a> {
    let related = finding.related.iter().zip(1..);
    let related = related.map(|(r, id)| location(sources, r.at, Some(&r.message), Some(id))).collect();
    ResultRow {
        rule_id: finding.code,
        rule_index: lints.iter().position(|l| l.code == finding.code),
        level: level(finding.level),
        message: text(&words(finding)),
        locations: [primary(sources, finding)],
        related_locations: related,
        code_flows: flows(sources, finding),
        partial_fingerprints: [(FINGERPRINT, finding.fingerprint.as_str())].into(),
        suppressions: finding.suppressed.iter().map(|s| suppression(sources, s)).collect(),
        properties: Properties { confidence: finding.confidence.name(), precision: precision(finding.confidence) },
    }
}

/// What it is and what to do, since consumers show the message of a result and nothing else.
fn words(finding: &Finding) -> String {
    match finding.help.as_str() {
        "" => finding.message.clone(),
        help => format!("{}\nHelp: {help}", finding.message),
    }
}

/// Plain text in which nothing is a link: a name of the input could hold what SARIF reads as one.
fn text(words: &str) -> Message {
    let safe: Vec<_> = words.split('\n').map(sanitise::line).collect();
    let text = safe.join("\n");
    Message { text: if text.contains("](") { text.replace('[', "\\[").replace(']', "\\]") } else { text } }
}

fn primary<'a>(sources: &'a Sources, finding: &'a Finding) -> Location<'a> {
    let logical = (!finding.context.is_empty()).then(|| [Logical { fully_qualified_name: finding.context.as_str() }]);
    Location { logical_locations: logical, ..location(sources, finding.at, None, None) }
}

fn location<'a>(sources: &'a Sources, at: Span, message: Option<&str>, id: Option<u32>) -> Location<'a> {
    let (start, end) = (sources.start(at), sources.end(at));
    let region =
        Region { start_line: start.line, start_column: start.column, end_line: end.line, end_column: end.column };
    let artifact_location = Artifact { uri: uri::path(sources.path(at)), uri_base_id: ROOT };
    Location {
        id,
        physical_location: Physical { artifact_location, region },
        logical_locations: None,
        message: message.map(text),
    }
}

/// The path that the finding is about, from its primary place on.
fn flows<'a>(sources: &'a Sources, finding: &'a Finding) -> Vec<CodeFlow<'a>> {
    if finding.related.is_empty() {
        return Vec::new();
    }
    let first = location(sources, finding.at, Some(&finding.message), None);
    let rest = finding.related.iter().map(|r| location(sources, r.at, Some(&r.message), None));
    let steps = std::iter::once(first).chain(rest).map(|location| Step { location }).collect();
    vec![CodeFlow { thread_flows: [ThreadFlow { locations: steps }] }]
}

fn suppression<'a>(sources: &'a Sources, said: &'a lint::finding::Suppressed) -> Suppression<'a> {
    // In source is what stands as a comment; an entry of the settings stands outside.
    let settings = sources.path(said.at).ends_with(".toml");
    Suppression {
        kind: if settings { "external" } else { "inSource" },
        status: "accepted",
        justification: said.reason.as_deref(),
        location: location(sources, said.at, None, None),
    }
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warn => "warning",
        Level::Note | Level::Off => "note",
    }
}

/// The words that code scanning sorts by.
fn precision(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::High => "very-high",
        Confidence::Medium => "high",
        Confidence::Low => "low",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_input_are_no_links() {
        assert_eq!(text("GET [here](http://x)").text, "GET \\[here\\](http://x)");
        assert_eq!(text("Vec<[u8]>").text, "Vec<[u8]>");
        assert_eq!(text("a\u{202e}b").text, "a\\u{202e}b");
    }

    #[test]
    fn a_rule_says_what_it_means() {
        let lint = lint::by_name("RL301").expect("a lint");
        assert!(rule(lint).full_description.text.len() > 40);
    }
}
