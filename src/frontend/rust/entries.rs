//! stub
use super::program::*; use crate::{name::Name, source::Span, fact::OperationKind, model::Models}; use rustc_hash::FxHashMap;
pub struct FoundEntry { pub kind: OperationKind, pub name: Name, pub method: Option<Name>, pub path: Option<Name>, pub handler: FnId, pub at: Span }
pub fn entries(_p: &Program, _b: &FxHashMap<BodyId, BodyTypes>, _m: &Models) -> Vec<FoundEntry> { Vec::new() }
