//! RL306: a message that fails is given back without end.

use super::{Context, Finding, Level, Lint, remarks};
use crate::fact::RemarkKind;

pub static LINT: Lint = Lint {
    code: "RL306",
    name: "unbounded-redelivery",
    summary: "a queue's failed message comes back for ever",
    level: Level::Error,
    page: include_str!("../../rules/lints/RL306-unbounded-redelivery.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    remarks::findings(&LINT, ctx, RemarkKind::Redelivered)
}
