//! Operations as formulas: what a reader of a report needs to compute attempts anew with layers switched off or with other
//! numbers. The same nodes that the tables are computed over, without what no number of attempts hangs on: whatever calls
//! nothing is its table already, equal parts are one, and limits of time are left out.

use rustc_hash::{FxHashMap, FxHashSet};

use super::bind::Binder;
use super::endings::{Evaluator, Which, World};
use super::node::{Arena, DepId, LayerIx, Node, NodeId};
pub use super::table::Flow;
use super::table::Turns;
use super::view::{Marks, View};
use super::{limits, paths};
use crate::class::{Ending, Endings, Scenario};
use crate::effect::{Exit, LoopId, RepeatKind, Until, Wins};
use crate::fact::Facts;
use crate::graph::{Graph, Links};
use crate::name::Name;
use crate::settings::Settings;
use crate::source::{Sources, Span};
use crate::value::Tries;

/// Steps that one operation may lead to; a larger one has no formula.
const MOST_STEPS: usize = 6_000;
/// And all of them together.
const ALL_STEPS: usize = 150_000;

/// The formulas of a run.
#[derive(Debug, Default)]
pub struct Formulas {
    pub dependencies: Vec<Name>,
    pub layers: Vec<Bound>,
    /// A step mentions only earlier ones.
    pub steps: Vec<Step>,
    /// In the order of the facts' operations; those that call nothing or are too large are missing.
    pub operations: Vec<Formula>,
}

/// A layer as it is bound at one call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Bound {
    pub id: LoopId,
    pub bound_at: Option<Span>,
}

#[derive(Debug)]
pub struct Formula {
    /// Index into the facts' operations.
    pub operation: usize,
    pub root: usize,
    /// One of each set that nothing tells apart.
    pub scenarios: Vec<Scenario>,
    /// Each dependency with those whose failure can be the worst for it, in the order in which ties are named.
    pub failing: Vec<(usize, Vec<usize>)>,
}

/// A node of a formula. Numbers of other steps are indices into the steps.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Step {
    /// Calls nothing: its endings, whatever fails.
    Ends(Vec<(Flow, Ending)>),
    Caught(u8),
    Seq(Vec<usize>),
    Branch(Vec<usize>),
    Join(Vec<usize>, Until),
    Race(Vec<usize>, Wins),
    Remote {
        dep: usize,
        connect_only: bool,
        behind: Option<usize>,
    },
    Map(Vec<(Endings, Endings)>, usize),
    Recover {
        body: usize,
        on: Vec<Endings>,
        arms: Vec<usize>,
    },
    Repeat {
        turns: Layered,
        body: usize,
    },
    Failover {
        turns: Layered,
        bodies: Vec<usize>,
    },
    HangEnds(usize),
    Spawn(usize),
    Leave(Exit, usize),
    Scope(usize),
    Frame(usize),
}

/// A repetition and the layer that it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Layered {
    pub layer: usize,
    pub id: LoopId,
    pub n: Tries,
    pub again: Endings,
    pub jumps: bool,
    pub exhausts: bool,
    pub multiplies: bool,
    /// A failover to another dependency: no layer to switch off.
    pub fixed: bool,
}

/// The formulas of those operations of a run that are wanted.
pub fn formulas(facts: &Facts, settings: &Settings, sources: &Sources, wanted: &dyn Fn(usize) -> bool) -> Formulas {
    let links = Links::new(facts, settings, sources);
    let graph = Graph::new(facts, &links);
    let declared = limits::declared(facts, settings);
    let mut binder = Binder::new(facts, &graph, &links);
    let roots = paths::roots(&mut binder, facts, &declared);
    let arena = &binder.arena;
    let mut writer = Writer {
        evaluator: Evaluator::new(arena),
        out: Formulas { dependencies: arena.deps.clone(), ..Formulas::default() },
        steps: FxHashMap::default(),
        layers: FxHashMap::default(),
        written: FxHashMap::default(),
    };
    let mut marks = Marks::default();
    for (operation, root) in roots.iter().enumerate() {
        if wanted(operation) && !arena.below(*root).deps.is_empty() {
            let view = View::new(arena, *root, &mut marks);
            writer.operation(operation, *root, &view);
        }
    }
    writer.out
}

/// The attempts of every operation and dependency over everybody who can fail and every scenario, limits of time left out:
/// what a page with formulas is held against. With `only`, every other layer is switched off; nothing if that layer stands
/// for several numbers.
pub fn nominal(
    facts: &Facts,
    settings: &Settings,
    sources: &Sources,
    only: Option<&Bound>,
) -> Vec<(usize, Name, crate::value::Bound<u64>)> {
    let links = Links::new(facts, settings, sources);
    let graph = Graph::new(facts, &links);
    let declared = limits::declared(facts, settings);
    let mut binder = Binder::new(facts, &graph, &links);
    let roots = paths::roots(&mut binder, facts, &declared);
    let arena = &binder.arena;
    let is = |i: &u32| only.is_some_and(|only| *only == Bound::of(arena, LayerIx(*i)));
    let left_on: Vec<LayerIx> = (0..arena.layers.len() as u32).filter(is).map(LayerIx).collect();
    if left_on.len() > 1 {
        return Vec::new();
    }
    let mut evaluator = Evaluator::new(arena);
    let mut out = Vec::new();
    for (operation, root) in roots.iter().enumerate() {
        evaluator.begin(1);
        let deps = &arena.below(*root).deps;
        for counted in deps.iter() {
            let mut most = Tries::ZERO;
            for (failing, scenario) in deps.iter().flat_map(|dep| Scenario::ALL.map(|s| (*dep, s))) {
                let world = paths::world(failing, scenario, Which::Dep(*counted));
                most = most.max(evaluator.most(*root, World { only: left_on.first().copied(), ..world }));
            }
            if !evaluator.exhausted() {
                out.push((operation, arena.deps[counted.0 as usize].clone(), most.bound()));
            }
        }
    }
    out
}

impl Bound {
    fn of(arena: &Arena<'_>, layer: LayerIx) -> Bound {
        let layer = &arena.layers[layer.0 as usize];
        Bound { id: layer.repeat.id, bound_at: layer.bound_at }
    }
}

struct Writer<'a> {
    evaluator: Evaluator<'a>,
    out: Formulas,
    steps: FxHashMap<Step, usize>,
    layers: FxHashMap<Bound, usize>,
    written: FxHashMap<NodeId, usize>,
}

impl<'a> Writer<'a> {
    fn operation(&mut self, operation: usize, root: NodeId, view: &View) {
        let nodes = self.needed(root);
        self.evaluator.begin(1);
        if nodes.len() > MOST_STEPS || self.out.steps.len() + nodes.len() > ALL_STEPS {
            return;
        }
        for node in nodes {
            let step = self.step(node);
            if self.evaluator.exhausted() {
                return;
            }
            let next = self.out.steps.len();
            let at = *self.steps.entry(step.clone()).or_insert(next);
            if at == next {
                self.out.steps.push(step);
            }
            self.written.insert(node, at);
        }
        let number = |dep: &DepId| dep.0 as usize;
        let failing = |dep: &DepId| (number(dep), view.failing(*dep).iter().map(number).collect());
        let failing = view.deps.iter().map(failing).collect();
        let (root, scenarios) = (self.written[&root], view.scenarios.clone());
        self.out.operations.push(Formula { operation, root, scenarios, failing });
    }

    /// The nodes that its formula is made of, those that others mention first.
    fn needed(&self, root: NodeId) -> Vec<NodeId> {
        let mut seen: FxHashSet<NodeId> = FxHashSet::default();
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            if seen.len() <= MOST_STEPS && seen.insert(node) && !self.is_constant(node) {
                open.extend(self.evaluator.arena.node(node).children());
            }
        }
        let mut nodes: Vec<NodeId> = seen.into_iter().collect();
        // A node is made after everything that it mentions.
        nodes.sort_unstable();
        nodes
    }

    fn is_constant(&self, node: NodeId) -> bool {
        let below = self.evaluator.arena.below(node);
        below.deps.is_empty() && below.caught == 0
    }

    fn step(&mut self, node: NodeId) -> Step {
        if self.is_constant(node) {
            let table = self.evaluator.table(node, World::calm(Which::None));
            return Step::Ends(table.cells().iter().map(|cell| (cell.flow, cell.ending)).collect());
        }
        let arena = self.evaluator.arena;
        let at = |node: &NodeId| self.written[node];
        let all = |nodes: &[NodeId]| nodes.iter().map(at).collect::<Vec<usize>>();
        match arena.node(node) {
            Node::Nothing | Node::Sleep(_) | Node::Unknown => Step::Ends(vec![(Flow::Normal, Ending::Ok)]),
            Node::End(ending) => Step::Ends(vec![(Flow::Normal, *ending)]),
            Node::Caught(level) => Step::Caught(*level),
            Node::Seq(parts) => Step::Seq(all(parts)),
            Node::Branch(parts) => Step::Branch(all(parts)),
            Node::Join(parts, until) => Step::Join(all(parts), *until),
            Node::Race(parts, wins) => Step::Race(all(parts), *wins),
            Node::Remote { dep, site, behind, .. } => {
                let connect_only = arena.sites[site.0 as usize].remote.connect_only;
                Step::Remote { dep: dep.0 as usize, connect_only, behind: behind.as_ref().map(at) }
            }
            // They change nothing about the number, and are what they hold.
            Node::Hop { body, .. } | Node::Outlives(body) => self.out.steps[at(body)].clone(),
            Node::Within { ends, body, .. } if ends.hang => Step::HangEnds(at(body)),
            Node::Within { body, .. } => self.out.steps[at(body)].clone(),
            Node::Map(rules, body) => Step::Map(rules.to_vec(), at(body)),
            Node::Recover(body, on, arms) => Step::Recover { body: at(body), on: on.to_vec(), arms: all(arms) },
            Node::Repeat { turns, layer, body } => {
                let body = (at(body), *body);
                Step::Repeat { turns: self.layered(turns, *layer, body.1), body: body.0 }
            }
            Node::Failover { turns, layer, bodies } => {
                let bodies = all(bodies);
                Step::Failover { turns: self.layered(turns, *layer, node), bodies }
            }
            Node::Spawn(body) => Step::Spawn(at(body)),
            Node::Leave(exit, body) => Step::Leave(*exit, at(body)),
            Node::Scope(body) => Step::Scope(at(body)),
            Node::Frame(body) => Step::Frame(at(body)),
        }
    }

    fn layered(&mut self, turns: &Turns, layer: LayerIx, body: NodeId) -> Layered {
        let arena = self.evaluator.arena;
        let bound = &arena.layers[layer.0 as usize];
        let key = Bound::of(arena, layer);
        let next = self.out.layers.len();
        let number = *self.layers.entry(key.clone()).or_insert(next);
        if number == next {
            self.out.layers.push(key);
        }
        let elsewhere = bound.repeat.kind == RepeatKind::Failover && arena.below(body).deps.len() != 1;
        Layered {
            layer: number,
            id: turns.id,
            n: turns.n,
            again: turns.again,
            jumps: turns.jumps,
            exhausts: turns.exhausts,
            multiplies: turns.multiplies,
            fixed: elsewhere,
        }
    }
}
