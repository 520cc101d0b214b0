//! All Envoy files of a run, and what a name in one of them means: a cluster, a route table, an internal listener may stand
//! in another file, which a control plane or a watched folder hands to the same process.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::config::{Cluster, File, Listener, Listens, Routes, Table};
use crate::name::Name;
use crate::source::FileId;

pub struct Source<'a> {
    pub id: FileId,
    pub path: &'a str,
    pub file: File,
}

impl Source<'_> {
    /// The last folder above the file; its own name where there is none.
    pub fn system_name(&self) -> &str {
        match self.path.rsplit_once('/') {
            Some((folders, _)) => folders.rsplit('/').next().unwrap_or(folders),
            None => self.path.split('.').next().unwrap_or(self.path),
        }
    }

    pub fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(self.path)
    }
}

/// Where something stands: a file among the sources, and a position in one of its lists.
type Spot = (usize, usize);

#[derive(Default)]
pub struct System<'a> {
    pub sources: Vec<Source<'a>>,
    by_id: HashMap<FileId, usize>,
    clusters: HashMap<Name, Vec<Spot>>,
    tables: HashMap<Name, Vec<Spot>>,
    internal: HashMap<Name, Vec<Spot>>,
    /// Tables that a listener takes its routes from.
    used: HashSet<Spot>,
}

impl<'a> System<'a> {
    /// All files together.
    pub fn new(sources: Vec<Source<'a>>) -> System<'a> {
        let mut system = System { sources, ..System::default() };
        for (i, source) in system.sources.iter().enumerate() {
            system.by_id.insert(source.id, i);
            let file = &source.file;
            note(&mut system.clusters, i, file.clusters.iter().map(|c| Some(&c.name)));
            note(&mut system.tables, i, file.tables.iter().map(|t| t.name.as_ref()));
            let internal = |l: &Listener| l.listens == Listens::Internal;
            note(&mut system.internal, i, file.listeners.iter().map(|l| internal(l).then_some(&l.name)));
        }
        let named = |s: &Source<'_>| -> Vec<Spot> {
            let names = s.file.managers().filter_map(|m| match &m.routes {
                Routes::Named(name) => Some(name),
                Routes::Inline(_) | Routes::Unknown => None,
            });
            names.filter_map(|name| system.pick(s.id, system.tables.get(name)?)).collect()
        };
        system.used = system.sources.iter().flat_map(named).collect();
        system
    }

    pub fn source(&self, id: FileId) -> &Source<'a> {
        let at = self.by_id.get(&id).expect("files are asked for by those that stand in one");
        &self.sources[*at]
    }

    /// The cluster that a file means by a name.
    pub fn cluster(&self, from: FileId, name: &str) -> Option<&Cluster> {
        let (source, at) = self.pick(from, self.clusters.get(name)?)?;
        Some(&self.sources[source].file.clusters[at])
    }

    /// The route table that a file means by a name.
    pub fn table(&self, from: FileId, name: &str) -> Option<(FileId, &Table)> {
        let (source, at) = self.pick(from, self.tables.get(name)?)?;
        let source = &self.sources[source];
        Some((source.id, &source.file.tables[at]))
    }

    /// The tables of a file that no listener of the run takes its routes from.
    pub fn unused_tables<'s>(&'s self, source: &'s Source<'a>) -> impl Iterator<Item = &'s Table> {
        let at = self.by_id[&source.id];
        let tables = source.file.tables.iter().enumerate();
        tables.filter(move |(i, _)| !self.used.contains(&(at, *i))).map(|(_, table)| table)
    }

    /// The internal listener that a cluster means.
    pub fn internal(&self, from: FileId, name: &str) -> Option<(FileId, usize)> {
        let (source, at) = self.pick(from, self.internal.get(name)?)?;
        Some((self.sources[source].id, at))
    }

    /// In the file itself; else, unless it is a bootstrap that holds all it needs, in the nearest file that is none, then in
    /// the nearest bootstrap. A bootstrap never means what stands in another one.
    fn pick(&self, from: FileId, spots: &[Spot]) -> Option<Spot> {
        let own = self.source(from);
        if let Some(spot) = spots.iter().find(|(s, _)| self.sources[*s].id == from) {
            return Some(*spot);
        }
        if own.file.bootstrap && !own.file.dynamic {
            return None;
        }
        let may = |s: &Source<'_>| !(own.file.bootstrap && s.file.bootstrap);
        let rank = |s: &Source<'_>| (!s.file.bootstrap, shared(own.path, s.path), Reverse(s.id));
        spots.iter().filter(|(s, _)| may(&self.sources[*s])).max_by_key(|(s, _)| rank(&self.sources[*s])).copied()
    }
}

/// Notes where each name stands; within one file the first counts.
fn note<'n>(all: &mut HashMap<Name, Vec<Spot>>, source: usize, names: impl Iterator<Item = Option<&'n Name>>) {
    for (at, name) in names.enumerate() {
        let Some(name) = name else { continue };
        let spots = all.entry(name.clone()).or_default();
        if spots.last().is_none_or(|(s, _)| *s != source) {
            spots.push((source, at));
        }
    }
}

/// How many folders two paths have in common.
fn shared(a: &str, b: &str) -> usize {
    a.split('/').zip(b.split('/')).take_while(|(a, b)| a == b).count()
}
