//! RL404: waiting for a connection of the pool takes longer than anybody waits.

use super::{Context, Finding, Level, Lint, Related, words};
use crate::analysis::PoolWait;
use crate::effect::{Confidence, SetBy};

pub static LINT: Lint = Lint {
    code: "RL404",
    name: "unbounded-pool-wait",
    summary: "waiting for a pooled connection has no limit, or a longer one than the deadline around it",
    level: Level::Warn,
    page: include_str!("../../rules/lints/RL404-unbounded-pool-wait.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    ctx.analysis.pool_waits.iter().map(|wait| finding(ctx, wait)).collect()
}

fn finding(ctx: &Context<'_>, wait: &PoolWait) -> Finding {
    let by = if wait.set == SetBy::Default { " (default)" } else { "" };
    let message = match (wait.ms, &wait.outer) {
        (Some(ms), Some(outer)) => format!(
            "a caller may wait {}{by} for a connection of this pool, and gives up after {} ({})",
            words::ms(ms as f64),
            words::ms(outer.ms as f64),
            words::place(ctx, outer.at)
        ),
        _ => format!("nothing limits how long a caller waits{by} for a connection of this pool"),
    };
    let help = match &wait.outer {
        Some(outer) => format!("set the wait for a connection well below {}", words::ms(outer.ms as f64)),
        None => "set a limit for the wait, shorter than the patience of the callers".to_owned(),
    };
    let mut finding = LINT.finding(wait.at, Confidence::High, message, help);
    finding.related =
        wait.outer.iter().map(|outer| Related { at: outer.at, message: words::deadline(outer) }).collect();
    finding
}
