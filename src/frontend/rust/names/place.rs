//! Where each file and item stands: from the root of each crate along `mod` to every module, then every item into its
//! module. Modules wait in a queue instead of on the stack, so depth costs nothing.

use std::borrow::Cow;
use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::scope::{Def, Scope, join};
use super::uses::Import;
use super::{Home, Index};
use crate::frontend::rust::module_files::{Folder, included};
use crate::frontend::rust::program::{Crate, CrateId, CrateKind, DependencyOf, LoweredFile, ModId, Module, Program};
use crate::frontend::rust::tree::{ExprKind, Item, ItemKind};
use crate::name::Name;
use crate::source::{FileId, Sources};

/// Items that wait to be placed.
pub(super) struct Job<'a> {
    pub(super) items: &'a [Item],
    pub(super) at: Spot,
}

#[derive(Clone)]
pub(super) struct Spot {
    pub(super) file: usize,
    pub(super) module: ModId,
    pub(super) krate: CrateId,
    pub(super) test: bool,
    pub(super) home: Home,
    /// The path that names of these items begin with.
    pub(super) prefix: Name,
    pub(super) folder: Folder,
}

pub(super) struct Placer<'a> {
    pub(super) files: &'a [LoweredFile],
    pub(super) sources: &'a Sources,
    pub(super) tests: bool,
    pub(super) program: Program,
    pub(super) index: Index,
    pub(super) imports: Vec<Import<'a>>,
    pub(super) by_id: FxHashMap<FileId, usize>,
    pub(super) placed: FxHashMap<usize, ModId>,
    /// Files with items inside bodies; the bodies of others need no walk.
    pub(super) nested: Vec<bool>,
    pub(super) queue: VecDeque<Job<'a>>,
}

/// Programs before their imports are resolved.
pub struct Placed<'a> {
    pub program: Program,
    pub index: Index,
    pub imports: Vec<Import<'a>>,
    /// By file.
    pub reached: Vec<bool>,
}

pub fn place<'a>(files: &'a [LoweredFile], crates: Vec<Crate>, sources: &'a Sources, tests: bool) -> Placed<'a> {
    let has_items =
        |f: &LoweredFile| f.tree.exprs.iter().any(|e| matches!(&e.kind, ExprKind::Block(b) if !b.items.is_empty()));
    let mut placer = Placer {
        files,
        sources,
        tests,
        program: Program::default(),
        index: Index::default(),
        imports: Vec::new(),
        by_id: files.iter().enumerate().map(|(i, f)| (f.file, i)).collect(),
        placed: FxHashMap::default(),
        nested: files.iter().map(has_items).collect(),
        queue: VecDeque::new(),
    };
    placer.program.crates = crates;
    placer.roots();
    placer.externs();
    Placed {
        reached: (0..files.len()).map(|f| placer.placed.contains_key(&f)).collect(),
        program: placer.program,
        index: placer.index,
        imports: placer.imports,
    }
}

impl<'a> Placer<'a> {
    fn roots(&mut self) {
        let kinds: Vec<CrateKind> = self.program.crates.iter().map(|c| c.kind).collect();
        self.index.roots = vec![ModId(0); kinds.len()];
        for kind in [CrateKind::Lib, CrateKind::Bin, CrateKind::Other] {
            for at in (0..kinds.len()).filter(|at| kinds[*at] == kind) {
                self.root(CrateId(at as u32));
            }
        }
    }

    fn root(&mut self, krate: CrateId) {
        let (name, root) = {
            let krate = &self.program.crates[krate.0 as usize];
            (krate.name.clone(), krate.root)
        };
        let file = self.by_id.get(&root).copied();
        if let Some(module) = file.and_then(|f| self.placed.get(&f)) {
            self.index.roots[krate.0 as usize] = *module;
            return;
        }
        let module = self.module(name.clone(), name.clone(), krate, None);
        self.index.roots[krate.0 as usize] = module;
        let Some(file) = file else { return };
        self.placed.insert(file, module);
        let folder = Folder::of_root(&self.sources.get(root).path);
        let at = Spot { file, module, krate, test: false, home: Home::Module, prefix: name, folder };
        self.queue.push_back(Job { items: &self.files[file].tree.items, at });
        self.run();
    }

    fn run(&mut self) {
        while let Some(job) = self.queue.pop_front() {
            for item in job.items {
                if item.attrs.test && !self.tests {
                    continue;
                }
                self.item(item, &job.at);
            }
        }
    }

    pub(super) fn module(&mut self, name: Name, path: Name, krate: CrateId, parent: Option<ModId>) -> ModId {
        let id = ModId(self.program.modules.len() as u32);
        self.program.modules.push(Module { path, krate, parent, generated: false });
        self.index.scopes.push(Scope {
            name,
            krate,
            parent,
            body: false,
            generated: false,
            types: FxHashMap::default(),
            values: FxHashMap::default(),
            globs: Vec::new(),
            hidden: Vec::new(),
        });
        id
    }

    fn generated(&mut self, module: ModId) {
        self.index.scopes[module.0 as usize].generated = true;
        self.program.modules[module.0 as usize].generated = true;
    }

    pub(super) fn scope(&mut self, at: &Spot) -> &mut Scope {
        &mut self.index.scopes[at.module.0 as usize]
    }

    pub(super) fn types(&mut self, at: &Spot, name: &Name, def: Def) {
        self.scope(at).types.entry(name.clone()).or_insert(def);
    }

    pub(super) fn values(&mut self, at: &Spot, name: &Name, def: Def) {
        self.scope(at).values.entry(name.clone()).or_insert(def);
    }

    pub(super) fn item(&mut self, item: &'a Item, at: &Spot) {
        match &item.kind {
            ItemKind::Mod(items) => self.place_mod(item, items.as_deref(), at),
            ItemKind::Use(leaves) => {
                let module = at.module;
                let imports = leaves.iter().map(|l| Import { module, leaf: Cow::Borrowed(l), done: false });
                self.imports.extend(imports);
            }
            ItemKind::ExternCrate { rename } => self.extern_crate(item, rename.as_ref(), at),
            ItemKind::Fn(decl) => self.function(item, *decl, at),
            ItemKind::Adt(decl) => self.adt(item, *decl, at),
            ItemKind::Trait(decl) => self.place_trait(item, *decl, at),
            ItemKind::Impl(decl) => self.place_impl(item, *decl, at),
            ItemKind::Alias { generics, ty, bounds } => match at.home {
                Home::Module => self.alias(item, &generics.params, *ty, at),
                home => self.assoc(item, *ty, bounds, home),
            },
            ItemKind::Const { ty, value } | ItemKind::Static { ty, value } => self.constant(item, *ty, *value, at),
            ItemKind::Include(path) => self.include(path, at),
            ItemKind::Generated => self.generated(at.module),
            ItemKind::MacroCall(_) => {}
            ItemKind::MacroRules { .. } => {
                let krate = self.program.crates[at.krate.0 as usize].name.clone();
                let path = join(&krate, std::slice::from_ref(&item.name));
                self.index.macros.insert(item.name.clone(), path);
            }
        }
    }

    fn extern_crate(&mut self, item: &Item, rename: Option<&Name>, at: &Spot) {
        let leaf = crate::frontend::rust::tree::UseLeaf {
            path: vec!["".into(), item.name.clone()],
            name: rename.unwrap_or(&item.name).clone(),
            glob: false,
        };
        self.imports.push(Import { module: at.module, leaf: Cow::Owned(leaf), done: false });
    }

    // ---- modules and files

    fn place_mod(&mut self, item: &'a Item, items: Option<&'a [Item]>, at: &Spot) {
        let path = join(&at.prefix, std::slice::from_ref(&item.name));
        let mut spot = Spot {
            prefix: path.clone(),
            folder: at.folder.inside(item),
            test: at.test || item.attrs.test,
            home: Home::Module,
            ..at.clone()
        };
        if let Some(items) = items {
            spot.module = self.module(item.name.clone(), path, at.krate, Some(at.module));
            self.types(at, &item.name, Def::Mod(spot.module));
            return self.queue.push_back(Job { items, at: spot });
        }
        let Some((file, folder)) = self.find_module(item, at) else {
            // Declared but not here: written by a build, or left out of the input.
            let module = self.module(item.name.clone(), path, at.krate, Some(at.module));
            self.generated(module);
            return self.types(at, &item.name, Def::Mod(module));
        };
        if let Some(module) = self.placed.get(&file) {
            let def = Def::Mod(*module);
            return self.types(at, &item.name, def);
        }
        spot.module = self.module(item.name.clone(), path, at.krate, Some(at.module));
        self.types(at, &item.name, Def::Mod(spot.module));
        self.placed.insert(file, spot.module);
        spot.file = file;
        spot.folder = folder;
        self.queue.push_back(Job { items: &self.files[file].tree.items, at: spot });
    }

    fn find_module(&self, item: &Item, at: &Spot) -> Option<(usize, Folder)> {
        let own = &self.sources.get(self.files[at.file].file).path;
        let (file, folder) = at.folder.module(self.sources, own, item)?;
        Some((*self.by_id.get(&file)?, folder))
    }

    /// An included file's items belong to the including module.
    fn include(&mut self, path: &str, at: &Spot) {
        let own = &self.sources.get(self.files[at.file].file).path;
        let file = included(self.sources, own, path);
        let Some(file) = file.and_then(|f| self.by_id.get(&f).copied()) else {
            return self.generated(at.module);
        };
        if self.placed.insert(file, at.module).is_none() {
            let at = Spot { file, ..at.clone() };
            self.queue.push_back(Job { items: &self.files[file].tree.items, at });
        }
    }

    // ---- crates

    /// What crate names mean: the dependencies, and for a binary the library of its own package.
    fn externs(&mut self) {
        let crates = &self.program.crates;
        for krate in crates {
            let mut names = FxHashMap::default();
            for (name, to) in &krate.dependencies {
                let def = match to {
                    DependencyOf::Tree(id) => match self.index.roots.get(id.0 as usize) {
                        Some(root) => Def::Mod(*root),
                        None => continue,
                    },
                    DependencyOf::Foreign { name, .. } => Def::Foreign(name.clone()),
                };
                names.insert(name.clone(), def);
            }
            let libs = crates.iter().zip(&self.index.roots);
            let own = libs.filter(|(c, _)| c.kind == CrateKind::Lib && c.package == krate.package);
            if krate.kind != CrateKind::Lib {
                for (lib, root) in own {
                    names.entry(lib.name.clone()).or_insert(Def::Mod(*root));
                }
            }
            self.index.externs.push(names);
        }
    }
}
