//! What a path in an expression or pattern names.

use super::super::names::types::last_of;
use super::super::names::{Def, Guess, Home, Key, Ns, key};
use super::super::program::{AdtId, ConstId, FnId, Target, TraitRef, Ty};
use super::super::tree::{ExprId, Path};
use super::{Walk, merge};
use crate::name::{Name, split_last};

/// What a path names that is no local.
#[derive(Debug, Clone)]
pub(super) enum Value {
    /// Functions of the tree; more than one through the trait named. `base` is the type before the last `::`.
    Fns {
        ids: Vec<FnId>,
        through: Option<Name>,
        base: Option<Ty>,
    },
    Many(usize),
    Ctor {
        adt: AdtId,
        variant: Option<u32>,
        ty: Ty,
    },
    Const(ConstId),
    Foreign(Name, Option<Ty>),
    Unknown(&'static str),
}

impl Walk<'_> {
    pub(super) fn path_expr(&mut self, id: ExprId, path: &Path, want: &Ty) -> Ty {
        if let Some(ty) = self.local_path(id, path) {
            return ty;
        }
        match self.value(path) {
            Value::Fns { ids, through, base } => {
                let ty = self.function_type(ids[0], base.as_ref());
                self.out.targets.insert(id, Target::Fns(ids, through));
                ty
            }
            Value::Many(n) => {
                self.out.targets.insert(id, Target::Many(n));
                Ty::Unknown
            }
            Value::Ctor { adt, variant, ty } => {
                self.out.paths.insert(id, self.variant_path(adt, variant));
                self.constructor_type(adt, variant, merge(&ty, want))
            }
            Value::Const(constant) => {
                self.out.consts.insert(id, constant);
                self.const_ty(constant)
            }
            Value::Foreign(path, base) => self.foreign_path(id, path, base, want),
            Value::Unknown(_) => Ty::Unknown,
        }
    }

    /// `self` and names bound in the body.
    pub(super) fn local_path(&mut self, id: ExprId, path: &Path) -> Option<Ty> {
        let name = path.single()?;
        if *name == "self" {
            self.out.self_paths.insert(id);
            return Some(self.self_ty.clone());
        }
        let pat = self.local(name)?;
        self.out.locals.insert(id, pat);
        Some(self.out.pat_types.get(&pat).cloned().unwrap_or(Ty::Unknown))
    }

    fn function_type(&self, id: FnId, base: Option<&Ty>) -> Ty {
        let sig = self.index.sig(self.program, self.models, id);
        let subst = self.bind_self(sig, base);
        let receiver = sig.receiver.then(|| base.cloned().unwrap_or(Ty::Unknown));
        let params = receiver.into_iter().chain(sig.params.iter().map(|p| self.subst(p, &subst)));
        Ty::Fn(params.collect(), Box::new(self.subst(&sig.result, &subst)))
    }

    fn constructor_type(&self, adt: AdtId, variant: Option<u32>, ty: Ty) -> Ty {
        let decl = self.program.adt_decl(adt);
        let found = decl.variants.get(variant.unwrap_or(0) as usize);
        if !found.is_some_and(|v| v.tuple && !v.fields.is_empty()) {
            return if let Ty::Adt(..) = ty { ty } else { Ty::Adt(adt, Vec::new()) };
        }
        let fields = found.map_or(0, |v| v.fields.len());
        let ty = if let Ty::Adt(..) = ty { ty } else { Ty::Adt(adt, Vec::new()) };
        Ty::Fn(vec![Ty::Unknown; fields], Box::new(ty))
    }

    fn foreign_path(&mut self, id: ExprId, path: Name, base: Option<Ty>, want: &Ty) -> Ty {
        self.out.paths.insert(id, path.clone());
        let open = || Ty::Unknown;
        match path.as_str() {
            "None" => return merge(&Ty::Foreign("Option".into(), vec![open()]), want),
            "Some" => {
                return Ty::Fn(vec![open()], Box::new(Ty::Foreign("Option".into(), vec![open()])));
            }
            "Ok" | "Err" => {
                return Ty::Fn(vec![open()], Box::new(Ty::Foreign("Result".into(), vec![open(), open()])));
            }
            _ => {}
        }
        let last = last_of(&path);
        if last.starts_with(|c: char| c.is_lowercase()) {
            self.out.targets.insert(id, Target::Foreign(path.clone()));
            let result = self.foreign_result(&path, base.as_ref(), &[]);
            return Ty::Fn(Vec::new(), Box::new(result));
        }
        // A constant or variant has the type before it.
        match split_last(&path) {
            Some((of, _)) if last_of(of).starts_with(|c: char| c.is_uppercase()) => {
                base.unwrap_or_else(|| Ty::Foreign(Name::new(of), Vec::new()))
            }
            _ => Ty::ForeignValue(path),
        }
    }

    pub(super) fn value(&mut self, path: &Path) -> Value {
        if let Some(of) = path.of {
            return self.qualified(of, path);
        }
        let Some(first) = path.segments.first() else {
            return Value::Unknown("empty path");
        };
        let own = self.own.iter().find(|(n, _)| *n == first.name).map(|(_, t)| t.clone());
        if first.name == "Self" || path.segments.len() > 1 && own.is_some() {
            let base = if first.name == "Self" { self.self_ty.clone() } else { own.unwrap_or(Ty::Unknown) };
            return self.in_type(base, &path.segments[1..]);
        }
        let names: Vec<Name> = path.segments.iter().map(|s| s.name.clone()).collect();
        let found = self.index.resolve(self.module, &names, Ns::Values, Guess::Foreign);
        let found = match found {
            Some(found) => found,
            None => match self.index.resolve(self.module, &names, Ns::Types, Guess::Foreign) {
                Some(found) => found,
                None => return Value::Unknown("name not found"),
            },
        };
        self.found_value(path, found.0, found.1)
    }

    /// `<T as Trait>::f`: the type's own, else what the trait says.
    fn qualified(&mut self, of: super::super::tree::TypeId, path: &Path) -> Value {
        let base = self.written(of);
        let Some((last, of_trait)) = path.segments.split_last() else {
            return Value::Unknown("empty path");
        };
        let found = self.assoc_value(base.clone(), &last.name);
        if of_trait.is_empty() || !matches!(found, Value::Unknown(_)) {
            return found;
        }
        let of_trait = Path { segments: of_trait.iter().cloned().collect(), of: None };
        match self.written.trait_ref(&of_trait) {
            Some(TraitRef::Foreign(of)) => Value::Foreign(Name::from(format!("{of}::{}", last.name)), Some(base)),
            Some(of) => self.through_trait(&of, &last.name, Some(&base)),
            None => found,
        }
    }

    fn found_value(&mut self, path: &Path, def: Def, taken: usize) -> Value {
        let rest = &path.segments[taken.min(path.segments.len())..];
        match def {
            Def::Fn(id) => Value::Fns { ids: vec![id], through: None, base: None },
            Def::Const(id) => Value::Const(id),
            Def::Variant(adt, at) => {
                let args = taken.checked_sub(2).and_then(|i| path.segments.get(i));
                let args = args.map(|s| s.args().iter().map(|t| self.written(*t)).collect());
                Value::Ctor { adt, variant: Some(at), ty: Ty::Adt(adt, args.unwrap_or_default()) }
            }
            Def::Foreign(name) => self.foreign_value(path, name),
            Def::Trait(id) => match rest {
                [method] => self.through_trait(&TraitRef::Tree(id), &method.name, None),
                _ => Value::Unknown("a trait is no value"),
            },
            Def::Mod(_) => Value::Unknown("a module is no value"),
            def => {
                let args = path.segments.get(taken.wrapping_sub(1));
                let args = args.map(|s| s.args().iter().map(|t| self.written(*t)).collect());
                let base = self.written.fresh().def(def, args.unwrap_or_default());
                self.in_type(self.put(&base), rest)
            }
        }
    }

    /// `Self(..)`, `Type::Variant`, `Type::function`.
    fn in_type(&mut self, base: Ty, rest: &[super::super::tree::Segment]) -> Value {
        match (base, rest) {
            (Ty::Adt(adt, args), []) => Value::Ctor { adt, variant: None, ty: Ty::Adt(adt, args) },
            (Ty::Adt(adt, args), [name]) => match self.index.variants.get(&(adt, name.name.clone())) {
                Some(at) => Value::Ctor { adt, variant: Some(*at), ty: Ty::Adt(adt, args) },
                None => self.assoc_value(Ty::Adt(adt, args), &name.name),
            },
            (base, [name]) => self.assoc_value(base, &name.name),
            (base, [assoc, name]) => {
                let base = self.put(&self.written.assoc(base, &assoc.name));
                self.assoc_value(base, &name.name)
            }
            (Ty::Foreign(path, args), []) => Value::Foreign(path.clone(), Some(Ty::Foreign(path, args))),
            _ => Value::Unknown("type not found"),
        }
    }

    /// A path into a foreign crate; a trait of the tree may have given a foreign type a function.
    fn foreign_value(&mut self, path: &Path, name: Name) -> Value {
        let name = self.models.canonical(&name);
        let Some((of, last)) = split_last(&name) else {
            return Value::Foreign(name, None);
        };
        let segments = &path.segments;
        let written = if segments.len() > 1 { segments[segments.len() - 2].args() } else { &[] };
        let is_type =
            last_of(of).starts_with(|c: char| c.is_uppercase()) || super::super::names::primitive(of).is_some();
        if !is_type {
            return Value::Foreign(name, None);
        }
        let args: Vec<Ty> = written.iter().map(|t| self.written(*t)).collect();
        let base = super::super::names::types::foreign(Some(self.models), of, args);
        let known = super::std_table::table().function(&name).is_some();
        if let (false, Some(key)) = (known, key(&base))
            && let Some(found) = self.trait_functions(&key, last, &base)
        {
            return found;
        }
        Value::Foreign(name, Some(base))
    }

    /// `base::name`.
    pub(super) fn assoc_value(&mut self, base: Ty, name: &Name) -> Value {
        match &base {
            Ty::Bound(traits) => {
                for found in self.with_supers(traits) {
                    let value = self.through_trait(&found, name, Some(&base));
                    if !matches!(value, Value::Unknown(_)) {
                        return value;
                    }
                }
                Value::Unknown("no bound has the function")
            }
            Ty::Foreign(path, _) => {
                let full = self.models.canonical(&format!("{path}::{name}"));
                let found = key(&base).and_then(|k| self.trait_functions(&k, name, &base));
                found.unwrap_or(Value::Foreign(full, Some(base)))
            }
            Ty::ForeignValue(path) => Value::Foreign(Name::from(format!("{path}::{name}")), None),
            Ty::Adt(id, _) => self.adt_value(*id, &base, name),
            _ => Value::Unknown("type not found"),
        }
    }

    fn adt_value(&mut self, id: AdtId, base: &Ty, name: &Name) -> Value {
        let key = Key::Adt(id);
        if let Some(found) = self.index.tables.inherent.get(&(key.clone(), name.clone())) {
            let ids = self.fitting(found, base);
            return Value::Fns { ids, through: None, base: Some(base.clone()) };
        }
        if let Some(found) = self.index.tables.consts.get(&(key.clone(), name.clone())) {
            return Value::Const(*found);
        }
        if let Some(found) = self.trait_functions(&key, name, base) {
            return found;
        }
        if let Some(found) = self.blanket(name, false) {
            return Value::Fns { ids: found.0, through: Some(found.1), base: Some(base.clone()) };
        }
        match self.foreign_method_of(id, base, name) {
            Some(path) => Value::Foreign(path, Some(base.clone())),
            None => Value::Unknown("associated function not found: perhaps generated by a macro"),
        }
    }

    /// Functions that trait impls give a type, own ones and defaults.
    pub(super) fn trait_functions(&self, key: &Key, name: &str, base: &Ty) -> Option<Value> {
        let name = Name::new(name);
        if let Some(found) = self.index.tables.of_traits.get(&(key.clone(), name.clone())) {
            let ids = self.fitting(found, base);
            let ids = self.in_scope_first(ids);
            let through = if ids.len() > 1 { self.trait_name(ids[0]) } else { None };
            return Some(Value::Fns { ids, through, base: Some(base.clone()) });
        }
        let impls = self.index.tables.traits_of.get(key)?;
        for found in impls {
            if let Some(TraitRef::Tree(id)) = &self.index.impls[*found as usize].of
                && let Some(function) = self.default_of(*id, &name)
            {
                return Some(Value::Fns { ids: vec![function], through: None, base: Some(base.clone()) });
            }
        }
        None
    }

    /// The trait of an associated function.
    pub(super) fn trait_name(&self, id: FnId) -> Option<Name> {
        match self.trait_of(id)? {
            TraitRef::Tree(id) => Some(self.program.traits[id.0 as usize].path.clone()),
            TraitRef::Foreign(path) => Some(path),
        }
    }

    pub(super) fn trait_of(&self, id: FnId) -> Option<TraitRef> {
        match self.index.home(id) {
            Home::Impl(found) => self.index.impls[found as usize].of.clone(),
            Home::Trait(id) => Some(TraitRef::Tree(id)),
            Home::Module => None,
        }
    }
}
