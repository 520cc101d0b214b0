//! JUnit's XML as Jenkins, GitLab and their kin read it: a case for each finding, failed if it is an error or a warning.

use super::{View, sanitise};
use crate::lint::{Finding, Level};

/// The whole document, ending in a line break. Without times: the same input gives the same bytes.
pub fn render(view: &View<'_>) -> String {
    let failures = view.findings.iter().filter(|f| fails(f)).count();
    let skipped = view.findings.iter().filter(|f| f.suppressed.is_some()).count();
    let tests = view.findings.len().max(1);
    let mut cases: String = view.findings.iter().map(|f| case(view, f)).collect();
    if cases.is_empty() {
        cases = "    <testcase classname=\"retrylint\" name=\"no findings\"/>\n".to_string();
    }
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<testsuites name=\"retrylint\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">
  <testsuite name=\"retrylint\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\">
{cases}  </testsuite>
</testsuites>
"
    )
}

fn fails(finding: &Finding) -> bool {
    finding.suppressed.is_none() && finding.level >= Level::Warn
}

fn case(view: &View<'_>, finding: &Finding) -> String {
    let path = view.sources.path(finding.at);
    let (start, message) = (view.sources.start(finding.at), escape(&finding.message));
    let name = escape(&format!("{} {} ({}:{})", finding.code, finding.name, start.line, start.column));
    let open = format!("    <testcase classname=\"{}\" name=\"{name}\">\n", escape(path));
    let inside = match &finding.suppressed {
        Some(said) => {
            let reason = escape(said.reason.as_deref().unwrap_or("accepted without a reason"));
            format!("      <skipped message=\"{reason}\"/>\n")
        }
        None if fails(finding) => {
            let (level, body) = (finding.level.name(), body(view, finding));
            format!("      <failure type=\"{level}\" message=\"{message}\">{body}</failure>\n")
        }
        None => format!("      <system-out>{}</system-out>\n", body(view, finding)),
    };
    format!("{open}{inside}    </testcase>\n")
}

fn body(view: &View<'_>, finding: &Finding) -> String {
    let line = |at, words: &str| {
        let start = view.sources.start(at);
        format!("{}:{}:{}: {}", escape(view.sources.path(at)), start.line, start.column, escape(words))
    };
    let mut lines = vec![line(finding.at, &finding.message)];
    lines.extend(finding.related.iter().map(|r| line(r.at, &r.message)));
    if !finding.help.is_empty() {
        lines.push(format!("help: {}", escape(&finding.help)));
    }
    lines.join("\n")
}

/// Text or an attribute's value; what XML cannot hold is shown as its escape.
fn escape(text: &str) -> String {
    let safe = sanitise::line(text);
    let safe = safe.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    safe.replace('"', "&quot;").replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")
}
