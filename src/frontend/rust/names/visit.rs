//! The children of an expression, for walks that need no types.

use crate::frontend::rust::tree::{Block, ExprId, ExprKind, MacroArgs, RustFile, SelectArm, Stmt};

/// Calls `f` with every direct child expression, in the order of the text; expressions in patterns are not children.
pub fn for_each_child(tree: &RustFile, expr: ExprId, f: &mut dyn FnMut(ExprId)) {
    match &tree.expr(expr).kind {
        ExprKind::Path(_) | ExprKind::Lit(_) | ExprKind::Continue { .. } | ExprKind::Unknown => {}
        ExprKind::Call { callee, args } => {
            f(*callee);
            args.iter().for_each(|a| f(*a));
        }
        ExprKind::Method { receiver, args, .. } => {
            f(*receiver);
            args.iter().for_each(|a| f(*a));
        }
        ExprKind::Struct { fields, base, .. } => {
            fields.iter().for_each(|(_, v)| f(*v));
            base.iter().for_each(|b| f(*b));
        }
        ExprKind::Tuple(all) | ExprKind::Array(all) => all.iter().for_each(|a| f(*a)),
        ExprKind::Match { value, arms } => {
            f(*value);
            for arm in arms {
                arm.guard.iter().for_each(|g| f(*g));
                f(arm.body);
            }
        }
        ExprKind::Block(block) => block_children(block, f),
        ExprKind::Macro(call) => macro_children(&call.args, f),
        kind => few(kind).into_iter().flatten().for_each(f),
    }
}

/// Expressions with up to three children.
fn few(kind: &ExprKind) -> [Option<ExprId>; 3] {
    match kind {
        ExprKind::Field { base, .. } => [Some(*base), None, None],
        ExprKind::Index { base, index } => [Some(*base), Some(*index), None],
        ExprKind::Try(e) | ExprKind::Await(e) | ExprKind::Ref(e) | ExprKind::Unary(_, e) => [Some(*e), None, None],
        ExprKind::Binary { left, right, .. } => [Some(*left), Some(*right), None],
        ExprKind::Assign { to, value } | ExprKind::OpAssign { to, value, .. } => [Some(*to), Some(*value), None],
        ExprKind::Repeat { value, len } => [Some(*value), Some(*len), None],
        ExprKind::Cast { value, .. } | ExprKind::Let { value, .. } => [Some(*value), None, None],
        ExprKind::If { cond, then, otherwise } => [Some(*cond), Some(*then), *otherwise],
        ExprKind::Async { block } => [Some(*block), None, None],
        ExprKind::Loop { body, .. } | ExprKind::Closure { body, .. } => [Some(*body), None, None],
        ExprKind::While { cond, body, .. } => [Some(*cond), Some(*body), None],
        ExprKind::For { iter, body, .. } => [Some(*iter), Some(*body), None],
        ExprKind::Break { value, .. } | ExprKind::Return(value) | ExprKind::Yield(value) => [*value, None, None],
        ExprKind::Range { start, end, .. } => [*start, *end, None],
        _ => [None; 3],
    }
}

fn block_children(block: &Block, f: &mut dyn FnMut(ExprId)) {
    for stmt in &block.stmts {
        match stmt {
            Stmt::Let { value, otherwise, .. } => {
                value.iter().for_each(|v| f(*v));
                otherwise.iter().for_each(|o| f(*o));
            }
            Stmt::Expr(e) => f(*e),
        }
    }
    block.tail.iter().for_each(|t| f(*t));
}

fn macro_children(args: &MacroArgs, f: &mut dyn FnMut(ExprId)) {
    match args {
        MacroArgs::List(all) => all.iter().for_each(|a| f(*a)),
        MacroArgs::Format { args, .. } => args.iter().for_each(|a| f(*a)),
        MacroArgs::Matches { value, guard, .. } => {
            f(*value);
            guard.iter().for_each(|g| f(*g));
        }
        MacroArgs::Select(arms) => {
            for SelectArm { future, cond, body, .. } in arms {
                future.iter().chain(cond).for_each(|e| f(*e));
                f(*body);
            }
        }
        MacroArgs::Block(block) => f(*block),
        MacroArgs::Opaque { .. } => {}
    }
}
