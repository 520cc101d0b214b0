//! RL311: more sends than the attempts, on connections that were kept open.

use super::{Context, Finding, Level, Lint, remarks};
use crate::fact::RemarkKind;

pub static LINT: Lint = Lint {
    code: "RL311",
    name: "stale-connection-replay",
    summary: "a proxy sends requests again on connections that were kept open, beyond its attempts",
    level: Level::Off,
    page: include_str!("../../rules/lints/RL311-stale-connection-replay.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    remarks::findings(&LINT, ctx, RemarkKind::Replays)
}
