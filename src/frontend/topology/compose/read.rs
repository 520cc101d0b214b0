//! One compose file as plain data.

use std::collections::BTreeMap;

use crate::frontend::topology::paths::{folder, join};
use crate::frontend::topology::shell;
use crate::source::{FileId, Sources, Span};
use crate::yaml::{Kind, Node, Tree};

/// Ports of one range.
const RANGE: u16 = 100;

pub struct File {
    pub id: FileId,
    /// Files of the project that it takes in.
    pub includes: Vec<String>,
    pub services: BTreeMap<String, Service>,
}

/// A service as far as it is written: what is not stays empty, so that another file can be laid over it.
#[derive(Debug, Clone, Default)]
pub struct Service {
    pub at: Span,
    /// `container_name`, `hostname`, aliases.
    pub names: Vec<String>,
    pub image: Option<String>,
    pub build: Option<Build>,
    /// The words with which it is started.
    pub command: Vec<String>,
    /// Machine's port → container's.
    pub published: Vec<(u16, u16)>,
    /// Files and folders of the tree that it sees, by their paths in the tree, and where it sees them.
    pub mounts: Vec<(String, String)>,
    pub env: BTreeMap<String, String>,
    /// Another service that it begins as, and that one's file.
    pub extends: Option<(String, Option<String>)>,
}

#[derive(Debug, Clone, Default)]
pub struct Build {
    pub context: Option<String>,
    /// As seen from the context.
    pub dockerfile: Option<String>,
    /// A stage's name and the values of arguments.
    pub words: Vec<String>,
}

impl Service {
    /// Whether it says what runs; if not, another file does.
    pub fn is_complete(&self) -> bool {
        self.image.is_some() || self.build.is_some() || self.extends.is_some()
    }
}

/// `None`: it has no services.
pub fn file(id: FileId, path: &str, tree: &Tree<'_>, sources: &Sources) -> Option<File> {
    let root = tree.documents().next()?;
    let services = root.get("services").filter(|s| s.kind() == Kind::Mapping)?;
    let read = Reader { id, dir: folder(path), root, sources };
    let one = |e: crate::yaml::Entry<'_>| Some((e.key.as_str()?.to_owned(), read.service(e.key, e.value)));
    let services: BTreeMap<String, Service> = services.entries().into_iter().filter_map(one).collect();
    Some(File { id, includes: read.includes(), services })
}

struct Reader<'r, 't> {
    id: FileId,
    /// The file's folder: paths are relative to it.
    dir: &'r str,
    root: Node<'t>,
    sources: &'r Sources,
}

/// A scalar with the defaults of its variables.
fn text(node: Node<'_>) -> Option<String> {
    node.as_str().map(|text| shell::fill(text, &|_| None))
}

/// A scalar, or a list of them.
fn texts(node: Option<Node<'_>>) -> Vec<String> {
    let Some(node) = node else { return Vec::new() };
    match node.kind() {
        Kind::Sequence => node.items().filter_map(text).collect(),
        _ => text(node).into_iter().collect(),
    }
}

/// `KEY: value`, or a list of `KEY=value`.
fn pairs(node: Option<Node<'_>>) -> Vec<(String, String)> {
    let Some(node) = node else { return Vec::new() };
    let of_entry = |e: crate::yaml::Entry<'_>| Some((e.key.as_str()?.to_owned(), text(e.value)?));
    let of_item = |item: String| item.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
    match node.kind() {
        Kind::Mapping => node.entries().into_iter().filter_map(of_entry).collect(),
        _ => node.items().filter_map(text).filter_map(of_item).collect(),
    }
}

impl Reader<'_, '_> {
    fn service(&self, key: Node<'_>, node: Node<'_>) -> Service {
        let range = key.range();
        let get = |name: &str| node.get(name);
        let mut names: Vec<String> =
            ["container_name", "hostname"].into_iter().filter_map(|k| get(k).and_then(text)).collect();
        let networks = get("networks").map(Node::entries).unwrap_or_default();
        names.extend(networks.iter().flat_map(|e| texts(e.value.get("aliases"))));
        names.retain(|name| !name.contains("{}"));
        Service {
            at: Span::new(self.id, range.start, range.end),
            names,
            image: get("image").and_then(text),
            build: get("build").map(|b| self.build(b)),
            command: texts(get("entrypoint")).into_iter().chain(texts(get("command"))).collect(),
            published: get("ports").into_iter().flat_map(|p| p.items()).flat_map(ports).collect(),
            mounts: self.mounts(node),
            env: self.env(node),
            extends: get("extends").and_then(|e| self.extends(e)),
        }
    }

    fn build(&self, node: Node<'_>) -> Build {
        if node.kind() != Kind::Mapping {
            let context = text(node).and_then(|t| join(self.dir, &t));
            return Build { context, ..Build::default() };
        }
        let target = node.get("target").and_then(text);
        let args = pairs(node.get("args")).into_iter().map(|(_, value)| value);
        Build {
            context: join(self.dir, &node.get("context").and_then(text).unwrap_or_else(|| ".".to_owned())),
            dockerfile: node.get("dockerfile").and_then(text),
            words: args.chain(target).collect(),
        }
    }

    fn mounts(&self, node: Node<'_>) -> Vec<(String, String)> {
        let pair = |node: Node<'_>| Some((node.get("source").and_then(text)?, node.get("target").and_then(text)?));
        let volumes = node.get("volumes").into_iter().flat_map(|v| v.items()).filter_map(|v| match v.kind() {
            Kind::Mapping => pair(v),
            _ => text(v).and_then(|t| t.split_once(':').map(|(from, to)| (from.to_owned(), to.to_owned()))),
        });
        // A volume with a name is no path.
        let files = volumes.filter(|(source, _)| source.starts_with('.') || source.contains('/'));
        let configs = node.get("configs").into_iter().flat_map(|c| c.items()).filter_map(|c| {
            let name = c.as_str().or_else(|| c.get("source").and_then(|s| s.as_str()))?;
            let file = self.root.get("configs")?.get(name)?.get("file").and_then(text)?;
            Some((file, c.get("target").and_then(text).unwrap_or_else(|| format!("/{name}"))))
        });
        files.chain(configs).filter_map(|(path, to)| Some((join(self.dir, &path)?, to))).collect()
    }

    fn env(&self, node: Node<'_>) -> BTreeMap<String, String> {
        let mut env = BTreeMap::new();
        let files = node.get("env_file").into_iter().flat_map(|files| match files.kind() {
            Kind::Sequence => files.items().filter_map(|f| text(f.get("path").unwrap_or(f))).collect(),
            _ => texts(Some(files)),
        });
        for file in files.filter_map(|path| join(self.dir, &path)) {
            let found = self.sources.find(&file).map(|id| env_file(&self.sources.get(id).text));
            env.extend(found.into_iter().flatten());
        }
        env.extend(pairs(node.get("environment")));
        env
    }

    fn extends(&self, node: Node<'_>) -> Option<(String, Option<String>)> {
        if node.kind() != Kind::Mapping {
            return Some((text(node)?, None));
        }
        let file = node.get("file").and_then(text).and_then(|path| join(self.dir, &path));
        Some((node.get("service").and_then(text)?, file))
    }

    fn includes(&self) -> Vec<String> {
        let all = self.root.get("include").into_iter().flat_map(|i| i.items());
        let paths = all.flat_map(|item| match item.kind() {
            Kind::Mapping => texts(item.get("path")),
            _ => texts(Some(item)),
        });
        paths.filter_map(|path| join(self.dir, &path)).collect()
    }
}

/// `KEY=value` per line; comments and quotes taken away.
fn env_file(text: &str) -> Vec<(String, String)> {
    let line = |line: &str| {
        let (key, value) = line.trim().split_once('=').filter(|_| !line.trim_start().starts_with('#'))?;
        let value = value.trim();
        let quoted = ['"', '\''].iter().find_map(|q| value.strip_prefix(*q)?.split_once(*q)).map(|(inner, _)| inner);
        let plain = || value.split(" #").next().unwrap_or(value).trim();
        let key = key.trim().trim_start_matches("export ").trim();
        Some((key.to_owned(), shell::fill(quoted.unwrap_or_else(plain), &|_| None)))
    };
    text.lines().filter_map(line).collect()
}

/// `8080:80`, `127.0.0.1:8080:80/tcp`, `3000-3005:3000-3005`, or the long form. A port that the machine picks is none.
fn ports(node: Node<'_>) -> Vec<(u16, u16)> {
    if node.kind() == Kind::Mapping {
        let number = |key: &str| node.get(key).and_then(text).and_then(|t| t.parse().ok());
        return number("published").zip(number("target")).into_iter().collect();
    }
    let Some(text) = text(node) else { return Vec::new() };
    let bare = text.split('/').next().unwrap_or(&text);
    let mut parts = bare.rsplit(':');
    let (Some(inside), Some(outside)) = (parts.next().and_then(range), parts.next().and_then(range)) else {
        return Vec::new();
    };
    match inside.1 - inside.0 == outside.1 - outside.0 {
        true => (outside.0..=outside.1).zip(inside.0..=inside.1).take(usize::from(RANGE)).collect(),
        false => Vec::new(),
    }
}

fn range(text: &str) -> Option<(u16, u16)> {
    let (from, to) = text.split_once('-').unwrap_or((text, text));
    let (from, to) = (from.parse().ok()?, to.parse().ok()?);
    (from <= to).then_some((from, to))
}
