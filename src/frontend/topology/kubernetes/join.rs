//! Services joined with the containers behind them.

use std::collections::BTreeMap;

use super::System;
use super::object::{Container, Env, Object, Pod};
use crate::fact::{Host, Runs};
use crate::frontend::inside;
use crate::frontend::topology::packages::{Built, Packages, image_name, named_like, program_name};
use crate::frontend::topology::paths::folder;
use crate::name::Name;
use crate::source::Sources;

/// One host per container; services behind which nothing of the system stands are hosts with a name only.
pub fn hosts(packages: &Packages, sources: &Sources, system: &System) -> Vec<Host> {
    let services: Vec<&Object> = system.objects.iter().filter(|o| o.kind == "Service").collect();
    let mut joined = vec![false; services.len()];
    let mut found = Vec::new();
    for object in &system.objects {
        let Some(pod) = &object.pod else { continue };
        let picked: Vec<usize> = (0..services.len()).filter(|i| picks(services[*i], object, pod)).collect();
        picked.iter().for_each(|i| joined[*i] = true);
        for container in &pod.containers {
            let mut host = named(system, object);
            let behind = Behind { system, object, pod, container };
            picked.iter().for_each(|i| behind.service(services[*i], &mut host));
            behind.inside(packages, sources, &mut host);
            found.push(host);
        }
    }
    for (service, _) in services.iter().zip(joined).filter(|(_, joined)| !joined) {
        let mut host = named(system, service);
        host.names = names(service);
        host.runs = service.service.external.iter().map(|to| Runs::Elsewhere(Name::new(to))).collect();
        host.ports = service.service.ports.iter().filter_map(|(from, to)| Some((*from, to.parse().ok()?))).collect();
        found.push(host);
    }
    found
}

/// Folders side by side, one with services and one with what they pick, are one system.
pub fn folders(mut all: BTreeMap<&str, Vec<Object>>) -> BTreeMap<&str, Vec<Object>> {
    let services = |list: &[Object]| -> Vec<Object> {
        let alone = |s: &&Object| s.kind == "Service" && !s.service.selector.is_empty() && !is_picked(s, list);
        list.iter().filter(alone).cloned().collect()
    };
    let dirs: Vec<&str> = all.keys().copied().collect();
    for dir in &dirs {
        let waiting = all.get(dir).map(|list| services(list)).unwrap_or_default();
        if waiting.is_empty() {
            continue;
        }
        let beside = |other: &&&str| *other != dir && !dir.is_empty() && folder(other) == folder(dir);
        let holds = |other: &&&str| all.get(**other).is_some_and(|list| waiting.iter().any(|s| is_picked(s, list)));
        let found: Vec<&str> = dirs.iter().filter(beside).filter(holds).copied().collect();
        // Copies side by side (dev, prod) are not told apart by what a service picks.
        if let [only] = found[..] {
            let own = all.remove(dir).unwrap_or_default();
            all.entry(only).or_default().extend(own);
        }
    }
    all
}

fn is_picked(service: &Object, list: &[Object]) -> bool {
    list.iter().any(|o| o.pod.as_ref().is_some_and(|pod| picks(service, o, pod)))
}

fn named(system: &System, object: &Object) -> Host {
    Host {
        file: system.file.unwrap_or(object.file),
        at: object.at,
        system: Name::new(&system.name),
        names: Vec::new(),
        ports: Vec::new(),
        published: Vec::new(),
        runs: Vec::new(),
        parts: Vec::new(),
        env: Vec::new(),
        sidecar: object.pod.as_ref().map(|pod| pod.sidecar).unwrap_or_default(),
        namespace: object.namespace.as_deref().map(Name::new),
    }
}

fn picks(service: &Object, object: &Object, pod: &Pod) -> bool {
    let selector = &service.service.selector;
    let same = service.namespace == object.namespace || service.namespace.is_none() || object.namespace.is_none();
    same && !selector.is_empty() && selector.iter().all(|(key, value)| pod.labels.get(key) == Some(value))
}

/// The names that DNS gives to a service.
fn names(service: &Object) -> Vec<Name> {
    let name = service.called.to_ascii_lowercase();
    match service.namespace.as_deref() {
        Some(ns) => vec![
            Name::new(&name),
            Name::from(format!("{name}.{ns}")),
            Name::from(format!("{name}.{ns}.svc")),
            Name::from(format!("{name}.{ns}.svc.cluster.local")),
        ],
        None => vec![Name::new(&name), Name::from(format!("{name}.*.svc"))],
    }
}

struct Behind<'s> {
    system: &'s System,
    object: &'s Object,
    pod: &'s Pod,
    container: &'s Container,
}

impl Behind<'_> {
    /// Gives the host a service's names, if one of its ports leads to this container or nobody says to which.
    fn service(&self, service: &Object, host: &mut Host) {
        let leads = |c: &Container, target: &str| match target.parse::<u16>() {
            Ok(number) => c.ports.iter().any(|(_, p)| *p == number).then_some(number),
            Err(_) => c.ports.iter().find(|(name, _)| name.as_deref() == Some(target)).map(|(_, p)| *p),
        };
        let ports = &service.service.ports;
        let mine: Vec<(u16, u16)> =
            ports.iter().filter_map(|(from, to)| Some((*from, leads(self.container, to)?))).collect();
        let others = self.pod.containers.iter().any(|c| ports.iter().any(|(_, to)| leads(c, to).is_some()));
        if mine.is_empty() && others {
            return;
        }
        let stated = ports.iter().filter_map(|(from, to)| Some((*from, to.parse().ok()?)));
        host.ports.extend(if mine.is_empty() { stated.collect() } else { mine });
        host.names.extend(names(service));
    }

    fn inside(&self, packages: &Packages, sources: &Sources, host: &mut Host) {
        let container = self.container;
        let program = container.program.as_deref().map(program_name);
        let image = container.image.as_deref();
        let like = image.and_then(|image| named_like(image, &container.name));
        let words = program.into_iter().chain(image.map(image_name)).chain(like).collect();
        let near = sources.get(self.object.file).path.as_str();
        (host.runs, host.parts) = packages.runs(near, &Built { words, ..Built::default() });
        host.runs.extend(self.configs(sources));
        host.env = self.environment();
    }

    /// Files that it sees through ConfigMaps: those of the tree that are put into one, and those that are written into one.
    fn configs(&self, sources: &Sources) -> Vec<Runs> {
        let maps = self.container.mounts.iter().filter_map(|volume| self.pod.volumes.get(volume));
        let paths = maps.filter_map(|map| self.map(map)).flat_map(|map| {
            let manifest = &sources.get(map.file).path;
            let written = map.data.keys().map(move |key| inside::path(manifest, key));
            map.files.iter().cloned().chain(written.filter(|path| sources.find(path).is_some()))
        });
        paths.map(|file| Runs::Config(Name::from(file))).collect()
    }

    /// Later entries win; the list keeps one value per variable.
    fn environment(&self) -> Vec<(Name, Name)> {
        let mut env: BTreeMap<&str, String> = BTreeMap::new();
        let mut prefixed: BTreeMap<String, String> = BTreeMap::new();
        for entry in &self.container.env {
            match entry {
                Env::Value(name, value) => {
                    let value = expanded(value, &env);
                    env.insert(name, value);
                }
                Env::Key(name, map, key) => match self.map(map).and_then(|m| m.data.get(key)) {
                    Some(value) => drop(env.insert(name, value.clone())),
                    None => drop(env.remove(name.as_str())),
                },
                Env::Hidden(name) => drop(env.remove(name.as_str())),
                Env::All(map, prefix) => {
                    let data = self.map(map).map(|m| &m.data);
                    prefixed.extend(data.into_iter().flatten().map(|(k, v)| (format!("{prefix}{k}"), v.clone())));
                }
            }
        }
        let set: Vec<&str> = self.container.env.iter().filter_map(Env::name).collect();
        prefixed.retain(|name, _| !set.contains(&name.as_str()));
        let own = env.into_iter().map(|(name, value)| (Name::new(name), Name::from(value)));
        own.chain(prefixed.into_iter().map(|(name, value)| (Name::from(name), Name::from(value)))).collect()
    }

    fn map(&self, name: &str) -> Option<&Object> {
        self.system.objects.iter().find(|o| o.kind == "ConfigMap" && o.name == *name)
    }
}

/// `$(NAME)` is a variable that was set before.
fn expanded(value: &str, env: &BTreeMap<&str, String>) -> String {
    let (mut out, mut rest) = (String::new(), value);
    while let Some((before, after)) = rest.split_once("$(") {
        let Some((name, tail)) = after.split_once(')') else { break };
        out.push_str(before);
        out.push_str(env.get(name).map_or("{}", String::as_str));
        rest = tail;
    }
    out.push_str(rest);
    out
}
