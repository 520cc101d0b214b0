//! What stands at an address: entrances of proxies, and hosts of a described system with what runs there.

use super::{Ask, Link, Links};
use crate::effect::{PlaceId, Remote};
use crate::fact::{Entrance, Handler, Mesh, Runs, Sidecar};
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
            return vec![self.by_rpc(ask).unwrap_or_else(|| Link::named(self.named(ask, address)))];
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

    /// What of this tree is the gRPC service that is asked by its name, where one package alone has it.
    fn by_rpc(&self, ask: &Ask<'_>) -> Option<Link> {
        let service = ask.target.rpc.as_deref()?.rsplit('.').next()?;
        let wanted = ask.remote.verb.as_deref();
        let asked = |h: &&Handler| {
            let method = h.rpc.as_deref().and_then(|rpc| rpc.split('/').nth(1));
            wanted.is_none_or(|wanted| method.is_some_and(|m| m.eq_ignore_ascii_case(wanted)))
        };
        let found: Vec<&Handler> = self.rpcs.get(service)?.iter().copied().filter(asked).collect();
        let first = found.first()?;
        let one = found.iter().all(|h| h.package == first.package);
        one.then(|| self.to_handlers(&first.service, &found, ask, Vec::new()))
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

    /// What the proxy of a mesh beside the caller, or a gateway, does with a call that asks for a name of its routes.
    pub(super) fn taken_up(&self, ask: &Ask<'_>, address: &Address) -> Option<Link> {
        let indices = self.by_name(ask.place, ask.homes, ask.remote, address);
        let entrances: Vec<&Entrance> = indices.iter().map(|i| &self.facts.by_name[*i].entrance).collect();
        (!entrances.is_empty()).then(|| self.answering(&entrances, address.host.as_deref(), ask, address))
    }

    /// The routes that take a call by the name it asks for.
    pub(super) fn by_name(&self, place: PlaceId, homes: &[usize], remote: &Remote, address: &Address) -> Vec<usize> {
        let named = matches!(remote.system.as_str(), "http" | "grpc") && !remote.target.past_mesh;
        let Some(host) = address.host.as_deref().filter(|_| named) else { return Vec::new() };
        let asker = Asker { file: remote.at.file, homes };
        self.nearby.by_name(asker, self.sidecar(place, homes), host)
    }

    /// Whether the proxy of a mesh stands beside a place: as the settings say, or what it runs on.
    fn sidecar(&self, place: PlaceId, homes: &[usize]) -> Sidecar {
        let service = self.home[place.0 as usize].map(|s| &self.settings.services[s]);
        if let Some(mesh) = service.and_then(|s| Mesh::from_name(s.sidecar.as_deref()?)) {
            return Sidecar::Of(mesh);
        }
        let all = || homes.iter().map(|home| self.facts.hosts[*home].sidecar);
        let surely = all().find(|s| matches!(s, Sidecar::Of(_)));
        let none = || (!homes.is_empty() && all().all(|s| s == Sidecar::None)).then_some(Sidecar::None);
        surely.or_else(none).unwrap_or_default()
    }

    /// Through one of several proxies: the routes that answer there.
    pub(super) fn through(&self, entrances: &[usize], ask: &Ask<'_>, address: &Address) -> Link {
        let entrances: Vec<&Entrance> = entrances.iter().map(|i| &self.facts.entrances[*i]).collect();
        let host = address.host.as_deref().filter(|_| ask.target.passes.is_none());
        self.answering(&entrances, host, ask, address)
    }

    fn answering(&self, entrances: &[&Entrance], host: Option<&str>, ask: &Ask<'_>, address: &Address) -> Link {
        let mut link = Link::default();
        for entrance in entrances {
            let routes = routes::answering(entrance, host, &ask.sent);
            if routes.len() > 1 {
                let file = &self.sources.get(entrance.file).path;
                link.gaps.push(Name::from(format!("which route of {file} answers")));
            }
            link.leads.extend(routes.iter().map(|r| Lead { place: r.place, request: ask.sent.clone() }));
        }
        if entrances.len() > 1 {
            link.gaps.push(self.ambiguous(entrances.iter().map(|e| e.file).collect()));
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
