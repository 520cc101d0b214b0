//! Istio: VirtualServices, DestinationRules, the mesh's own configuration, and the policy that nobody wrote.

pub mod config;
pub mod filter;
pub mod plan;
mod read;
mod remarks;
pub mod rules;

use std::collections::BTreeSet;

use super::object::Object;
use super::plan::Table;
use super::said::Said;
use crate::effect::{self, Effect};
use crate::fact::{Callers, Facts, Mesh, Sidecar};
use crate::frontend::World;
use crate::frontend::field::At;
use crate::name::Name;
use crate::source::FileId;
use crate::yaml;
use config::MeshConfig;
pub use plan::Istio;

const GROUP: &str = "networking.istio.io";
pub const SYSTEM: &str = "Istio";

/// The installation that the objects of a tree and the settings show.
pub fn installation(world: &World<'_>, objects: &[Object<'_>], values: Option<MeshConfig>, facts: &mut Facts) -> Istio {
    let mesh = mesh_config(objects, values.unwrap_or_default(), facts);
    let stated = world.settings.versions.get("istio").map(|v| Name::new(v));
    let mut istio = Istio { version: stated.or(mesh.version.clone()), mesh, ..Istio::default() };
    for object in objects.iter().filter(|o| o.is(GROUP, "DestinationRule")) {
        let found = read::traffic(*object);
        let mut said = Said { facts, object: object.shown(), system: SYSTEM };
        found.iter().for_each(|t| remarks::traffic(t, &mut said));
        istio.traffic.extend(found);
    }
    let meshed = facts.hosts.iter().filter(|h| h.sidecar == Sidecar::Of(Mesh::Istio));
    istio.receivers = meshed.flat_map(|h| h.names.iter().map(move |n| (n.clone(), h.at))).collect();
    istio
}

pub fn tables(istio: &Istio, objects: &[Object<'_>], facts: &mut Facts) -> Vec<Table> {
    let mut found = Vec::new();
    for object in objects.iter().filter(|o| o.is(GROUP, "VirtualService")) {
        let service = read::virtual_service(*object);
        if service.http.is_empty() {
            continue;
        }
        let mut said = Said { facts, object: object.shown(), system: SYSTEM };
        remarks::virtual_service(istio, *object, &service, &mut said);
        found.push(istio.table(*object, &service));
    }
    found
}

/// The default for every service that something in the tree calls and no table covers, where somebody surely has a proxy
/// beside it.
pub fn defaults(istio: &Istio, written: &[Table], facts: &Facts) -> Vec<Table> {
    if !facts.hosts.iter().any(|h| h.sidecar == Sidecar::Of(Mesh::Istio)) {
        return Vec::new();
    }
    let called = called(facts);
    let in_mesh = |t: &&Table| t.callers != Callers::Everybody;
    let mut covered: BTreeSet<&str> = written.iter().filter(in_mesh).flat_map(|t| &t.names).map(Name::as_str).collect();
    let mut found = Vec::new();
    for host in facts.hosts.iter().filter(|h| h.sidecar != Sidecar::None) {
        let full = host.names.iter().find(|n| n.ends_with(".svc.cluster.local")).or_else(|| host.names.first());
        let of_cluster = host.names.iter().any(|n| n.ends_with(".svc"));
        let is_called = || host.names.iter().any(|n| called.contains(n.split('.').next().unwrap_or(n)));
        let Some(name) = full.filter(|n| of_cluster && is_called() && covered.insert(n)) else { continue };
        found.extend(istio.default_table(host.file, host.at, name));
    }
    found
}

/// The first labels of all hosts that calls of HTTP can name, in addresses and in variables that hold one.
fn called(facts: &Facts) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut add = |text: &str| {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric() && !"-.".contains(c));
        let labels = words.map(|word| word.split('.').next().unwrap_or(word)).filter(|label| !label.is_empty());
        found.extend(labels.map(str::to_ascii_lowercase));
    };
    for place in &facts.places {
        effect::walk(&place.body, &mut |e| {
            let Effect::Remote(remote) = e else { return };
            if matches!(remote.system.as_str(), "http" | "grpc") {
                remote.target.address.iter().chain(&remote.target.servers).for_each(|text| add(text));
            }
        });
    }
    facts.hosts.iter().flat_map(|h| &h.env).for_each(|(_, value)| add(value));
    found
}

/// `meshConfig` of an installation or of a chart's values, or the text of the ConfigMap that holds it; the first of a tree.
fn mesh_config(objects: &[Object<'_>], values: MeshConfig, facts: &mut Facts) -> MeshConfig {
    for object in objects {
        let operator = object.group == "install.istio.io" || object.is("sailoperator.io", "Istio");
        let settings = object.spec.filter(|_| operator);
        let inline =
            settings.and_then(|spec| spec.field("mesh_config").or_else(|| spec.at(&["values", "mesh_config"])));
        let text = object.root.at(&["data", "mesh"]).filter(|_| object.kind == "ConfigMap");
        let version = settings.and_then(|s| s.str_of("tag").or_else(|| s.str_of("version"))).and_then(release);
        let mut config = match (inline, text) {
            (Some(at), _) => from(at, object.shown(), facts),
            (None, Some(at)) => of_text(at, object.root.file()),
            (None, None) => MeshConfig::default(),
        };
        config.version = version;
        if config.outbound.is_some() || config.inbound.is_some() || config.version.is_some() {
            return config;
        }
    }
    values
}

/// The settings of a chart, which is no object.
pub fn values(at: At<'_>) -> Option<MeshConfig> {
    Some(read::mesh_config(at.field("mesh_config")?)).filter(|c| c.outbound.is_some() || c.inbound.is_some())
}

fn from(at: At<'_>, object: String, facts: &mut Facts) -> MeshConfig {
    let config = read::mesh_config(at);
    let mut said = Said { facts, object, system: SYSTEM };
    for (retries, field) in
        [(&config.outbound, "default_http_retry_policy"), (&config.inbound, "default_inbound_http_retry_policy")]
    {
        retries.iter().for_each(|r| remarks::policy(r, at.field(field), &mut said));
    }
    config
}

fn of_text(at: At<'_>, file: FileId) -> MeshConfig {
    let tree = yaml::read(at.str().unwrap_or_default());
    let config = tree.documents().next().map(|root| read::mesh_config(At::new(file, root)));
    read::moved(config.unwrap_or_default(), at.span())
}

/// `1.24.1`, `v1.24.1`, `1.24.1-distroless`.
fn release(tag: &str) -> Option<Name> {
    let bare = tag.strip_prefix('v').unwrap_or(tag);
    let numbers = bare.split(['-', '+']).next().unwrap_or(bare);
    let plain = numbers.split('.').count() >= 2 && numbers.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    plain.then(|| Name::new(numbers))
}
