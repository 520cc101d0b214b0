//! What people accepted: comments and `[[allow]]` entries applied to findings, and RL902 for those that did nothing.

use globset::Glob;

use super::level::{Levels, is};
use crate::effect::Confidence;
use crate::lint::finding::Suppressed;
use crate::lint::{Context, Finding, Level};
use crate::name::{Name, nearest};
use crate::settings::Allow;
use crate::source::{FileId, Span};
use crate::suppress::{self, Comment, What};

/// Marks the findings that somebody accepted. Returns RL902 for what was said to no effect or without a reason.
pub fn accept(context: &Context<'_>, levels: &Levels<'_>, findings: &mut [Finding]) -> Vec<Finding> {
    let mut said = Vec::new();
    for (file, source) in context.sources.iter() {
        if source.path.ends_with(".rs") {
            said.extend(suppress::comments(file, &source.text));
        }
    }
    let looked_at: std::collections::HashSet<FileId> = context.facts.places.iter().map(|p| p.at.file).collect();
    let mut complaints = Vec::new();
    for comment in &said {
        let words = complaint_of(context, levels, comment, findings);
        if looked_at.contains(&comment.at.file) {
            complaints.extend(words.into_iter().map(|w| (comment.at, format!("this comment {w}"))));
        }
    }
    for allow in &context.settings.allow {
        let words = complaint_of_entry(context, levels, allow, findings);
        if let Some(file) = context.sources.find(&context.settings.file) {
            let at = Span::new(file, allow.at, allow.at);
            complaints.extend(words.into_iter().map(|w| (at, format!("this entry {w}"))));
        }
    }
    complaints.into_iter().filter_map(|(at, words)| unused(levels, at, words)).collect()
}

/// Applies one comment; the words of RL902 if there is something to say about it.
fn complaint_of(context: &Context<'_>, levels: &Levels<'_>, said: &Comment, findings: &mut [Finding]) -> Vec<String> {
    let (What::Allow(codes) | What::AllowFile(codes)) = &said.what else {
        return statement(context, said).into_iter().collect();
    };
    let accepted = Suppressed { at: said.at, reason: said.reason.clone() };
    let mut words = Vec::new();
    for code in codes {
        let used = suppress_all(findings, code, levels, &accepted, |at| within(said.covers, at));
        words.extend(idle(levels, code, used));
    }
    if codes.is_empty() {
        words.push("names no lint".to_string());
    }
    let looked = codes.iter().any(|c| levels.ran(c) == Some(true));
    if words.is_empty() && looked && said.reason.is_none() {
        words.push("has no reason; write one behind `--`".to_string());
    }
    words
}

fn complaint_of_entry(
    context: &Context<'_>,
    levels: &Levels<'_>,
    entry: &Allow,
    findings: &mut [Finding],
) -> Vec<String> {
    let glob = Glob::new(&entry.path).ok().map(|g| g.compile_matcher());
    let fits = |at: Span| {
        let path = context.sources.path(at);
        path == entry.path || glob.as_ref().is_some_and(|g| g.is_match(path))
    };
    let file = context.sources.find(&context.settings.file).unwrap_or_default();
    let accepted = Suppressed { at: Span::new(file, entry.at, entry.at), reason: entry.reason.clone() };
    let used = suppress_all(findings, &entry.code, levels, &accepted, fits);
    let mut words: Vec<String> = idle(levels, &entry.code, used).into_iter().collect();
    if used && words.is_empty() && entry.reason.is_none() {
        words.push("has no reason".to_string());
    }
    words
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

/// Why a code in a suppression did nothing; nothing is said about lints that did not run.
fn idle(levels: &Levels<'_>, code: &str, used: bool) -> Option<String> {
    match levels.ran(code) {
        Some(true) if !used => Some(format!("accepts `{code}`, which is not reported here")),
        Some(_) => None,
        None => {
            let names = levels.registry.iter().flat_map(|l| [l.name, l.code]);
            let meant = nearest(code, names).map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
            Some(format!("names `{code}`, a lint that this version does not have{meant}"))
        }
    }
}

/// A statement does something if what it speaks about is there.
fn statement(context: &Context<'_>, said: &Comment) -> Option<String> {
    let covered = |at: Span| within(said.covers, at);
    let layers = || context.analysis.layers.iter();
    let (does, about) = match &said.what {
        What::Unknown(words) => return Some(format!("means nothing: `{words}`")),
        What::Attempts(_) => {
            let bound = |l: &crate::analysis::Layer| l.bound_by.iter().any(|(at, _)| covered(*at));
            (layers().any(|l| covered(l.at) || bound(l)), "no layer begins here")
        }
        What::Owner => (layers().any(|l| covered(l.at)), "no layer begins here"),
        What::NotARetry => {
            let seen = context.facts.loops.iter().any(|l| covered(l.at));
            (seen || layers().any(|l| covered(l.at)), "no loop begins here")
        }
        What::Idempotent => (context.analysis.sites.iter().any(|s| covered(s.at)), "nothing remote is called here"),
        What::Operation(name) => (
            context.facts.operations.iter().any(|o| o.name == *name.as_str() && covered(o.at)),
            "no function begins here",
        ),
        What::Allow(_) | What::AllowFile(_) => return None,
    };
    (!does).then(|| format!("does nothing: {about}"))
}

fn unused(levels: &Levels<'_>, at: Span, words: String) -> Option<Finding> {
    let lint = levels.registry.iter().find(|l| is(l, "RL902"))?;
    let level = levels.of(lint.code);
    (level > Level::Off).then(|| Finding {
        code: lint.code,
        name: lint.name,
        level,
        confidence: Confidence::High,
        message: words,
        at,
        related: Vec::new(),
        help: "remove it, or say why it is there".to_string(),
        context: Name::new(""),
        dependency: None,
        suppressed: None,
        fingerprint: String::new(),
    })
}
