//! Expressions that compute a value from their parts. Control flow is in `flow`, macros are in `macros`.
//!
//! A node's range is put together from its children's ranges and its own first and last token: asking syn for the span
//! of an expression walks all of it, which is quadratic over chains.

use proc_macro2::Span;
use syn::{BinOp, Expr, UnOp};

use super::context::{Lower, deep};
use crate::frontend::rust::tree::{At, BinaryOp, ExprId, ExprKind, Lit, UnaryOp};

impl Lower<'_> {
    pub fn expr(&mut self, e: &Expr) -> ExprId {
        deep(|| match e {
            Expr::Path(path) => {
                let at = self.path_at(path.qself.as_ref(), &path.path);
                let path = self.qualified(path.qself.as_ref(), &path.path);
                self.push(ExprKind::Path(path), at.start, at.end)
            }
            Expr::Lit(lit) => self.lit(&lit.lit),
            Expr::MethodCall(call) => self.method(call),
            Expr::Call(call) => {
                let callee = self.expr(&call.func);
                let args = self.exprs(call.args.iter());
                self.after(callee, call.paren_token.span.close(), ExprKind::Call { callee, args })
            }
            Expr::Field(field) => {
                let base = self.expr(&field.base);
                let span = match &field.member {
                    syn::Member::Named(name) => name.span(),
                    syn::Member::Unnamed(index) => index.span,
                };
                let name = self.member(&field.member);
                self.after(base, span, ExprKind::Field { base, name })
            }
            Expr::Try(inner) => {
                let value = self.expr(&inner.expr);
                self.after(value, inner.question_token.span, ExprKind::Try(value))
            }
            Expr::Await(inner) => {
                let value = self.expr(&inner.base);
                self.after(value, inner.await_token.span, ExprKind::Await(value))
            }
            Expr::Macro(call) => self.macro_expr(&call.mac),
            _ => self.operator(e),
        })
    }

    fn method(&mut self, call: &syn::ExprMethodCall) -> ExprId {
        let receiver = self.expr(&call.receiver);
        let name_at = self.at(call.method.span());
        let name = self.ident(&call.method);
        let turbofish = self.turbofish(call.turbofish.as_ref());
        let args = self.exprs(call.args.iter()).into_boxed_slice();
        let kind = ExprKind::Method { receiver, name, name_at, turbofish, args };
        self.after(receiver, call.paren_token.span.close(), kind)
    }

    fn operator(&mut self, e: &Expr) -> ExprId {
        match e {
            Expr::Reference(inner) => self.prefix(inner.and_token.span, &inner.expr, ExprKind::Ref),
            Expr::RawAddr(inner) => self.prefix(inner.and_token.span, &inner.expr, ExprKind::Ref),
            Expr::Unary(inner) => {
                let (op, span) = match &inner.op {
                    UnOp::Not(token) => (UnaryOp::Not, token.span),
                    UnOp::Deref(token) => (UnaryOp::Deref, token.span),
                    UnOp::Neg(token) => (UnaryOp::Neg, token.span),
                    _ => return self.push(ExprKind::Unknown, 0, 0),
                };
                self.prefix(span, &inner.expr, |value| ExprKind::Unary(op, value))
            }
            Expr::Binary(inner) => self.binary(inner),
            Expr::Assign(inner) => {
                let to = self.expr(&inner.left);
                let value = self.expr(&inner.right);
                self.between(to, value, ExprKind::Assign { to, value })
            }
            Expr::Cast(inner) => {
                let value = self.expr(&inner.expr);
                let ty = self.ty(&inner.ty);
                let end = self.type_end(&inner.ty).unwrap_or_else(|| self.end(inner.as_token.span));
                self.push(ExprKind::Cast { value, ty }, self.at_of(value).start, end)
            }
            Expr::Index(inner) => {
                let base = self.expr(&inner.expr);
                let index = self.expr(&inner.index);
                self.after(base, inner.bracket_token.span.close(), ExprKind::Index { base, index })
            }
            Expr::Range(range) => {
                let (start, end, inclusive) = self.range_ends(range);
                let at = self.range_at(range, start, end);
                self.push(ExprKind::Range { start, end, inclusive }, at.start, at.end)
            }
            _ => self.aggregate(e),
        }
    }

    fn aggregate(&mut self, e: &Expr) -> ExprId {
        match e {
            Expr::Paren(inner) => {
                let start = self.start(inner.paren_token.span.open());
                let id = self.expr(&inner.expr);
                let end = self.end(inner.paren_token.span.close());
                self.widen(id, start, end)
            }
            Expr::Group(inner) => self.expr(&inner.expr),
            Expr::Tuple(tuple) => {
                let span = tuple.paren_token.span;
                let start = self.start(span.open());
                let parts = self.exprs(tuple.elems.iter());
                let end = self.end(span.close());
                self.push(ExprKind::Tuple(parts), start, end)
            }
            Expr::Array(array) => {
                let span = array.bracket_token.span;
                let start = self.start(span.open());
                let parts = self.exprs(array.elems.iter());
                let end = self.end(span.close());
                self.push(ExprKind::Array(parts), start, end)
            }
            Expr::Repeat(repeat) => {
                let span = repeat.bracket_token.span;
                let start = self.start(span.open());
                let value = self.expr(&repeat.expr);
                let len = self.expr(&repeat.len);
                let end = self.end(span.close());
                self.push(ExprKind::Repeat { value, len }, start, end)
            }
            Expr::Struct(literal) => self.struct_literal(literal),
            Expr::Infer(inner) => {
                let at = self.at(inner.underscore_token.span);
                self.push(ExprKind::Unknown, at.start, at.end)
            }
            _ => self.flow(e),
        }
    }

    fn struct_literal(&mut self, literal: &syn::ExprStruct) -> ExprId {
        let start = self.path_at(literal.qself.as_ref(), &literal.path).start;
        let path = self.qualified(literal.qself.as_ref(), &literal.path);
        let mut fields = Vec::with_capacity(literal.fields.len());
        for field in &literal.fields {
            let name = self.member(&field.member);
            fields.push((name, self.expr(&field.expr)));
        }
        let base = literal.rest.as_ref().map(|e| self.expr(e));
        let end = self.end(literal.brace_token.span.close());
        self.push(ExprKind::Struct { path, fields, base }, start, end)
    }

    fn binary(&mut self, inner: &syn::ExprBinary) -> ExprId {
        let left = self.expr(&inner.left);
        let right = self.expr(&inner.right);
        let (op, assigns) = operator(&inner.op);
        let kind = if assigns {
            ExprKind::OpAssign { op, to: left, value: right }
        } else {
            ExprKind::Binary { op, left, right }
        };
        self.between(left, right, kind)
    }

    pub fn exprs<'a>(&mut self, list: impl Iterator<Item = &'a Expr>) -> Vec<ExprId> {
        list.map(|e| self.expr(e)).collect()
    }

    fn after(&mut self, first: ExprId, last: Span, kind: ExprKind) -> ExprId {
        let end = self.end(last);
        self.push(kind, self.at_of(first).start, end)
    }

    fn between(&mut self, first: ExprId, last: ExprId, kind: ExprKind) -> ExprId {
        self.push(kind, self.at_of(first).start, self.at_of(last).end)
    }

    fn prefix(&mut self, token: Span, inner: &Expr, kind: impl FnOnce(ExprId) -> ExprKind) -> ExprId {
        let start = self.start(token);
        let value = self.expr(inner);
        self.push(kind(value), start, self.at_of(value).end)
    }

    /// From the first token to the last, generic arguments included.
    pub fn path_at(&self, of: Option<&syn::QSelf>, path: &syn::Path) -> At {
        let first = match (of, &path.leading_colon, path.segments.first()) {
            (Some(own), _, _) => Some(own.lt_token.span),
            (None, Some(colon), _) => Some(colon.spans[0]),
            (None, None, first) => first.map(|s| s.ident.span()),
        };
        let Some(first) = first else {
            return At::default();
        };
        let first = self.at(first);
        let Some(last) = path.segments.last() else {
            return first;
        };
        let end = match &last.arguments {
            syn::PathArguments::None if of.is_none() && path.get_ident().is_some() => first.end,
            syn::PathArguments::None => self.end(last.ident.span()),
            syn::PathArguments::AngleBracketed(list) => self.end(list.gt_token.span),
            syn::PathArguments::Parenthesized(list) => self.end(list.paren_token.span.close()),
        };
        At { start: first.start, end }
    }

    /// The end of a type that can stand after `as`; others are rare there.
    fn type_end(&self, ty: &syn::Type) -> Option<u32> {
        let mut ty = ty;
        loop {
            match ty {
                syn::Type::Path(path) => {
                    return Some(self.path_at(path.qself.as_ref(), &path.path).end);
                }
                syn::Type::Reference(inner) => ty = &inner.elem,
                syn::Type::Ptr(inner) => ty = &inner.elem,
                syn::Type::FnPtr(inner) => match &inner.output {
                    syn::ReturnType::Type(_, result) => ty = result,
                    syn::ReturnType::Default => {
                        return Some(self.end(inner.paren_token.span.close()));
                    }
                },
                syn::Type::Paren(inner) => return Some(self.end(inner.paren_token.span.close())),
                syn::Type::Tuple(inner) => return Some(self.end(inner.paren_token.span.close())),
                syn::Type::Array(inner) => return Some(self.end(inner.bracket_token.span.close())),
                syn::Type::Slice(inner) => return Some(self.end(inner.bracket_token.span.close())),
                syn::Type::Infer(inner) => return Some(self.end(inner.underscore_token.span)),
                syn::Type::Never(inner) => return Some(self.end(inner.bang_token.span)),
                _ => return None,
            }
        }
    }

    pub fn lit(&mut self, lit: &syn::Lit) -> ExprId {
        let at = self.at(lit.span());
        let (value, negative) = self.lit_value(lit);
        let id = self.push(ExprKind::Lit(value), at.start, at.end);
        if negative { self.push(ExprKind::Unary(UnaryOp::Neg, id), at.start, at.end) } else { id }
    }

    /// The value without its sign: patterns hold `-1` as one literal.
    fn lit_value(&mut self, lit: &syn::Lit) -> (Lit, bool) {
        match lit {
            syn::Lit::Int(int) => {
                let digits = int.base10_digits();
                let (digits, negative) = digits.strip_prefix('-').map_or((digits, false), |d| (d, true));
                match digits.parse() {
                    Ok(value) => (Lit::Int(value, self.name(int.suffix())), negative),
                    Err(_) => (Lit::Other, negative),
                }
            }
            syn::Lit::Float(float) => {
                let value: f64 = float.base10_parse().unwrap_or(f64::NAN);
                (Lit::Float(value.abs()), value.is_sign_negative())
            }
            syn::Lit::Str(text) => (Lit::Str(self.name(&text.value())), false),
            syn::Lit::Bool(value) => (Lit::Bool(value.value), false),
            _ => (Lit::Other, false),
        }
    }
}

/// The operator, and whether it assigns too.
fn operator(op: &BinOp) -> (BinaryOp, bool) {
    match op {
        BinOp::Add(_) => (BinaryOp::Add, false),
        BinOp::Sub(_) => (BinaryOp::Sub, false),
        BinOp::Mul(_) => (BinaryOp::Mul, false),
        BinOp::Div(_) => (BinaryOp::Div, false),
        BinOp::Rem(_) => (BinaryOp::Rem, false),
        BinOp::And(_) => (BinaryOp::And, false),
        BinOp::Or(_) => (BinaryOp::Or, false),
        BinOp::BitXor(_) => (BinaryOp::BitXor, false),
        BinOp::BitAnd(_) => (BinaryOp::BitAnd, false),
        BinOp::BitOr(_) => (BinaryOp::BitOr, false),
        BinOp::Shl(_) => (BinaryOp::Shl, false),
        BinOp::Shr(_) => (BinaryOp::Shr, false),
        BinOp::Eq(_) => (BinaryOp::Eq, false),
        BinOp::Lt(_) => (BinaryOp::Lt, false),
        BinOp::Le(_) => (BinaryOp::Le, false),
        BinOp::Ne(_) => (BinaryOp::Ne, false),
        BinOp::Ge(_) => (BinaryOp::Ge, false),
        BinOp::Gt(_) => (BinaryOp::Gt, false),
        _ => (assigned(op), true),
    }
}

fn assigned(op: &BinOp) -> BinaryOp {
    match op {
        BinOp::SubAssign(_) => BinaryOp::Sub,
        BinOp::MulAssign(_) => BinaryOp::Mul,
        BinOp::DivAssign(_) => BinaryOp::Div,
        BinOp::RemAssign(_) => BinaryOp::Rem,
        BinOp::BitXorAssign(_) => BinaryOp::BitXor,
        BinOp::BitAndAssign(_) => BinaryOp::BitAnd,
        BinOp::BitOrAssign(_) => BinaryOp::BitOr,
        BinOp::ShlAssign(_) => BinaryOp::Shl,
        BinOp::ShrAssign(_) => BinaryOp::Shr,
        _ => BinaryOp::Add,
    }
}
