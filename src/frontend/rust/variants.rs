//! What the variants of the tree's own error types are made from: a pattern on a variant is a pattern on those endings.
//!
//! A variant that wraps another error (`From`, `#[from]`, `map_err(Error::Http)`, an arm that caught one) can be any
//! failure of a remote call. One that is made under a test of a status stands for the classes of that status. One that
//! is made out of nothing is a failure of the program's own.

use rustc_hash::FxHashMap;

use super::names::for_each_child;
use super::pats;
use super::program::{BodyId, BodyTypes, Owner, Program, Target, TraitRef};
use super::tree::{ExprId, ExprKind, Lit, RustFile};
use crate::class::{Ending, Endings, FailureClass};
use crate::model::{Does, Models, Role};
use crate::name::{Name, split_last};

/// The endings under which a value can be a variant, and can be another.
pub type Sides = (Endings, Endings);

/// Sides by the canonical path of the variant. One of which nobody is seen to make says nothing (derives make such).
pub fn variants(program: &Program, bodies: &FxHashMap<BodyId, BodyTypes>, models: &Models) -> FxHashMap<Name, Sides> {
    let mut found: FxHashMap<Name, Endings> = FxHashMap::default();
    declared(program, &mut found);
    for (body, types) in bodies {
        let BodyId::Fn(id) = body else { continue };
        let Some(root) = program.function(*id).body else { continue };
        if !makes_any(types, &found) {
            continue;
        }
        let converts = matches!(&program.def(*id).owner, Owner::Impl { of: TraitRef::Foreign(name), .. } if matches!(&**name, "From" | "std::convert::From"));
        let mut walk = Walk { tree: program.tree_of(*body), types, models, found: &mut found };
        walk.go(root, if converts { Some(wrapped()) } else { None });
    }
    sides(&found)
}

/// What two variants of one type are both made from leads to either.
fn sides(made: &FxHashMap<Name, Endings>) -> FxHashMap<Name, Sides> {
    let mut of_type: FxHashMap<&str, Vec<(&Name, Endings)>> = FxHashMap::default();
    for (path, set) in made {
        let owner = path.rsplit_once("::").map_or("", |(owner, _)| owner);
        of_type.entry(owner).or_default().push((path, *set));
    }
    let mut all = FxHashMap::default();
    for variants in of_type.values() {
        for (path, set) in variants.iter().filter(|(_, set)| !set.is_empty()) {
            let rest = variants.iter().filter(|(other, _)| other != path);
            let shared = rest.fold(Endings::NONE, |all, (_, set)| all | *set);
            all.insert((*path).clone(), (*set, Endings::ALL.without(set.without(shared))));
        }
    }
    all
}

/// Whether a body names any of the variants: few do, and only those are walked.
fn makes_any(types: &BodyTypes, of: &FxHashMap<Name, Endings>) -> bool {
    let constructs = |target: &Target| matches!(target, Target::Constructor(path) if of.contains_key(path));
    types.targets.values().any(constructs)
        || types.struct_paths.values().chain(types.paths.values()).any(|path| of.contains_key(path))
}

/// Variants with a field marked `#[from]` wrap.
fn declared(program: &Program, found: &mut FxHashMap<Name, Endings>) {
    for adt in &program.adts {
        let decl = &program.tree(adt.file).adts[adt.decl as usize];
        for variant in decl.variants.iter().filter(|_| decl.is_enum) {
            let path = Name::from(format!("{}::{}", adt.path, variant.name));
            let from = variant.fields.iter().any(|f| f.attrs.others.iter().any(|(name, _)| &**name == "from"));
            let set = if from { wrapped() } else { Endings::NONE };
            *found.entry(path).or_default() |= set;
        }
    }
}

/// Whatever a remote call can fail with.
fn wrapped() -> Endings {
    Endings::FAILURES.without(Endings::one(Ending::Status(FailureClass::Application)))
}

struct Walk<'a> {
    tree: &'a RustFile,
    types: &'a BodyTypes,
    models: &'a Models,
    found: &'a mut FxHashMap<Name, Endings>,
}

impl Walk<'_> {
    /// `context`: what is known to have failed around here.
    fn go(&mut self, e: ExprId, context: Option<Endings>) {
        stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || self.inside(e, context));
    }

    fn inside(&mut self, e: ExprId, context: Option<Endings>) {
        let tree = self.tree;
        match &tree.expr(e).kind {
            ExprKind::Call { args, .. } => {
                if let Some(Target::Constructor(path)) = self.types.targets.get(&e) {
                    let wraps = args.iter().any(|a| self.holds_error(*a));
                    self.made(&path.clone(), if wraps { Some(context.unwrap_or_else(wrapped)) } else { context });
                }
            }
            ExprKind::Struct { fields, .. } => {
                if let Some(path) = self.types.struct_paths.get(&e) {
                    let wraps = fields.iter().any(|(_, a)| self.holds_error(*a));
                    self.made(&path.clone(), if wraps { Some(context.unwrap_or_else(wrapped)) } else { context });
                }
            }
            ExprKind::Path(_) => {
                if let Some(path) = self.types.paths.get(&e) {
                    self.made(&path.clone(), context);
                }
                if let Some(Target::Constructor(path)) = self.types.targets.get(&e) {
                    self.made(&path.clone(), Some(context.unwrap_or_else(wrapped)));
                }
            }
            ExprKind::If { cond, then, otherwise } => {
                self.go(*cond, context);
                let classes = self.classes_in(*cond);
                self.go(*then, classes.or(context));
                if let Some(otherwise) = otherwise {
                    self.go(*otherwise, classes.map(|c| wrapped().without(c)).or(context));
                }
                return;
            }
            ExprKind::Match { value, arms } => {
                self.go(*value, context);
                for arm in arms {
                    let fails = self.types.pat_paths.get(&arm.pat).is_some_and(|p| &**p == "Err");
                    let inner = if fails { Some(context.unwrap_or_else(wrapped)) } else { context };
                    arm.guard.iter().for_each(|g| self.go(*g, inner));
                    self.go(arm.body, inner);
                }
                return;
            }
            ExprKind::Method { receiver, name, args, .. } if matches!(&**name, "map_err" | "or_else") => {
                self.go(*receiver, context);
                args.iter().for_each(|a| self.go(*a, Some(context.unwrap_or_else(wrapped))));
                return;
            }
            _ => {}
        }
        for_each_child(tree, e, &mut |c| self.go(c, context));
    }

    fn made(&mut self, path: &Name, context: Option<Endings>) {
        if let Some(set) = self.found.get_mut(path) {
            let application = Endings::of_classes([FailureClass::Application]);
            *set |= context.unwrap_or(application);
        }
    }

    /// An argument that is an error of somebody else, or the status of an answer: by its type, or by what made it.
    fn holds_error(&self, e: ExprId) -> bool {
        use super::program::Ty;
        let told = match self.types.types.get(&pats::root(self.tree, e)) {
            Some(Ty::Foreign(name, _)) => {
                self.models.type_model(name).is_some_and(|m| matches!(m.role, Role::Error | Role::Status))
            }
            _ => false,
        };
        told || self.reads_status(e)
    }

    /// `answer.status().as_u16()`
    fn reads_status(&self, e: ExprId) -> bool {
        let mut open = Some(e);
        while let Some(e) = open {
            if let Some(Target::Foreign(path)) = self.types.targets.get(&e)
                && matches!(self.models.function(path).and_then(|f| f.does.as_ref()), Some(Does::Status))
            {
                return true;
            }
            open = match &self.tree.expr(e).kind {
                ExprKind::Method { receiver, .. } => Some(*receiver),
                ExprKind::Cast { value, .. } | ExprKind::Ref(value) => Some(*value),
                _ => None,
            };
        }
        false
    }

    /// The classes of the statuses that a condition compares with, if it does.
    fn classes_in(&self, cond: ExprId) -> Option<Endings> {
        let mut open = vec![cond];
        let mut all = Endings::NONE;
        while let Some(e) = open.pop() {
            if let Some(path) = self.types.paths.get(&e)
                && let Some((owner, name)) = split_last(path)
                && let Some(class) = self.models.type_model(owner).and_then(|m| m.constants.get(name))
                && let Some(class) = FailureClass::from_name(class)
            {
                all |= Endings::of_classes([class]);
            }
            if let ExprKind::Lit(Lit::Int(n, _)) = &self.tree.expr(e).kind
                && (400..600).contains(n)
                && let Some(class) = FailureClass::of_status(*n as u16)
            {
                all |= Endings::of_classes([class]);
            }
            pats::push_children(self.tree, e, &mut open);
        }
        (!all.is_empty()).then_some(all)
    }
}
