//! Items: what a file declares.

use super::{At, ExprId, PatId, TypeId};
use crate::name::Name;

#[derive(Debug)]
pub struct Item {
    /// Empty for impls, uses and macro calls.
    pub name: Name,
    pub at: At,
    pub attrs: Attrs,
    pub public: bool,
    pub kind: ItemKind,
}

/// Attributes that change meaning.
#[derive(Debug, Default, Clone)]
pub struct Attrs {
    /// `#[cfg(test)]`, `#[cfg(all(test, ..))]`, `#[test]`, `#[tokio::test]` and the like; not `any(test, ..)`.
    pub test: bool,
    /// `#[path = ".."]`.
    pub path: Option<Name>,
    pub derives: Vec<Name>,
    /// Every other attribute that is kept: its path (`get`, `tokio::main`, `serde`, `arg`, `async_trait`) and its
    /// arguments as text without the outer parentheses (`"/orders/{id}"`, `default = "three"`).
    pub others: Vec<(Name, Name)>,
}

#[derive(Debug)]
pub enum ItemKind {
    /// `None`: in a file of its own.
    Mod(Option<Vec<Item>>),
    Use(Vec<UseLeaf>),
    ExternCrate {
        rename: Option<Name>,
    },
    /// Index into `functions`.
    Fn(u32),
    /// Struct, enum or union: index into `adts`.
    Adt(u32),
    /// Index into `traits`.
    Trait(u32),
    /// Index into `impls`.
    Impl(u32),
    Alias {
        generics: Generics,
        ty: Option<TypeId>,
        bounds: Vec<TypeId>,
    },
    Const {
        ty: Option<TypeId>,
        value: Option<ExprId>,
    },
    Static {
        ty: Option<TypeId>,
        value: Option<ExprId>,
    },
    /// `include!("file.rs")` with a literal path.
    Include(Name),
    /// `include!(concat!(env!("OUT_DIR"), ..))`, `tonic::include_proto!`: names of this module may be generated.
    Generated,
    /// Another macro call at item level.
    MacroCall(Name),
    /// `macro_rules!`: each arm's body lowered as statements, `$x` taken as a name `x`, where it parses.
    MacroRules {
        arms: Vec<MacroArm>,
    },
}

#[derive(Debug)]
pub struct MacroArm {
    /// Names of the fragments in order, with their kind: (`op`, `expr`).
    pub params: Vec<(Name, Name)>,
    pub body: Option<ExprId>,
}

/// One leaf of a `use`: `use a::b::{c as d, e::*}` gives two.
#[derive(Debug, Clone)]
pub struct UseLeaf {
    /// All segments, without the `*`. A leading `::` is an empty first segment.
    pub path: Vec<Name>,
    /// The name it gets here; `_` for `as _`. Ignored for globs.
    pub name: Name,
    pub glob: bool,
}

#[derive(Debug, Default, Clone)]
pub struct Generics {
    pub params: Vec<Name>,
    /// Type and const parameters' bounds and where clauses: type, bounds.
    pub bounds: Vec<(TypeId, Vec<TypeId>)>,
}

#[derive(Debug)]
pub struct AdtDecl {
    pub generics: Generics,
    /// A struct has exactly one, with an empty name; an enum one each.
    pub variants: Vec<Variant>,
    pub is_enum: bool,
}

#[derive(Debug)]
pub struct TraitDecl {
    pub generics: Generics,
    pub supers: Vec<TypeId>,
    pub items: Vec<Item>,
}

#[derive(Debug)]
pub struct FieldDecl {
    /// `0`, `1` for tuple structs.
    pub name: Name,
    pub ty: TypeId,
    pub attrs: Attrs,
    pub at: At,
}

#[derive(Debug)]
pub struct Variant {
    pub name: Name,
    pub fields: Vec<FieldDecl>,
    pub tuple: bool,
    pub attrs: Attrs,
    pub at: At,
}

#[derive(Debug)]
pub struct Impl {
    pub generics: Generics,
    /// The trait as a type (path with arguments).
    pub of: Option<TypeId>,
    pub for_type: TypeId,
    pub items: Vec<Item>,
}

#[derive(Debug)]
pub struct Function {
    pub is_async: bool,
    pub generics: Generics,
    /// `None`: no receiver. By value, by reference.
    pub receiver: Option<Receiver>,
    /// Without the receiver.
    pub params: Vec<(PatId, TypeId)>,
    pub result: Option<TypeId>,
    /// A block expression.
    pub body: Option<ExprId>,
    /// Where the name stands.
    pub name_at: At,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Receiver {
    Value,
    Ref,
    Mut,
}
