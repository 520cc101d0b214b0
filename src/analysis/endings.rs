//! The table of a bound node in one world: which dependency fails and how, and which calls are counted.
//!
//! Results are kept per node and world, and a world is first reduced to what the node can notice: a node without a call
//! to the failing dependency has the same table in every scenario. That sharing is what makes thousands of operations
//! over the same code cheap. The work of one operation has a limit; past it the tables are no longer complete.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::clock::Under;
use super::moment::Ends;
use super::node::{Arena, DepId, LayerIx, Node, NodeId, SiteId};
use super::table::{self, Table, Turns};
use crate::class::{Ending, Endings, FailureClass};
use crate::value::Tries;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Which {
    None,
    Dep(DepId),
    /// One call in the text.
    Site(SiteId),
    /// The calls to a dependency on the way through one call that a hop answers.
    Through(SiteId, DepId),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct World {
    pub failing: Which,
    pub fails_with: Ending,
    pub counted: Which,
    /// Every other layer is switched off.
    pub only: Option<LayerIx>,
    /// Limits of time cut what has not started by then.
    pub clock: bool,
}

impl World {
    /// Nothing fails.
    pub fn calm(counted: Which) -> World {
        World { failing: Which::None, fails_with: Ending::Ok, counted, only: None, clock: false }
    }

    pub fn uncounted(self) -> World {
        World { counted: Which::None, ..self }
    }
}

/// Steps for one operation and for the whole run; a step is one table.
const STEPS: u64 = 200_000;
const ALL_STEPS: u64 = 1_500_000;
/// Steps of the clock for one limit of time and for the whole run. A number that it does not finish is an upper bound.
const TICKS: u64 = 20_000;
const ALL_TICKS: u64 = 500_000;
/// One operation may use so many times its share of what is left.
const SHARES: u64 = 20;

pub struct Evaluator<'a> {
    pub arena: &'a Arena<'a>,
    memo: FxHashMap<(NodeId, World), Rc<Table>>,
    /// What `clock.rs` found, by the time that is left.
    pub(super) moments: FxHashMap<(NodeId, Under), Rc<Ends>>,
    /// Steps of the clock for the node that is looked at, and for the whole run.
    ticks: u64,
    ticks_left: u64,
    /// What the enclosing arms have caught, the innermost last.
    pub(super) caught: Vec<Ending>,
    steps: u64,
    left: u64,
    nothing: Rc<Table>,
}

impl<'a> Evaluator<'a> {
    pub fn new(arena: &'a Arena<'a>) -> Evaluator<'a> {
        let nothing = Rc::new(Table::ok(Tries::ZERO));
        Evaluator {
            arena,
            memo: FxHashMap::default(),
            moments: FxHashMap::default(),
            ticks: 0,
            ticks_left: ALL_TICKS,
            caught: Vec::new(),
            steps: 0,
            left: ALL_STEPS,
            nothing,
        }
    }

    /// A new operation: its own limit of steps. So many operations are left, this one included.
    pub fn begin(&mut self, operations: usize) {
        let share = self.left / (operations as u64).max(1) * SHARES;
        self.steps = STEPS.min(share).min(self.left);
    }

    /// The limit was reached: what was found since is not complete.
    pub fn exhausted(&self) -> bool {
        self.steps == 0
    }

    /// Counts one step.
    pub(super) fn step(&mut self) -> bool {
        self.steps = self.steps.saturating_sub(1);
        self.left = self.left.saturating_sub(1);
        self.steps > 0
    }

    /// Counts one step of the clock.
    pub(super) fn tick(&mut self) -> bool {
        self.ticks = self.ticks.saturating_sub(1);
        self.ticks_left = self.ticks_left.saturating_sub(1);
        self.ticks > 0
    }

    /// What was found since the clock was wound up is not complete.
    pub(super) fn clock_is_out(&self) -> bool {
        self.ticks == 0
    }

    /// Steps for one more limit of time; what the one around has left is given back.
    pub(super) fn wind_up(&mut self) -> u64 {
        std::mem::replace(&mut self.ticks, TICKS.min(self.ticks_left))
    }

    pub(super) fn wind_down(&mut self, outer: u64) {
        self.ticks = outer;
    }

    /// The largest over the endings.
    pub fn most(&mut self, node: NodeId, world: World) -> Tries {
        self.table(node, world).most()
    }

    /// The world as far as the node can notice it.
    pub(super) fn reduced(&self, node: NodeId, world: World) -> World {
        let below = self.arena.below(node);
        let holds = |dep: &DepId| below.deps.binary_search(dep).is_ok();
        let seen = |which: Which| match which {
            Which::Dep(dep) | Which::Through(_, dep) if !holds(&dep) => Which::None,
            Which::Site(site) if !self.arena.sites[site.0 as usize].deps.iter().any(holds) => Which::None,
            which => which,
        };
        let failing = seen(world.failing);
        World {
            failing,
            fails_with: if failing == Which::None { Ending::Ok } else { world.fails_with },
            counted: seen(world.counted),
            only: world.only.filter(|_| !below.layers.is_empty()).map(|only| match below.layers.binary_search(&only) {
                Ok(_) => only,
                Err(_) => LayerIx::NONE,
            }),
            clock: world.clock && below.clock.cuts,
        }
    }

    pub fn table(&mut self, node: NodeId, world: World) -> Rc<Table> {
        match self.arena.node(node) {
            Node::Nothing | Node::Sleep(_) => return Rc::clone(&self.nothing),
            Node::End(ending) => return Rc::new(Table::one(*ending, Tries::ZERO)),
            Node::Caught(level) => return Rc::new(Table::one(self.caught_at(*level), Tries::ZERO)),
            _ => {}
        }
        let world = self.reduced(node, world);
        let closed = self.arena.below(node).caught == 0;
        if let Some(known) = self.memo.get(&(node, world)).filter(|_| closed) {
            return Rc::clone(known);
        }
        if !self.step() {
            return Rc::clone(&self.nothing);
        }
        let found = stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || Rc::new(self.compute(node, world)));
        if closed && !self.exhausted() {
            self.memo.insert((node, world), Rc::clone(&found));
        }
        found
    }

    fn caught_at(&self, level: u8) -> Ending {
        let at = self.caught.len().checked_sub(1 + level as usize);
        // An arm that does not exist: a failure of which nothing is known.
        at.map_or(Ending::Error(FailureClass::Application), |at| self.caught[at])
    }

    fn compute(&mut self, node: NodeId, world: World) -> Table {
        let arena = self.arena;
        if world.clock && self.limits(node) {
            return self.by_the_clock(node, world);
        }
        match arena.node(node) {
            Node::Seq(parts) => table::seq(&self.tables(parts, world)),
            Node::Branch(parts) => table::branch(&self.tables(parts, world)),
            Node::Join(parts, until) => table::join(&self.tables(parts, world), *until),
            Node::Race(parts, wins) => table::race(&self.tables(parts, world), *wins),
            Node::Recover(body, on, arms) => self.recover(*body, on, arms, world),
            Node::Remote { dep, site, behind, .. } => {
                let behind = behind.map(|behind| self.table(behind, world));
                self.try_once(*dep, *site, world, behind.as_deref())
            }
            Node::Hop { site, body } => {
                let world = self.through(*site, world);
                (*self.table(*body, world)).clone()
            }
            Node::Failover { turns, layer, bodies } => {
                let off = self.is_off(turns, *layer, node, world);
                turns.failover(&self.tables(bodies, world), off)
            }
            Node::Frame(body) => {
                let outside = std::mem::take(&mut self.caught);
                let body = self.table(*body, world);
                self.caught = outside;
                table::frame(&body)
            }
            Node::Unknown | Node::Nothing | Node::Sleep(_) | Node::End(_) | Node::Caught(_) => Table::ok(Tries::ZERO),
            other => {
                let body = other.children().next().map(|body| self.table(body, world));
                body.map_or_else(|| Table::ok(Tries::ZERO), |body| self.around(node, world, &body))
            }
        }
    }

    fn recover(&mut self, body: NodeId, on: &[Endings], arms: &[NodeId], world: World) -> Table {
        let body = self.table(body, world);
        table::recover(&body, on, |arm, ending| {
            self.caught.push(ending);
            let follow = self.table(arms[arm], world);
            self.caught.pop();
            follow
        })
    }

    /// The world of what a hop does: from there on the calls count that are asked for on the way through it.
    pub(super) fn through(&self, site: SiteId, world: World) -> World {
        match world.counted {
            Which::Through(wanted, dep) if wanted == site => World { counted: Which::Dep(dep), ..world },
            _ => world,
        }
    }

    /// Whether a limit of time stands here that can end more than a hanging try.
    fn limits(&self, node: NodeId) -> bool {
        match self.arena.node(node) {
            Node::Within { ends, body, .. } => ends.hang && self.arena.below(*body).clock.passes,
            Node::Repeat { layer, turns, .. } | Node::Failover { layer, turns, .. } => {
                turns.multiplies && self.arena.layers[layer.0 as usize].limit.elapsed_ms.is_some()
            }
            _ => false,
        }
    }

    pub(super) fn tables(&mut self, parts: &[NodeId], world: World) -> Vec<Rc<Table>> {
        parts.iter().map(|part| self.table(*part, world)).collect()
    }

    /// The rule of a node with one body.
    pub(super) fn around(&self, node: NodeId, world: World, body: &Table) -> Table {
        match self.arena.node(node) {
            Node::Map(rules, _) => table::map(rules, body),
            Node::Within { ends, .. } if ends.hang => table::map(&HANG_ENDS[..], body),
            Node::Spawn(_) => table::spawn(body),
            Node::Leave(exit, _) => table::leave(*exit, body),
            Node::Scope(_) => table::scope(body),
            Node::Frame(_) => table::frame(body),
            Node::Repeat { turns, layer, body: inner } => turns.table(body, self.is_off(turns, *layer, *inner, world)),
            _ => body.clone(),
        }
    }

    /// A failover to another dependency is no layer to switch off: without it the failure would surface.
    pub(super) fn is_off(&self, turns: &Turns, layer: LayerIx, body: NodeId, world: World) -> bool {
        use crate::effect::RepeatKind::Failover;
        let elsewhere = || {
            let kind = self.arena.layers[layer.0 as usize].repeat.kind;
            kind == Failover && self.arena.below(body).deps.len() != 1
        };
        turns.multiplies && world.only.is_some_and(|only| only != layer) && !elsewhere()
    }

    pub(super) fn try_once(&self, dep: DepId, site: SiteId, world: World, behind: Option<&Table>) -> Table {
        let own = if is(world.counted, dep, site) { Tries::ONE } else { Tries::ZERO };
        table::remote(own, self.fails(dep, site, world), behind)
    }

    /// How this call can fail in this world; what only connects cannot answer.
    pub(super) fn fails(&self, dep: DepId, site: SiteId, world: World) -> Option<Ending> {
        if !is(world.failing, dep, site) {
            return None;
        }
        let connect_only = self.arena.sites[site.0 as usize].remote.connect_only;
        match world.fails_with {
            Ending::Never | Ending::Error(FailureClass::Connect) => Some(world.fails_with),
            // Who only connects gets the connection; that it is closed then is seen by what is done with it.
            Ending::Error(FailureClass::Reset) if connect_only => Some(Ending::Status(FailureClass::Application)),
            _ if connect_only => None,
            other => Some(other),
        }
    }
}

pub(super) fn is(which: Which, dep: DepId, site: SiteId) -> bool {
    match which {
        Which::None | Which::Through(..) => false,
        Which::Dep(wanted) => wanted == dep,
        Which::Site(wanted) => wanted == site,
    }
}

/// What a deadline does to a hang.
static HANG_ENDS: std::sync::LazyLock<[(Endings, Endings); 1]> =
    std::sync::LazyLock::new(|| [(Endings::NEVER, Endings::one(Ending::Error(FailureClass::Timeout)))]);
