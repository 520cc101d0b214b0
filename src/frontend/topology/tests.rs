//! Descriptions to hosts, and input that is none.

use super::Topology;
use crate::fact::{Facts, Host, Runs};
use crate::frontend::{FrontEnd, World};
use crate::settings::Settings;
use crate::source::{SourceFile, Sources};

const MAIN: &str = "fn main() {}";

/// The facts of some files; a path that ends with `/` is a package with a program, called like its folder.
fn facts(files: &[(&str, &str)]) -> Facts {
    let file = |(path, text): &(&str, &str)| match path.strip_suffix('/') {
        Some(folder) => {
            let name = folder.rsplit('/').next().unwrap_or(folder);
            let manifest = format!("[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n{text}");
            vec![
                SourceFile::new(format!("{folder}/Cargo.toml"), manifest),
                SourceFile::new(format!("{folder}/src/main.rs"), MAIN),
            ]
        }
        None => vec![SourceFile::new(*path, *text)],
    };
    let sources = Sources::new(files.iter().flat_map(file).collect());
    let mut facts = Facts::default();
    Topology.extract(&World { sources: &sources, settings: &Settings::default() }, &mut facts);
    facts
}

fn host<'f>(facts: &'f Facts, name: &str) -> &'f Host {
    let mut all = facts.hosts.iter().filter(|h| h.names.iter().any(|n| *n == name));
    let first = all.next().expect("a host of that name");
    assert!(all.next().is_none(), "{name} stands for several");
    first
}

fn folder(path: &str) -> Vec<Runs> {
    vec![Runs::Folder(path.into())]
}

fn config(path: &str) -> Vec<Runs> {
    vec![Runs::Config(path.into())]
}

fn env<'h>(host: &'h Host, name: &str) -> Option<&'h str> {
    host.env.iter().find(|(n, _)| *n == name).map(|(_, value)| value.as_str())
}

#[test]
fn services_of_compose_have_names_and_ports() {
    let text = r#"
x-common: &common
  restart: always
  environment: &env
    LEVEL: info
services:
  Web:
    <<: *common
    image: nginx
    hostname: front
    ports: ["80:8080", "127.0.0.1:9000-9001:9100-9101/tcp", "5432", "${PORT:-8443}:443"]
    networks: {default: {aliases: [www, shop.internal]}}
    volumes: ["./nginx.conf:/etc/nginx/nginx.conf:ro", "data:/var/lib", "./sites:/etc/nginx/conf.d", "./src:/app"]
  worker:
    image: worker
    environment: {<<: *env, URL: "http://${HOST:-web}:${PORT:-80}/$$x", SECRET: $SECRET}
"#;
    let files =
        [("compose.yml", text), ("nginx.conf", ""), ("sites/a.conf", ""), ("src/b.conf", ""), ("sites/b.rs", "")];
    let facts = facts(&files);
    let web = host(&facts, "web");
    assert_eq!(web.names, ["web", "front", "www", "shop.internal"]);
    assert_eq!(web.published, [(80, 8080), (9000, 9100), (9001, 9101), (8443, 443)]);
    assert_eq!(web.runs, [config("nginx.conf"), config("sites/a.conf")].concat());
    let worker = host(&facts, "worker");
    assert_eq!(env(worker, "URL"), Some("http://web:80/$x"));
    assert_eq!((env(worker, "LEVEL"), env(worker, "SECRET")), (Some("info"), Some("{}")));
}

#[test]
fn what_is_built_is_a_package_if_only_one_can_be_meant() {
    let text = r#"
services:
  own: {build: services/orders}
  deeper: {build: {context: ., dockerfile: services/orders/docker/Dockerfile}}
  by-argument: {build: {context: ., args: {APP: payments}}}
  by-command: {build: ., command: ["/usr/bin/payments", "--port", "80"]}
  payments: {build: .}
  unclear: {build: .}
  elsewhere: {build: "https://example.com/x.git"}
  pulled: {image: "ghcr.io/shop/orders:1@sha256:00"}
  library: {image: redis}
"#;
    let redis = "[lib]\npath = \"src/lib.rs\"\n[[bin]]\nname = \"redis-tool\"\npath = \"src/main.rs\"\n";
    let files = [("docker-compose.yaml", text), ("services/orders/", ""), ("payments/", ""), ("tool/", redis)];
    let facts = facts(&files);
    let runs = |name: &str| host(&facts, name).runs.clone();
    for name in ["own", "deeper", "pulled"] {
        assert_eq!(runs(name), folder("services/orders"), "{name}");
    }
    for name in ["by-argument", "by-command", "payments"] {
        assert_eq!(runs(name), folder("payments"), "{name}");
    }
    for name in ["unclear", "elsewhere", "library"] {
        assert_eq!(runs(name), [], "{name}");
    }
}

#[test]
fn ways_to_start_a_project_are_told_apart() {
    let base = "services:\n  a: {image: x, environment: {U: base, V: base}}\n";
    let over = "services:\n  a: {environment: [U=over]}\n";
    let alone = "services:\n  b: {image: y}\n";
    let names = ["compose.yaml", "compose.override.yaml", "compose.prod.yaml", "compose.alone.yaml"];
    let facts = facts(&[(names[0], base), (names[1], over), (names[2], over), (names[3], alone)]);
    let systems: Vec<(&str, &str)> =
        facts.hosts.iter().map(|h| (h.system.as_str(), env(h, "U").unwrap_or("none"))).collect();
    let expected = [
        ("compose compose.yaml compose.override.yaml", "over"),
        ("compose compose.alone.yaml", "none"),
        ("compose compose.yaml compose.prod.yaml", "over"),
    ];
    assert_eq!(systems, expected);
    assert_eq!(env(&facts.hosts[0], "V"), Some("base"));
}

#[test]
fn environment_comes_from_files_and_other_services() {
    let text = "services:\n  a:\n    extends: {file: ../common.compose.yml, service: base}\n    env_file: [a.env]\n    environment: {C: own}\n";
    let common = "services:\n  base: {image: x, environment: {A: base, B: base, C: base}}\n";
    let circle = "services:\n  x: {extends: y}\n  y: {extends: x}\n";
    let files = [
        ("dev/compose.yaml", text),
        ("common.compose.yml", common),
        ("dev/a.env", "# no\nexport B='file' # why\nC=file\n"),
        ("circle/compose.yaml", circle),
    ];
    let facts = facts(&files);
    let a = host(&facts, "a");
    assert_eq!([env(a, "A"), env(a, "B"), env(a, "C")], [Some("base"), Some("file"), Some("own")]);
    assert_eq!(host(&facts, "x").runs, []);
}

#[test]
fn services_of_kubernetes_are_joined_with_pods() {
    let text = r#"
apiVersion: v1
kind: Service
metadata: {name: payments, namespace: shop}
spec:
  selector: {app: payments}
  ports: [{port: 80, targetPort: http}, {port: 9100, targetPort: 9100}]
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: p, namespace: shop}
spec:
  template:
    metadata: {labels: {app: payments, v: "2"}}
    spec:
      containers:
        - {name: a, image: "shop/payments:1", ports: [{name: http, containerPort: 8080}], env: [{name: H, value: b}, {name: U, value: "http://$(H)/$(X)"}, {name: S, valueFrom: {secretKeyRef: {name: s, key: k}}}]}
        - {name: m, image: exporter, ports: [{containerPort: 9100}]}
---
apiVersion: v1
kind: Service
metadata: {name: old}
spec: {type: ExternalName, externalName: payments.shop.svc.cluster.local}
"#;
    let facts = facts(&[("k8s/all.yaml", text), ("payments/", "")]);
    let all: Vec<&Host> = facts.hosts.iter().filter(|h| h.names.iter().any(|n| *n == "payments.shop.svc")).collect();
    assert_eq!(all.len(), 2);
    assert_eq!((&all[0].ports[..], &all[1].ports[..]), (&[(80, 8080)][..], &[(9100, 9100)][..]));
    assert_eq!((all[0].runs.clone(), all[1].runs.clone()), (folder("payments"), Vec::new()));
    assert_eq!((env(all[0], "U"), env(all[0], "S")), (Some("http://b/{}"), None));
    let old = host(&facts, "old.*.svc");
    assert_eq!(old.runs, [Runs::Elsewhere("payments.shop.svc.cluster.local".into())]);
}

#[test]
fn folders_side_by_side_are_joined_if_only_two_fit() {
    let service = |name: &str| {
        format!("apiVersion: v1\nkind: Service\nmetadata: {{name: {name}}}\nspec: {{selector: {{app: {name}}}}}\n")
    };
    let pod = |name: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: {name}}}\nspec: {{template: {{metadata: {{labels: {{app: {name}}}}}, spec: {{containers: [{{name: c, image: {name}}}]}}}}}}\n"
        )
    };
    let files = [
        ("k8s/services/a.yaml", service("a")),
        ("k8s/pods/a.yaml", pod("a")),
        ("k8s/services/b.yaml", service("b")),
        ("x/services/d.yaml", service("d")),
        ("x/dev/d.yaml", pod("d")),
        ("x/prod/d.yaml", pod("d")),
        ("a/", String::new()),
        ("d/", String::new()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    let facts = facts(&files);
    assert_eq!(host(&facts, "a").runs, folder("a"));
    assert_eq!((host(&facts, "b").runs.clone(), host(&facts, "d").runs.clone()), (Vec::new(), Vec::new()));
}

#[test]
fn kustomizations_are_systems_with_their_patches() {
    let pod = |extra: &str| {
        format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: a}}\nspec:\n  template:\n    metadata: {{labels: {{app: a}}}}\n    spec:\n      containers:\n        - {{name: c{extra}}}\n"
        )
    };
    let base = pod(", image: a, envFrom: [{configMapRef: {name: m}}], volumeMounts: [{name: v, mountPath: /etc}]")
        + "      volumes: [{name: v, configMap: {name: m}}]\n"
        + "---\napiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {selector: {app: a}, ports: [{port: 80}]}\n";
    let over = pod(", env: [{name: U, value: over}]");
    let inline = "namePrefix: x-\nresources: [../base]\npatches:\n  - patch: |-\n".to_owned()
        + &over.lines().map(|l| format!("      {l}\n")).collect::<String>();
    let files = [
        (
            "base/kustomization.yaml",
            "resources: [a.yaml]\nconfigMapGenerator: [{name: m, literals: [U=base, W=base], files: [proxy.conf]}]\n",
        ),
        ("base/a.yaml", &base),
        ("base/proxy.conf", ""),
        ("dev/kustomization.yaml", "namespace: dev\nresources: [../base]\npatches: [{path: p.yaml}]\n"),
        ("dev/p.yaml", &over),
        ("prod/kustomization.yaml", &inline),
    ];
    let facts = facts(&files);
    let (dev, prod) = (host(&facts, "a.dev"), host(&facts, "x-a"));
    assert_eq!(facts.hosts.len(), 2);
    assert_eq!([env(dev, "U"), env(dev, "W"), env(prod, "U")], [Some("over"), Some("base"), Some("over")]);
    assert_eq!(dev.runs, config("base/proxy.conf"));
}

#[test]
fn what_is_no_description_is_left_alone() {
    let helm = "apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Values.name }}\n{{- if .Values.x }}\nspec: {}\n{{- end }}\n";
    let odd = "apiVersion: v1\nkind: Service\nmetadata: [1, 2]\nspec: {ports: 7}\n---\nkind: List\napiVersion: v1\nitems: {a: 1}\n";
    let circle = "resources: [., ../b, c.yaml]\npatches: 3\n";
    let files = [
        ("chart/templates/s.yaml", helm),
        ("odd.yaml", odd),
        ("a/kustomization.yaml", circle),
        ("b/kustomization.yaml", "resources: [../a]"),
        ("compose.yaml", "services: [1, {a: b}]\n"),
        ("x/compose.yaml", "services: {a: 3, b: {ports: {c: 1}, build: [], environment: 7, extends: []}}\n"),
    ];
    let facts = facts(&files);
    assert_eq!(facts.problems, []);
    assert!(facts.hosts.iter().all(|h| h.runs.is_empty()));
    let broken = super::tests::facts(&[("compose.yaml", "services:\n  a: [\n"), ("c.yaml", "a: [")]);
    assert_eq!(broken.problems.len(), 1);
    assert!(broken.problems[0].message.starts_with("not valid YAML"));
}
