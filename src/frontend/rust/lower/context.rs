//! What all of lowering shares: the tree that grows, names, positions.

use std::fmt::Write;

use proc_macro2::{Ident, Span};
use rustc_hash::FxHashSet;

use super::lines::Lines;
use crate::frontend::rust::tree::{At, Expr, ExprId, ExprKind, Pat, PatId, PatKind, RustFile, Type, TypeId};
use crate::name::Name;

pub struct Lower<'t> {
    pub text: &'t str,
    /// Bytes of the text that the parser did not see.
    base: u32,
    lines: Lines<'t>,
    pub out: RustFile,
    names: FxHashSet<Name>,
    buffer: String,
    /// Macros inside macros: each level reads the same tokens again.
    macro_depth: u32,
    /// Stack that parsing any part of this file may take.
    parser_stack: usize,
}

/// Tokens of an inner macro are read once more per level around them.
const MACRO_DEPTH: u32 = 16;

/// Of code with few comments. Growing the list moves it again and again, and it is most of what a file leaves behind.
const BYTES_PER_EXPR: usize = 28;

/// Runs one step of a recursion over the input with enough stack.
pub fn deep<R>(run: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, run)
}

impl<'t> Lower<'t> {
    pub fn new(text: &'t str, base: u32, parser_stack: usize) -> Lower<'t> {
        let (names, buffer) = Default::default();
        let mut out = RustFile::default();
        out.exprs.reserve(text.len() / BYTES_PER_EXPR);
        Lower {
            text,
            base,
            lines: Lines::new(text.get(base as usize..).unwrap_or_default()),
            out,
            names,
            buffer,
            macro_depth: 0,
            parser_stack,
        }
    }

    /// Parses and lowers tokens of a macro, unless too many macros are around it. The parser cannot ask for stack
    /// itself, and this may run far down in our own recursion.
    pub fn inside_macro<R>(&mut self, run: impl FnOnce(&mut Self) -> Option<R>) -> Option<R> {
        if self.macro_depth >= MACRO_DEPTH {
            return None;
        }
        self.macro_depth += 1;
        let result = stacker::maybe_grow(self.parser_stack, self.parser_stack * 2, || run(self));
        self.macro_depth -= 1;
        result
    }

    pub fn at(&self, span: Span) -> At {
        At { start: self.start(span), end: self.end(span) }
    }

    pub fn start(&self, span: Span) -> u32 {
        let found = self.lines.byte(span.start());
        found.unwrap_or_else(|| span.byte_range().start as u32) + self.base
    }

    pub fn end(&self, span: Span) -> u32 {
        let found = self.lines.byte(span.end());
        found.unwrap_or_else(|| span.byte_range().end as u32) + self.base
    }

    pub fn slice(&self, start: u32, end: u32) -> &'t str {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }

    pub fn name(&mut self, text: &str) -> Name {
        if let Some(known) = self.names.get(text) {
            return known.clone();
        }
        let name = Name::new(text);
        self.names.insert(name.clone());
        name
    }

    /// Without `r#`.
    pub fn ident(&mut self, ident: &Ident) -> Name {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        // Writing to a string cannot fail.
        let _ = write!(buffer, "{ident}");
        let name = self.name(buffer.strip_prefix("r#").unwrap_or(&buffer));
        self.buffer = buffer;
        name
    }

    pub fn push(&mut self, kind: ExprKind, start: u32, end: u32) -> ExprId {
        self.out.exprs.push(Expr { kind, at: At { start, end: end.max(start) } });
        ExprId(self.out.exprs.len() as u32 - 1)
    }

    pub fn push_pat(&mut self, kind: PatKind, start: u32, end: u32) -> PatId {
        self.out.pats.push(Pat { kind, at: At { start, end: end.max(start) } });
        PatId(self.out.pats.len() as u32 - 1)
    }

    pub fn push_type(&mut self, ty: Type) -> TypeId {
        self.out.types.push(ty);
        TypeId(self.out.types.len() as u32 - 1)
    }

    pub fn at_of(&self, id: ExprId) -> At {
        self.out.expr(id).at
    }

    pub fn pat_at(&self, id: PatId) -> At {
        self.out.pat(id).at
    }

    /// Brackets belong to what stands in them: there is no node for them.
    pub fn widen(&mut self, id: ExprId, start: u32, end: u32) -> ExprId {
        self.out.exprs[id.0 as usize].at = At { start, end };
        id
    }
}
