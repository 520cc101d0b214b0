//! From lowered files to the tables of a program: which module holds which name, what a path means, which type has which
//! methods. Everything is built once and only read afterwards, so that bodies can be looked at in parallel.

mod items;
mod place;
mod prelude;
mod scope;
mod shape;
mod sigs;
mod tables;
pub(super) mod types;
mod uses;
mod visit;

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

pub use prelude::primitive;
pub use scope::{Def, Guess, Ns, Scope};
pub use tables::{Key, key};
pub use visit::for_each_child;

use super::program::{AdtId, ConstId, Crate, FnId, LoweredFile, ModId, Program, TraitId, TraitRef, Ty};
use super::tree::{ExprId, TypeId};
use crate::name::Name;
use crate::source::Sources;

/// Read-only look-up tables beside [`Program`].
#[derive(Debug, Default)]
pub struct Index {
    /// By `ModId`.
    pub(super) scopes: Vec<Scope>,
    /// The root module of each crate.
    pub(super) roots: Vec<ModId>,
    /// What a crate name means, by crate.
    pub(super) externs: Vec<FxHashMap<Name, Def>>,
    /// Blocks with items have a module of their own.
    pub(super) blocks: FxHashMap<(usize, ExprId), ModId>,
    pub(super) aliases: Vec<AliasDef>,
    pub(super) impls: Vec<ImplDef>,
    /// By `TraitId`.
    pub(super) traits: Vec<TraitData>,
    /// What a function or constant stands in, by `FnId` and `ConstId`.
    pub(super) fn_homes: Vec<Home>,
    pub(super) consts: Vec<ConstData>,
    pub(super) variants: FxHashMap<(AdtId, Name), u32>,
    pub(super) enums: Vec<bool>,
    /// `macro_rules` of the tree by name, with the path.
    pub(super) macros: FxHashMap<Name, Name>,
    pub(super) tables: tables::Tables,
    /// Filled on first use; a signature depends on nothing but the tables and the models of the run.
    pub(super) sigs: Vec<OnceLock<types::Sig>>,
    pub(super) fields: Vec<OnceLock<Vec<types::VariantTypes>>>,
    pub(super) model_types: OnceLock<FxHashMap<Name, Ty>>,
}

/// What an associated item stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    Module,
    Impl(u32),
    Trait(TraitId),
}

#[derive(Debug)]
pub struct AliasDef {
    pub file: usize,
    pub module: ModId,
    pub params: Vec<Name>,
    pub ty: Option<TypeId>,
}

#[derive(Debug)]
pub struct ConstData {
    pub home: Home,
    pub ty: Option<TypeId>,
    pub name: Name,
}

#[derive(Debug)]
pub struct ImplDef {
    pub file: usize,
    /// Index into that file's `impls`.
    pub decl: u32,
    pub module: ModId,
    pub fns: Vec<(Name, FnId)>,
    pub consts: Vec<(Name, ConstId)>,
    pub assoc: Vec<(Name, TypeId)>,
    pub of: Option<TraitRef>,
    pub of_args: Vec<Ty>,
    /// With parameters of the impl as `Ty::Param`.
    pub for_type: Ty,
}

#[derive(Debug, Default)]
pub struct TraitData {
    pub fns: FxHashMap<Name, FnId>,
    pub consts: Vec<(Name, ConstId)>,
    pub supers: Vec<TraitRef>,
    /// Associated types with their bounds.
    pub assoc: Vec<(Name, Vec<TypeId>)>,
}

/// Places the files, resolves imports and builds the tables. A file that two crates reach is placed once, in the first
/// of them (libraries before binaries), and the other crate's `mod` names the same module: its functions are looked at
/// once, and `crate` inside means the crate that offers them.
pub fn build(files: Vec<LoweredFile>, crates: Vec<Crate>, sources: &Sources, tests: bool) -> (Program, Index) {
    let placed = place::place(&files, crates, sources, tests);
    let (mut program, mut index) = (placed.program, placed.index);
    uses::resolve_imports(&mut index, placed.imports);
    let reached = placed.reached;
    program.files = files;
    for (file, reached) in program.files.iter_mut().zip(reached) {
        // Nobody reads a file that no `mod` names; its tree is given back.
        if !reached {
            file.tree = Default::default();
        }
    }
    tables::build(&mut program, &mut index);
    index.sigs = program.fns.iter().map(|_| OnceLock::new()).collect();
    index.fields = program.adts.iter().map(|_| OnceLock::new()).collect();
    (program, index)
}

/// Whether a primitive is a number.
pub fn is_number(name: &str) -> bool {
    primitive(name).is_some() && !matches!(name, "bool" | "char" | "str")
}

impl Index {
    pub fn scope(&self, module: ModId) -> &Scope {
        &self.scopes[module.0 as usize]
    }

    /// The module in which the items of a block stand, if it has any.
    pub fn block(&self, file: usize, block: ExprId) -> Option<ModId> {
        self.blocks.get(&(file, block)).copied()
    }
}

#[cfg(test)]
pub(super) mod tests;
