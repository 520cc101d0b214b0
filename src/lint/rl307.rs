//! RL307: hedged requests run beside the attempts that they repeat.

use super::{Context, Finding, Level, Lint, remarks};
use crate::fact::RemarkKind;

pub static LINT: Lint = Lint {
    code: "RL307",
    name: "hedging-multiplies",
    summary: "hedged requests stand on a path that retries",
    level: Level::Warn,
    page: include_str!("../../rules/lints/RL307-hedging-multiplies.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    remarks::findings(&LINT, ctx, RemarkKind::Hedged)
}
