//! IngressRoutes with their Middlewares.

use super::middleware::{Middlewares, remarks};
use super::router::Head;
use super::rule;
use super::settings::{Group, flat};
use crate::fact::Facts;
use crate::frontend::field::At;
use crate::frontend::mesh::object::{self, Object};
use crate::frontend::mesh::plan::{Table, To};
use crate::frontend::mesh::said::Said;
use crate::name::Name;

const GROUPS: [&str; 2] = ["traefik.io", "traefik.containo.us"];

pub fn tables(objects: &[Object<'_>], facts: &mut Facts) -> Vec<Table> {
    let ours = |kind: &'static str| objects.iter().filter(move |o| GROUPS.contains(&o.group) && o.kind == kind);
    let mut middlewares = Middlewares::default();
    for object in ours("Middleware") {
        let mut group = Group { all: object.spec.map(|spec| flat(spec, "")).unwrap_or_default() };
        remarks(&group, object.at(), &mut Said { facts, object: object.shown(), system: "Traefik" });
        chain_by_name(&mut group, *object);
        middlewares.all.insert(key(object.namespace, object.name), group);
    }
    ours("IngressRoute").flat_map(|o| routes(*o, objects, &middlewares)).collect()
}

fn key(namespace: Option<&str>, name: &str) -> String {
    format!("{}/{name}", namespace.unwrap_or_default()).to_lowercase()
}

/// A chain's objects, as the one list of names that files write.
fn chain_by_name(group: &mut Group, object: Object<'_>) {
    let Some(spec) = object.spec else { return };
    let Some(chain) = spec.field("chain") else { return };
    let names: Vec<String> = chain.list("middlewares").map(|m| reference(m, object)).collect();
    let text = Name::from(names.join(","));
    group.all.push(super::settings::Setting { key: "chain.middlewares".to_owned(), text, at: chain.span() });
}

fn reference(at: At<'_>, object: Object<'_>) -> String {
    key(at.str_of("namespace").or(object.namespace), at.str_of("name").unwrap_or_default())
}

fn routes(object: Object<'_>, objects: &[Object<'_>], middlewares: &Middlewares) -> Vec<Table> {
    let table = |(i, at): (usize, At<'_>)| {
        let written = at.field("match")?;
        let names: Vec<String> = at.list("middlewares").map(|m| reference(m, object)).collect();
        let way = middlewares.way(names.iter().map(String::as_str));
        let to: Vec<To> = at.list("services").filter_map(|s| to(object, objects, s)).collect();
        let head = Head {
            file: at.file(),
            at: written.span(),
            object: format!("{} rule {}", object.shown(), i + 1),
            namespace: object.namespace.map(Name::new),
        };
        Some(head.table(rule::read(written.str()?), to, Vec::new(), way))
    };
    object.list("routes").enumerate().filter_map(table).collect()
}

/// A service of Kubernetes; one of Traefik's own kind is not followed.
fn to(object: Object<'_>, objects: &[Object<'_>], at: At<'_>) -> Option<To> {
    if at.str_of("kind").is_some_and(|kind| kind != "Service") {
        return None;
    }
    let named = at.field("name").and_then(At::name)?;
    let namespace = at.str_of("namespace").or(object.namespace);
    let host = match namespace {
        Some(namespace) if !named.contains('.') => Name::from(object::service(&named, namespace)),
        _ => object.resolve(&named),
    };
    let written = at.str_of("port");
    let port = written.and_then(|p| p.parse::<u16>().ok().or_else(|| object::port(objects, &named, namespace, p)));
    let address = match port {
        Some(port) => Name::from(format!("{host}:{port}")),
        None => object::address(&host),
    };
    Some(To { named, address: Some(address), at: at.span(), inbound: None })
}
