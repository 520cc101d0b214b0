//! What names a package's code may use for other crates, and which versions they have.

use rustc_hash::FxHashMap;
use toml::{Table, Value};

use super::{Manifests, Package, Workspace, code_name, join};
use crate::frontend::rust::program::{CrateId, DependencyOf};
use crate::name::Name;

type Libs<'m> = FxHashMap<&'m str, CrateId>;

/// Development dependencies only with `dev`.
pub fn of(package: &Package, read: &Manifests, libs: &Libs, dev: bool) -> FxHashMap<Name, DependencyOf> {
    let mut found = FxHashMap::default();
    for table in tables(package.manifest, dev) {
        for (key, value) in table {
            let dependency = dependency(package, read, libs, key, value);
            found.insert(code_name(key), dependency);
        }
    }
    found
}

/// The later ones win: what code runs with comes last.
fn tables(manifest: &Table, dev: bool) -> Vec<&Table> {
    let targets = manifest.get("target").and_then(Value::as_table);
    let places: Vec<&Table> =
        targets.into_iter().flat_map(|t| t.values()).filter_map(Value::as_table).chain([manifest]).collect();
    let mut keys = vec!["build-dependencies", "build_dependencies"];
    if dev {
        keys.extend(["dev-dependencies", "dev_dependencies"]);
    }
    keys.push("dependencies");
    let both = keys.iter().flat_map(|key| places.iter().filter_map(move |p| p.get(*key)));
    both.filter_map(Value::as_table).collect()
}

fn dependency(package: &Package, read: &Manifests, libs: &Libs, key: &str, value: &Value) -> DependencyOf {
    let mut value = value;
    let mut dir = package.dir;
    let inherits = value.get("workspace").and_then(Value::as_bool) == Some(true);
    if let Some(workspace) = package.workspace.filter(|_| inherits) {
        let table = workspace.manifest.get("workspace").and_then(|w| w.get("dependencies"));
        if let Some(shared) = table.and_then(|t| t.get(key)) {
            (value, dir) = (shared, workspace.dir);
        }
    }
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let name = text("package").unwrap_or(key);
    let path = text("path").map(|p| join(dir, p)).or_else(|| patched(package, name, text("git")));
    if let Some(id) = path.and_then(|p| libs.get(p.as_str())) {
        return DependencyOf::Tree(*id);
    }
    let required = value.as_str().or_else(|| text("version"));
    let version = locked(package, read, name, required).or(required);
    DependencyOf::Foreign { name: code_name(stands_for(key, name)), version: version.map(Name::new) }
}

/// A package under another's name whose own name holds that one (`tokio = { package = "madsim-tokio" }`) stands in for
/// it and has its interface.
fn stands_for<'n>(key: &'n str, package: &'n str) -> &'n str {
    let ends = package.strip_suffix(key).is_some_and(|rest| rest.ends_with(['-', '_']));
    let begins = package.strip_prefix(key).is_some_and(|rest| rest.starts_with(['-', '_']));
    if ends || begins { key } else { package }
}

/// The folder that `[patch]` puts in the place of a package.
fn patched(package: &Package, name: &str, git: Option<&str>) -> Option<String> {
    let Workspace { dir, manifest } =
        package.workspace.unwrap_or(Workspace { dir: package.dir, manifest: package.manifest });
    let patches = manifest.get("patch")?.get(git.unwrap_or("crates-io"))?.as_table()?;
    patches.iter().find_map(|(key, patch)| {
        let real = patch.get("package").and_then(Value::as_str).unwrap_or(key);
        let path = patch.get("path").and_then(Value::as_str).filter(|_| real == name)?;
        Some(join(dir, path))
    })
}

/// The version in Cargo.lock; among several the one that this package's entry names, else the one that fits.
fn locked<'m>(package: &Package, read: &'m Manifests, name: &str, required: Option<&str>) -> Option<&'m str> {
    let root = package.workspace.map_or(package.dir, |w| w.dir);
    let lock = read.locks.get(root).or_else(|| read.locks.get(package.dir))?;
    let versions: Vec<&'m str> = lock.named(name).iter().filter_map(|l| l.version.as_deref()).collect();
    if let [only] = versions[..] {
        return Some(only);
    }
    let listed = lock.named(&package.name).iter().flat_map(|own| &own.dependencies);
    let chosen: Vec<&str> = listed
        .filter_map(|d| {
            let mut words = d.split(' ');
            (words.next() == Some(name)).then(|| words.next()).flatten()
        })
        .collect();
    let fits = |version: &str| {
        let required = required.and_then(|r| semver::VersionReq::parse(r).ok());
        let version = semver::Version::parse(version).ok();
        required.zip(version).is_some_and(|(r, v)| r.matches(&v))
    };
    let listed: Vec<&'m str> = versions.iter().copied().filter(|v| chosen.contains(v)).collect();
    let among = if listed.is_empty() { &versions } else { &listed };
    match among[..] {
        [only] => Some(only),
        _ => among.iter().rev().copied().find(|v| fits(v)),
    }
}
