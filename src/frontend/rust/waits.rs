//! stub
use super::program::BodyId; use super::tree::ExprId; use super::values::Values; use crate::effect::Wait;
pub fn wait(v: &Values<'_>, body: BodyId, duration: ExprId, _l: Option<ExprId>) -> Wait { Wait::unknown(v.span(body, duration)) }
