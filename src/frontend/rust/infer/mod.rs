//! Types of expressions, good enough to find what a call leads to: one walk per body, the expected type goes down and
//! the type comes up. Not a type checker: what it does not know is unknown, and a wrong program gives some answer.

mod calls;
mod control;
mod exprs;
mod foreign;
mod macros;
mod methods;
mod paths;
mod pats;
mod std_table;
mod text;

use rustc_hash::FxHashMap;

use super::names::types::{Subst, Written, size};
use super::names::{Home, Index};
use super::program::{BodyId, BodyTypes, FnId, ModId, Program, Target, TraitRef, Ty};
use super::tree::{ExprId, PatId, RustFile, TypeId};
use crate::model::Models;
use crate::name::Name;

/// Types larger than this are given up: nested tuples and closures could double with every line.
const LARGEST: u32 = 200;

/// The error that stands for every kind of failure of the operating system, permanent ones among them.
pub const IO_ERROR: &str = "std::io::Error";

/// Of the text of a body, for one expression with a type.
const BYTES_PER_TYPE: usize = 40;

/// Looks at one body. Reads only, so bodies can be looked at in parallel.
pub fn infer(program: &Program, index: &Index, models: &Models, body: BodyId) -> BodyTypes {
    let mut walk = Walk::new(program, index, models, body);
    match body {
        BodyId::Fn(id) => walk.function(id),
        BodyId::Const(id) => {
            let want = walk.const_ty(id);
            if let Some(value) = program.consts[id.0 as usize].value {
                walk.expr(value, &want);
            }
        }
    }
    walk.out
}

struct Walk<'a> {
    program: &'a Program,
    index: &'a Index,
    models: &'a Models,
    file: usize,
    tree: &'a RustFile,
    /// The module whose names are seen; that of a block inside blocks with items.
    module: ModId,
    written: Written<'a>,
    /// The body's own generic parameters, as far as their bounds tell.
    own: Subst,
    self_ty: Ty,
    /// What names mean here, innermost last, and the order in which they came.
    locals: FxHashMap<Name, Vec<PatId>>,
    trail: Vec<Name>,
    /// The result type of the function or closure around.
    result: Ty,
    /// What `return` and `break` gave.
    returned: Ty,
    broken: Ty,
    out: BodyTypes,
}

impl<'a> Walk<'a> {
    fn new(program: &'a Program, index: &'a Index, models: &'a Models, body: BodyId) -> Walk<'a> {
        let file = program.file_of(body);
        let (module, home) = match body {
            BodyId::Fn(id) => (program.def(id).module, index.home(id)),
            BodyId::Const(id) => (program.consts[id.0 as usize].module, index.consts[id.0 as usize].home),
        };
        let mut written = Written::new(program, index, Some(models), file, module).at_home(home);
        if let BodyId::Fn(id) = body {
            written = written.with_params(&program.function(id).generics);
        }
        let own = match body {
            BodyId::Fn(id) => own_types(index, program, models, id, &written),
            BodyId::Const(_) => Subst::new(),
        };
        let self_ty = written.self_ty.clone().unwrap_or(Ty::Unknown);
        let self_ty = written.subst(&self_ty, &own);
        Walk {
            program,
            index,
            models,
            file,
            tree: program.tree(file),
            module,
            written,
            own,
            self_ty,
            locals: FxHashMap::default(),
            trail: Vec::new(),
            result: Ty::Unknown,
            returned: Ty::Unknown,
            broken: Ty::Unknown,
            out: BodyTypes::default(),
        }
    }

    fn function(&mut self, id: FnId) {
        let sig = self.index.sig(self.program, self.models, id);
        let function = self.program.function(id);
        for ((pat, _), ty) in function.params.iter().zip(&sig.params) {
            let ty = self.put(ty);
            self.pat(*pat, &ty);
        }
        self.result = self.put(&sig.result);
        if let Some(body) = function.body {
            let at = self.tree.expr(body).at;
            self.out.types.reserve((at.end - at.start) as usize / BYTES_PER_TYPE);
            let want = self.result.clone();
            self.expr(body, &want);
        }
    }

    /// A signature's type as the body sees it.
    fn put(&self, ty: &Ty) -> Ty {
        self.written.subst(ty, &self.own)
    }

    fn subst(&self, ty: &Ty, subst: &Subst) -> Ty {
        self.written.subst(ty, subst)
    }

    /// A type written in the body.
    fn written(&self, id: TypeId) -> Ty {
        self.put(&self.written.fresh().ty(id))
    }

    fn record(&mut self, id: ExprId, ty: Ty) -> Ty {
        let ty = limited(ty);
        if ty != Ty::Unknown {
            self.out.types.insert(id, ty.clone());
        }
        ty
    }

    fn target(&mut self, id: ExprId, target: Target) {
        match &target {
            Target::Fns(..) => {
                self.out.calls += 1;
                self.out.calls_resolved += 1;
            }
            Target::Many(_) | Target::Unknown(_) => self.out.calls += 1,
            _ => {}
        }
        self.out.targets.insert(id, target);
    }

    // ---- names of the body

    fn bind(&mut self, name: &Name, pat: PatId) {
        self.locals.entry(name.clone()).or_default().push(pat);
        self.trail.push(name.clone());
    }

    fn local(&self, name: &str) -> Option<PatId> {
        self.locals.get(name)?.last().copied()
    }

    /// Forgets the names bound since `mark`.
    fn leave(&mut self, mark: usize) {
        for name in self.trail.drain(mark..) {
            if let Some(pats) = self.locals.get_mut(&name) {
                pats.pop();
            }
        }
    }

    fn enter_module(&mut self, module: ModId) -> ModId {
        self.written.module = module;
        std::mem::replace(&mut self.module, module)
    }

    fn const_ty(&self, id: super::program::ConstId) -> Ty {
        let (def, data) = (&self.program.consts[id.0 as usize], &self.index.consts[id.0 as usize]);
        let Some(ty) = data.ty else {
            return Ty::Unknown;
        };
        let at = Written::new(self.program, self.index, Some(self.models), def.file, def.module);
        let found = at.at_home(data.home).ty(ty);
        self.subst(&found, &self.own)
    }
}

/// What the bounds of a function's own parameters say about them. `F: Fn() -> Fut` needs `Fut` first, so the bounds are
/// gone through more than once.
fn own_types(index: &Index, program: &Program, models: &Models, id: FnId, at: &Written<'_>) -> Subst {
    let sig = index.sig(program, models, id);
    let mut own: Subst = Vec::new();
    for name in &sig.generics {
        own.push((name.clone(), Ty::Bound(Vec::new())));
    }
    for _ in 0..3 {
        for (of, bound) in &sig.bounds {
            if let Ty::Param(name) = of {
                let ty = limited(at.subst(bound, &own));
                set(&mut own, name, ty);
            }
        }
    }
    if let Home::Trait(id) = at.home {
        set(&mut own, &"Self".into(), Ty::Bound(vec![TraitRef::Tree(id)]));
    }
    own
}

/// Traits add up; anything that tells more replaces them.
fn set(own: &mut Subst, name: &Name, ty: Ty) {
    match own.iter_mut().find(|(n, _)| n == name) {
        None => own.push((name.clone(), ty)),
        Some((_, old)) => match (old, ty) {
            (Ty::Bound(traits), Ty::Bound(more)) => {
                for found in more {
                    if !traits.contains(&found) {
                        traits.push(found);
                    }
                }
            }
            (_, Ty::Bound(_)) => {}
            (old, ty) => *old = ty,
        },
    }
}

fn limited(ty: Ty) -> Ty {
    if size(&ty, LARGEST) >= LARGEST { Ty::Unknown } else { ty }
}

fn unit() -> Ty {
    Ty::Tuple(Vec::new())
}

fn is_open(ty: &Ty) -> bool {
    matches!(ty, Ty::Unknown | Ty::Never)
}

/// Two views of one type: the holes of the first are filled from the second.
fn merge(a: &Ty, b: &Ty) -> Ty {
    let all = |xs: &[Ty], ys: &[Ty]| -> Vec<Ty> {
        let holes = ys.iter().skip(xs.len()).cloned();
        xs.iter().enumerate().map(|(i, x)| ys.get(i).map_or_else(|| x.clone(), |y| merge(x, y))).chain(holes).collect()
    };
    match (a, b) {
        (a, b) if is_open(a) => b.clone(),
        (Ty::Adt(i, xs), Ty::Adt(j, ys)) if i == j => Ty::Adt(*i, all(xs, ys)),
        (Ty::Foreign(p, xs), Ty::Foreign(q, ys)) if p == q => Ty::Foreign(p.clone(), all(xs, ys)),
        (Ty::Tuple(xs), Ty::Tuple(ys)) if xs.len() == ys.len() => Ty::Tuple(all(xs, ys)),
        (Ty::ForeignValue(_), Ty::Adt(..) | Ty::Foreign(..) | Ty::Bound(_) | Ty::Fn(..)) => b.clone(),
        _ => a.clone(),
    }
}

#[cfg(test)]
mod tests;
