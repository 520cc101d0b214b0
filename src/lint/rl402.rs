//! RL402: a pool with fewer connections than its server lets in.

use super::{Context, Finding, Level, Lint, remarks};
use crate::fact::RemarkKind;

pub static LINT: Lint = Lint {
    code: "RL402",
    name: "pool-default",
    summary: "a pool is smaller than what asks it at once",
    level: Level::Warn,
    page: include_str!("../../rules/lints/RL402-pool-default.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    remarks::findings(&LINT, ctx, RemarkKind::PoolTooSmall)
}
