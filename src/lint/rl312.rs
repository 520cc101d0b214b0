//! RL312: callers decide how often a proxy retries.

use super::{Context, Finding, Level, Lint, remarks};
use crate::fact::RemarkKind;

pub static LINT: Lint = Lint {
    code: "RL312",
    name: "caller-controls-retries",
    summary: "anybody's request headers can set the number of retries",
    level: Level::Warn,
    page: include_str!("../../rules/lints/RL312-caller-controls-retries.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    remarks::findings(&LINT, ctx, RemarkKind::CallersDecide)
}
