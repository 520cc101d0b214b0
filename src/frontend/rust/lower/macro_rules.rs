//! `macro_rules!`: each arm as if it were a function over its fragments.
//!
//! `$x` is read as the name `x` and a repetition as one turn of it, so that a retry loop in a macro is seen as a loop.
//! Where the result is no list of statements the arm keeps its fragments only.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::parse::Parser;

use super::context::{Lower, deep};
use super::item_macros::regroup;
use crate::frontend::rust::tree::{ExprId, ExprKind, MacroArm};
use crate::name::Name;

impl Lower<'_> {
    pub fn macro_arms(&mut self, tokens: &TokenStream) -> Vec<MacroArm> {
        let mut arms = Vec::new();
        let mut matcher = None;
        for token in tokens.clone() {
            let TokenTree::Group(group) = token else {
                continue;
            };
            match matcher.take() {
                None => matcher = Some(group),
                Some(matcher) => {
                    let mut params = Vec::new();
                    self.fragments(matcher.stream(), &mut params);
                    arms.push(MacroArm { params, body: self.arm_body(&group) });
                }
            }
        }
        arms
    }

    /// `$name:kind`, in order.
    fn fragments(&mut self, tokens: TokenStream, into: &mut Vec<(Name, Name)>) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        for (i, token) in tokens.iter().enumerate() {
            if let TokenTree::Group(group) = token {
                deep(|| self.fragments(group.stream(), into));
            }
            if let [
                TokenTree::Punct(dollar),
                TokenTree::Ident(name),
                TokenTree::Punct(colon),
                TokenTree::Ident(kind),
                ..,
            ] = &tokens[i..]
                && dollar.as_char() == '$'
                && colon.as_char() == ':'
            {
                into.push((self.ident(name), self.ident(kind)));
            }
        }
    }

    fn arm_body(&mut self, group: &proc_macro2::Group) -> Option<ExprId> {
        let block = self.inside_macro(|lower| {
            let stmts = syn::Block::parse_within.parse2(plain(group.stream())).ok()?;
            Some(lower.statements(&stmts))
        })?;
        let start = self.start(group.span_open());
        let end = self.end(group.span_close());
        Some(self.push(ExprKind::Block(block), start, end))
    }
}

/// Without `$`, each repetition once.
fn plain(tokens: TokenStream) -> TokenStream {
    deep(|| {
        let mut out = Vec::new();
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                TokenTree::Punct(p) if p.as_char() == '$' => match tokens.peek() {
                    Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Parenthesis => {
                        let inner = g.stream();
                        tokens.next();
                        skip_repeat(&mut tokens);
                        if !only_punctuation(&inner) {
                            out.extend(plain(inner));
                        }
                    }
                    _ => {}
                },
                TokenTree::Group(g) => out.push(TokenTree::Group(regroup(&g, plain(g.stream())))),
                other => out.push(other),
            }
        }
        out.into_iter().collect()
    })
}

fn only_punctuation(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().all(|t| matches!(t, TokenTree::Punct(_)))
}

/// The separator and the `*`, `+` or `?` after a repetition.
fn skip_repeat(tokens: &mut std::iter::Peekable<impl Iterator<Item = TokenTree>>) {
    for _ in 0..3 {
        let Some(token) = tokens.peek() else { return };
        let end = matches!(token, TokenTree::Punct(p) if matches!(p.as_char(), '*' | '+' | '?'));
        if matches!(token, TokenTree::Group(_)) {
            return;
        }
        tokens.next();
        if end {
            return;
        }
    }
}
