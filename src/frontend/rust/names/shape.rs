//! Operations on types that need no tables: binding parameters, sizes, elements, foreign wrappers.

use super::prelude;
use crate::frontend::rust::program::Ty;
use crate::model::Models;
use crate::name::{Name, last_segment};

/// Bindings of generic parameters.
pub type Subst = Vec<(Name, Ty)>;

/// The number of nodes of a type, not counted further than `limit`.
pub fn size(ty: &Ty, limit: u32) -> u32 {
    let mut count = 0;
    let mut open = vec![ty];
    while let Some(next) = open.pop() {
        count += 1;
        if count >= limit {
            break;
        }
        match next {
            Ty::Adt(_, args) | Ty::Foreign(_, args) | Ty::Tuple(args) => open.extend(args),
            Ty::Fn(params, result) => {
                open.extend(params);
                open.push(result);
            }
            Ty::Assoc(base, _) => open.push(base),
            _ => {}
        }
    }
    count
}

/// Binds the parameters of a template so that it gives the actual type; what does not fit is left alone.
pub fn unify(template: &Ty, actual: &Ty, subst: &mut Subst) {
    match (template, actual) {
        (_, Ty::Unknown | Ty::Never) => {}
        (Ty::Param(name), actual) => match subst.iter_mut().find(|(n, _)| n == name) {
            None => subst.push((name.clone(), actual.clone())),
            Some((_, old)) if matches!(old, Ty::ForeignValue(_) | Ty::Unknown) => *old = actual.clone(),
            Some(_) => {}
        },
        (Ty::Adt(a, xs), Ty::Adt(b, ys)) if a == b => pairs(xs, ys, subst),
        (Ty::Foreign(a, xs), Ty::Foreign(b, ys)) if last_of(a) == last_of(b) => pairs(xs, ys, subst),
        (Ty::Foreign(a, xs), actual) if *a == "Iterator" => {
            if let (Some(item), Some(found)) = (xs.first(), element(actual)) {
                unify(item, &found, subst);
            }
        }
        (Ty::Tuple(xs), Ty::Tuple(ys)) => pairs(xs, ys, subst),
        (Ty::Fn(xs, x), Ty::Fn(ys, y)) => {
            pairs(xs, ys, subst);
            unify(x, y, subst);
        }
        _ => {}
    }
}

fn pairs(xs: &[Ty], ys: &[Ty], subst: &mut Subst) {
    xs.iter().zip(ys).for_each(|(x, y)| unify(x, y, subst));
}

/// What a `for` over the value gives.
pub fn element(ty: &Ty) -> Option<Ty> {
    match ty {
        Ty::Foreign(head, args) => match last_of(head) {
            "HashMap" | "BTreeMap" | "IndexMap" | "DashMap" if args.len() >= 2 => Some(Ty::Tuple(args[..2].to_vec())),
            "Vec" | "VecDeque" | "HashSet" | "BTreeSet" | "BinaryHeap" | "IndexSet" | "Option" | "Iterator"
            | "Range" | "Receiver" | "FuturesUnordered" | "FuturesOrdered" | "SmallVec" | "ArrayVec" | "LinkedList"
            | "Peekable" => args.first().cloned(),
            _ => None,
        },
        Ty::ForeignValue(path) => Some(Ty::ForeignValue(path.clone())),
        _ => None,
    }
}

pub fn last_of(path: &str) -> &str {
    last_segment(path)
}

pub fn canonical(models: Option<&Models>, path: &str) -> Name {
    let path = prelude::normal(path);
    models.map_or_else(|| path.clone(), |m| m.canonical(&path))
}

/// A foreign type, with wrappers that method calls see through taken away.
pub fn foreign(models: Option<&Models>, path: &str, mut args: Vec<Ty>) -> Ty {
    let path = canonical(models, path);
    let last = last_of(&path);
    let peeled = match last {
        "Box" | "Arc" | "Rc" | "Pin" | "Cow" | "BoxFuture" | "LocalBoxFuture" | "LazyLock" | "Lazy"
        | "ManuallyDrop" | "CachePadded" => true,
        "Ref" | "RefMut" => path.starts_with("std::cell"),
        guard => guard.ends_with("Guard") && (guard.contains("Mutex") || guard.contains("RwLock")),
    };
    // A modelled wrapper that hands everything on to its argument (`web::Data<T>`).
    let hands_on = |m: &Models| m.type_model(&path).is_some_and(|t| t.derefs_to.as_deref() == Some("T"));
    if (peeled || models.is_some_and(hands_on)) && !args.is_empty() {
        return args.swap_remove(0);
    }
    match last {
        "BoxStream" | "LocalBoxStream" => Ty::Foreign("Iterator".into(), args),
        "Result" => {
            if args.len() == 1 && path != "Result" {
                let base = path.strip_suffix("::Result").unwrap_or_default();
                args.push(Ty::Foreign(canonical(models, &format!("{base}::Error")), Vec::new()));
            }
            Ty::Foreign("Result".into(), args)
        }
        _ => Ty::Foreign(path, args),
    }
}
