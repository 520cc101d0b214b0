//! Items that hold items: traits, impls, modules, foreign blocks; and `use`, which holds names.

use syn::{ImplItem, ReceiverKind, TraitItem, UseTree, Visibility};

use super::context::{Lower, deep};
use crate::frontend::rust::tree::{Impl, Item, ItemKind, Receiver, TraitDecl, Type, UseLeaf};
use crate::name::Name;

impl Lower<'_> {
    pub fn impl_item(&mut self, inner: &syn::ItemImpl, into: &mut Vec<Item>) {
        let head = self.head(&inner.attrs, &Visibility::Inherited, inner.impl_token.span, None);
        let generics = self.generics(&inner.generics);
        let of = inner.trait_.as_ref().map(|(path, _)| {
            let path = self.path(path);
            self.push_type(Type::Path(path))
        });
        let for_type = self.ty(&inner.self_ty);
        let mut items = Vec::with_capacity(inner.items.len());
        for item in &inner.items {
            self.impl_part(item, &mut items);
        }
        self.out.impls.push(Impl { generics, of, for_type, items });
        let kind = ItemKind::Impl(self.out.impls.len() as u32 - 1);
        self.finish(head, inner.brace_token.span.close(), kind, into);
    }

    fn impl_part(&mut self, item: &ImplItem, into: &mut Vec<Item>) {
        match item {
            ImplItem::Fn(f) => self.function(&f.attrs, &f.vis, &f.sig, Some(&f.block), into),
            ImplItem::Const(c) => {
                let head = self.head(&c.attrs, &c.vis, c.const_token.span, Some(&c.ident));
                let kind = ItemKind::Const { ty: Some(self.ty(&c.ty)), value: Some(self.expr(&c.expr)) };
                self.finish(head, c.semi_token.span, kind, into);
            }
            ImplItem::Type(t) => {
                let head = self.head(&t.attrs, &t.vis, t.type_token.span, Some(&t.ident));
                let (generics, ty) = (self.generics(&t.generics), Some(self.ty(&t.ty)));
                self.finish(head, t.semi_token.span, ItemKind::Alias { generics, ty, bounds: Vec::new() }, into);
            }
            ImplItem::Macro(m) => self.macro_call_item(&m.attrs, &m.mac, into),
            _ => {}
        }
    }

    pub fn trait_item(&mut self, item: &syn::Item, into: &mut Vec<Item>) {
        match item {
            syn::Item::Trait(inner) => {
                let head = self.head(&inner.attrs, &inner.vis, inner.trait_token.span, Some(&inner.ident));
                let generics = self.generics(&inner.generics);
                let supers = self.bounds(inner.supertraits.iter());
                let mut items = Vec::with_capacity(inner.items.len());
                for item in &inner.items {
                    self.trait_part(item, &mut items);
                }
                self.out.traits.push(TraitDecl { generics, supers, items });
                let kind = ItemKind::Trait(self.out.traits.len() as u32 - 1);
                self.finish(head, inner.brace_token.span.close(), kind, into);
            }
            syn::Item::TraitAlias(inner) => {
                let head = self.head(&inner.attrs, &inner.vis, inner.trait_token.span, Some(&inner.ident));
                let generics = self.generics(&inner.generics);
                let supers = self.bounds(inner.bounds.iter());
                self.out.traits.push(TraitDecl { generics, supers, items: Vec::new() });
                let kind = ItemKind::Trait(self.out.traits.len() as u32 - 1);
                self.finish(head, inner.semi_token.span, kind, into);
            }
            _ => {}
        }
    }

    fn trait_part(&mut self, item: &TraitItem, into: &mut Vec<Item>) {
        let private = Visibility::Inherited;
        match item {
            TraitItem::Fn(f) => self.function(&f.attrs, &private, &f.sig, f.default.as_ref(), into),
            TraitItem::Const(c) => {
                let head = self.head(&c.attrs, &private, c.const_token.span, Some(&c.ident));
                let ty = Some(self.ty(&c.ty));
                let value = c.default.as_ref().map(|(_, e)| self.expr(e));
                self.finish(head, c.semi_token.span, ItemKind::Const { ty, value }, into);
            }
            TraitItem::Type(t) => {
                let head = self.head(&t.attrs, &private, t.type_token.span, Some(&t.ident));
                let generics = self.generics(&t.generics);
                let bounds = self.bounds(t.bounds.iter());
                let ty = t.default.as_ref().map(|(_, ty)| self.ty(ty));
                self.finish(head, t.semi_token.span, ItemKind::Alias { generics, ty, bounds }, into);
            }
            TraitItem::Macro(m) => self.macro_call_item(&m.attrs, &m.mac, into),
            _ => {}
        }
    }

    pub fn module(&mut self, inner: &syn::ItemMod, into: &mut Vec<Item>) {
        let head = self.head(&inner.attrs, &inner.vis, inner.mod_token.span, Some(&inner.ident));
        let content = inner.content.as_ref().map(|(_, items)| {
            let mut lowered = Vec::with_capacity(items.len());
            self.items(items, &mut lowered);
            lowered
        });
        let end = match (&inner.content, &inner.semi) {
            (Some((brace, _)), _) => brace.span.close(),
            (None, Some(semi)) => semi.span,
            (None, None) => inner.ident.span(),
        };
        self.finish(head, end, ItemKind::Mod(content), into);
    }

    /// Functions of an `extern` block belong to the module around it.
    pub fn foreign(&mut self, inner: &syn::ItemForeignMod, into: &mut Vec<Item>) {
        for item in &inner.items {
            match item {
                syn::ForeignItem::Fn(f) => self.function(&f.attrs, &f.vis, &f.sig, None, into),
                syn::ForeignItem::Static(s) => {
                    let head = self.head(&s.attrs, &s.vis, s.static_token.span, Some(&s.ident));
                    let kind = ItemKind::Static { ty: Some(self.ty(&s.ty)), value: None };
                    self.finish(head, s.semi_token.span, kind, into);
                }
                _ => {}
            }
        }
    }

    pub fn use_item(&mut self, inner: &syn::ItemUse, into: &mut Vec<Item>) {
        let head = self.head(&inner.attrs, &inner.vis, inner.use_token.span, None);
        let mut path = Vec::new();
        if inner.leading_colon.is_some() {
            path.push(self.name(""));
        }
        let mut leaves = Vec::new();
        self.use_tree(&inner.tree, &mut path, &mut leaves);
        self.finish(head, inner.semi_token.span, ItemKind::Use(leaves), into);
    }

    fn use_tree(&mut self, tree: &UseTree, path: &mut Vec<Name>, leaves: &mut Vec<UseLeaf>) {
        let depth = path.len();
        let mut tree = tree;
        while let UseTree::Path(step) = tree {
            path.push(self.ident(&step.ident));
            tree = &step.tree;
        }
        match tree {
            UseTree::Group(group) => {
                for inner in &group.items {
                    deep(|| self.use_tree(inner, path, leaves));
                }
            }
            UseTree::Glob(_) => {
                let leaf = UseLeaf { path: path.clone(), name: self.name(""), glob: true };
                leaves.push(leaf);
            }
            UseTree::Name(name) => {
                let name = self.ident(&name.ident);
                leaves.push(leaf(path, name, None));
            }
            UseTree::Rename(name) => {
                let (first, rename) = (self.ident(&name.ident), self.ident(&name.rename));
                leaves.push(leaf(path, first, Some(rename)));
            }
            UseTree::Path(_) => {}
        }
        path.truncate(depth);
    }
}

/// `use a::{self}` names `a`.
fn leaf(path: &[Name], last: Name, rename: Option<Name>) -> UseLeaf {
    let mut path = path.to_vec();
    match path.last() {
        Some(_) if last == "self" => {}
        _ => path.push(last),
    }
    let name = rename.or_else(|| path.last().cloned());
    UseLeaf { name: name.expect("a path has a last segment"), path, glob: false }
}

pub fn receiver_kind(kind: &ReceiverKind) -> Receiver {
    match kind {
        ReceiverKind::Reference(_, _, Some(_)) => Receiver::Mut,
        ReceiverKind::Reference(_, _, None) => Receiver::Ref,
        ReceiverKind::Typed(_, ty) => typed_receiver(ty),
        _ => Receiver::Value,
    }
}

/// `self: &Self`, `self: Pin<&mut Self>`; a `Box` or an `Arc` is given away.
fn typed_receiver(ty: &syn::Type) -> Receiver {
    let inner = match ty {
        syn::Type::Path(path) => path.path.segments.last().and_then(|last| match &last.arguments {
            syn::PathArguments::AngleBracketed(list) if last.ident == "Pin" => list.args.first(),
            _ => None,
        }),
        syn::Type::Reference(r) => {
            return if r.mutability.is_some() { Receiver::Mut } else { Receiver::Ref };
        }
        _ => None,
    };
    match inner {
        Some(syn::GenericArgument::Type(syn::Type::Reference(r))) if r.mutability.is_some() => Receiver::Mut,
        Some(syn::GenericArgument::Type(syn::Type::Reference(_))) => Receiver::Ref,
        _ => Receiver::Value,
    }
}
