//! Where a remote call leads: the name of the dependency, and what of this tree answers it.
//!
//! The order in which names apply is the one of semantics.md, "Which dependency, which system". A proxy that answers is a hop
//! and no dependency; a service that answers is one, besides what lies behind it.

mod ends;

use rustc_hash::FxHashMap;

use super::address::{Address, paths_fit};
use super::naming::Naming;
use super::nearby::Nearby;
use super::running::Running;
use crate::effect::{Passes, PlaceId, Remote, Target, variable};
use crate::fact::{Facts, Handler, Place, Request};
use crate::name::Name;
use crate::settings::{Service, Settings};
use crate::source::Sources;

/// What is known of a remote call's other end.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Link {
    /// `None`: a hop of this tree answers, and what it passes on to is what counts.
    pub dependency: Option<Name>,
    /// What answers, as alternatives; empty if nothing of this tree does.
    pub leads: Vec<Lead>,
    pub gaps: Vec<Name>,
}

/// A place that answers, and the request as it arrives there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lead {
    pub place: PlaceId,
    pub request: Request,
}

impl Link {
    fn named(dependency: Name) -> Link {
        Link { dependency: Some(dependency), ..Link::default() }
    }
}

pub struct Links<'a> {
    facts: &'a Facts,
    settings: &'a Settings,
    sources: &'a Sources,
    /// Per service of the settings: its handlers.
    handlers: Vec<Vec<&'a Handler>>,
    /// Per gRPC service, as code names it: its handlers.
    rpcs: FxHashMap<&'a str, Vec<&'a Handler>>,
    /// Per place: the service of the settings it belongs to.
    home: Vec<Option<usize>>,
    nearby: Nearby<'a>,
    running: Running<'a>,
    naming: Naming,
}

/// One call that is being linked.
struct Ask<'c> {
    place: PlaceId,
    remote: &'c Remote,
    target: &'c Target,
    /// The hosts of a described system that run the place.
    homes: &'c [usize],
    /// The request as it is sent.
    sent: Request,
}

impl<'a> Links<'a> {
    pub fn new(facts: &'a Facts, settings: &'a Settings, sources: &'a Sources) -> Links<'a> {
        let belongs = |service: &Service, place: &Place| {
            let known = (place.at.file.0 as usize) < sources.len();
            let path = if known { sources.path(place.at) } else { "" };
            is_of(service, &place.package, &place.service, path)
        };
        let home: Vec<Option<usize>> = match settings.services.is_empty() {
            true => vec![None; facts.places.len()],
            false => {
                let find = |p: &Place| settings.services.iter().position(|s| belongs(s, p));
                facts.places.iter().map(find).collect()
            }
        };
        let of = |i: usize| {
            let here = |h: &&Handler| home.get(h.place.0 as usize).is_some_and(|s| *s == Some(i));
            facts.handlers.iter().filter(here).collect()
        };
        let handlers = (0..settings.services.len()).map(of).collect();
        let (nearby, naming) = (Nearby::new(facts, settings, sources), Naming::new(facts, sources));
        let running = Running::new(facts, sources);
        let mut rpcs: FxHashMap<&str, Vec<&Handler>> = FxHashMap::default();
        for handler in &facts.handlers {
            let service = handler.rpc.as_deref().and_then(|rpc| rpc.split('/').next());
            service.into_iter().for_each(|service| rpcs.entry(service).or_default().push(handler));
        }
        Links { facts, settings, sources, handlers, rpcs, home, nearby, running, naming }
    }

    /// The service that a place belongs to, as names of dependencies hold it.
    pub fn service(&self, place: PlaceId) -> &str {
        match self.home[place.0 as usize] {
            Some(service) => &self.settings.services[service].name,
            None => &self.facts.place(place).service,
        }
    }

    /// Where a remote call of that place leads: one link per server that it names, in their order; where it names none one,
    /// or one per alternative. `given` is the address that a caller has bound to its parameter, `came` the request that the
    /// place got.
    pub fn links(&self, place: PlaceId, remote: &Remote, given: Option<&Name>, came: &Request) -> Vec<Link> {
        let bound = given.map(|text| Target { address: Some(text.clone()), ..Target::default() });
        let target = bound.as_ref().unwrap_or(&remote.target);
        let homes = self.running.hosts_of(self.facts.place(place).at.file);
        if !target.servers.is_empty() {
            let ask =
                Ask { place, remote, target, homes, sent: sent(remote, &self.addresses(target, homes)[0].1, came) };
            return target.servers.iter().map(|server| self.one(&ask, &Address::parse(server))).collect();
        }
        let addresses = self.addresses(target, homes);
        let mut links = Vec::new();
        for (homes, address) in &addresses {
            let ask = Ask { place, remote, target, homes, sent: sent(remote, address, came) };
            links.extend(self.alternatives(&ask, address));
        }
        if addresses.len() > 1 {
            let files = addresses.iter().flat_map(|(homes, _)| *homes).map(|home| self.facts.hosts[*home].file);
            let gap = self.ambiguous(files.collect());
            links.iter_mut().filter(|l| !l.gaps.contains(&gap)).for_each(|link| link.gaps.push(gap.clone()));
        }
        links
    }

    /// Every place that a call can lead to, whatever request comes in.
    pub fn anywhere(&self, place: PlaceId, remote: &Remote) -> Vec<PlaceId> {
        let links = self.links(place, remote, None, &Request::default());
        links.into_iter().flat_map(|link| link.leads).map(|lead| lead.place).collect()
    }

    /// The addresses that a target can have, each with the hosts that give it: what is read from the environment has the
    /// value that the described system sets.
    fn addresses<'h>(&self, target: &Target, homes: &'h [usize]) -> Vec<(&'h [usize], Address)> {
        let Some(text) = target.address.as_deref() else { return vec![(homes, Address::default())] };
        if variable::first(text).is_none() {
            return vec![(homes, Address::parse(text))];
        }
        let given = |home: &usize| Address::parse(&variable::fill(text, &|name| self.running.value(*home, name)));
        let Some(first) = homes.first() else { return vec![(homes, Address::parse(&variable::defaults(text)))] };
        let all: Vec<Address> = homes.iter().map(given).collect();
        if all.iter().all(|address| *address == all[0]) {
            return vec![(homes, given(first))];
        }
        homes.chunks(1).zip(all).collect()
    }

    /// What answers at an address, each alternative by itself.
    fn alternatives(&self, ask: &Ask<'_>, address: &Address) -> Vec<Link> {
        if let Some(link) = self.taken_up(ask, address) {
            return vec![link];
        }
        let listed = self.settings.dependencies.iter().find(|d| d.hosts.iter().any(|h| address.is_at(h)));
        if let Some(listed) = listed {
            return vec![Link::named(Name::new(&listed.name))];
        }
        if let Some(service) = self.service_at(address) {
            return vec![self.to_service(service, ask, Vec::new())];
        }
        if address.host.is_none()
            && let Some(link) = self.by_edge(ask)
        {
            return vec![link];
        }
        self.claimed(ask, address, 0)
    }

    /// The constant hosts of a call of another service, if neither the tree nor the settings say what they are.
    pub fn unresolved(&self, place: PlaceId, remote: &Remote) -> Vec<Name> {
        if remote.system != "http" && remote.system != "grpc" {
            return Vec::new();
        }
        let asker = self.asker(place);
        let leads_nowhere = |address: &Address| {
            let listed = self.settings.dependencies.iter().any(|d| d.hosts.iter().any(|h| address.is_at(h)));
            let taken_up = || !self.by_name(place, asker.homes, remote, address).is_empty();
            let known = listed || self.service_at(address).is_some() || taken_up();
            !known && self.nearby.claims(asker, &self.running, address).is_empty()
        };
        let own = self.addresses(&remote.target, asker.homes).into_iter().map(|(_, address)| address);
        let addresses = own.chain(remote.target.servers.iter().map(|server| Address::parse(server)));
        addresses.filter(leads_nowhere).filter_map(|a| a.shown()).map(Name::from).collect()
    }

    fn service_at(&self, address: &Address) -> Option<usize> {
        let at = |s: &Service| address.is_at(&s.name) || s.hosts.iter().any(|h| address.is_at(h));
        self.settings.services.iter().position(at)
    }

    /// `[[edge]]` says where calls with an address that nobody can see lead.
    fn by_edge(&self, ask: &Ask<'_>) -> Option<Link> {
        if ask.remote.system != "http" && ask.remote.system != "grpc" {
            return None;
        }
        let here = self.facts.place(ask.place);
        let from = |name: &str| name == self.service(ask.place) || here.package == *name || here.service == *name;
        let to: Vec<&str> = self.settings.edges.iter().filter(|e| from(&e.from)).map(|e| e.to.as_str()).collect();
        let first = *to.first()?;
        let gaps = match to.len() {
            1 => Vec::new(),
            _ => vec![Name::from(format!("ambiguous: {}", to.join(" or ")))],
        };
        Some(match self.settings.services.iter().position(|s| s.name == first) {
            Some(service) => self.to_service(service, ask, gaps),
            None => Link { gaps, ..Link::named(Name::new(first)) },
        })
    }

    fn to_service(&self, service: usize, ask: &Ask<'_>, gaps: Vec<Name>) -> Link {
        let service_of = &self.settings.services[service];
        if let Some(config) = &service_of.config {
            let path = config.trim_start_matches("./");
            let entrances = self.entrances_of(path);
            if !entrances.is_empty() {
                return Link { gaps, ..self.through(&entrances, ask, &Address::default()) };
            }
        }
        self.to_handlers(&service_of.name, &self.handlers[service], ask, gaps)
    }

    fn to_handlers(&self, name: &str, all: &[&Handler], ask: &Ask<'_>, mut gaps: Vec<Name>) -> Link {
        let fitting: Vec<&&Handler> = all.iter().filter(|h| fits(h, ask)).collect();
        if !all.is_empty() && fitting.is_empty() {
            gaps.push(Name::from(format!("no handler of {name} fits")));
        }
        let unknown = ask.sent.path.is_none() && ask.remote.system != "grpc";
        if unknown && fitting.len() > 1 {
            gaps.push(Name::from(format!("which handler of {name} answers")));
        }
        let mut places: Vec<PlaceId> = fitting.iter().map(|h| h.place).collect();
        places.sort_unstable();
        places.dedup();
        let leads = places.into_iter().map(|place| Lead { place, request: ask.sent.clone() }).collect();
        Link { dependency: Some(Name::new(name)), leads, gaps }
    }

    fn named(&self, ask: &Ask<'_>, address: &Address) -> Name {
        let (service, system, target) = (self.service(ask.place), &ask.remote.system, ask.target);
        if let Some(name) = self.naming.of(ask.remote) {
            return name.clone();
        }
        if let Some(shown) = address.shown() {
            return Name::from(shown);
        }
        if let Some(env) = target.address.as_deref().and_then(variable::first) {
            return Name::from(format!("{service}:${env}"));
        }
        if let Some(via) = &target.via {
            return Name::from(format!("{service}:{system} via {via}"));
        }
        if let Some(method) = &target.method {
            return Name::from(format!("{service}:{method}"));
        }
        let here = self.facts.place(ask.place);
        match target.param.and_then(|i| here.params.get(i as usize)) {
            Some(param) => Name::from(format!("{}({})", last_two(&here.name), param.name)),
            None => Name::from(format!("{service}:{system}")),
        }
    }
}

/// The request that a call sends: its own, or the one that came in as far as the hop leaves it as it was.
fn sent(remote: &Remote, address: &Address, came: &Request) -> Request {
    let verb = remote.verb.as_ref().filter(|_| remote.system == "http");
    let own_method = match remote.system.as_str() {
        "grpc" => Some(Name::new("POST")),
        _ => verb.map(|v| Name::from(v.to_ascii_uppercase())),
    };
    let Some(passes) = &remote.target.passes else {
        return Request { method: own_method, path: address.path.as_deref().map(Name::new) };
    };
    let path = match passes {
        Passes::Same => came.path.clone(),
        Passes::Fixed(path) => Some(path.clone()),
        Passes::Prefix { from, to } => {
            let rest = came.path.as_deref().and_then(|path| path.strip_prefix(&**from));
            Some(Name::from(format!("{to}{}", rest.unwrap_or("{*}"))))
        }
        Passes::Unknown => None,
    };
    Request { method: own_method.or_else(|| came.method.clone()), path }
}

/// Whether a path of a file lies in a folder; the empty folder holds everything.
fn below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// Whether a service of the settings is made of that package: by its name, its folder or its config file.
fn is_of(service: &Service, package: &str, of: &str, path: &str) -> bool {
    if service.config.as_deref().is_some_and(|config| config.trim_start_matches("./") == path) {
        return true;
    }
    match service.package.as_deref() {
        Some(wanted) => {
            let folder = wanted.trim_start_matches("./").trim_end_matches('/');
            package == wanted || package == folder || (!folder.is_empty() && below(path, folder))
        }
        None => service.config.is_none() && (package == service.name || of == service.name),
    }
}

fn fits(handler: &Handler, ask: &Ask<'_>) -> bool {
    if ask.remote.system == "grpc" && ask.target.passes.is_none() {
        let last = handler.path.as_deref().and_then(|p| p.rsplit('/').next());
        return match (last, ask.remote.verb.as_deref()) {
            (Some(last), Some(verb)) => last.eq_ignore_ascii_case(verb),
            _ => true,
        };
    }
    let method = match (handler.method.as_deref(), ask.sent.method.as_deref()) {
        (Some(has), Some(asked)) => has.eq_ignore_ascii_case(asked),
        _ => true,
    };
    let path = match (handler.path.as_deref(), ask.sent.path.as_deref()) {
        (Some(has), Some(asked)) => paths_fit(asked, has),
        _ => true,
    };
    method && path
}

fn last_two(path: &str) -> &str {
    match path.rmatch_indices("::").nth(1) {
        Some((at, _)) => &path[at + 2..],
        None => path,
    }
}
