//! Small questions about patterns and expressions that several passes ask.

use rustc_hash::FxHashSet;

use super::program::BodyTypes;
use super::tree::{ExprId, ExprKind, PatId, PatKind, RustFile};

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
    let mut found = Vec::new();
    super::names::for_each_child(tree, e, &mut |child| found.push(child));
    found
}

/// The same, onto a stack.
pub fn push_children(tree: &RustFile, e: ExprId, onto: &mut Vec<ExprId>) {
    super::names::for_each_child(tree, e, &mut |child| onto.push(child));
}

/// Every local that is mentioned anywhere inside an expression, in format strings too.
pub fn mentions(tree: &RustFile, types: &BodyTypes, e: ExprId) -> FxHashSet<PatId> {
    let mut found = FxHashSet::default();
    let mut open = vec![e];
    while let Some(id) = open.pop() {
        found.extend(types.locals.get(&id));
        found.extend(types.captures.get(&id).into_iter().flatten());
        push_children(tree, id, &mut open);
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
