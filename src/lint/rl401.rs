//! RL401: a client that is built for each request reuses no connection.

use super::{Context, Finding, Level, Lint, remarks};
use crate::fact::RemarkKind;

pub static LINT: Lint = Lint {
    code: "RL401",
    name: "client-per-request",
    summary: "a pooled client is built for each request",
    level: Level::Error,
    page: include_str!("../../rules/lints/RL401-client-per-request.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    remarks::findings(&LINT, ctx, RemarkKind::ClientPerRequest)
}
