//! GitLab's Code Quality report: a list of issues, the fields that its merge requests read.

use serde::Serialize;

use super::{View, sanitise};
use crate::lint::{Finding, Level};

#[derive(Serialize)]
struct Issue<'a> {
    description: String,
    check_name: &'a str,
    fingerprint: &'a str,
    severity: &'static str,
    location: Location<'a>,
}

#[derive(Serialize)]
struct Location<'a> {
    path: &'a str,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
    end: u32,
}

/// The findings that are not suppressed, ending in a line break.
pub fn render(view: &View<'_>) -> String {
    let issues: Vec<Issue> = view.findings.iter().filter(|f| f.suppressed.is_none()).map(|f| issue(view, f)).collect();
    let text = serde_json::to_string_pretty(&issues).expect("plain data");
    sanitise::json(&format!("{text}\n")).into_owned()
}

fn issue<'a>(view: &'a View<'_>, finding: &'a Finding) -> Issue<'a> {
    Issue {
        description: format!("{}: {}", finding.name, sanitise::line(&finding.message)),
        check_name: finding.code,
        fingerprint: &finding.fingerprint,
        severity: match finding.level {
            Level::Error => "major",
            Level::Warn => "minor",
            Level::Note | Level::Off => "info",
        },
        location: Location {
            path: view.sources.path(finding.at),
            lines: Lines { begin: view.sources.start(finding.at).line, end: view.sources.end(finding.at).line },
        },
    }
}
