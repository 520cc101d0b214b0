//! Blocks and statements.

use syn::{Expr, Stmt};

use super::context::Lower;
use crate::frontend::rust::tree::{At, Block, ExprId, ExprKind, Stmt as Lowered};

impl Lower<'_> {
    pub fn block(&mut self, block: &syn::Block) -> ExprId {
        let span = block.brace_token.span;
        let start = self.start(span.open());
        let lowered = self.statements(&block.stmts);
        let end = self.end(span.close());
        self.push(ExprKind::Block(lowered), start, end)
    }

    pub fn statements(&mut self, stmts: &[Stmt]) -> Block {
        let mut items = Vec::new();
        let mut block =
            Block { label: None, stmts: Vec::with_capacity(stmts.len()), tail: None, items: Box::default() };
        for (i, stmt) in stmts.iter().enumerate() {
            let last = i + 1 == stmts.len();
            match stmt {
                Stmt::Local(local) if self.is_test(&local.attrs) => {}
                Stmt::Local(local) => {
                    let lowered = self.local(local);
                    block.stmts.push(lowered);
                }
                Stmt::Item(item) => self.item(item, &mut items),
                // A lone `;`.
                Stmt::Expr(Expr::Verbatim(tokens), Some(_)) if tokens.is_empty() => {}
                Stmt::Expr(e, _) if self.is_test(attributes(e)) => {}
                Stmt::Expr(e, semi) => {
                    let id = self.expr(e);
                    self.statement(&mut block, id, last && semi.is_none());
                }
                Stmt::Macro(call) if self.is_test(&call.attrs) => {}
                Stmt::Macro(call) => {
                    let id = self.macro_expr(&call.mac);
                    self.statement(&mut block, id, last && call.semi_token.is_none());
                }
            }
        }
        block.items = items.into_boxed_slice();
        block
    }

    fn statement(&mut self, block: &mut Block, id: ExprId, tail: bool) {
        if tail {
            block.tail = Some(id);
        } else {
            block.stmts.push(Lowered::Expr(id));
        }
    }

    fn local(&mut self, local: &syn::Local) -> Lowered {
        let start = self.start(local.let_token.span);
        let (pat, ty) = match &local.pat {
            syn::Pat::Type(typed) => {
                let pat = self.pat(&typed.pat);
                (pat, Some(self.ty(&typed.ty)))
            }
            pat => (self.pat(pat), None),
        };
        let value = local.init.as_ref().map(|init| self.expr(&init.expr));
        let diverge = local.init.as_ref().and_then(|init| init.diverge.as_ref());
        let otherwise = diverge.map(|(_, e)| self.expr(e));
        let end = self.end(local.semi_token.span);
        Lowered::Let { pat, ty, value, otherwise, at: At { start, end } }
    }
}

/// Attributes of the expressions that stand as statements under a `#[cfg(..)]`.
fn attributes(e: &Expr) -> &[syn::Attribute] {
    match e {
        Expr::Block(e) => &e.attrs,
        Expr::Call(e) => &e.attrs,
        Expr::MethodCall(e) => &e.attrs,
        Expr::If(e) => &e.attrs,
        Expr::Match(e) => &e.attrs,
        Expr::Macro(e) => &e.attrs,
        Expr::ForLoop(e) => &e.attrs,
        Expr::While(e) => &e.attrs,
        Expr::Loop(e) => &e.attrs,
        Expr::Await(e) => &e.attrs,
        Expr::Try(e) => &e.attrs,
        Expr::Assign(e) => &e.attrs,
        Expr::Return(e) => &e.attrs,
        _ => &[],
    }
}
