//! RL403: a new connection for each request.

use super::{Context, Finding, Level, Lint, remarks};
use crate::fact::RemarkKind;

pub static LINT: Lint = Lint {
    code: "RL403",
    name: "keepalive-off",
    summary: "connections are not reused",
    level: Level::Warn,
    page: include_str!("../../rules/lints/RL403-keepalive-off.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    remarks::findings(&LINT, ctx, RemarkKind::NoReuse)
}
