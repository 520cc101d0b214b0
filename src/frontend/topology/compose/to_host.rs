//! A service as a host: its names, its ports, and what of the tree runs in it.

use super::read::{Build, Service};
use crate::fact::{Host, Runs, Sidecar};
use crate::frontend::topology::packages::{Built, Packages, image_name, named_like, program_name};
use crate::frontend::topology::paths::{folder, join, within};
use crate::name::Name;
use crate::source::{FileId, Sources};

pub fn host(sources: &Sources, packages: &Packages, dir: &str, name: &str, service: &Service) -> Host {
    let (mut runs, parts) = package(packages, dir, name, service);
    runs.extend(service.mounts.iter().flat_map(|(from, to)| configs(sources, from, to)));
    let mut names: Vec<Name> = Vec::new();
    for name in std::iter::once(name).chain(service.names.iter().map(String::as_str)) {
        let name = Name::from(name.to_ascii_lowercase());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let pair = |(key, value): (&String, &String)| (Name::new(key), Name::new(value));
    Host {
        file: FileId::default(),
        at: service.at,
        system: Name::new(""),
        names,
        ports: Vec::new(),
        published: service.published.clone(),
        runs,
        parts,
        env: service.env.iter().map(pair).collect(),
        sidecar: Sidecar::None,
        namespace: None,
    }
}

/// What it is built of; without that, what its command or its image is called.
fn package(packages: &Packages, dir: &str, name: &str, service: &Service) -> (Vec<Runs>, Vec<Name>) {
    let program = service.command.first().filter(|c| !c.contains(' ')).map(|c| program_name(c));
    let image = service.image.as_deref().map(image_name);
    let Some(build) = &service.build else {
        let like = service.image.as_deref().and_then(|image| named_like(image, name));
        let words = program.into_iter().chain(image).chain(like).collect();
        return packages.runs(dir, &Built { words, ..Built::default() });
    };
    let Some(context) = build.context.as_deref() else { return (Vec::new(), Vec::new()) };
    let recipe = build.dockerfile.as_deref().and_then(|file| join(context, file));
    let words = program.into_iter().chain(words(build)).chain(image).chain([name]).collect();
    packages.runs(dir, &Built { context: Some(context), recipe: recipe.as_deref().map(folder), words })
}

fn words(build: &Build) -> impl Iterator<Item = &str> {
    build.words.iter().map(|word| program_name(word))
}

/// The files of the tree that a mount shows: itself, or of a folder that is put where configs live those below it.
fn configs(sources: &Sources, from: &str, to: &str) -> Vec<Runs> {
    let config = |path: &str| Runs::Config(Name::new(path));
    if sources.find(from).is_some() {
        return vec![config(from)];
    }
    if from.is_empty() || !["/etc/", "/usr/local/"].iter().any(|folder| to.starts_with(folder)) {
        return Vec::new();
    }
    let below = sources.iter().map(|(_, f)| f.path.as_str()).filter(|path| within(path, from));
    below.filter(|path| !path.ends_with(".rs") && !path.contains("Cargo.")).map(config).collect()
}
