//! Workspaces, targets, dependencies of every form, and files without a manifest.

use super::{crates, join};
use crate::frontend::rust::program::{Crate, CrateKind, DependencyOf};
use crate::source::{SourceFile, Sources};

fn read(files: &[(&str, &str)], tests: bool) -> Vec<Crate> {
    let sources = Sources::new(files.iter().map(|(p, t)| SourceFile::new(*p, *t)).collect());
    let (crates, problems) = crates(&sources, tests);
    assert_eq!(problems, []);
    crates
}

fn names(crates: &[Crate]) -> Vec<String> {
    crates.iter().map(|c| format!("{} {:?} {}", c.name, c.kind, c.root_dir)).collect()
}

fn find<'c>(crates: &'c [Crate], name: &str, kind: CrateKind) -> &'c Crate {
    crates.iter().find(|c| c.name == name && c.kind == kind).expect("the crate is there")
}

/// `tree NAME` or `NAME VERSION`.
fn dependency(crates: &[Crate], of: &Crate, name: &str) -> String {
    match of.dependencies.get(name) {
        Some(DependencyOf::Tree(id)) => format!("tree {}", crates[id.0 as usize].name),
        Some(DependencyOf::Foreign { name, version }) => {
            format!("{name} {}", version.as_ref().map_or("-", |v| v.as_str()))
        }
        None => "none".to_owned(),
    }
}

const WORKSPACE: &[(&str, &str)] = &[
    (
        "Cargo.toml",
        "[workspace]\nmembers = [\"crates/*\"]\nexclude = [\"old\"]\n[workspace.package]\nedition = \"2024\"\n\
         [workspace.dependencies]\nsdk = { path = \"crates/sdk\" }\nhttp1 = { package = \"http\", version = \"1\" }\n\
         [patch.crates-io]\nfork = { path = \"crates/fork\" }\n",
    ),
    (
        "Cargo.lock",
        "[[package]]\nname = \"http\"\nversion = \"0.2.9\"\n[[package]]\nname = \"http\"\nversion = \"1.1.0\"\n\
         [[package]]\nname = \"reqwest\"\nversion = \"0.12.4\"\n[[package]]\nname = \"app\"\nversion = \"0.1.0\"\n\
         dependencies = [\"http 0.2.9\", \"reqwest\"]\n",
    ),
    (
        "crates/app/Cargo.toml",
        "[package]\nname = \"my-app\"\nedition.workspace = true\n[[bin]]\nname = \"tool\"\npath = \"src/t.rs\"\n\
         [dependencies]\nsdk.workspace = true\nhttp1 = { workspace = true }\nreqwest = \"0.12\"\nfork = \"1\"\n\
         same = \"1\"\nother-name = { package = \"real-name\", version = \"2\" }\n\
         [target.'cfg(unix)'.dependencies]\nnix = \"0.29\"\n[dev-dependencies]\nproptest = \"1\"\n\
         [build-dependencies]\nbuilder = \"3\"\n",
    ),
    ("crates/app/src/lib.rs", ""),
    ("crates/app/src/main.rs", ""),
    ("crates/app/src/t.rs", ""),
    ("crates/app/src/bin/one.rs", ""),
    ("crates/app/src/bin/two/main.rs", ""),
    ("crates/app/src/bin/two/part.rs", ""),
    ("crates/app/tests/it.rs", ""),
    (
        "crates/sdk/Cargo.toml",
        "[package]\nname = \"sdk\"\nedition = \"2021\"\n[lib]\nname = \"kit\"\npath = \"kit.rs\"\n",
    ),
    ("crates/sdk/kit.rs", ""),
    ("crates/fork/Cargo.toml", "[package]\nname = \"fork\"\n"),
    ("crates/fork/src/lib.rs", ""),
    ("crates/same/Cargo.toml", "[package]\nname = \"same\"\n"),
    ("crates/same/src/lib.rs", ""),
    ("old/Cargo.toml", "[package]\nname = \"old\"\n[dependencies]\nsdk.workspace = true\n"),
    ("old/src/lib.rs", ""),
];

#[test]
fn workspace_targets() {
    let expected = [
        "my_app Lib crates/app",
        "tool Bin crates/app",
        "my_app Bin crates/app",
        "one Bin crates/app",
        "two Bin crates/app",
        "fork Lib crates/fork",
        "same Lib crates/same",
        "kit Lib crates/sdk",
        "old Lib old",
    ];
    let crates = read(WORKSPACE, false);
    assert_eq!(names(&crates), expected);
    let editions: Vec<bool> = crates.iter().map(|c| c.edition2015).collect();
    assert_eq!(editions, [false, false, false, false, false, true, true, false, true]);
    assert!(names(&read(WORKSPACE, true)).contains(&"it Other crates/app".to_owned()));
}

#[test]
fn workspace_dependencies() {
    let crates = read(WORKSPACE, false);
    let app = find(&crates, "my_app", CrateKind::Lib);
    for (name, expected) in [
        ("sdk", "tree kit"),
        ("http1", "http 1.1.0"),
        ("reqwest", "reqwest 0.12.4"),
        ("fork", "tree fork"),
        ("same", "same 1"),
        ("other_name", "real_name 2"),
        ("nix", "nix 0.29"),
        ("builder", "builder 3"),
        ("proptest", "none"),
        ("my_app", "none"),
    ] {
        assert_eq!(dependency(&crates, app, name), expected, "{name}");
    }
    assert_eq!(dependency(&crates, find(&crates, "tool", CrateKind::Bin), "my_app"), "tree my_app");
    assert_eq!(dependency(&crates, find(&crates, "old", CrateKind::Lib), "sdk"), "sdk -");
    let crates = read(WORKSPACE, true);
    assert_eq!(dependency(&crates, find(&crates, "my_app", CrateKind::Lib), "proptest"), "proptest 1");
}

#[test]
fn the_lock_entry_of_the_package_decides_between_versions() {
    let lock = "[[package]]\nname = \"http\"\nversion = \"0.2.9\"\n[[package]]\nname = \"http\"\nversion = \"1.1.0\"\n\
                [[package]]\nname = \"a\"\nversion = \"1.0.0\"\ndependencies = [\"http 0.2.9\"]\n";
    let manifest = "[package]\nname = \"a\"\n[dependencies]\nhttp = \"*\"\n";
    let crates = read(&[("Cargo.lock", lock), ("Cargo.toml", manifest), ("src/lib.rs", "")], false);
    assert_eq!(dependency(&crates, &crates[0], "http"), "http 0.2.9");
}

#[test]
fn invalid_manifest_is_a_problem_at_its_place() {
    let files = [("Cargo.toml", "[package]\nname = \n"), ("src/lib.rs", "mod a;"), ("src/a.rs", "")];
    let sources = Sources::new(files.iter().map(|(p, t)| SourceFile::new(*p, *t)).collect());
    let (crates, problems) = crates(&sources, false);
    assert_eq!(problems.len(), 1);
    assert!(problems[0].at >= 10, "{problems:?}");
    assert_eq!(crates.len(), 1);
}

#[test]
fn files_without_a_manifest() {
    let crates = read(
        &[
            ("lone.rs", "use reqwest::Client; fn f() { crate::g(); tokio::spawn(Foo::bar()); }"),
            ("shop/src/main.rs", "mod pay;\n#[path = \"x/y.rs\"]\nmod z;"),
            ("shop/src/pay.rs", "pub(crate) mod card;"),
            ("shop/src/pay/card.rs", ""),
            ("shop/src/x/y.rs", ""),
            ("shop/src/script-1.rs", ""),
        ],
        false,
    );
    assert_eq!(names(&crates), ["lone Lib ", "shop Bin shop/src", "script_1 Lib shop/src"]);
    let mut known: Vec<&str> = crates[0].dependencies.keys().map(|n| n.as_str()).collect();
    known.sort_unstable();
    assert_eq!(known, ["reqwest", "tokio"]);
}

#[test]
fn a_part_of_a_package_keeps_its_dependencies() {
    let manifest = "[package]\nname = \"a\"\n[dependencies]\nhttp = \"1\"\n";
    let crates = read(&[("../Cargo.toml", manifest), ("client.rs", "")], false);
    assert_eq!(dependency(&crates, &crates[0], "http"), "http 1");
    let crates = read(&[("Cargo.toml", manifest), ("src/client.rs", "")], false);
    assert_eq!(dependency(&crates, &crates[0], "http"), "http 1");
}

#[test]
fn paths() {
    assert_eq!(join("a/b", "../c"), "a/c");
    assert_eq!(join("", "../c"), "../c");
    assert_eq!(join("..", ".."), "../..");
    assert_eq!(join("a", "./b//c"), "a/b/c");
    assert_eq!(join("a", "/b"), "/b");
}
