//! `compare`: what a change does, for a terminal, a program or a review.

mod human;
mod markdown;

use serde::Serialize;

pub use human::human;
pub use markdown::{Links, markdown};

use super::sanitise;
use crate::compare::Diff;

#[derive(Serialize)]
struct Report<'a> {
    schema_version: u32,
    tool: Tool,
    #[serde(flatten)]
    diff: &'a Diff<'a>,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

/// Everything as one object, ending in a line break.
pub fn json(diff: &Diff<'_>) -> String {
    let tool = Tool { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") };
    let report = Report { schema_version: 1, tool, diff };
    let text = serde_json::to_string_pretty(&report).expect("plain data");
    sanitise::json(&format!("{text}\n")).into_owned()
}

/// `2 new findings, 1 fixed, 1 operation with more attempts`.
fn summary(diff: &Diff<'_>) -> String {
    let worse = diff.operations.iter().filter(|c| c.is_worse()).count();
    let better = diff.operations.len() - worse;
    let mut parts = vec![super::words::count(diff.new.len(), "new finding")];
    let rest = [
        (diff.fixed.len(), "fixed".to_string()),
        (diff.changed.len(), "changed".to_string()),
        (diff.moved.len(), "moved".to_string()),
        (diff.accepted.len(), "newly accepted".to_string()),
        (worse, format!("{} with more attempts", if worse == 1 { "operation" } else { "operations" })),
        (better, format!("{} with fewer", if better == 1 { "operation" } else { "operations" })),
        (diff.statements.len(), format!("new {}", if diff.statements.len() == 1 { "comment" } else { "comments" })),
    ];
    parts.extend(rest.into_iter().filter(|(n, _)| *n > 0).map(|(n, words)| format!("{n} {words}")));
    parts.join(", ")
}

/// `9 → 27 attempts`, and where a side is missing, what it is or was.
fn numbers(change: &crate::compare::Change<'_>, arrow: &str) -> String {
    let attempts = |b: &crate::compare::saved::Bound| match b.kind.as_str() {
        "unbounded" => "attempts without limit".to_string(),
        "unknown" => "an unknown number of attempts".to_string(),
        _ if b.value == Some(1) => "1 attempt".to_string(),
        _ => format!("{} attempts", b.words()),
    };
    match (change.before, change.after) {
        (Some(before), Some(after)) => format!("{} {arrow} {}", before.words(), attempts(after)),
        (None, Some(after)) => format!("new, {}", attempts(after)),
        (Some(before), None) => format!("gone, was {}", attempts(before)),
        (None, None) => String::new(),
    }
}
