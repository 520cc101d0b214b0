//! Each item into its module: names into the scope, declarations into the program's tables.

use super::place::Job;
use super::place::{Placer, Spot};
use super::scope::{Def, join};
use super::visit::for_each_child;
use super::{AliasDef, ConstData, Home, ImplDef, TraitData};
use crate::frontend::rust::program::{Adt, AdtId, ConstDef, ConstId, FnDef, FnId, Owner, TraitDef, TraitId, Ty};
use crate::frontend::rust::tree::{ExprId, ExprKind, Item, TypeId};
use crate::name::Name;

impl<'a> Placer<'a> {
    pub(super) fn function(&mut self, item: &'a Item, decl: u32, at: &Spot) {
        let id = FnId(self.program.fns.len() as u32);
        let path = join(&at.prefix, std::slice::from_ref(&item.name));
        match at.home {
            Home::Module => self.values(at, &item.name, Def::Fn(id)),
            Home::Impl(i) => self.index.impls[i as usize].fns.push((item.name.clone(), id)),
            Home::Trait(t) => {
                self.index.traits[t.0 as usize].fns.insert(item.name.clone(), id);
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
            of_impl: Vec::new(),
            at: item.at,
        });
        self.index.fn_homes.push(at.home);
        let Some(function) = self.files[at.file].tree.functions.get(decl as usize) else {
            return;
        };
        if let (Some(body), true) = (function.body, self.nested[at.file]) {
            let at = Spot { prefix: path, test: at.test || item.attrs.test, ..at.clone() };
            self.body(body, at);
        }
    }

    /// Gives every block with items inside a body a module of its own.
    pub(super) fn body(&mut self, body: ExprId, at: Spot) {
        let files = self.files;
        let tree = &files[at.file].tree;
        let mut open = vec![(body, at.module)];
        while let Some((expr, mut module)) = open.pop() {
            if let ExprKind::Block(block) = &tree.expr(expr).kind
                && !block.items.is_empty()
            {
                module = self.module(at.prefix.clone(), at.prefix.clone(), at.krate, Some(module));
                self.index.scopes[module.0 as usize].body = true;
                self.index.blocks.insert((at.file, expr), module);
                let mut at = Spot { module, home: Home::Module, ..at.clone() };
                at.folder.inline = true;
                self.queue.push_back(Job { items: &block.items, at });
            }
            for_each_child(tree, expr, &mut |child| open.push((child, module)));
        }
    }

    pub(super) fn adt(&mut self, item: &Item, decl: u32, at: &Spot) {
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
                self.index.variants.insert((id, variant.name.clone()), i as u32);
            }
        }
        let callable = |v: &crate::frontend::rust::tree::Variant| v.tuple || v.fields.is_empty();
        if !adt.is_enum && adt.variants.first().is_some_and(callable) {
            self.values(at, &item.name, Def::Adt(id));
        }
        self.types(at, &item.name, Def::Adt(id));
    }

    pub(super) fn place_trait(&mut self, item: &'a Item, decl: u32, at: &Spot) {
        let id = TraitId(self.program.traits.len() as u32);
        let path = join(&at.prefix, std::slice::from_ref(&item.name));
        self.program.traits.push(TraitDef {
            path: path.clone(),
            name: item.name.clone(),
            file: at.file,
            module: at.module,
            krate: at.krate,
            decl,
            attrs: item.attrs.clone(),
        });
        self.index.traits.push(TraitData::default());
        self.types(at, &item.name, Def::Trait(id));
        let at = Spot { home: Home::Trait(id), prefix: path, ..at.clone() };
        self.inner(&self.files[at.file].tree.traits[decl as usize].items, &at);
    }

    pub(super) fn place_impl(&mut self, item: &'a Item, decl: u32, at: &Spot) {
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
        let at = Spot { home: Home::Impl(id), ..at.clone() };
        self.inner(&self.files[at.file].tree.impls[decl as usize].items, &at);
        for (_, function) in &self.index.impls[id as usize].fns {
            self.program.fns[function.0 as usize].of_impl.clone_from(&item.attrs.others);
        }
    }

    /// Associated items: at once, because nothing nests in them but bodies.
    pub(super) fn inner(&mut self, items: &'a [Item], at: &Spot) {
        for item in items {
            if !item.attrs.test || self.tests {
                self.item(item, at);
            }
        }
    }

    pub(super) fn alias(&mut self, item: &Item, params: &[Name], ty: Option<TypeId>, at: &Spot) {
        let id = self.index.aliases.len() as u32;
        let params = params.to_vec();
        self.index.aliases.push(AliasDef { file: at.file, module: at.module, params, ty });
        self.types(at, &item.name, Def::Alias(id));
    }

    pub(super) fn assoc(&mut self, item: &Item, ty: Option<TypeId>, bounds: &[TypeId], home: Home) {
        match (home, ty) {
            (Home::Impl(i), Some(ty)) => self.index.impls[i as usize].assoc.push((item.name.clone(), ty)),
            (Home::Trait(t), _) => {
                self.index.traits[t.0 as usize].assoc.push((item.name.clone(), bounds.to_vec()));
            }
            _ => {}
        }
    }

    pub(super) fn constant(&mut self, item: &Item, ty: Option<TypeId>, value: Option<ExprId>, at: &Spot) {
        let id = ConstId(self.program.consts.len() as u32);
        let path = join(&at.prefix, std::slice::from_ref(&item.name));
        match at.home {
            Home::Module => self.values(at, &item.name, Def::Const(id)),
            Home::Impl(i) => self.index.impls[i as usize].consts.push((item.name.clone(), id)),
            Home::Trait(t) => self.index.traits[t.0 as usize].consts.push((item.name.clone(), id)),
        }
        let (file, module, krate) = (at.file, at.module, at.krate);
        self.program.consts.push(ConstDef { path: path.clone(), file, module, krate, value });
        self.index.consts.push(ConstData { home: at.home, ty, name: item.name.clone() });
        if let (Some(value), true) = (value, self.nested[at.file]) {
            self.body(value, Spot { prefix: path, ..at.clone() });
        }
    }
}
