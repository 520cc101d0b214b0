//! Traefik: routers, their middlewares and services, in its own files, in labels of containers and in objects of Kubernetes.

mod middleware;
mod object;
mod rule;
mod router;
pub mod rules;
mod settings;

use super::object::Object;
use super::plan::Table;
use super::said::Said;
use crate::fact::Facts;
use crate::frontend::field::At;
use middleware::{Middlewares, remarks};
use router::{Container, Scope};
use settings::Setting;

const LABEL: &str = "traefik.";

/// A file of its own, or labels; objects are known by their group.
pub fn claims(text: &str) -> bool {
    text.contains("traefik.http.") || (text.contains("routers:") && text.contains("rule:") && text.contains("service"))
}

pub fn tables<'t>(objects: &[Object<'t>], roots: impl Iterator<Item = At<'t>>, facts: &mut Facts) -> Vec<Table> {
    let mut found = object::tables(objects, facts);
    for root in roots {
        if let Some(http) = root.field("http").filter(|h| h.has("routers")) {
            let scope = Scope { settings: settings::flat(http, "http"), containers: Vec::new(), root };
            found.extend(of_scope(scope, facts));
        }
        let containers = containers(root);
        if !containers.is_empty() {
            let settings = containers.iter().flat_map(|c| c.settings.clone()).collect();
            found.extend(of_scope(Scope { settings, containers, root }, facts));
        }
    }
    found
}

fn of_scope(scope: Scope<'_>, facts: &mut Facts) -> Vec<Table> {
    let mut middlewares = Middlewares::default();
    for (name, group) in settings::groups(&scope.settings, "middlewares") {
        let at = group.all.first().map_or(scope.root.span(), |s| s.at);
        remarks(&group, at, &mut Said { facts, object: format!("middleware {name}"), system: "Traefik" });
        middlewares.all.insert(name, group);
    }
    scope.tables(&middlewares)
}

/// The services of a compose file that Traefik is told about.
fn containers(root: At<'_>) -> Vec<Container> {
    let services = root.field("services").into_iter().flat_map(At::entries);
    let container = |(name, service): (&str, At<'_>)| {
        let settings: Vec<Setting> =
            labels(service).chain(service.field("deploy").into_iter().flat_map(labels)).collect();
        Container { name: name.to_owned(), settings }
    };
    services.map(container).filter(|c| !c.settings.is_empty()).collect()
}

/// `traefik.http.…` of the labels, as a list of `key=value` or as a map, without the first word.
fn labels<'t>(service: At<'t>) -> impl Iterator<Item = Setting> + use<'t> {
    let at = service.field("labels");
    let pairs = at.into_iter().flat_map(At::items).filter_map(|item| {
        let (key, value) = item.str()?.split_once('=')?;
        setting(key, value, item)
    });
    let map = at.into_iter().flat_map(At::entries).filter_map(|(key, value)| setting(key, value.str()?, value));
    pairs.chain(map)
}

fn setting(key: &str, value: &str, at: At<'_>) -> Option<Setting> {
    let key = key.trim().to_lowercase();
    let own = key.strip_prefix(LABEL).filter(|k| k.starts_with("http."))?.to_owned();
    Some(Setting { key: own, text: crate::name::Name::new(value), at: at.span() })
}
