//! Manifests of Kubernetes: services under their names, joined with the pods that their selectors pick.
//!
//! What a kustomization lists is one system, a root kustomization with all that it takes in; manifests that none lists are a
//! system per folder. Helm's templates are no manifests before Helm has run, and are left alone.

mod claim;
mod customize;
mod join;
mod object;
mod sidecar;

use std::collections::{BTreeMap, BTreeSet};

use super::packages::Packages;
use super::paths::folder;
use super::unreadable;
use crate::fact::{Facts, Sidecar};
use crate::source::{FileId, Sources};
use crate::yaml;

pub use claim::{claims, is_kustomization};
use customize::Kustomization;
use object::Object;
use sidecar::Namespaces;

/// The objects of one system.
struct System {
    name: String,
    /// The kustomization; of a folder each object's own file.
    file: Option<FileId>,
    objects: Vec<Object>,
}

pub fn extract(sources: &Sources, packages: &Packages, claimed: &[FileId], facts: &mut Facts) {
    let mut objects: BTreeMap<&str, Vec<Object>> = BTreeMap::new();
    let mut kustomizations: BTreeMap<&str, Kustomization> = BTreeMap::new();
    for id in claimed {
        let source = sources.get(*id);
        let tree = yaml::read(&source.text);
        if claim::is_kustomization(&source.path) {
            facts.problems.extend(unreadable(*id, &tree));
            kustomizations.extend(Kustomization::read(*id, &source.path, &tree).map(|k| (folder(&source.path), k)));
            continue;
        }
        if !claim::is_template(&source.text) {
            facts.problems.extend(unreadable(*id, &tree));
        }
        objects.insert(&source.path, object::objects(*id, &tree));
    }
    let first = facts.hosts.len();
    for system in systems(&objects, &kustomizations) {
        facts.hosts.extend(join::hosts(packages, sources, &system));
    }
    let mut namespaces = Namespaces::default();
    for object in objects.values().flatten().filter(|o| o.kind == "Namespace") {
        namespaces.add(&object.name, object.sidecar);
    }
    for host in facts.hosts[first..].iter_mut().filter(|h| h.sidecar == Sidecar::Unknown) {
        host.sidecar = namespaces.of(host.namespace.as_deref());
    }
}

fn systems(objects: &BTreeMap<&str, Vec<Object>>, all: &BTreeMap<&str, Kustomization>) -> Vec<System> {
    let taken: BTreeSet<&str> = all.values().flat_map(Kustomization::folders).collect();
    let mut found = Vec::new();
    let mut listed: BTreeSet<&str> = BTreeSet::new();
    // One that another takes in is deployed through that one. In a circle nothing is: all of them count.
    let roots: Vec<&str> = all.keys().copied().filter(|dir| !taken.contains(dir)).collect();
    for dir in roots {
        let (objects, files) = customize::together(dir, all, objects);
        listed.extend(files);
        found.push(System { name: format!("kustomize {dir}"), file: all.get(dir).map(|k| k.id), objects });
    }
    let mut folders: BTreeMap<&str, Vec<Object>> = BTreeMap::new();
    for (path, list) in objects.iter().filter(|(path, _)| !listed.contains(**path)) {
        folders.entry(folder(path)).or_default().extend(list.iter().cloned());
    }
    let folders = join::folders(folders);
    found.extend(folders.into_iter().map(|(dir, objects)| System {
        name: format!("manifests {dir}"),
        file: None,
        objects,
    }));
    found
}
