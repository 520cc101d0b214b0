//! The call-path graph as a picture: operations on the left, dependencies on the right, and between them the layers of each
//! row's worst path as boxes with their factor. What is drawn is chosen here once; each format only writes it down.

mod dot;
mod layout;
mod mermaid;
mod svg;
mod text;

pub use dot::dot;
pub use mermaid::mermaid;
pub use svg::{inline, svg};
pub use text::text;

use rustc_hash::{FxHashMap, FxHashSet};

use super::human::Filter;
use super::{View, json, sanitise, words};
use crate::analysis::{LayerUse, Row};
use crate::effect::LoopId;
use crate::source::Span;
use crate::value::Bound;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Operation,
    Layer,
    Dependency,
}

/// One box. Its texts are foreign, but safe for a terminal already; each format escapes them in its own way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    pub kind: Kind,
    pub title: String,
    /// Where it stands, or what it belongs to.
    pub under: String,
    /// A layer's factor; of an operation or a dependency the largest number of attempts that it has a part in.
    pub number: String,
    /// The number is above one: it is worth a look.
    pub multiplies: bool,
    /// Which operation it is among the facts, for pages that let people pick one.
    pub operation: Option<usize>,
}

/// Boxes in the order of the rows, and lines between them as pairs of boxes, each once.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Picture {
    pub shapes: Vec<Shape>,
    pub lines: Vec<(usize, usize)>,
}

/// What makes two boxes the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Key<'a> {
    Operation(usize),
    Layer(LoopId, Option<Span>),
    Dependency(&'a str),
}

impl Picture {
    /// The picture of the rows that fit.
    pub fn new(view: &View<'_>, filter: &Filter) -> Picture {
        let wanted = |row: &&Row| view.facts.operations.get(row.operation).is_some_and(|o| filter.fits(o, row));
        Picture::of(view, view.analysis.rows.iter().filter(wanted))
    }

    /// The picture of these rows.
    pub fn of<'a>(view: &View<'a>, rows: impl Iterator<Item = &'a Row>) -> Picture {
        let mut drawing = Drawing::new(view);
        rows.for_each(|row| drawing.row(row));
        drawing.picture
    }

    fn count(&self, kind: Kind) -> usize {
        self.shapes.iter().filter(|s| s.kind == kind).count()
    }

    /// `3 operations, 4 layers, 1 dependency`.
    pub fn summary(&self) -> String {
        let dependencies = match self.count(Kind::Dependency) {
            1 => "1 dependency".to_string(),
            n => format!("{n} dependencies"),
        };
        let operations = words::count(self.count(Kind::Operation), "operation");
        format!("{operations}, {}, {dependencies}", words::count(self.count(Kind::Layer), "layer"))
    }
}

struct Drawing<'a> {
    view: View<'a>,
    picture: Picture,
    known: FxHashMap<Key<'a>, usize>,
    drawn: FxHashSet<(usize, usize)>,
    /// Of each box the number that it shows.
    most: Vec<u64>,
    kinds: FxHashMap<LoopId, &'static str>,
}

impl<'a> Drawing<'a> {
    fn new(view: &View<'a>) -> Drawing<'a> {
        Drawing {
            view: *view,
            picture: Picture::default(),
            known: FxHashMap::default(),
            drawn: FxHashSet::default(),
            most: Vec::new(),
            kinds: view.analysis.layers.iter().map(|l| (l.id, l.kind())).collect(),
        }
    }

    fn row(&mut self, row: &'a Row) {
        let Some(operation) = self.view.facts.operations.get(row.operation) else { return };
        let place = format!("{}, {}", operation.service, self.place(operation.at));
        let mut from = self.shape(Key::Operation(row.operation), Kind::Operation, &operation.name, &place);
        self.picture.shapes[from].operation = Some(row.operation);
        self.number(from, &row.attempts, row.attempts != row.calls);
        for layer in row.layers.iter().filter(|l| l.attempts != Bound::Exactly(1)) {
            let to = self.layer(layer);
            let owns = row.owners.iter().any(|o| (o.id, o.bound_at) == (layer.id, layer.bound_at));
            self.number(to, &layer.attempts, owns);
            self.line(from, to);
            from = to;
        }
        let to = self.shape(Key::Dependency(&row.dependency), Kind::Dependency, &row.dependency, "");
        self.number(to, &row.attempts, row.attempts != row.calls);
        self.line(from, to);
    }

    fn layer(&mut self, layer: &'a LayerUse) -> usize {
        let kind = self.kinds.get(&layer.id).copied().unwrap_or("layer");
        let origin = if layer.written { "" } else { ", default" };
        let place = format!("{kind}{origin}, {}", self.place(layer.at));
        self.shape(Key::Layer(layer.id, layer.bound_at), Kind::Layer, &layer.function, &place)
    }

    fn place(&self, at: Span) -> String {
        let id = json::id(self.view.sources, at);
        id.rsplit_once(':').map_or(id.clone(), |(line, _)| line.to_string())
    }

    fn shape(&mut self, key: Key<'a>, kind: Kind, title: &str, under: &str) -> usize {
        let next = self.picture.shapes.len();
        let at = *self.known.entry(key).or_insert(next);
        if at == next {
            let safe = |text: &str| sanitise::line(text).into_owned();
            let (title, under, number) = (safe(title), safe(under), String::new());
            self.picture.shapes.push(Shape { kind, title, under, number, multiplies: false, operation: None });
            self.most.push(0);
        }
        at
    }

    /// The largest number counts.
    fn number(&mut self, at: usize, number: &Bound<u64>, multiplies: bool) {
        let shape = &mut self.picture.shapes[at];
        shape.multiplies |= multiplies;
        if words::size(number) >= self.most[at] {
            self.most[at] = words::size(number);
            shape.number = words::factor(number);
        }
    }

    fn line(&mut self, from: usize, to: usize) {
        if from != to && self.drawn.insert((from, to)) {
            self.picture.lines.push((from, to));
        }
    }
}

#[cfg(test)]
mod tests;
