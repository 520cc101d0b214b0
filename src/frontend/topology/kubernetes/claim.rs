//! Which files hold objects that say something about names, addresses and environment: by words, without reading them.

/// Kinds that are read. Lists hold others.
const KINDS: &[&str] = &[
    "Service",
    "Deployment",
    "StatefulSet",
    "DaemonSet",
    "ReplicaSet",
    "Pod",
    "Job",
    "CronJob",
    "ConfigMap",
    "Namespace",
    "List",
    "Rollout",
];

pub fn claims(path: &str, text: &str) -> bool {
    if is_kustomization(path) {
        return true;
    }
    let ours = [".yaml", ".yml", ".json"].iter().any(|end| path.ends_with(end));
    ours && text.contains("apiVersion") && has_kind(text)
}

pub fn is_kustomization(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, "kustomization.yaml" | "kustomization.yml" | "Kustomization")
}

/// `kind: Deployment`, `"kind": "Service"`.
fn has_kind(text: &str) -> bool {
    text.match_indices("kind").any(|(at, word)| {
        let rest = text[at + word.len()..].trim_start_matches(['"', '\'']);
        let Some(value) = rest.strip_prefix(':') else { return false };
        let value = value.trim_start_matches([' ', '\t']).trim_start_matches(['"', '\'']);
        let end = value.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(value.len());
        KINDS.contains(&&value[..end])
    })
}

/// Text that some tool fills in before it is a manifest.
pub fn is_template(text: &str) -> bool {
    ["{{", "{%", "<%", "${", "#@", "@@"].iter().any(|mark| text.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_are_claimed_by_kind() {
        assert!(claims("a.yaml", "apiVersion: v1\nkind: Service\n"));
        assert!(claims("a.json", "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": []}"));
        assert!(claims("x/kustomization.yaml", ""));
        assert!(!claims("crd.yaml", "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"));
        assert!(!claims("rs.yaml", "apiVersion: v1\nkind: ServiceAccount\n"));
        assert!(!claims("ci.yml", "on: push\njobs: {}\n"));
    }
}
