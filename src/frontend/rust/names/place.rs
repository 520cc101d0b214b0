//! Where each file and item stands: from the root of each crate along `mod` to every module, then every item into its
//! module. Modules wait in a queue instead of on the stack, so depth costs nothing.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::scope::{Def, Scope, join};
use super::uses::Import;
use super::visit::for_each_child;
use super::{AliasDef, ConstData, Home, ImplDef, Index, TraitData};
use crate::frontend::rust::program::{
    Adt, AdtId, ConstDef, ConstId, Crate, CrateId, CrateKind, DependencyOf, FnDef, FnId,
    LoweredFile, ModId, Module, Owner, Program, TraitDef, TraitId, Ty,
};
use crate::frontend::rust::tree::{ExprId, ExprKind, Item, ItemKind, TypeId};
use crate::name::Name;
use crate::source::{FileId, Sources};

/// Items that wait to be placed.
struct Job<'a> {
    items: &'a [Item],
    at: Spot,
}

#[derive(Clone)]
struct Spot {
    file: usize,
    module: ModId,
    krate: CrateId,
    test: bool,
    home: Home,
    /// The path that names of these items begin with.
    prefix: Name,
    /// Where files of child modules are looked for.
    dir: String,
    /// The module is written inside another one in its file: `#[path]` counts from `dir`, not from the file.
    inline: bool,
}

struct Placer<'a> {
    files: &'a [LoweredFile],
    sources: &'a Sources,
    tests: bool,
    program: Program,
    index: Index,
    imports: Vec<Import>,
    by_id: FxHashMap<FileId, usize>,
    placed: FxHashMap<usize, ModId>,
    /// Files with items inside bodies; the bodies of others need no walk.
    nested: Vec<bool>,
    queue: VecDeque<Job<'a>>,
}

pub fn place(
    files: &[LoweredFile],
    crates: Vec<Crate>,
    sources: &Sources,
    tests: bool,
) -> (Program, Index, Vec<Import>) {
    let has_items = |f: &LoweredFile| {
        f.tree
            .exprs
            .iter()
            .any(|e| matches!(&e.kind, ExprKind::Block(b) if !b.items.is_empty()))
    };
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
    (placer.program, placer.index, placer.imports)
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
        let dir = parent(&self.sources.get(root).path).to_owned();
        let at = Spot {
            file,
            module,
            krate,
            test: false,
            home: Home::Module,
            prefix: name,
            dir,
            inline: false,
        };
        self.queue.push_back(Job {
            items: &self.files[file].tree.items,
            at,
        });
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

    fn module(&mut self, name: Name, path: Name, krate: CrateId, parent: Option<ModId>) -> ModId {
        let id = ModId(self.program.modules.len() as u32);
        self.program.modules.push(Module {
            path,
            krate,
            parent,
            generated: false,
        });
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

    fn scope(&mut self, at: &Spot) -> &mut Scope {
        &mut self.index.scopes[at.module.0 as usize]
    }

    fn types(&mut self, at: &Spot, name: &Name, def: Def) {
        self.scope(at).types.entry(name.clone()).or_insert(def);
    }

    fn values(&mut self, at: &Spot, name: &Name, def: Def) {
        self.scope(at).values.entry(name.clone()).or_insert(def);
    }

    fn item(&mut self, item: &'a Item, at: &Spot) {
        match &item.kind {
            ItemKind::Mod(items) => self.place_mod(item, items.as_deref(), at),
            ItemKind::Use(leaves) => {
                let module = at.module;
                let imports = leaves.iter().map(|l| Import {
                    module,
                    leaf: l.clone(),
                    done: false,
                });
                self.imports.extend(imports);
            }
            ItemKind::ExternCrate { rename } => self.extern_crate(item, rename.as_ref(), at),
            ItemKind::Fn(decl) => self.function(item, *decl, at),
            ItemKind::Adt(decl) => self.adt(item, *decl, at),
            ItemKind::Trait(decl) => self.place_trait(item, *decl, at),
            ItemKind::Impl(decl) => self.place_impl(*decl, at),
            ItemKind::Alias {
                generics,
                ty,
                bounds,
            } => match at.home {
                Home::Module => self.alias(item, &generics.params, *ty, at),
                home => self.assoc(item, *ty, bounds, home),
            },
            ItemKind::Const { ty, value } | ItemKind::Static { ty, value } => {
                self.constant(item, *ty, *value, at)
            }
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
        self.imports.push(Import {
            module: at.module,
            leaf,
            done: false,
        });
    }

    // ---- modules and files

    fn place_mod(&mut self, item: &'a Item, items: Option<&'a [Item]>, at: &Spot) {
        let path = join(&at.prefix, std::slice::from_ref(&item.name));
        let below = match &item.attrs.path {
            Some(path) if items.is_some() => clean(&format!("{}/{path}", at.dir)),
            _ => clean(&format!("{}/{}", at.dir, item.name)),
        };
        let mut spot = Spot {
            prefix: path.clone(),
            dir: below,
            inline: true,
            test: at.test || item.attrs.test,
            home: Home::Module,
            ..at.clone()
        };
        if let Some(items) = items {
            spot.module = self.module(item.name.clone(), path, at.krate, Some(at.module));
            self.types(at, &item.name, Def::Mod(spot.module));
            return self.queue.push_back(Job { items, at: spot });
        }
        let Some((file, dir)) = self.find_module(item, at) else {
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
        spot.dir = dir;
        spot.inline = false;
        self.queue.push_back(Job {
            items: &self.files[file].tree.items,
            at: spot,
        });
    }

    /// The file of `mod name;` and the directory of its children.
    fn find_module(&self, item: &Item, at: &Spot) -> Option<(usize, String)> {
        if let Some(path) = &item.attrs.path {
            let own = &self.sources.get(self.files[at.file].file).path;
            let base = if at.inline {
                at.dir.as_str()
            } else {
                parent(own)
            };
            let path = clean(&format!("{base}/{path}"));
            let dir = parent(&path).to_owned();
            return Some((self.find_file(&path)?, dir));
        }
        let dir = clean(&format!("{}/{}", at.dir, item.name));
        let file = self.find_file(&format!("{dir}.rs"));
        let file = file.or_else(|| self.find_file(&format!("{dir}/mod.rs")))?;
        Some((file, dir))
    }

    fn find_file(&self, path: &str) -> Option<usize> {
        self.by_id.get(&self.sources.find(path)?).copied()
    }

    /// An included file's items belong to the including module.
    fn include(&mut self, path: &str, at: &Spot) {
        let own = &self.sources.get(self.files[at.file].file).path;
        let path = clean(&format!("{}/{path}", parent(own)));
        let Some(file) = self.find_file(&path) else {
            return self.generated(at.module);
        };
        if self.placed.insert(file, at.module).is_none() {
            let at = Spot { file, ..at.clone() };
            self.queue.push_back(Job {
                items: &self.files[file].tree.items,
                at,
            });
        }
    }

    // ---- items

    fn function(&mut self, item: &'a Item, decl: u32, at: &Spot) {
        let id = FnId(self.program.fns.len() as u32);
        let path = join(&at.prefix, std::slice::from_ref(&item.name));
        match at.home {
            Home::Module => self.values(at, &item.name, Def::Fn(id)),
            Home::Impl(i) => self.index.impls[i as usize]
                .fns
                .push((item.name.clone(), id)),
            Home::Trait(t) => {
                self.index.traits[t.0 as usize]
                    .fns
                    .insert(item.name.clone(), id);
            }
        }
        self.program.fns.push(FnDef {
            path: path.clone(),
            name: item.name.clone(),
            file: at.file,
            module: at.module,
            krate: at.krate,
            owner: Owner::None,
            public: item.public,
            test: at.test || item.attrs.test,
            decl,
            attrs: item.attrs.clone(),
            at: item.at,
        });
        self.index.fn_homes.push(at.home);
        let Some(function) = self.files[at.file].tree.functions.get(decl as usize) else {
            return;
        };
        if let (Some(body), true) = (function.body, self.nested[at.file]) {
            let at = Spot {
                prefix: path,
                test: at.test || item.attrs.test,
                ..at.clone()
            };
            self.body(body, at);
        }
    }

    /// Gives every block with items inside a body a module of its own.
    fn body(&mut self, body: ExprId, at: Spot) {
        let files = self.files;
        let tree = &files[at.file].tree;
        let mut open = vec![(body, at.module)];
        while let Some((expr, mut module)) = open.pop() {
            if let ExprKind::Block(block) = &tree.expr(expr).kind {
                if !block.items.is_empty() {
                    module =
                        self.module(at.prefix.clone(), at.prefix.clone(), at.krate, Some(module));
                    self.index.scopes[module.0 as usize].body = true;
                    self.index.blocks.insert((at.file, expr), module);
                    let at = Spot {
                        module,
                        home: Home::Module,
                        inline: true,
                        ..at.clone()
                    };
                    self.queue.push_back(Job {
                        items: &block.items,
                        at,
                    });
                }
            }
            for_each_child(tree, expr, &mut |child| open.push((child, module)));
        }
    }

    fn adt(&mut self, item: &Item, decl: u32, at: &Spot) {
        let id = AdtId(self.program.adts.len() as u32);
        let Some(adt) = self.files[at.file].tree.adts.get(decl as usize) else {
            return;
        };
        self.program.adts.push(Adt {
            path: join(&at.prefix, std::slice::from_ref(&item.name)),
            name: item.name.clone(),
            file: at.file,
            module: at.module,
            krate: at.krate,
            decl,
            attrs: item.attrs.clone(),
        });
        self.index.enums.push(adt.is_enum);
        if adt.is_enum {
            for (i, variant) in adt.variants.iter().enumerate() {
                self.index
                    .variants
                    .insert((id, variant.name.clone()), i as u32);
            }
        }
        let callable = |v: &crate::frontend::rust::tree::Variant| v.tuple || v.fields.is_empty();
        if !adt.is_enum && adt.variants.first().is_some_and(callable) {
            self.values(at, &item.name, Def::Adt(id));
        }
        self.types(at, &item.name, Def::Adt(id));
    }

    fn place_trait(&mut self, item: &'a Item, decl: u32, at: &Spot) {
        let id = TraitId(self.program.traits.len() as u32);
        let path = join(&at.prefix, std::slice::from_ref(&item.name));
        self.program.traits.push(TraitDef {
            path: path.clone(),
            name: item.name.clone(),
            file: at.file,
            module: at.module,
            krate: at.krate,
            decl,
        });
        self.index.traits.push(TraitData::default());
        self.types(at, &item.name, Def::Trait(id));
        let at = Spot {
            home: Home::Trait(id),
            prefix: path,
            ..at.clone()
        };
        self.inner(&self.files[at.file].tree.traits[decl as usize].items, &at);
    }

    fn place_impl(&mut self, decl: u32, at: &Spot) {
        let id = self.index.impls.len() as u32;
        self.index.impls.push(ImplDef {
            file: at.file,
            decl,
            module: at.module,
            fns: Vec::new(),
            consts: Vec::new(),
            assoc: Vec::new(),
            of: None,
            of_args: Vec::new(),
            for_type: Ty::Unknown,
        });
        let at = Spot {
            home: Home::Impl(id),
            ..at.clone()
        };
        self.inner(&self.files[at.file].tree.impls[decl as usize].items, &at);
    }

    /// Associated items: at once, because nothing nests in them but bodies.
    fn inner(&mut self, items: &'a [Item], at: &Spot) {
        for item in items {
            if !item.attrs.test || self.tests {
                self.item(item, at);
            }
        }
    }

    fn alias(&mut self, item: &Item, params: &[Name], ty: Option<TypeId>, at: &Spot) {
        let id = self.index.aliases.len() as u32;
        let params = params.to_vec();
        self.index.aliases.push(AliasDef {
            file: at.file,
            module: at.module,
            params,
            ty,
        });
        self.types(at, &item.name, Def::Alias(id));
    }

    fn assoc(&mut self, item: &Item, ty: Option<TypeId>, bounds: &[TypeId], home: Home) {
        match (home, ty) {
            (Home::Impl(i), Some(ty)) => self.index.impls[i as usize]
                .assoc
                .push((item.name.clone(), ty)),
            (Home::Trait(t), _) => {
                self.index.traits[t.0 as usize]
                    .assoc
                    .push((item.name.clone(), bounds.to_vec()));
            }
            _ => {}
        }
    }

    fn constant(&mut self, item: &Item, ty: Option<TypeId>, value: Option<ExprId>, at: &Spot) {
        let id = ConstId(self.program.consts.len() as u32);
        let path = join(&at.prefix, std::slice::from_ref(&item.name));
        match at.home {
            Home::Module => self.values(at, &item.name, Def::Const(id)),
            Home::Impl(i) => self.index.impls[i as usize]
                .consts
                .push((item.name.clone(), id)),
            Home::Trait(t) => self.index.traits[t.0 as usize]
                .consts
                .push((item.name.clone(), id)),
        }
        let (file, module, krate) = (at.file, at.module, at.krate);
        self.program.consts.push(ConstDef {
            path: path.clone(),
            file,
            module,
            krate,
            value,
        });
        self.index.consts.push(ConstData {
            home: at.home,
            ty,
            name: item.name.clone(),
        });
        if let (Some(value), true) = (value, self.nested[at.file]) {
            self.body(
                value,
                Spot {
                    prefix: path,
                    ..at.clone()
                },
            );
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

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(dir, _)| dir)
}

/// `a//./b/../c` is `a/c`; what climbs out of the input stays and is simply not found.
fn clean(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|p| *p != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    let rooted = if path.starts_with('/') && !parts.is_empty() {
        "/"
    } else {
        ""
    };
    format!("{rooted}{}", parts.join("/"))
}
