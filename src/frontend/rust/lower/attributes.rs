//! Attributes: which of them change meaning, and the text of those that others may ask for.

use proc_macro2::{TokenStream, TokenTree};
use syn::{Attribute, Expr, Lit, Meta};

use super::context::{Lower, deep};
use crate::frontend::rust::tree::Attrs;
use crate::name::Name;

/// Say nothing about what code does.
const DROPPED: &[&str] = &["allow", "cold", "deny", "doc", "expect", "forbid", "inline", "must_use", "warn"];
/// Last segments of attributes that make a function a test: `tokio::test`, `rstest`.
const TESTS: &[&str] = &["test", "bench", "rstest", "test_case", "wasm_bindgen_test"];

impl Lower<'_> {
    pub fn attrs(&mut self, attrs: &[Attribute]) -> Attrs {
        let mut lowered = Attrs::default();
        for attr in attrs {
            let path = attr.path();
            if path.get_ident().is_some_and(|i| DROPPED.iter().any(|d| i == d)) {
                continue;
            }
            lowered.test |= marks_test(attr);
            let name = self.path_text(path);
            match (name.as_str(), &attr.meta) {
                ("derive", Meta::List(_)) => self.derives(attr, &mut lowered.derives),
                ("path", Meta::NameValue(value)) => {
                    if let Expr::Lit(syn::ExprLit { lit: Lit::Str(text), .. }) = &value.value {
                        lowered.path = Some(self.name(&text.value()));
                    }
                }
                _ => {
                    let text = self.arguments(attr);
                    lowered.others.push((name, text));
                }
            }
        }
        lowered
    }

    pub fn is_test(&self, attrs: &[Attribute]) -> bool {
        attrs.iter().any(marks_test)
    }

    fn derives(&mut self, attr: &Attribute, into: &mut Vec<Name>) {
        let parser = syn::punctuated::Punctuated::<syn::Path, syn::Token![,]>::parse_terminated;
        let paths = self.inside_macro(|_| attr.parse_args_with(parser).ok()).unwrap_or_default();
        for path in &paths {
            let name = self.path_text(path);
            into.push(name);
        }
    }

    pub fn path_text(&mut self, path: &syn::Path) -> Name {
        if let Some(only) = path.get_ident() {
            return self.ident(only);
        }
        let mut text = String::new();
        for segment in &path.segments {
            if !text.is_empty() {
                text.push_str("::");
            }
            text.push_str(&self.ident(&segment.ident));
        }
        self.name(&text)
    }

    fn arguments(&mut self, attr: &Attribute) -> Name {
        let text = match &attr.meta {
            Meta::Path(_) => "",
            Meta::List(list) => {
                let span = list.delimiter.span();
                self.slice(self.end(span.open()), self.start(span.close())).trim()
            }
            Meta::NameValue(value) => {
                let (from, to) = (value.eq_token.span, attr.bracket_token.span.close());
                self.slice(self.end(from), self.start(to)).trim()
            }
        };
        self.name(text)
    }
}

fn marks_test(attr: &Attribute) -> bool {
    let Some(last) = attr.path().segments.last() else {
        return false;
    };
    match &attr.meta {
        Meta::List(list) if last.ident == "cfg" => needs_test(list.tokens.clone()),
        _ => TESTS.iter().any(|t| last.ident == t),
    }
}

/// `test`, `all(test, ..)`; neither `any(test, ..)`, which may hold without, nor `not(test)`.
fn needs_test(tokens: TokenStream) -> bool {
    deep(|| {
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            let TokenTree::Ident(word) = token else {
                continue;
            };
            match tokens.peek() {
                Some(TokenTree::Group(group)) if word == "all" && needs_test(group.stream()) => {
                    return true;
                }
                Some(TokenTree::Punct(p)) if p.as_char() == '=' => {}
                Some(TokenTree::Group(_)) => {}
                _ if word == "test" => return true,
                _ => {}
            }
        }
        false
    })
}
