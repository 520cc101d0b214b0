//! Workflow commands of GitHub Actions: one annotation for each finding.

use super::{View, sanitise};
use crate::lint::{Finding, Level};

/// One line for each finding that is not suppressed.
pub fn render(view: &View<'_>) -> String {
    view.findings.iter().filter(|f| f.suppressed.is_none()).map(|f| command(view, f)).collect()
}

fn command(view: &View<'_>, finding: &Finding) -> String {
    let (start, end) = (view.sources.start(finding.at), view.sources.end(finding.at));
    let word = match finding.level {
        Level::Error => "error",
        Level::Warn => "warning",
        Level::Note | Level::Off => "notice",
    };
    let file = property(view.sources.path(finding.at));
    let mut place = format!("file={file},line={},endLine={}", start.line, end.line);
    // Columns are taken only where the place is within one line.
    if start.line == end.line {
        place.push_str(&format!(",col={},endColumn={}", start.column, end.column));
    }
    let title = property(&format!("{} {}", finding.code, finding.name));
    let mut lines = vec![sanitise::line(&finding.message).into_owned()];
    for related in &finding.related {
        let at = view.sources.start(related.at);
        let path = view.sources.path(related.at);
        lines.push(sanitise::line(&format!("{path}:{}: {}", at.line, related.message)).into_owned());
    }
    if !finding.help.is_empty() {
        lines.push(sanitise::line(&format!("help: {}", finding.help)).into_owned());
    }
    format!("::{word} {place},title={title}::{}\n", data(&lines.join("\n")))
}

/// The text of a command: one line, in which the runner reads `%` as the sign of an escape.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property, which ends at a comma or at `::`.
fn property(text: &str) -> String {
    data(&sanitise::line(text)).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests_data::shop;

    #[test]
    fn a_command() {
        let said = render(&shop().view());
        assert_eq!(
            said,
            "::error file=a.rs,line=2,endLine=2,col=5,endColumn=24,title=RL301 retry-amplification::one POST /checkout can reach db 9 times%0Ab.rs:1: 3 attempts%0Ahelp: keep one\n"
        );
    }

    #[test]
    fn nothing_of_the_input_ends_a_command() {
        let mut shop = shop();
        shop.rename("a.rs", "a,line=9::x\n::stop-commands::y%0A.rs");
        shop.findings[0].message = "1\n::add-mask::x\r%".into();
        let said = render(&shop.view());
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(said.starts_with("::error file=a%2Cline=9%3A%3Ax\\u{a}%3A%3Astop"), "{said}");
        assert!(said.contains("::1\\u{a}::add-mask::x\\u{d}%25%0A"), "{said}");
    }
}
