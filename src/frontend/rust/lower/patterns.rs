//! Patterns.

use syn::Member;

use super::context::{Lower, deep};
use crate::frontend::rust::tree::{At, ExprId, PatId, PatKind};
use crate::name::Name;

impl Lower<'_> {
    pub fn pat(&mut self, pat: &syn::Pat) -> PatId {
        deep(|| match pat {
            syn::Pat::Paren(inner) => {
                let id = self.pat(&inner.pat);
                let start = self.start(inner.paren_token.span.open());
                let end = self.end(inner.paren_token.span.close());
                self.out.pats[id.0 as usize].at = At { start, end };
                id
            }
            syn::Pat::Guard(inner) => self.pat(&inner.pat),
            syn::Pat::Type(typed) => {
                let inner = self.pat(&typed.pat);
                let ty = self.ty(&typed.ty);
                let at = self.pat_at(inner);
                self.push_pat(PatKind::Typed(inner, ty), at.start, at.end)
            }
            _ => {
                let (kind, at) = self.pat_node(pat);
                self.push_pat(kind, at.start, at.end)
            }
        })
    }

    fn pat_node(&mut self, pat: &syn::Pat) -> (PatKind, At) {
        match pat {
            syn::Pat::Ident(ident) => self.ident_pat(ident),
            syn::Pat::Wild(wild) => (PatKind::Wild, self.at(wild.underscore_token.span)),
            syn::Pat::Rest(rest) => (PatKind::Rest, self.at(rest.dot2_token.spans[0])),
            syn::Pat::Path(path) => {
                let at = self.path_at(path.qself.as_ref(), &path.path);
                (PatKind::Path(self.qualified(path.qself.as_ref(), &path.path)), at)
            }
            syn::Pat::TupleStruct(pat) => {
                let start = self.path_at(pat.qself.as_ref(), &pat.path).start;
                let path = self.qualified(pat.qself.as_ref(), &pat.path);
                let parts = self.pats(pat.elems.iter());
                let end = self.end(pat.paren_token.span.close());
                (PatKind::TupleStruct { path, parts }, At { start, end })
            }
            syn::Pat::Struct(pat) => self.struct_pat(pat),
            syn::Pat::Tuple(pat) => {
                let start = self.start(pat.paren_token.span.open());
                let parts = self.pats(pat.elems.iter());
                (PatKind::Tuple(parts), At { start, end: self.end(pat.paren_token.span.close()) })
            }
            syn::Pat::Slice(pat) => {
                let start = self.start(pat.bracket_token.span.open());
                let parts = self.pats(pat.elems.iter());
                (PatKind::Slice(parts), At { start, end: self.end(pat.bracket_token.span.close()) })
            }
            _ => self.pat_value(pat),
        }
    }

    fn pat_value(&mut self, pat: &syn::Pat) -> (PatKind, At) {
        match pat {
            syn::Pat::Or(pat) => {
                let parts = self.pats(pat.cases.iter());
                let at = self.around(&parts);
                (PatKind::Or(parts), at)
            }
            syn::Pat::Reference(pat) => {
                let start = self.start(pat.and_token.span);
                let inner = self.pat(&pat.pat);
                (PatKind::Ref(inner), At { start, end: self.pat_at(inner).end })
            }
            syn::Pat::Lit(pat) => {
                let value = self.lit(&pat.lit);
                (PatKind::Lit(value), self.at_of(value))
            }
            syn::Pat::Range(range) => {
                let (start, end, inclusive) = self.range_ends(range);
                let at = self.range_at(range, start, end);
                (PatKind::Range { start, end, inclusive }, at)
            }
            _ => (PatKind::Other, At::default()),
        }
    }

    fn ident_pat(&mut self, pat: &syn::PatIdent) -> (PatKind, At) {
        let at = self.at(pat.ident.span());
        let name = self.ident(&pat.ident);
        let sub = pat.subpat.as_ref().map(|(_, sub)| self.pat(sub));
        let end = sub.map_or(at.end, |sub| self.pat_at(sub).end);
        let (by_ref, mutable) = (pat.by_ref.is_some(), pat.mutability.is_some());
        (PatKind::Ident { name, by_ref, mutable, sub }, At { start: at.start, end })
    }

    fn struct_pat(&mut self, pat: &syn::PatStruct) -> (PatKind, At) {
        let start = self.path_at(pat.qself.as_ref(), &pat.path).start;
        let path = self.qualified(pat.qself.as_ref(), &pat.path);
        let mut fields = Vec::with_capacity(pat.fields.len());
        for field in &pat.fields {
            let name = self.member(&field.member);
            fields.push((name, self.pat(&field.pat)));
        }
        let end = self.end(pat.brace_token.span.close());
        (PatKind::Struct { path, fields, rest: pat.rest.is_some() }, At { start, end })
    }

    pub fn member(&mut self, member: &Member) -> Name {
        match member {
            Member::Named(ident) => self.ident(ident),
            Member::Unnamed(index) => self.name(&index.index.to_string()),
        }
    }

    fn pats<'a>(&mut self, pats: impl Iterator<Item = &'a syn::Pat>) -> Vec<PatId> {
        pats.map(|p| self.pat(p)).collect()
    }

    fn around(&self, parts: &[PatId]) -> At {
        let start = parts.first().map_or(0, |p| self.pat_at(*p).start);
        At { start, end: parts.last().map_or(start, |p| self.pat_at(*p).end) }
    }

    pub fn range_ends(&mut self, range: &syn::ExprRange) -> (Option<ExprId>, Option<ExprId>, bool) {
        let start = range.start.as_ref().map(|e| self.expr(e));
        let end = range.end.as_ref().map(|e| self.expr(e));
        (start, end, matches!(range.limits, syn::RangeLimits::Closed(_)))
    }

    pub fn range_at(&self, range: &syn::ExprRange, start: Option<ExprId>, end: Option<ExprId>) -> At {
        let (first, last) = match &range.limits {
            syn::RangeLimits::HalfOpen(dots) => (dots.spans[0], dots.spans[1]),
            syn::RangeLimits::Closed(dots) => (dots.spans[0], dots.spans[2]),
        };
        let start = start.map_or_else(|| self.start(first), |e| self.at_of(e).start);
        At { start, end: end.map_or_else(|| self.end(last), |e| self.at_of(e).end) }
    }
}
