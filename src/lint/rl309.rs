//! RL309: a setting that its system never looks at.

use super::{Context, Finding, Level, Lint, remarks};
use crate::fact::RemarkKind;

pub static LINT: Lint = Lint {
    code: "RL309",
    name: "dead-retry-setting",
    summary: "a retry or timeout setting can never take effect",
    level: Level::Warn,
    page: include_str!("../../rules/lints/RL309-dead-retry-setting.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    remarks::findings(&LINT, ctx, RemarkKind::Dead)
}
