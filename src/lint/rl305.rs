//! RL305: a shared retry layer without a budget.

use super::{Context, Finding, Level, Lint, remarks};
use crate::fact::RemarkKind;

pub static LINT: Lint = Lint {
    code: "RL305",
    name: "no-retry-budget",
    summary: "many operations share a retry layer that no budget limits",
    level: Level::Off,
    page: include_str!("../../rules/lints/RL305-no-retry-budget.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    remarks::findings(&LINT, ctx, RemarkKind::NoBudget)
}
