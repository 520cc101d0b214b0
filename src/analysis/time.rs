//! The worst-case time of a bound node in one world: for each way it can end, how long that can take.
//!
//! A try takes no time unless it hangs; pauses take any time within their bounds; a deadline ends what is still under way.
//! The rules are those of the tables of endings with intervals in place of counts, so that what cannot be is left out here
//! too: what a deadline always cuts never ends by itself.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::delay::{self, Delay};
use super::endings::{Evaluator, Which, World};
use super::node::{BoundLayer, LayerIx, Node, NodeId};
use super::ranges::{OPEN, Ranges};
use super::table::{self, Amount, Cell, Flow, Table, Turns};
use crate::class::{Ending, Endings, FailureClass};
use crate::effect::{Until, Wins};
use crate::value::{Bound, Tries, Why};

/// Turns whose ends are kept apart.
const APART: u64 = 12;

/// How long each ending can take.
pub type Spent = Table<Ranges>;

/// Results of closed nodes, valid for as long as the evaluator's.
pub type Memo = FxHashMap<(NodeId, World), Rc<Spent>>;

pub struct Time<'e, 'a> {
    pub evaluator: &'e mut Evaluator<'a>,
    pub memo: &'e mut Memo,
}

impl Time<'_, '_> {
    /// How long a whole operation can take in one world.
    pub fn worst(&mut self, node: NodeId, world: World) -> Bound<u64> {
        let spent = self.of(node, World { counted: Which::None, only: None, clock: false, ..world });
        if spent.cells().iter().any(|cell| cell.ending == Ending::Never) {
            return Bound::Unbounded;
        }
        let all = spent.largest(|_| true).unwrap_or_else(Ranges::at_once);
        let at_least = spent.cells().iter().map(|c| c.tries.most_at_least()).max().unwrap_or(0);
        match all.most() {
            OPEN if at_least == 0 => Bound::Unknown(Some(Why::new("the length of a pause is not known"))),
            OPEN => Bound::AtLeast(at_least, None),
            most if most == at_least => Bound::Exactly(most),
            most => Bound::AtMost(most),
        }
    }

    pub fn of(&mut self, node: NodeId, world: World) -> Rc<Spent> {
        let world = self.evaluator.reduced(node, world);
        let below = self.evaluator.arena.below(node);
        if !below.clock.passes {
            let plain = self.evaluator.table(node, world);
            return Rc::new(timed(&plain));
        }
        let closed = below.caught == 0;
        if let Some(known) = self.memo.get(&(node, world)).filter(|_| closed) {
            return Rc::clone(known);
        }
        if !self.evaluator.step() {
            return Rc::new(Table::ok(Ranges::one(0, OPEN)));
        }
        let found = stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || Rc::new(self.compute(node, world)));
        if closed && !self.evaluator.exhausted() {
            self.memo.insert((node, world), Rc::clone(&found));
        }
        found
    }

    fn all(&mut self, parts: &[NodeId], world: World) -> Vec<Rc<Spent>> {
        parts.iter().map(|part| self.of(*part, world)).collect()
    }

    fn compute(&mut self, node: NodeId, world: World) -> Spent {
        let arena = self.evaluator.arena;
        match arena.node(node) {
            Node::Sleep(pause) => Table::ok(Ranges::pause(*pause)),
            Node::Seq(parts) => table::seq(&self.all(parts, world)),
            Node::Branch(parts) => table::branch(&self.all(parts, world)),
            Node::Join(parts, until) => join(&self.all(parts, world), *until),
            Node::Race(parts, wins) => race(&self.all(parts, world), *wins),
            Node::Recover(body, on, arms) => self.recover(*body, on, arms, world),
            Node::Remote { dep, site, behind, .. } => {
                let behind = behind.map(|behind| self.of(behind, world));
                let mut out = behind.map_or_else(Spent::default, |behind| (*behind).clone()).or_ok();
                if let Some(ending) = self.evaluator.fails(*dep, *site, world) {
                    out.put(Flow::Normal, ending, Ranges::at_once());
                }
                out
            }
            Node::Map(rules, body) => table::map(rules, &self.of(*body, world)),
            Node::Repeat { turns, layer, body } => {
                let body = self.of(*body, world);
                self.repeat(turns, *layer, turns.n, &body)
            }
            Node::Failover { turns, layer, bodies } => {
                let all = self.all(bodies, world);
                let n = bodies.len() as u64;
                let n = Tries { low: turns.n.low.min(n), high: turns.n.high.min(n) };
                self.repeat(turns, *layer, n, &table::branch(&all))
            }
            Node::Within { ends, deadline, body } if ends.hang => {
                let limit = &arena.deadlines[deadline.0 as usize].limit;
                within(limit.low, limit.high, &self.of(*body, world))
            }
            _ => self.around(node, world),
        }
    }

    fn recover(&mut self, body: NodeId, on: &[Endings], arms: &[NodeId], world: World) -> Spent {
        let body = self.of(body, world);
        table::recover(&body, on, |arm, ending| {
            self.evaluator.caught.push(ending);
            let follow = self.of(arms[arm], world);
            self.evaluator.caught.pop();
            follow
        })
    }

    /// A node with one body that changes nothing about when something happens.
    fn around(&mut self, node: NodeId, world: World) -> Spent {
        match self.evaluator.arena.node(node) {
            Node::Spawn(_) => Table::ok(Ranges::at_once()),
            Node::Leave(exit, body) => table::leave(*exit, &self.of(*body, world)),
            Node::Scope(body) => table::scope(&self.of(*body, world)),
            Node::Frame(body) => {
                let outside = std::mem::take(&mut self.evaluator.caught);
                let body = self.of(*body, world);
                self.evaluator.caught = outside;
                table::frame(&body)
            }
            other => match other.children().next() {
                Some(body) => (*self.of(body, world)).clone(),
                None => Table::ok(Ranges::at_once()),
            },
        }
    }

    fn repeat(&self, turns: &Turns, layer: LayerIx, n: Tries, body: &Spent) -> Spent {
        if !turns.multiplies {
            return many(&turns.once(body));
        }
        let BoundLayer { repeat, limit, .. } = &self.evaluator.arena.layers[layer.0 as usize];
        let elapsed = limit.elapsed_ms.unwrap_or(OPEN);
        Repeating { turns, n, elapsed, wait: &repeat.wait, body, out: Table::default() }.table()
    }
}

/// A plain table in which nothing takes time.
fn timed(plain: &Table) -> Spent {
    let mut out = Table::default();
    plain.cells().iter().for_each(|cell| out.put(cell.flow, cell.ending, Ranges::at_once()));
    out
}

/// So many times, and nobody knows how many.
fn many(body: &Spent) -> Spent {
    let mut out = Table::default();
    for cell in body.cells() {
        let open = if cell.tries.most() > 0 { OPEN } else { 0 };
        out.put(cell.flow, cell.ending, Ranges::one(cell.tries.least(), open));
    }
    out
}

/// What is not over when the limit comes ends then.
fn within(least: u64, most: u64, body: &Spent) -> Spent {
    let timeout = Ending::Error(FailureClass::Timeout);
    let mut out = Table::default();
    for cell in body.cells() {
        if cell.ending == Ending::Never {
            out.put(Flow::Normal, timeout, Ranges::one(least, most));
            continue;
        }
        let (before, _) = cell.tries.split(most);
        if let Some(before) = before {
            out.put(cell.flow, cell.ending, before);
        }
        if cell.tries.most() >= least {
            let late = cell.tries.most().min(most);
            out.put(Flow::Normal, timeout, Ranges::one(least, late));
        }
    }
    out
}

/// A repetition whose turns are followed.
struct Repeating<'r> {
    turns: &'r Turns,
    n: Tries,
    elapsed: u64,
    wait: &'r crate::effect::Wait,
    body: &'r Spent,
    out: Spent,
}

impl Repeating<'_> {
    fn table(mut self) -> Spent {
        let Some(again) = self.body.largest(|c| self.turns.repeats(c)) else {
            let body = self.body;
            body.cells().iter().for_each(|c| self.out.put(self.turns.landing(c), c.ending, c.tries.clone()));
            return self.out;
        };
        let mut began = Ranges::at_once();
        for turn in 1..=APART {
            let last = turn >= self.n.high;
            match self.turn(&began, &again, Ranges::pause(delay::after(self.wait, turn)), turn >= self.n.low, last) {
                Some(next) if !last => began = next,
                _ => return self.over(),
            }
        }
        self.rest(&began, &again);
        self.over()
    }

    /// A turn that begins then; when the next one can begin. `may_stop`: the turns may have run out.
    fn turn(&mut self, began: &Ranges, again: &Ranges, pause: Ranges, may_stop: bool, last: bool) -> Option<Ranges> {
        let body = self.body;
        for cell in body.cells() {
            let now = began.and(&cell.tries);
            if !self.turns.repeats(cell) {
                self.out.put(self.turns.landing(cell), cell.ending, now);
                continue;
            }
            // Where the time has run out, no further turn begins.
            let spent = now.from(self.elapsed.saturating_sub(pause.most())).filter(|_| self.elapsed != OPEN);
            if let Some(end) = if may_stop { Some(now) } else { spent } {
                self.stops(cell, end);
            }
        }
        let next = began.and(again).and(&pause);
        if last { None } else { next.split(self.elapsed).0 }
    }

    fn stops(&mut self, cell: &Cell<Ranges>, at: Ranges) {
        match (self.turns.jumps, self.turns.exhausts) {
            (false, _) => self.out.put(self.turns.landing(cell), cell.ending, at),
            (true, true) => self.out.put(Flow::Normal, Ending::Ok, at),
            (true, false) => {}
        }
    }

    /// All turns after those that were followed, from the first to the last without a gap.
    fn rest(&mut self, began: &Ranges, again: &Ranges) {
        let more = |n: u64| if n == OPEN { OPEN } else { n - 1 - APART };
        let first = began.hull();
        let per_turn = Delay { least: again.least(), most: again.most() };
        let pauses = |turns: u64| match turns {
            OPEN => {
                let grows = per_turn.most > 0 || delay::sum(self.wait, APART + 1).most > 0;
                Delay { least: 0, most: if grows { OPEN } else { 0 } }
            }
            n => {
                let (all, known) = (delay::sum(self.wait, APART + n), delay::sum(self.wait, APART));
                let after = |a: u64, b: u64| if a == OPEN { OPEN } else { a - b };
                per_turn
                    .times(n)
                    .plus(Delay { least: after(all.least, known.least), most: after(all.most, known.most) })
            }
        };
        let (least, most) = (pauses(more(self.n.low.max(APART + 1))), pauses(more(self.n.high)));
        let last = Ranges::one(first.least().saturating_add(least.least), first.most().saturating_add(most.most));
        let any = Ranges::one(first.least(), last.most());
        let within = |at: &Ranges| at.split(self.elapsed).0;
        let (any, last) = (within(&any), within(&last));
        let body = self.body;
        for cell in body.cells() {
            match (self.turns.repeats(cell), &any, &last) {
                (false, Some(any), _) => self.out.put(self.turns.landing(cell), cell.ending, any.and(&cell.tries)),
                (true, Some(any), _) if self.elapsed != OPEN => self.stops(cell, any.and(&cell.tries)),
                (true, _, Some(last)) if self.n.low != OPEN => self.stops(cell, last.and(&cell.tries)),
                _ => {}
            }
        }
        if self.n.low == OPEN && self.elapsed == OPEN {
            self.out.put(Flow::Normal, Ending::Never, Ranges::at_once());
        }
    }

    fn over(mut self) -> Spent {
        // A loop that nothing leaves but its count.
        if self.out.is_empty() && self.turns.jumps {
            let pauses = Ranges::pause(delay::sum(self.wait, self.n.high.saturating_sub(1)));
            self.out.put(Flow::Normal, Ending::Ok, pauses);
        }
        self.out.or_ok()
    }
}

/// The others of one side.
fn others(sides: &[Rc<Spent>], but: usize) -> impl Iterator<Item = &Rc<Spent>> {
    sides.iter().enumerate().filter(move |(i, _)| *i != but).map(|(_, side)| side)
}

/// All sides together: the last to end counts, or the first error.
fn join(sides: &[Rc<Spent>], until: Until) -> Spent {
    let all = until == Until::All;
    let mut out = Table::default();
    for (i, side) in sides.iter().enumerate() {
        for cell in side.cells() {
            let goes_on = cell.flow == Flow::Normal && cell.ending.goes_on();
            let fits = |c: &Cell<Ranges>| match cell.ending {
                Ending::Never => all || !c.ending.is_error(),
                Ending::Ok if goes_on => c.flow == Flow::Normal && c.ending == Ending::Ok,
                _ if goes_on => c.flow == Flow::Normal && c.ending.goes_on(),
                _ => !all || c.ending != Ending::Never,
            };
            let rest: Option<Vec<Ranges>> = others(sides, i).map(|o| o.largest(fits)).collect();
            let Some(rest) = rest else { continue };
            let waits = goes_on || all;
            let at = rest.iter().fold(cell.tries.clone(), |at, o| if waits { at.later(o) } else { at });
            out.put(cell.flow, cell.ending, at);
        }
    }
    out.or_ok()
}

/// The first side to end counts.
fn race(sides: &[Rc<Spent>], wins: Wins) -> Spent {
    let first_ok = wins == Wins::FirstOk;
    let mut out = Table::default();
    for (i, side) in sides.iter().enumerate() {
        for cell in side.cells() {
            let loses = first_ok && cell.ending.is_error();
            let fits = |c: &Cell<Ranges>| match cell.ending {
                Ending::Never => c.ending == Ending::Never || (first_ok && c.ending.is_error()),
                _ if loses => c.ending.is_error(),
                _ => true,
            };
            let rest: Option<Vec<Ranges>> = others(sides, i).map(|o| o.largest(fits)).collect();
            let Some(rest) = rest else { continue };
            let at = match loses {
                true => rest.iter().fold(cell.tries.clone(), |at, o| at.later(o)),
                false => match cell.tries.split(surely_over(sides, i, first_ok).saturating_add(1)).0 {
                    Some(at) => at,
                    None => continue,
                },
            };
            out.put(cell.flow, cell.ending, at);
        }
    }
    out.or_ok()
}

/// When another side has ended the race at the latest.
fn surely_over(sides: &[Rc<Spent>], but: usize, first_ok: bool) -> u64 {
    let ends = |side: &Rc<Spent>| {
        let open = |c: &Cell<Ranges>| c.ending == Ending::Never || (first_ok && c.ending.is_error());
        if side.cells().iter().any(open) { OPEN } else { side.largest(|_| true).map_or(OPEN, |r| r.most()) }
    };
    others(sides, but).map(ends).min().unwrap_or(OPEN)
}
