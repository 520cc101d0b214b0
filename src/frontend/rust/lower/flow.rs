//! Expressions that decide what runs and how often.

use proc_macro2::Span;
use syn::Expr;

use super::context::Lower;
use crate::frontend::rust::tree::{Arm, ExprId, ExprKind};
use crate::name::Name;

impl Lower<'_> {
    pub fn flow(&mut self, e: &Expr) -> ExprId {
        match e {
            Expr::If(inner) => self.if_expr(inner),
            Expr::Match(inner) => self.match_expr(inner),
            Expr::Let(inner) => {
                let start = self.start(inner.let_token.span);
                let pat = self.pat(&inner.pat);
                let value = self.expr(&inner.expr);
                self.push(ExprKind::Let { pat, value }, start, self.at_of(value).end)
            }
            Expr::Block(inner) => self.labelled_block(inner),
            Expr::Unsafe(inner) => self.keyword_block(inner.unsafe_token.span, &inner.block),
            Expr::Const(inner) => self.keyword_block(inner.const_token.span, &inner.block),
            Expr::TryBlock(inner) => self.keyword_block(inner.try_token.span, &inner.block),
            Expr::Async(inner) => {
                let start = self.start(inner.async_token.span);
                let block = self.block(&inner.block);
                self.push(ExprKind::Async { block }, start, self.at_of(block).end)
            }
            Expr::Loop(_) | Expr::While(_) | Expr::ForLoop(_) => self.loop_expr(e),
            Expr::Closure(inner) => self.closure(inner),
            _ => self.jump(e),
        }
    }

    fn keyword_block(&mut self, keyword: Span, block: &syn::Block) -> ExprId {
        let start = self.start(keyword);
        let id = self.block(block);
        let end = self.at_of(id).end;
        self.widen(id, start, end)
    }

    fn labelled_block(&mut self, inner: &syn::ExprBlock) -> ExprId {
        let id = self.block(&inner.block);
        let Some(label) = &inner.label else { return id };
        let name = self.ident(&label.name.ident);
        if let ExprKind::Block(block) = &mut self.out.exprs[id.0 as usize].kind {
            block.label = Some(name);
        }
        let (start, end) = (self.start(label.name.apostrophe), self.at_of(id).end);
        self.widen(id, start, end)
    }

    /// `else if` chains are read in a loop, from the last to the first.
    fn if_expr(&mut self, first: &syn::ExprIf) -> ExprId {
        let mut chain = vec![];
        let mut current = first;
        let last = loop {
            let start = self.start(current.if_token.span);
            let cond = self.expr(&current.cond);
            let then = self.block(&current.then_branch);
            chain.push((start, cond, then));
            match current.else_branch.as_ref().map(|(_, e)| &**e) {
                Some(Expr::If(next)) => current = next,
                Some(other) => break Some(self.expr(other)),
                None => break None,
            }
        };
        let mut otherwise = last;
        for (start, cond, then) in chain.into_iter().rev() {
            let end = self.at_of(otherwise.unwrap_or(then)).end;
            otherwise = Some(self.push(ExprKind::If { cond, then, otherwise }, start, end));
        }
        otherwise.expect("a chain has at least its first link")
    }

    fn match_expr(&mut self, inner: &syn::ExprMatch) -> ExprId {
        let start = self.start(inner.match_token.span);
        let value = self.expr(&inner.expr);
        let mut arms = Vec::with_capacity(inner.arms.len());
        for arm in &inner.arms {
            if self.is_test(&arm.attrs) {
                continue;
            }
            let pat = self.pat(&arm.pat);
            let guard = match &arm.pat {
                syn::Pat::Guard(guarded) => Some(self.expr(&guarded.guard)),
                _ => None,
            };
            let body = self.expr(&arm.body);
            arms.push(Arm { pat, guard, body });
        }
        let end = self.end(inner.brace_token.span.close());
        self.push(ExprKind::Match { value, arms }, start, end)
    }

    fn loop_expr(&mut self, e: &Expr) -> ExprId {
        let (label, token, block) = match e {
            Expr::Loop(inner) => (&inner.label, inner.loop_token.span, &inner.body),
            Expr::While(inner) => (&inner.label, inner.while_token.span, &inner.body),
            Expr::ForLoop(inner) => (&inner.label, inner.for_token.span, &inner.body),
            _ => return self.push(ExprKind::Unknown, 0, 0),
        };
        let start = self.start(label.as_ref().map_or(token, |l| l.name.apostrophe));
        let label = label.as_ref().map(|l| self.ident(&l.name.ident));
        let kind = match e {
            Expr::While(inner) => {
                let cond = self.expr(&inner.cond);
                ExprKind::While { label, cond, body: self.block(block) }
            }
            Expr::ForLoop(inner) => {
                let pat = self.pat(&inner.pat);
                let iter = self.expr(&inner.expr);
                ExprKind::For { label, pat, iter, body: self.block(block) }
            }
            _ => ExprKind::Loop { label, body: self.block(block) },
        };
        let end = self.end(block.brace_token.span.close());
        self.push(kind, start, end)
    }

    fn closure(&mut self, inner: &syn::ExprClosure) -> ExprId {
        let bar = inner.inputs_begin.span;
        let first = [
            inner.lifetimes.as_ref().map(|l| l.for_token.span),
            inner.constness.as_ref().map(|t| t.span),
            inner.asyncness.as_ref().map(|t| t.span),
            inner.capture.as_ref().map(|t| t.span),
        ];
        let start = self.start(first.into_iter().flatten().next().unwrap_or(bar));
        let mut params = Vec::with_capacity(inner.inputs.len());
        for input in &inner.inputs {
            params.push(match input {
                syn::Pat::Type(typed) => {
                    let pat = self.pat(&typed.pat);
                    (pat, Some(self.ty(&typed.ty)))
                }
                _ => (self.pat(input), None),
            });
        }
        let result = self.result(&inner.output);
        let body = self.expr(&inner.body);
        let is_async = inner.asyncness.is_some();
        let end = self.at_of(body).end;
        self.push(ExprKind::Closure { params, result, body, is_async }, start, end)
    }

    fn jump(&mut self, e: &Expr) -> ExprId {
        match e {
            Expr::Break(inner) => {
                let at = self.at(inner.break_token.span);
                let (label, mut end) = self.label(inner.label.as_ref(), at.end);
                let value = inner.expr.as_ref().map(|e| self.expr(e));
                end = value.map_or(end, |v| self.at_of(v).end);
                self.push(ExprKind::Break { label, value }, at.start, end)
            }
            Expr::Continue(inner) => {
                let at = self.at(inner.continue_token.span);
                let (label, end) = self.label(inner.label.as_ref(), at.end);
                self.push(ExprKind::Continue { label }, at.start, end)
            }
            Expr::Return(inner) => self.leave(inner.return_token.span, inner.expr.as_deref(), ExprKind::Return),
            Expr::Yield(inner) => self.leave(inner.yield_token.span, inner.expr.as_deref(), ExprKind::Yield),
            _ => self.push(ExprKind::Unknown, 0, 0),
        }
    }

    fn label(&mut self, label: Option<&syn::Lifetime>, end: u32) -> (Option<Name>, u32) {
        match label {
            Some(label) => (Some(self.ident(&label.ident)), self.end(label.ident.span())),
            None => (None, end),
        }
    }

    fn leave(&mut self, token: Span, value: Option<&Expr>, kind: fn(Option<ExprId>) -> ExprKind) -> ExprId {
        let at = self.at(token);
        let value = value.map(|e| self.expr(e));
        let end = value.map_or(at.end, |v| self.at_of(v).end);
        self.push(kind(value), at.start, end)
    }
}
