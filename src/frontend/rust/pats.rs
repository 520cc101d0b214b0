//! Small questions about patterns and expressions that several passes ask.

use rustc_hash::FxHashSet;

use super::program::BodyTypes;
use super::tree::{ExprId, ExprKind, MacroArgs, PatId, PatKind, RustFile, Stmt};

/// Every name a pattern binds.
pub fn bindings(tree: &RustFile, pat: PatId) -> Vec<PatId> {
    let mut found = Vec::new();
    let mut open = vec![pat];
    while let Some(id) = open.pop() {
        match &tree.pat(id).kind {
            PatKind::Ident { sub, .. } => {
                found.push(id);
                open.extend(sub);
            }
            PatKind::TupleStruct { parts, .. } | PatKind::Tuple(parts) | PatKind::Slice(parts) | PatKind::Or(parts) => {
                open.extend(parts);
            }
            PatKind::Struct { fields, .. } => open.extend(fields.iter().map(|(_, p)| *p)),
            PatKind::Typed(inner, _) | PatKind::Ref(inner) => open.push(*inner),
            PatKind::Wild
            | PatKind::Rest
            | PatKind::Path(_)
            | PatKind::Lit(_)
            | PatKind::Range { .. }
            | PatKind::Other => {}
        }
    }
    found
}

/// The direct parts of an expression, in the order of the text. Bodies of nested items are not among them.
pub fn children(tree: &RustFile, e: ExprId) -> Vec<ExprId> {
    use ExprKind::*;
    match &tree.expr(e).kind {
        Path(_) | Lit(_) | Continue { .. } | Unknown => Vec::new(),
        Call { callee, args } => std::iter::once(*callee).chain(args.iter().copied()).collect(),
        Method { receiver, args, .. } => std::iter::once(*receiver).chain(args.iter().copied()).collect(),
        Field { base: e, .. }
        | Try(e)
        | Await(e)
        | Ref(e)
        | Unary(_, e)
        | Cast { value: e, .. }
        | Async { block: e } => vec![*e],
        Index { base: a, index: b } | Repeat { value: a, len: b } => vec![*a, *b],
        Binary { left, right, .. } => vec![*left, *right],
        Assign { to, value } | OpAssign { to, value, .. } => vec![*to, *value],
        Struct { fields, base, .. } => fields.iter().map(|(_, e)| *e).chain(*base).collect(),
        Tuple(parts) | Array(parts) => parts.clone(),
        If { cond, then, otherwise } => [*cond, *then].into_iter().chain(*otherwise).collect(),
        Let { value, .. } => vec![*value],
        Match { value, arms } => {
            std::iter::once(*value).chain(arms.iter().flat_map(|a| a.guard.into_iter().chain([a.body]))).collect()
        }
        Block(block) => block.stmts.iter().flat_map(statement).chain(block.tail).collect(),
        Loop { body, .. } | Closure { body, .. } => vec![*body],
        While { cond, body, .. } => vec![*cond, *body],
        For { iter, body, .. } => vec![*iter, *body],
        Break { value, .. } | Return(value) | Yield(value) => value.iter().copied().collect(),
        Range { start, end, .. } => start.iter().chain(end).copied().collect(),
        Macro(call) => macro_parts(&call.args),
    }
}

fn statement(stmt: &Stmt) -> Vec<ExprId> {
    match stmt {
        Stmt::Let { value, otherwise, .. } => value.iter().chain(otherwise).copied().collect(),
        Stmt::Expr(e) => vec![*e],
    }
}

fn macro_parts(args: &MacroArgs) -> Vec<ExprId> {
    match args {
        MacroArgs::List(parts) | MacroArgs::Format { args: parts, .. } => parts.clone(),
        MacroArgs::Matches { value, guard, .. } => std::iter::once(*value).chain(*guard).collect(),
        MacroArgs::Select(arms) => {
            arms.iter().flat_map(|a| a.future.into_iter().chain(a.cond).chain([a.body])).collect()
        }
        MacroArgs::Block(block) => vec![*block],
        MacroArgs::Opaque { .. } => Vec::new(),
    }
}

/// Every local that is mentioned anywhere inside an expression.
pub fn mentions(tree: &RustFile, types: &BodyTypes, e: ExprId) -> FxHashSet<PatId> {
    let mut found = FxHashSet::default();
    let mut open = vec![e];
    while let Some(id) = open.pop() {
        found.extend(types.locals.get(&id));
        open.extend(children(tree, id));
    }
    found
}

/// The expression below references, dereferences, casts, `?`, `.await`, fields and parentheses.
pub fn root(tree: &RustFile, mut e: ExprId) -> ExprId {
    loop {
        e = match &tree.expr(e).kind {
            ExprKind::Ref(inner)
            | ExprKind::Unary(super::tree::UnaryOp::Deref, inner)
            | ExprKind::Field { base: inner, .. }
            | ExprKind::Cast { value: inner, .. }
            | ExprKind::Try(inner)
            | ExprKind::Await(inner) => *inner,
            _ => return e,
        };
    }
}
