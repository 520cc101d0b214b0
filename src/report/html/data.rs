//! What the page knows, with names written once and mentioned by number. Everything that a person reads is text that is
//! safe to show.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use serde::Serialize;
use serde_json::Value;

use super::steps;
use crate::analysis::formula::Formulas;
use crate::analysis::{Layer, LayerUse, Row};
use crate::effect::LoopId;
use crate::report::{View, json, sanitise, words};
use crate::source::Span;
use crate::value::Bound;

#[derive(Debug, Serialize)]
pub struct Page {
    version: &'static str,
    operations: Vec<Operation>,
    dependencies: Vec<String>,
    layers: Vec<LayerRow>,
    rows: Vec<PageRow>,
    /// By the operation's number.
    formulas: BTreeMap<usize, Value>,
    steps: Vec<Value>,
}

#[derive(Debug, Serialize)]
struct Operation {
    /// Its number in the formulas and in the picture.
    id: usize,
    name: String,
    service: String,
    kind: &'static str,
    at: String,
}

#[derive(Debug, Serialize)]
struct LayerRow {
    function: String,
    at: String,
    /// The call that gives a helper its number.
    bound_at: Option<String>,
    kind: &'static str,
    written: bool,
    waits: String,
    retries: Vec<&'static str>,
}

/// How sure a number is, and the number.
type Number = (&'static str, Option<u64>);

#[derive(Debug, Serialize)]
struct PageRow {
    operation: usize,
    dependency: usize,
    calls: Number,
    attempts: Number,
    amplification: Number,
    effective: Number,
    worst: &'static str,
    failing: usize,
    /// On the path, outermost first, each with its attempts.
    layers: Vec<(usize, Number)>,
    owners: Vec<usize>,
    keep: Option<usize>,
    /// The attempts if that owner alone were left.
    alone: Vec<(usize, Number)>,
    gaps: Vec<String>,
}

/// Everything that these rows mention.
pub fn page(view: &View<'_>, formulas: &Formulas, rows: &[&Row]) -> Page {
    let mut names = Names::new(view, formulas);
    let rows: Vec<PageRow> = rows.iter().map(|row| names.row(row)).collect();
    Page {
        version: env!("CARGO_PKG_VERSION"),
        operations: operations(view, &rows),
        dependencies: names.dependencies.order,
        layers: names.layers.iter().map(|(id, bound_at)| layer(view, &names.known, *id, *bound_at)).collect(),
        rows,
        formulas: formulas.operations.iter().map(|f| (f.operation, steps::formula(f))).collect(),
        steps: steps::steps(formulas),
    }
}

fn operations(view: &View<'_>, rows: &[PageRow]) -> Vec<Operation> {
    let mut ids: Vec<usize> = rows.iter().map(|row| row.operation).collect();
    ids.sort_unstable();
    ids.dedup();
    let one = |id: usize| {
        let operation = &view.facts.operations[id];
        let at = place(view, operation.at);
        Operation {
            id,
            name: text(&operation.name),
            service: text(&operation.service),
            kind: operation.kind.name(),
            at: at.rsplit_once(':').map_or(at.clone(), |(line, _)| line.to_string()),
        }
    };
    ids.into_iter().map(one).collect()
}

/// Texts in the order in which they were met.
#[derive(Default)]
struct Order {
    order: Vec<String>,
    at: FxHashMap<String, usize>,
}

impl Order {
    fn number(&mut self, text: String) -> usize {
        let next = self.order.len();
        let at = *self.at.entry(text.clone()).or_insert(next);
        if at == next {
            self.order.push(text);
        }
        at
    }
}

/// Numbers of names: those of the formulas first, so that the steps mean the same.
struct Names<'v> {
    dependencies: Order,
    layers: Vec<(LoopId, Option<Span>)>,
    layer_at: FxHashMap<(LoopId, Option<Span>), usize>,
    known: FxHashMap<LoopId, &'v Layer>,
}

impl<'v> Names<'v> {
    fn new(view: &View<'v>, formulas: &Formulas) -> Names<'v> {
        let mut names = Names {
            dependencies: Order::default(),
            layers: Vec::new(),
            layer_at: FxHashMap::default(),
            known: view.analysis.layers.iter().map(|l| (l.id, l)).collect(),
        };
        for name in &formulas.dependencies {
            names.dependencies.order.push(text(name));
            names.dependencies.at.entry(text(name)).or_insert(names.dependencies.order.len() - 1);
        }
        for layer in &formulas.layers {
            names.layer(layer.id, layer.bound_at);
        }
        names
    }

    fn layer(&mut self, id: LoopId, bound_at: Option<Span>) -> usize {
        let next = self.layers.len();
        let at = *self.layer_at.entry((id, bound_at)).or_insert(next);
        if at == next {
            self.layers.push((id, bound_at));
        }
        at
    }

    fn used(&mut self, layer: &LayerUse) -> usize {
        self.layer(layer.id, layer.bound_at)
    }

    fn row(&mut self, row: &Row) -> PageRow {
        PageRow {
            operation: row.operation,
            dependency: self.dependencies.number(text(&row.dependency)),
            calls: number(&row.calls),
            attempts: number(&row.attempts),
            amplification: number(&row.amplification),
            effective: number(&row.effective),
            worst: row.worst.name(),
            failing: self.dependencies.number(text(&row.failing)),
            layers: row.layers.iter().map(|l| (self.used(l), number(&l.attempts))).collect(),
            owners: row.owners.iter().map(|l| self.used(l)).collect(),
            keep: row.keep.as_ref().map(|l| self.used(l)),
            alone: row.with_one_owner.iter().map(|(l, n)| (self.used(l), number(n))).collect(),
            gaps: row.gaps.iter().map(|gap| text(gap)).collect(),
        }
    }
}

fn layer(view: &View<'_>, known: &FxHashMap<LoopId, &Layer>, id: LoopId, bound_at: Option<Span>) -> LayerRow {
    let Some(layer) = known.get(&id) else {
        return LayerRow {
            function: String::new(),
            at: String::new(),
            bound_at: None,
            kind: "loop",
            written: true,
            waits: String::new(),
            retries: Vec::new(),
        };
    };
    let waits = [words::backoff(&layer.wait), words::jitter(&layer.wait)];
    LayerRow {
        function: text(&layer.function),
        at: place(view, layer.at),
        bound_at: bound_at.map(|at| place(view, at)),
        kind: layer.kind(),
        written: layer.default_of.is_none(),
        waits: waits.into_iter().filter(|w| !w.is_empty()).collect::<Vec<_>>().join(", "),
        retries: layer.again.classes().into_iter().map(|c| c.name()).collect(),
    }
}

fn text(text: &str) -> String {
    sanitise::line(text).into_owned()
}

fn place(view: &View<'_>, at: Span) -> String {
    text(&json::id(view.sources, at))
}

fn number(value: &Bound<u64>) -> Number {
    match value {
        Bound::Exactly(n) => ("exactly", Some(*n)),
        Bound::AtMost(n) => ("at-most", Some(*n)),
        Bound::AtLeast(n, _) => ("at-least", Some(*n)),
        Bound::Unbounded => ("unbounded", None),
        Bound::Unknown(_) => ("unknown", None),
    }
}
