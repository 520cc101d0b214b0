//! Programs of a few files, placed and resolved.

use super::*;
use crate::frontend::rust::lower::lower;
use crate::frontend::rust::program::{CrateId, CrateKind, DependencyOf};
use crate::source::SourceFile;

/// Name, kind, root file, dependencies.
type Root<'a> = (&'a str, CrateKind, &'a str, &'a [(&'a str, DependencyOf)]);

/// Builds a program from files; every `Cargo`-less crate root is named with its kind and what it depends on.
pub fn program(files: &[(&str, &str)], roots: &[Root<'_>]) -> (Program, Index) {
    let sources = Sources::new(files.iter().map(|(p, t)| SourceFile::new(*p, *t)).collect());
    let lowered = sources.iter().map(|(file, f)| LoweredFile { file, tree: lower(&f.text) });
    let lowered = lowered.collect();
    let crates = roots.iter().map(|(name, kind, root, deps)| Crate {
        root_dir: "".into(),
        name: (*name).into(),
        package: (*name).into(),
        kind: *kind,
        root: sources.find(root).expect("the root is one of the files"),
        dependencies: deps.iter().map(|(n, d)| ((*n).into(), d.clone())).collect(),
        edition2015: false,
    });
    build(lowered, crates.collect(), &sources, false)
}

pub fn one_crate(files: &[(&str, &str)]) -> (Program, Index) {
    program(files, &[("app", CrateKind::Lib, "src/lib.rs", &[])])
}

fn paths(program: &Program) -> Vec<&str> {
    let mut all: Vec<&str> = program.fns.iter().map(|f| f.path.as_str()).collect();
    all.sort_unstable();
    all
}

fn value(index: &Index, module: u32, path: &str) -> Option<Def> {
    let names: Vec<Name> = path.split("::").map(Name::new).collect();
    let (def, taken) = index.resolve(ModId(module), &names, Ns::Values, Guess::Foreign)?;
    (taken == names.len()).then_some(def)
}

#[test]
fn modules_are_placed_by_name_folder_path_and_include() {
    let (program, _) = one_crate(&[
        ("src/lib.rs", "mod a; mod b; #[path = \"odd/x.rs\"] mod c; mod d { mod e; } include!(\"gen.rs\");"),
        ("src/a.rs", "pub fn f() {} mod inner;"),
        ("src/a/inner.rs", "pub fn f() {}"),
        ("src/b/mod.rs", "pub fn f() {} mod deep;"),
        ("src/b/deep.rs", "pub fn f() {}"),
        ("src/odd/x.rs", "pub fn f() {} mod near;"),
        ("src/odd/near.rs", "pub fn f() {}"),
        ("src/d/e.rs", "pub fn f() {}"),
        ("src/gen.rs", "pub fn made() {}"),
        ("src/orphan.rs", "pub fn f() {}"),
    ]);
    let expected = [
        "app::a::f",
        "app::a::inner::f",
        "app::b::deep::f",
        "app::b::f",
        "app::c::f",
        "app::c::near::f",
        "app::d::e::f",
        "app::made",
    ];
    assert_eq!(paths(&program), expected);
}

#[test]
fn tests_are_left_out_and_a_shared_file_is_placed_once() {
    let main = ("src/main.rs", "mod a; fn main() { a::f(); app::a::f(); }");
    let lib = ("src/lib.rs", "pub mod a; #[cfg(test)] mod tests { fn t() {} } #[test] fn u() {}");
    let files = [main, lib, ("src/a.rs", "pub fn f() {}")];
    let (program, index) =
        program(&files, &[("app", CrateKind::Bin, "src/main.rs", &[]), ("app", CrateKind::Lib, "src/lib.rs", &[])]);
    assert_eq!(paths(&program), ["app::a::f", "app::main"]);
    let bin = index.roots[0].0;
    assert_eq!(value(&index, bin, "a::f"), value(&index, bin, "app::a::f"));
    assert!(value(&index, bin, "a::f").is_some());
}

#[test]
fn imports_go_through_renames_globs_and_re_exports() {
    let (program, index) = one_crate(&[(
        "src/lib.rs",
        "pub use a::*; use b::deep as shallow; use self::State::*; enum State { On, Off(u8) } \
         mod a { pub use super::b::{deep, Thing as Other}; } \
         mod b { pub fn deep() {} pub struct Thing(u8); impl Thing { pub fn new() {} } }",
    )]);
    let deep = value(&index, 0, "b::deep");
    assert!(matches!(deep, Some(Def::Fn(_))));
    assert_eq!(value(&index, 0, "shallow"), deep);
    assert_eq!(value(&index, 0, "deep"), deep);
    assert!(matches!(value(&index, 0, "On"), Some(Def::Variant(_, 0))));
    assert!(matches!(value(&index, 0, "Off"), Some(Def::Variant(_, 1))));
    assert!(matches!(value(&index, 0, "Other"), Some(Def::Adt(_))));
    assert_eq!(paths(&program), ["app::b::Thing::new", "app::b::deep"]);
}

#[test]
fn foreign_paths_have_the_package_name_and_std_one_spelling() {
    let tokio = DependencyOf::Foreign { name: "tokio".into(), version: None };
    let deps = [("rt", tokio)];
    let text = "use rt::time; use rt::time::sleep as nap; use core::time::Duration; mod pb { include!(concat!(env!(\"OUT_DIR\"), \"/pb.rs\")); }";
    let roots = [("app", CrateKind::Lib, "src/lib.rs", &deps[..])];
    let (_, index) = program(&[("src/lib.rs", text)], &roots);
    let foreign = |path: &str| Some(Def::Foreign(path.into()));
    assert_eq!(value(&index, 0, "time::sleep"), foreign("tokio::time::sleep"));
    assert_eq!(value(&index, 0, "nap"), foreign("tokio::time::sleep"));
    assert_eq!(value(&index, 0, "Duration::from_secs"), foreign("std::time::Duration::from_secs"));
    assert_eq!(value(&index, 0, "std::result::Result::Ok"), foreign("Ok"));
    assert_eq!(value(&index, 0, "pb::x_client::XClient::new"), foreign("pb::x_client::XClient::new"));
}

#[test]
fn crates_of_the_tree_see_each_other() {
    let core = DependencyOf::Tree(CrateId(0));
    let files = [("core/lib.rs", "pub fn f() {}"), ("app/lib.rs", "use base::f as g;")];
    let (_, index) = program(
        &files,
        &[("core_lib", CrateKind::Lib, "core/lib.rs", &[]), ("app", CrateKind::Lib, "app/lib.rs", &[("base", core)])],
    );
    let app = index.roots[1].0;
    assert!(matches!(value(&index, app, "g"), Some(Def::Fn(_))));
}

#[test]
fn files_without_functions_keep_their_types() {
    let (program, index) = one_crate(&[
        ("src/lib.rs", "mod t; mod u; fn f(a: t::A) {}"),
        ("src/t.rs", "pub type A = Vec<u8>;"),
        ("src/orphan.rs", "pub type A = Vec<u8>;"),
        ("src/u.rs", "pub trait T {} impl T for super::t::A {}"),
    ]);
    let models = crate::model::Models::new(Vec::new());
    let list = Ty::Foreign("Vec".into(), vec![Ty::Foreign("u8".into(), Vec::new())]);
    assert_eq!(index.sig(&program, &models, FnId(0)).params, [list]);
    let kept = |f: &LoweredFile| !f.tree.items.is_empty();
    assert_eq!(program.files.iter().filter(|f| kept(f)).count(), 3);
}

#[test]
fn cycles_and_missing_files_end() {
    let (program, index) = one_crate(&[(
        "src/lib.rs",
        "#[path = \"lib.rs\"] mod again; mod missing; use self::a::x; mod a { pub use super::x; pub use super::*; } pub use a::*;",
    )]);
    assert!(program.fns.is_empty());
    assert_eq!(value(&index, 0, "a::x"), None);
    assert_eq!(value(&index, 0, "missing::y"), Some(Def::Foreign("missing::y".into())));
}
