//! The Gateway API: HTTPRoutes and GRPCRoutes at gateways and at services, with what the implementation that reads them makes
//! of them, and Envoy Gateway's policies.

mod config;
mod plan;
mod read;
mod remarks;
pub mod rules;

use super::istio::Istio;
use super::linkerd::{self, Annotated};
use super::object::{self, Object};
use super::plan::Table;
use super::said::Said;
use crate::effect::{Budget, Share};
use crate::fact::{Facts, Mesh, Sidecar};
use crate::frontend::World;
use crate::name::Name;
use config::{Brake, Gateway, HttpRoute, Parent, TrafficPolicy};
use rules::rules;

const GROUP: &str = "gateway.networking.k8s.io";
const LINKERD: &str = "policy.linkerd.io";
const ENVOY_GATEWAY: &str = "gateway.envoyproxy.io";

/// Who reads a route, as far as the tree shows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reader {
    Istio,
    EnvoyGateway,
    Linkerd,
    Unknown,
}

/// Parents of one kind of a route, gateways or services.
pub struct Parents {
    pub reader: Reader,
    pub of_services: bool,
    /// Names by which requests come.
    pub names: Vec<Name>,
    /// The first service, as it is written.
    pub service: Option<Name>,
}

/// What of a tree has a say in its routes.
struct Around<'a> {
    gateways: Vec<Gateway>,
    /// Names of GatewayClasses, and who controls them.
    classes: Vec<(&'a str, &'a str)>,
    policies: Vec<TrafficPolicy>,
    /// The one mesh that the tree or the settings show.
    mesh: Option<Mesh>,
    services: &'a [(Name, Annotated)],
}

pub fn is_route(object: &Object<'_>) -> bool {
    matches!(object.kind, "HTTPRoute" | "GRPCRoute") && matches!(object.group, GROUP | LINKERD)
}

/// Names of the services that have routes of their own.
pub fn services_of<'o>(objects: &'o [Object<'o>]) -> impl Iterator<Item = Name> + 'o {
    let routes = objects.iter().filter(|o| is_route(o));
    routes.flat_map(|o| {
        let parents = read::route(*o).parents;
        parents.into_iter().filter(|p| *p.kind == *"Service").map(|p| address(*o, &p)).collect::<Vec<_>>()
    })
}

pub fn tables(
    world: &World<'_>,
    istio: &Istio,
    services: &[(Name, Annotated)],
    objects: &[Object<'_>],
    facts: &mut Facts,
) -> Vec<Table> {
    let of = |group: &'static str, kind: &'static str| objects.iter().filter(move |o| o.is(group, kind));
    let mut policies = Vec::new();
    for object in of(ENVOY_GATEWAY, "BackendTrafficPolicy") {
        let Some(policy) = read::traffic_policy(*object) else { continue };
        let mut said = Said { facts, object: object.shown(), system: "Envoy Gateway" };
        remarks::policy(&policy, *object, &mut said);
        policies.push(policy);
    }
    let around = Around {
        gateways: of(GROUP, "Gateway").map(|o| read::gateway(*o)).collect(),
        classes: of(GROUP, "GatewayClass").filter_map(|o| Some((o.name, o.spec?.str_of("controller_name")?))).collect(),
        policies,
        mesh: only_mesh(world, facts),
        services,
    };
    let mut found = Vec::new();
    for object in objects.iter().filter(|o| is_route(o)) {
        let route = read::route(*object);
        if route.rules.is_empty() {
            continue;
        }
        let mut said = Said { facts, object: object.shown(), system: "the Gateway API" };
        remarks::route(&route, *object, &mut said);
        found.extend(around.tables(*object, &route, istio));
    }
    found
}

/// The mesh of the settings, or the one that all proxies beside something in the tree are of.
fn only_mesh(world: &World<'_>, facts: &Facts) -> Option<Mesh> {
    if let Some(mesh) = &world.settings.mesh {
        return Mesh::from_name(&mesh.kind);
    }
    let mut kinds = facts.hosts.iter().filter_map(|h| match h.sidecar {
        Sidecar::Of(mesh) => Some(mesh),
        Sidecar::Unknown | Sidecar::None => None,
    });
    let first = kinds.next()?;
    kinds.all(|kind| kind == first).then_some(first)
}

/// The full name of a parent service.
fn address(object: Object<'_>, parent: &Parent) -> Name {
    match parent.namespace.as_deref().or(object.namespace) {
        Some(namespace) => Name::from(object::service(&parent.name, namespace)),
        None => Name::from(parent.name.to_ascii_lowercase()),
    }
}

impl Around<'_> {
    /// One table for the gateways of a route, and one for the services that it is attached to.
    fn tables(&self, object: Object<'_>, route: &HttpRoute, istio: &Istio) -> Vec<Table> {
        let own = Annotated::of(object);
        let is_service = |p: &&Parent| *p.kind == *"Service";
        let (services, gateways): (Vec<&Parent>, Vec<&Parent>) = route.parents.iter().partition(is_service);
        let mut all = Vec::new();
        if !services.is_empty() {
            all.push(self.at_services(object, &services, own.is_some()));
        }
        if !gateways.is_empty() || route.parents.is_empty() {
            all.push(self.at_gateways(object, route, &gateways));
        }
        let of = |parents: &Parents| {
            // What a route says itself stands for all that its service says.
            let of_service = || self.services.iter().find(|(name, _)| parents.names.contains(name)).map(|(_, a)| a);
            let linkerd = own.as_ref().or_else(of_service).filter(|_| parents.reader == Reader::Linkerd);
            let policy = self.policy(object, &route.parents);
            plan::Planner { object, route, parents, istio, policy, linkerd }.table()
        };
        all.iter().map(of).collect()
    }

    fn at_services(&self, object: Object<'_>, parents: &[&Parent], annotated: bool) -> Parents {
        let names: Vec<Name> = parents.iter().flat_map(|p| object::names(&address(object, p))).collect();
        let of_linkerd = || self.services.iter().any(|(name, _)| names.contains(name));
        let reader = match self.mesh {
            _ if object.group == LINKERD || annotated || of_linkerd() => Reader::Linkerd,
            Some(Mesh::Linkerd) => Reader::Linkerd,
            Some(Mesh::Istio) => Reader::Istio,
            Some(Mesh::Kuma) | None => Reader::Unknown,
        };
        Parents { reader, of_services: true, names, service: parents.first().map(|p| p.name.clone()) }
    }

    fn at_gateways(&self, object: Object<'_>, route: &HttpRoute, parents: &[&Parent]) -> Parents {
        let namespace = |p: &Parent| p.namespace.as_deref().or(object.namespace).map(str::to_owned);
        let same = |g: &&Gateway, p: &Parent| {
            let (own, asked) = (g.namespace.as_deref(), namespace(p));
            g.name == p.name && (own.is_none() || asked.is_none() || own == asked.as_deref())
        };
        let mine: Vec<&Gateway> = parents.iter().filter_map(|p| self.gateways.iter().find(|g| same(g, p))).collect();
        let of_gateways = || mine.iter().flat_map(|g| g.hostnames.iter().cloned()).collect();
        let hostnames = if route.hostnames.is_empty() { of_gateways() } else { route.hostnames.clone() };
        let reader = mine.iter().map(|g| self.reader_of(&g.class)).find(|r| *r != Reader::Unknown);
        let by_policy = || self.policy(object, &route.parents).map(|_| Reader::EnvoyGateway);
        Parents {
            reader: reader.or_else(by_policy).unwrap_or(Reader::Unknown),
            of_services: false,
            names: hostnames.iter().map(|h| Name::from(h.to_ascii_lowercase())).collect(),
            service: None,
        }
    }

    fn reader_of(&self, class: &str) -> Reader {
        let controller = self.classes.iter().find(|(name, _)| *name == class).map(|(_, controller)| *controller);
        let eg = &rules().envoy_gateway;
        match controller {
            Some(controller) if controller.starts_with(eg.controller.as_str()) => Reader::EnvoyGateway,
            Some(controller) if controller.starts_with("istio.io/") => Reader::Istio,
            Some(_) => Reader::Unknown,
            None if eg.serves(class) => Reader::EnvoyGateway,
            None if super::istio::rules::rules().serves(class) => Reader::Istio,
            None => Reader::Unknown,
        }
    }

    /// The policy for a route, else the one for a gateway of it.
    fn policy(&self, object: Object<'_>, parents: &[Parent]) -> Option<&TrafficPolicy> {
        let near = |p: &&TrafficPolicy| match (p.namespace.as_deref(), object.namespace) {
            (Some(own), Some(asked)) => own == asked,
            _ => true,
        };
        let targets =
            |p: &TrafficPolicy, kind: &str, name: &str| p.targets.iter().any(|(k, n)| **k == *kind && **n == *name);
        let route = self.policies.iter().filter(near).find(|p| targets(p, object.kind, object.name));
        let at_gateway = |p: &&TrafficPolicy| parents.iter().any(|g| targets(p, &g.kind, &g.name));
        route.or_else(|| self.policies.iter().find(at_gateway))
    }
}

/// What limits the retries of all requests together.
fn budget(brake: &Brake) -> Budget {
    match brake.budget {
        Some((at, ratio)) => Budget { share: Share::Ratio(ratio), at: Some(at) },
        None => {
            let set = brake.max_parallel_retries.as_ref();
            let most = set.and_then(|m| m.is().copied()).unwrap_or(rules().envoy_gateway.max_parallel_retries.value);
            Budget { share: Share::Concurrent(most), at: Some(set.map_or(brake.at, |m| m.at)) }
        }
    }
}

/// Services with Linkerd's annotations, and their names in full.
pub fn annotated(objects: &[Object<'_>]) -> Vec<(Name, Annotated)> {
    let services = objects.iter().filter(|o| o.group.is_empty() && o.kind == "Service");
    services.filter_map(|o| Some((o.resolve(o.name), linkerd::Annotated::of(*o)?))).collect()
}
