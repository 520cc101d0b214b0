//! Objects of Kubernetes that say how a mesh or a gateway passes requests on: their kind, their names, their settings.

use crate::frontend::field::At;
use crate::name::Name;
use crate::source::Span;
use crate::yaml::{Kind, Tree};

/// Lists inside lists.
const DEEPEST: usize = 8;

#[derive(Clone, Copy)]
pub struct Object<'t> {
    pub root: At<'t>,
    /// The part of `apiVersion` before the slash.
    pub group: &'t str,
    pub kind: &'t str,
    pub name: &'t str,
    pub namespace: Option<&'t str>,
    pub spec: Option<At<'t>>,
}

impl<'t> Object<'t> {
    /// Its name where it is written; the whole object where it has none.
    pub fn at(self) -> Span {
        self.root.at(&["metadata", "name"]).map_or(self.root.span(), At::span)
    }

    /// `VirtualService catalog`, for functions of layers and for fingerprints.
    pub fn shown(self) -> String {
        format!("{} {}", self.kind, self.name)
    }

    pub fn is(self, group: &str, kind: &str) -> bool {
        self.group == group && self.kind == kind
    }

    pub fn annotations(self) -> impl Iterator<Item = (&'t str, At<'t>)> {
        self.root.at(&["metadata", "annotations"]).into_iter().flat_map(At::entries)
    }

    pub fn annotation(self, key: &str) -> Option<At<'t>> {
        self.annotations().find(|(k, _)| *k == key).map(|(_, value)| value)
    }

    pub fn list(self, field: &str) -> impl Iterator<Item = At<'t>> {
        self.spec.into_iter().flat_map(|spec| spec.list(field).collect::<Vec<_>>())
    }

    /// A host as the object's namespace resolves it.
    pub fn resolve(self, host: &str) -> Name {
        match (host.contains('.'), self.namespace) {
            (false, Some(namespace)) => Name::from(service(host, namespace)),
            _ => Name::from(host.to_ascii_lowercase()),
        }
    }
}

/// The full name of a service.
pub fn service(name: &str, namespace: &str) -> String {
    format!("{}.{}.svc.cluster.local", name.to_ascii_lowercase(), namespace.to_ascii_lowercase())
}

/// The address of a host whose port nobody says: that of the request, which is most often the usual one.
pub fn address(host: &str) -> Name {
    Name::from(format!("http://{host}"))
}

/// The names by which a host is called; one in a namespace that is not said in any.
pub fn names(host: &str) -> Vec<Name> {
    let host = host.to_ascii_lowercase();
    if host.starts_with('*') {
        return vec![Name::from(host)];
    }
    if !host.contains('.') {
        return vec![Name::from(format!("{host}.*.svc")), Name::from(host)];
    }
    let short = host.strip_suffix(".cluster.local").unwrap_or(&host).strip_suffix(".svc");
    let Some((name, namespace)) = short.and_then(|s| s.split_once('.')) else { return vec![Name::from(host)] };
    let all =
        [name.to_owned(), format!("{name}.{namespace}"), format!("{name}.{namespace}.svc"), service(name, namespace)];
    all.into_iter().map(Name::from).collect()
}

/// The number of a service's port that is called by its name.
pub fn port(objects: &[Object<'_>], service: &str, namespace: Option<&str>, name: &str) -> Option<u16> {
    let is =
        |o: &&Object<'_>| o.group.is_empty() && o.kind == "Service" && o.name == service && o.namespace == namespace;
    let ports = objects.iter().find(is)?.list("ports").find(|p| p.str_of("name") == Some(name))?;
    ports.str_of("port")?.parse().ok()
}

/// A host as people write it.
pub fn shown(host: &str) -> &str {
    host.strip_suffix(".cluster.local").and_then(|h| h.strip_suffix(".svc")).unwrap_or(host)
}

/// The objects of a file, those of lists among them.
pub fn objects<'t>(file: crate::source::FileId, tree: &'t Tree<'t>) -> Vec<Object<'t>> {
    let mut found = Vec::new();
    tree.documents().for_each(|document| add(At::new(file, document), &mut found, 0));
    found
}

fn add<'t>(root: At<'t>, found: &mut Vec<Object<'t>>, depth: usize) {
    let kind = root.str_of("kind").unwrap_or_default();
    if kind == "List" && depth < DEEPEST {
        root.list("items").for_each(|item| add(item, found, depth + 1));
        return;
    }
    let version = root.str_of("api_version").unwrap_or_default();
    if root.kind() != Kind::Mapping || version.is_empty() || kind.is_empty() {
        return;
    }
    let about = |field: &str| root.at(&["metadata", field]).and_then(At::str);
    found.push(Object {
        root,
        group: version.split_once('/').map_or("", |(group, _)| group),
        kind,
        name: about("name").or_else(|| about("generateName")).unwrap_or("?"),
        namespace: about("namespace"),
        spec: root.field("spec").filter(|s| s.kind() == Kind::Mapping),
    });
}
