//! Imports, resolved by a fixpoint: an import may go through another one, in any order.

use std::borrow::Cow;

use super::Index;
use super::scope::{Def, Guess, Ns};
use crate::frontend::rust::program::ModId;
use crate::frontend::rust::tree::UseLeaf;

#[derive(Debug)]
pub struct Import<'a> {
    pub module: ModId,
    pub leaf: Cow<'a, UseLeaf>,
    /// Found in both name spaces, or as a glob: nothing more to look for.
    pub done: bool,
}

/// More rounds than any chain of re-exports that people write.
const ROUNDS: usize = 12;

pub fn resolve_imports(index: &mut Index, mut imports: Vec<Import<'_>>) {
    for guess in [Guess::No, Guess::Foreign] {
        for _ in 0..ROUNDS {
            let mut changed = false;
            for import in imports.iter_mut().filter(|i| !i.done) {
                changed |= if import.leaf.glob {
                    resolve_glob(index, import, guess)
                } else {
                    resolve_name(index, import, guess)
                };
            }
            if !changed {
                break;
            }
        }
    }
}

fn resolve_glob(index: &mut Index, import: &mut Import<'_>, guess: Guess) -> bool {
    let path = &import.leaf.path;
    let found = index.resolve(import.module, path, Ns::Types, guess);
    // A package that the manifest does not list.
    let alone = guess == Guess::Foreign && path.len() == 1;
    let Some((def, taken)) = found.or_else(|| alone.then(|| (Def::Foreign(path[0].clone()), 1))) else {
        return false;
    };
    let useful = matches!(def, Def::Mod(_) | Def::Adt(_) | Def::Foreign(_));
    if taken < path.len() || !useful || def == Def::Mod(import.module) {
        return false;
    }
    import.done = true;
    index.scopes[import.module.0 as usize].globs.push(def);
    true
}

fn resolve_name(index: &mut Index, import: &mut Import<'_>, guess: Guess) -> bool {
    let name = import.leaf.name.clone();
    let scope = index.scope(import.module);
    // The first meaning of a name stays, so nothing is gained by looking for it again.
    let has = [&scope.types, &scope.values].map(|names| name != "_" && names.contains_key(&name));
    let types = if has[0] { None } else { whole(index, import, Ns::Types, guess) };
    let values = if has[1] { None } else { whole(index, import, Ns::Values, guess) };
    import.done = (has[0] || types.is_some()) && (has[1] || values.is_some());
    let scope = &mut index.scopes[import.module.0 as usize];
    if name == "_" {
        return match types {
            Some(def) if !scope.hidden.contains(&def) => {
                import.done = true;
                scope.hidden.push(def);
                true
            }
            _ => false,
        };
    }
    let mut changed = false;
    for (found, names) in [(types, &mut scope.types), (values, &mut scope.values)] {
        if let Some(def) = found
            && !names.contains_key(&name)
        {
            names.insert(name.clone(), def);
            changed = true;
        }
    }
    changed
}

fn whole(index: &Index, import: &Import<'_>, ns: Ns, guess: Guess) -> Option<Def> {
    let path = &import.leaf.path;
    // `use a::{self}` is written as the path `a`; a `self` that was left at the end means the same.
    let path = match path.split_last() {
        Some((last, rest)) if *last == "self" && !rest.is_empty() => rest,
        _ => &path[..],
    };
    let own = path.len() == 1 && path[0] == import.leaf.name;
    let (def, taken) = if own {
        let krate = index.scope(import.module).krate;
        let outside = index.crate_named(krate, &path[0]);
        (outside.or_else(|| index.lexical(import.module, &path[0], ns))?, 1)
    } else {
        index.resolve(import.module, path, ns, guess)?
    };
    (taken == path.len()).then_some(def)
}
