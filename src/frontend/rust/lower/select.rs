//! `select!`: the grammar of tokio's and futures' macros.

use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser};
use syn::{Expr, Ident, Pat, Token};

use super::context::Lower;
use crate::frontend::rust::tree::{MacroArgs, SelectArm};

struct Parsed {
    pat: Option<Pat>,
    future: Option<Expr>,
    cond: Option<Expr>,
    body: Expr,
}

impl Lower<'_> {
    pub fn select(&mut self, tokens: TokenStream) -> Option<MacroArgs> {
        let arms = select_arms.parse2(tokens).ok()?;
        let mut lowered = Vec::with_capacity(arms.len());
        for arm in &arms {
            lowered.push(SelectArm {
                pat: arm.pat.as_ref().map(|p| self.pat(p)),
                future: arm.future.as_ref().map(|e| self.expr(e)),
                cond: arm.cond.as_ref().map(|e| self.expr(e)),
                body: self.expr(&arm.body),
            });
        }
        Some(MacroArgs::Select(lowered))
    }
}

fn select_arms(input: ParseStream) -> syn::Result<Vec<Parsed>> {
    // `biased;`, `random;`
    if input.peek(Ident) && input.peek2(Token![;]) {
        input.parse::<Ident>()?;
        input.parse::<Token![;]>()?;
    }
    let mut arms = Vec::new();
    while !input.is_empty() {
        arms.push(select_arm(input)?);
        input.parse::<Option<Token![,]>>()?;
    }
    Ok(arms)
}

fn select_arm(input: ParseStream) -> syn::Result<Parsed> {
    // `else`; `complete` and `default` of futures.
    let alone = input.peek(Token![else]) || input.peek(Ident) && input.peek2(Token![=>]);
    let (mut pat, mut future, mut cond) = (None, None, None);
    if alone {
        input.call(<Ident as syn::ext::IdentExt>::parse_any)?;
    } else {
        pat = Some(Pat::parse_multi_with_leading_vert(input)?);
        input.parse::<Token![=]>()?;
        future = Some(input.parse()?);
        if input.peek(Token![,]) {
            input.parse::<Token![,]>()?;
            input.parse::<Token![if]>()?;
            cond = Some(input.parse()?);
        }
    }
    input.parse::<Token![=>]>()?;
    Ok(Parsed { pat, future, cond, body: input.call(Expr::parse_with_earlier_boundary_rule)? })
}
