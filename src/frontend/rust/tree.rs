//! The lowered Rust file: what is left of a syntax tree when everything nobody asks for is gone. No syn above this line.
//!
//! All nodes of a file stand in flat vectors and are named by index; children always have smaller indices than their
//! parents, except the bodies of items. Positions are byte offsets into the file's text.

mod item;
mod segment;

use crate::name::Name;

pub use item::{
    AdtDecl, Attrs, FieldDecl, Function, Generics, Impl, Item, ItemKind, MacroArm, Receiver, TraitDecl, UseLeaf,
    Variant,
};
pub use segment::{Arguments, Segment, Segments};

/// A byte range in the file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct At {
    pub start: u32,
    pub end: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ExprId(pub u32);
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct PatId(pub u32);
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TypeId(pub u32);

#[derive(Debug, Default)]
pub struct RustFile {
    pub items: Vec<Item>,
    /// Bodies of items, named by index from [`ItemKind`].
    pub functions: Vec<Function>,
    pub adts: Vec<AdtDecl>,
    pub traits: Vec<TraitDecl>,
    pub impls: Vec<Impl>,
    pub exprs: Vec<Expr>,
    pub pats: Vec<Pat>,
    pub types: Vec<Type>,
    pub problems: Vec<(u32, String)>,
    pub lines: u32,
}

impl RustFile {
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }
    pub fn pat(&self, id: PatId) -> &Pat {
        &self.pats[id.0 as usize]
    }
    pub fn ty(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }
}

// ---- types

#[derive(Debug, Clone)]
pub enum Type {
    Path(Path),
    /// `<T as Trait>::Name`: the self type, the trait, the rest of the path.
    Qualified {
        of: TypeId,
        as_trait: Option<TypeId>,
        rest: Vec<Name>,
    },
    Ref(TypeId),
    Tuple(Vec<TypeId>),
    /// Slice and array.
    Slice(TypeId),
    Fn {
        params: Vec<TypeId>,
        result: Option<TypeId>,
    },
    Impl(Vec<TypeId>),
    Dyn(Vec<TypeId>),
    Never,
    Infer,
    Other,
}

/// A path in types, expressions and patterns. A leading `::` is an empty first segment; `Self`, `self`, `crate`, `super` as they are.
#[derive(Debug, Clone, Default)]
pub struct Path {
    pub segments: Segments,
    /// `<T as Trait>::f`, `<T>::f`: the self type; the trait's path is then the segments before the last.
    pub of: Option<TypeId>,
}

impl Path {
    pub fn last(&self) -> Option<&Segment> {
        self.segments.last()
    }

    /// The only segment's name, if there is exactly one and no self type.
    pub fn single(&self) -> Option<&Name> {
        match (&self.segments[..], self.of) {
            ([only], None) => Some(&only.name),
            _ => None,
        }
    }
}

// ---- patterns

#[derive(Debug)]
pub struct Pat {
    pub kind: PatKind,
    pub at: At,
}

#[derive(Debug)]
pub enum PatKind {
    Wild,
    Rest,
    /// A plain name: a binding, unless it resolves to a constant or a unit variant.
    Ident {
        name: Name,
        by_ref: bool,
        mutable: bool,
        sub: Option<PatId>,
    },
    Path(Path),
    TupleStruct {
        path: Path,
        parts: Vec<PatId>,
    },
    Struct {
        path: Path,
        fields: Vec<(Name, PatId)>,
        rest: bool,
    },
    Tuple(Vec<PatId>),
    Slice(Vec<PatId>),
    Or(Vec<PatId>),
    Typed(PatId, TypeId),
    Ref(PatId),
    Lit(ExprId),
    Range {
        start: Option<ExprId>,
        end: Option<ExprId>,
        inclusive: bool,
    },
    Other,
}

// ---- expressions

#[derive(Debug)]
pub struct Expr {
    pub kind: ExprKind,
    /// The whole expression; for a method call the start is that of the receiver, see `name_at`.
    pub at: At,
}

#[derive(Debug)]
pub enum ExprKind {
    Path(Path),
    Call {
        callee: ExprId,
        args: Vec<ExprId>,
    },
    Method {
        receiver: ExprId,
        name: Name,
        name_at: At,
        turbofish: Box<[TypeId]>,
        args: Box<[ExprId]>,
    },
    Field {
        base: ExprId,
        name: Name,
    },
    Index {
        base: ExprId,
        index: ExprId,
    },
    Try(ExprId),
    Await(ExprId),
    Ref(ExprId),
    Unary(UnaryOp, ExprId),
    Binary {
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
    },
    Assign {
        to: ExprId,
        value: ExprId,
    },
    /// `+=` and the like.
    OpAssign {
        op: BinaryOp,
        to: ExprId,
        value: ExprId,
    },
    Struct {
        path: Path,
        fields: Vec<(Name, ExprId)>,
        base: Option<ExprId>,
    },
    Tuple(Vec<ExprId>),
    /// `[a, b]` and `vec![a, b]`.
    Array(Vec<ExprId>),
    /// `[x; n]` and `vec![x; n]`.
    Repeat {
        value: ExprId,
        len: ExprId,
    },
    Lit(Lit),
    Cast {
        value: ExprId,
        ty: TypeId,
    },
    If {
        cond: ExprId,
        then: ExprId,
        otherwise: Option<ExprId>,
    },
    /// `let PAT = value` as a condition.
    Let {
        pat: PatId,
        value: ExprId,
    },
    Match {
        value: ExprId,
        arms: Vec<Arm>,
    },
    Block(Block),
    Async {
        block: ExprId,
    },
    Loop {
        label: Option<Name>,
        body: ExprId,
    },
    While {
        label: Option<Name>,
        cond: ExprId,
        body: ExprId,
    },
    For {
        label: Option<Name>,
        pat: PatId,
        iter: ExprId,
        body: ExprId,
    },
    Closure {
        params: Vec<(PatId, Option<TypeId>)>,
        result: Option<TypeId>,
        body: ExprId,
        is_async: bool,
    },
    Break {
        label: Option<Name>,
        value: Option<ExprId>,
    },
    Continue {
        label: Option<Name>,
    },
    Return(Option<ExprId>),
    Yield(Option<ExprId>),
    Range {
        start: Option<ExprId>,
        end: Option<ExprId>,
        inclusive: bool,
    },
    Macro(Box<MacroCall>),
    Unknown,
}

#[derive(Debug)]
pub struct Arm {
    pub pat: PatId,
    pub guard: Option<ExprId>,
    pub body: ExprId,
}

#[derive(Debug)]
pub struct Block {
    pub label: Option<Name>,
    pub stmts: Vec<Stmt>,
    /// The value of the block.
    pub tail: Option<ExprId>,
    /// Items declared inside the body.
    pub items: Box<[Item]>,
}

#[derive(Debug)]
pub enum Stmt {
    Let {
        pat: PatId,
        ty: Option<TypeId>,
        value: Option<ExprId>,
        otherwise: Option<ExprId>,
        at: At,
    },
    /// An expression whose value is dropped.
    Expr(ExprId),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Lit {
    /// Any integer, with its suffix as written (may be empty).
    Int(u128, Name),
    Float(f64),
    Str(Name),
    Bool(bool),
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnaryOp {
    Not,
    Neg,
    Deref,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    BitXor,
    BitAnd,
    BitOr,
    Shl,
    Shr,
    Eq,
    Lt,
    Le,
    Ne,
    Ge,
    Gt,
}

#[derive(Debug)]
pub struct MacroCall {
    /// As written: `tokio::select`, `vec`.
    pub path: Path,
    pub args: MacroArgs,
}

#[derive(Debug)]
pub enum MacroArgs {
    /// Expressions in order: `join!`, `try_join!`, `anyhow!`, `sqlx::query!`, unknown ones that parse so.
    List(Vec<ExprId>),
    /// `format!`, `println!`, `bail!`, `info!` ...: the arguments besides the text, the text, and the variables captured inside it.
    Format { text: Name, args: Vec<ExprId>, captures: Vec<Name> },
    /// `matches!(value, pattern if guard)`.
    Matches { value: ExprId, pat: PatId, guard: Option<ExprId> },
    /// `select!`: pattern, future, condition, handler; `else` has neither pattern nor future.
    Select(Vec<SelectArm>),
    /// A statement list (`stream!`, `async_stream::try_stream!`, unknown ones that parse so): a block expression.
    Block(ExprId),
    /// Not understood; whether a call, `.await`, `?` or a loop may hide in it.
    Opaque { may_call: bool },
}

#[derive(Debug)]
pub struct SelectArm {
    pub pat: Option<PatId>,
    pub future: Option<ExprId>,
    pub cond: Option<ExprId>,
    pub body: ExprId,
}
