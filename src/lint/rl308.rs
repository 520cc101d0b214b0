//! RL308: the settings say who retries, and somebody else does too.

use std::collections::BTreeMap;

use super::{Context, Finding, Level, Lint, Related, amplification, words};
use crate::analysis::{LayerUse, Row, is_owner};
use crate::effect::Confidence;

pub static LINT: Lint = Lint {
    code: "RL308",
    name: "wrong-retry-owner",
    summary: "the settings name the owner of an operation's retry, and another layer retries",
    level: Level::Error,
    page: include_str!("../../rules/lints/RL308-wrong-retry-owner.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    let mut found: BTreeMap<_, (&Row, &LayerUse, &str, usize)> = BTreeMap::new();
    for row in &ctx.analysis.rows {
        let Some(owner) = declared(ctx, row) else { continue };
        for layer in row.owners.iter().filter(|layer| !is_owner(ctx.sources, layer.at, &layer.function, owner)) {
            found.entry(layer.at).and_modify(|known| known.3 += 1).or_insert((row, layer, owner, 0));
        }
    }
    found.into_values().map(|(row, layer, owner, more)| finding(ctx, row, layer, owner, more)).collect()
}

/// The owner that the settings name for the row's operation.
fn declared<'a>(ctx: &Context<'a>, row: &Row) -> Option<&'a str> {
    let name = &ctx.facts.operations.get(row.operation)?.name;
    ctx.settings.operations.iter().find(|o| *name == *o.name.as_str())?.owner.as_deref()
}

fn finding(ctx: &Context<'_>, row: &Row, layer: &LayerUse, owner: &str, more: usize) -> Finding {
    let message = format!(
        "`{owner}` owns the retry of {}, and `{}` sends it to {} again: {}{}",
        amplification::operation(ctx, row),
        layer.function,
        row.dependency,
        words::attempts(&layer.attempts),
        amplification::and_more(more),
    );
    let kept = row.with_one_owner.iter().find(|(l, _)| is_owner(ctx.sources, l.at, &l.function, owner));
    let left = kept.map(|(_, n)| format!("; then {} are left", words::attempts(n))).unwrap_or_default();
    let mut finding = LINT.finding(layer.at, Confidence::High, message, format!("give this layer 1 attempt{left}"));
    finding.context = layer.function.clone();
    finding.dependency = Some(row.dependency.clone());
    let owners = row.owners.iter().filter(|l| is_owner(ctx.sources, l.at, &l.function, owner));
    finding.related = owners.map(|l| Related { at: l.at, message: "the declared owner".to_owned() }).collect();
    finding
}
