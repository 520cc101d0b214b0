//! What runs where: which hosts of a described system hold a file's code or config, and what of the tree a host holds.

use rustc_hash::FxHashMap;

use crate::fact::{Facts, Handler, Host, Runs};
use crate::name::Name;
use crate::source::{FileId, Sources};

#[derive(Default)]
pub struct Running<'a> {
    hosts: &'a [Host],
    /// Per file: the folder of the package it belongs to. Empty if no host is described.
    packages: Vec<Option<&'a str>>,
    /// Per host: what of the tree runs there. Several only if they are config files.
    what: Vec<Vec<&'a Runs>>,
    by_folder: FxHashMap<&'a str, Vec<usize>>,
    /// Hosts into whose package another one is built.
    by_part: FxHashMap<&'a str, Vec<usize>>,
    by_config: FxHashMap<FileId, Vec<usize>>,
    handlers: FxHashMap<&'a str, Vec<&'a Handler>>,
    /// Per port: the packages whose code takes requests there, each with a file in which it does.
    by_socket: FxHashMap<u16, Vec<(&'a str, FileId)>>,
}

impl<'a> Running<'a> {
    pub fn new(facts: &'a Facts, sources: &'a Sources) -> Running<'a> {
        if facts.hosts.is_empty() && facts.sockets.is_empty() {
            return Running::default();
        }
        let packages = packages(sources);
        let mut running = Running { hosts: &facts.hosts, packages, ..Running::default() };
        for (i, host) in facts.hosts.iter().enumerate() {
            let mut what: Vec<&Runs> = host.runs.iter().filter(|runs| in_tree(runs, sources)).collect();
            match what.first() {
                Some(Runs::Config(_)) => what.retain(|runs| matches!(runs, Runs::Config(_))),
                _ => what.truncate(1),
            }
            for runs in &what {
                running.add(i, host, runs, sources);
            }
            running.what.push(what);
        }
        running.sockets(facts);
        for handler in &facts.handlers {
            let file = facts.places.get(handler.place.0 as usize).map(|p| p.at.file);
            let package = file.and_then(|f| running.packages.get(f.0 as usize).copied().flatten());
            package.into_iter().for_each(|p| running.handlers.entry(p).or_default().push(handler));
        }
        running
    }

    fn add(&mut self, i: usize, host: &'a Host, runs: &'a Runs, sources: &Sources) {
        match runs {
            Runs::Folder(folder) => {
                self.by_folder.entry(folder).or_default().push(i);
                host.parts.iter().for_each(|part| self.by_part.entry(part).or_default().push(i));
            }
            Runs::Config(path) => {
                let file = sources.find(path);
                file.into_iter().for_each(|f| self.by_config.entry(f).or_default().push(i));
            }
            Runs::Elsewhere(_) => {}
        }
    }

    fn sockets(&mut self, facts: &Facts) {
        for socket in &facts.sockets {
            let Some(package) = self.packages.get(socket.at.file.0 as usize).copied().flatten() else { continue };
            let at_port = self.by_socket.entry(socket.port).or_default();
            if !at_port.iter().any(|(p, _)| *p == package) {
                at_port.push((package, socket.at.file));
            }
        }
    }

    /// Packages that take requests at a port of the machine; what runs in a container is on another.
    pub fn listening(&self, port: u16) -> Vec<(&'a str, FileId)> {
        let at_port = self.by_socket.get(&port).map_or(&[][..], Vec::as_slice);
        at_port.iter().copied().filter(|(package, _)| !self.by_folder.contains_key(package)).collect()
    }

    pub fn handlers_of(&self, package: &str) -> &[&'a Handler] {
        self.handlers.get(package).map_or(&[], Vec::as_slice)
    }

    /// The hosts that run what stands in a file. Of a library's those of the packages into which it is built.
    pub fn hosts_of(&self, file: FileId) -> &[usize] {
        if let Some(found) = self.by_config.get(&file) {
            return found;
        }
        let Some(package) = self.packages.get(file.0 as usize).copied().flatten() else { return &[] };
        self.by_folder.get(package).or_else(|| self.by_part.get(package)).map_or(&[], Vec::as_slice)
    }

    pub fn what(&self, host: usize) -> &[&'a Runs] {
        self.what.get(host).map_or(&[], Vec::as_slice)
    }

    /// What answers in the package that runs there; if nothing of its own does, what is built into it.
    pub fn handlers(&self, host: usize) -> Vec<&'a Handler> {
        let [Runs::Folder(folder)] = self.what(host) else { return Vec::new() };
        let of = |folder: &Name| self.handlers.get(folder.as_str()).into_iter().flatten().copied();
        let own: Vec<&'a Handler> = of(folder).collect();
        if own.is_empty() { self.hosts[host].parts.iter().flat_map(of).collect() } else { own }
    }

    /// The value that a host gives to a variable.
    pub fn value(&self, host: usize, name: &str) -> Option<Name> {
        self.hosts[host].env.iter().find(|(n, _)| **n == *name).map(|(_, value)| value.clone())
    }
}

fn in_tree(runs: &Runs, sources: &Sources) -> bool {
    match runs {
        Runs::Folder(folder) if folder.is_empty() => sources.find("Cargo.toml").is_some(),
        Runs::Folder(folder) => sources.find(&format!("{folder}/Cargo.toml")).is_some(),
        Runs::Config(path) => sources.find(path).is_some(),
        Runs::Elsewhere(_) => true,
    }
}

/// Per file: the nearest folder above it with the manifest of a package.
fn packages(sources: &Sources) -> Vec<Option<&str>> {
    let is_package = |text: &str| text.lines().any(|l| matches!(l.trim(), "[package]" | "[project]"));
    let manifests = sources.iter().filter(|(_, f)| f.path.ends_with("Cargo.toml") && is_package(&f.text));
    let with: rustc_hash::FxHashSet<&str> = manifests.map(|(_, f)| folder(&f.path)).collect();
    let nearest = |path| {
        let mut at = folder(path);
        loop {
            match with.get(at) {
                Some(found) => return Some(*found),
                None if at.is_empty() => return None,
                None => at = folder(at),
            }
        }
    };
    sources.iter().map(|(_, file)| nearest(file.path.as_str())).collect()
}

/// The folder that holds a file or a folder, empty at the top.
fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
