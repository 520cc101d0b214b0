//! Children of an expression, in the order in which they are evaluated. One list for everything that walks a body here.

use crate::frontend::rust::tree::{Block, ExprId, ExprKind, MacroArgs, PatId, PatKind, RustFile, Stmt};

/// Every direct child expression. Items declared inside a block are bodies of their own and not visited.
pub fn children(kind: &ExprKind, visit: &mut dyn FnMut(ExprId)) {
    match kind {
        ExprKind::Call { callee: first, args } | ExprKind::Method { receiver: first, args, .. } => {
            std::iter::once(first).chain(args).copied().for_each(visit)
        }
        ExprKind::Field { base: one, .. }
        | ExprKind::Try(one)
        | ExprKind::Await(one)
        | ExprKind::Ref(one)
        | ExprKind::Unary(_, one)
        | ExprKind::Cast { value: one, .. }
        | ExprKind::Let { value: one, .. }
        | ExprKind::Async { block: one }
        | ExprKind::Loop { body: one, .. }
        | ExprKind::Closure { body: one, .. } => visit(*one),
        ExprKind::Index { base: a, index: b }
        | ExprKind::Binary { left: a, right: b, .. }
        | ExprKind::Repeat { value: a, len: b }
        | ExprKind::While { cond: a, body: b, .. }
        | ExprKind::For { iter: a, body: b, .. }
        | ExprKind::Assign { to: b, value: a }
        | ExprKind::OpAssign { to: b, value: a, .. } => [*a, *b].into_iter().for_each(visit),
        ExprKind::Struct { fields, base, .. } => fields.iter().map(|(_, e)| *e).chain(*base).for_each(visit),
        ExprKind::Tuple(parts) | ExprKind::Array(parts) => parts.iter().copied().for_each(visit),
        ExprKind::If { cond, then, otherwise } => [*cond, *then].into_iter().chain(*otherwise).for_each(visit),
        ExprKind::Match { value, arms } => {
            let of_arms = arms.iter().flat_map(|arm| arm.guard.into_iter().chain([arm.body]));
            std::iter::once(*value).chain(of_arms).for_each(visit)
        }
        ExprKind::Block(block) => block_children(block, visit),
        ExprKind::Break { value: one, .. } | ExprKind::Return(one) | ExprKind::Yield(one) => {
            one.iter().copied().for_each(visit)
        }
        ExprKind::Range { start, end, .. } => start.iter().chain(end).copied().for_each(visit),
        ExprKind::Macro(call) => macro_children(&call.args, visit),
        ExprKind::Path(_) | ExprKind::Lit(_) | ExprKind::Continue { .. } | ExprKind::Unknown => {}
    }
}

fn block_children(block: &Block, visit: &mut dyn FnMut(ExprId)) {
    for stmt in &block.stmts {
        match stmt {
            Stmt::Let { value, otherwise, .. } => value.iter().chain(otherwise).copied().for_each(&mut *visit),
            Stmt::Expr(e) => visit(*e),
        }
    }
    block.tail.iter().copied().for_each(visit);
}

fn macro_children(args: &MacroArgs, visit: &mut dyn FnMut(ExprId)) {
    match args {
        MacroArgs::List(list) | MacroArgs::Format { args: list, .. } => list.iter().copied().for_each(visit),
        MacroArgs::Matches { value, guard, .. } => {
            visit(*value);
            guard.iter().copied().for_each(visit);
        }
        MacroArgs::Select(arms) => {
            for arm in arms {
                arm.cond.iter().chain(&arm.future).copied().for_each(&mut *visit);
                visit(arm.body);
            }
        }
        MacroArgs::Block(e) => visit(*e),
        MacroArgs::Opaque { .. } => {}
    }
}

/// Every expression below `root` and itself, parents before children. `enter` says whether to look inside.
pub fn each(tree: &RustFile, root: ExprId, enter: &mut dyn FnMut(ExprId) -> bool) {
    let mut stack = vec![root];
    while let Some(e) = stack.pop() {
        if !enter(e) {
            continue;
        }
        let from = stack.len();
        children(&tree.expr(e).kind, &mut |child| stack.push(child));
        stack[from..].reverse();
    }
}

/// Whether anything below `root` satisfies the question.
pub fn any(tree: &RustFile, root: ExprId, is: &mut dyn FnMut(ExprId) -> bool) -> bool {
    let mut found = false;
    each(tree, root, &mut |e| {
        found = found || is(e);
        !found
    });
    found
}

/// The patterns directly inside a pattern, with how a value is taken apart to reach them.
pub fn parts(tree: &RustFile, pat: PatId) -> Vec<(super::index::Part, PatId)> {
    use super::index::Part;
    match &tree.pat(pat).kind {
        PatKind::TupleStruct { path, parts } => {
            let name = path.last().map(|s| s.name.as_str()).unwrap_or_default();
            let wraps = matches!(name, "Some" | "Ok");
            let part = |i: usize| match wraps {
                true => Part::Inside,
                false if matches!(name, "Err") => Part::Other,
                false => Part::Field(i.to_string().as_str().into()),
            };
            parts.iter().enumerate().map(|(i, p)| (part(i), *p)).collect()
        }
        PatKind::Struct { fields, .. } => fields.iter().map(|(n, p)| (Part::Field(n.clone()), *p)).collect(),
        PatKind::Tuple(parts) => {
            parts.iter().enumerate().map(|(i, p)| (Part::Field(i.to_string().as_str().into()), *p)).collect()
        }
        PatKind::Slice(parts) => parts.iter().map(|p| (Part::Element, *p)).collect(),
        PatKind::Or(parts) => parts.iter().map(|p| (Part::Other, *p)).collect(),
        PatKind::Typed(p, _) | PatKind::Ref(p) | PatKind::Ident { sub: Some(p), .. } => {
            vec![(Part::Same, *p)]
        }
        _ => Vec::new(),
    }
}
