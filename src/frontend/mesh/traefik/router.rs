//! Routers of files and labels: which requests, through which middlewares, to which servers.

use super::middleware::{Middlewares, Way, plain};
use super::rule;
use super::rules::rules;
use super::settings::{Group, Setting, groups};
use crate::effect::{Deadline, DeadlineKind, Form};
use crate::fact::Callers;
use crate::frontend::field::{At, filled_in_later};
use crate::frontend::mesh::object;
use crate::frontend::mesh::plan::{Does, Match, Pass, Route, Table, To};
use crate::name::Name;
use crate::source::Span;
use crate::value::Value;

/// Services that name services.
const DEEPEST: usize = 6;

/// A service of a compose file with its labels.
pub struct Container {
    pub name: String,
    pub settings: Vec<Setting>,
}

/// What can name each other: one file, or the labels of one compose file.
pub struct Scope<'t> {
    pub settings: Vec<Setting>,
    pub containers: Vec<Container>,
    pub root: At<'t>,
}

impl Scope<'_> {
    pub fn tables(&self, middlewares: &Middlewares) -> Vec<Table> {
        let services = groups(&self.settings, "services");
        let routers = groups(&self.settings, "routers");
        routers.iter().filter_map(|(name, router)| self.table(name, router, &services, middlewares)).collect()
    }

    fn table(
        &self,
        name: &str,
        router: &Group,
        services: &[(String, Group)],
        middlewares: &Middlewares,
    ) -> Option<Table> {
        let written = router.get("rule")?;
        let way = middlewares.way(router.list("middlewares").map(plain).collect::<Vec<_>>().iter().map(String::as_str));
        let (to, mirrors) = self.backend(router, written.at, services);
        let head = Head { file: self.root.file(), at: written.at, object: format!("router {name}"), namespace: None };
        let rule = rule::read(&written.text);
        Some(head.table(rule, to, mirrors, way))
    }

    /// Where the requests go: what the router names, or the container whose label it is.
    fn backend(&self, router: &Group, rule: Span, services: &[(String, Group)]) -> (Vec<To>, Vec<To>) {
        let of_rule = |c: &&Container| c.settings.iter().any(|s| s.at == rule);
        let container = self.containers.iter().find(of_rule);
        let named = router.text("service").map(plain);
        let defined = named.as_ref().and_then(|n| services.iter().find(|(name, _)| name == n));
        let mut found = (Vec::new(), Vec::new());
        match (defined, container) {
            (Some((name, _)), _) if self.containers.is_empty() => servers(name, services, 0, &mut found),
            (Some((name, _)), _) => found.0.extend(self.of_container(name, rule)),
            (None, Some(container)) if named.is_none() => found.0.extend(to_container(container, None, rule)),
            (None, _) => {}
        }
        found
    }

    /// The container that has a label about the service.
    fn of_container(&self, service: &str, at: Span) -> Option<To> {
        let prefix = format!("http.services.{service}.");
        let container = self.containers.iter().find(|c| c.settings.iter().any(|s| s.key.starts_with(&prefix)))?;
        to_container(container, Some(service), at)
    }
}

/// The port is the one that a label says; else the container's own, which is not written here.
fn to_container(container: &Container, service: Option<&str>, at: Span) -> Option<To> {
    let prefix = service.map_or("http.services.".to_owned(), |s| format!("http.services.{s}."));
    let is = |s: &&Setting| s.key.starts_with(&prefix) && s.key.ends_with(".loadbalancer.server.port");
    let port = container.settings.iter().find(is).and_then(|s| s.text.parse::<u16>().ok());
    let address = match port {
        Some(port) => Name::from(format!("{}:{port}", container.name)),
        None => object::address(&container.name),
    };
    Some(To { named: Name::new(&container.name), address: Some(address), at, inbound: None })
}

/// The servers of a service: its own, or those of the services that it shares requests among.
fn servers(name: &str, services: &[(String, Group)], depth: usize, found: &mut (Vec<To>, Vec<To>)) {
    let Some((_, group)) = services.iter().find(|(n, _)| n == name).filter(|_| depth < DEEPEST) else { return };
    for setting in &group.all {
        let key = setting.key.as_str();
        let url = key.starts_with("loadbalancer.servers") && key.ends_with(".url");
        let other = key == "mirroring.service"
            || key == "failover.service"
            || (key.starts_with("weighted.services[") && key.ends_with(".name"));
        if url && !filled_in_later(&setting.text) {
            found.0.push(To {
                named: Name::new(name),
                address: Some(setting.text.clone()),
                at: setting.at,
                inbound: None,
            });
        } else if other {
            servers(&plain(&setting.text), services, depth + 1, found);
        } else if key.starts_with("mirroring.mirrors[") && key.ends_with(".name") {
            let mut copies = (Vec::new(), Vec::new());
            servers(&plain(&setting.text), services, depth + 1, &mut copies);
            found.1.extend(copies.0);
        }
    }
}

/// What a table says of itself.
pub struct Head {
    pub file: crate::source::FileId,
    pub at: Span,
    pub object: String,
    pub namespace: Option<Name>,
}

impl Head {
    pub fn table(self, rule: rule::Rule, to: Vec<To>, mirrors: Vec<To>, way: Way) -> Table {
        let host = rule.hosts.first().cloned();
        let object = Name::from(self.object);
        Table {
            file: self.file,
            service: host.unwrap_or_else(|| object.clone()),
            object,
            namespace: self.namespace,
            names: rule.hosts,
            callers: Callers::Everybody,
            form: Form::Proxy,
            answers: rules().answers(),
            routes: vec![route(self.at, rule.matches, to, mirrors, way)],
        }
    }
}

/// Of retries around retries the product is not said here: nobody means it.
fn route(at: Span, matches: Vec<Match>, to: Vec<To>, mirrors: Vec<To>, mut way: Way) -> Route {
    let does = if to.is_empty() || way.layers.len() > 1 {
        Does::Unknown
    } else {
        let mut layer = way.layers.pop();
        if let Some(layer) = &mut layer {
            layer.seen.elsewhere = to.len() > 1;
        }
        let dial = Deadline::default_of(DeadlineKind::Connect, Value::Number(rules().dial_timeout.ms()), at);
        Does::Pass(Box::new(Pass { to, mirrors, passes: way.passes, per_try: vec![dial], layer, ..Pass::default() }))
    };
    Route { at, matches, does, way_in: true }
}
