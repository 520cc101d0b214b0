//! `check`: every finding with its excerpts, and one line that counts them.

use std::fmt;

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, Severity, SourceCode};
use miette::{ThemeCharacters, ThemeStyles};

use super::Style;
use super::excerpt::{Sheet, Sheets};
use crate::effect::Confidence;
use crate::lint::{Finding, Level};
use crate::report::{View, sanitise, words};
use crate::source::Span;

/// Further places than these are counted, not shown.
const MOST_RELATED: usize = 12;

/// What was looked for where nothing was found.
const NOTHING: &str = "nothing to check here: found no Rust package and no configuration of Envoy, nginx, HAProxy, gRPC, Istio, \
    Linkerd, the Gateway API, Contour, Emissary, docker-compose or Kubernetes (not looked at: what .gitignore leaves out, and \
    folders of tests, fixtures and examples unless they are named)\n";

/// All findings that are not suppressed. `quiet` leaves out the summary where there is nothing to say.
pub fn check(view: &View<'_>, style: Style, quiet: bool) -> String {
    let shown: Vec<&Finding> = view.findings.iter().filter(|f| f.suppressed.is_none()).collect();
    let places = shown.iter().flat_map(|f| std::iter::once(f.at).chain(f.related.iter().map(|r| r.at)));
    let sheets = Sheets::new(view.sources, style, places);
    let handler = handler(style);
    let mut out = String::new();
    for finding in &shown {
        for report in reports(view, &sheets, finding) {
            if handler.render_report(&mut out, &report).is_err() {
                // An excerpt that cannot be drawn must not hide the finding.
                out.push_str(&format!("{}: {}\n", report.code, report.message));
            }
        }
        out.push('\n');
    }
    if !quiet || !shown.is_empty() {
        out.push_str(&summary(view, style, &shown));
    }
    out
}

fn handler(style: Style) -> GraphicalReportHandler {
    let characters = if style.unicode { ThemeCharacters::unicode() } else { ThemeCharacters::ascii() };
    let styles = if style.color { ThemeStyles::ansi() } else { ThemeStyles::none() };
    GraphicalReportHandler::new_themed(GraphicalTheme { characters, styles })
        .with_width(style.width)
        .with_links(false)
        .with_cause_chain()
}

/// The finding with its places in the same file, then one report for each place in another file; the help stands last.
fn reports<'a>(view: &View<'_>, sheets: &'a Sheets<'_>, finding: &Finding) -> Vec<Shown<'a>> {
    let (start, length) = sheets.label(finding.at);
    let mut labels = vec![LabeledSpan::new_primary_with_span(None, (start, length))];
    let mut elsewhere = Vec::new();
    for related in finding.related.iter().take(MOST_RELATED) {
        let message = sanitise::line(&related.message).into_owned();
        if related.at.file == finding.at.file {
            let (start, length) = sheets.label(related.at);
            labels.push(LabeledSpan::new(Some(message), start, length));
        } else {
            elsewhere.push(further(view, sheets, related.at, message));
        }
    }
    let source = sheets.sheet(finding.at);
    let message = sanitise::line(&finding.message).into_owned();
    let mut all = vec![Shown {
        code: code(finding),
        severity: severity(finding.level),
        message: with_place(view, finding.at, message, source.is_some()),
        help: None,
        source,
        labels,
    }];
    all.append(&mut elsewhere);
    if let Some(last) = all.last_mut() {
        last.help = help(finding);
    }
    all
}

fn further<'a>(view: &View<'_>, sheets: &'a Sheets<'_>, at: Span, message: String) -> Shown<'a> {
    let (start, length) = sheets.label(at);
    let source = sheets.sheet(at);
    Shown {
        code: String::new(),
        severity: Severity::Advice,
        message: with_place(view, at, message, source.is_some()),
        help: None,
        source,
        labels: vec![LabeledSpan::new_primary_with_span(None, (start, length))],
    }
}

fn code(finding: &Finding) -> String {
    let unsure = if finding.confidence == Confidence::Low { " (low confidence)" } else { "" };
    format!("{} {} {}{unsure}", finding.level.name(), finding.code, finding.name)
}

/// Where an excerpt shows the place, the message need not.
fn with_place(view: &View<'_>, at: Span, message: String, shown: bool) -> String {
    if shown { message } else { format!("{message} ({})", place(view, at)) }
}

fn place(view: &View<'_>, at: Span) -> String {
    let start = view.sources.start(at);
    format!("{}:{}:{}", sanitise::line(view.sources.path(at)), start.line, start.column)
}

fn help(finding: &Finding) -> Option<String> {
    let more = finding.related.len().saturating_sub(MOST_RELATED);
    let mut help = sanitise::line(&finding.help).into_owned();
    if more > 0 {
        help.push_str(&format!(" ({} not shown)", words::count(more, "further place")));
    }
    (!help.is_empty()).then_some(help)
}

fn severity(level: Level) -> Severity {
    match level {
        Level::Error => Severity::Error,
        Level::Warn => Severity::Warning,
        Level::Note | Level::Off => Severity::Advice,
    }
}

fn summary(view: &View<'_>, style: Style, shown: &[&Finding]) -> String {
    let stats = view.facts.stats;
    if stats.files == 0 && view.facts.places.is_empty() && view.findings.is_empty() {
        return NOTHING.to_string();
    }
    let of = |level: Level| shown.iter().filter(|f| f.level == level).count();
    let counts = [(Level::Error, "error"), (Level::Warn, "warning"), (Level::Note, "note")];
    let parts = counts.map(|(level, word)| (of(level), word)).into_iter().filter(|(n, _)| *n > 0);
    let mut said = parts.map(|(n, word)| words::count(n, word)).collect::<Vec<_>>().join(", ");
    if said.is_empty() {
        said = "no findings".to_string();
    }
    let suppressed = view.findings.len() - shown.len();
    if suppressed > 0 {
        said.push_str(&format!(", {suppressed} suppressed"));
    }
    said.push_str(&view.left_out.words());
    let files = words::count(usize::try_from(stats.files).unwrap_or(usize::MAX), "file");
    format!("{} in {files} ({})\n", style.bold(&said), words::duration(view.ms))
}

/// A finding, or a further place of one, as miette draws it.
#[derive(Debug)]
struct Shown<'a> {
    code: String,
    severity: Severity,
    message: String,
    help: Option<String>,
    source: Option<Sheet<'a>>,
    labels: Vec<LabeledSpan>,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Shown<'_> {}

impl Diagnostic for Shown<'_> {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        (!self.code.is_empty()).then(|| Box::new(&self.code) as Box<dyn fmt::Display>)
    }

    fn severity(&self) -> Option<Severity> {
        Some(self.severity)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|h| Box::new(h) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|s| s as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.source.as_ref()?;
        Some(Box::new(self.labels.iter().cloned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests_data::shop;

    #[test]
    fn findings_with_excerpts() {
        let shop = shop();
        let out = check(&shop.view(), Style::PLAIN, false);
        for part in [
            "error RL301 retry-amplification",
            "a.rs:2:5",
            "for attempt in 0..3",
            "3 attempts",
            "fn b()",
            "help: keep one",
        ] {
            assert!(out.contains(part), "{part} is missing in:\n{out}");
        }
        assert!(out.ends_with("1 error in 2 files (7 ms)\n"), "{out}");
        assert!(out.is_ascii(), "{out}");
    }

    #[test]
    fn terminal_codes_of_the_input_stay_out() {
        let mut shop = shop();
        shop.rename("a.rs", "a\u{1b}[2J.rs");
        let out = check(&shop.view(), Style::PLAIN, false);
        assert!(!out.contains('\u{1b}'), "{out:?}");
    }

    #[test]
    fn places_at_the_edges() {
        for text in ["x", "x\r\ny\r\n", "a\n\n\n", "\u{feff}é\u{1b}\n\tb", &"long ".repeat(1000)] {
            let end = text.len() as u32;
            for (from, to) in [(0, 0), (0, end), (end, end), (end, end + 9), (end + 5, end + 6)] {
                let mut shop = shop();
                shop.put(text, from, to);
                for style in [Style::PLAIN, Style { color: true, unicode: true, width: 40, links: Some("/x") }] {
                    let out = check(&shop.view(), style, false);
                    assert!(out.contains("one POST /checkout"), "{text:?} {from}..{to}: {out}");
                }
            }
        }
    }

    #[test]
    fn nothing_to_check() {
        let empty = crate::report::tests_data::empty();
        assert!(check(&empty.view(), Style::PLAIN, false).starts_with("nothing to check here"));
        assert_eq!(check(&empty.view(), Style::PLAIN, true), "");
    }
}
