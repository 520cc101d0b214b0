//! Which paths pass the limit. RL301 reports them and RL302 is silent on them, so both ask here.

use super::{Context, Related, words};
use crate::analysis::{LayerUse, Row};
use crate::effect::{Confidence, LoopId, RepeatKind};
use crate::value::Bound;

/// All rows that one set of owners multiplies.
pub struct Group<'a> {
    /// Outermost first.
    pub owners: Vec<LoopId>,
    pub worst: &'a Row,
    /// The other rows with these owners.
    pub more: usize,
    /// What is surely multiplied: unknown numbers count as 1.
    pub known: u64,
    pub confidence: Confidence,
}

/// Rows by their owners, in the order in which they first appear; the worst row of each is named.
pub fn groups<'a>(ctx: &Context<'a>) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    let mut index = std::collections::HashMap::new();
    for row in &ctx.analysis.rows {
        let owners: Vec<LoopId> = row.owners.iter().map(|o| o.id).collect();
        let known = known(row);
        let at = *index.entry(owners.clone()).or_insert(groups.len());
        match groups.get_mut(at) {
            None => groups.push(Group { owners, worst: row, more: 0, known, confidence: Confidence::Low }),
            Some(group) => {
                group.more += 1;
                if known > group.known {
                    (group.worst, group.known) = (row, known);
                }
            }
        }
    }
    groups
}

/// The groups that pass the limit, without those that begin a longer one.
pub fn reported<'a>(ctx: &Context<'a>) -> Vec<Group<'a>> {
    let limit = ctx.settings.limits.attempts;
    let mut over: Vec<Group<'a>> = groups(ctx).into_iter().filter_map(|g| judge(ctx, g, limit)).collect();
    let paths: Vec<Vec<LoopId>> = over.iter().map(|g| g.owners.clone()).collect();
    over.retain(|g| !paths.iter().any(|p| begins(&g.owners, p) && p.len() > g.owners.len()));
    over
}

/// Whether the one path is a part of the other in one piece, or the same: its layers then all stand in the other's finding.
pub fn begins(short: &[LoopId], long: &[LoopId]) -> bool {
    !short.is_empty() && long.windows(short.len()).any(|part| part == short)
}

fn judge<'a>(ctx: &Context<'a>, mut group: Group<'a>, limit: u64) -> Option<Group<'a>> {
    let half = group.known > limit / 2;
    let possibly = match group.worst.amplification {
        Bound::AtMost(n) | Bound::AtLeast(n, _) => n > limit,
        Bound::Exactly(_) | Bound::Unbounded | Bound::Unknown(_) => false,
    };
    group.confidence = match group.known > limit {
        true => confidence(ctx, group.worst),
        false if half && possibly => Confidence::Low,
        false => return None,
    };
    Some(group)
}

/// The least sure of the layers that multiply.
pub fn confidence(ctx: &Context<'_>, row: &Row) -> Confidence {
    let seen = |id| ctx.analysis.layers.iter().find(|l| l.id == id).map(|l| l.seen.confidence);
    row.owners.iter().filter_map(|o| seen(o.id)).min().unwrap_or(Confidence::High)
}

/// The amplification without what is unknown, bounded by time alone, or unbounded (semantics.md, Bounds).
fn known(row: &Row) -> u64 {
    match row.amplification {
        Bound::Exactly(n) => n,
        // It holds 2 for each unknown factor.
        Bound::AtLeast(n, _) => n >> unknown_factors(row).min(63),
        Bound::AtMost(_) | Bound::Unbounded | Bound::Unknown(_) => product(row),
    }
}

fn unknown_factors(row: &Row) -> u32 {
    row.owners.iter().filter(|o| matches!(o.attempts, Bound::Unknown(_))).count() as u32
}

fn product(row: &Row) -> u64 {
    row.owners.iter().fold(1, |all: u64, owner| match owner.attempts {
        Bound::Exactly(n) | Bound::AtLeast(n, _) => all.saturating_mul(n.max(1)),
        Bound::AtMost(_) | Bound::Unbounded | Bound::Unknown(_) => all,
    })
}

/// The outermost layer that multiplies; the outermost at all where alternatives alone add up.
pub fn outermost(row: &Row) -> Option<&LayerUse> {
    row.owners.first().or(row.layers.first())
}

/// Every other layer of the path in order, and the calls that bind helpers.
pub fn path(ctx: &Context<'_>, row: &Row) -> Vec<Related> {
    let first = outermost(row).map(|l| l.id);
    let mut related = Vec::new();
    for layer in &row.layers {
        let owns = row.owners.iter().any(|o| o.id == layer.id);
        if !owns && is_no_factor(ctx, layer) {
            continue;
        }
        let rest = if owns { "" } else { ", not multiplied in this scenario" };
        if Some(layer.id) != first {
            related.push(Related { at: layer.at, message: format!("{}{rest}", words::attempts(&layer.attempts)) });
        }
        related.extend(
            layer
                .bound_at
                .map(|at| Related { at, message: format!("called here with {}", words::attempts(&layer.attempts)) }),
        );
    }
    related
}

fn is_no_factor(ctx: &Context<'_>, layer: &LayerUse) -> bool {
    let repeat = ctx.analysis.layers.iter().find(|l| l.id == layer.id).map(|l| l.repeat);
    repeat == Some(RepeatKind::Reconnecting) || !super::layers::repeats(&layer.attempts)
}

/// `POST /checkout`, and how a message counts the rest.
pub fn operation<'a>(ctx: &Context<'a>, row: &Row) -> &'a str {
    ctx.facts.operations.get(row.operation).map_or("operation", |o| o.name.as_str())
}

pub fn and_more(more: usize) -> String {
    if more == 0 { String::new() } else { format!(" (and {more} more over the same layers)") }
}

/// `keep the retry in f (src/lib.rs:3) and switch off the others (g); then at most 3 attempts are left`.
pub fn keep(ctx: &Context<'_>, row: &Row) -> Option<String> {
    let keep = row.keep.as_ref()?;
    let left = row.with_one_owner.iter().find(|(l, _)| l.id == keep.id).map(|(_, left)| left);
    let others: Vec<String> =
        row.owners.iter().filter(|o| o.id != keep.id).map(|o| format!("`{}`", o.function)).collect();
    let left = left.map(|l| format!("; the worst case is then {}", words::attempts(l))).unwrap_or_default();
    Some(format!(
        "keep the retry in `{}` ({}) and give {} 1 attempt{left}",
        keep.function,
        words::place(ctx, keep.at),
        if others.is_empty() { "the others".to_owned() } else { words::list(&others) },
    ))
}

/// Which number has to be stated before the verdict is sure.
pub fn state(ctx: &Context<'_>, row: &Row) -> String {
    let unsure = row.owners.iter().find(|o| !matches!(o.attempts, Bound::Exactly(_)));
    match unsure {
        Some(layer) => format!(
            "the attempts of `{}` ({}) are not known: state them there with `// retrylint: attempts = N`",
            layer.function,
            words::place(ctx, layer.at)
        ),
        None => "state the number that is not known with `// retrylint: attempts = N`".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::rl301::LINT;
    use crate::lint::testing::{at, check_rows, row, used};

    fn exactly(line: u32, n: u64) -> LayerUse {
        used(line, Bound::Exactly(n))
    }

    #[test]
    fn a_path_that_is_part_of_a_longer_one_is_not_said_again() {
        let short = row(Bound::Exactly(27), vec![exactly(3, 9), exactly(5, 3)]);
        let long = row(Bound::Exactly(81), vec![exactly(3, 9), exactly(5, 3), exactly(7, 3)]);
        let inner = row(Bound::Exactly(27), vec![exactly(5, 9), exactly(7, 3)]);
        let other = row(Bound::Exactly(27), vec![exactly(5, 9), exactly(9, 3)]);
        let found = check_rows(&LINT, vec![short, long, inner, other]);
        assert_eq!(found.iter().map(|f| f.at).collect::<Vec<_>>(), [at(3), at(5)]);
        assert!(found[0].message.contains("81 times"));
    }

    #[test]
    fn unknown_factors_count_as_one_unless_the_rest_passes_half_the_limit() {
        let unknown = || used(5, Bound::Unknown(None));
        let few = row(Bound::AtLeast(12, None), vec![exactly(3, 3), unknown(), used(7, Bound::Unknown(None))]);
        assert!(check_rows(&LINT, vec![few]).is_empty());
        let half = check_rows(&LINT, vec![row(Bound::AtLeast(12, None), vec![exactly(3, 6), unknown()])]);
        assert_eq!((half.len(), half[0].confidence), (1, Confidence::Low));
        assert!(half[0].help.contains("`shop::f5` (src/lib.rs:5)"), "{}", half[0].help);
        let sure = check_rows(&LINT, vec![row(Bound::AtLeast(24, None), vec![exactly(3, 12), unknown()])]);
        assert_eq!(sure[0].confidence, Confidence::High);
        assert!(sure[0].message.contains("at least 24 times"));
        assert!(check_rows(&LINT, vec![row(Bound::Unknown(None), vec![unknown()])]).is_empty());
    }

    #[test]
    fn a_limit_of_time_alone_counts_as_one() {
        let timed = |n| used(5, Bound::AtMost(n));
        assert!(check_rows(&LINT, vec![row(Bound::AtMost(90), vec![exactly(3, 3), timed(30)])]).is_empty());
        let half = check_rows(&LINT, vec![row(Bound::AtMost(180), vec![exactly(3, 6), timed(30)])]);
        assert_eq!(half[0].confidence, Confidence::Low);
    }

    #[test]
    fn an_unbounded_layer_alone_is_left_to_rl101() {
        let endless = || used(5, Bound::Unbounded);
        assert!(check_rows(&LINT, vec![row(Bound::Unbounded, vec![exactly(3, 3), endless()])]).is_empty());
        let found = check_rows(&LINT, vec![row(Bound::Unbounded, vec![exactly(3, 16), endless()])]);
        assert!(found[0].message.contains("without bound; the layers with a bound alone make it 16"));
    }
}
