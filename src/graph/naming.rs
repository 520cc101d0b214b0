//! What configs call what they pass on to: an upstream, a cluster, a backend.
//!
//! Two lists of addresses that share one are the same thing, whatever each config calls it. The same name for things that
//! share no address means two things: each then has its config's folder in front (`edge:backend`).

use rustc_hash::{FxHashMap, FxHashSet};

use crate::effect::{self, Effect, Remote};
use crate::fact::Facts;
use crate::name::Name;
use crate::source::{FileId, Sources};

#[derive(Debug, Default)]
pub struct Naming {
    /// Per file and name in it: the dependency's name.
    names: FxHashMap<(FileId, Name), Name>,
}

/// One name in one config, with the addresses behind it.
struct Entry {
    file: FileId,
    name: Name,
    servers: Vec<Name>,
}

impl Naming {
    pub fn new(facts: &Facts, sources: &Sources) -> Naming {
        let entries = entries(facts);
        let group = groups(&entries);
        let mut meanings: FxHashMap<&Name, FxHashSet<usize>> = FxHashMap::default();
        for (i, entry) in entries.iter().enumerate() {
            meanings.entry(&entry.name).or_default().insert(group[i]);
        }
        let mut names = FxHashMap::default();
        for (i, entry) in entries.iter().enumerate() {
            // The first entry of a group names it.
            let first = &entries[group[i]];
            let shared = meanings.get(&first.name).is_some_and(|all| all.len() > 1);
            let name = match shared {
                true => Name::from(format!("{}:{}", folder(sources, first.file), first.name)),
                false => first.name.clone(),
            };
            names.insert((entry.file, entry.name.clone()), name);
        }
        Naming { names }
    }

    pub fn of<'n>(&'n self, remote: &'n Remote) -> Option<&'n Name> {
        let name = remote.target.named.as_ref()?;
        self.names.get(&(remote.at.file, name.clone())).or(Some(name))
    }
}

fn entries(facts: &Facts) -> Vec<Entry> {
    let mut at: FxHashMap<(FileId, Name), usize> = FxHashMap::default();
    let mut found: Vec<Entry> = Vec::new();
    for place in &facts.places {
        effect::walk(&place.body, &mut |e| {
            let Effect::Remote(remote) = e else { return };
            let Some(name) = &remote.target.named else { return };
            let i = *at.entry((remote.at.file, name.clone())).or_insert_with(|| {
                found.push(Entry { file: remote.at.file, name: name.clone(), servers: Vec::new() });
                found.len() - 1
            });
            found[i].servers.extend(remote.target.servers.iter().cloned());
        });
    }
    found
}

/// Per entry: the first entry with which it shares an address, directly or through others; itself if with none.
fn groups(entries: &[Entry]) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..entries.len()).collect();
    let mut first_with: FxHashMap<&Name, usize> = FxHashMap::default();
    for (i, entry) in entries.iter().enumerate() {
        for server in &entry.servers {
            let other = *first_with.entry(server).or_insert(i);
            let (a, b) = (first(&mut parent, other), first(&mut parent, i));
            parent[a.max(b)] = a.min(b);
        }
    }
    (0..entries.len()).map(|i| first(&mut parent, i)).collect()
}

/// The first entry of a group, with the way there made shorter.
fn first(parent: &mut [usize], mut i: usize) -> usize {
    while parent[i] != i {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    i
}

/// The last folder above a config; the file's own name where there is none.
fn folder(sources: &Sources, file: FileId) -> String {
    let known = (file.0 as usize) < sources.len();
    let path = if known { sources.get(file).path.as_str() } else { "" };
    let mut parts = path.rsplit('/');
    let name = parts.next().unwrap_or_default();
    parts.next().map_or_else(|| name.split('.').next().unwrap_or(name).to_owned(), str::to_owned)
}
