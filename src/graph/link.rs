//! Where a remote call leads: the name of the dependency, and the handlers of this tree that answer it.
//!
//! The order in which names apply is the one of semantics.md, "Which dependency, which system".

use super::address::{Address, paths_fit};
use crate::effect::{PlaceId, Remote, Target};
use crate::fact::{Facts, Handler, Place};
use crate::name::Name;
use crate::settings::{Service, Settings};
use crate::source::Sources;

/// What is known of a remote call's other end.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    pub dependency: Name,
    /// Alternatives; empty if nothing of this tree answers.
    pub handlers: Vec<PlaceId>,
    pub gaps: Vec<Name>,
}

pub struct Links<'a> {
    facts: &'a Facts,
    settings: &'a Settings,
    /// Per service of the settings: its handlers.
    handlers: Vec<Vec<&'a Handler>>,
    /// Per place: the service of the settings it belongs to.
    home: Vec<Option<usize>>,
}

impl<'a> Links<'a> {
    pub fn new(facts: &'a Facts, settings: &'a Settings, sources: &Sources) -> Links<'a> {
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
        Links { facts, settings, handlers, home }
    }

    /// The service that a place belongs to, as names of dependencies hold it.
    pub fn service(&self, place: PlaceId) -> &str {
        match self.home[place.0 as usize] {
            Some(service) => &self.settings.services[service].name,
            None => &self.facts.place(place).service,
        }
    }

    /// Where a remote call of that place leads. `given` is the address that a caller has bound to its parameter.
    pub fn link(&self, place: PlaceId, remote: &Remote, given: Option<&Name>) -> Link {
        let bound = given.map(|text| match text.strip_prefix('$') {
            Some(env) => Target { env: Some(Name::new(env)), ..Target::default() },
            None => Target { address: Some(text.clone()), ..Target::default() },
        });
        let target = bound.as_ref().unwrap_or(&remote.target);
        let address = target.address.as_deref().map(Address::parse).unwrap_or_default();
        let listed = self.settings.dependencies.iter().find(|d| d.hosts.iter().any(|h| address.is_at(h)));
        if let Some(listed) = listed {
            return Link { dependency: Name::new(&listed.name), handlers: Vec::new(), gaps: Vec::new() };
        }
        if let Some(service) = self.service_at(&address) {
            return self.to_service(service, remote, &address, Vec::new());
        }
        if address.host.is_none()
            && let Some(link) = self.by_edge(place, remote, &address)
        {
            return link;
        }
        let dependency = self.named(place, remote, target, &address);
        Link { dependency, handlers: Vec::new(), gaps: Vec::new() }
    }

    /// The constant host of a call of another service, if neither the tree nor the settings say what it is.
    pub fn unresolved(&self, remote: &Remote) -> Option<Name> {
        let between_services = remote.system == "http" || remote.system == "grpc";
        let address = Address::parse(remote.target.address.as_deref().filter(|_| between_services)?);
        let listed = self.settings.dependencies.iter().any(|d| d.hosts.iter().any(|h| address.is_at(h)));
        let shown = address.shown().filter(|_| !listed && self.service_at(&address).is_none())?;
        Some(Name::from(shown))
    }

    fn service_at(&self, address: &Address) -> Option<usize> {
        let at = |s: &Service| address.is_at(&s.name) || s.hosts.iter().any(|h| address.is_at(h));
        self.settings.services.iter().position(at)
    }

    /// `[[edge]]` says where calls with an address that nobody can see lead.
    fn by_edge(&self, place: PlaceId, remote: &Remote, address: &Address) -> Option<Link> {
        if remote.system != "http" && remote.system != "grpc" {
            return None;
        }
        let here = self.facts.place(place);
        let from = |name: &str| name == self.service(place) || here.package == *name || here.service == *name;
        let to: Vec<&str> = self.settings.edges.iter().filter(|e| from(&e.from)).map(|e| e.to.as_str()).collect();
        let first = *to.first()?;
        let gaps = match to.len() {
            1 => Vec::new(),
            _ => vec![Name::from(format!("ambiguous: {}", to.join(" or ")))],
        };
        Some(match self.settings.services.iter().position(|s| s.name == first) {
            Some(service) => self.to_service(service, remote, address, gaps),
            None => Link { dependency: Name::new(first), handlers: Vec::new(), gaps },
        })
    }

    fn to_service(&self, service: usize, remote: &Remote, address: &Address, mut gaps: Vec<Name>) -> Link {
        let name = &self.settings.services[service].name;
        let all = &self.handlers[service];
        let fitting: Vec<&&Handler> = all.iter().filter(|h| fits(h, remote, address)).collect();
        if !all.is_empty() && fitting.is_empty() {
            gaps.push(Name::from(format!("no handler of {name} fits")));
        }
        let unknown = address.path.is_none() && remote.system != "grpc";
        if unknown && fitting.len() > 1 {
            gaps.push(Name::from(format!("which handler of {name} answers")));
        }
        let mut handlers: Vec<PlaceId> = fitting.iter().map(|h| h.place).collect();
        handlers.sort_unstable();
        handlers.dedup();
        Link { dependency: Name::new(name), handlers, gaps }
    }

    fn named(&self, place: PlaceId, remote: &Remote, target: &Target, address: &Address) -> Name {
        let service = self.service(place);
        let system = &remote.system;
        if let Some(shown) = address.shown() {
            return Name::from(shown);
        }
        if let Some(env) = &target.env {
            return Name::from(format!("{service}:${env}"));
        }
        if let Some(via) = &target.via {
            return Name::from(format!("{service}:{system} via {via}"));
        }
        if let Some(method) = &target.method {
            return Name::from(format!("{service}:{method}"));
        }
        let here = self.facts.place(place);
        match target.param.and_then(|i| here.params.get(i as usize)) {
            Some(param) => Name::from(format!("{}({})", last_two(&here.name), param.name)),
            None => Name::from(format!("{service}:{system}")),
        }
    }
}

/// Whether a service of the settings is made of that package: by its name, its folder or its config file.
fn is_of(service: &Service, package: &str, of: &str, path: &str) -> bool {
    if service.config.as_deref().is_some_and(|config| config.trim_start_matches("./") == path) {
        return true;
    }
    match service.package.as_deref() {
        Some(wanted) => {
            let folder = wanted.trim_start_matches("./").trim_end_matches('/');
            let below = path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
            package == wanted || package == folder || (!folder.is_empty() && below)
        }
        None => service.config.is_none() && (package == service.name || of == service.name),
    }
}

fn fits(handler: &Handler, remote: &Remote, address: &Address) -> bool {
    if remote.system == "grpc" {
        let last = handler.path.as_deref().and_then(|p| p.rsplit('/').next());
        return match (last, remote.verb.as_deref()) {
            (Some(last), Some(verb)) => last.eq_ignore_ascii_case(verb),
            _ => true,
        };
    }
    let method = match (handler.method.as_deref(), remote.verb.as_deref()) {
        (Some(has), Some(asked)) => has.eq_ignore_ascii_case(asked),
        _ => true,
    };
    let path = match (handler.path.as_deref(), address.path.as_deref()) {
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
