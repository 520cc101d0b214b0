//! What a name means in a module, and where a path leads.

use rustc_hash::{FxHashMap, FxHashSet};

use super::prelude;
use super::{Home, Index};
use crate::frontend::rust::program::{AdtId, ConstId, CrateId, FnId, ModId, TraitId};
use crate::name::Name;

/// What a name or path stands for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Def {
    Mod(ModId),
    Fn(FnId),
    Adt(AdtId),
    Variant(AdtId, u32),
    Trait(TraitId),
    Const(ConstId),
    /// Index into the aliases.
    Alias(u32),
    /// A name of a foreign package, of std or of generated code, as a path.
    Foreign(Name),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ns {
    Types,
    Values,
}

/// The names of one module.
#[derive(Debug)]
pub struct Scope {
    /// The last segment, for names of generated code.
    pub name: Name,
    pub krate: CrateId,
    pub parent: Option<ModId>,
    /// The items of a block: names fall through to the parent, `self` and `super` are the parent's.
    pub body: bool,
    pub generated: bool,
    pub types: FxHashMap<Name, Def>,
    pub values: FxHashMap<Name, Def>,
    /// Modules, enums and foreign modules whose names are all here.
    pub globs: Vec<Def>,
    /// `use Trait as _`.
    pub hidden: Vec<Def>,
}

impl Scope {
    pub fn names(&self, ns: Ns) -> &FxHashMap<Name, Def> {
        match ns {
            Ns::Types => &self.types,
            Ns::Values => &self.values,
        }
    }
}

/// Names that are only guessed at when everything else has been tried: while imports are still being resolved a name
/// that is missing may yet come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guess {
    No,
    Foreign,
}

impl Index {
    /// The module that `self` means: that of the file or `mod`, not of a block.
    pub fn real(&self, mut module: ModId) -> ModId {
        while let (true, Some(parent)) = (self.scope(module).body, self.scope(module).parent) {
            module = parent;
        }
        module
    }

    /// A name of a module, its own or through a glob.
    pub fn child(&self, module: ModId, name: &str, ns: Ns) -> Option<Def> {
        let scope = self.scope(module);
        if let Some(def) = scope.names(ns).get(name) {
            return Some(def.clone());
        }
        if scope.globs.is_empty() {
            return None;
        }
        self.through_globs(module, name, ns)
    }

    fn through_globs(&self, module: ModId, name: &str, ns: Ns) -> Option<Def> {
        let mut seen = FxHashSet::from_iter([module]);
        let mut open = vec![module];
        while let Some(next) = open.pop() {
            let scope = self.scope(next);
            if let Some(def) = scope.names(ns).get(name) {
                return Some(def.clone());
            }
            for glob in &scope.globs {
                match glob {
                    Def::Mod(target) if seen.insert(*target) => open.push(*target),
                    Def::Adt(adt) => {
                        if let Some(at) = self.variants.get(&(*adt, Name::new(name))) {
                            return Some(Def::Variant(*adt, *at));
                        }
                    }
                    _ => {}
                }
            }
        }
        None
    }

    /// The first segment of a path: the module and the blocks around, then crates, then the prelude.
    pub fn lexical(&self, module: ModId, name: &str, ns: Ns) -> Option<Def> {
        let mut at = module;
        loop {
            if let Some(def) = self.child(at, name, ns) {
                return Some(def);
            }
            match self.scope(at).parent {
                Some(parent) if self.scope(at).body => at = parent,
                _ => break,
            }
        }
        let krate = self.scope(module).krate;
        let outside = if ns == Ns::Types { self.crate_named(krate, name) } else { None };
        outside.or_else(|| prelude::name(name, ns).map(|path| Def::Foreign(Name::new(path))))
    }

    /// What a crate's name means in a crate.
    pub fn crate_named(&self, krate: CrateId, name: &str) -> Option<Def> {
        if matches!(name, "std" | "core" | "alloc") {
            return Some(Def::Foreign(Name::new("std")));
        }
        self.externs.get(krate.0 as usize)?.get(name).cloned()
    }

    /// Where a path leads, and how many of its segments that took; the others are associated items.
    pub fn resolve(&self, module: ModId, path: &[Name], ns: Ns, guess: Guess) -> Option<(Def, usize)> {
        let (mut def, mut at) = self.first(module, path, ns, guess)?;
        while at < path.len() {
            let ns = if at + 1 == path.len() { ns } else { Ns::Types };
            let next = match &def {
                Def::Mod(inside) => self.inside(*inside, &path[at..], ns, guess)?,
                Def::Adt(adt) => match self.variants.get(&(*adt, path[at].clone())) {
                    Some(variant) => (Def::Variant(*adt, *variant), 1),
                    None => break,
                },
                Def::Foreign(base) => (Def::Foreign(prelude::normal(&join(base, &path[at..]))), path.len() - at),
                _ => break,
            };
            def = next.0;
            at += next.1;
        }
        Some((def, at))
    }

    /// The first segments: `crate`, `self`, `super`, a leading `::`, a name.
    fn first(&self, module: ModId, path: &[Name], ns: Ns, guess: Guess) -> Option<(Def, usize)> {
        let first = path.first()?;
        match first.as_str() {
            "" => {
                let name = path.get(1)?;
                let found = self.crate_named(self.scope(module).krate, name);
                Some((found.unwrap_or_else(|| Def::Foreign(name.clone())), 2))
            }
            "crate" | "$crate" => Some((Def::Mod(self.roots[self.scope(module).krate.0 as usize]), 1)),
            "self" => self.supers(self.real(module), path, 1),
            "super" => self.supers(self.real(module), path, 0),
            name => {
                let ns = if path.len() == 1 { ns } else { Ns::Types };
                let found = self.lexical(module, name, ns);
                let found = found.or_else(|| self.guessed(module, path, guess))?;
                Some((found, 1))
            }
        }
    }

    fn supers(&self, mut module: ModId, path: &[Name], from: usize) -> Option<(Def, usize)> {
        let count = path[from..].iter().take_while(|s| **s == "super").count();
        for _ in 0..count {
            module = self.real(self.scope(module).parent?);
        }
        Some((Def::Mod(module), from + count))
    }

    fn inside(&self, module: ModId, rest: &[Name], ns: Ns, guess: Guess) -> Option<(Def, usize)> {
        if let Some(def) = self.child(module, &rest[0], ns) {
            return Some((def, 1));
        }
        if guess == Guess::No {
            return None;
        }
        let scope = self.scope(module);
        if scope.generated {
            return Some((Def::Foreign(join(&scope.name, rest)), rest.len()));
        }
        let base = self.foreign_glob(module)?;
        Some((Def::Foreign(join(&base, &rest[..1])), 1))
    }

    /// A name nobody defines: of generated code, of a foreign glob, or of a package the manifest does not list.
    fn guessed(&self, module: ModId, path: &[Name], guess: Guess) -> Option<Def> {
        if guess == Guess::No || path[0] == "Self" {
            return None;
        }
        let mut at = module;
        loop {
            let scope = self.scope(at);
            if scope.generated {
                return Some(Def::Foreign(join(&scope.name, &path[..1])));
            }
            if let Some(base) = self.foreign_glob(at) {
                return Some(Def::Foreign(join(&base, &path[..1])));
            }
            match scope.parent {
                Some(parent) if scope.body => at = parent,
                _ => break,
            }
        }
        let lower = path[0].starts_with(|c: char| c.is_lowercase());
        (path.len() > 1 && lower).then(|| Def::Foreign(path[0].clone()))
    }

    /// The foreign module that a glob of this module brings in; std's own preludes hold only traits.
    fn foreign_glob(&self, module: ModId) -> Option<Name> {
        self.scope(module).globs.iter().find_map(|g| match g {
            Def::Foreign(path) if !path.starts_with("std::") => Some(path.clone()),
            _ => None,
        })
    }

    /// Whether a trait of the tree may be called here without being named.
    pub fn trait_in_scope(&self, module: ModId, wanted: TraitId) -> bool {
        let def = Def::Trait(wanted);
        self.chain(module).any(|m| {
            let scope = self.scope(m);
            scope.hidden.contains(&def) || self.tables.traits_in[m.0 as usize].contains(&wanted)
        })
    }

    /// The foreign names that are imported here: single names and, with `::*`, whole modules.
    pub fn foreign_in_scope(&self, module: ModId) -> impl Iterator<Item = (&Name, bool)> {
        self.chain(module).flat_map(|m| {
            let scope = self.scope(m);
            let named = scope.types.values().chain(&scope.hidden).map(|d| (d, false));
            named.chain(scope.globs.iter().map(|d| (d, true))).filter_map(|(d, glob)| match d {
                Def::Foreign(path) => Some((path, glob)),
                _ => None,
            })
        })
    }

    /// A module and, for a block, those around it.
    fn chain(&self, module: ModId) -> impl Iterator<Item = ModId> {
        std::iter::successors(Some(module), |m| {
            let scope = self.scope(*m);
            if scope.body { scope.parent } else { None }
        })
    }

    pub fn home(&self, function: FnId) -> Home {
        self.fn_homes[function.0 as usize]
    }
}

pub fn join(base: &str, rest: &[Name]) -> Name {
    let mut text = String::with_capacity(base.len() + rest.len() * 12);
    text.push_str(base);
    for segment in rest {
        text.push_str("::");
        text.push_str(segment);
    }
    Name::from(text)
}
