//! Items: functions, types, constants. Those that hold other items are in `associated`.

use proc_macro2::Span;
use syn::{Attribute, FnArg, Visibility};

use super::associated::receiver_kind;
use super::context::{Lower, deep};
use crate::frontend::rust::tree::{
    AdtDecl, At, Attrs, FieldDecl, Function, Item, ItemKind, PatId, Receiver, TypeId, Variant,
};
use crate::name::Name;

/// What all items have besides their kind.
pub struct Head {
    name: Name,
    pub start: u32,
    public: bool,
    attrs: Attrs,
}

impl Lower<'_> {
    pub fn file(&mut self, file: &syn::File) {
        let mut items = Vec::with_capacity(file.items.len());
        // `#![cfg(test)]` speaks for everything below it.
        if !self.is_test(&file.attrs) {
            self.items(&file.items, &mut items);
        } else {
            self.items(&file.items, &mut items);
            items.iter_mut().for_each(|i| i.attrs.test = true);
        }
        self.out.items = items;
    }

    pub fn items(&mut self, items: &[syn::Item], into: &mut Vec<Item>) {
        for item in items {
            self.item(item, into);
        }
    }

    pub fn item(&mut self, item: &syn::Item, into: &mut Vec<Item>) {
        deep(|| match item {
            syn::Item::Fn(f) => self.function(&f.attrs, &f.vis, &f.sig, Some(&f.block), into),
            syn::Item::Struct(_) | syn::Item::Enum(_) | syn::Item::Union(_) => self.adt(item, into),
            syn::Item::Impl(inner) => self.impl_item(inner, into),
            syn::Item::Trait(_) | syn::Item::TraitAlias(_) => self.trait_item(item, into),
            syn::Item::Use(inner) => self.use_item(inner, into),
            syn::Item::Mod(inner) => self.module(inner, into),
            syn::Item::ForeignMod(inner) => self.foreign(inner, into),
            syn::Item::Macro(inner) => self.item_macro(inner, into),
            _ => self.simple(item, into),
        });
    }

    pub fn head(&mut self, attrs: &[Attribute], vis: &Visibility, keyword: Span, name: Option<&syn::Ident>) -> Head {
        let first = match vis {
            Visibility::Public(token) => token.span,
            Visibility::Restricted(restricted) => restricted.pub_token.span,
            Visibility::Inherited => keyword,
        };
        let start = self.start(first);
        let name = match name {
            Some(name) => self.ident(name),
            None => self.name(""),
        };
        Head { name, start, public: matches!(vis, Visibility::Public(_)), attrs: self.attrs(attrs) }
    }

    pub fn finish(&self, head: Head, end: Span, kind: ItemKind, into: &mut Vec<Item>) {
        let at = At { start: head.start, end: self.end(end) };
        into.push(Item { name: head.name, at, attrs: head.attrs, public: head.public, kind });
    }

    fn simple(&mut self, item: &syn::Item, into: &mut Vec<Item>) {
        match item {
            syn::Item::Const(c) => {
                let head = self.head(&c.attrs, &c.vis, c.const_token.span, Some(&c.ident));
                let kind = ItemKind::Const { ty: Some(self.ty(&c.ty)), value: Some(self.expr(&c.expr)) };
                self.finish(head, c.semi_token.span, kind, into);
            }
            syn::Item::Static(s) => {
                let head = self.head(&s.attrs, &s.vis, s.static_token.span, Some(&s.ident));
                let kind = ItemKind::Static { ty: Some(self.ty(&s.ty)), value: Some(self.expr(&s.expr)) };
                self.finish(head, s.semi_token.span, kind, into);
            }
            syn::Item::Type(t) => {
                let head = self.head(&t.attrs, &t.vis, t.type_token.span, Some(&t.ident));
                let (generics, ty) = (self.generics(&t.generics), Some(self.ty(&t.ty)));
                self.finish(head, t.semi_token.span, ItemKind::Alias { generics, ty, bounds: Vec::new() }, into);
            }
            syn::Item::ExternCrate(e) => {
                let head = self.head(&e.attrs, &e.vis, e.extern_token.span, Some(&e.ident));
                let rename = e.rename.as_ref().map(|(_, name)| self.ident(name));
                self.finish(head, e.semi_token.span, ItemKind::ExternCrate { rename }, into);
            }
            _ => {}
        }
    }

    pub fn function(
        &mut self,
        attrs: &[Attribute],
        vis: &Visibility,
        sig: &syn::Signature,
        body: Option<&syn::Block>,
        into: &mut Vec<Item>,
    ) {
        let first = [sig.constness.as_ref().map(|t| t.span), sig.asyncness.as_ref().map(|t| t.span)];
        let keyword = first.into_iter().flatten().next().unwrap_or(sig.fn_token.span);
        let head = self.head(attrs, vis, keyword, Some(&sig.ident));
        let name_at = self.at(sig.ident.span());
        let generics = self.generics(&sig.generics);
        let (receiver, params) = self.params(sig);
        let result = self.result(&sig.output);
        let lowered = body.map(|b| self.block(b));
        let is_async = sig.asyncness.is_some();
        let function = Function { is_async, generics, receiver, params, result, body: lowered, name_at };
        self.out.functions.push(function);
        let kind = ItemKind::Fn(self.out.functions.len() as u32 - 1);
        let end = body.map_or(sig.paren_token.span.close(), |b| b.brace_token.span.close());
        self.finish(head, end, kind, into);
    }

    fn params(&mut self, sig: &syn::Signature) -> (Option<Receiver>, Vec<(PatId, TypeId)>) {
        let mut receiver = None;
        let mut params = Vec::with_capacity(sig.inputs.len());
        for input in &sig.inputs {
            match input {
                FnArg::Receiver(own) => receiver = Some(receiver_kind(&own.kind)),
                FnArg::Typed(typed) => {
                    let pat = self.pat(&typed.pat);
                    params.push((pat, self.ty(&typed.ty)));
                }
            }
        }
        (receiver, params)
    }

    fn adt(&mut self, item: &syn::Item, into: &mut Vec<Item>) {
        match item {
            syn::Item::Struct(s) => {
                let head = self.head(&s.attrs, &s.vis, s.struct_token.span, Some(&s.ident));
                let generics = self.generics(&s.generics);
                let fields = self.fields(&s.fields);
                let end = match (&s.semi_token, &s.fields) {
                    (Some(semi), _) => semi.span,
                    (None, syn::Fields::Named(named)) => named.brace_token.span.close(),
                    (None, _) => s.ident.span(),
                };
                let tuple = matches!(s.fields, syn::Fields::Unnamed(_));
                let variants = vec![self.only_variant(&head, end, fields, tuple)];
                self.finish_adt(head, end, AdtDecl { generics, variants, is_enum: false }, into);
            }
            syn::Item::Enum(e) => {
                let head = self.head(&e.attrs, &e.vis, e.enum_token.span, Some(&e.ident));
                let generics = self.generics(&e.generics);
                let variants = e.variants.iter().map(|v| self.variant(v)).collect();
                let decl = AdtDecl { generics, variants, is_enum: true };
                self.finish_adt(head, e.brace_token.span.close(), decl, into);
            }
            syn::Item::Union(u) => {
                let head = self.head(&u.attrs, &u.vis, u.union_token.span, Some(&u.ident));
                let generics = self.generics(&u.generics);
                let fields = self.field_list(u.fields.named.iter());
                let end = u.fields.brace_token.span.close();
                let variants = vec![self.only_variant(&head, end, fields, false)];
                self.finish_adt(head, end, AdtDecl { generics, variants, is_enum: false }, into);
            }
            _ => {}
        }
    }

    /// What a struct has in the place of an enum's variants.
    fn only_variant(&mut self, head: &Head, end: Span, fields: Vec<FieldDecl>, tuple: bool) -> Variant {
        let at = At { start: head.start, end: self.end(end) };
        Variant { name: self.name(""), fields, tuple, attrs: Attrs::default(), at }
    }

    fn finish_adt(&mut self, head: Head, end: Span, decl: AdtDecl, into: &mut Vec<Item>) {
        self.out.adts.push(decl);
        let kind = ItemKind::Adt(self.out.adts.len() as u32 - 1);
        self.finish(head, end, kind, into);
    }

    fn variant(&mut self, variant: &syn::Variant) -> Variant {
        let at = self.at(variant.ident.span());
        let name = self.ident(&variant.ident);
        let fields = self.fields(&variant.fields);
        let tuple = matches!(variant.fields, syn::Fields::Unnamed(_));
        Variant { name, fields, tuple, attrs: self.attrs(&variant.attrs), at }
    }

    fn fields(&mut self, fields: &syn::Fields) -> Vec<FieldDecl> {
        match fields {
            syn::Fields::Named(named) => self.field_list(named.named.iter()),
            syn::Fields::Unnamed(unnamed) => self.field_list(unnamed.unnamed.iter()),
            syn::Fields::Unit => Vec::new(),
        }
    }

    fn field_list<'a>(&mut self, fields: impl Iterator<Item = &'a syn::Field>) -> Vec<FieldDecl> {
        let mut lowered = Vec::new();
        for (i, field) in fields.enumerate() {
            let (name, at) = match &field.ident {
                Some(ident) => (self.ident(ident), self.at(ident.span())),
                None => (self.name(&i.to_string()), At::default()),
            };
            let ty = self.ty(&field.ty);
            lowered.push(FieldDecl { name, ty, attrs: self.attrs(&field.attrs), at });
        }
        lowered
    }
}
