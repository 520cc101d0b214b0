//! Whether the proxy of a mesh is put beside a pod: labels and annotations of its template, or of its namespace.

use std::collections::BTreeMap;

use crate::fact::{Mesh, Sidecar};
use crate::yaml::Node;

/// Labels and annotations that decide, the words that they have for yes, and the mesh.
const SWITCHES: &[(&str, &[&str], Mesh)] = &[
    ("sidecar.istio.io/inject", &["true"], Mesh::Istio),
    ("istio-injection", &["enabled"], Mesh::Istio),
    ("linkerd.io/inject", &["enabled", "ingress"], Mesh::Linkerd),
    ("kuma.io/sidecar-injection", &["enabled", "true"], Mesh::Kuma),
];
const NO: [&str; 2] = ["false", "disabled"];
/// Picks the control plane's revision, which is a yes whatever it says.
const REVISION: &str = "istio.io/rev";

/// What the metadata of a template or a namespace says.
pub fn of(about: Node<'_>) -> Sidecar {
    let maps: Vec<Node<'_>> = ["labels", "annotations"].iter().filter_map(|key| about.get(key)).collect();
    let value = |key: &str| maps.iter().find_map(|map| map.get(key)?.as_str());
    let mut no = false;
    for (key, yes, mesh) in SWITCHES {
        let Some(value) = value(key) else { continue };
        if yes.contains(&value) {
            return Sidecar::Of(*mesh);
        }
        no |= NO.contains(&value);
    }
    match (no, value(REVISION)) {
        (true, _) => Sidecar::None,
        (false, Some(_)) => Sidecar::Of(Mesh::Istio),
        (false, None) => Sidecar::Unknown,
    }
}

/// What namespaces say, those of the whole tree: of several copies of one the first that says something counts.
#[derive(Default)]
pub struct Namespaces(BTreeMap<String, Sidecar>);

impl Namespaces {
    pub fn add(&mut self, name: &str, sidecar: Sidecar) {
        let known = self.0.entry(name.to_owned()).or_default();
        if *known == Sidecar::Unknown {
            *known = sidecar;
        }
    }

    /// Of a pod that says nothing itself.
    pub fn of(&self, namespace: Option<&str>) -> Sidecar {
        namespace.and_then(|name| self.0.get(name)).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml;

    #[test]
    fn labels_and_annotations_say_which_proxy_is_there() {
        let said = |text: &str| {
            let tree = yaml::read(text);
            tree.documents().next().map(of)
        };
        assert_eq!(said("labels: {istio-injection: enabled}"), Some(Sidecar::Of(Mesh::Istio)));
        assert_eq!(said("labels: {istio.io/rev: canary}"), Some(Sidecar::Of(Mesh::Istio)));
        assert_eq!(said("annotations: {sidecar.istio.io/inject: \"false\"}"), Some(Sidecar::None));
        assert_eq!(said("annotations: {linkerd.io/inject: enabled}"), Some(Sidecar::Of(Mesh::Linkerd)));
        assert_eq!(said("labels: {app: x}"), Some(Sidecar::Unknown));
    }
}
