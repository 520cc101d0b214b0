//! All Envoy files of a run, and what a name in one of them means: a cluster, a route table, an internal listener may stand
//! in another file, which a control plane or a watched folder hands to the same process.

use super::config::{Cluster, File, Listens, Routes, Table};
use crate::source::{FileId, Sources};

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

#[derive(Default)]
pub struct System<'a> {
    pub sources: Vec<Source<'a>>,
}

impl<'a> System<'a> {
    pub fn add(&mut self, sources: &'a Sources, id: FileId, file: File) {
        self.sources.push(Source { id, path: &sources.get(id).path, file });
    }

    pub fn source(&self, id: FileId) -> &Source<'a> {
        self.sources.iter().find(|s| s.id == id).expect("files are asked for by those that stand in one")
    }

    /// The cluster that a file means by a name.
    pub fn cluster(&self, from: FileId, name: &str) -> Option<&Cluster> {
        self.look(from, |file| file.clusters.iter().find(|c| *c.name == *name))
    }

    /// The route table that a file means by a name.
    pub fn table(&self, from: FileId, name: &str) -> Option<(FileId, &Table)> {
        let named = |t: &&Table| t.name.as_ref().is_some_and(|n| **n == *name);
        self.look(from, |file| file.tables.iter().find(named)).map(|table| (table.at.file, table))
    }

    /// Whether any listener of the run takes its routes from that table.
    pub fn is_used(&self, table: &Table) -> bool {
        let managers = self.sources.iter().flat_map(|s| s.file.managers().map(|m| (s.id, m)));
        managers.into_iter().any(|(from, manager)| match &manager.routes {
            Routes::Named(name) => self.table(from, name).is_some_and(|(_, found)| std::ptr::eq(found, table)),
            Routes::Inline(_) | Routes::Unknown => false,
        })
    }

    /// In the file itself; else, unless it is a bootstrap that holds all it needs, in the nearest file that is none, then in
    /// the nearest bootstrap. A bootstrap never means what stands in another one.
    fn look<'s, T>(&'s self, from: FileId, find: impl Fn(&'s File) -> Option<T>) -> Option<T> {
        let own = self.source(from);
        if let Some(found) = find(&own.file) {
            return Some(found);
        }
        if own.file.bootstrap && !own.file.dynamic {
            return None;
        }
        let others = self.sources.iter().filter(|s| s.id != from && !(own.file.bootstrap && s.file.bootstrap));
        let found = others.filter_map(|s| Some((s, find(&s.file)?)));
        let rank = |s: &Source<'_>| (!s.file.bootstrap, shared(own.path, s.path), std::cmp::Reverse(s.id));
        found.max_by_key(|(s, _)| rank(s)).map(|(_, found)| found)
    }

    /// The internal listener that a cluster means.
    pub fn internal(&self, from: FileId, name: &str) -> Option<(FileId, usize)> {
        let here =
            |file: &'_ File| file.listeners.iter().position(|l| l.listens == Listens::Internal && *l.name == *name);
        let own = here(&self.source(from).file).map(|i| (from, i));
        own.or_else(|| self.sources.iter().find_map(|s| Some((s.id, here(&s.file)?))))
    }
}

/// How many folders two paths have in common.
fn shared(a: &str, b: &str) -> usize {
    a.split('/').zip(b.split('/')).take_while(|(a, b)| a == b).count()
}
