//! Files that belong to no target that was read: a lone file, a folder of scripts, a part of a package.
//!
//! Which file is the root of the others is told by the `mod` lines in their texts; without a manifest every first
//! segment of a path may be a foreign crate (names of the file itself come first when paths are resolved).

use std::collections::BTreeMap;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Manifests, Package, code_name, dependencies, join, krate};
use crate::frontend::rust::program::{Crate, CrateId, CrateKind, DependencyOf};
use crate::name::Name;
use crate::source::{FileId, Sources};

pub fn add(
    sources: &Sources,
    packages: &[Package],
    partial: &[usize],
    read: &Manifests,
    libs: &FxHashMap<&str, CrateId>,
    crates: &mut Vec<Crate>,
) {
    // The innermost package of each file.
    let by_dir: BTreeMap<&str, usize> = packages.iter().enumerate().map(|(i, p)| (p.dir, i)).collect();
    let mut files: BTreeMap<FileId, Option<usize>> = BTreeMap::new();
    for (id, file) in sources.iter().filter(|(_, f)| f.path.ends_with(".rs")) {
        let owner = owner(&by_dir, &file.path);
        if owner.is_none_or(|o| partial.contains(&o)) {
            files.insert(id, owner);
        }
    }
    let children: BTreeMap<FileId, Vec<FileId>> = files.keys().map(|id| (*id, modules(sources, *id))).collect();
    let reached: FxHashSet<FileId> = children.values().flatten().copied().collect();
    for (id, owner) in &files {
        let path = &sources.get(*id).path;
        if reached.contains(id) && !is_root_name(path) {
            continue;
        }
        crates.push(match owner {
            Some(owner) => {
                let package = &packages[*owner];
                let mut krate = krate(package, &package.name, kind(path), *id);
                krate.dependencies = dependencies::of(package, read, libs, false);
                krate
            }
            None => alone(sources, *id, &children),
        });
    }
}

fn owner(by_dir: &BTreeMap<&str, usize>, path: &str) -> Option<usize> {
    let mut folder = path.to_owned();
    for _ in 0..64 {
        folder = join(&folder, "..");
        if let Some(found) = by_dir.get(folder.as_str()) {
            return Some(*found);
        }
    }
    None
}

fn is_root_name(path: &str) -> bool {
    matches!(path.rsplit('/').next(), Some("lib.rs" | "main.rs"))
}

fn kind(path: &str) -> CrateKind {
    if path.rsplit('/').next() == Some("main.rs") { CrateKind::Bin } else { CrateKind::Lib }
}

fn alone(sources: &Sources, root: FileId, children: &BTreeMap<FileId, Vec<FileId>>) -> Crate {
    let path = &sources.get(root).path;
    let (dir, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.trim_end_matches(".rs");
    // `shop/src/main.rs` is called shop.
    let folder = dir.trim_end_matches("src").trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let named = is_root_name(path) && !matches!(folder, "" | "..");
    let name: String =
        if named { folder } else { stem }.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    let mut dependencies = FxHashMap::default();
    let (mut seen, mut open) = (FxHashSet::default(), vec![root]);
    while let Some(file) = open.pop() {
        if seen.insert(file) {
            foreign(&sources.get(file).text, &mut dependencies);
            open.extend(children.get(&file).into_iter().flatten());
        }
    }
    Crate {
        name: code_name(&name),
        package: Name::from(name),
        kind: kind(path),
        root,
        root_dir: Name::new(dir),
        dependencies,
        edition2015: false,
    }
}

/// Words before `::` that may be crates.
fn foreign(text: &str, into: &mut FxHashMap<Name, DependencyOf>) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    for (at, _) in text.match_indices("::") {
        let before = &text[..at];
        let start = before.char_indices().rev().take_while(|(_, c)| is_word(*c)).last().map_or(at, |(i, _)| i);
        let word = &before[start..];
        let first = !before[..start].ends_with("::") || before[..start].trim_end_matches("::").ends_with([' ', '(']);
        let lower = word.starts_with(|c: char| c.is_lowercase());
        if !first || !lower || matches!(word, "crate" | "self" | "super" | "std" | "core" | "alloc") {
            continue;
        }
        if !into.contains_key(word) {
            let name = Name::new(word);
            into.insert(name.clone(), DependencyOf::Foreign { name, version: None });
        }
    }
}

/// Files that the `mod NAME;` lines of a file may mean.
fn modules(sources: &Sources, id: FileId) -> Vec<FileId> {
    let file = sources.get(id);
    let (dir, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
    let own = join(dir, name.trim_end_matches(".rs"));
    let mut found = Vec::new();
    for line in file.text.lines() {
        let line = line.trim();
        if let Some(path) = line.strip_prefix("#[path").and_then(|l| l.split('"').nth(1)) {
            found.extend(sources.find(&join(dir, path)));
        }
        let words = line.split_once("mod ").filter(|(before, _)| before.is_empty() || before.ends_with([' ', ']']));
        let Some(name) = words.and_then(|(_, after)| after.split_once(';')).map(|(name, _)| name.trim()) else {
            continue;
        };
        for folder in [dir, &own] {
            found.extend(sources.find(&join(folder, &format!("{name}.rs"))));
            found.extend(sources.find(&join(folder, &format!("{name}/mod.rs"))));
        }
    }
    found.retain(|f| *f != id);
    found
}
