//! What people accepted: comments and `[[allow]]` entries applied to findings, and RL902 for those that did nothing.

use globset::Glob;

use super::level::Levels;
use crate::lint::finding::Suppressed;
use crate::lint::{self, Context, Finding, Idle, Level};
use crate::settings::Allow;
use crate::source::{FileId, Span};
use crate::suppress::{Comment, What};

/// Marks the findings that somebody accepted. Returns RL902 for what was said to no effect or without a reason.
pub fn accept(context: &Context<'_>, levels: &Levels<'_>, findings: &mut [Finding]) -> Vec<Finding> {
    let said = &context.facts.comments;
    let looked_at: std::collections::HashSet<FileId> = context.facts.places.iter().map(|p| p.at.file).collect();
    let mut complaints = Vec::new();
    for comment in said {
        let words = complaint_of(context, levels, comment, findings);
        if looked_at.contains(&comment.at.file) {
            complaints.extend(words.into_iter().map(|w| (comment.at, w)));
        }
    }
    for allow in &context.settings.allow {
        let words = complaint_of_entry(context, levels, allow, findings);
        if let Some(file) = context.sources.find(&context.settings.file) {
            complaints.extend(words.map(|w| (Span::new(file, allow.at, allow.at), w)));
        }
    }
    let level = levels.of("RL902");
    let complaints = complaints.into_iter().filter(|_| level > Level::Off);
    complaints.map(|(at, (text, idle))| Finding { level, ..lint::unused(at, &text, idle) }).collect()
}

/// What RL902 is about: the words of the comment, and what is wrong with them.
type Complaint = (String, Idle);

/// Applies one comment; what there is to say about it.
fn complaint_of(
    context: &Context<'_>,
    levels: &Levels<'_>,
    said: &Comment,
    findings: &mut [Finding],
) -> Vec<Complaint> {
    let (What::Allow(codes) | What::AllowFile(codes)) = &said.what else {
        return statement(context, said).map(|idle| (said.words.clone(), idle)).into_iter().collect();
    };
    let accepted = Suppressed { at: said.at, reason: said.reason.clone() };
    let mut complaints = Vec::new();
    for code in codes {
        let used = suppress_all(findings, code, levels, &accepted, |at| within(said.covers, at));
        complaints.extend(idle(levels, code, used).map(|idle| (format!("allow({code})"), idle)));
    }
    if codes.is_empty() {
        complaints.push((said.words.clone(), Idle::NotUnderstood));
    }
    // About lints that did not run nothing is said, not even that.
    let looked = codes.iter().any(|c| levels.ran(c) == Some(true));
    if complaints.is_empty() && looked && said.reason.is_none() {
        complaints.push((said.words.clone(), Idle::NoReason));
    }
    complaints
}

fn complaint_of_entry(
    context: &Context<'_>,
    levels: &Levels<'_>,
    entry: &Allow,
    findings: &mut [Finding],
) -> Option<Complaint> {
    let glob = Glob::new(&entry.path).ok().map(|g| g.compile_matcher());
    let fits = |at: Span| {
        let path = context.sources.path(at);
        path == entry.path || glob.as_ref().is_some_and(|g| g.is_match(path))
    };
    let file = context.sources.find(&context.settings.file)?;
    let accepted = Suppressed { at: Span::new(file, entry.at, entry.at), reason: entry.reason.clone() };
    let used = suppress_all(findings, &entry.code, levels, &accepted, fits);
    let bare = (used && entry.reason.is_none()).then_some(Idle::NoReason);
    let idle = idle(levels, &entry.code, used).or(bare)?;
    Some((format!("allow({}) in {}", entry.code, entry.path), idle))
}

/// Whether it met a finding, at its primary place or at any layer of its path.
fn suppress_all(
    findings: &mut [Finding],
    code: &str,
    levels: &Levels<'_>,
    accepted: &Suppressed,
    fits: impl Fn(Span) -> bool,
) -> bool {
    let Some(lint) = levels.lint(code) else { return false };
    let mut used = false;
    for finding in findings.iter_mut().filter(|f| f.code == lint.code) {
        if fits(finding.at) || finding.related.iter().any(|r| fits(r.at)) {
            used = true;
            finding.suppressed.get_or_insert_with(|| accepted.clone());
        }
    }
    used
}

fn within(covers: Span, at: Span) -> bool {
    covers.file == at.file && covers.start <= at.start && at.start < covers.end.max(covers.start + 1)
}

/// What is wrong with a code in a suppression. Nothing is said about lints that did not run, among them those with a code
/// that only another version has.
fn idle(levels: &Levels<'_>, code: &str, used: bool) -> Option<Idle> {
    let elsewhere = code.len() == 5 && code.starts_with("RL") && code[2..].bytes().all(|b| b.is_ascii_digit());
    match levels.ran(code) {
        Some(true) if !used => Some(Idle::DoesNothing),
        None if !elsewhere => Some(Idle::NotUnderstood),
        _ => None,
    }
}

/// A statement does something if what it speaks about is there.
fn statement(context: &Context<'_>, said: &Comment) -> Option<Idle> {
    let covered = |at: Span| within(said.covers, at);
    let layers = || context.analysis.layers.iter();
    let does = match &said.what {
        What::Unknown(_) => return Some(Idle::NotUnderstood),
        What::Allow(_) | What::AllowFile(_) => return None,
        What::Attempts(_) => layers().any(|l| covered(l.at) || l.bound_by.iter().any(|(at, _)| covered(*at))),
        What::Owner => layers().any(|l| covered(l.at)),
        What::NotARetry => context.facts.loops.iter().any(|l| covered(l.at)) || layers().any(|l| covered(l.at)),
        What::Idempotent => context.analysis.sites.iter().any(|s| covered(s.at)),
        What::Operation(name) => context.facts.operations.iter().any(|o| o.name == *name.as_str() && covered(o.at)),
    };
    (!does).then_some(Idle::DoesNothing)
}
