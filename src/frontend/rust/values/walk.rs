//! Walks over a body, and what a pattern takes apart.

use crate::frontend::rust::names::for_each_child;
use crate::frontend::rust::tree::{ExprId, PatId, PatKind, RustFile};

/// Every expression below `root` and itself, parents before children. `enter` says whether to look inside.
pub fn each(tree: &RustFile, root: ExprId, enter: &mut dyn FnMut(ExprId) -> bool) {
    let mut stack = vec![root];
    while let Some(e) = stack.pop() {
        if !enter(e) {
            continue;
        }
        let from = stack.len();
        for_each_child(tree, e, &mut |child| stack.push(child));
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
