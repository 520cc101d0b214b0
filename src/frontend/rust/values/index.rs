//! What is looked up again and again: who calls a function, who sets a field, what binds and changes a local.
//!
//! The program's part is built once; a body's part when somebody first asks about that body.

use rustc_hash::FxHashMap;

use super::walk;
use crate::frontend::rust::names::for_each_child;
use crate::frontend::rust::program::{AdtId, BodyId, BodyTypes, ConstId, FnId, Owner, Program, Target, TraitRef, Ty};
use crate::frontend::rust::tree::{BinaryOp, ExprId, ExprKind, MacroArgs, PatId, PatKind, RustFile, Stmt};
use crate::name::{Name, split_last};

/// A step from a value to a part of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    Same,
    /// What is in `Some` or `Ok`.
    Inside,
    Field(Name),
    Element,
    Other,
}

/// What gives a local its first value.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// `let` with or without a value.
    Let(Option<ExprId>),
    /// A parameter of the function; a receiver would be 0.
    Param(u16),
    /// A closure's parameter: the closure, the position.
    ClosureParam(ExprId, usize),
    /// The pattern of that `for`.
    For(ExprId),
    /// An arm or `if let` that takes this apart.
    Matched(ExprId),
}

#[derive(Debug, Clone)]
pub struct Binding {
    pub source: Source,
    pub parts: Vec<Part>,
    /// Where a `let` stands or the loop or arm: the expression around it.
    pub scope: Option<ExprId>,
}

/// Something that changes a local or a field of it after it was bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change {
    /// The assignment, the new value.
    Assign(ExprId, ExprId),
    /// `+=` and the like: the assignment, its operator, the operand.
    Op(ExprId, BinaryOp, ExprId),
    /// `&mut x` is handed to somebody.
    Lent(ExprId),
}

impl Change {
    pub fn at(self) -> ExprId {
        match self {
            Change::Assign(e, _) | Change::Op(e, _, _) | Change::Lent(e) => e,
        }
    }
}

/// A local, or a field reached from one; `None` is the receiver `self`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell {
    pub root: Option<PatId>,
    pub fields: Vec<Name>,
}

#[derive(Debug, Default)]
pub struct BodyIndex {
    pub bindings: FxHashMap<PatId, Binding>,
    pub changes: FxHashMap<Cell, Vec<Change>>,
    pub parents: FxHashMap<ExprId, ExprId>,
    /// Locals whose fields are assigned.
    pub parts_change: FxHashMap<Option<PatId>, u32>,
}

pub struct Index {
    pub callers: FxHashMap<FnId, Vec<(BodyId, ExprId)>>,
    pub fields: FxHashMap<(AdtId, Name), Vec<(BodyId, ExprId)>>,
    pub adts: FxHashMap<Name, AdtId>,
    pub fns: FxHashMap<Name, FnId>,
    pub consts: FxHashMap<Name, ConstId>,
    /// Written `Default` implementations.
    pub defaults: FxHashMap<AdtId, FnId>,
}

/// The expression a body consists of.
pub fn root(program: &Program, body: BodyId) -> Option<ExprId> {
    match body {
        BodyId::Fn(f) => program.function(f).body,
        BodyId::Const(c) => program.consts[c.0 as usize].value,
    }
}

impl Index {
    pub fn build(program: &Program, bodies: &FxHashMap<BodyId, BodyTypes>) -> Index {
        let mut index = Index {
            callers: FxHashMap::default(),
            fields: FxHashMap::default(),
            adts: program.adts.iter().enumerate().map(|(i, a)| (a.path.clone(), AdtId(i as u32))).collect(),
            fns: program.fns.iter().enumerate().map(|(i, f)| (f.path.clone(), FnId(i as u32))).collect(),
            consts: program.consts.iter().enumerate().map(|(i, c)| (c.path.clone(), ConstId(i as u32))).collect(),
            defaults: FxHashMap::default(),
        };
        index.find_defaults(program);
        let mut order: Vec<BodyId> = bodies.keys().copied().collect();
        order.sort_unstable();
        for body in order {
            if let Some(types) = bodies.get(&body) {
                index.add_calls(body, types);
                index.add_fields(program, body, types);
            }
        }
        index
    }

    fn find_defaults(&mut self, program: &Program) {
        for (i, def) in program.fns.iter().enumerate() {
            if let Owner::Impl { of: TraitRef::Foreign(of), for_type: Ty::Adt(id, _) } = &def.owner
                && of.rsplit("::").next() == Some("Default")
                && def.name == "default"
            {
                self.defaults.insert(*id, FnId(i as u32));
            }
        }
    }

    fn add_calls(&mut self, body: BodyId, types: &BodyTypes) {
        let mut calls: Vec<(ExprId, &Vec<FnId>)> = types
            .targets
            .iter()
            .filter_map(|(e, t)| match t {
                Target::Fns(fns, _) => Some((*e, fns)),
                _ => None,
            })
            .collect();
        calls.sort_unstable_by_key(|(e, _)| *e);
        for (e, fns) in calls {
            for f in fns {
                self.callers.entry(*f).or_default().push((body, e));
            }
        }
    }

    /// The type that a struct literal's path names: itself, or the enum of a variant.
    pub fn adt_of_path(&self, path: &str) -> Option<AdtId> {
        self.adts.get(path).copied().or_else(|| self.adts.get(split_last(path)?.0).copied())
    }

    fn add_fields(&mut self, program: &Program, body: BodyId, types: &BodyTypes) {
        let Some(start) = root(program, body) else {
            return;
        };
        let tree = program.tree_of(body);
        let mut found = Vec::new();
        walk::each(tree, start, &mut |e| {
            match &tree.expr(e).kind {
                ExprKind::Struct { fields, .. } => {
                    if let Some(adt) = types.struct_paths.get(&e).and_then(|p| self.adt_of_path(p)) {
                        found.extend(fields.iter().map(|(name, value)| (adt, name.clone(), *value)));
                    }
                }
                ExprKind::Assign { to, value } => {
                    if let ExprKind::Field { base, name } = &tree.expr(*to).kind
                        && let Some(Ty::Adt(adt, _)) = types.types.get(base)
                    {
                        found.push((*adt, name.clone(), *value));
                    }
                }
                ExprKind::Call { args, .. } => {
                    if let Some(Target::Constructor(path)) = types.targets.get(&e)
                        && let Some(adt) = self.adt_of_path(path)
                    {
                        let numbered = args.iter().enumerate();
                        found.extend(numbered.map(|(i, a)| (adt, Name::from(i.to_string()), *a)));
                    }
                }
                _ => {}
            }
            true
        });
        for (adt, name, value) in found {
            self.fields.entry((adt, name)).or_default().push((body, value));
        }
    }
}

impl BodyIndex {
    pub fn build(program: &Program, body: BodyId, types: &BodyTypes) -> BodyIndex {
        let mut index = BodyIndex::default();
        let tree = program.tree_of(body);
        if let BodyId::Fn(f) = body {
            let function = program.function(f);
            let shift = u16::from(function.receiver.is_some());
            for (i, (pat, _)) in function.params.iter().enumerate() {
                index.bind(tree, *pat, Source::Param(i as u16 + shift), None);
            }
        }
        if let Some(start) = root(program, body) {
            walk::each(tree, start, &mut |e| {
                index.add(tree, types, e);
                true
            });
        }
        index
    }

    fn add(&mut self, tree: &RustFile, types: &BodyTypes, e: ExprId) {
        let kind = &tree.expr(e).kind;
        for_each_child(tree, e, &mut |child| {
            self.parents.insert(child, e);
        });
        match kind {
            ExprKind::Block(block) => {
                for stmt in &block.stmts {
                    if let Stmt::Let { pat, value, .. } = stmt {
                        self.bind(tree, *pat, Source::Let(*value), Some(e));
                    }
                }
            }
            ExprKind::Let { pat, value } => self.bind(tree, *pat, Source::Matched(*value), Some(e)),
            ExprKind::Match { value, arms } => {
                arms.iter().for_each(|arm| self.bind(tree, arm.pat, Source::Matched(*value), Some(arm.body)));
            }
            ExprKind::For { pat, .. } => self.bind(tree, *pat, Source::For(e), Some(e)),
            ExprKind::Closure { params, .. } => {
                for (i, (pat, _)) in params.iter().enumerate() {
                    self.bind(tree, *pat, Source::ClosureParam(e, i), Some(e));
                }
            }
            ExprKind::Macro(call) => self.bind_selected(tree, &call.args),
            ExprKind::Assign { to, value } => self.change(tree, types, *to, Change::Assign(e, *value)),
            ExprKind::OpAssign { op, to, value } => self.change(tree, types, *to, Change::Op(e, *op, *value)),
            // The tree does not tell `&` from `&mut`: only a call that is handed the reference can change it, and only
            // a mutable local can be lent so.
            ExprKind::Ref(inner) => {
                if let Some(cell) = cell(tree, types, *inner)
                    && cell.root.is_some_and(|p| is_mutable(tree, p))
                {
                    self.changes.entry(cell).or_default().push(Change::Lent(e));
                }
            }
            _ => {}
        }
    }

    /// The arms of a `select!` bind what their futures give.
    fn bind_selected(&mut self, tree: &RustFile, args: &MacroArgs) {
        let MacroArgs::Select(arms) = args else { return };
        for arm in arms {
            if let (Some(pat), Some(future)) = (arm.pat, arm.future) {
                self.bind(tree, pat, Source::Matched(future), Some(arm.body));
            }
        }
    }

    fn bind(&mut self, tree: &RustFile, pat: PatId, source: Source, scope: Option<ExprId>) {
        let mut stack = vec![(pat, Vec::new())];
        while let Some((pat, parts)) = stack.pop() {
            if let PatKind::Ident { .. } = tree.pat(pat).kind {
                let binding = Binding { source: source.clone(), parts: parts.clone(), scope };
                self.bindings.insert(pat, binding);
            }
            for (part, inner) in walk::parts(tree, pat) {
                let mut all = parts.clone();
                if part != Part::Same {
                    all.push(part);
                }
                stack.push((inner, all));
            }
        }
    }

    fn change(&mut self, tree: &RustFile, types: &BodyTypes, to: ExprId, change: Change) {
        if let Some(cell) = cell(tree, types, to) {
            if !cell.fields.is_empty() {
                *self.parts_change.entry(cell.root).or_default() += 1;
            }
            self.changes.entry(cell).or_default().push(change);
        }
    }

    /// Whether `e` is `outer` or stands inside it.
    pub fn inside(&self, e: ExprId, outer: ExprId) -> bool {
        let mut at = Some(e);
        while let Some(e) = at {
            if e == outer {
                return true;
            }
            at = self.parents.get(&e).copied();
        }
        false
    }
}

pub fn is_mutable(tree: &RustFile, pat: PatId) -> bool {
    matches!(tree.pat(pat).kind, PatKind::Ident { mutable: true, .. })
}

/// The local or field that an expression names: `n`, `self.left`, `(*state).left`.
pub fn cell(tree: &RustFile, types: &BodyTypes, e: ExprId) -> Option<Cell> {
    let mut fields = Vec::new();
    let mut at = e;
    loop {
        match &tree.expr(at).kind {
            ExprKind::Field { base, name } => {
                fields.push(name.clone());
                at = *base;
            }
            ExprKind::Unary(crate::frontend::rust::tree::UnaryOp::Deref, inner) | ExprKind::Ref(inner) => at = *inner,
            ExprKind::Path(path) => {
                fields.reverse();
                return match types.locals.get(&at) {
                    Some(pat) => Some(Cell { root: Some(*pat), fields }),
                    None if types.self_paths.contains(&at) || path.single().is_some_and(|n| *n == "self") => {
                        Some(Cell { root: None, fields })
                    }
                    None => None,
                };
            }
            _ => return None,
        }
    }
}
