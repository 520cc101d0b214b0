//! One whole configuration: a main file with what it includes put in its place, as nginx reads it.
//!
//! Includes are looked up among the sources that were handed in, never on the disk. A file that includes itself, directly or
//! through others, and lists that grow without end are cut.

use globset::{GlobBuilder, GlobMatcher};
use rustc_hash::FxHashMap;

use super::lex::Token;
use super::tree::{Body, Children, Index, Tree};
use crate::source::{FileId, Span};

/// A file that was read.
pub struct Doc<'a> {
    pub file: FileId,
    pub path: &'a str,
    pub text: &'a str,
    pub tree: Tree,
}

/// The position of a directive in a configuration; 0 is the configuration itself.
pub type NodeId = usize;

#[derive(Debug)]
pub struct Node {
    pub name: String,
    pub args: Vec<String>,
    /// The whole directive; of a block what stands before its `{`.
    pub at: Span,
    pub body: Body,
    pub parent: NodeId,
    after: NodeId,
}

impl Node {
    pub fn arg(&self, index: usize) -> &str {
        self.args.get(index).map_or("", String::as_str)
    }
}

#[derive(Debug)]
pub struct Conf {
    pub nodes: Vec<Node>,
    /// Per block: its children, sorted by name, in the order of the text.
    by_name: Vec<Vec<NodeId>>,
    /// Files that are a part of it besides the main one.
    pub included: Vec<FileId>,
    /// Includes that lead to no source.
    pub missing: Vec<(Span, String)>,
}

const MOST_NODES: usize = 400_000;
const DEEPEST_INCLUDE: usize = 20;
const MOST_INCLUDES: usize = 5_000;
/// Blocks that only translate values: nothing in them sends anything.
const TABLES: &[&str] = &["types", "geo", "charset_map"];
/// Where installations keep what their main file includes by an absolute path.
const PREFIXES: &[&str] = &[
    "/etc/nginx/",
    "/usr/local/nginx/conf/",
    "/usr/local/etc/nginx/",
    "/usr/local/openresty/nginx/conf/",
    "/opt/bitnami/nginx/conf/",
    "/opt/nginx/conf/",
];

/// What a configuration is put together from.
struct Reader<'a> {
    docs: &'a [Doc<'a>],
    main: usize,
    open: Vec<Open<'a>>,
    /// Patterns of includes that were looked up.
    known: FxHashMap<String, Vec<usize>>,
    conf: Conf,
}

struct Open<'a> {
    doc: usize,
    rest: Children<'a>,
    parent: NodeId,
    /// The block that ends with it; `None` for an included file.
    closes: Option<NodeId>,
}

impl<'a> Reader<'a> {
    fn run(&mut self) {
        while let Some(last) = self.open.last_mut() {
            match last.rest.next().filter(|_| self.conf.nodes.len() < MOST_NODES) {
                Some(index) => {
                    let (doc, parent) = (last.doc, last.parent);
                    self.enter(doc, index, parent);
                }
                None => {
                    if let Some(node) = self.open.pop().and_then(|o| o.closes) {
                        self.conf.nodes[node].after = self.conf.nodes.len();
                    }
                }
            }
        }
        self.conf.sort();
    }

    fn enter(&mut self, doc: usize, index: Index, parent: NodeId) {
        let node = node_of(&self.docs[doc], index, parent);
        if node.name == "include" && node.body == Body::None {
            return self.include(&node, parent);
        }
        let id = self.conf.nodes.len();
        let enters = node.body == Body::Block && !TABLES.contains(&node.name.as_str());
        self.conf.nodes.push(Node { after: id + 1, ..node });
        if enters {
            let rest = self.docs[doc].tree.children(index);
            self.open.push(Open { doc, rest, parent: id, closes: Some(id) });
        }
    }

    fn include(&mut self, node: &Node, parent: NodeId) {
        let pattern = node.arg(0);
        if !self.known.contains_key(pattern) {
            self.known.insert(pattern.to_owned(), resolve(self.docs, self.main, pattern));
        }
        let found = &self.known[pattern];
        if found.is_empty() {
            self.conf.missing.push((node.at, pattern.to_owned()));
        }
        let depth = self.open.iter().filter(|o| o.closes.is_none()).count();
        for target in found.iter().rev() {
            let inside = self.open.iter().any(|o| o.doc == *target);
            if !inside && depth < DEEPEST_INCLUDE && self.conf.included.len() < MOST_INCLUDES {
                self.conf.included.push(self.docs[*target].file);
                self.open.push(Open { doc: *target, rest: self.docs[*target].tree.top(), parent, closes: None });
            }
        }
    }
}

impl Conf {
    /// `mains` stand side by side; several are the parts of a configuration whose main file is elsewhere.
    pub fn read(docs: &[Doc<'_>], mains: &[usize]) -> Conf {
        let main = mains[0];
        let root = Node {
            name: String::new(),
            args: Vec::new(),
            at: Span::new(docs[main].file, 0, 0),
            body: Body::Block,
            parent: 0,
            after: 1,
        };
        let conf = Conf { nodes: vec![root], by_name: Vec::new(), included: Vec::new(), missing: Vec::new() };
        let top = |(i, doc): (usize, &usize)| {
            let closes = (i == 0).then_some(0);
            Open { doc: *doc, rest: docs[*doc].tree.top(), parent: 0, closes }
        };
        // The last of the stack is read first; the first main file ends the whole.
        let mut open: Vec<Open<'_>> = mains.iter().enumerate().map(top).collect();
        open[1..].reverse();
        let mut reader = Reader { docs, main, open, known: FxHashMap::default(), conf };
        reader.run();
        reader.conf
    }

    fn sort(&mut self) {
        let mut by_name: Vec<Vec<NodeId>> = Vec::new();
        by_name.resize_with(self.nodes.len(), Vec::new);
        for id in 1..self.nodes.len() {
            by_name[self.nodes[id].parent].push(id);
        }
        for list in &mut by_name {
            list.sort_by(|a, b| self.nodes[*a].name.cmp(&self.nodes[*b].name));
        }
        self.by_name = by_name;
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    /// The directives directly in a block, in the order of the text.
    pub fn children(&self, block: NodeId) -> impl Iterator<Item = NodeId> {
        let (mut next, end) = (block + 1, self.nodes[block].after);
        std::iter::from_fn(move || {
            let now = next;
            if now >= end {
                return None;
            }
            next = self.nodes[now].after;
            Some(now)
        })
    }

    /// The directives of that name directly in a block.
    pub fn named(&self, block: NodeId, name: &str) -> &[NodeId] {
        let list = &self.by_name[block];
        let from = list.partition_point(|id| *self.nodes[*id].name < *name);
        let to = list.partition_point(|id| *self.nodes[*id].name <= *name);
        &list[from..to]
    }

    /// The directives of that name that hold in a block: those of the nearest block around it that has any. Nothing is put
    /// together from two levels.
    pub fn holding(&self, block: NodeId, name: &str) -> &[NodeId] {
        let mut at = block;
        loop {
            let own = self.named(at, name);
            if !own.is_empty() || at == 0 {
                return own;
            }
            at = self.nodes[at].parent;
        }
    }

    /// The one directive that holds, for settings of which there is only one.
    pub fn setting(&self, block: NodeId, name: &str) -> Option<&Node> {
        self.holding(block, name).first().map(|id| &self.nodes[*id])
    }
}

fn node_of(doc: &Doc<'_>, index: Index, parent: NodeId) -> Node {
    let directive = doc.tree.get(index);
    let args = doc.tree.args(index);
    let value = |token: &Token| token.value(doc.text).into_owned();
    let end = match directive.body {
        Body::None => directive.end,
        _ => args.last().map_or(directive.name.end, |last| last.end),
    };
    Node {
        name: value(&directive.name),
        args: args.iter().map(value).collect(),
        at: Span::new(doc.file, directive.start, end),
        body: directive.body,
        parent,
        after: 0,
    }
}

/// The sources that an include means, sorted by path: relative to the folder of the main file, as far as it is in it.
///
/// Documents are sorted by path, so that only those that begin like the pattern are looked at.
fn resolve(docs: &[Doc<'_>], main: usize, pattern: &str) -> Vec<usize> {
    let relative = PREFIXES.iter().find_map(|prefix| pattern.strip_prefix(prefix)).unwrap_or(pattern);
    if relative.starts_with('/') {
        return Vec::new();
    }
    let mut folders = vec![folder_of(docs[main].path)];
    // A file of `conf.d` that stands alone is included by a main file that stands one folder up.
    folders.extend(folders[0].rsplit_once('/').map(|(up, _)| up).or((!folders[0].is_empty()).then_some("")));
    for folder in folders {
        let wanted = clean(&format!("{folder}/{relative}"));
        let Some(matcher) = glob(&wanted) else { return Vec::new() };
        let begins = &wanted[..wanted.find(['*', '?', '[', '{']).unwrap_or(wanted.len())];
        let from = docs.partition_point(|d| d.path < begins);
        let near = (from..docs.len()).take_while(|i| docs[*i].path.starts_with(begins));
        let found: Vec<usize> = near.filter(|i| *i != main && matcher.is_match(docs[*i].path)).collect();
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

fn glob(pattern: &str) -> Option<GlobMatcher> {
    GlobBuilder::new(pattern).literal_separator(true).build().ok().map(|g| g.compile_matcher())
}

pub fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Without `.`, `..` and empty parts, by text alone.
fn clean(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|p| *p != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::nginx::tree;

    fn docs<'a>(files: &[(&'a str, &'a str)]) -> Vec<Doc<'a>> {
        let doc = |(i, (path, text)): (usize, &(&'a str, &'a str))| {
            let (tree, wrong) = tree::parse(text);
            assert_eq!(wrong, None);
            Doc { file: FileId(i as u32), path, text, tree }
        };
        files.iter().enumerate().map(doc).collect()
    }

    fn shown(conf: &Conf, block: NodeId) -> String {
        let one = |id: NodeId| {
            let node = conf.node(id);
            match node.body {
                Body::Block => format!("{} [{}]", node.name, shown(conf, id)),
                _ => format!("{} {}", node.name, node.args.join(" ")),
            }
        };
        conf.children(block).map(one).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn includes_stand_where_they_are_named() {
        let docs = docs(&[
            ("a/common", "root /x;"),
            ("a/conf.d/1.conf", "server { include ../common; listen 1; }"),
            ("a/conf.d/2.conf", "server { listen 2; }"),
            ("a/nginx.conf", "http { a 1; include /etc/nginx/conf.d/*.conf; b 2; include /elsewhere/x; }"),
        ]);
        let conf = Conf::read(&docs, &[3]);
        assert_eq!(shown(&conf, 0), "http [a 1, server [listen 1], server [listen 2], b 2]");
        let missing: Vec<&str> = conf.missing.iter().map(|(_, path)| path.as_str()).collect();
        assert_eq!(missing, ["../common", "/elsewhere/x"]);
        let docs = self::docs(&[("x/c.conf", "server { include snippets/s; }"), ("x/snippets/s", "listen 3;")]);
        assert_eq!(shown(&Conf::read(&docs, &[0]), 0), "server [listen 3]");
        let docs = self::docs(&[("a.conf", "a 1;"), ("b.conf", "b { c 2; }"), ("c.conf", "d 3;")]);
        let side_by_side = Conf::read(&docs, &[0, 1, 2]);
        assert_eq!(shown(&side_by_side, 0).matches(", ").count(), 2);
    }

    #[test]
    fn circles_and_bombs_end() {
        let docs = docs(&[("a.conf", "include b.conf; x;"), ("b.conf", "include a.conf; y;")]);
        assert_eq!(shown(&Conf::read(&docs, &[0]), 0), "y , x ");
        let names: Vec<String> = (0..40).map(|i| format!("f{i}.conf")).collect();
        let texts: Vec<String> = (0..40).map(|i| format!("include f{0}.conf; include f{0}.conf; a;", i + 1)).collect();
        let files: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(texts.iter().map(String::as_str)).collect();
        let conf = Conf::read(&self::docs(&files), &[0]);
        assert!(conf.nodes.len() <= MOST_NODES && conf.included.len() <= MOST_INCLUDES);
    }

    #[test]
    fn the_nearest_level_holds_as_a_whole() {
        let text = "http { t 1; h a; h b; server { t 2; location / { h c; } } }";
        let conf = Conf::read(&docs(&[("n.conf", text)]), &[0]);
        let location = conf.nodes.iter().position(|n| n.name == "location").expect("a location");
        let held =
            |name: &str| -> Vec<&str> { conf.holding(location, name).iter().map(|id| conf.node(*id).arg(0)).collect() };
        assert_eq!((held("t"), held("h"), held("none")), (vec!["2"], vec!["c"], vec![]));
        let server = conf.node(location).parent;
        assert_eq!(conf.holding(server, "h").len(), 2);
        assert_eq!(conf.setting(server, "t").map(|n| n.arg(0)), Some("2"));
    }
}
