//! What an expression can be, as far as numbers, durations, policies and clients are concerned.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::program::{BodyId, FnId};
use super::tree::ExprId;
use crate::name::Name;
use crate::source::Span;
use crate::value::{Origin, Value, Why};

/// The value of an expression, looked at without running anything.
#[derive(Debug, Clone, PartialEq)]
pub enum Val {
    /// A whole number; the `Value` may hang on a parameter of the body's function.
    Int(Value, Origin),
    Float(f64),
    Bool(bool),
    /// Milliseconds; sub-millisecond durations that are not zero are 1.
    Duration(Value, Origin),
    /// Text; `{}` stands for parts that are not constant.
    Text(Name),
    /// Text read from that environment variable.
    Env(Name),
    /// A value of a modelled or tree type with the fields that were set on its way here.
    Object(Rc<Object>),
    /// `None`.
    Nothing,
    /// `Some(x)`, `Ok(x)`.
    Wrapped(Box<Val>),
    /// An array, slice or `vec!` of known length.
    List(Vec<Val>),
    /// A closure and the body in which it is written.
    Closure(BodyId, ExprId),
    Function(FnId),
    /// The i-th parameter of the function (a receiver counts as parameter 0 and shifts the others).
    Param(u16),
    /// One of several.
    Any(Vec<Val>),
    Unknown(Why),
}

/// A client, a policy, a strategy, a struct of the tree.
#[derive(Debug, Clone, PartialEq)]
pub struct Object {
    /// Canonical path of the type, foreign or of the tree.
    pub what: Name,
    /// What was set, by the model's or the struct's field name. An absent field has the model's default.
    pub fields: FxHashMap<Name, Field>,
    /// Where it began to be built (the constructor's call).
    pub built_at: Option<Span>,
    /// The body in which that stands.
    pub built_in: Option<BodyId>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    pub value: Val,
    /// The setter's call, the struct literal's field.
    pub at: Option<Span>,
}

impl Val {
    pub fn unknown(why: &str) -> Val {
        Val::Unknown(Why::new(why))
    }
}
