//! Which expression of a loop is the try, when nobody who knows says so: what is awaited, what can fail.

use rustc_hash::FxHashSet;

use crate::frontend::rust::program::{BodyId, Target, Ty};
use crate::frontend::rust::tree::{ExprId, ExprKind};
use crate::frontend::rust::values::{Values, walk};
use crate::model::Does;

pub fn guess(values: &Values, body: BodyId, the_loop: ExprId) -> impl Fn(ExprId) -> bool {
    let tree = values.tree(body);
    let mut found = FxHashSet::default();
    walk::each(tree, the_loop, &mut |e| {
        let inner = match &tree.expr(e).kind {
            ExprKind::Await(inner) | ExprKind::Try(inner) => Some(*inner),
            ExprKind::Match { value, .. } | ExprKind::Let { value, .. } => Some(*value),
            ExprKind::Call { .. } if matches!(values.target(body, e), Some(Target::Callable)) => Some(e),
            ExprKind::Call { .. } | ExprKind::Method { .. } if fails(values, body, e) => Some(e),
            _ => None,
        };
        if let Some(inner) = inner.filter(|i| is_try(values, body, *i)) {
            found.insert(inner);
        }
        true
    });
    move |e| found.contains(&e)
}

fn fails(values: &Values, body: BodyId, e: ExprId) -> bool {
    matches!(values.type_of(body, e), Some(Ty::Foreign(name, _)) if *name == "Result")
}

fn is_try(values: &Values, body: BodyId, e: ExprId) -> bool {
    let tree = values.tree(body);
    match &tree.expr(e).kind {
        ExprKind::Await(inner) => is_try(values, body, *inner),
        ExprKind::Call { .. } => !known_local(values, body, e),
        ExprKind::Method { name, .. } => !known_local(values, body, e) && !is_std(name),
        ExprKind::Macro(_) | ExprKind::Async { .. } => false,
        _ => false,
    }
}

fn known_local(values: &Values, body: BodyId, e: ExprId) -> bool {
    match values.target(body, e) {
        Some(Target::Foreign(path)) => {
            let does = values.model_of(path).and_then(|m| m.does.as_ref());
            matches!(
                does,
                Some(
                    Does::Sleep { .. } | Does::Blocks | Does::Random | Does::Local | Does::StatusToError | Does::Status
                )
            ) || path.ends_with("::sleep")
                || path.starts_with("std::")
                || path.starts_with("core::")
        }
        Some(Target::Constructor(_)) => true,
        _ => false,
    }
}

/// Methods of `Option`, `Result`, iterators and numbers: no tries, whatever they are called on.
fn is_std(name: &str) -> bool {
    name.starts_with("checked_")
        || matches!(
            name,
            "next"
                | "next_backoff"
                | "pop"
                | "pop_front"
                | "get"
                | "first"
                | "last"
                | "ok_or"
                | "ok_or_else"
                | "ok"
                | "err"
                | "as_ref"
                | "cmp"
                | "tick"
                | "status"
                | "parse"
                | "elapsed"
                | "map_err"
                | "unwrap"
                | "context"
        )
}
