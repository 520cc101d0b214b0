//! Where work starts: handlers of routes and services, `main`, and public functions of libraries that nothing calls.
//!
//! Frameworks are data (`entries` of a model); what stands here is how Rust code hands functions to them. An impl of a
//! foreign trait is called by foreign code, so its methods count like public functions that nobody calls
//! (`tower::Service::call`, `ProxyHttp::request_filter`), in programs as well as in libraries. Impls of traits of the
//! standard library and of serde are left out, and so are methods whose body calls nothing: there is no work in them.

mod routes;
pub mod sockets;

use rustc_hash::{FxHashMap, FxHashSet};

use super::program::{BodyId, BodyTypes, CrateKind, FnDef, FnId, Owner, Program, Target, TraitDef, TraitRef};
use crate::fact::OperationKind;
use crate::model::{Entry, Models};
use crate::name::{Name, last_segment};
use crate::source::Span;

/// A function with which an operation begins.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundEntry {
    pub kind: OperationKind,
    /// `POST /checkout`, `Ledger/GetHeight`, `main`, `client::pay`.
    pub name: Name,
    /// HTTP in upper case, `None` fits any; for a service the method's name in code.
    pub method: Option<Name>,
    /// With parameters as `{}`; `None` where it is not known, or for whatever has no handler of its own.
    pub path: Option<Name>,
    pub handler: FnId,
    /// The handler's name.
    pub at: Span,
}

/// All operations of the program, sorted by handler and name.
pub fn entries(program: &Program, bodies: &FxHashMap<BodyId, BodyTypes>, models: &Models) -> Vec<FoundEntry> {
    let rules: Vec<&Entry> = models.models.iter().flat_map(|m| &m.entries).collect();
    let find = Finder { program, bodies, rules };
    let routes = routes::Routes::collect(&find);
    let mut found = routes.entries(&find);
    found.extend(routes.handed_over(&find));
    for id in find.functions() {
        found.extend(find.by_attribute(id, &routes));
        found.extend(find.by_service(id));
        found.extend(find.by_impl(id));
        found.extend(find.main(id));
    }
    let taken: FxHashSet<FnId> = found.iter().map(|e| e.handler).collect();
    let called = find.called();
    let free = |id: &FnId| !taken.contains(id) && !called.contains(id);
    found.extend(find.functions().filter(free).filter_map(|id| find.api(id)));
    found.sort_by(|a, b| (a.handler, &a.name, &a.path).cmp(&(b.handler, &b.name, &b.path)));
    found.dedup();
    found
}

struct Finder<'a> {
    program: &'a Program,
    bodies: &'a FxHashMap<BodyId, BodyTypes>,
    rules: Vec<&'a Entry>,
}

/// Roots of traits whose impls hold no work of their own.
const PLAIN_TRAITS: [&str; 4] = ["std", "core", "alloc", "serde"];

impl Finder<'_> {
    /// Functions of targets that are looked at, without tests.
    fn functions(&self) -> impl Iterator<Item = FnId> {
        (0..self.program.fns.len() as u32).map(FnId).filter(|id| self.counts(*id))
    }

    fn counts(&self, id: FnId) -> bool {
        let def = self.program.def(id);
        !def.test && self.kind(def) != CrateKind::Other
    }

    fn kind(&self, def: &FnDef) -> CrateKind {
        self.program.crates[def.krate.0 as usize].kind
    }

    /// Bodies that are looked at, in a fixed order.
    fn looked_at(&self) -> Vec<(BodyId, &BodyTypes)> {
        let counts = |body: BodyId| match body {
            BodyId::Fn(id) => self.counts(id),
            BodyId::Const(id) => {
                let krate = self.program.consts[id.0 as usize].krate;
                self.program.crates[krate.0 as usize].kind != CrateKind::Other
            }
        };
        let mut all: Vec<_> = self.bodies.iter().map(|(id, types)| (*id, types)).filter(|b| counts(b.0)).collect();
        all.sort_unstable_by_key(|b| b.0);
        all
    }

    fn entry(&self, id: FnId, kind: OperationKind, name: String) -> FoundEntry {
        let at = self.program.span(BodyId::Fn(id), self.program.function(id).name_at);
        FoundEntry { kind, name: Name::from(name), method: None, path: None, handler: id, at }
    }

    fn by_attribute(&self, id: FnId, routes: &routes::Routes) -> Vec<FoundEntry> {
        let mut found = Vec::new();
        for (attribute, args) in &self.program.def(id).attrs.others {
            for rule in &self.rules {
                let Entry::Attribute { path, method, kind } = rule else { continue };
                if path != attribute {
                    continue;
                }
                let method = method.clone().or_else(|| named_method(args));
                match first_string(args) {
                    Some(route) => found.extend(
                        routes
                            .prefixes_of(id)
                            .into_iter()
                            .map(|prefix| self.http(id, kind_named(kind), method.clone(), &format!("{prefix}{route}"))),
                    ),
                    None => found.push(self.entry(id, kind_named(kind), self.program.def(id).path.to_string())),
                }
            }
        }
        found
    }

    /// An entry with a path, named as people write it.
    fn http(&self, id: FnId, kind: OperationKind, method: Option<Name>, path: &str) -> FoundEntry {
        // Some routers write their paths without the slash that they begin with.
        let path = &if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        let name = match &method {
            Some(method) => format!("{method} {path}"),
            None => path.to_owned(),
        };
        FoundEntry { method, path: Some(Name::from(routes::with_holes(path))), ..self.entry(id, kind, name) }
    }

    fn by_service(&self, id: FnId) -> Option<FoundEntry> {
        let def = self.program.def(id);
        let Owner::Impl { of, .. } = &def.owner else { return None };
        let path = match of {
            TraitRef::Foreign(path) => path,
            TraitRef::Tree(tree) => &self.program.traits[tree.0 as usize].path,
        };
        let kind = self.rules.iter().find_map(|rule| match rule {
            Entry::Service { method: Some(method), .. } if *method != def.name => None,
            Entry::Service { traits: Some(pattern), kind, .. } => fits(pattern, path).then(|| kind_named(kind)),
            Entry::Service { attribute, kind, suffix, .. } => {
                self.has_attribute(path, attribute, suffix.as_deref()).then(|| kind_named(kind))
            }
            _ => None,
        })?;
        if !matches!(kind, OperationKind::Grpc | OperationKind::Http) {
            return Some(self.entry(id, kind, def.path.to_string()));
        }
        let service = last_segment(path);
        let name = format!("{service}/{}", camel(&def.name));
        Some(FoundEntry { method: Some(def.name.clone()), ..self.entry(id, kind, name) })
    }

    /// Whether a trait of the tree has the attribute: the one with that path, or the one that it was made of.
    fn has_attribute(&self, path: &str, attribute: &str, suffix: Option<&str>) -> bool {
        let has = |of: &TraitDef| of.attrs.others.iter().any(|(name, _)| name == attribute);
        let made_of = |of: &TraitDef| match suffix {
            Some(suffix) => last_segment(path).strip_suffix(suffix) == Some(&*of.name),
            None => *of.path == *path,
        };
        self.program.traits.iter().any(|of| made_of(of) && has(of))
    }

    fn by_impl(&self, id: FnId) -> Option<FoundEntry> {
        let def = self.program.def(id);
        let kind = self.rules.iter().find_map(|rule| match rule {
            Entry::Impl { attribute, kind } if def.of_impl.iter().any(|(name, _)| name == attribute) => Some(kind),
            _ => None,
        })?;
        Some(self.entry(id, kind_named(kind), def.path.to_string()))
    }

    fn main(&self, id: FnId) -> Option<FoundEntry> {
        let def = self.program.def(id);
        let root = self.program.modules[def.module.0 as usize].parent.is_none();
        let is = def.name == "main" && def.owner == Owner::None && root && self.kind(def) == CrateKind::Bin;
        is.then(|| self.entry(id, OperationKind::Main, "main".to_owned()))
    }

    /// Functions that something of the tree calls or hands on. A call of oneself does not make one called.
    fn called(&self) -> FxHashSet<FnId> {
        let mut called = FxHashSet::default();
        for (body, types) in self.looked_at() {
            for target in types.targets.values() {
                if let Target::Fns(ids, _) = target {
                    called.extend(ids.iter().copied().filter(|id| BodyId::Fn(*id) != body));
                }
            }
        }
        called
    }

    fn api(&self, id: FnId) -> Option<FoundEntry> {
        let def = self.program.def(id);
        let library = self.kind(def) == CrateKind::Lib;
        let open = match &def.owner {
            Owner::None | Owner::Inherent(_) => library && def.public,
            Owner::Trait(_) | Owner::Impl { of: TraitRef::Tree(_), .. } => library,
            Owner::Impl { of: TraitRef::Foreign(path), .. } => {
                let root = path.split("::").next().unwrap_or_default();
                path.contains("::") && !PLAIN_TRAITS.contains(&root)
            }
        };
        let plain = matches!(def.owner, Owner::None | Owner::Inherent(_));
        let there = self.program.function(id).body.is_some() && (plain || self.calls(id));
        (open && there).then(|| self.entry(id, OperationKind::Api, def.path.to_string()))
    }

    fn calls(&self, id: FnId) -> bool {
        let types = self.bodies.get(&BodyId::Fn(id));
        types.is_some_and(|t| t.targets.values().any(|target| !matches!(target, Target::Constructor(_))))
    }
}

fn kind_named(name: &str) -> OperationKind {
    let all = [OperationKind::Grpc, OperationKind::Queue, OperationKind::Job, OperationKind::Main, OperationKind::Api];
    all.into_iter().find(|kind| kind.name() == name).unwrap_or(OperationKind::Http)
}

/// The first string of an attribute's arguments.
fn first_string(args: &str) -> Option<&str> {
    args.split('"').nth(1)
}

/// `method = "GET"` among an attribute's arguments.
fn named_method(args: &str) -> Option<Name> {
    let (_, rest) = args.split_once("method")?;
    let value = rest.trim_start().strip_prefix('=')?;
    first_string(value).map(|m| Name::from(m.to_ascii_uppercase()))
}

/// `get_height` → `GetHeight`, as the service description has it.
fn camel(name: &str) -> String {
    name.split('_')
        .flat_map(|word| {
            let mut letters = word.chars();
            letters.next().map(|first| first.to_uppercase().collect::<String>() + letters.as_str())
        })
        .collect()
}

/// Whether a path ends as a pattern says, in which `*` stands for any beginning or end of one segment.
fn fits(pattern: &str, path: &str) -> bool {
    let mut given = path.rsplit("::");
    pattern.rsplit("::").all(|wanted| {
        given.next().is_some_and(|segment| match wanted.split_once('*') {
            None => wanted == segment,
            Some((head, tail)) => {
                segment.len() >= head.len() + tail.len() && segment.starts_with(head) && segment.ends_with(tail)
            }
        })
    })
}

#[cfg(test)]
mod tests;
