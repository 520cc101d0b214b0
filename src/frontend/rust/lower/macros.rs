//! Macro calls in bodies: by name where the grammar is known, else as expressions, else as statements.
//!
//! Names are compared by last segment; what the path resolves to is known only later, and a macro of the same name that
//! parses by the same grammar means the same to us.

use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Block, Expr, Token};

use super::context::{Lower, deep};
use crate::frontend::rust::tree::{At, ExprId, ExprKind, MacroArgs, MacroCall, Path, Segment};

type List = Punctuated<Expr, Token![,]>;

impl Lower<'_> {
    pub fn macro_expr(&mut self, call: &syn::Macro) -> ExprId {
        let start = self.path_at(None, &call.path).start;
        let span = call.delimiter.span();
        let inner = At { start: self.end(span.open()), end: self.start(span.close()) };
        // One byte of bracket; looking up a position costs more.
        let end = inner.end + 1;
        let name = call.path.segments.last().map(|s| s.ident.to_string()).unwrap_or_default();
        let kind = self.inside_macro(|lower| lower.known_macro(&name, call, inner));
        let kind = kind.unwrap_or_else(|| {
            let args = MacroArgs::Opaque { may_call: may_call(self.slice(inner.start, inner.end)) };
            self.call_kind(call, args)
        });
        self.push(kind, start, end)
    }

    fn call_kind(&mut self, call: &syn::Macro, args: MacroArgs) -> ExprKind {
        ExprKind::Macro(Box::new(MacroCall { path: self.path(&call.path), args }))
    }

    fn known_macro(&mut self, name: &str, call: &syn::Macro, inner: At) -> Option<ExprKind> {
        let tokens = || call.tokens.clone();
        let args = match name {
            "vec" => return self.vec(tokens()),
            "matches" | "assert_matches" | "debug_assert_matches" => self.matches(tokens()),
            "select" | "select_biased" => self.select(tokens()),
            "json" => self.json(tokens()),
            "stream" | "try_stream" | "async_stream" => self.statement_args(tokens(), inner),
            "query" | "query_as" | "query_scalar" | "join" | "try_join" | "pin" | "pin_mut" => {
                let list = arguments.parse2(tokens()).ok()?;
                Some(MacroArgs::List(self.exprs(list.iter())))
            }
            "quote" | "quote_spanned" | "parse_quote" => None,
            _ => match super::format::leading_values(name) {
                Some(values) => self.format(tokens(), values).or_else(|| self.generic(tokens(), inner)),
                None => self.generic(tokens(), inner),
            },
        };
        args.map(|args| self.call_kind(call, args))
    }

    fn vec(&mut self, tokens: TokenStream) -> Option<ExprKind> {
        let parsed = (|input: ParseStream| {
            if input.is_empty() {
                return Ok((List::new(), None));
            }
            let first: Expr = input.parse()?;
            if input.peek(Token![;]) {
                input.parse::<Token![;]>()?;
                let len: Expr = input.parse()?;
                return Ok((List::from_iter([first]), Some(len)));
            }
            let mut list = List::from_iter([first]);
            while !input.is_empty() {
                list.push_punct(input.parse()?);
                if !input.is_empty() {
                    list.push_value(input.parse()?);
                }
            }
            Ok((list, None))
        })
        .parse2(tokens);
        let (list, len) = parsed.ok()?;
        let mut values = self.exprs(list.iter());
        Some(match len {
            None => ExprKind::Array(values),
            Some(len) => ExprKind::Repeat { value: values.pop()?, len: self.expr(&len) },
        })
    }

    fn matches(&mut self, tokens: TokenStream) -> Option<MacroArgs> {
        let parser = |input: ParseStream| {
            let value: Expr = input.parse()?;
            input.parse::<Token![,]>()?;
            let pat = syn::Pat::parse_multi_with_leading_vert(input)?;
            let guard: Option<Expr> =
                if input.parse::<Option<Token![if]>>()?.is_some() { Some(input.parse()?) } else { None };
            // A comma, and the message of an assertion.
            input.parse::<TokenStream>()?;
            Ok((value, pat, guard))
        };
        let (value, pat, guard) = parser.parse2(tokens).ok()?;
        let value = self.expr(&value);
        let pat = self.pat(&pat);
        Some(MacroArgs::Matches { value, pat, guard: guard.map(|g| self.expr(&g)) })
    }

    /// Expressions, else statements. Text without anything that runs is only asked for its names.
    fn generic(&mut self, tokens: TokenStream, inner: At) -> Option<MacroArgs> {
        let text = self.slice(inner.start, inner.end);
        if !may_call(text) {
            return Some(MacroArgs::List(self.names_in(text, inner.start)));
        }
        if let Ok(list) = arguments.parse2(tokens.clone()) {
            return Some(MacroArgs::List(self.exprs(list.iter())));
        }
        self.statement_args(tokens, inner)
    }

    fn statement_args(&mut self, tokens: TokenStream, inner: At) -> Option<MacroArgs> {
        let stmts = Block::parse_within.parse2(tokens).ok()?;
        let block = self.statements(&stmts);
        Some(MacroArgs::Block(self.push(ExprKind::Block(block), inner.start, inner.end)))
    }

    /// Every identifier outside of strings as a path.
    fn names_in(&mut self, text: &str, offset: u32) -> Vec<ExprId> {
        let mut found = Vec::new();
        let (bytes, mut at, mut quoted) = (text.as_bytes(), 0, false);
        while at < bytes.len() {
            let byte = bytes[at];
            if !quoted && (byte == b'_' || byte.is_ascii_alphabetic()) {
                let rest = bytes[at..].iter();
                let end = at + rest.take_while(|b| **b == b'_' || b.is_ascii_alphanumeric()).count();
                let lifetime = at > 0 && bytes[at - 1] == b'\'';
                if let Some(word) = text.get(at..end).filter(|_| !lifetime) {
                    let segment = Segment::plain(self.name(word));
                    let path = Path { segments: segment.into(), of: None };
                    found.push(self.push(ExprKind::Path(path), offset + at as u32, offset + end as u32));
                }
                at = end;
                continue;
            }
            quoted ^= byte == b'"';
            // An escaped quote ends nothing.
            at += if quoted && byte == b'\\' { 2 } else { 1 };
        }
        found
    }

    /// Values of an object or a list are expressions; keys are too, but rarely more than text.
    fn json(&mut self, tokens: TokenStream) -> Option<MacroArgs> {
        let parser = |input: ParseStream| {
            let mut values = Vec::new();
            json_value(input, &mut values)?;
            input.parse::<Option<Token![,]>>()?;
            Ok(values)
        };
        let values = parser.parse2(tokens).ok()?;
        Some(MacroArgs::List(self.exprs(values.iter())))
    }
}

/// A list, after tokio's `biased;` if there.
fn arguments(input: ParseStream) -> syn::Result<List> {
    if input.peek(syn::Ident) && input.peek2(Token![;]) && input.fork().parse::<syn::Ident>()? == "biased" {
        input.parse::<syn::Ident>()?;
        input.parse::<Token![;]>()?;
    }
    List::parse_terminated(input)
}

fn json_value(input: ParseStream, into: &mut Vec<Expr>) -> syn::Result<()> {
    deep(|| {
        let inner;
        if input.peek(syn::token::Brace) {
            syn::braced!(inner in input);
            while !inner.is_empty() {
                let key: Expr = if inner.peek(syn::Lit) {
                    Expr::Lit(syn::ExprLit { attrs: Vec::new(), lit: inner.parse()? })
                } else {
                    Expr::parse(&inner)?
                };
                into.push(key);
                inner.parse::<Token![:]>()?;
                json_value(&inner, into)?;
                if !inner.is_empty() {
                    inner.parse::<Token![,]>()?;
                }
            }
        } else if input.peek(syn::token::Bracket) {
            syn::bracketed!(inner in input);
            while !inner.is_empty() {
                json_value(&inner, into)?;
                if !inner.is_empty() {
                    inner.parse::<Token![,]>()?;
                }
            }
        } else {
            into.push(input.parse()?);
        }
        Ok(())
    })
}

/// Whether a call, `.await`, `?` or a loop may hide in a text; strings and comments are not told apart, which errs on
/// the side of reading.
pub fn may_call(text: &str) -> bool {
    if text.bytes().any(|b| matches!(b, b'(' | b'?')) {
        return true;
    }
    let words = |c: char| !(c.is_alphanumeric() || c == '_');
    text.split(words).any(|w| matches!(w, "await" | "loop" | "while" | "for"))
}
