//! Reviewdog's diagnostic format. Columns count bytes there.

use serde::Serialize;

use super::{View, sanitise};
use crate::lint::{Finding, Level};
use crate::source::Span;

#[derive(Serialize)]
struct Report<'a> {
    source: Source,
    diagnostics: Vec<Diagnostic<'a>>,
}

#[derive(Serialize)]
struct Source {
    name: &'static str,
}

#[derive(Serialize)]
struct Diagnostic<'a> {
    message: String,
    location: Location<'a>,
    severity: &'static str,
    code: Code<'a>,
    related_locations: Vec<Related<'a>>,
}

#[derive(Serialize)]
struct Related<'a> {
    message: String,
    location: Location<'a>,
}

#[derive(Serialize)]
struct Location<'a> {
    path: &'a str,
    range: Range,
}

#[derive(Serialize)]
struct Range {
    start: Position,
    end: Position,
}

#[derive(Serialize)]
struct Position {
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct Code<'a> {
    value: &'a str,
}

/// The findings that are not suppressed, ending in a line break.
pub fn render(view: &View<'_>) -> String {
    let shown = view.findings.iter().filter(|f| f.suppressed.is_none());
    let source = Source { name: env!("CARGO_PKG_NAME") };
    let report = Report { source, diagnostics: shown.map(|f| diagnostic(view, f)).collect() };
    let text = serde_json::to_string_pretty(&report).expect("plain data");
    sanitise::json(&format!("{text}\n")).into_owned()
}

fn diagnostic<'a>(view: &'a View<'_>, finding: &'a Finding) -> Diagnostic<'a> {
    let mut message = sanitise::line(&finding.message).into_owned();
    if !finding.help.is_empty() {
        message.push_str(&format!("\nhelp: {}", sanitise::line(&finding.help)));
    }
    let related = finding
        .related
        .iter()
        .map(|r| Related { message: sanitise::line(&r.message).into_owned(), location: location(view, r.at) });
    Diagnostic {
        message,
        location: location(view, finding.at),
        severity: match finding.level {
            Level::Error => "ERROR",
            Level::Warn => "WARNING",
            Level::Note | Level::Off => "INFO",
        },
        code: Code { value: finding.code },
        related_locations: related.collect(),
    }
}

fn location<'a>(view: &'a View<'_>, at: Span) -> Location<'a> {
    let range = Range { start: position(view, at.file, at.start), end: position(view, at.file, at.end) };
    Location { path: view.sources.path(at), range }
}

fn position(view: &View<'_>, file: crate::source::FileId, offset: u32) -> Position {
    let file = view.sources.get(file);
    let line = file.line_column(offset).line;
    let begins = file.line_starts().get(line as usize - 1).copied().unwrap_or_default();
    let offset = offset.min(u32::try_from(file.text.len()).unwrap_or(u32::MAX));
    Position { line, column: offset.saturating_sub(begins) + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests_data::shop;

    #[test]
    fn columns_count_bytes() {
        let mut shop = shop();
        shop.put("x\n𐐀 loop", 7, 11);
        let report: serde_json::Value = serde_json::from_str(&render(&shop.view())).expect("JSON");
        let start = &report["diagnostics"][0]["location"]["range"]["start"];
        assert_eq!((&start["line"], &start["column"]), (&2.into(), &6.into()));
    }
}
