//! Compose files: the services of a project under the names that its network gives them.
//!
//! A project is a folder. `compose.yaml` with its `override` is the usual way to start it; every other compose file beside it
//! (`docker-compose.prod.yml`) is another: alone if its services are complete, else laid over the first. These ways are
//! alternatives, never added up.

mod merge;
mod read;
mod to_host;

use std::collections::BTreeMap;

use super::packages::Packages;
use super::paths::folder;
use super::unreadable;
use crate::fact::Facts;
use crate::source::{FileId, Sources};
use crate::yaml;

use read::{File, Service};

/// Ways to start one project beyond this are left out.
const WAYS: usize = 16;

pub fn claims(path: &str, text: &str) -> bool {
    is_compose_name(path) && text.contains("services:")
}

/// `payments.env`, which a service may take its environment from.
pub fn is_env_file(path: &str) -> bool {
    path.ends_with(".env")
}

fn is_compose_name(path: &str) -> bool {
    let name = file_name(path);
    let Some(stem) = name.strip_suffix(".yml").or_else(|| name.strip_suffix(".yaml")) else { return false };
    stem.split(['.', '-', '_']).any(|word| word == "compose")
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

pub fn extract(sources: &Sources, packages: &Packages, claimed: &[FileId], facts: &mut Facts) {
    let mut files: BTreeMap<&str, File> = BTreeMap::new();
    for id in claimed {
        let source = sources.get(*id);
        let tree = yaml::read(&source.text);
        facts.problems.extend(unreadable(*id, &tree));
        if let Some(file) = read::file(*id, &source.path, &tree, sources) {
            files.insert(&source.path, file);
        }
    }
    let mut projects: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    files.keys().for_each(|path| projects.entry(folder(path)).or_default().push(path));
    for (folder, paths) in projects {
        for way in ways(&files, &paths) {
            let services = merge::together(&files, &way);
            // The file that is laid over the others tells the ways apart.
            let Some(last) = way.last().and_then(|path| files.get(path)) else { continue };
            let system = format!("compose {}", way.join(" "));
            for (name, service) in &services {
                let host = to_host::host(sources, packages, folder, name, service);
                facts.hosts.push(crate::fact::Host { file: last.id, system: system.as_str().into(), ..host });
            }
        }
    }
}

/// The lists of files, the first below the others, that each start the project.
fn ways<'p>(files: &BTreeMap<&str, File>, paths: &[&'p str]) -> Vec<Vec<&'p str>> {
    let is = |path: &str, stems: &[&str]| {
        let name = file_name(path);
        stems.iter().any(|stem| name.strip_prefix(stem).is_some_and(|end| end == ".yml" || end == ".yaml"))
    };
    let base = paths.iter().copied().find(|p| is(p, &["compose", "docker-compose"]));
    let over = paths.iter().copied().find(|p| is(p, &["compose.override", "docker-compose.override"]));
    let mut found: Vec<Vec<&str>> = Vec::new();
    let usual: Vec<&str> = base.into_iter().chain(over).collect();
    if !usual.is_empty() {
        found.push(usual);
    }
    for path in paths.iter().copied().filter(|p| Some(*p) != base && Some(*p) != over) {
        let complete = files.get(path).is_some_and(|f| f.services.values().all(Service::is_complete));
        let below = base.filter(|_| !complete);
        found.push(below.into_iter().chain([path]).collect());
    }
    found.truncate(WAYS);
    found
}
