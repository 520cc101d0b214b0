//! The whole Rust program as tables: crates, modules, functions, types. Filled by `names`, read by everything after it.

use rustc_hash::FxHashMap;

use super::id_map::{IdMap, IdSet};
use super::tree::{AdtDecl, At, Attrs, ExprId, Function, PatId, RustFile};
use crate::name::Name;
use crate::source::{FileId, Span};

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct FnId(pub u32);
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct AdtId(pub u32);
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct TraitId(pub u32);
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ConstId(pub u32);
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ModId(pub u32);
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct CrateId(pub u32);

/// A body of code: a function's, or the expression of a constant or static.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum BodyId {
    Fn(FnId),
    Const(ConstId),
}

/// A lowered file and where it stands.
#[derive(Debug)]
pub struct LoweredFile {
    pub file: FileId,
    pub tree: RustFile,
}

#[derive(Debug, Clone)]
pub struct Crate {
    /// The name in code, `_` for `-`.
    pub name: Name,
    pub package: Name,
    pub kind: CrateKind,
    pub root: FileId,
    /// The package's folder, `` for the working directory.
    pub root_dir: Name,
    /// What `use NAME::` means: another crate of the tree, or a foreign package with its code name.
    pub dependencies: FxHashMap<Name, DependencyOf>,
    /// Looked at for operations (not an example, test or bench).
    pub edition2015: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DependencyOf {
    Tree(CrateId),
    /// The real package name with `_` for `-`, and its version: from Cargo.lock, else the requirement as written.
    Foreign {
        name: Name,
        version: Option<Name>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrateKind {
    Lib,
    Bin,
    /// examples, tests, benches: only with tests = true.
    Other,
}

#[derive(Debug)]
pub struct FnDef {
    /// `crate_name::module::Type::name`; for trait impls `crate::module::Type::name` too.
    pub path: Name,
    pub name: Name,
    /// Index into [`Program::files`].
    pub file: usize,
    pub module: ModId,
    pub krate: CrateId,
    pub owner: Owner,
    pub public: bool,
    pub test: bool,
    /// Index into that file's `functions`.
    pub decl: u32,
    pub attrs: Attrs,
    /// Attributes of the impl that it stands in, as in [`Attrs::others`].
    pub of_impl: Vec<(Name, Name)>,
    /// Where the item stands in its file.
    pub at: At,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Owner {
    None,
    /// An inherent impl.
    Inherent(Ty),
    /// An impl of a trait; the path of a foreign trait.
    Impl {
        of: TraitRef,
        for_type: Ty,
    },
    /// A trait's own function.
    Trait(TraitId),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TraitRef {
    Tree(TraitId),
    Foreign(Name),
}

/// The type of an expression, as far as known. `&`, `Box`, `Arc`, `Rc`, `Pin`, `Cow`, guards and futures are peeled.
#[derive(Debug, Clone, PartialEq)]
pub enum Ty {
    Adt(AdtId, Vec<Ty>),
    /// A foreign type by its canonical path (`reqwest::Client`, `core::option::Option` is `Option`, `Result`, `Vec`, ...).
    Foreign(Name, Vec<Ty>),
    Tuple(Vec<Ty>),
    /// A closure or function: parameters and result.
    Fn(Vec<Ty>, Box<Ty>),
    /// A generic parameter with its bounds, `dyn` and `impl`.
    Bound(Vec<TraitRef>),
    Never,
    /// A generic parameter inside a signature or a type's fields. Never in [`BodyTypes`], where it is bound or a `Bound`.
    Param(Name),
    /// `T::Name` inside a signature.
    Assoc(Box<Ty>, Name),
    /// Made by foreign code; the path of the function that made it.
    ForeignValue(Name),
    Unknown,
}

/// Where a call leads.
#[derive(Debug, Clone, PartialEq)]
pub enum Target {
    /// 1 to 10 functions of the tree; more than one only through a trait, whose name is given.
    Fns(Vec<FnId>, Option<Name>),
    /// A trait with more than ten implementations, or more candidates than that.
    Many(usize),
    /// A foreign function or method by canonical path: `tokio::time::sleep`, `reqwest::Client::get`.
    Foreign(Name),
    /// A local variable, parameter or field that is callable.
    Callable,
    /// A tuple struct or variant (`Ok`, `Error::Http`): its path.
    Constructor(Name),
    /// Not known, with the reason.
    Unknown(&'static str),
}

/// What inference found out about one body.
#[derive(Debug, Default)]
pub struct BodyTypes {
    pub types: IdMap<ExprId, Ty>,
    /// Calls and method calls; also paths that name functions and are used as values.
    pub targets: IdMap<ExprId, Target>,
    /// A path expression (and a format capture's macro) that names a local: the `PatId` of the identifier pattern that binds it.
    pub locals: IdMap<ExprId, PatId>,
    /// A path expression that names a constant or static of the tree.
    pub consts: IdMap<ExprId, ConstId>,
    /// The canonical path of a path expression or path pattern that names something else: `reqwest::StatusCode::CONFLICT`,
    /// `crate_name::TxError::Taken`.
    pub paths: IdMap<ExprId, Name>,
    pub pat_paths: IdMap<PatId, Name>,
    /// Types of bindings.
    pub pat_types: IdMap<PatId, Ty>,
    /// The canonical path of a struct literal.
    pub struct_paths: IdMap<ExprId, Name>,
    /// The canonical path of a macro that is called.
    pub macros: IdMap<ExprId, Name>,
    /// Expressions that name the receiver `self`.
    pub self_paths: IdSet<ExprId>,
    /// Format macros: the locals named inside the text (`"{host}"`), in order.
    pub captures: IdMap<ExprId, Vec<PatId>>,
    /// Calls that lead into the tree or nowhere known.
    pub calls: u64,
    /// Those of them that lead to at most ten targets.
    pub calls_resolved: u64,
}

#[derive(Debug)]
pub struct Adt {
    /// `crate_name::module::Type`.
    pub path: Name,
    pub name: Name,
    pub file: usize,
    pub module: ModId,
    pub krate: CrateId,
    /// Index into that file's `adts`.
    pub decl: u32,
    pub attrs: Attrs,
}

#[derive(Debug)]
pub struct TraitDef {
    pub path: Name,
    pub name: Name,
    pub file: usize,
    pub module: ModId,
    pub krate: CrateId,
    /// Index into that file's `traits`.
    pub decl: u32,
    pub attrs: Attrs,
}

#[derive(Debug)]
pub struct ConstDef {
    pub path: Name,
    pub file: usize,
    pub module: ModId,
    pub krate: CrateId,
    pub value: Option<ExprId>,
}

#[derive(Debug)]
pub struct Module {
    pub path: Name,
    pub krate: CrateId,
    pub parent: Option<ModId>,
    /// Names of this module may be generated by a build script.
    pub generated: bool,
}

#[derive(Debug, Default)]
pub struct Program {
    pub files: Vec<LoweredFile>,
    pub crates: Vec<Crate>,
    pub modules: Vec<Module>,
    pub fns: Vec<FnDef>,
    pub adts: Vec<Adt>,
    pub traits: Vec<TraitDef>,
    pub consts: Vec<ConstDef>,
}

impl Program {
    pub fn tree(&self, file: usize) -> &RustFile {
        &self.files[file].tree
    }

    pub fn def(&self, id: FnId) -> &FnDef {
        &self.fns[id.0 as usize]
    }

    pub fn function(&self, id: FnId) -> &Function {
        let def = self.def(id);
        &self.files[def.file].tree.functions[def.decl as usize]
    }

    pub fn adt(&self, id: AdtId) -> &Adt {
        &self.adts[id.0 as usize]
    }

    pub fn adt_decl(&self, id: AdtId) -> &AdtDecl {
        let adt = self.adt(id);
        &self.files[adt.file].tree.adts[adt.decl as usize]
    }

    /// The file in which a body stands, as an index into `files`.
    pub fn file_of(&self, body: BodyId) -> usize {
        match body {
            BodyId::Fn(id) => self.def(id).file,
            BodyId::Const(id) => self.consts[id.0 as usize].file,
        }
    }

    /// The tree in which a body's expressions are numbered.
    pub fn tree_of(&self, body: BodyId) -> &RustFile {
        self.tree(self.file_of(body))
    }

    /// A place of a body's file as a span.
    pub fn span(&self, body: BodyId, at: At) -> Span {
        Span::new(self.files[self.file_of(body)].file, at.start, at.end)
    }
}
