//! Looking things up in a tree. Aliases are followed here, one step each: an alias never names another, and what it names
//! ended before it began, so every way down has an end.

use std::ops::Range;
use std::time::Duration;

use super::scalar::{self, MERGE, Style};
use super::{Raw, Tree, What};

/// A node of a tree. An alias is looked through: only its range is its own.
#[derive(Clone, Copy, Debug)]
pub struct Node<'t> {
    pub(super) tree: &'t Tree<'t>,
    pub(super) id: u32,
}

/// What a node is, aliases looked through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Null,
    Scalar,
    Sequence,
    Mapping,
}

/// A key and its value.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'t> {
    pub key: Node<'t>,
    pub value: Node<'t>,
}

/// One step of the way from a document to a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step<'t> {
    Key(&'t str),
    Index(usize),
}

impl Entry<'_> {
    /// From the key's first byte to the value's last.
    pub fn range(&self) -> Range<u32> {
        self.key.range().start..self.value.range().end.max(self.key.range().end)
    }
}

impl<'t> Node<'t> {
    fn raw(self) -> &'t Raw<'t> {
        &self.tree.nodes[self.id as usize]
    }

    /// The node itself, or what it names.
    fn seen(self) -> Node<'t> {
        match self.raw().what {
            What::Alias(id) => Node { id, ..self },
            _ => self,
        }
    }

    /// Where it stands; of an alias where the alias stands.
    pub fn range(self) -> Range<u32> {
        self.raw().start..self.raw().end
    }

    /// Where the value stands: of an alias what it names.
    pub fn value_range(self) -> Range<u32> {
        self.seen().range()
    }

    pub fn is_alias(self) -> bool {
        matches!(self.raw().what, What::Alias(_))
    }

    pub fn kind(self) -> Kind {
        match &self.seen().raw().what {
            What::Scalar(text, Style::Plain) if scalar::is_null(text) => Kind::Null,
            What::Scalar(..) | What::Alias(_) => Kind::Scalar,
            What::Sequence(..) => Kind::Sequence,
            What::Mapping(..) => Kind::Mapping,
        }
    }

    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// The tag as written, such as `!ignore`.
    pub fn tag(self) -> Option<&'t str> {
        let tags = &self.tree.tags;
        tags.binary_search_by_key(&self.seen().id, |t| t.0).ok().map(|i| &*tags[i].1)
    }

    fn written(self) -> Option<(&'t str, Style)> {
        match &self.seen().raw().what {
            What::Scalar(text, style) => Some((text, *style)),
            _ => None,
        }
    }

    pub fn style(self) -> Option<Style> {
        self.written().map(|w| w.1)
    }

    /// The text of a scalar, quotes and escapes taken away. A null has none.
    pub fn as_str(self) -> Option<&'t str> {
        self.written().filter(|_| !self.is_null()).map(|w| w.0)
    }

    pub fn as_bool(self) -> Option<bool> {
        self.written().and_then(|(text, style)| scalar::boolean(text, style))
    }

    pub fn as_integer(self) -> Option<i128> {
        self.written().and_then(|(text, style)| scalar::integer(text, style))
    }

    /// A whole number that is not negative; one that does not fit is the largest.
    pub fn as_count(self) -> Option<u64> {
        self.as_integer().filter(|n| *n >= 0).map(|n| u64::try_from(n).unwrap_or(u64::MAX))
    }

    pub fn as_float(self) -> Option<f64> {
        self.written().and_then(|(text, _)| scalar::float(text))
    }

    pub fn as_proto_duration(self) -> Option<Duration> {
        self.as_str().and_then(scalar::proto_duration)
    }

    fn children(self) -> &'t [u32] {
        match self.seen().raw().what {
            What::Sequence(from, to) | What::Mapping(from, to) => &self.tree.children[from as usize..to as usize],
            _ => &[],
        }
    }

    /// The items of a sequence; nothing else has any.
    pub fn items(self) -> impl Iterator<Item = Node<'t>> {
        let ids = if self.kind() == Kind::Sequence { self.children() } else { &[] };
        ids.iter().map(move |id| Node { id: *id, ..self })
    }

    /// The entries written in a mapping itself, merges as they stand.
    pub fn own_entries(self) -> impl DoubleEndedIterator<Item = Entry<'t>> {
        let ids = if self.kind() == Kind::Mapping { self.children() } else { &[] };
        let node = move |id: u32| Node { id, ..self };
        ids.chunks_exact(2).map(move |pair| Entry { key: node(pair[0]), value: node(pair[1]) })
    }

    /// The entries of a mapping with those that it merges in, which stand back behind its own.
    pub fn entries(self) -> Vec<Entry<'t>> {
        let mut found: Vec<Entry<'t>> = Vec::new();
        let mut names = std::collections::HashSet::new();
        for mapping in self.merged() {
            let own = mapping.own_entries().filter(|e| !e.key.is_merge());
            let new: Vec<Entry<'t>> = own.filter(|e| e.key.as_str().is_none_or(|k| !names.contains(k))).collect();
            names.extend(new.iter().filter_map(|e| e.key.as_str()));
            found.extend(new);
        }
        found
    }

    fn is_merge(self) -> bool {
        self.written() == Some((MERGE, Style::Plain))
    }

    /// The mapping itself and all that it merges in, the ones that win first.
    fn merged(self) -> Vec<Node<'t>> {
        let mut found = Vec::new();
        let mut waiting = vec![self];
        while let Some(node) = waiting.pop() {
            if node.kind() != Kind::Mapping {
                continue;
            }
            found.push(node);
            let from = waiting.len();
            for entry in node.own_entries().filter(|e| e.key.is_merge()) {
                match entry.value.kind() {
                    Kind::Sequence => waiting.extend(entry.value.items()),
                    _ => waiting.push(entry.value),
                }
            }
            waiting[from..].reverse();
        }
        found
    }

    fn find(self, is: impl Fn(&str) -> bool) -> Option<Entry<'t>> {
        if self.kind() != Kind::Mapping {
            return None;
        }
        let named = |e: &Entry<'t>| e.key.as_str().is_some_and(&is);
        // Of equal keys the later one counts, as with the loaders that accept them.
        let own = self.own_entries().rev().find(named);
        let merges = || self.own_entries().any(|e| e.key.is_merge());
        let inherited = || self.merged().into_iter().skip(1).find_map(|m| m.own_entries().rev().find(named));
        own.or_else(|| if merges() { inherited() } else { None })
    }

    /// The entry with exactly this key.
    pub fn entry(self, key: &str) -> Option<Entry<'t>> {
        self.find(|k| k == key)
    }

    /// The value of exactly this key.
    pub fn get(self, key: &str) -> Option<Node<'t>> {
        self.entry(key).map(|e| e.value)
    }

    /// The entry of a protobuf field, given in snake_case and written so or in lowerCamelCase.
    pub fn field_entry(self, field: &str) -> Option<Entry<'t>> {
        self.find(|k| scalar::same_field(field, k))
    }

    /// The value of a protobuf field; a null is a field that is not set.
    pub fn field(self, field: &str) -> Option<Node<'t>> {
        self.field_entry(field).map(|e| e.value).filter(|v| !v.is_null())
    }

    /// A field behind fields.
    pub fn at(self, fields: &[&str]) -> Option<Node<'t>> {
        fields.iter().try_fold(self, |node, field| node.field(field))
    }

    /// The way from the document to where the node is written.
    pub fn path(self) -> Vec<Step<'t>> {
        let mut steps = Vec::new();
        let mut id = self.id;
        loop {
            let parent = Node { id: self.tree.nodes[id as usize].parent, ..self };
            if parent.id == id {
                break;
            }
            let at = parent.children().iter().position(|c| *c == id).unwrap_or(0);
            match parent.kind() {
                Kind::Mapping => {
                    let key = Node { id: parent.children()[at & !1], ..self };
                    steps.push(Step::Key(key.as_str().unwrap_or("?")));
                }
                _ => steps.push(Step::Index(at)),
            }
            id = parent.id;
        }
        steps.reverse();
        steps
    }

    /// The way as people write it: `static_resources.clusters[0].name`.
    pub fn path_text(self) -> String {
        let mut text = String::new();
        for step in self.path() {
            match step {
                Step::Key(key) if text.is_empty() => text.push_str(key),
                Step::Key(key) => {
                    text.push('.');
                    text.push_str(key);
                }
                Step::Index(at) => text.push_str(&format!("[{at}]")),
            }
        }
        text
    }

    /// The comments above it and beside it.
    pub fn comments(self) -> Vec<&'t super::Comment> {
        self.tree.comments_of(self)
    }
}
