//! `check` as a page for a review: the counts first, then the findings, the worst ones open and the rest folded.

use super::{View, markup, words};
use crate::lint::{Finding, Level};
use crate::source::Span;

/// What a comment on GitHub can hold is 65,536 characters; bytes are never fewer.
pub const LONGEST: usize = 65_000;
/// So many findings are shown openly, the others are folded.
const OPEN: usize = 5;

/// The whole page, at most [`LONGEST`] bytes; what did not fit is counted.
pub fn render(view: &View<'_>) -> String {
    let mut shown: Vec<&Finding> = view.findings.iter().filter(|f| f.suppressed.is_none()).collect();
    shown.sort_by_key(|f| std::cmp::Reverse(f.level));
    let mut page = Page::new(format!("**retrylint: {}**\n", counts(view, &shown)));
    let items: Vec<String> = shown.iter().map(|f| item(view, f)).collect();
    let (open, folded) = items.split_at(items.len().min(OPEN));
    page.list("", open);
    page.fold(&words::count(folded.len(), "more finding"), folded);
    page.finish("`retrylint check`")
}

fn counts(view: &View<'_>, shown: &[&Finding]) -> String {
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
    let files = words::count(usize::try_from(view.facts.stats.files).unwrap_or(usize::MAX), "file");
    format!("{said} in {files}")
}

fn item(view: &View<'_>, finding: &Finding) -> String {
    let place = |at: Span| {
        let start = view.sources.start(at);
        markup::code(&format!("{}:{}", view.sources.path(at), start.line))
    };
    let (level, code, name) = (finding.level.name(), finding.code, finding.name);
    let mut out = format!("- {level} **{code} {name}**: {}\n", markup::text(&finding.message));
    out.push_str(&format!("  - {}\n", place(finding.at)));
    for related in &finding.related {
        out.push_str(&format!("  - {}: {}\n", place(related.at), markup::text(&related.message)));
    }
    if !finding.help.is_empty() {
        out.push_str(&format!("  - help: {}\n", markup::text(&finding.help)));
    }
    out
}

/// A page that never grows beyond its limit.
pub struct Page {
    text: String,
    left_out: usize,
}

impl Page {
    pub fn new(text: String) -> Page {
        Page { text, left_out: 0 }
    }

    /// Items below a heading. Those that do not fit are counted.
    pub fn list(&mut self, heading: &str, items: &[String]) {
        if items.is_empty() {
            return;
        }
        self.text.push('\n');
        if !heading.is_empty() {
            self.text.push_str(&format!("{heading}\n\n"));
        }
        self.items(items);
    }

    /// The same, folded away under a summary, which must be our own words.
    pub fn fold(&mut self, summary: &str, items: &[String]) {
        if items.is_empty() {
            return;
        }
        self.text.push_str(&format!("\n<details><summary>{summary}</summary>\n\n"));
        self.items(items);
        self.text.push_str("\n</details>\n");
    }

    /// The page, with what was left out and the command that shows it.
    pub fn finish(mut self, command: &str) -> String {
        if self.left_out > 0 {
            let more = words::count(self.left_out, "entry").replace("entrys", "entries");
            self.text.push_str(&format!("\n{more} left out for length; {command} shows all.\n"));
        }
        self.text
    }

    fn items(&mut self, items: &[String]) {
        // Room for what closes the page.
        let limit = LONGEST - 1_000;
        for item in items {
            if self.left_out == 0 && self.text.len() + item.len() <= limit {
                self.text.push_str(item);
            } else {
                self.left_out += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests_data::shop;

    #[test]
    fn the_counts_come_first() {
        let said = render(&shop().view());
        assert!(said.starts_with("**retrylint: 1 error in 2 files**\n\n- error **RL301"), "{said}");
        assert!(said.contains("\n  - `a.rs:2`\n  - `b.rs:1`: 3 attempts\n  - help: keep one\n"), "{said}");
    }

    #[test]
    fn long_pages_end_in_time() {
        let mut shop = shop();
        let one = shop.findings[0].clone();
        shop.findings = vec![one; 3000];
        let said = render(&shop.view());
        assert!(said.len() <= LONGEST, "{}", said.len());
        assert!(said.contains("entries left out for length"), "the end says so");
        assert_eq!(said.matches("<details>").count(), said.matches("</details>").count());
    }
}
