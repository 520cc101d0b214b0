//! Facts of all files: a place for every route and TCP proxy, an entrance for every listener, an operation for every route
//! that passes something on.
//!
//! Places come first, with nothing in them, since what stands behind an internal listener is called by its place.

mod tcp;

use std::collections::HashMap;

use rustc_hash::FxHashMap;

use super::config::{
    Action, Filter, FilterKind, Listener, Listens, Manager, Path, Route, Routes, Table, TcpProxy, VirtualHost,
};
use super::route::{Around, Bodies};
use super::system::{Source, System};
use crate::effect::{Effect, PlaceId};
use crate::fact::{self, Entrance, Facts, Listen, Operation, OperationKind, PathRule, Place, Request};
use crate::name::Name;
use crate::source::{FileId, Span};

/// A place that has no body yet.
enum Waiting<'s> {
    Route(Around<'s>),
    Tcp(FileId, &'s Listener, &'s TcpProxy),
}

/// A route table, and the way on which requests come to it.
#[derive(Clone, Copy)]
struct Way<'s> {
    file: FileId,
    manager: Option<&'s Manager>,
    server_names: &'s [Name],
    table: &'s Table,
}

struct Maker<'s, 'f> {
    system: &'s System<'s>,
    facts: &'f mut Facts,
    waiting: Vec<(PlaceId, Waiting<'s>)>,
    /// What answers behind an internal listener, by its file and position.
    internal: FxHashMap<(FileId, usize), Vec<PlaceId>>,
    /// How often a name was asked for.
    named: HashMap<(FileId, String), u32>,
}

pub fn facts(system: &System<'_>, facts: &mut Facts) {
    let (internal, named) = Default::default();
    let mut maker = Maker { system, facts, waiting: Vec::new(), internal, named };
    for source in &system.sources {
        for index in 0..source.file.listeners.len() {
            maker.listener(source, index);
        }
        for table in system.unused_tables(source) {
            maker.loose_table(Way { file: source.id, manager: None, server_names: &[], table });
        }
    }
    maker.fill();
}

impl<'s> Maker<'s, '_> {
    /// A route table that no listener of the run uses: a control plane gives it to one that is not seen here.
    fn loose_table(&mut self, way: Way<'s>) {
        let first = self.waiting.len();
        let hosts = self.hosts(way);
        self.facts.entrances.push(Entrance { file: way.file, listens: Vec::new(), hosts });
        self.operations(first);
    }

    fn listener(&mut self, source: &'s Source<'s>, index: usize) {
        let listener = &source.file.listeners[index];
        let first = self.waiting.len();
        let hosts: Vec<fact::VirtualHost> =
            listener.filters.iter().flat_map(|f| self.filter(source, listener, f)).collect();
        let listens = match &listener.listens {
            Listens::Internal => {
                let made = self.waiting[first..].iter().map(|(place, _)| *place).collect();
                self.internal.insert((source.id, index), made);
                return;
            }
            Listens::Socket(host, port) => vec![Listen { host: host.clone(), port: *port }],
            Listens::Elsewhere => Vec::new(),
        };
        self.facts.entrances.push(Entrance { file: source.id, listens, hosts });
        self.operations(first);
    }

    fn filter(&mut self, source: &'s Source<'s>, listener: &'s Listener, filter: &'s Filter) -> Vec<fact::VirtualHost> {
        let server_names = filter.server_names.as_slice();
        match &filter.what {
            FilterKind::Http(manager) => {
                let table = table(self.system, source.id, manager);
                let way = table.map(|(file, table)| Way { file, manager: Some(manager), server_names, table });
                way.map_or(Vec::new(), |way| self.hosts(way))
            }
            FilterKind::Tcp(proxy) => {
                let place = self.place(source, &tcp::label(listener), "another chain", proxy.at);
                self.waiting.push((place, Waiting::Tcp(source.id, listener, proxy)));
                let route = fact::Route { methods: Vec::new(), path: PathRule::Any, perhaps: false, place };
                vec![fact::VirtualHost { names: server_names.to_vec(), routes: vec![route] }]
            }
        }
    }

    fn hosts(&mut self, way: Way<'s>) -> Vec<fact::VirtualHost> {
        way.table.hosts.iter().map(|host| self.host(way, host)).collect()
    }

    fn host(&mut self, way: Way<'s>, host: &'s VirtualHost) -> fact::VirtualHost {
        let source = self.system.source(way.file);
        let mut routes = Vec::new();
        for route in &host.routes {
            let place = self.place(source, &format!("route {}", label(route)), &host.name, route.at);
            let around = Around { file: way.file, manager: way.manager, table: way.table, host, route };
            self.waiting.push((place, Waiting::Route(around)));
            routes.extend(rules_of(route, place));
        }
        fact::VirtualHost { names: names(&host.domains, way.server_names), routes }
    }

    /// A place with nothing in it, under a name that is its own in the file.
    fn place(&mut self, source: &Source<'_>, what: &str, of: &str, at: Span) -> PlaceId {
        let plain = format!("{} {what}", source.file_name());
        let count = self.named.entry((source.id, plain.clone())).or_default();
        *count += 1;
        let name = match *count {
            1 => plain,
            n => format!("{plain} of {of} ({n})"),
        };
        let folder = Name::new(source.system_name());
        self.facts.add_place(Place {
            name: Name::from(name),
            at,
            params: Vec::new(),
            body: Effect::Nothing,
            package: folder.clone(),
            service: folder,
            takes_request: true,
        })
    }

    /// One for every route made since that passes something on.
    fn operations(&mut self, first: usize) {
        for (place, waiting) in &self.waiting[first..] {
            let made = match waiting {
                Waiting::Route(around) if matches!(around.route.action, Action::Pass(_)) => {
                    operation(around.route, *place, self.system.source(around.file))
                }
                Waiting::Route(_) => continue,
                Waiting::Tcp(file, listener, proxy) => {
                    tcp::operation(listener, proxy, *place, self.system.source(*file))
                }
            };
            self.facts.operations.push(made);
        }
    }

    fn fill(self) {
        let Maker { system, facts, waiting, internal, .. } = self;
        let behind = |file: FileId, name: &str| {
            let key = system.internal(file, name);
            key.and_then(|k| internal.get(&k)).cloned().unwrap_or_default()
        };
        let bodies = Bodies { system, internal: &behind };
        for (id, waiting) in &waiting {
            let function = facts.place(*id).name.clone();
            let body = match waiting {
                Waiting::Route(around) => bodies.route(*around, &function, facts),
                Waiting::Tcp(file, _, proxy) => tcp::body(&bodies, *file, proxy, &function, facts),
            };
            facts.places[id.0 as usize].body = body;
        }
    }
}

fn table<'s>(system: &'s System<'s>, from: FileId, manager: &'s Manager) -> Option<(FileId, &'s Table)> {
    match &manager.routes {
        Routes::Inline(table) => Some((from, table)),
        Routes::Named(name) => system.table(from, name),
        Routes::Unknown => None,
    }
}

/// Hosts that a virtual host answers to, without their ports. Where it answers to all, the names its chain asks for count.
fn names(domains: &[Name], server_names: &[Name]) -> Vec<Name> {
    let all = domains.is_empty() || domains.iter().any(|d| *d == "*");
    if all && !server_names.is_empty() {
        return server_names.to_vec();
    }
    let bare = |domain: &Name| match domain.rsplit_once(':') {
        Some((host, port)) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit() || b == b'*') => {
            Name::new(host)
        }
        _ => domain.clone(),
    };
    domains.iter().map(bare).collect()
}

/// A path as people write it, with the method in front if there is one.
pub fn label(route: &Route) -> String {
    let path = match &route.matching.path {
        Path::Any => "/",
        Path::Prefix(p) | Path::Segments(p) | Path::Exact(p) | Path::Pattern(p) => p.as_str(),
        Path::Unknown => "?",
    };
    match route.matching.methods.as_slice() {
        [method] => format!("{method} {path}"),
        _ => path.to_string(),
    }
}

fn rules_of(route: &Route, place: PlaceId) -> Vec<fact::Route> {
    let of = |path: PathRule, perhaps: bool| fact::Route {
        methods: route.matching.methods.clone(),
        path,
        perhaps: perhaps || route.matching.perhaps,
        place,
    };
    match &route.matching.path {
        Path::Any => vec![of(PathRule::Any, false)],
        Path::Prefix(p) => vec![of(PathRule::Prefix(p.clone()), false)],
        Path::Exact(p) => vec![of(PathRule::Exact(p.clone()), false)],
        Path::Segments(p) => {
            vec![of(PathRule::Exact(p.clone()), false), of(PathRule::Prefix(Name::from(format!("{p}/"))), false)]
        }
        Path::Pattern(p) => vec![of(PathRule::Pattern(Name::from(format!("^(?:{p})$"))), false)],
        Path::Unknown => vec![of(PathRule::Any, true)],
    }
}

fn operation(route: &Route, place: PlaceId, source: &Source<'_>) -> Operation {
    let path = match &route.matching.path {
        Path::Any => Some(Name::new("/{*}")),
        Path::Prefix(p) => Some(Name::from(format!("{p}{{*}}"))),
        Path::Exact(p) | Path::Segments(p) => Some(p.clone()),
        Path::Pattern(_) | Path::Unknown => None,
    };
    let method = match route.matching.methods.as_slice() {
        [method] => Some(method.clone()),
        _ => None,
    };
    Operation {
        name: Name::from(label(route)),
        kind: if route.matching.grpc { OperationKind::Grpc } else { OperationKind::Http },
        place,
        at: route.at,
        service: Name::new(source.system_name()),
        request: Request { method, path },
        unless_called: true,
    }
}

/// What routes a file's listeners use, with the manager, and its tables that nobody uses.
pub fn routes<'s>(system: &'s System<'s>) -> Vec<Around<'s>> {
    let mut found = Vec::new();
    for source in &system.sources {
        let used =
            source.file.managers().filter_map(|m| table(system, source.id, m).map(|(file, t)| (Some(m), file, t)));
        let loose = system.unused_tables(source).map(|t| (None, source.id, t));
        for (manager, file, table) in used.chain(loose) {
            let of = |host: &'s VirtualHost| {
                host.routes.iter().map(move |route| Around { file, manager, table, host, route })
            };
            found.extend(table.hosts.iter().flat_map(of));
        }
    }
    found
}
