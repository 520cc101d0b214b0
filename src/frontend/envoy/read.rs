//! One file to [`File`]: which documents are Envoy's, and what kinds of resources they hold.
//!
//! A bootstrap holds all kinds; files for dynamic configuration hold a list of resources, each with its type; fragments
//! hold one resource whose fields say what it is.

mod cluster;
mod listener;
pub mod policy;
mod route;

#[cfg(test)]
mod tests;

use super::config::File;
use crate::frontend::field::At;
use crate::source::FileId;
use crate::yaml::{Kind, Tree};

/// Reads every document of a file that is Envoy's.
pub fn file(id: FileId, tree: &Tree<'_>) -> File {
    let mut found = File::default();
    for document in tree.documents() {
        let document = At::new(id, document);
        // Objects of Kubernetes may hold Envoy's resources, but they are not Envoy's files.
        if document.has("api_version") && document.has("kind") {
            continue;
        }
        if document.kind() == Kind::Sequence {
            document.items().for_each(|item| resource(item, &mut found));
        } else {
            resource(document, &mut found);
        }
    }
    found
}

/// A message that says by its type or by its fields what it is.
fn resource(at: At<'_>, found: &mut File) {
    if let Some(inner) = at.field("resource").filter(|_| at.has("@type") || at.has("name")) {
        return resource(inner, found);
    }
    match at.type_name().unwrap_or_default() {
        "Listener" => found.listeners.push(listener::listener(at)),
        "RouteConfiguration" => found.tables.push(route::table(at)),
        "ScopedRouteConfiguration" => found.tables.extend(at.field("route_configuration").map(route::table)),
        "VirtualHost" => found.tables.push(route::table_of_host(at)),
        "Cluster" => found.clusters.push(cluster::cluster(at)),
        "Bootstrap" | "" => by_fields(at, found),
        _ => {}
    }
}

fn by_fields(at: At<'_>, found: &mut File) {
    let has = |field: &str| at.has(field);
    if has("static_resources") || has("dynamic_resources") {
        bootstrap(at, found);
    } else if has("resources") {
        at.list("resources").for_each(|item| typed(item, found));
    } else if has("virtual_hosts") {
        found.tables.push(route::table(at));
    } else if has("filter_chains") {
        found.listeners.push(listener::listener(at));
    } else if has("load_assignment") && has("name") {
        found.clusters.push(cluster::cluster(at));
    }
}

/// Resources of a list have types; one without is none.
fn typed(at: At<'_>, found: &mut File) {
    if at.has("@type") {
        resource(at, found);
    }
}

fn bootstrap(at: At<'_>, found: &mut File) {
    found.bootstrap = true;
    found.dynamic |= at.has("dynamic_resources");
    let Some(fixed) = at.field("static_resources") else { return };
    found.listeners.extend(fixed.list("listeners").map(listener::listener));
    found.clusters.extend(fixed.list("clusters").map(cluster::cluster));
}
