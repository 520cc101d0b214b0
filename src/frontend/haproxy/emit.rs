//! Facts of a configuration: a place for each way from a frontend to a backend, an entrance for each frontend, and an
//! operation for each rule that reaches a server.

use rustc_hash::FxHashMap;

use super::effects::{self, Reached};
use super::routes::{self, Goal, Rule};
use super::unit::{Proxy, Unit};
use crate::effect::{Call, Callee, Effect, Judged, PlaceId};
use crate::fact::{Entrance, Facts, Operation, OperationKind, PathRule, Place, Request, Route, VirtualHost};
use crate::name::Name;
use crate::source::{Sources, Span};

struct Maker<'u> {
    unit: &'u Unit,
    sources: &'u Sources,
    /// By frontend and backend, each a position.
    known: FxHashMap<(Option<usize>, usize), PlaceId>,
    /// Backends that a text made of the request may mean.
    picked: Vec<usize>,
    /// The place that stands for all of them, per frontend.
    by_request: FxHashMap<Option<usize>, PlaceId>,
}

/// Where more ways lead to backends that are picked by the request, all frontends share one.
const MOST_WAYS: usize = 4_000;

pub fn facts(unit: &Unit, sources: &Sources, facts: &mut Facts) {
    let (known, by_request) = Default::default();
    let mut maker = Maker { unit, sources, known, picked: effects::picked(unit), by_request };
    let mut reached = vec![false; unit.proxies.len()];
    for (i, proxy) in unit.proxies.iter().enumerate().filter(|(_, p)| p.section.kind.takes_requests()) {
        let places: Vec<Option<PlaceId>> = proxy.rules.iter().map(|rule| maker.of_rule(i, rule, facts)).collect();
        proxy.rules.iter().filter_map(|r| unit.reached(i, &r.goal)).for_each(|b| reached[b] = true);
        maker.entrance(proxy, &places, facts);
    }
    // A backend whose frontend is not among the files.
    for (i, _) in unit.proxies.iter().enumerate().filter(|(i, p)| p.servers.is_some() && !reached[*i]) {
        maker.backend(None, i, facts);
    }
}

impl Maker<'_> {
    /// `None`: it leads to a backend that is not among the files.
    fn of_rule(&mut self, frontend: usize, rule: &Rule, facts: &mut Facts) -> Option<PlaceId> {
        match &rule.goal {
            Goal::Answer => Some(self.add(rule.at, "answer", Effect::Nothing, facts)),
            Goal::Picked(_) => Some(self.any_of(frontend, rule.at, facts)),
            goal => {
                let to = self.unit.reached(frontend, goal)?;
                Some(self.backend(Some(frontend), to, facts))
            }
        }
    }

    fn any_of(&mut self, frontend: usize, at: Span, facts: &mut Facts) -> PlaceId {
        let few = self.picked.len().saturating_mul(self.unit.proxies.len()) <= MOST_WAYS;
        let from = few.then_some(frontend);
        if let Some(known) = self.by_request.get(&from) {
            return *known;
        }
        let call = |place: PlaceId| Effect::Call(Call { callee: Callee::Place(place), args: Vec::new(), at });
        let all = self.picked.clone().into_iter().map(|b| call(self.backend(from, b, facts))).collect();
        let place = self.add(at, "backend by the request", Effect::Branch(all, Judged::Other), facts);
        self.by_request.insert(from, place);
        place
    }

    fn backend(&mut self, frontend: Option<usize>, backend: usize, facts: &mut Facts) -> PlaceId {
        if let Some(known) = self.known.get(&(frontend, backend)) {
            return *known;
        }
        let to = &self.unit.proxies[backend];
        let from = frontend.map(|f| &self.unit.proxies[f]);
        let label = match from {
            Some(from) if frontend != Some(backend) => format!("{} to {}", from.section.name, to.section.name),
            _ => to.section.name.to_string(),
        };
        let id = self.add(to.section.head.at, &label, Effect::Nothing, facts);
        self.known.insert((frontend, backend), id);
        let function = facts.place(id).name.clone();
        let body = Reached { frontend: from, backend: to, function }.effect(facts);
        facts.places[id.0 as usize].body = body;
        id
    }

    fn add(&self, at: Span, label: &str, body: Effect, facts: &mut Facts) -> PlaceId {
        let path = &self.sources.get(at.file).path;
        let file = path.rsplit('/').next().unwrap_or(path);
        let service = self.unit.service.clone();
        facts.add_place(Place {
            name: Name::from(format!("{file} {label}")),
            at,
            params: Vec::new(),
            body,
            package: service.clone(),
            service,
            takes_request: true,
        })
    }

    fn entrance(&self, proxy: &Proxy, places: &[Option<PlaceId>], facts: &mut Facts) {
        let routes = |rules: &[usize]| {
            let known = rules.iter().filter_map(|r| Some((&proxy.rules[*r], places[*r]?)));
            known.flat_map(|(rule, place)| of_rule(rule, place)).collect()
        };
        let host = |(name, rules): (Option<Name>, Vec<usize>)| VirtualHost {
            names: name.into_iter().collect(),
            routes: routes(&rules),
        };
        let sockets = &proxy.sockets;
        let hosts = routes::by_host(&proxy.rules).into_iter().map(host).collect();
        facts.entrances.push(Entrance { file: proxy.file, listens: sockets.listens.clone(), hosts });
        if sockets.public {
            for (rule, place) in proxy.rules.iter().zip(places) {
                let reaches = place.filter(|_| rule.goal != Goal::Answer);
                reaches.into_iter().for_each(|place| self.operations(proxy, rule, place, facts));
            }
        }
    }

    /// One for each path that a rule names; where it names none, one.
    fn operations(&self, proxy: &Proxy, rule: &Rule, place: PlaceId, facts: &mut Facts) {
        if !reaches_out(facts, place) {
            return;
        }
        let method = match rule.methods.as_slice() {
            [method] => Some(method.clone()),
            _ => None,
        };
        let none = [PathRule::Any];
        let paths = if rule.paths.is_empty() { &none[..] } else { &rule.paths };
        for path in paths {
            let (label, path) = named(proxy, rule, path);
            let name = match &method {
                Some(method) => format!("{method} {label}"),
                None => label,
            };
            facts.operations.push(Operation {
                name: Name::from(name),
                kind: OperationKind::Http,
                place,
                at: rule.at,
                service: self.unit.service.clone(),
                request: Request { method: method.clone(), path },
                unless_called: true,
            });
        }
    }
}

/// What an operation is called, and its path as far as it is known.
fn named(proxy: &Proxy, rule: &Rule, path: &PathRule) -> (String, Option<Name>) {
    match path {
        PathRule::Any => {
            let host = rule.hosts.first().map(|h| format!(" {h}")).unwrap_or_default();
            (format!("frontend {}{host}", proxy.section.name), None)
        }
        PathRule::Exact(path) => (path.to_string(), Some(path.clone())),
        PathRule::Prefix(path) => (path.to_string(), Some(Name::from(format!("{path}{{*}}")))),
        PathRule::Pattern(pattern) => (pattern.to_string(), None),
    }
}

fn of_rule(rule: &Rule, place: PlaceId) -> Vec<Route> {
    let route = |path: PathRule| Route { methods: rule.methods.clone(), path, perhaps: rule.perhaps, place };
    match rule.paths.is_empty() {
        true => vec![route(PathRule::Any)],
        false => rule.paths.iter().cloned().map(route).collect(),
    }
}

/// Whether a server can be reached from a place.
fn reaches_out(facts: &Facts, place: PlaceId) -> bool {
    let mut open = vec![place];
    while let Some(id) = open.pop() {
        let mut remote = false;
        crate::effect::walk(&facts.place(id).body, &mut |effect| match effect {
            Effect::Remote(_) => remote = true,
            Effect::Call(Call { callee: Callee::Place(to), .. }) => open.push(*to),
            _ => {}
        });
        if remote {
            return true;
        }
    }
    false
}
