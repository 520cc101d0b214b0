//! One place for each location: what it does, and which other locations it sends requests to.
//!
//! A location that is reached as an error page is a place of its own where error pages hold in it: there they do not, unless
//! `recursive_error_pages` says so. So is one that nginx asks with a GET of its own, whatever the request was that came in:
//! `auth_request`, and an error page that is named by its path.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};

use super::conf::NodeId;
use super::effects::{self, Passing};
use super::location::{Kind, Location};
use super::pass::{self, Pass};
use super::redirect::{self, Answers, ErrorPage};
use super::unit::Unit;
use crate::class::{Ending, Endings, FailureClass};
use crate::effect::{Arm, Call, Callee, Effect, PlaceId};
use crate::fact::{Facts, Place};
use crate::name::Name;
use crate::source::{FileId, Sources, Span};

/// A location of a server, and how it is reached.
pub type Key = (usize, usize, Way);

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Way {
    /// As an error page: those that hold in it do nothing.
    pub error: bool,
    /// With a GET, whatever the method was.
    pub get: bool,
}

pub struct Places<'a> {
    unit: &'a Unit<'a>,
    sources: &'a Sources,
    by_key: FxHashMap<Key, PlaceId>,
    /// Places whose body is still missing.
    open: VecDeque<Key>,
    /// Who sends requests to whom; nothing that would close a circle is among them.
    edges: FxHashMap<Key, Vec<Key>>,
    /// How many places have a name so far.
    names: FxHashMap<String, usize>,
}

impl<'a> Places<'a> {
    pub fn new(unit: &'a Unit<'a>, sources: &'a Sources) -> Places<'a> {
        let (by_key, edges) = Default::default();
        Places { unit, sources, by_key, open: VecDeque::new(), edges, names: FxHashMap::default() }
    }

    /// Every location of every server, with what it reaches.
    pub fn fill(&mut self, facts: &mut Facts) {
        for (server, locations) in self.unit.locations.iter().enumerate() {
            for location in 0..locations.all.len() {
                self.id((server, location, Way::default()), facts);
            }
        }
        while let Some(key) = self.open.pop_front() {
            let id = self.by_key[&key];
            let body = self.body(key, id, facts);
            facts.places[id.0 as usize].body = body;
        }
    }

    pub fn of(&self, server: usize, location: usize) -> Option<PlaceId> {
        self.by_key.get(&(server, location, Way::default())).copied()
    }

    /// A place that stands for a whole server.
    pub fn of_server(
        &mut self,
        server: usize,
        body: impl FnOnce(&Name, &mut Facts) -> Effect,
        facts: &mut Facts,
    ) -> PlaceId {
        let node = self.unit.servers[server].node;
        let label = format!("server {}", self.server_label(server));
        let id = self.add(node, &label, facts);
        let name = facts.place(id).name.clone();
        let body = body(&name, facts);
        facts.places[id.0 as usize].body = body;
        id
    }

    /// How people tell servers apart: by a name, else by where they listen.
    pub fn server_label(&self, server: usize) -> String {
        let server = &self.unit.servers[server];
        match (server.names.iter().find(|n| **n != "_"), server.sockets.first()) {
            (Some(name), _) => name.to_string(),
            (None, Some(socket)) => format!("{}:{}", socket.host.as_deref().unwrap_or_default(), socket.port),
            (None, None) => "without an address".to_owned(),
        }
    }

    fn id(&mut self, key: Key, facts: &mut Facts) -> PlaceId {
        if let Some(known) = self.by_key.get(&key) {
            return *known;
        }
        let location = self.location(key);
        let sign = match location.kind {
            Kind::Exact => "= ",
            Kind::Final => "^~ ",
            Kind::Pattern => "~ ",
            Kind::PatternAnyCase => "~* ",
            Kind::Prefix | Kind::Named => "",
        };
        let after = match key.2 {
            Way { error: true, .. } => " as an error page",
            Way { get: true, .. } => " as a GET",
            _ => "",
        };
        let label = format!("location {sign}{}{after}", location.path);
        let id = self.add(location.node, &label, facts);
        self.by_key.insert(key, id);
        self.open.push_back(key);
        id
    }

    fn add(&mut self, node: NodeId, label: &str, facts: &mut Facts) -> PlaceId {
        let at = self.unit.conf.node(node).at;
        let path = &self.sources.get(at.file).path;
        let file = path.rsplit('/').next().unwrap_or(path);
        let service = service(path);
        facts.add_place(Place {
            name: Name::from(self.unique(format!("{file} {label}"))),
            at,
            params: Vec::new(),
            body: Effect::Nothing,
            package: service.clone(),
            service,
            takes_request: true,
        })
    }

    fn unique(&mut self, name: String) -> String {
        let n = self.names.entry(name.clone()).or_default();
        *n += 1;
        if *n == 1 { name } else { format!("{name} #{n}") }
    }

    fn location(&self, key: Key) -> &'a Location {
        &self.unit.locations[key.0].all[key.1]
    }

    fn body(&mut self, key: Key, id: PlaceId, facts: &mut Facts) -> Effect {
        let (unit, location) = (self.unit, self.location(key));
        if let Some(at_once) = unit.conf.named(location.node, "return").first() {
            return effects::returned(unit.conf.node(*at_once).arg(0));
        }
        let function = facts.place(id).name.clone();
        let passes = pass::of_block(&unit.conf, location.node, location.kind, &location.path, &unit.upstreams);
        let mut ways: Vec<Effect> = passes.iter().map(|pass| self.pass(key, pass, &function, facts)).collect();
        if let Some((to, at)) = redirect::onward(&unit.conf, &unit.locations[key.0], location.node) {
            ways.extend(self.call(key, (key.0, to, key.2), at, facts));
        }
        let asked = self.authorised(key, effects::one_of(ways), facts);
        self.mirrored(key, asked, facts)
    }

    fn pass(&mut self, key: Key, pass: &Pass, function: &Name, facts: &mut Facts) -> Effect {
        let passing = Passing { as_get: key.2.get, ..Passing::new(self.unit, pass, function) };
        let attempts = passing.attempts(facts);
        let attempts = if passing.ignores_leaving() { Effect::Outlives(Box::new(attempts)) } else { attempts };
        let arms = if key.2.error { Vec::new() } else { self.arms(key, pass, facts) };
        effects::answered(if arms.is_empty() { attempts } else { Effect::Recover(Box::new(attempts), arms) })
    }

    fn arms(&mut self, key: Key, pass: &Pass, facts: &mut Facts) -> Vec<Arm> {
        let unit = self.unit;
        let intercepts = redirect::intercepts(&unit.conf, pass);
        let mut arms = Vec::new();
        for page in redirect::error_pages(&unit.conf, pass.block) {
            for (class, on) in page.takes(intercepts) {
                let then = self.page(key, &page, class, facts);
                arms.extend(then.map(|then| Arm { on, then }));
            }
        }
        arms
    }

    /// What happens instead of an error; `None` if it is only said in other words.
    fn page(&mut self, key: Key, page: &ErrorPage, class: FailureClass, facts: &mut Facts) -> Option<Effect> {
        if page.uri.contains("://") {
            return Some(Effect::Nothing);
        }
        let unit = self.unit;
        let recursive = redirect::is_recursive(&unit.conf, self.location(key).node);
        let to = unit.locations[key.0].reached(&page.uri);
        let way = Way { error: !recursive, get: key.2.get || !page.uri.starts_with('@') };
        let call = to.and_then(|to| self.call(key, (key.0, to, way), page.at, facts));
        let end = match page.answers {
            Answers::AsThePage => return Some(call.unwrap_or(Effect::Nothing)),
            Answers::AsItWas if call.is_none() => return None,
            Answers::AsItWas => Effect::End(Ending::Status(class)),
            Answers::With(code) => effects::returned(&code.to_string()),
        };
        Some(Effect::Seq(call.into_iter().chain([end]).collect()))
    }

    /// `auth_request`: only its success lets the request through; a refusal is passed on, any other failure is a 500.
    fn authorised(&mut self, key: Key, main: Effect, facts: &mut Facts) -> Effect {
        let refused = Endings::statuses_of([FailureClass::Permanent]);
        let failed = Endings::one(Ending::Status(FailureClass::ServerError));
        let mut main = main;
        for (to, at) in self.subrequests(key, "auth_request") {
            let way = Way { error: false, get: true };
            let Some(call) = self.call(key, (key.0, to, way), at, facts) else { continue };
            let asked = Effect::Map(vec![(Endings::FAILURES.without(refused), failed)], Box::new(call));
            main = Effect::Recover(Box::new(asked), vec![Arm { on: Endings::OK, then: main }]);
        }
        main
    }

    fn mirrored(&mut self, key: Key, main: Effect, facts: &mut Facts) -> Effect {
        let mut all = Vec::new();
        for (to, at) in self.subrequests(key, "mirror") {
            let call = self.call(key, (key.0, to, Way { error: false, ..key.2 }), at, facts);
            all.extend(call.map(|call| Effect::Spawn(Box::new(call))));
        }
        if all.is_empty() {
            return main;
        }
        all.push(main);
        Effect::Seq(all)
    }

    fn subrequests(&self, key: Key, directive: &str) -> Vec<(usize, Span)> {
        let location = self.location(key);
        redirect::subrequests(&self.unit.conf, &self.unit.locations[key.0], location.node, directive)
    }

    /// A request handed to another location. nginx ends circles after ten turns; they are left out.
    fn call(&mut self, from: Key, to: Key, at: Span, facts: &mut Facts) -> Option<Effect> {
        let pages = !redirect::error_pages(&self.unit.conf, self.location(to).node).is_empty();
        let to = (to.0, to.1, Way { error: to.2.error && pages, ..to.2 });
        if self.leads_to(to, from) {
            return None;
        }
        self.edges.entry(from).or_default().push(to);
        let callee = Callee::Place(self.id(to, facts));
        Some(Effect::Call(Call { callee, args: Vec::new(), at }))
    }

    fn leads_to(&self, from: Key, to: Key) -> bool {
        let mut seen = FxHashSet::from_iter([from]);
        let mut open = vec![from];
        while let Some(key) = open.pop() {
            if key == to {
                return true;
            }
            open.extend(self.edges.get(&key).into_iter().flatten().copied().filter(|next| seen.insert(*next)));
        }
        false
    }
}

/// Folders that hold parts of a configuration and name nothing.
const PARTS: &[&str] = &["conf.d", "sites-available", "sites-enabled", "snippets", "templates"];

/// The last part of the folder of the whole configuration; the file's own name where there is none.
pub fn service(path: &str) -> Name {
    let mut parts = path.rsplit('/');
    let file = parts.next().unwrap_or(path);
    let folder = parts.find(|part| !part.is_empty() && !PARTS.contains(part));
    Name::new(folder.unwrap_or(file.split('.').next().unwrap_or(file)))
}

/// Whether anything remote can be reached from a place.
pub fn reaches_out(facts: &Facts, from: PlaceId) -> bool {
    let mut seen = FxHashSet::from_iter([from]);
    let mut open = vec![from];
    while let Some(id) = open.pop() {
        let mut remote = false;
        crate::effect::walk(&facts.place(id).body, &mut |effect| match effect {
            Effect::Remote(_) => remote = true,
            Effect::Call(Call { callee: Callee::Place(to), .. }) => open.extend(seen.insert(*to).then_some(*to)),
            _ => {}
        });
        if remote {
            return true;
        }
    }
    false
}

/// The file in which a server stands.
pub fn file_of(unit: &Unit<'_>, server: usize) -> FileId {
    unit.main.unwrap_or(unit.conf.node(unit.servers[server].node).at.file)
}
