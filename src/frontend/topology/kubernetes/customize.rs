//! Kustomizations: which manifests make one system, and the patches over them.

use std::collections::{BTreeMap, BTreeSet};

use super::object::{self, Container, Object};
use crate::frontend::topology::paths::{folder, join};
use crate::source::{FileId, Span};
use crate::yaml::{self, Kind, Node, Tree};

/// Kustomizations that take in kustomizations.
const DEEPEST: usize = 16;

#[derive(Debug, Clone)]
pub struct Kustomization {
    pub id: FileId,
    namespace: Option<String>,
    prefix: String,
    suffix: String,
    /// Files and folders, in order.
    resources: Vec<String>,
    /// Files of patches.
    patches: Vec<String>,
    /// Patches that stand in the kustomization itself.
    inline: Vec<Object>,
    /// ConfigMaps that it makes.
    maps: Vec<Object>,
}

impl Kustomization {
    pub fn read(id: FileId, path: &str, tree: &Tree<'_>) -> Option<Kustomization> {
        let root = tree.documents().next()?;
        let dir = folder(path);
        let text = |key: &str| root.get(key).and_then(|n| n.as_str()).map(str::to_owned);
        let paths = |key: &str| -> Vec<String> {
            let all = root.get(key).filter(|n| n.kind() == Kind::Sequence).into_iter().flat_map(|n| n.items());
            let path = |n: Node<'_>| n.as_str().or_else(|| n.get("path")?.as_str()).map(str::to_owned);
            all.filter_map(path).filter_map(|p| join(dir, &p)).collect()
        };
        let lists = ["resources", "bases", "components"].into_iter().flat_map(&paths);
        let patches = ["patches", "patchesStrategicMerge"].into_iter().flat_map(&paths);
        Some(Kustomization {
            id,
            namespace: text("namespace"),
            prefix: text("namePrefix").unwrap_or_default(),
            suffix: text("nameSuffix").unwrap_or_default(),
            resources: lists.collect(),
            patches: patches.collect(),
            inline: inline(id, root),
            maps: generators(root).filter_map(|g| generated(id, dir, g)).collect(),
        })
    }

    /// What it takes in that may be another kustomization's folder.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        self.resources.iter().map(String::as_str)
    }
}

fn generators<'t>(root: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    let list = root.get("configMapGenerator").filter(|n| n.kind() == Kind::Sequence);
    list.into_iter().flat_map(|n| n.items())
}

fn generated(id: FileId, dir: &str, node: Node<'_>) -> Option<Object> {
    let texts = |key: &str| -> Vec<String> {
        let all = node.get(key).filter(|n| n.kind() == Kind::Sequence).into_iter().flat_map(|n| n.items());
        all.filter_map(|n| n.as_str().map(str::to_owned)).collect()
    };
    let pair = |text: String| text.split_once('=').map(|(k, v)| (k.to_owned(), v.to_owned()));
    let file = |text: String| join(dir, text.split_once('=').map_or(&*text, |(_, path)| path));
    Some(Object {
        file: id,
        at: Span::new(id, node.range().start, node.range().end),
        kind: "ConfigMap".to_owned(),
        name: node.get("name")?.as_str()?.to_owned(),
        data: texts("literals").into_iter().filter_map(pair).collect(),
        files: texts("files").into_iter().filter_map(file).collect(),
        ..Object::default()
    })
}

/// Patches written into the kustomization, those that are objects: the others list operations and are not followed.
fn inline(id: FileId, root: Node<'_>) -> Vec<Object> {
    let lists = ["patches", "patchesStrategicMerge"].into_iter().filter_map(|key| root.get(key));
    let mut found = Vec::new();
    for patch in lists.filter(|n| n.kind() == Kind::Sequence).flat_map(|n| n.items()) {
        let text = patch.get("patch").and_then(|p| p.as_str()).or_else(|| patch.as_str());
        if let Some(text) = text.filter(|t| t.contains('\n')) {
            let at = Span::new(id, patch.range().start, patch.range().end);
            let objects = object::objects(id, &yaml::read(text));
            found.extend(objects.into_iter().map(|o| Object { at, ..o }));
        }
    }
    found
}

/// The objects of a kustomization with all that it takes in, and the files in which they stand.
pub fn together<'o>(
    dir: &str,
    all: &BTreeMap<&str, Kustomization>,
    objects: &BTreeMap<&'o str, Vec<Object>>,
) -> (Vec<Object>, BTreeSet<&'o str>) {
    let mut files = BTreeSet::new();
    let found = below(dir, all, objects, &mut files, 0);
    (found, files)
}

fn below<'o>(
    dir: &str,
    all: &BTreeMap<&str, Kustomization>,
    objects: &BTreeMap<&'o str, Vec<Object>>,
    files: &mut BTreeSet<&'o str>,
    depth: usize,
) -> Vec<Object> {
    let Some(own) = all.get(dir).filter(|_| depth < DEEPEST) else { return Vec::new() };
    let mut found: Vec<Object> = Vec::new();
    for path in &own.resources {
        match objects.get_key_value(path.as_str()) {
            Some((path, list)) => {
                files.insert(path);
                found.extend(list.iter().cloned());
            }
            None => found.extend(below(path, all, objects, files, depth + 1)),
        }
    }
    found.extend(own.maps.iter().cloned());
    for path in &own.patches {
        let Some((path, list)) = objects.get_key_value(path.as_str()) else { continue };
        files.insert(path);
        list.iter().for_each(|patch| apply(&mut found, patch));
    }
    own.inline.iter().for_each(|patch| apply(&mut found, patch));
    for object in &mut found {
        object.namespace = own.namespace.clone().or(object.namespace.take());
        object.called = format!("{}{}{}", own.prefix, object.called, own.suffix);
    }
    found
}

fn apply(objects: &mut [Object], patch: &Object) {
    for object in objects.iter_mut().filter(|o| o.kind == patch.kind && o.name == patch.name) {
        object.data.extend(patch.data.clone());
        let Some((pod, over)) = object.pod.as_mut().zip(patch.pod.as_ref()) else { continue };
        pod.labels.extend(over.labels.clone());
        for container in &over.containers {
            match pod.containers.iter_mut().find(|c| c.name == container.name) {
                Some(below) => lay_over(below, container),
                None => pod.containers.push(container.clone()),
            }
        }
    }
}

fn lay_over(below: &mut Container, over: &Container) {
    below.image = over.image.clone().or(below.image.take());
    below.program = over.program.clone().or(below.program.take());
    below.ports.extend(over.ports.iter().cloned());
    below.env.extend(over.env.iter().cloned());
}
