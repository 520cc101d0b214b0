//! Which type has which methods: inherent ones, those of traits, blanket ones; which types a trait has.

use rustc_hash::{FxHashMap, FxHashSet};

use super::scope::Def;
use super::types::{Written, last_of};
use super::{Home, Index};
use crate::frontend::rust::program::{AdtId, ConstId, FnId, ModId, Owner, Program, TraitId, TraitRef, Ty};
use crate::frontend::rust::tree::{Type, TypeId};
use crate::name::Name;

/// What impls are found by. Foreign types are told apart by their last segment: aliases of one type meet there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Key {
    Adt(AdtId),
    Foreign(Name),
}

#[derive(Debug, Default)]
pub struct Tables {
    /// Functions of inherent impls, with the impl.
    pub inherent: FxHashMap<(Key, Name), Vec<(FnId, u32)>>,
    /// Functions of trait impls, with the impl.
    pub of_traits: FxHashMap<(Key, Name), Vec<(FnId, u32)>>,
    /// Trait impls of a type.
    pub traits_of: FxHashMap<Key, Vec<u32>>,
    pub impls_of: FxHashMap<TraitRef, Vec<u32>>,
    /// Functions of `impl<T> Trait for T`.
    pub blanket: FxHashMap<Name, Vec<(FnId, u32)>>,
    /// Traits of the tree that declare a function of the name.
    pub traits_with: FxHashMap<Name, Vec<TraitId>>,
    pub deref: FxHashMap<AdtId, u32>,
    pub assoc: FxHashMap<(Key, Name), (u32, TypeId)>,
    pub consts: FxHashMap<(Key, Name), ConstId>,
    /// Traits of the tree that may be called in a module, by `ModId`.
    pub traits_in: Vec<FxHashSet<TraitId>>,
}

pub fn key(ty: &Ty) -> Option<Key> {
    match ty {
        Ty::Adt(id, _) => Some(Key::Adt(*id)),
        Ty::Foreign(path, _) => Some(Key::Foreign(Name::new(last_of(path)))),
        Ty::Tuple(_) => Some(Key::Foreign("()".into())),
        _ => None,
    }
}

pub fn build(program: &mut Program, index: &mut Index) {
    supers(program, index);
    for id in 0..index.impls.len() {
        type_impl(program, index, id);
    }
    for id in 0..index.impls.len() {
        add_impl(index, id as u32);
    }
    for (id, data) in index.traits.iter().enumerate() {
        for name in data.fns.keys() {
            index.tables.traits_with.entry(name.clone()).or_default().push(TraitId(id as u32));
        }
    }
    index.tables.traits_in = (0..index.scopes.len()).map(|m| traits_in(index, ModId(m as u32))).collect();
    owners(program, index);
}

fn supers(program: &Program, index: &mut Index) {
    for id in 0..program.traits.len() {
        let def = &program.traits[id];
        let tree = program.tree(def.file);
        let at = Written::new(program, index, None, def.file, def.module);
        let found = tree.traits[def.decl as usize].supers.iter().filter_map(|s| match tree.ty(*s) {
            Type::Path(path) => at.trait_ref(path),
            _ => None,
        });
        let found: Vec<TraitRef> = found.collect();
        index.traits[id].supers = found;
    }
}

/// The type and the trait of an impl.
fn type_impl(program: &Program, index: &mut Index, id: usize) {
    let found = &index.impls[id];
    let tree = program.tree(found.file);
    let decl = &tree.impls[found.decl as usize];
    let at = Written::new(program, index, None, found.file, found.module).with_params(&decl.generics);
    let for_type = at.ty(decl.for_type);
    let mut of = None;
    let mut of_args = Vec::new();
    if let Some(Type::Path(path)) = decl.of.map(|of| tree.ty(of)) {
        of = at.trait_ref(path);
        of_args = path.last().map(|s| s.args().iter().map(|t| at.ty(*t)).collect()).unwrap_or_default();
        // An impl of a trait that was not found is still no inherent impl.
        let written = path.segments.iter().map(|s| s.name.to_string()).collect::<Vec<_>>().join("::");
        of = of.or_else(|| Some(TraitRef::Foreign(Name::from(written))));
    }
    let found = &mut index.impls[id];
    found.for_type = for_type;
    found.of = of;
    found.of_args = of_args;
}

fn add_impl(index: &mut Index, id: u32) {
    let found = &index.impls[id as usize];
    let tables = &mut index.tables;
    if let Some(of) = &found.of {
        tables.impls_of.entry(of.clone()).or_default().push(id);
        if matches!(found.for_type, Ty::Param(_)) {
            for (name, function) in &found.fns {
                let all = tables.blanket.entry(name.clone()).or_default();
                all.push((*function, id));
            }
        }
    }
    let Some(key) = key(&found.for_type) else {
        return;
    };
    let methods = if found.of.is_some() { &mut tables.of_traits } else { &mut tables.inherent };
    let with = |name: &Name| (key.clone(), name.clone());
    for (name, function) in &found.fns {
        methods.entry(with(name)).or_default().push((*function, id));
    }
    for (name, constant) in &found.consts {
        tables.consts.entry(with(name)).or_insert(*constant);
    }
    for (name, ty) in &found.assoc {
        tables.assoc.entry(with(name)).or_insert((id, *ty));
    }
    let Some(of) = &found.of else { return };
    if let (TraitRef::Foreign(path), Key::Adt(adt)) = (of, &key)
        && last_of(path) == "Deref"
    {
        tables.deref.insert(*adt, id);
    }
    tables.traits_of.entry(key).or_default().push(id);
}

/// No real module sees through more globs than this.
const MOST_GLOBS: usize = 64;

fn traits_in(index: &Index, module: ModId) -> FxHashSet<TraitId> {
    let mut found = FxHashSet::default();
    let mut seen = FxHashSet::from_iter([module]);
    let mut open = vec![module];
    while let Some(next) = open.pop() {
        let scope = index.scope(next);
        let all = scope.types.values().chain(&scope.hidden);
        found.extend(all.filter_map(|d| if let Def::Trait(t) = d { Some(*t) } else { None }));
        for glob in &scope.globs {
            if let Def::Mod(target) = glob
                && seen.len() < MOST_GLOBS
                && seen.insert(*target)
            {
                open.push(*target);
            }
        }
    }
    found
}

/// Owners and paths of associated functions, now that their types are known.
fn owners(program: &mut Program, index: &Index) {
    for id in 0..program.fns.len() {
        let owner = match index.fn_homes[id] {
            Home::Module => continue,
            Home::Trait(of) => Owner::Trait(of),
            Home::Impl(i) => {
                let found = &index.impls[i as usize];
                let for_type = found.for_type.clone();
                let path = owner_path(program, &for_type, found.module);
                let name = program.fns[id].name.clone();
                program.fns[id].path = super::scope::join(&path, &[name]);
                match &found.of {
                    Some(of) => Owner::Impl { of: of.clone(), for_type },
                    None => Owner::Inherent(for_type),
                }
            }
        };
        program.fns[id].owner = owner;
    }
    for id in 0..program.consts.len() {
        if let Home::Impl(i) = index.consts[id].home {
            let found = &index.impls[i as usize];
            let path = owner_path(program, &found.for_type, found.module);
            program.consts[id].path = super::scope::join(&path, &[index.consts[id].name.clone()]);
        }
    }
}

fn owner_path(program: &Program, ty: &Ty, module: ModId) -> Name {
    let inside = |name: &str| {
        let base = &program.modules[module.0 as usize].path;
        Name::from(format!("{base}::{name}"))
    };
    match ty {
        Ty::Adt(id, _) => program.adt(*id).path.clone(),
        Ty::Foreign(path, _) => inside(last_of(path)),
        Ty::Param(name) => inside(name),
        Ty::Bound(traits) => match traits.first() {
            Some(TraitRef::Tree(id)) => program.traits[id.0 as usize].path.clone(),
            Some(TraitRef::Foreign(path)) => inside(last_of(path)),
            None => inside("_"),
        },
        _ => inside("_"),
    }
}
