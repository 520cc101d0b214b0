//! Values of the forms of expressions: names, blocks, branches, struct literals, fields.

use std::rc::Rc;

use super::index::{BodyIndex, Change, Part, Source};
use super::number::{any, binary, largest, unwrap, with_origin};
use super::{Cell, PLACES, Values, walk};
use crate::frontend::rust::program::{BodyId, FnId, Target, Ty};
use crate::frontend::rust::tree::{Block, ExprId, ExprKind, Lit, PatId, Path, Stmt, UnaryOp};
use crate::frontend::rust::val::{Field, Object, Val};
use crate::name::{Name, last_segment};
use crate::value::{Origin, OriginKind, Value};

/// What leaves instead of giving a value: no alternative at all.
pub(super) fn never() -> Val {
    Val::Any(Vec::new())
}

fn not(value: &Val) -> Val {
    match value {
        Val::Bool(b) => Val::Bool(!b),
        _ => Val::unknown("computed at run time"),
    }
}

/// Whole numbers below zero are not followed.
fn negative(value: &Val) -> Val {
    match value {
        Val::Float(f) => Val::Float(-f),
        _ => Val::unknown("a negative number"),
    }
}

impl Values<'_> {
    pub(super) fn eval_expr(&self, body: BodyId, e: ExprId) -> Val {
        let tree = self.tree(body);
        match &tree.expr(e).kind {
            ExprKind::Lit(lit) => self.literal(body, e, lit),
            ExprKind::Path(path) => self.path(body, e, path),
            ExprKind::Call { callee, args } => self.call(body, e, *callee, args),
            ExprKind::Method { receiver, name, args, .. } => self.method(body, e, *receiver, name, args),
            ExprKind::Field { base, name } => self.field(body, *base, name),
            ExprKind::Index { base, index } => self.element(body, *base, *index),
            ExprKind::Try(inner) => unwrap(self.eval(body, *inner)),
            ExprKind::Await(inner)
            | ExprKind::Ref(inner)
            | ExprKind::Unary(UnaryOp::Deref, inner)
            | ExprKind::Async { block: inner } => self.eval(body, *inner),
            ExprKind::Unary(UnaryOp::Not, inner) => not(&self.eval(body, *inner)),
            ExprKind::Unary(UnaryOp::Neg, inner) => negative(&self.eval(body, *inner)),
            ExprKind::Binary { op, left, right } => binary(*op, self.eval(body, *left), self.eval(body, *right)),
            ExprKind::Struct { path, fields, base } => self.literal_struct(body, e, path, fields, *base),
            ExprKind::Tuple(parts) => self.tuple(body, parts),
            ExprKind::Array(parts) => Val::List(parts.iter().take(64).map(|p| self.eval(body, *p)).collect()),
            ExprKind::Repeat { value, len } => self.repeated(body, *value, *len),
            ExprKind::Cast { value, ty } => self.cast(body, *value, *ty),
            ExprKind::If { then, otherwise, .. } => {
                let other = otherwise.map_or_else(|| Val::unknown("no value"), |o| self.eval(body, o));
                any([self.eval(body, *then), other])
            }
            ExprKind::Match { arms, .. } => any(arms.iter().map(|a| self.eval(body, a.body))),
            ExprKind::Block(block) => self.block(body, block),
            ExprKind::Loop { body: inner, .. } => self.broken_with(body, *inner),
            ExprKind::Closure { .. } => Val::Closure(body, e),
            ExprKind::Break { .. } | ExprKind::Continue { .. } | ExprKind::Return(_) => never(),
            ExprKind::Macro(call) => self.macro_value(body, e, call),
            _ => Val::unknown("computed at run time"),
        }
    }

    fn literal(&self, body: BodyId, e: ExprId, lit: &Lit) -> Val {
        let origin = Origin::literal(self.span(body, e));
        match lit {
            Lit::Int(n, _) => Val::Int(Value::Number(u64::try_from(*n).unwrap_or(u64::MAX)), origin),
            Lit::Float(f) => Val::Float(*f),
            Lit::Str(text) => Val::Text(text.clone()),
            Lit::Bool(b) => Val::Bool(*b),
            Lit::Other => Val::unknown("a literal of another kind"),
        }
    }

    fn path(&self, body: BodyId, e: ExprId, path: &Path) -> Val {
        let types = self.types(body);
        if let Some(pat) = types.locals.get(&e) {
            return self.local(body, *pat);
        }
        if let Some(id) = types.consts.get(&e) {
            return self.constant(*id);
        }
        if types.self_paths.contains(&e) || path.single().is_some_and(|n| *n == "self") {
            return Val::Param(0);
        }
        if let Some(Target::Fns(fns, _)) = types.targets.get(&e)
            && let [only] = fns[..]
        {
            return Val::Function(only);
        }
        let canonical = types.paths.get(&e).map(Name::as_str);
        self.well_known(body, e, path, canonical)
    }

    pub(super) fn constant(&self, id: crate::frontend::rust::program::ConstId) -> Val {
        let def = &self.program.consts[id.0 as usize];
        let name = last_segment(&def.path);
        if let Some(n) = self.stated(name) {
            return Val::Int(Value::Number(n), Origin { kind: OriginKind::Stated, ..Origin::none() });
        }
        let Some(value) = def.value else {
            return Val::unknown("a constant without a value here");
        };
        let value = self.eval(BodyId::Const(id), value);
        match &value {
            Val::Int(_, o) | Val::Duration(_, o) if o.kind == OriginKind::Environment => value,
            _ => with_origin(value, OriginKind::Constant),
        }
    }

    /// `None`, `u32::MAX`, `Duration::ZERO` and the like.
    fn well_known(&self, body: BodyId, e: ExprId, path: &Path, canonical: Option<&str>) -> Val {
        let written: Vec<&str> = path.segments.iter().map(|s| s.name.as_str()).collect();
        let names: Vec<&str> = canonical.map_or(written, |c| c.split("::").collect());
        let (last, owner) = (names.last().copied().unwrap_or(""), names.iter().rev().nth(1).copied().unwrap_or(""));
        let origin = Origin::literal(self.span(body, e));
        match (owner, last) {
            (_, "None") => Val::Nothing,
            ("Duration", "ZERO") => Val::Duration(Value::Number(0), origin),
            ("Duration", "MAX") => Val::Duration(Value::Unbounded, origin),
            ("u8", "MAX") => Val::Int(Value::Number(255), origin),
            ("i8", "MAX") => Val::Int(Value::Number(127), origin),
            ("u16", "MAX") => Val::Int(Value::Number(65_535), origin),
            ("i16", "MAX") => Val::Int(Value::Number(32_767), origin),
            ("u32" | "u64" | "u128" | "usize" | "i32" | "i64" | "i128" | "isize", "MAX" | "max_value") => {
                Val::Int(Value::Unbounded, origin)
            }
            ("f32" | "f64", "MAX" | "INFINITY") => Val::Float(f64::INFINITY),
            _ => match canonical {
                Some(path) => Val::unknown(&format!("`{path}` is not in the tree")),
                None => Val::unknown(&format!("`{last}` is not known")),
            },
        }
    }

    /// What a local can be. One that is changed by arithmetic has no value of its own; see `bounds` and `waits`.
    pub fn local(&self, body: BodyId, pat: PatId) -> Val {
        if let Some(value) = self.supposed(body, pat) {
            return value;
        }
        let locals = self.locals(body);
        let first = self.first_value(body, &locals, pat);
        let cell = Cell { root: Some(pat), fields: Vec::new() };
        let changes = locals.changes.get(&cell).map(Vec::as_slice).unwrap_or_default();
        self.after_changes(body, pat, first, changes)
    }

    /// The value with which a local begins.
    pub fn first_value(&self, body: BodyId, locals: &BodyIndex, pat: PatId) -> Val {
        let Some(binding) = locals.bindings.get(&pat) else {
            return Val::unknown("a name without a value");
        };
        let whole = match &binding.source {
            Source::Let(Some(value)) | Source::Matched(value) => self.eval(body, *value),
            Source::Let(None) => never(),
            Source::Param(i) => Val::Param(*i),
            Source::ClosureParam(closure, i) => self.closure_parameter(body, locals, *closure, *i),
            Source::For(the_loop) => self.items(body, *the_loop),
        };
        binding.parts.iter().fold(whole, |value, part| self.take(value, part))
    }

    fn after_changes(&self, body: BodyId, pat: PatId, first: Val, changes: &[Change]) -> Val {
        let mut all = vec![first];
        for change in changes {
            match change {
                Change::Op(..) => return Val::unknown("it changes while the program runs"),
                Change::Lent(_) => continue,
                Change::Assign(_, value) => {
                    let before = all.last().cloned().unwrap_or_else(never);
                    let own = self.mentions(body, *value, pat);
                    let after = self.supposing(body, pat, before, || self.eval(body, *value));
                    match (own, &after) {
                        // A builder that is handed on: the last state has seen every setter.
                        (true, Val::Object(_)) => all = vec![after],
                        (true, _) => return Val::unknown("it changes while the program runs"),
                        (false, _) => all.push(after),
                    }
                }
            }
        }
        any(all)
    }

    /// Whether an expression reads that local.
    pub fn mentions(&self, body: BodyId, e: ExprId, pat: PatId) -> bool {
        let types = self.types(body);
        walk::any(self.tree(body), e, &mut |x| types.locals.get(&x) == Some(&pat))
    }

    pub(super) fn take(&self, value: Val, part: &Part) -> Val {
        match (part, value) {
            (Part::Same, value) => value,
            (Part::Inside, value) => unwrap(value),
            (Part::Field(name), Val::Object(o)) => {
                o.fields.get(name).map_or_else(|| Val::unknown("a field nobody sets here"), |f| f.value.clone())
            }
            (Part::Element, Val::List(items)) => any(items),
            (part, Val::Any(parts)) => any(parts.into_iter().map(|p| self.take(p, part))),
            (_, Val::Unknown(why)) => Val::Unknown(why),
            _ => Val::unknown("part of something that is not known"),
        }
    }

    fn closure_parameter(&self, body: BodyId, locals: &BodyIndex, closure: ExprId, i: usize) -> Val {
        let unknown = || Val::unknown("a closure's parameter");
        let Some(parent) = locals.parents.get(&closure).filter(|_| i == 0) else {
            return unknown();
        };
        match &self.tree(body).expr(*parent).kind {
            ExprKind::Method { receiver, name, .. }
                if matches!(
                    name.as_str(),
                    "map" | "and_then" | "map_or" | "map_or_else" | "is_some_and" | "filter"
                ) =>
            {
                match unwrap(self.eval(body, *receiver)) {
                    Val::List(items) => any(items),
                    value => value,
                }
            }
            _ => unknown(),
        }
    }

    fn items(&self, body: BodyId, the_loop: ExprId) -> Val {
        let ExprKind::For { iter, .. } = &self.tree(body).expr(the_loop).kind else {
            return never();
        };
        if let ExprKind::Range { .. } = self.tree(body).expr(*iter).kind {
            return Val::unknown("it changes while the program runs");
        }
        match self.eval(body, *iter) {
            Val::List(items) => any(items),
            _ => Val::unknown("an item of a list"),
        }
    }

    fn field(&self, body: BodyId, base: ExprId, name: &Name) -> Val {
        let cell_changes = self.locals(body);
        let root = super::cell(self.tree(body), self.types(body), base).filter(|c| c.fields.is_empty());
        let changed = root.is_some_and(|c| cell_changes.parts_change.contains_key(&c.root));
        if !changed {
            match self.eval(body, base) {
                Val::Object(o) if o.fields.contains_key(name) => {
                    return o.fields[name].value.clone();
                }
                value @ Val::Any(_) if matches!(&value, Val::Any(p) if p.iter().all(|v| matches!(v, Val::Object(_)))) =>
                {
                    return self.take(value, &Part::Field(name.clone()));
                }
                _ => {}
            }
        }
        match self.type_of(body, base) {
            Some(Ty::Adt(adt, _)) => self.field_of(*adt, name),
            _ => Val::unknown(&format!("the field `{name}` is set where it is not seen")),
        }
    }

    fn element(&self, body: BodyId, base: ExprId, index: ExprId) -> Val {
        match self.eval(body, base) {
            Val::List(items) => match largest(&self.eval(body, index)).0.number() {
                Some(i) if (i as usize) < items.len() => items[i as usize].clone(),
                _ => any(items),
            },
            _ => Val::unknown("an element of a list"),
        }
    }

    fn repeated(&self, body: BodyId, value: ExprId, len: ExprId) -> Val {
        match largest(&self.eval(body, len)).0.number() {
            Some(n) if n <= 64 => Val::List(vec![self.eval(body, value); n as usize]),
            _ => Val::unknown("a list of unknown length"),
        }
    }

    fn tuple(&self, body: BodyId, parts: &[ExprId]) -> Val {
        let field = |(i, p): (usize, &ExprId)| {
            (Name::from(i.to_string()), Field { value: self.eval(body, *p), at: Some(self.span(body, *p)) })
        };
        let fields = parts.iter().enumerate().map(field).collect();
        Val::Object(Rc::new(Object { what: Name::new("(tuple)"), fields, built_at: None, built_in: None }))
    }

    fn cast(&self, body: BodyId, value: ExprId, ty: crate::frontend::rust::tree::TypeId) -> Val {
        let value = self.eval(body, value);
        let crate::frontend::rust::tree::Type::Path(path) = self.tree(body).ty(ty) else {
            return value;
        };
        let to = path.last().map(|s| s.name.as_str()).unwrap_or_default();
        match value {
            Val::Float(f) if !to.starts_with('f') && f >= 0.0 => {
                Val::Int(Value::Number(f as u64), Origin { kind: OriginKind::Computed, ..Origin::none() })
            }
            other => other,
        }
    }

    fn block(&self, body: BodyId, block: &Block) -> Val {
        if let Some(tail) = block.tail {
            return self.eval(body, tail);
        }
        match block.stmts.last() {
            Some(Stmt::Expr(last)) if self.diverges(body, *last) => never(),
            _ => Val::unknown("no value"),
        }
    }

    /// Whether an expression surely leaves.
    pub fn diverges(&self, body: BodyId, e: ExprId) -> bool {
        match &self.tree(body).expr(e).kind {
            ExprKind::Return(_) | ExprKind::Break { .. } | ExprKind::Continue { .. } => true,
            ExprKind::Macro(call) => leaving_macro(call.path.last().map(|s| s.name.as_str()).unwrap_or_default()),
            _ => matches!(self.type_of(body, e), Some(Ty::Never)),
        }
    }

    fn broken_with(&self, body: BodyId, inner: ExprId) -> Val {
        let tree = self.tree(body);
        let mut found = Vec::new();
        walk::each(tree, inner, &mut |e| match &tree.expr(e).kind {
            ExprKind::Break { value: Some(value), .. } => {
                found.push(*value);
                true
            }
            ExprKind::Loop { .. } | ExprKind::While { .. } | ExprKind::For { .. } | ExprKind::Closure { .. } => false,
            _ => true,
        });
        any(found.into_iter().take(PLACES).map(|v| self.eval(body, v)))
    }

    /// The result of a function: its tail and every `return`, errors left out.
    pub(super) fn eval_result(&self, f: FnId) -> Val {
        let body = BodyId::Fn(f);
        let Some(root) = self.program.function(f).body else {
            return Val::unknown("a function without a body");
        };
        let tree = self.tree(body);
        let mut found = vec![root];
        walk::each(tree, root, &mut |e| match &tree.expr(e).kind {
            ExprKind::Return(value) => {
                found.extend(value);
                true
            }
            ExprKind::Closure { .. } | ExprKind::Async { .. } => false,
            _ => true,
        });
        any(found.into_iter().take(PLACES).map(|e| self.eval(body, e)))
    }

    pub(super) fn eval_parameter(&self, f: FnId, i: u16) -> Val {
        let handed = self.params_of_callers(f, i);
        if handed.is_empty() {
            return Val::unknown("nothing in the tree calls it");
        }
        any(handed
            .into_iter()
            .take(PLACES)
            .map(|(body, e)| with_origin_of_literals(self.close(body, self.eval(body, e)))))
    }
}

/// A literal that is handed to a parameter comes from an argument.
fn with_origin_of_literals(value: Val) -> Val {
    match value {
        Val::Int(_, ref o) | Val::Duration(_, ref o) if o.kind == OriginKind::Literal => {
            with_origin(value, OriginKind::Argument)
        }
        other => other,
    }
}

pub(super) fn leaving_macro(name: &str) -> bool {
    matches!(name, "panic" | "unreachable" | "todo" | "unimplemented" | "bail")
}
