//! From written types to [`Ty`]: what a signature, a field or an alias says, with generic parameters left in.

use std::cell::Cell;

use super::scope::{Def, Guess, Ns};
pub use super::shape::{Subst, canonical, element, foreign, last_of, size, unify};
pub use super::sigs::{Sig, VariantTypes};
use super::{Home, Index};
use crate::frontend::rust::program::{ModId, Program, TraitRef, Ty};
use crate::frontend::rust::tree::{Generics, Path, Type, TypeId};
use crate::model::Models;
use crate::name::Name;

/// How many nodes one written type may grow to by its aliases.
const BUDGET: u32 = 2_000;

/// Where a type is written.
pub struct Written<'a> {
    pub program: &'a Program,
    pub index: &'a Index,
    pub models: Option<&'a Models>,
    pub file: usize,
    pub module: ModId,
    pub home: Home,
    pub params: Vec<Name>,
    pub self_ty: Option<Ty>,
    budget: Cell<u32>,
    depth: Cell<u32>,
}

impl<'a> Written<'a> {
    pub fn new(
        program: &'a Program,
        index: &'a Index,
        models: Option<&'a Models>,
        file: usize,
        module: ModId,
    ) -> Written<'a> {
        Written {
            program,
            index,
            models,
            file,
            module,
            home: Home::Module,
            params: Vec::new(),
            self_ty: None,
            budget: Cell::new(BUDGET),
            depth: Cell::new(0),
        }
    }

    /// Inside an impl or trait: its parameters and its `Self`.
    pub fn at_home(mut self, home: Home) -> Written<'a> {
        self.home = home;
        match home {
            Home::Module => {}
            Home::Impl(id) => {
                let found = &self.index.impls[id as usize];
                let decl = &self.program.tree(found.file).impls[found.decl as usize];
                self.params.extend(decl.generics.params.iter().cloned());
                self.self_ty = Some(found.for_type.clone());
            }
            Home::Trait(id) => {
                let found = &self.program.traits[id.0 as usize];
                let decl = &self.program.tree(found.file).traits[found.decl as usize];
                self.params.extend(decl.generics.params.iter().cloned());
                self.self_ty = Some(Ty::Param("Self".into()));
            }
        }
        self
    }

    pub fn with_params(mut self, generics: &Generics) -> Written<'a> {
        self.params.extend(generics.params.iter().cloned());
        self
    }

    pub fn ty(&self, id: TypeId) -> Ty {
        if self.budget.get() == 0 || self.depth.get() > 64 {
            return Ty::Unknown;
        }
        self.budget.set(self.budget.get() - 1);
        self.depth.set(self.depth.get() + 1);
        let found = self.any(id);
        self.depth.set(self.depth.get() - 1);
        found
    }

    fn all(&self, ids: &[TypeId]) -> Vec<Ty> {
        ids.iter().map(|t| self.ty(*t)).collect()
    }

    fn any(&self, id: TypeId) -> Ty {
        match self.program.tree(self.file).ty(id) {
            Type::Path(path) => self.path(path),
            Type::Qualified { of, rest, .. } => rest.iter().fold(self.ty(*of), |base, name| self.assoc(base, name)),
            Type::Ref(inner) => self.ty(*inner),
            Type::Tuple(parts) => Ty::Tuple(self.all(parts)),
            Type::Slice(inner) => Ty::Foreign("Vec".into(), vec![self.ty(*inner)]),
            Type::Fn { params, result } => {
                Ty::Fn(self.all(params), Box::new(result.map_or(Ty::Tuple(Vec::new()), |r| self.ty(r))))
            }
            Type::Impl(bounds) | Type::Dyn(bounds) => self.bounds(bounds),
            Type::Never => Ty::Never,
            Type::Infer | Type::Other => Ty::Unknown,
        }
    }

    pub fn path(&self, path: &Path) -> Ty {
        if let Some(of) = path.of {
            let name = path.last().map(|s| s.name.clone());
            return name.map_or(Ty::Unknown, |n| self.assoc(self.ty(of), &n));
        }
        let Some(first) = path.segments.first() else {
            return Ty::Unknown;
        };
        if first.name == "Self" || self.params.contains(&first.name) {
            let own = (first.name == "Self").then(|| self.self_ty.clone());
            let base = own.unwrap_or_else(|| Some(Ty::Param(first.name.clone()))).unwrap_or(Ty::Unknown);
            return path.segments[1..].iter().fold(base, |base, s| self.assoc(base, &s.name));
        }
        let names: Vec<Name> = path.segments.iter().map(|s| s.name.clone()).collect();
        let Some((def, taken)) = self.index.resolve(self.module, &names, Ns::Types, Guess::Foreign) else {
            return Ty::Unknown;
        };
        let args = path.segments.get(taken.wrapping_sub(1)).map(|s| self.all(s.args())).unwrap_or_default();
        let base = self.def(def, args);
        names[taken.min(names.len())..].iter().fold(base, |base, name| self.assoc(base, name))
    }

    pub fn def(&self, def: Def, args: Vec<Ty>) -> Ty {
        match def {
            Def::Adt(id) | Def::Variant(id, _) => Ty::Adt(id, args),
            Def::Alias(id) => self.alias(id, args),
            Def::Foreign(path) => foreign(self.models, &path, args),
            Def::Trait(id) => Ty::Bound(vec![TraitRef::Tree(id)]),
            _ => Ty::Unknown,
        }
    }

    fn alias(&self, id: u32, args: Vec<Ty>) -> Ty {
        let alias = &self.index.aliases[id as usize];
        let Some(ty) = alias.ty else {
            return Ty::Unknown;
        };
        let mut inside = Written::new(self.program, self.index, self.models, alias.file, alias.module);
        inside.params = alias.params.clone();
        inside.budget = self.budget.clone();
        inside.depth = self.depth.clone();
        let found = inside.ty(ty);
        self.budget.set(inside.budget.get());
        let given = args.len();
        let mut subst: Subst = alias.params.iter().cloned().zip(args).collect();
        if alias.params.iter().skip(given).any(|p| *p == "E") {
            subst.push(("E".into(), self.error_of(alias.module)));
        }
        self.subst(&found, &subst)
    }

    /// `type Result<T, E = Error>`: defaults are not kept, and this is the one that people write.
    fn error_of(&self, module: ModId) -> Ty {
        match self.index.resolve(module, &["Error".into()], Ns::Types, Guess::No) {
            Some((Def::Adt(id), _)) => Ty::Adt(id, Vec::new()),
            Some((Def::Foreign(path), _)) => foreign(self.models, &path, Vec::new()),
            _ => Ty::Unknown,
        }
    }

    /// What `dyn A + B`, `impl A + B` or the bounds of a parameter say.
    pub fn bounds(&self, bounds: &[TypeId]) -> Ty {
        let mut traits = Vec::new();
        let mut seen_through = None;
        for bound in bounds {
            let Type::Path(path) = self.program.tree(self.file).ty(*bound) else {
                continue;
            };
            let Some(found) = self.trait_ref(path) else {
                continue;
            };
            match &found {
                TraitRef::Foreign(name) => {
                    if let Some(ty) = self.well_known(name, path) {
                        return ty;
                    }
                    if seen_through.is_none() {
                        seen_through = self.converts(name, path);
                    }
                    if !is_marker(name) {
                        traits.push(found);
                    }
                }
                TraitRef::Tree(_) => traits.push(found),
            }
        }
        if traits.iter().all(|t| matches!(t, TraitRef::Foreign(_)))
            && let Some(ty) = seen_through
        {
            return ty;
        }
        Ty::Bound(traits)
    }

    pub fn trait_ref(&self, path: &Path) -> Option<TraitRef> {
        let names: Vec<Name> = path.segments.iter().map(|s| s.name.clone()).collect();
        match self.index.resolve(self.module, &names, Ns::Types, Guess::Foreign)? {
            (Def::Trait(id), _) => Some(TraitRef::Tree(id)),
            (Def::Foreign(path), _) => Some(TraitRef::Foreign(canonical(self.models, &path))),
            _ => None,
        }
    }

    /// Traits whose values are known by what they give: functions, futures, iterators.
    fn well_known(&self, name: &str, path: &Path) -> Option<Ty> {
        let segment = path.last()?;
        let binding = |wanted: &str| segment.bindings().iter().find(|(n, _)| *n == wanted).map(|(_, t)| *t);
        match last_of(name) {
            "Fn" | "FnMut" | "FnOnce" | "AsyncFn" | "AsyncFnMut" | "AsyncFnOnce" => {
                let result = binding("Output").map_or(Ty::Tuple(Vec::new()), |t| self.ty(t));
                Some(Ty::Fn(self.all(segment.args()), Box::new(result)))
            }
            "Future" | "IntoFuture" => binding("Output").map(|t| self.ty(t)),
            "Iterator" | "IntoIterator" | "DoubleEndedIterator" | "ExactSizeIterator" | "Stream" => {
                let item = binding("Item").map_or(Ty::Unknown, |t| self.ty(t));
                Some(Ty::Foreign("Iterator".into(), vec![item]))
            }
            _ => None,
        }
    }

    /// `impl AsRef<T>` and the like are used for the `T` they give.
    fn converts(&self, name: &str, path: &Path) -> Option<Ty> {
        match name {
            "std::convert::AsRef"
            | "std::convert::AsMut"
            | "std::convert::Into"
            | "std::borrow::Borrow"
            | "std::borrow::BorrowMut" => {
                path.last()?.args().first().map(|t| self.ty(*t)).filter(|t| *t != Ty::Unknown)
            }
            "std::ops::Deref" | "std::ops::DerefMut" => {
                let (_, ty) = path.last()?.bindings().iter().find(|(n, _)| *n == "Target")?;
                Some(self.ty(*ty))
            }
            _ => None,
        }
    }

    /// `Base::Name`.
    pub fn assoc(&self, base: Ty, name: &str) -> Ty {
        if let Home::Impl(id) = self.home
            && Some(&base) == self.self_ty.as_ref()
        {
            let own = self.index.impls[id as usize].assoc.iter().find(|(n, _)| *n == name);
            if let Some((_, ty)) = own {
                return self.ty(*ty);
            }
        }
        match base {
            Ty::Param(_) | Ty::Assoc(..) => Ty::Assoc(Box::new(base), Name::new(name)),
            Ty::Foreign(head, args) if head == "Iterator" && name == "Item" => {
                args.into_iter().next().unwrap_or(Ty::Unknown)
            }
            Ty::Foreign(head, args) if head == "Iterator" && name == "IntoIter" => Ty::Foreign(head, args),
            Ty::Bound(traits) => self.assoc_of_bound(&traits, name),
            base => self.assoc_of_type(&base, name),
        }
    }

    fn assoc_of_bound(&self, traits: &[TraitRef], name: &str) -> Ty {
        for found in traits {
            let TraitRef::Tree(id) = found else { continue };
            let data = &self.index.traits[id.0 as usize];
            if let Some((_, bounds)) = data.assoc.iter().find(|(n, _)| *n == name) {
                let def = &self.program.traits[id.0 as usize];
                let inside = self.inside(def.file, def.module);
                let found = inside.bounds(bounds);
                self.budget.set(inside.budget.get());
                return found;
            }
        }
        Ty::Unknown
    }

    fn assoc_of_type(&self, base: &Ty, name: &str) -> Ty {
        let Some(key) = super::tables::key(base) else {
            return Ty::Unknown;
        };
        let Some(&(id, ty)) = self.index.tables.assoc.get(&(key, Name::new(name))) else {
            return Ty::Unknown;
        };
        if self.depth.get() > 40 {
            return Ty::Unknown;
        }
        self.begin();
        let found = &self.index.impls[id as usize];
        let inside = self.inside(found.file, found.module).at_home(Home::Impl(id));
        let mut subst = Subst::new();
        unify(&found.for_type, base, &mut subst);
        let template = inside.ty(ty);
        self.budget.set(inside.budget.get());
        self.depth.set(self.depth.get() + 8);
        let found = self.put(&template, &subst);
        self.depth.set(self.depth.get() - 8);
        found
    }

    /// Another place that is looked at on the way: deeper, and on the same budget, so that types that lead to each other
    /// in a circle end.
    fn inside(&self, file: usize, module: ModId) -> Written<'a> {
        let inside = Written::new(self.program, self.index, self.models, file, module);
        inside.depth.set(self.depth.get() + 8);
        inside.budget.set(self.budget.get());
        inside
    }

    /// Whatever is not part of something larger has the whole budget.
    fn begin(&self) {
        if self.depth.get() == 0 {
            self.budget.set(BUDGET);
        }
    }

    /// Puts bindings in; a parameter without one is unknown.
    pub fn subst(&self, ty: &Ty, subst: &Subst) -> Ty {
        self.begin();
        self.put(ty, subst)
    }

    fn spend(&self, nodes: u32) -> bool {
        let left = self.budget.get();
        self.budget.set(left.saturating_sub(nodes));
        left > 0
    }

    fn put(&self, ty: &Ty, subst: &Subst) -> Ty {
        if !self.spend(1) {
            return Ty::Unknown;
        }
        let all = |list: &[Ty]| list.iter().map(|t| self.put(t, subst)).collect::<Vec<_>>();
        match ty {
            Ty::Param(name) => match subst.iter().find(|(n, _)| n == name) {
                Some((_, bound)) => {
                    self.spend(size(bound, BUDGET));
                    bound.clone()
                }
                None => Ty::Unknown,
            },
            Ty::Assoc(base, name) => match self.put(base, subst) {
                Ty::Param(_) | Ty::Assoc(..) => Ty::Unknown,
                base => self.assoc(base, name),
            },
            Ty::Adt(id, args) => Ty::Adt(*id, all(args)),
            Ty::Foreign(path, args) => Ty::Foreign(path.clone(), all(args)),
            Ty::Tuple(parts) => Ty::Tuple(all(parts)),
            Ty::Fn(params, result) => Ty::Fn(all(params), Box::new(self.put(result, subst))),
            other => other.clone(),
        }
    }
}

impl Written<'_> {
    /// A new written type begins with its whole budget.
    pub fn fresh(&self) -> &Self {
        self.budget.set(BUDGET);
        self
    }
}

fn is_marker(path: &str) -> bool {
    path.starts_with("std::marker::")
}
