//! What stands at an address: entrances of proxies, and hosts of a described system with what runs there.

use super::{Ask, Link, Links};
use crate::effect::PlaceId;
use crate::fact::Runs;
use crate::graph::Lead;
use crate::graph::address::Address;
use crate::graph::nearby::Asker;
use crate::graph::routes;
use crate::name::Name;
use crate::source::FileId;

/// Names that lead to names.
const DEEPEST: usize = 4;

impl Links<'_> {
    pub(super) fn asker(&self, place: PlaceId) -> Asker<'_> {
        let file = self.facts.place(place).at.file;
        Asker { file, homes: self.running.hosts_of(file) }
    }

    /// What answers at an address, as one: of alternatives everything that may.
    pub(super) fn one(&self, ask: &Ask<'_>, address: &Address) -> Link {
        let mut links = self.alternatives(ask, address);
        let mut link = links.remove(0);
        for other in links {
            link.leads.extend(other.leads.into_iter().filter(|lead| !link.leads.contains(lead)).collect::<Vec<_>>());
            link.gaps.extend(other.gaps.into_iter().filter(|gap| !link.gaps.contains(gap)).collect::<Vec<_>>());
            link.dependency = link.dependency.or(other.dependency);
        }
        link
    }

    /// What the tree has at an address; never empty.
    pub(super) fn claimed(&self, ask: &Ask<'_>, address: &Address, depth: usize) -> Vec<Link> {
        let asker = Asker { file: ask.remote.at.file, homes: ask.homes };
        let claims = self.nearby.claims(asker, &self.running, address);
        let mut links = Vec::new();
        if !claims.entrances.is_empty() {
            links.push(self.through(&claims.entrances, ask, address));
        }
        if let Some(package) = claims.package {
            let here = self.running.handlers_of(package);
            let name = here.first().map(|h| h.service.as_str());
            links.extend(name.map(|name| self.to_handlers(name, here, ask, Vec::new())));
        }
        links.extend(claims.hosts.iter().flat_map(|host| self.to_host(*host, ask, address, depth)));
        if links.is_empty() {
            return vec![Link::named(self.named(ask, address))];
        }
        let entrances = claims.entrances.iter().map(|i| self.facts.entrances[*i].file);
        let files: Vec<FileId> = entrances.chain(claims.hosts.iter().map(|i| self.facts.hosts[*i].file)).collect();
        let same = links.iter().all(|link| *link == links[0]);
        if same {
            links.truncate(1);
        } else {
            let gap = self.ambiguous(files);
            links.iter_mut().filter(|l| !l.gaps.contains(&gap)).for_each(|link| link.gaps.push(gap.clone()));
        }
        links
    }

    /// The gap of several answers of which one counts.
    pub(super) fn ambiguous(&self, mut files: Vec<FileId>) -> Name {
        files.sort_unstable();
        files.dedup();
        let paths: Vec<&str> = files.iter().map(|file| self.sources.get(*file).path.as_str()).collect();
        Name::from(format!("ambiguous: {}", paths.join(" or ")))
    }

    pub(super) fn entrances_of(&self, path: &str) -> Vec<usize> {
        let file = self.sources.find(path);
        let all = self.facts.entrances.iter().enumerate();
        all.filter(|(_, e)| Some(e.file) == file).map(|(i, _)| i).collect()
    }

    /// Through one of several proxies: the routes that answer there.
    pub(super) fn through(&self, entrances: &[usize], ask: &Ask<'_>, address: &Address) -> Link {
        let mut link = Link::default();
        for entrance in entrances {
            let entrance = &self.facts.entrances[*entrance];
            let host = address.host.as_deref().filter(|_| ask.target.passes.is_none());
            let routes = routes::answering(entrance, host, &ask.sent);
            if routes.len() > 1 {
                let file = &self.sources.get(entrance.file).path;
                link.gaps.push(Name::from(format!("which route of {file} answers")));
            }
            link.leads.extend(routes.iter().map(|r| Lead { place: r.place, request: ask.sent.clone() }));
        }
        if entrances.len() > 1 {
            link.gaps.push(self.ambiguous(entrances.iter().map(|i| self.facts.entrances[*i].file).collect()));
        }
        if link.leads.is_empty() {
            link.dependency = Some(self.named(ask, address));
        }
        link
    }

    fn to_host(&self, index: usize, ask: &Ask<'_>, address: &Address, depth: usize) -> Vec<Link> {
        let host = &self.facts.hosts[index];
        let called = address.port.or(address.usual);
        let local = address.host.as_deref().is_some_and(crate::graph::nearby::is_local);
        let ports = if local { &host.published } else { &host.ports };
        let inside = ports.iter().find(|(outside, _)| Some(*outside) == called).map_or(called, |(_, to)| Some(*to));
        match self.running.what(index) {
            [Runs::Folder(_)] => {
                let here = self.running.handlers(index);
                if !here.is_empty() {
                    let name = host.names.first().map_or("service", |n| n.as_str());
                    return vec![self.to_handlers(name, &here, ask, Vec::new())];
                }
            }
            [Runs::Elsewhere(other)] if depth < DEEPEST => {
                let there = Address { host: Some(other.to_ascii_lowercase()), ..address.clone() };
                return self.claimed(ask, &there, depth + 1);
            }
            configs => {
                let path = |runs: &&Runs| match runs {
                    Runs::Config(path) => self.entrances_of(path),
                    Runs::Folder(_) | Runs::Elsewhere(_) => Vec::new(),
                };
                let mut entrances: Vec<usize> = configs.iter().flat_map(path).collect();
                let at_port = |i: &usize| self.facts.entrances[*i].listens.iter().any(|l| Some(l.port) == inside);
                if entrances.iter().any(at_port) {
                    entrances.retain(at_port);
                }
                if !entrances.is_empty() {
                    return vec![self.through(&entrances, ask, address)];
                }
            }
        }
        vec![Link::named(self.named(ask, address))]
    }
}
