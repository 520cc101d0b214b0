//! Compose files laid over one another, and services that begin as others.

use std::collections::{BTreeMap, BTreeSet};

use super::read::{File, Service};

/// Services that begin as services that begin as others.
const DEEPEST: usize = 8;
/// Files that take in files.
const FILES: usize = 64;

/// The services of some files, the later over the earlier.
pub fn together(files: &BTreeMap<&str, File>, way: &[&str]) -> BTreeMap<String, Service> {
    let mut all: BTreeMap<String, Service> = BTreeMap::new();
    for path in with_included(files, way) {
        let Some(file) = files.get(path.as_str()) else { continue };
        for (name, service) in &file.services {
            let service = extended(files, path.as_str(), service, 0);
            let below = all.remove(name);
            all.insert(name.clone(), below.map_or(service.clone(), |below| over(below, &service)));
        }
    }
    all
}

/// What a file takes in stands below it.
fn with_included(files: &BTreeMap<&str, File>, way: &[&str]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut open: Vec<String> = way.iter().rev().map(|p| (*p).to_owned()).collect();
    while let Some(path) = open.pop() {
        let included = files.get(path.as_str()).map(|f| f.includes.clone()).unwrap_or_default();
        if !seen.insert(path.clone()) || included.is_empty() || seen.len() > FILES {
            if !found.contains(&path) {
                found.push(path);
            }
            continue;
        }
        open.push(path);
        open.extend(included.into_iter().rev());
    }
    found
}

/// A service with what it begins as below it.
fn extended(files: &BTreeMap<&str, File>, path: &str, service: &Service, depth: usize) -> Service {
    let base = service.extends.as_ref().filter(|_| depth < DEEPEST).and_then(|(name, file)| {
        let path = file.as_deref().unwrap_or(path);
        let base = files.get(path)?.services.get(name)?;
        Some(extended(files, path, base, depth + 1))
    });
    base.map_or_else(|| service.clone(), |base| over(base, service))
}

fn over(below: Service, above: &Service) -> Service {
    let mut all = below;
    all.at = above.at;
    all.names.extend(above.names.iter().cloned());
    all.image = above.image.clone().or(all.image);
    all.build = above.build.clone().or(all.build);
    if !above.command.is_empty() {
        all.command = above.command.clone();
    }
    all.published.extend(&above.published);
    all.mounts.extend(above.mounts.iter().cloned());
    all.env.extend(above.env.clone());
    all
}
