//! Which function a method call means: inherent before traits, traits only in scope, then what a type derefs to; for
//! foreign types what std and models know before anything else.

use rustc_hash::FxHashSet;

use super::super::names::types::{last_of, unify};
use super::super::names::{Key, key};
use super::super::program::{AdtId, CrateId, DependencyOf, FnId, TraitId, TraitRef, Ty};
use super::paths::Value;
use super::std_table::{self, gives_receiver, universal};
use super::{Subst, Walk};
use crate::name::Name;

/// More candidates than this are no answer.
const MOST: usize = 10;

/// What a method call was found to be.
pub(super) enum Found {
    Tree(Value),
    /// A foreign method by its path, and the type it is called on.
    Foreign(Name, Ty),
}

impl Walk<'_> {
    pub(super) fn find_method(&mut self, receiver: &Ty, name: &Name) -> Found {
        let mut ty = receiver.clone();
        for _ in 0..8 {
            match &ty {
                Ty::Adt(id, _) => {
                    if let Some(found) = self.adt_method(*id, &ty, name) {
                        return found;
                    }
                }
                _ => return self.other_method(&ty, name),
            }
            match self.deref(&ty) {
                Some(next) => ty = next,
                None => break,
            }
        }
        self.adt_fallback(receiver, name)
    }

    fn adt_method(&mut self, id: AdtId, ty: &Ty, name: &Name) -> Option<Found> {
        let key = Key::Adt(id);
        let base = Some(ty.clone());
        if let Some(found) = self.index.tables.inherent.get(&(key.clone(), name.clone())) {
            let ids = self.fitting(found, ty);
            return Some(Found::Tree(Value::Fns { ids, through: None, base }));
        }
        self.trait_functions(&key, name, ty).map(Found::Tree)
    }

    /// A type of the tree without such a method of its own.
    fn adt_fallback(&mut self, ty: &Ty, name: &Name) -> Found {
        if let Some((ids, through)) = self.blanket(name, true) {
            return Found::Tree(Value::Fns { ids, through: Some(through), base: Some(ty.clone()) });
        }
        if let Some(path) = self.model_trait(name) {
            return Found::Foreign(path, ty.clone());
        }
        let iterates = self.foreign_traits_of(ty).any(|t| matches!(last_of(t), "Iterator" | "Stream"));
        if iterates && std_table::table().method("Iterator", name).is_some() {
            let item = self.written.assoc(ty.clone(), "Item");
            let path = Name::from(format!("std::iter::Iterator::{name}"));
            return Found::Foreign(path, Ty::Foreign("Iterator".into(), vec![item]));
        }
        let Ty::Adt(id, _) = ty else {
            return Found::Tree(Value::Unknown("method not found"));
        };
        match self.foreign_method_of(*id, ty, name) {
            Some(path) => Found::Foreign(path, ty.clone()),
            None => Found::Tree(Value::Unknown("method not found on a type of the tree")),
        }
    }

    /// A method that a derive, a foreign trait or std gives to a type of the tree.
    pub(super) fn foreign_method_of(&self, id: AdtId, ty: &Ty, name: &Name) -> Option<Name> {
        if let Some(of) = universal(name) {
            return Some(Name::from(format!("{of}::{name}")));
        }
        const PLAIN: [&str; 12] = [
            "Debug",
            "Clone",
            "Copy",
            "PartialEq",
            "Eq",
            "Hash",
            "Default",
            "PartialOrd",
            "Ord",
            "Display",
            "Error",
            "Drop",
        ];
        let derives = &self.program.adt(id).attrs.derives;
        let derived = derives.iter().find(|d| !PLAIN.contains(&last_of(d))).cloned();
        let foreign = self
            .foreign_traits_of(ty)
            .find(|t| !PLAIN.contains(&last_of(t)) && !matches!(last_of(t), "From" | "TryFrom" | "FromStr" | "Deref"));
        let foreign = foreign.map(|t| self.models.canonical(t));
        let of = foreign.or(derived)?;
        Some(Name::from(format!("{of}::{name}")))
    }

    pub(super) fn foreign_traits_of(&self, ty: &Ty) -> impl Iterator<Item = &Name> {
        let impls = key(ty).and_then(|k| self.index.tables.traits_of.get(&k));
        let impls = impls.map_or(&[][..], |i| i);
        impls.iter().filter_map(|i| match &self.index.impls[*i as usize].of {
            Some(TraitRef::Foreign(path)) => Some(path),
            _ => None,
        })
    }

    fn other_method(&mut self, ty: &Ty, name: &Name) -> Found {
        match ty {
            Ty::Bound(traits) => self.bound_method(traits, ty, name),
            Ty::Foreign(path, _) => self.foreign_method(path, ty, name),
            Ty::ForeignValue(path) => {
                if let Some(found) = self.extension(None, ty, name) {
                    return found;
                }
                let shown = if path.ends_with(')') || path.contains("().") {
                    format!("{path}.{name}")
                } else {
                    format!("{path}().{name}")
                };
                let path = if shown.len() > 160 { path.clone() } else { Name::from(shown) };
                Found::Foreign(path, ty.clone())
            }
            _ => {
                if let Some(path) = self.model_trait(name) {
                    return Found::Foreign(path, ty.clone());
                }
                if let Some(found) = self.extension(key(ty).as_ref(), ty, name) {
                    return found;
                }
                if let (Some(of), false) = (universal(name), *ty == Ty::Unknown) {
                    return Found::Foreign(Name::from(format!("{of}::{name}")), ty.clone());
                }
                match ty {
                    Ty::Tuple(_) => Found::Foreign(Name::from(format!("tuple::{name}")), ty.clone()),
                    Ty::Fn(..) => Found::Foreign(Name::from(format!("fn::{name}")), ty.clone()),
                    _ => Found::Tree(self.by_name_of_foreign_traits(name)),
                }
            }
        }
    }

    /// A name whose only definitions in the tree implement foreign traits, or that only std has: nothing of the tree's
    /// own is meant. Otherwise the receiver's type would be needed.
    fn by_name_of_foreign_traits(&self, name: &Name) -> Value {
        match universal(name) {
            Some(of) => Value::Foreign(Name::from(format!("{of}::{name}")), None),
            None => Value::Unknown("the type of the receiver is not known"),
        }
    }

    fn foreign_method(&mut self, path: &Name, ty: &Ty, name: &Name) -> Found {
        let full = || match path.as_str() {
            "Iterator" => Name::from(format!("std::iter::Iterator::{name}")),
            _ => self.models.canonical(&format!("{path}::{name}")),
        };
        let known = std_table::table().method(path, name).is_some() || self.models.method(path, name).is_some();
        if known {
            return Found::Foreign(full(), ty.clone());
        }
        match self.extension(key(ty).as_ref(), ty, name) {
            Some(found) => found,
            None => Found::Foreign(full(), ty.clone()),
        }
    }

    /// A trait in scope that gives foreign types a method: of the tree, or of a model.
    fn extension(&mut self, key: Option<&Key>, ty: &Ty, name: &Name) -> Option<Found> {
        if let Some(traits) = self.index.tables.traits_with.get(name) {
            let seen = traits.iter().filter(|t| self.index.trait_in_scope(self.module, **t));
            for id in seen {
                let ids = self.implementations(&TraitRef::Tree(*id), name, key);
                if !ids.is_empty() && ids.len() <= MOST {
                    let through = Some(self.program.traits[id.0 as usize].path.clone());
                    return Some(Found::Tree(Value::Fns { ids, through, base: Some(ty.clone()) }));
                }
            }
        }
        self.model_trait(name).map(|path| Found::Foreign(path, ty.clone()))
    }

    /// A trait of a model that is imported here and adds the method.
    fn model_trait(&self, name: &Name) -> Option<Name> {
        let (of, _) = self.models.trait_methods(name).find(|(of, _)| {
            self.index.foreign_in_scope(self.module).any(|(path, glob)| {
                let path = self.models.canonical(path);
                if glob { of.starts_with(path.as_str()) } else { path == **of }
            })
        })?;
        Some(Name::from(format!("{of}::{name}")))
    }

    // ---- traits

    fn bound_method(&mut self, traits: &[TraitRef], ty: &Ty, name: &Name) -> Found {
        for found in self.with_supers(traits) {
            let value = self.through_trait(&found, name, Some(ty));
            if !matches!(value, Value::Unknown(_)) {
                return Found::Tree(value);
            }
        }
        if let Some((ids, through)) = self.blanket(name, true) {
            return Found::Tree(Value::Fns { ids, through: Some(through), base: Some(ty.clone()) });
        }
        if let Some(path) = self.model_trait(name) {
            return Found::Foreign(path, ty.clone());
        }
        if let Some(of) = universal(name) {
            return Found::Foreign(Name::from(format!("{of}::{name}")), ty.clone());
        }
        let foreign = traits.iter().find_map(|t| match t {
            TraitRef::Foreign(path) => Some(path),
            TraitRef::Tree(_) => None,
        });
        match foreign {
            Some(of) => Found::Foreign(Name::from(format!("{of}::{name}")), ty.clone()),
            None => Found::Tree(Value::Unknown("no bound has the method")),
        }
    }

    /// Traits with those they build on, each once.
    pub(super) fn with_supers(&self, traits: &[TraitRef]) -> Vec<TraitRef> {
        let mut all: Vec<TraitRef> = traits.to_vec();
        let mut seen: FxHashSet<TraitRef> = traits.iter().cloned().collect();
        let mut at = 0;
        while at < all.len() && all.len() < 64 {
            if let TraitRef::Tree(id) = all[at] {
                for next in &self.index.traits[id.0 as usize].supers {
                    if seen.insert(next.clone()) {
                        all.push(next.clone());
                    }
                }
            }
            at += 1;
        }
        all
    }

    /// A function of a trait whose implementor is not known: all of them.
    pub(super) fn through_trait(&self, of: &TraitRef, name: &Name, base: Option<&Ty>) -> Value {
        let shown = match of {
            TraitRef::Tree(id) => {
                if !self.index.traits[id.0 as usize].fns.contains_key(name) {
                    return Value::Unknown("the trait has no such function");
                }
                self.program.traits[id.0 as usize].path.clone()
            }
            TraitRef::Foreign(path) if path.starts_with("std::") => {
                return Value::Unknown("the trait has no such function");
            }
            TraitRef::Foreign(path) => path.clone(),
        };
        let ids = self.implementations(of, name, None);
        match ids.len() {
            0 => match of {
                TraitRef::Tree(_) => Value::Unknown("a trait without an implementation in the tree"),
                TraitRef::Foreign(_) => Value::Unknown("the trait has no such function"),
            },
            1..=MOST => Value::Fns { ids, through: Some(shown), base: base.cloned() },
            n => Value::Many(n),
        }
    }

    /// The functions that implement a trait's function, of one type or of all; a default body counts.
    fn implementations(&self, of: &TraitRef, name: &Name, key: Option<&Key>) -> Vec<FnId> {
        let mut ids: Vec<FnId> = Vec::new();
        let mut seen = FxHashSet::default();
        for found in self.index.tables.impls_of.get(of).map_or(&[][..], |i| i) {
            let found = &self.index.impls[*found as usize];
            let fits = match (key, super::super::names::key(&found.for_type)) {
                (Some(wanted), Some(own)) => *wanted == own,
                _ => true,
            };
            if !fits {
                continue;
            }
            let own = found.fns.iter().find(|(n, _)| n == name).map(|(_, id)| *id);
            let id = own.or_else(|| match of {
                TraitRef::Tree(id) => self.default_of(*id, name),
                TraitRef::Foreign(_) => None,
            });
            ids.extend(id.filter(|id| seen.insert(*id)));
        }
        if let (true, None, TraitRef::Tree(id)) = (ids.is_empty(), key, of) {
            ids.extend(self.default_of(*id, name));
        }
        self.nearest(ids)
    }

    pub(super) fn default_of(&self, id: TraitId, name: &Name) -> Option<FnId> {
        let function = *self.index.traits[id.0 as usize].fns.get(name)?;
        self.program.function(function).body.map(|_| function)
    }

    /// Candidates of crates that this crate depends on, if there are any: drops other binaries' and mocks.
    fn nearest(&self, ids: Vec<FnId>) -> Vec<FnId> {
        if ids.len() < 2 {
            return ids;
        }
        let own = self.index.scope(self.module).krate;
        let near = |id: &FnId| {
            let krate = self.program.def(*id).krate;
            krate == own || self.depends(own, krate)
        };
        let chosen: Vec<FnId> = ids.iter().copied().filter(near).collect();
        if chosen.is_empty() { ids } else { chosen }
    }

    fn depends(&self, on: CrateId, krate: CrateId) -> bool {
        let found = self.program.crates.get(on.0 as usize);
        found.is_some_and(|c| c.dependencies.values().any(|d| *d == DependencyOf::Tree(krate)))
    }

    /// `impl<T> Trait for T`.
    pub(super) fn blanket(&self, name: &Name, method: bool) -> Option<(Vec<FnId>, Name)> {
        for (id, _) in self.index.tables.blanket.get(name)? {
            let seen = match self.trait_of(*id) {
                Some(TraitRef::Tree(of)) => self.index.trait_in_scope(self.module, of) || !method,
                _ => false,
            };
            if seen {
                return Some((vec![*id], self.trait_name(*id)?));
            }
        }
        None
    }

    /// Of several impls those whose type fits.
    pub(super) fn fitting(&self, found: &[(FnId, u32)], ty: &Ty) -> Vec<FnId> {
        let fits = |(_, i): &&(FnId, u32)| fits(&self.index.impls[*i as usize].for_type, ty);
        let ids: Vec<FnId> = found.iter().filter(fits).map(|(id, _)| *id).collect();
        let ids = if ids.is_empty() { found.iter().map(|(id, _)| *id).collect() } else { ids };
        ids.into_iter().take(MOST).collect()
    }

    /// Of functions of different traits those whose trait is in scope.
    pub(super) fn in_scope_first(&self, ids: Vec<FnId>) -> Vec<FnId> {
        if ids.len() < 2 {
            return ids;
        }
        let seen = |id: &FnId| match self.trait_of(*id) {
            Some(TraitRef::Tree(of)) => self.index.trait_in_scope(self.module, of),
            _ => true,
        };
        let chosen: Vec<FnId> = ids.iter().copied().filter(seen).collect();
        if chosen.is_empty() { ids } else { chosen }
    }

    /// Bindings of a signature's `Self` and of the impl's parameters.
    pub(super) fn bind_self(&self, sig: &super::super::names::types::Sig, base: Option<&Ty>) -> Subst {
        let mut subst = Subst::new();
        if let (Some(own), Some(base)) = (&sig.self_ty, base) {
            unify(own, base, &mut subst);
            if !subst.iter().any(|(n, _)| *n == "Self") {
                subst.push(("Self".into(), base.clone()));
            }
        }
        subst
    }
}

/// Whether a value of the type can be what the template says.
pub(super) fn fits(template: &Ty, ty: &Ty) -> bool {
    let all = |xs: &[Ty], ys: &[Ty]| xs.iter().zip(ys).all(|(x, y)| fits(x, y));
    match (template, ty) {
        (Ty::Adt(a, xs), Ty::Adt(b, ys)) => a == b && all(xs, ys),
        (Ty::Foreign(a, xs), Ty::Foreign(b, ys)) => last_of(a) == last_of(b) && all(xs, ys),
        (Ty::Tuple(xs), Ty::Tuple(ys)) => xs.len() == ys.len() && all(xs, ys),
        (Ty::Adt(..), Ty::Foreign(..) | Ty::Tuple(_) | Ty::Fn(..)) => false,
        (Ty::Foreign(..) | Ty::Tuple(_), Ty::Adt(..)) => false,
        (Ty::Foreign(..), Ty::Tuple(_)) | (Ty::Tuple(_), Ty::Foreign(..)) => false,
        _ => true,
    }
}

/// Names of methods that leave the type as it is.
pub(super) fn keeps(name: &str) -> bool {
    gives_receiver(name)
}
