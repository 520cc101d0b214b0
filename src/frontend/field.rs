//! Fields of YAML and JSON with their places, as formats read them that are made of protobuf messages or like them: a name is
//! written in lowerCamelCase or in snake_case, a value is what its system takes, or wrong, or filled in later.

use std::time::Duration;

use crate::name::Name;
use crate::source::{FileId, Span};
use crate::yaml::{Entry, Kind, Node};

/// A value as it is written.
#[derive(Debug, Clone, PartialEq)]
pub struct Set<T> {
    pub value: Given<T>,
    /// The value; for a message the whole entry, its key included.
    pub at: Span,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Given<T> {
    Is(T),
    /// Its system refuses it: the text as it stands there.
    Wrong(Name),
    /// Somebody fills it in before its system sees it: `${RETRIES}`.
    Later(Name),
}

impl<T> Set<T> {
    pub fn is(&self) -> Option<&T> {
        match &self.value {
            Given::Is(value) => Some(value),
            Given::Wrong(_) | Given::Later(_) => None,
        }
    }
}

/// A node of a file.
#[derive(Clone, Copy)]
pub struct At<'t> {
    file: FileId,
    node: Node<'t>,
}

impl<'t> At<'t> {
    pub fn new(file: FileId, node: Node<'t>) -> At<'t> {
        At { file, node }
    }

    fn with(self, node: Node<'t>) -> At<'t> {
        At { node, ..self }
    }

    pub fn file(self) -> FileId {
        self.file
    }

    pub fn kind(self) -> Kind {
        self.node.kind()
    }

    fn cover(self, range: std::ops::Range<u32>) -> Span {
        Span::new(self.file, range.start, range.end)
    }

    /// Where the value is written: of an alias what it names, so that a finding stands where the setting is.
    pub fn span(self) -> Span {
        self.cover(self.node.value_range())
    }

    pub fn has(self, field: &str) -> bool {
        self.field(field).is_some()
    }

    /// The value of a field in either spelling; a null, or one with the tag with which Envoy leaves things out, is not set.
    pub fn field(self, field: &str) -> Option<At<'t>> {
        let ignored = |node: Node<'t>| node.tag() == Some("!ignore");
        let entry = self.node.field_entry(field)?;
        let set = !entry.value.is_null() && !ignored(entry.key) && !ignored(entry.value);
        set.then(|| self.with(entry.value))
    }

    /// A field behind fields.
    pub fn at(self, fields: &[&str]) -> Option<At<'t>> {
        fields.iter().try_fold(self, |at, field| at.field(field))
    }

    /// The whole entry of a field, its key included.
    pub fn entry_span(self, field: &str) -> Option<Span> {
        let entry: Entry<'t> = self.node.field_entry(field)?;
        let from = if entry.value.is_alias() { entry.value.value_range() } else { entry.range() };
        Some(self.cover(from))
    }

    /// The items of a repeated field. Envoy takes a single value for a list of one.
    pub fn list(self, field: &str) -> impl Iterator<Item = At<'t>> {
        let field = self.field(field);
        let single = field.filter(|f| f.kind() != Kind::Sequence);
        field.into_iter().flat_map(At::items).chain(single)
    }

    pub fn items(self) -> impl Iterator<Item = At<'t>> {
        self.node.items().map(move |n| self.with(n))
    }

    /// The keys that are written, with their places.
    pub fn keys(self) -> impl Iterator<Item = (&'t str, Span)> {
        self.node.own_entries().filter_map(move |e| Some((e.key.as_str()?, self.cover(e.range()))))
    }

    /// Keys and values of a map field.
    pub fn entries(self) -> impl Iterator<Item = (&'t str, At<'t>)> {
        self.node.entries().into_iter().filter_map(move |e| Some((e.key.as_str()?, self.with(e.value))))
    }

    pub fn str(self) -> Option<&'t str> {
        self.node.as_str()
    }

    pub fn name(self) -> Option<Name> {
        self.str().map(Name::new)
    }

    pub fn str_of(self, field: &str) -> Option<&'t str> {
        self.field(field)?.str()
    }

    pub fn name_of(self, field: &str) -> Name {
        Name::new(self.str_of(field).unwrap_or_default())
    }

    /// A flag; not written is false.
    pub fn flag(self, field: &str) -> bool {
        self.field(field).and_then(|f| f.node.as_bool()).unwrap_or(false)
    }

    /// The last word of `@type`.
    pub fn type_name(self) -> Option<&'t str> {
        self.node.get("@type")?.as_str()?.rsplit(['.', '/']).next()
    }

    pub fn given<T>(self, read: impl Fn(Node<'t>) -> Option<T>) -> Set<T> {
        let shown =
            || Name::new(self.str().unwrap_or(if self.kind() == Kind::Sequence { "a list" } else { "a message" }));
        let value = match read(self.node) {
            Some(value) => Given::Is(value),
            None if self.str().is_some_and(filled_in_later) => Given::Later(shown()),
            None => Given::Wrong(shown()),
        };
        Set { value, at: self.span() }
    }

    pub fn text(self, field: &str) -> Option<Set<Name>> {
        self.field(field).map(|f| f.given(|n| n.as_str().map(Name::new)))
    }

    /// A number, also inside of the wrapper that tells zero from nothing.
    pub fn count(self, field: &str) -> Option<Set<u64>> {
        let at = self.field(field)?;
        let inner = at.field("value").filter(|_| at.kind() == Kind::Mapping).unwrap_or(at);
        Some(inner.given(Node::as_count))
    }

    pub fn float(self, field: &str) -> Option<Set<f64>> {
        self.field(field).map(|f| f.given(Node::as_float))
    }

    pub fn bool(self, field: &str) -> Option<Set<bool>> {
        self.field(field).map(|f| f.given(Node::as_bool))
    }

    pub fn duration(self, field: &str) -> Option<Set<Duration>> {
        self.field(field).map(|f| f.given(|n| n.as_proto_duration().or_else(|| message_duration(n))))
    }

    pub fn set<T>(self, value: T) -> Set<T> {
        Set { value: Given::Is(value), at: self.span() }
    }
}

/// A duration as a message of its own: seconds and nanoseconds.
fn message_duration(node: Node<'_>) -> Option<Duration> {
    let (seconds, nanos) = (node.field("seconds"), node.field("nanos"));
    let nanos = nanos.map_or(Some(0), |n| n.as_count().and_then(|n| u32::try_from(n).ok()))?;
    let seconds = seconds.map_or(Some(0), Node::as_count)?;
    (node.kind() == Kind::Mapping && nanos < 1_000_000_000).then(|| Duration::new(seconds, nanos))
}

/// Marks of the tools that write values into a configuration before Envoy reads it.
pub fn filled_in_later(text: &str) -> bool {
    ["${", "$(", "{{", "{%", "<%", "__", "@"].iter().any(|mark| text.contains(mark))
        || text.strip_prefix('$').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
}
