//! Meshes and gateways that objects of Kubernetes describe: Istio, the Gateway API with Envoy Gateway, Linkerd, Contour,
//! Emissary, the ingress controller on nginx, Traefik (also in files of its own and in labels of containers).
//!
//! `object` finds the objects of a file; one folder per system reads those it knows and says, as a `plan`, which routes they
//! make, with every default filled in; `emit` makes facts of plans. Whoever calls, and what stands beside it, `topology`
//! has found before.

mod conditions;
pub mod contour;
pub mod defaults;
pub mod emissary;
mod emit;
pub mod gateway;
pub mod ingress;
pub mod istio;
pub mod linkerd;
mod object;
mod plan;
mod said;
mod time;
pub mod traefik;

#[cfg(test)]
mod hostile_tests;

use super::field::At;
use super::{FrontEnd, World, comments};
use crate::fact::{Facts, Mesh, Problem, Sidecar};
use crate::name::Name;
use crate::source::FileId;
use crate::yaml::{self, ProblemKind, Tree};
use linkerd::Annotated;
use object::Object;
use plan::Table;
use said::Said;

/// The front-end.
pub struct Meshes;

/// What `apiVersion` of an object begins with that is read here.
const GROUPS: [&str; 12] = [
    "networking.istio.io/",
    "install.istio.io/",
    "sailoperator.io/",
    "networking.k8s.io/",
    "gateway.networking.k8s.io/",
    "gateway.envoyproxy.io/",
    "linkerd.io/",
    "policy.linkerd.io/",
    "projectcontour.io/",
    "getambassador.io/",
    "traefik.io/",
    "traefik.containo.us/",
];
/// Settings that stand in objects of others.
const SETTINGS: [&str; 5] = [
    "defaultHttpRetryPolicy",
    "retry.linkerd.io/",
    "timeout.linkerd.io/",
    "proxy-next-upstream",
    "retry-non-idempotent",
];

impl FrontEnd for Meshes {
    fn name(&self) -> &'static str {
        "mesh"
    }

    fn claims(&self, path: &str, text: &str) -> bool {
        let named = [".yaml", ".yml", ".json"].iter().any(|end| path.ends_with(end));
        named && (has_group(text) || SETTINGS.iter().any(|word| text.contains(word)) || traefik::claims(text))
    }

    fn extract(&self, world: &World<'_>, facts: &mut Facts) {
        stated(world, facts);
        let claimed = world.sources.iter().filter(|(_, s)| self.claims(&s.path, &s.text));
        let trees: Vec<(FileId, Tree<'_>)> = claimed.map(|(id, source)| (id, yaml::read(&source.text))).collect();
        let mut objects = Vec::new();
        for (id, tree) in &trees {
            problems(*id, tree, facts);
            let found = object::objects(*id, tree);
            if !found.is_empty() {
                facts.comments.extend(comments::of_yaml(*id, tree));
            }
            objects.extend(found);
        }
        let roots = trees.iter().flat_map(|(id, tree)| tree.documents().map(|d| At::new(*id, d)));
        let values = roots.filter_map(istio::values).next();
        let istio = istio::installation(world, &objects, values, facts);
        let mut tables = istio::tables(&istio, &objects, facts);
        let annotated = gateway::annotated(&objects);
        tables.extend(gateway::tables(world, &istio, &annotated, &objects, facts));
        tables.extend(linkerd_tables(&objects, facts));
        tables.extend(istio::defaults(&istio, &tables, facts));
        istio::filter::apply(&objects, &mut tables, facts);
        tables.extend(contour::tables(&objects, facts));
        tables.extend(emissary::tables(&objects, facts));
        tables.extend(ingress::tables(&objects, facts));
        let roots = || trees.iter().flat_map(|(id, tree)| tree.documents().map(|d| At::new(*id, d)));
        tables.extend(traefik::tables(&objects, roots(), facts));
        tables.iter().for_each(|table| emit::table(table, facts));
    }
}

/// Profiles, and services that say something about all requests to them.
fn linkerd_tables(objects: &[Object<'_>], facts: &mut Facts) -> Vec<Table> {
    let profiles: Vec<Name> = objects.iter().filter(|o| linkerd::is_profile(o)).map(|o| Name::new(o.name)).collect();
    let routed: Vec<Name> = gateway::services_of(objects).collect();
    let mut found = linkerd::tables(objects, facts);
    for object in objects.iter().filter(|o| gateway::is_route(o) || (o.group.is_empty() && o.kind == "Service")) {
        let Some(own) = Annotated::of(*object) else { continue };
        let (service, name) = (object.kind == "Service", object.resolve(object.name));
        let profile = service && profiles.contains(&name);
        own.remarks(profile, &mut Said { facts, object: object.shown(), system: "Linkerd" });
        if service && !profile && !routed.contains(&name) {
            found.push(linkerd::table(*object, &own));
        }
    }
    found
}

/// `apiVersion: networking.istio.io/v1`, quoted or not: the name of a group alone stands in many texts.
fn has_group(text: &str) -> bool {
    text.match_indices("apiVersion").any(|(at, word)| {
        let rest = text[at + word.len()..].trim_start_matches(['"', '\'']);
        let Some(value) = rest.strip_prefix(':') else { return false };
        let value = value.trim_start_matches([' ', '\t']).trim_start_matches(['"', '\'']);
        GROUPS.iter().any(|group| value.starts_with(group))
    })
}

/// `[mesh]` of the settings: a mesh that no file of the tree shows.
fn stated(world: &World<'_>, facts: &mut Facts) {
    let Some(mesh) = &world.settings.mesh else { return };
    let Some(kind) = Mesh::from_name(&mesh.kind) else { return };
    let of = |host: &crate::fact::Host| match &host.namespace {
        Some(namespace) => mesh.namespaces.is_empty() || mesh.namespaces.iter().any(|n| **namespace == **n),
        None => mesh.namespaces.len() <= 1,
    };
    for host in facts.hosts.iter_mut().filter(|h| h.sidecar == Sidecar::Unknown && of(h)) {
        host.sidecar = Sidecar::Of(kind);
    }
}

/// A file that is claimed and does not parse is said, unless it is a template: that is no object yet.
fn problems(file: FileId, tree: &Tree<'_>, facts: &mut Facts) {
    let kinds = [ProblemKind::Syntax, ProblemKind::Limit];
    if tree.problems().iter().any(|p| p.kind == ProblemKind::Template) || !has_group(tree.text()) {
        return;
    }
    let found = tree.problems().iter().find(|p| kinds.contains(&p.kind));
    let known = |p: &Problem| p.file == file;
    if let Some(problem) = found.filter(|_| !facts.problems.iter().any(known)) {
        facts.problems.push(Problem { file, at: problem.at.start, message: problem.message.clone() });
    }
}
