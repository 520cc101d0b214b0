//! RL310: a setting that its system does not take as it is written.

use super::{Context, Finding, Level, Lint, remarks};
use crate::fact::RemarkKind;

pub static LINT: Lint = Lint {
    code: "RL310",
    name: "rejected-retry-setting",
    summary: "a retry setting is refused or clamped by its system",
    level: Level::Error,
    page: include_str!("../../rules/lints/RL310-rejected-retry-setting.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    remarks::findings(&LINT, ctx, RemarkKind::Rejected)
}
