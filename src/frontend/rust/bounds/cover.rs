//! Whether one pattern holds whenever another does: only then was the guard of an earlier arm surely asked.

use crate::frontend::rust::program::BodyTypes;
use crate::frontend::rust::tree::{PatId, PatKind, Path, RustFile};
use crate::name::Name;

/// Every value that `inner` takes, `outer` takes too. Not sure: false.
pub fn covers(tree: &RustFile, types: &BodyTypes, outer: PatId, inner: PatId) -> bool {
    stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || {
        let (o, i) = (&tree.pat(outer).kind, &tree.pat(inner).kind);
        if let PatKind::Typed(x, _) | PatKind::Ref(x) = o {
            return covers(tree, types, *x, inner);
        }
        if let PatKind::Typed(x, _) | PatKind::Ref(x) = i {
            return covers(tree, types, outer, *x);
        }
        if takes_all(tree, types, outer) {
            return true;
        }
        match (o, i) {
            (_, PatKind::Or(parts)) => parts.iter().all(|p| covers(tree, types, outer, *p)),
            (PatKind::Or(parts), _) => parts.iter().any(|p| covers(tree, types, *p, inner)),
            (_, PatKind::Ident { sub: Some(p), .. }) => covers(tree, types, outer, *p),
            (PatKind::TupleStruct { path: a, parts: x }, PatKind::TupleStruct { path: b, parts: y }) => {
                same(a, b) && each(tree, types, x, y)
            }
            (PatKind::Tuple(x), PatKind::Tuple(y)) => each(tree, types, x, y),
            (PatKind::Struct { path: a, fields: x, .. }, PatKind::Struct { path: b, fields: y, .. }) => {
                let inner_of = |name| y.iter().find(|(n, _)| n == name).map(|(_, p)| *p);
                same(a, b)
                    && x.iter().all(|(name, p)| {
                        takes_all(tree, types, *p) || inner_of(name).is_some_and(|i| covers(tree, types, *p, i))
                    })
            }
            _ => match (path_of(o), path_of(i)) {
                (Some(a), Some(b)) => a == b,
                _ => false,
            },
        }
    })
}

/// The pattern refuses nothing.
pub fn takes_all(tree: &RustFile, types: &BodyTypes, pat: PatId) -> bool {
    match &tree.pat(pat).kind {
        PatKind::Wild | PatKind::Rest => true,
        PatKind::Ident { sub, .. } => !names_a_value(tree, types, pat) && sub.is_none_or(|p| takes_all(tree, types, p)),
        PatKind::Typed(p, _) | PatKind::Ref(p) => takes_all(tree, types, *p),
        PatKind::Tuple(parts) => parts.iter().all(|p| takes_all(tree, types, *p)),
        _ => false,
    }
}

/// A plain name that is a unit variant or a constant.
fn names_a_value(tree: &RustFile, types: &BodyTypes, pat: PatId) -> bool {
    let PatKind::Ident { name, .. } = &tree.pat(pat).kind else {
        return false;
    };
    types.pat_paths.contains_key(&pat) || *name == "None"
}

fn each(tree: &RustFile, types: &BodyTypes, outer: &[PatId], inner: &[PatId]) -> bool {
    let rest = |parts: &[PatId]| parts.iter().any(|p| matches!(tree.pat(*p).kind, PatKind::Rest));
    if outer.iter().all(|p| takes_all(tree, types, *p)) && (rest(outer) || outer.len() == inner.len()) {
        return true;
    }
    !rest(outer)
        && !rest(inner)
        && outer.len() == inner.len()
        && outer.iter().zip(inner).all(|(o, i)| covers(tree, types, *o, *i))
}

fn same(a: &Path, b: &Path) -> bool {
    matches!((a.last(), b.last()), (Some(x), Some(y)) if x.name == y.name)
}

fn path_of(kind: &PatKind) -> Option<&str> {
    match kind {
        PatKind::Path(path) => path.last().map(|s| s.name.as_str()),
        PatKind::Ident { name, .. } => Some(name.as_str()),
        _ => None,
    }
}

/// `Some(..)` and `Ok(..)` are one side of a fallible value, `None` and `Err(..)` the other.
pub fn side(tree: &RustFile, pat: PatId) -> Option<bool> {
    match variant(tree, pat)?.as_str() {
        "Some" | "Ok" => Some(true),
        "None" | "Err" => Some(false),
        _ => None,
    }
}

/// The variant that a pattern takes; of several there is none.
pub fn variant(tree: &RustFile, pat: PatId) -> Option<&Name> {
    match &tree.pat(pat).kind {
        PatKind::TupleStruct { path, .. } | PatKind::Path(path) | PatKind::Struct { path, .. } => {
            Some(&path.last()?.name)
        }
        PatKind::Ident { name, sub: None, .. } => Some(name),
        PatKind::Typed(p, _) | PatKind::Ref(p) => variant(tree, *p),
        PatKind::Or(parts) => {
            let first = variant(tree, *parts.first()?)?;
            parts.iter().all(|p| variant(tree, *p) == Some(first)).then_some(first)
        }
        _ => None,
    }
}

/// Whether a pattern takes every value of its variant.
pub fn whole_variant(tree: &RustFile, types: &BodyTypes, pat: PatId) -> bool {
    match &tree.pat(pat).kind {
        PatKind::TupleStruct { parts, .. } => parts.iter().all(|p| takes_all(tree, types, *p)),
        PatKind::Struct { fields, .. } => fields.iter().all(|(_, p)| takes_all(tree, types, *p)),
        PatKind::Path(_) => true,
        PatKind::Typed(p, _) | PatKind::Ref(p) => whole_variant(tree, types, *p),
        PatKind::Or(parts) => parts.iter().any(|p| whole_variant(tree, types, *p)),
        _ => names_a_value(tree, types, pat),
    }
}

/// `Ok(..)`, the arm of success.
pub fn is_ok(tree: &RustFile, pat: PatId) -> bool {
    matches!(&tree.pat(pat).kind, PatKind::TupleStruct { path, .. } if path.last().is_some_and(|s| s.name == "Ok"))
}
