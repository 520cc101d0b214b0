//! From written types to [`Ty`]: what a signature, a field or an alias says, with generic parameters left in.

use std::cell::Cell;

use super::prelude;
use super::scope::{Def, Guess, Ns};
use super::{Home, Index};
use crate::frontend::rust::program::{AdtId, FnId, ModId, Program, TraitRef, Ty};
use crate::frontend::rust::tree::{Generics, Path, Type, TypeId};
use crate::model::Models;
use crate::name::Name;

/// Bindings of generic parameters.
pub type Subst = Vec<(Name, Ty)>;

/// A function's types; generic parameters are `Ty::Param`.
#[derive(Debug)]
pub struct Sig {
    pub self_ty: Option<Ty>,
    pub receiver: bool,
    pub generics: Vec<Name>,
    /// What is known of a parameter or projection: a `Fn`, a future's output, an iterator, or traits.
    pub bounds: Vec<(Ty, Ty)>,
    pub params: Vec<Ty>,
    pub result: Ty,
}

/// The fields of a struct or of one variant.
#[derive(Debug)]
pub struct VariantTypes {
    pub fields: Vec<(Name, Ty)>,
}

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
            Type::Qualified { of, rest, .. } => rest
                .iter()
                .fold(self.ty(*of), |base, name| self.assoc(base, name)),
            Type::Ref(inner) => self.ty(*inner),
            Type::Tuple(parts) => Ty::Tuple(self.all(parts)),
            Type::Slice(inner) => Ty::Foreign("Vec".into(), vec![self.ty(*inner)]),
            Type::Fn { params, result } => Ty::Fn(
                self.all(params),
                Box::new(result.map_or(Ty::Tuple(Vec::new()), |r| self.ty(r))),
            ),
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
            let base = own
                .unwrap_or_else(|| Some(Ty::Param(first.name.clone())))
                .unwrap_or(Ty::Unknown);
            return path.segments[1..]
                .iter()
                .fold(base, |base, s| self.assoc(base, &s.name));
        }
        let names: Vec<Name> = path.segments.iter().map(|s| s.name.clone()).collect();
        let Some((def, taken)) = self
            .index
            .resolve(self.module, &names, Ns::Types, Guess::Foreign)
        else {
            return Ty::Unknown;
        };
        let args = path
            .segments
            .get(taken.wrapping_sub(1))
            .map(|s| self.all(&s.args))
            .unwrap_or_default();
        let base = self.def(def, args);
        names[taken.min(names.len())..]
            .iter()
            .fold(base, |base, name| self.assoc(base, name))
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
        let mut inside = Written::new(
            self.program,
            self.index,
            self.models,
            alias.file,
            alias.module,
        );
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
        match self
            .index
            .resolve(module, &["Error".into()], Ns::Types, Guess::No)
        {
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
        if traits.iter().all(|t| matches!(t, TraitRef::Foreign(_))) {
            if let Some(ty) = seen_through {
                return ty;
            }
        }
        Ty::Bound(traits)
    }

    pub fn trait_ref(&self, path: &Path) -> Option<TraitRef> {
        let names: Vec<Name> = path.segments.iter().map(|s| s.name.clone()).collect();
        match self
            .index
            .resolve(self.module, &names, Ns::Types, Guess::Foreign)?
        {
            (Def::Trait(id), _) => Some(TraitRef::Tree(id)),
            (Def::Foreign(path), _) => Some(TraitRef::Foreign(canonical(self.models, &path))),
            _ => None,
        }
    }

    /// Traits whose values are known by what they give: functions, futures, iterators.
    fn well_known(&self, name: &str, path: &Path) -> Option<Ty> {
        let segment = path.last()?;
        let binding = |wanted: &str| {
            segment
                .bindings
                .iter()
                .find(|(n, _)| *n == wanted)
                .map(|(_, t)| *t)
        };
        match last_of(name) {
            "Fn" | "FnMut" | "FnOnce" | "AsyncFn" | "AsyncFnMut" | "AsyncFnOnce" => {
                let result = binding("Output").map_or(Ty::Tuple(Vec::new()), |t| self.ty(t));
                Some(Ty::Fn(self.all(&segment.args), Box::new(result)))
            }
            "Future" | "IntoFuture" => binding("Output").map(|t| self.ty(t)),
            "Iterator"
            | "IntoIterator"
            | "DoubleEndedIterator"
            | "ExactSizeIterator"
            | "Stream" => {
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
            | "std::borrow::BorrowMut" => path
                .last()?
                .args
                .first()
                .map(|t| self.ty(*t))
                .filter(|t| *t != Ty::Unknown),
            "std::ops::Deref" | "std::ops::DerefMut" => {
                let (_, ty) = path.last()?.bindings.iter().find(|(n, _)| *n == "Target")?;
                Some(self.ty(*ty))
            }
            _ => None,
        }
    }

    /// `Base::Name`.
    pub fn assoc(&self, base: Ty, name: &str) -> Ty {
        if let Home::Impl(id) = self.home {
            if Some(&base) == self.self_ty.as_ref() {
                let own = self.index.impls[id as usize]
                    .assoc
                    .iter()
                    .find(|(n, _)| *n == name);
                if let Some((_, ty)) = own {
                    return self.ty(*ty);
                }
            }
        }
        match base {
            Ty::Param(_) | Ty::Assoc(..) => Ty::Assoc(Box::new(base), Name::new(name)),
            Ty::Foreign(head, args) if head == "Iterator" && name == "Item" => {
                args.into_iter().next().unwrap_or(Ty::Unknown)
            }
            Ty::Foreign(head, args) if head == "Iterator" && name == "IntoIter" => {
                Ty::Foreign(head, args)
            }
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
                let inside =
                    Written::new(self.program, self.index, self.models, def.file, def.module);
                inside.depth.set(self.depth.get() + 8);
                return inside.bounds(bounds);
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
        let found = &self.index.impls[id as usize];
        let inside = Written::new(
            self.program,
            self.index,
            self.models,
            found.file,
            found.module,
        );
        let inside = inside.at_home(Home::Impl(id));
        inside.depth.set(self.depth.get() + 8);
        let mut subst = Subst::new();
        unify(&found.for_type, base, &mut subst);
        let template = inside.ty(ty);
        self.subst(&template, &subst)
    }

    /// Puts bindings in; a parameter without one is unknown.
    pub fn subst(&self, ty: &Ty, subst: &Subst) -> Ty {
        let mut room = BUDGET;
        self.put(ty, subst, &mut room)
    }

    fn put(&self, ty: &Ty, subst: &Subst, room: &mut u32) -> Ty {
        if *room == 0 {
            return Ty::Unknown;
        }
        *room -= 1;
        let mut all = |list: &[Ty]| {
            list.iter()
                .map(|t| self.put(t, subst, room))
                .collect::<Vec<_>>()
        };
        match ty {
            Ty::Param(name) => match subst.iter().find(|(n, _)| n == name) {
                Some((_, bound)) => {
                    *room = room.saturating_sub(size(bound, BUDGET));
                    bound.clone()
                }
                None => Ty::Unknown,
            },
            Ty::Assoc(base, name) => {
                let base = self.put(base, subst, room);
                match base {
                    Ty::Param(_) | Ty::Assoc(..) => Ty::Unknown,
                    base => self.assoc(base, name),
                }
            }
            Ty::Adt(id, args) => Ty::Adt(*id, all(args)),
            Ty::Foreign(path, args) => Ty::Foreign(path.clone(), all(args)),
            Ty::Tuple(parts) => Ty::Tuple(all(parts)),
            Ty::Fn(params, result) => Ty::Fn(all(params), Box::new(self.put(result, subst, room))),
            other => other.clone(),
        }
    }
}

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
            Some((_, old)) if matches!(old, Ty::ForeignValue(_) | Ty::Unknown) => {
                *old = actual.clone()
            }
            Some(_) => {}
        },
        (Ty::Adt(a, xs), Ty::Adt(b, ys)) if a == b => pairs(xs, ys, subst),
        (Ty::Foreign(a, xs), Ty::Foreign(b, ys)) if last_of(a) == last_of(b) => {
            pairs(xs, ys, subst)
        }
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
            "HashMap" | "BTreeMap" | "IndexMap" | "DashMap" if args.len() >= 2 => {
                Some(Ty::Tuple(args[..2].to_vec()))
            }
            "Vec" | "VecDeque" | "HashSet" | "BTreeSet" | "BinaryHeap" | "IndexSet" | "Option"
            | "Iterator" | "Range" | "Receiver" | "FuturesUnordered" | "FuturesOrdered"
            | "SmallVec" | "ArrayVec" | "LinkedList" | "Peekable" => args.first().cloned(),
            _ => None,
        },
        Ty::ForeignValue(path) => Some(Ty::ForeignValue(path.clone())),
        _ => None,
    }
}

pub fn last_of(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

pub fn canonical(models: Option<&Models>, path: &str) -> Name {
    let path = prelude::normal(path);
    models.map_or_else(|| path.clone(), |m| m.canonical(&path))
}

fn is_marker(path: &str) -> bool {
    path.starts_with("std::marker::")
}

/// A foreign type, with wrappers that method calls see through taken away.
pub fn foreign(models: Option<&Models>, path: &str, mut args: Vec<Ty>) -> Ty {
    let path = canonical(models, path);
    let last = last_of(&path);
    let peeled = match last {
        "Box" | "Arc" | "Rc" | "Pin" | "Cow" | "BoxFuture" | "LocalBoxFuture" | "LazyLock"
        | "Lazy" | "ManuallyDrop" | "CachePadded" => true,
        "Ref" | "RefMut" => path.starts_with("std::cell"),
        guard => guard.ends_with("Guard") && (guard.contains("Mutex") || guard.contains("RwLock")),
    };
    if peeled && !args.is_empty() {
        return args.swap_remove(0);
    }
    match last {
        "BoxStream" | "LocalBoxStream" => Ty::Foreign("Iterator".into(), args),
        "Result" => {
            if args.len() == 1 && path != "Result" {
                let base = path.strip_suffix("::Result").unwrap_or_default();
                args.push(Ty::Foreign(
                    canonical(models, &format!("{base}::Error")),
                    Vec::new(),
                ));
            }
            Ty::Foreign("Result".into(), args)
        }
        _ => Ty::Foreign(path, args),
    }
}

impl Index {
    pub fn sig(&self, program: &Program, models: &Models, id: FnId) -> &Sig {
        self.sigs[id.0 as usize].get_or_init(|| self.make_sig(program, models, id))
    }

    fn make_sig(&self, program: &Program, models: &Models, id: FnId) -> Sig {
        let def = program.def(id);
        let function = program.function(id);
        let home = self.home(id);
        let at = Written::new(program, self, Some(models), def.file, def.module);
        let at = at.at_home(home).with_params(&function.generics);
        let mut bounds = Vec::new();
        let mut add = |generics: &Generics| {
            for (ty, list) in &generics.bounds {
                let of = at.ty(*ty);
                if matches!(of, Ty::Param(_) | Ty::Assoc(..)) {
                    bounds.push((of, at.bounds(list)));
                }
            }
        };
        match home {
            Home::Impl(id) => {
                let found = &self.impls[id as usize];
                add(&program.tree(found.file).impls[found.decl as usize].generics);
            }
            Home::Trait(id) => {
                let found = &program.traits[id.0 as usize];
                add(&program.tree(found.file).traits[found.decl as usize].generics);
                bounds.push((
                    Ty::Param("Self".into()),
                    Ty::Bound(vec![TraitRef::Tree(id)]),
                ));
            }
            Home::Module => {}
        }
        let mut add = |generics: &Generics| {
            for (ty, list) in &generics.bounds {
                let of = at.ty(*ty);
                if matches!(of, Ty::Param(_) | Ty::Assoc(..)) {
                    bounds.push((of, at.bounds(list)));
                }
            }
        };
        add(&function.generics);
        Sig {
            self_ty: at.self_ty.clone(),
            receiver: function.receiver.is_some(),
            generics: at.params.clone(),
            params: function
                .params
                .iter()
                .map(|(_, t)| at.fresh().ty(*t))
                .collect(),
            result: function
                .result
                .map_or(Ty::Tuple(Vec::new()), |t| at.fresh().ty(t)),
            bounds,
        }
    }

    pub fn variants_of(&self, program: &Program, models: &Models, id: AdtId) -> &[VariantTypes] {
        self.fields[id.0 as usize].get_or_init(|| {
            let (adt, decl) = (program.adt(id), program.adt_decl(id));
            let mut at = Written::new(program, self, Some(models), adt.file, adt.module);
            at.params = decl.generics.params.clone();
            at.self_ty = Some(Ty::Adt(
                id,
                at.params.iter().cloned().map(Ty::Param).collect(),
            ));
            let field =
                |f: &crate::frontend::rust::tree::FieldDecl| (f.name.clone(), at.fresh().ty(f.ty));
            decl.variants
                .iter()
                .map(|v| VariantTypes {
                    fields: v.fields.iter().map(field).collect(),
                })
                .collect()
        })
    }
}

impl Written<'_> {
    /// A new written type begins with its whole budget.
    pub fn fresh(&self) -> &Self {
        self.budget.set(BUDGET);
        self
    }
}
