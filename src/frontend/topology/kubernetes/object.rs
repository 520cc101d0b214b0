//! Objects of manifests as plain data, as far as they say who is called what and what runs there.

use std::collections::BTreeMap;

use super::sidecar;
use crate::fact::Sidecar;
use crate::source::{FileId, Span};
use crate::yaml::{Kind, Node, Tree};

/// Lists inside lists.
const DEEPEST: usize = 8;

#[derive(Debug, Clone, Default)]
pub struct Object {
    pub file: FileId,
    pub at: Span,
    pub kind: String,
    /// As it is written, which is how others refer to it.
    pub name: String,
    /// As it is called when it runs.
    pub called: String,
    pub namespace: Option<String>,
    pub service: Service,
    pub pod: Option<Pod>,
    /// Of a ConfigMap.
    pub data: BTreeMap<String, String>,
    /// Files of the tree that are put into a ConfigMap.
    pub files: Vec<String>,
    /// Of a Namespace.
    pub sidecar: Sidecar,
}

#[derive(Debug, Clone, Default)]
pub struct Service {
    pub selector: BTreeMap<String, String>,
    /// Port → where it leads: a number, or the name of a container's port.
    pub ports: Vec<(u16, String)>,
    pub external: Option<String>,
}

#[derive(Debug, Clone, Default)]
pub struct Pod {
    pub labels: BTreeMap<String, String>,
    pub containers: Vec<Container>,
    /// Volume → ConfigMap.
    pub volumes: BTreeMap<String, String>,
    pub sidecar: Sidecar,
}

#[derive(Debug, Clone, Default)]
pub struct Container {
    pub name: String,
    pub image: Option<String>,
    /// The program that its command starts.
    pub program: Option<String>,
    pub ports: Vec<(Option<String>, u16)>,
    pub env: Vec<Env>,
    /// Names of the volumes that it sees.
    pub mounts: Vec<String>,
}

#[derive(Debug, Clone)]
pub enum Env {
    Value(String, String),
    /// Variable, ConfigMap, key.
    Key(String, String, String),
    /// A whole ConfigMap, and what stands before its keys.
    All(String, String),
    /// Set to something that no manifest shows.
    Hidden(String),
}

impl Env {
    /// The variable that it sets, unless it sets many.
    pub fn name(&self) -> Option<&str> {
        match self {
            Env::Value(name, _) | Env::Key(name, ..) | Env::Hidden(name) => Some(name),
            Env::All(..) => None,
        }
    }
}

/// The objects of a file, those of lists among them.
pub fn objects(file: FileId, tree: &Tree<'_>) -> Vec<Object> {
    let mut found = Vec::new();
    tree.documents().for_each(|document| add(file, document, &mut found, 0));
    found
}

fn add(file: FileId, node: Node<'_>, found: &mut Vec<Object>, depth: usize) {
    let kind = node.get("kind").and_then(|k| k.as_str()).unwrap_or_default();
    if kind == "List" && depth < DEEPEST {
        let items = node.get("items").into_iter().flat_map(|i| i.items());
        items.for_each(|item| add(file, item, found, depth + 1));
        return;
    }
    found.extend(object(file, kind, node));
}

pub fn object(file: FileId, kind: &str, node: Node<'_>) -> Option<Object> {
    let about = node.get("metadata")?;
    let key = about.get("name")?;
    let (name, range) = (key.as_str()?, key.range());
    let spec = node.get("spec");
    let pod = match kind {
        "Pod" => spec.map(|spec| pod(about, spec)),
        "CronJob" => spec.and_then(|s| template(s.get("jobTemplate")?.get("spec")?)),
        "Service" | "ConfigMap" | "Namespace" => None,
        _ => spec.and_then(template),
    };
    Some(Object {
        file,
        at: Span::new(file, range.start, range.end),
        kind: kind.to_owned(),
        name: name.to_owned(),
        called: name.to_owned(),
        namespace: about.get("namespace").and_then(|n| n.as_str()).map(str::to_owned),
        service: spec.filter(|_| kind == "Service").map(service).unwrap_or_default(),
        pod,
        data: node.get("data").filter(|_| kind == "ConfigMap").map(pairs).unwrap_or_default(),
        files: Vec::new(),
        sidecar: if kind == "Namespace" { sidecar::of(about) } else { Sidecar::Unknown },
    })
}

fn pairs(node: Node<'_>) -> BTreeMap<String, String> {
    let one = |e: crate::yaml::Entry<'_>| Some((e.key.as_str()?.to_owned(), e.value.as_str()?.to_owned()));
    node.entries().into_iter().filter_map(one).collect()
}

fn text(node: Node<'_>, key: &str) -> Option<String> {
    node.get(key).and_then(|n| n.as_str()).map(str::to_owned)
}

fn items<'t>(node: Node<'t>, key: &str) -> Vec<Node<'t>> {
    node.get(key).filter(|n| n.kind() == Kind::Sequence).map(|n| n.items().collect()).unwrap_or_default()
}

fn port(node: Node<'_>, key: &str) -> Option<u16> {
    node.get(key).and_then(|n| n.as_count()).and_then(|n| u16::try_from(n).ok())
}

fn service(spec: Node<'_>) -> Service {
    let ports = items(spec, "ports").into_iter().filter_map(|p| {
        let outside = port(p, "port")?;
        Some((outside, text(p, "targetPort").unwrap_or_else(|| outside.to_string())))
    });
    Service {
        selector: spec.get("selector").map(pairs).unwrap_or_default(),
        ports: ports.collect(),
        external: text(spec, "externalName"),
    }
}

fn template(spec: Node<'_>) -> Option<Pod> {
    let template = spec.get("template")?;
    let about = template.get("metadata").unwrap_or(template);
    Some(pod(about, template.get("spec")?))
}

fn pod(about: Node<'_>, spec: Node<'_>) -> Pod {
    let volume = |v: &Node<'_>| Some((text(*v, "name")?, text(v.get("configMap")?, "name")?));
    Pod {
        labels: about.get("labels").map(pairs).unwrap_or_default(),
        containers: items(spec, "containers").into_iter().map(container).collect(),
        volumes: items(spec, "volumes").iter().filter_map(volume).collect(),
        sidecar: sidecar::of(about),
    }
}

fn container(node: Node<'_>) -> Container {
    let command = items(node, "command");
    let program = command.first().and_then(|c| c.as_str()).filter(|c| !c.contains(' '));
    let ports = items(node, "ports").into_iter();
    let all = items(node, "envFrom").into_iter().filter_map(|from| {
        let map = from.get("configMapRef").and_then(|m| text(m, "name"))?;
        Some(Env::All(map, text(from, "prefix").unwrap_or_default()))
    });
    let own = items(node, "env").into_iter().filter_map(variable);
    Container {
        name: text(node, "name").unwrap_or_default(),
        image: text(node, "image"),
        program: program.map(str::to_owned),
        ports: ports.filter_map(|p| Some((text(p, "name"), port(p, "containerPort")?))).collect(),
        env: all.chain(own).collect(),
        mounts: items(node, "volumeMounts").into_iter().filter_map(|m| text(m, "name")).collect(),
    }
}

fn variable(node: Node<'_>) -> Option<Env> {
    let name = text(node, "name")?;
    if let Some(value) = node.get("value") {
        return Some(Env::Value(name, value.as_str().unwrap_or_default().to_owned()));
    }
    let key = node.get("valueFrom").and_then(|from| from.get("configMapKeyRef"));
    Some(match key.and_then(|k| Some((text(k, "name")?, text(k, "key")?))) {
        Some((map, key)) => Env::Key(name, map, key),
        None => Env::Hidden(name),
    })
}
