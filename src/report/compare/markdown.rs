//! The comparison as a review comment: the counts, the worst operation with its path, the new findings, the rest folded.

use super::{numbers, summary};
use crate::compare::saved::Found;
use crate::compare::{Change, Diff, Pair};
use crate::report::markdown::Page;
use crate::report::{markup, uri, words};

/// So many new findings stand openly.
const OPEN: usize = 10;

/// Where places can be looked at: nowhere unless the remote is known.
#[derive(Debug, Default)]
pub struct Links {
    /// Up to the path, ending in `/`.
    pub base: Option<String>,
    /// Goes before the path: the folder of the repository that paths are relative to, empty or ending in `/`.
    pub folder: String,
    /// The files that are in the linked revision as they are here.
    pub same: std::collections::BTreeSet<String>,
}

impl Links {
    /// A place as code, as a link where it is known that the link leads to this very line.
    fn place(&self, path: &str, line: u32) -> String {
        let shown = markup::code(&format!("{path}:{line}"));
        match &self.base {
            Some(base) if self.same.contains(path) => {
                format!("[{shown}]({base}{}#L{line})", uri::path(&format!("{}{path}", self.folder)))
            }
            _ => shown,
        }
    }
}

/// The whole comment, short enough for GitHub and GitLab.
pub fn markdown(diff: &Diff<'_>, links: &Links) -> String {
    let mut page = Page::new(format!("**retrylint: {}**\n", summary(diff)));
    let operations: Vec<String> = diff.operations.iter().map(|c| operation(c, links)).collect();
    let (first, rest) = operations.split_at(usize::from(diff.operations.first().is_some_and(Change::is_worse)));
    page.list("", first);
    let new: Vec<String> = diff.new.iter().map(|f| finding(f, links)).collect();
    let (open, folded) = new.split_at(new.len().min(OPEN));
    page.list("**New findings**", open);
    page.fold(&words::count(folded.len(), "more new finding"), folded);
    let each = |pairs: &[Pair<'_>], was: fn(&Found) -> String| -> Vec<String> {
        pairs.iter().map(|p| format!("{}  - was {}\n", short(p.after, links), was(p.before))).collect()
    };
    page.fold(&words::count(rest.len(), "more operation"), rest);
    page.fold(&format!("{} changed", diff.changed.len()), &each(&diff.changed, |f| markup::text(&f.message)));
    let accepted: Vec<String> = diff.accepted.iter().map(|f| format!("{}{}", short(f, links), reason(f))).collect();
    page.fold(&format!("{} newly accepted", accepted.len()), &accepted);
    page.fold(&words::count(diff.statements.len(), "new comment"), &comments(diff, links));
    let at = |f: &Found| format!("at {}", markup::code(&format!("{}:{}", f.path, f.line)));
    page.fold(&format!("{} moved", diff.moved.len()), &each(&diff.moved, at));
    let fixed: Vec<String> = diff.fixed.iter().map(|f| short(f, &Links::default())).collect();
    page.fold(&format!("{} fixed", fixed.len()), &fixed);
    page.finish("`retrylint compare`")
}

fn operation(change: &Change<'_>, links: &Links) -> String {
    let (name, dependency) = (markup::code(change.operation), markup::code(change.dependency));
    let because: Vec<String> = change.because.iter().map(|b| markup::text(b)).collect();
    let mut out = format!("- {name} → {dependency}: **{}**", numbers(change, "→"));
    out.push_str(&format!(", because {}\n", because.join(" and ")));
    for step in &change.layers {
        let place = links.place(step.path, step.line);
        out.push_str(&format!("  - ×{} {} {place}\n", step.attempts.words(), markup::code(step.function)));
    }
    out
}

fn short(found: &Found, links: &Links) -> String {
    let (level, code, name) = (markup::text(&found.level), markup::text(&found.code), markup::text(&found.name));
    let (place, message) = (links.place(&found.path, found.line), markup::text(&found.message));
    format!("- {level} **{code} {name}** {place}: {message}\n")
}

fn finding(found: &Found, links: &Links) -> String {
    let mut out = short(found, links);
    for related in &found.related {
        let place = links.place(&related.path, related.line);
        out.push_str(&format!("  - {place}: {}\n", markup::text(&related.message)));
    }
    if !found.help.is_empty() {
        out.push_str(&format!("  - help: {}\n", markup::text(&found.help)));
    }
    out
}

fn reason(found: &Found) -> String {
    let reason = found.suppressed.as_ref().and_then(|s| s.reason.as_deref());
    format!("  - {}\n", reason.map_or("no reason given".to_string(), markup::text))
}

fn comments(diff: &Diff<'_>, links: &Links) -> Vec<String> {
    let line = |s: &&crate::compare::saved::Statement| {
        let why = s.reason.as_deref().map(|r| format!(": {}", markup::text(r))).unwrap_or_default();
        format!("- {} {}{why}\n", links.place(&s.path, s.line), markup::code(&s.says))
    };
    diff.statements.iter().map(line).collect()
}
