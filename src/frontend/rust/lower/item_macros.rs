//! Macro calls where items stand. What they hold is read where it is plain items; otherwise only their name is kept.

use proc_macro2::{Group, TokenStream, TokenTree};
use syn::{Attribute, Lit, Visibility};

use super::context::Lower;
use crate::frontend::rust::tree::{Item, ItemKind};

impl Lower<'_> {
    pub fn item_macro(&mut self, inner: &syn::ItemMacro, into: &mut Vec<Item>) {
        match &inner.ident {
            Some(name) => {
                let first = inner.mac.path.segments.first().map_or(name.span(), |s| s.ident.span());
                let head = self.head(&inner.attrs, &Visibility::Inherited, first, Some(name));
                let arms = self.macro_arms(&inner.mac.tokens);
                let end = inner.mac.delimiter.span().close();
                self.finish(head, end, ItemKind::MacroRules { arms }, into);
            }
            None => self.macro_call_item(&inner.attrs, &inner.mac, into),
        }
    }

    pub fn macro_call_item(&mut self, attrs: &[Attribute], call: &syn::Macro, into: &mut Vec<Item>) {
        let name = call.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        let kind = match name.as_str() {
            "include" => self.include(call),
            "include_proto" => ItemKind::Generated,
            _ => {
                let count = into.len();
                self.items_inside(&name, call, into);
                // `#[cfg(test)] cfg_thing! { .. }`
                if self.is_test(attrs) {
                    into[count..].iter_mut().for_each(|i| i.attrs.test = true);
                }
                let path = self.path_text(&call.path);
                ItemKind::MacroCall(path)
            }
        };
        let first = call.path.segments.first().map_or(call.bang_token.span, |s| s.ident.span());
        let head = self.head(attrs, &Visibility::Inherited, first, None);
        self.finish(head, call.delimiter.span().close(), kind, into);
    }

    /// A file named by a literal, or one that a build script writes.
    fn include(&mut self, call: &syn::Macro) -> ItemKind {
        match self.inside_macro(|_| call.parse_body::<Lit>().ok()) {
            Some(Lit::Str(path)) => ItemKind::Include(self.name(&path.value())),
            _ => ItemKind::Generated,
        }
    }

    fn items_inside(&mut self, name: &str, call: &syn::Macro, into: &mut Vec<Item>) {
        let braced = matches!(call.delimiter, syn::MacroDelimiter::Brace(_));
        if !(braced || name == "thread_local" || name == "lazy_static") {
            return;
        }
        let tokens = match name {
            "cfg_if" => branches(call.tokens.clone()),
            "lazy_static" => without_ref(call.tokens.clone()),
            "thread_local" => with_semicolon(call.tokens.clone()),
            _ => call.tokens.clone(),
        };
        self.inside_macro(|lower| {
            let file = syn::parse2::<syn::File>(tokens).ok()?;
            lower.items(&file.items, into);
            Some(())
        });
    }
}

/// `if #[cfg(..)] { items } else if .. { items }`: any of them may hold, so all are read.
fn branches(tokens: TokenStream) -> TokenStream {
    let mut out = TokenStream::new();
    for token in tokens {
        if let TokenTree::Group(group) = &token
            && group.delimiter() == proc_macro2::Delimiter::Brace
        {
            out.extend(group.stream());
        }
    }
    out
}

/// `static ref NAME: T = value;`
fn without_ref(tokens: TokenStream) -> TokenStream {
    let keep = |token: &TokenTree| !matches!(token, TokenTree::Ident(word) if word == "ref");
    tokens.into_iter().filter(keep).collect()
}

fn with_semicolon(tokens: TokenStream) -> TokenStream {
    let mut tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let ended = match tokens.last() {
        Some(TokenTree::Punct(p)) => p.as_char() == ';',
        Some(_) => false,
        None => true,
    };
    if !ended {
        tokens.push(TokenTree::Punct(proc_macro2::Punct::new(';', proc_macro2::Spacing::Alone)));
    }
    tokens.into_iter().collect()
}

/// A group in other clothes, at the same place.
pub fn regroup(old: &Group, stream: TokenStream) -> Group {
    let mut group = Group::new(old.delimiter(), stream);
    group.set_span(old.span());
    group
}
