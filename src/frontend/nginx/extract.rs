//! Configurations to facts: places, the sockets at which requests come in, and the operations that begin there.

use rustc_hash::FxHashMap;

use super::conf::NodeId;
use super::location::{Kind, Location};
use super::places::{self, Places};
use super::server::Socket;
use super::unit::{self, Unit};
use super::{effects, remark};
use crate::effect::{Effect, PlaceId};
use crate::fact::{Entrance, Facts, Listen, Operation, OperationKind, PathRule, Request, Route, VirtualHost};
use crate::frontend::World;
use crate::name::Name;
use crate::source::Sources;

pub fn extract(world: &World<'_>, facts: &mut Facts) {
    let version = world.settings.versions.get("nginx").map(String::as_str);
    let found = unit::read(world.sources, version);
    for file in &found.files {
        facts.stats.files += 1;
        facts.stats.lines += world.sources.get(*file).line_starts().len() as u64;
    }
    facts.problems.extend(found.problems);
    facts.comments.extend(found.comments);
    for (file, language) in found.templates {
        facts.notes.push((file, format!("skipped, a template ({language}): what it makes can be read, it cannot")));
    }
    for unit in &found.units {
        configuration(unit, world.sources, facts);
    }
}

fn configuration(unit: &Unit<'_>, sources: &Sources, facts: &mut Facts) {
    let mut places = Places::new(unit, sources);
    places.fill(facts);
    let routes: Vec<Vec<Route>> = (0..unit.servers.len()).map(|s| routes(unit, s, &mut places, facts)).collect();
    for (server, routes) in routes.iter().enumerate() {
        operations(unit, server, &places, routes, facts);
    }
    entrances(unit, &routes, facts);
    remark::remarks(unit, facts);
}

/// What a server answers with before it looks for a location.
fn returned(unit: &Unit<'_>, server: NodeId) -> Option<Effect> {
    let first = unit.conf.named(server, "return").first()?;
    Some(effects::returned(unit.conf.node(*first).arg(0)))
}

/// The rules of a server in the order in which they are asked.
fn routes(unit: &Unit<'_>, server: usize, places: &mut Places<'_>, facts: &mut Facts) -> Vec<Route> {
    let block = &unit.servers[server];
    let any = |place: PlaceId| Route { methods: Vec::new(), path: PathRule::Any, perhaps: false, place };
    if block.stream {
        let body = |name: &Name, facts: &mut Facts| effects::stream(unit, block.node, name, facts);
        return vec![any(places.of_server(server, body, facts))];
    }
    if let Some(at_once) = returned(unit, block.node) {
        return vec![any(places.of_server(server, |_, _| at_once, facts))];
    }
    let all = &unit.locations[server];
    let asked = all.order().iter().copied().filter(|i| !all.all[*i].internal);
    asked.filter_map(|i| route(&all.all[i], places.of(server, i)?)).collect()
}

fn route(location: &Location, place: PlaceId) -> Option<Route> {
    let path = match location.kind {
        Kind::Exact => PathRule::Exact(Name::new(&location.path)),
        Kind::Prefix | Kind::Final => PathRule::Prefix(Name::new(&location.path)),
        Kind::Pattern | Kind::PatternAnyCase => PathRule::Pattern(Name::from(location.pattern())),
        Kind::Named => return None,
    };
    Some(Route { methods: Vec::new(), path, perhaps: location.nested, place })
}

fn operations(unit: &Unit<'_>, server: usize, places: &Places<'_>, routes: &[Route], facts: &mut Facts) {
    if !unit.servers[server].public {
        return;
    }
    for route in routes {
        if !places::reaches_out(facts, route.place) {
            continue;
        }
        let (name, path) = match &route.path {
            PathRule::Exact(path) => (path.clone(), Some(path.clone())),
            PathRule::Prefix(path) => (path.clone(), Some(Name::from(format!("{path}{{*}}")))),
            PathRule::Pattern(pattern) => (pattern.clone(), None),
            PathRule::Any => (Name::from(format!("frontend {}", places.server_label(server))), None),
        };
        let place = facts.place(route.place);
        facts.operations.push(Operation {
            name,
            kind: OperationKind::Http,
            place: route.place,
            at: place.at,
            service: place.service.clone(),
            request: Request { method: None, path },
            unless_called: true,
        });
    }
}

/// Servers that listen on the same socket, and which of them takes what no name fits.
struct Shared {
    sockets: Vec<Socket>,
    servers: Vec<usize>,
    default: usize,
}

/// One entrance for each set of servers that share their sockets.
fn entrances(unit: &Unit<'_>, routes: &[Vec<Route>], facts: &mut Facts) {
    for shared in shared(unit) {
        let listens = shared.sockets.iter().map(|s| Listen { host: s.host.clone(), port: s.port }).collect();
        let host = |server: usize, names: Vec<Name>| VirtualHost { names, routes: routes[server].clone() };
        let named = shared.servers.iter().filter(|s| !unit.servers[**s].names.is_empty());
        let mut hosts: Vec<VirtualHost> = named.map(|s| host(*s, unit.servers[*s].names.clone())).collect();
        hosts.push(host(shared.default, Vec::new()));
        facts.entrances.push(Entrance { file: places::file_of(unit, shared.servers[0]), listens, hosts });
    }
}

fn shared(unit: &Unit<'_>) -> Vec<Shared> {
    let mut by_socket: FxHashMap<(Option<&Name>, u16), usize> = FxHashMap::default();
    let mut sockets: Vec<Shared> = Vec::new();
    for (server, block) in unit.servers.iter().enumerate() {
        for socket in &block.sockets {
            let known = *by_socket.entry((socket.host.as_ref(), socket.port)).or_insert_with(|| {
                sockets.push(Shared { sockets: vec![socket.clone()], servers: Vec::new(), default: server });
                sockets.len() - 1
            });
            let known = &mut sockets[known];
            if known.servers.last() != Some(&server) {
                known.servers.push(server);
            }
            if socket.default {
                known.default = server;
            }
        }
    }
    together(sockets)
}

/// Sockets with the same servers behind them are one entrance.
fn together(sockets: Vec<Shared>) -> Vec<Shared> {
    let mut by_servers: FxHashMap<(Vec<usize>, usize), usize> = FxHashMap::default();
    let mut all: Vec<Shared> = Vec::new();
    for one in sockets {
        match by_servers.get(&(one.servers.clone(), one.default)) {
            Some(same) => all[*same].sockets.extend(one.sockets),
            None => {
                by_servers.insert((one.servers.clone(), one.default), all.len());
                all.push(one);
            }
        }
    }
    all
}
