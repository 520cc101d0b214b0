//! The targets of a package: those that its manifest names and those that cargo finds by folder.

use toml::Value;

use super::{Package, join, lib_name};
use crate::frontend::rust::program::CrateKind;
use crate::source::{FileId, Sources};

pub struct Target {
    pub name: String,
    pub kind: CrateKind,
    pub root: FileId,
}

pub fn targets(package: &Package, sources: &Sources, tests: bool) -> Vec<Target> {
    let mut found = Vec::new();
    let path = package.manifest.get("lib").and_then(|l| l.get("path")).and_then(Value::as_str);
    if let Some(root) = sources.find(&join(package.dir, path.unwrap_or("src/lib.rs"))) {
        found.push(Target { name: lib_name(package).to_string(), kind: CrateKind::Lib, root });
    }
    listed(package, sources, "bin", "src/bin", CrateKind::Bin, &mut found);
    if automatic(package, "autobins") {
        if let Some(root) = sources.find(&join(package.dir, "src/main.rs")) {
            add(Target { name: package.name.clone(), kind: CrateKind::Bin, root }, &mut found);
        }
        in_folder(package, sources, "src/bin", CrateKind::Bin, &mut found);
    }
    if tests {
        let other = CrateKind::Other;
        let kinds = [("example", "examples"), ("test", "tests"), ("bench", "benches")];
        for (key, folder) in kinds {
            listed(package, sources, key, folder, other, &mut found);
            if automatic(package, &format!("auto{folder}")) {
                in_folder(package, sources, folder, other, &mut found);
            }
        }
    }
    found
}

fn automatic(package: &Package, key: &str) -> bool {
    let about = package.manifest.get("package").and_then(|p| p.get(key));
    about.and_then(Value::as_bool).unwrap_or(true)
}

/// One file is the root of one target; what the manifest says comes first.
fn add(target: Target, found: &mut Vec<Target>) {
    if found.iter().all(|t| t.root != target.root) {
        found.push(target);
    }
}

/// `[[bin]]` and the like.
fn listed(package: &Package, sources: &Sources, key: &str, folder: &str, kind: CrateKind, found: &mut Vec<Target>) {
    let entries = package.manifest.get(key).and_then(Value::as_array);
    for entry in entries.into_iter().flatten() {
        let Some(name) = entry.get("name").and_then(Value::as_str) else {
            continue;
        };
        let mut paths = match entry.get("path").and_then(Value::as_str) {
            Some(path) => vec![path.to_owned()],
            None => vec![format!("{folder}/{name}.rs"), format!("{folder}/{name}/main.rs")],
        };
        if kind == CrateKind::Bin && name == package.name {
            paths.push("src/main.rs".to_owned());
        }
        let root = paths.iter().find_map(|p| sources.find(&join(package.dir, p)));
        if let Some(root) = root {
            add(Target { name: name.to_owned(), kind, root }, found);
        }
    }
}

/// `src/bin/NAME.rs` and `src/bin/NAME/main.rs`.
fn in_folder(package: &Package, sources: &Sources, folder: &str, kind: CrateKind, found: &mut Vec<Target>) {
    let prefix = format!("{}/", join(package.dir, folder));
    for (root, file) in sources.iter() {
        let Some(rest) = file.path.strip_prefix(&prefix) else {
            continue;
        };
        let name = match rest.split_once('/') {
            None => rest.strip_suffix(".rs"),
            Some((name, "main.rs")) => Some(name),
            Some(_) => None,
        };
        if let Some(name) = name {
            add(Target { name: name.to_owned(), kind, root }, found);
        }
    }
}
