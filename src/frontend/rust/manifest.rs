//! The crates of a tree, read from Cargo.toml and Cargo.lock without running cargo, which would run what they name.
//!
//! A dependency is a crate of the tree only by path (its own, the workspace's, or a patch): a folder that happens to
//! bear the name of a public crate says nothing about what a version requirement leads to.

mod dependencies;
mod lock;
mod loose;
mod targets;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use toml::{Table, Value};

use super::program::{Crate, CrateId, CrateKind, DependencyOf};
use crate::fact::Problem;
use crate::name::Name;
use crate::source::{FileId, Sources};
use lock::Lock;

/// A Cargo.toml with a `[package]`.
struct Package<'m> {
    dir: &'m str,
    name: String,
    manifest: &'m Table,
    workspace: Option<Workspace<'m>>,
    edition2015: bool,
}

#[derive(Clone, Copy)]
struct Workspace<'m> {
    dir: &'m str,
    manifest: &'m Table,
}

/// Manifests and lock files by folder.
#[derive(Default)]
struct Manifests {
    manifests: BTreeMap<String, Table>,
    locks: BTreeMap<String, Lock>,
    problems: Vec<Problem>,
}

/// All crates, each package's library before its binaries; and manifests that are no TOML.
pub fn crates(sources: &Sources, tests: bool) -> (Vec<Crate>, Vec<Problem>) {
    let read = read(sources);
    let packages: Vec<Package> = read.manifests.iter().filter_map(|(dir, m)| package(&read, dir, m)).collect();
    let mut crates = Vec::new();
    let mut libs = FxHashMap::default();
    let mut owners = Vec::new();
    let mut partial = Vec::new();
    for (i, package) in packages.iter().enumerate() {
        let found = targets::targets(package, sources, tests);
        if found.is_empty() {
            partial.push(i);
        }
        for target in found {
            if target.kind == CrateKind::Lib {
                libs.insert(package.dir, CrateId(crates.len() as u32));
            }
            owners.push(i);
            crates.push(krate(package, &target.name, target.kind, target.root));
        }
    }
    for (krate, owner) in crates.iter_mut().zip(&owners) {
        let package = &packages[*owner];
        krate.dependencies = dependencies::of(package, &read, &libs, tests || krate.kind == CrateKind::Other);
        if let Some(own) = libs.get(package.dir).filter(|_| krate.kind != CrateKind::Lib) {
            krate.dependencies.insert(lib_name(package), DependencyOf::Tree(*own));
        }
    }
    loose::add(sources, &packages, &partial, &read, &libs, &mut crates);
    (crates, read.problems)
}

fn krate(package: &Package, name: &str, kind: CrateKind, root: FileId) -> Crate {
    Crate {
        name: code_name(name),
        package: Name::new(&package.name),
        kind,
        root,
        root_dir: Name::new(package.dir),
        dependencies: FxHashMap::default(),
        edition2015: package.edition2015,
    }
}

fn lib_name(package: &Package) -> Name {
    let given = package.manifest.get("lib").and_then(|l| l.get("name")).and_then(Value::as_str);
    code_name(given.unwrap_or(&package.name))
}

fn code_name(name: &str) -> Name {
    Name::from(name.replace('-', "_"))
}

fn read(sources: &Sources) -> Manifests {
    let mut read = Manifests::default();
    for (file, source) in sources.iter() {
        let (dir, name) = source.path.rsplit_once('/').unwrap_or(("", &source.path));
        let dir = dir.to_owned();
        let done = match name {
            "Cargo.toml" => toml::from_str(&source.text).map(|table| drop(read.manifests.insert(dir, table))),
            "Cargo.lock" => Lock::read(&source.text).map(|lock| drop(read.locks.insert(dir, lock))),
            _ => continue,
        };
        if let Err(error) = done {
            let at = error.span().map_or(0, |s| s.start as u32);
            let message = format!("not valid TOML: {}", error.message());
            read.problems.push(Problem { file, at, message });
        }
    }
    read
}

fn package<'m>(read: &'m Manifests, dir: &'m str, manifest: &'m Table) -> Option<Package<'m>> {
    let about = manifest.get("package").or_else(|| manifest.get("project"))?;
    let name = about.get("name")?.as_str()?.to_owned();
    let workspace = workspace(read, dir, about);
    let inherited = || workspace?.manifest.get("workspace")?.get("package")?.get("edition")?.as_str();
    let edition = match about.get("edition") {
        Some(Value::String(edition)) => Some(edition.as_str()),
        Some(_) => inherited(),
        None => None,
    };
    // Cargo's default is the oldest. An inherited one that is out of sight is surely newer.
    let edition2015 = about.get("edition").is_none() || edition == Some("2015");
    Some(Package { dir, name, manifest, workspace, edition2015 })
}

/// The one that is named, else the nearest above that does not exclude the package.
fn workspace<'m>(read: &'m Manifests, dir: &str, about: &Value) -> Option<Workspace<'m>> {
    let at = |dir: &str| {
        let (dir, manifest) = read.manifests.get_key_value(dir)?;
        manifest.contains_key("workspace").then_some(Workspace { dir, manifest })
    };
    if let Some(Value::String(path)) = about.get("workspace") {
        return at(&join(dir, path));
    }
    let mut folder = dir.to_owned();
    // No tree is deeper; paths above the working directory have no end.
    for _ in 0..64 {
        if let Some(found) = at(&folder) {
            let left_out = found.manifest.get("workspace").and_then(|w| w.get("exclude")).and_then(Value::as_array);
            let mut left_out = left_out.into_iter().flatten().filter_map(Value::as_str);
            return if left_out.any(|e| inside(dir, &join(found.dir, e))) { None } else { Some(found) };
        }
        folder = join(&folder, "..");
    }
    None
}

/// Joined and without `.` and `..`, except leading ones.
fn join(dir: &str, path: &str) -> String {
    let mut parts: Vec<&str> = if path.starts_with('/') { Vec::new() } else { dir.split('/').collect() };
    parts.retain(|p| !p.is_empty());
    for part in path.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|p| *p != "..") => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    let joined = parts.join("/");
    // Absolute paths lead to nothing that was read.
    if path.starts_with('/') { format!("/{joined}") } else { joined }
}

/// Whether a path is the folder or below it.
fn inside(path: &str, folder: &str) -> bool {
    folder.is_empty() && !path.starts_with("..")
        || path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
