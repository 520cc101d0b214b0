//! `effective`: the tables of endings with a clock. Deadlines cut what has not started by then; a try takes no time unless
//! it hangs.
//!
//! Only where a limit of time can end something else than a hanging try does the clock tell more than the plain table, so
//! nothing else is computed here: [`super::endings`] asks at the limits themselves. A moment counts from when the effect
//! begins, and `left` is the time until the nearest limit above; both are known up to what pauses leave open. Each end of a
//! number is a run of its own: the upper one with the most turns and pauses of any length, the lower one with the fewest
//! turns and the longest pauses.

use std::rc::Rc;

use super::endings::{Evaluator, World};
use super::moment::{ENDLESS, End, Ends, Moment, Side, States, state, thin};
use super::node::{Node, NodeId};
use super::table::{self, Flow, Table};
use crate::class::{Ending, Endings, FailureClass};
use crate::effect::{Until, Wins};
use crate::value::Tries;

/// Ways in which the sides of a join or race can end together.
const MOST_WAYS: usize = 4_000;

/// What a node is looked at under.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Under {
    pub world: World,
    /// The time until the nearest limit above.
    pub left: Moment,
    pub side: Side,
}

impl Under {
    /// After so much has passed.
    pub fn later(self, by: Moment) -> Under {
        Under { left: self.left.less(by), ..self }
    }
}

impl Evaluator<'_> {
    /// A node in which a limit of time may cut something: its table under the clock, without the moments.
    pub(super) fn by_the_clock(&mut self, node: NodeId, world: World) -> Table {
        let outer = self.wind_up();
        let whole = |side| Under { world, left: Moment::ENDLESS, side };
        let high = self.runs(node, whole(Side::High)).timeless(Side::High);
        let found = match self.arena.below(node).clock.open {
            false => both(&high),
            true => {
                let low = self.runs(node, whole(Side::Low)).timeless(Side::Low);
                table::branch(&[Rc::new(high), Rc::new(low)])
            }
        };
        let out = self.clock_is_out();
        self.wind_down(outer);
        if out { at_most(&self.table(node, World { clock: false, ..world })) } else { found }
    }

    pub(super) fn runs(&mut self, node: NodeId, under: Under) -> Rc<Ends> {
        let Under { world, left, side } = under;
        if left.last == 0 {
            return Rc::new(Ends::one(End::cut(left), 0));
        }
        if !self.arena.below(node).clock.passes {
            return Rc::new(lifted(&self.table(node, world), left, side));
        }
        let under = Under { world: self.reduced(node, world), ..under };
        let closed = self.arena.below(node).caught == 0;
        if let Some(known) = self.moments.get(&(node, under)).filter(|_| closed) {
            return Rc::clone(known);
        }
        if !self.tick() {
            return Rc::default();
        }
        let found = stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || self.run(node, under));
        let found = Rc::new(found.clipped(left).thinned(side));
        if closed && !self.clock_is_out() {
            self.moments.insert((node, under), Rc::clone(&found));
        }
        found
    }

    fn run(&mut self, node: NodeId, under: Under) -> Ends {
        let arena = self.arena;
        match arena.node(node) {
            Node::Sleep(pause) => Ends::one(End::new(Flow::Normal, Ending::Ok, under.side.pause(*pause)), 0),
            Node::Seq(parts) => self.run_seq(parts, under),
            Node::Branch(parts) => {
                let mut out = Ends::default();
                parts.iter().for_each(|part| out.or(&self.runs(*part, under)));
                out
            }
            Node::Join(parts, until) => self.run_together(node, parts, under, &|ends| join_ends(ends, *until)),
            Node::Race(parts, wins) => self.run_together(node, parts, under, &|ends| race_ends(ends, *wins)),
            Node::Recover(body, on, arms) => self.run_recover(*body, on, arms, under),
            Node::Repeat { turns, layer, body } => self.run_turns(turns, *layer, std::slice::from_ref(body), under),
            Node::Failover { turns, layer, bodies } => self.run_failover(turns, *layer, bodies, under),
            Node::Within { ends, deadline, body } if ends.hang => {
                let limit = &arena.deadlines[deadline.0 as usize].limit;
                self.run_within((limit.low, limit.high), *body, under)
            }
            Node::Outlives(body) => self.run_outlives(*body, under),
            _ => self.run_around(node, under),
        }
    }

    /// What time changes nothing about but when it happens.
    fn run_around(&mut self, node: NodeId, under: Under) -> Ends {
        let arena = self.arena;
        match arena.node(node) {
            Node::Remote { dep, site, behind: Some(behind), .. } => {
                let own = self.try_once(*dep, *site, under.world, None);
                let own = own.largest(|c| c.ending == Ending::Ok).map_or(0, |tries| under.side.of(tries));
                let fails = self.fails(*dep, *site, under.world);
                run_remote(own, fails, &self.runs(*behind, under), under.left)
            }
            Node::Map(rules, body) => mapped(rules, &self.runs(*body, under)),
            Node::Spawn(body) => {
                let tries = under.side.of(self.table(*body, under.world).most());
                Ends::one(End::new(Flow::Normal, Ending::Ok, Moment::START), tries)
            }
            Node::Hop { site, body } => {
                let world = self.through(*site, under.world);
                (*self.runs(*body, Under { world, ..under })).clone()
            }
            Node::Frame(body) => {
                let outside = std::mem::take(&mut self.caught);
                let body = self.runs(*body, under);
                self.caught = outside;
                moved(&body, |_| Flow::Normal)
            }
            Node::Leave(exit, body) => {
                let to = |end: &End| if end.leaves_here() { Flow::from(*exit) } else { end.flow };
                moved(&self.runs(*body, under), to)
            }
            Node::Scope(body) => {
                let to = |end: &End| if end.flow == Flow::Return { Flow::Normal } else { end.flow };
                moved(&self.runs(*body, under), to)
            }
            other => match other.children().next() {
                Some(body) => (*self.runs(body, under)).clone(),
                None => lifted(&self.table(node, under.world), under.left, under.side),
            },
        }
    }

    fn run_seq(&mut self, parts: &[NodeId], under: Under) -> Ends {
        let mut out = Ends::default();
        let mut states: States = vec![(Moment::START, 0)];
        for (i, part) in parts.iter().enumerate() {
            let last = i + 1 == parts.len();
            let mut after = States::new();
            for (at, before) in states {
                for (end, tries) in &self.runs(*part, under.later(at)).0 {
                    let tries = before.saturating_add(*tries);
                    match last || !end.goes_on() {
                        true => out.put(end.later(at), tries),
                        false => state(&mut after, at.plus(end.at), tries),
                    }
                }
            }
            states = thin(after, under.side);
        }
        out
    }

    fn run_together(
        &mut self,
        node: NodeId,
        parts: &[NodeId],
        under: Under,
        rule: &dyn Fn(&[End]) -> Vec<End>,
    ) -> Ends {
        let sides: Vec<Rc<Ends>> = parts.iter().map(|part| self.runs(*part, under)).collect();
        let ways = sides.iter().fold(1usize, |n, s| n.saturating_mul(s.0.len().max(1)));
        if ways > MOST_WAYS {
            return lifted(&self.table(node, under.world), under.left, under.side);
        }
        let mut ways: Vec<(Vec<End>, u64)> = vec![(Vec::new(), 0)];
        for side in &sides {
            let with = |(ends, tries): &(Vec<End>, u64)| {
                let (ends, tries) = (ends.clone(), *tries);
                side.0.iter().map(move |(end, more)| ([&ends[..], &[*end]].concat(), tries.saturating_add(*more)))
            };
            ways = ways.iter().flat_map(with).collect();
        }
        let mut out = Ends::default();
        for (ends, tries) in &ways {
            rule(ends).into_iter().for_each(|end| out.put(end, *tries));
        }
        out
    }

    fn run_recover(&mut self, body: NodeId, on: &[Endings], arms: &[NodeId], under: Under) -> Ends {
        let mut out = Ends::default();
        for (end, tries) in &self.runs(body, under).0 {
            let arm = end.cell().and_then(|cell| table::arm_for(&cell, on));
            let Some((arm, ending)) = arm.zip(end.ending) else {
                out.put(*end, *tries);
                continue;
            };
            self.caught.push(ending);
            let follow = self.runs(arms[arm], under.later(end.at));
            self.caught.pop();
            follow.0.iter().for_each(|(e, more)| out.put(e.later(end.at), tries.saturating_add(*more)));
        }
        out
    }

    fn run_within(&mut self, limit: (u64, u64), body: NodeId, under: Under) -> Ends {
        let left = under.left;
        let timeout = Ending::Error(FailureClass::Timeout);
        let known =
            (limit.1 != ENDLESS).then_some(Moment::at(if under.side == Side::High { limit.1 } else { limit.0 }));
        let inner = self.runs(body, Under { left: known.map_or(left, |limit| limit.earlier(left)), ..under });
        let mut out = Ends::default();
        for (end, tries) in &inner.0 {
            match (known, end.ending) {
                (Some(limit), None) => {
                    // Of two limits at once the outer one counts.
                    if limit.before(left).is_some() {
                        out.put(End::new(Flow::Normal, timeout, limit), *tries);
                    }
                    if limit.reaches(left) {
                        out.put(End::cut(left), *tries);
                    }
                }
                // It may end at once.
                (None, None | Some(Ending::Never)) => out.put(End::new(Flow::Normal, timeout, Moment::START), *tries),
                _ => out.put(*end, *tries),
            }
        }
        out
    }

    /// Only its own limits cut it; what it does after its caller has left still counts.
    fn run_outlives(&mut self, body: NodeId, under: Under) -> Ends {
        let mut out = Ends::default();
        let left = under.left;
        for (end, tries) in &self.runs(body, Under { left: Moment::ENDLESS, ..under }).0 {
            let hangs = end.waits() && left != Moment::ENDLESS;
            if let Some(at) = end.at.before(left).filter(|_| !hangs) {
                out.put(End { at, ..*end }, *tries);
            }
            if hangs || end.at.reaches(left) {
                out.put(End::cut(left), *tries);
            }
        }
        out
    }
}

/// A table of which no moment is known: nothing in it takes time but what hangs.
fn lifted(table: &Table, left: Moment, side: Side) -> Ends {
    let mut out = Ends::default();
    for cell in table.cells() {
        let hangs = cell.ending == Ending::Never && left != Moment::ENDLESS;
        out.put(
            if hangs { End::cut(left) } else { End::new(cell.flow, cell.ending, Moment::START) },
            side.of(cell.tries),
        );
    }
    out
}

/// Nothing is surely reached.
fn at_most(table: &Table) -> Table {
    let mut out = Table::default();
    for cell in table.cells() {
        out.put(cell.flow, cell.ending, Tries { low: 0, ..cell.tries });
    }
    out
}

/// Both ends are the upper one.
fn both(high: &Table) -> Table {
    let mut out = Table::default();
    for cell in high.cells() {
        out.put(cell.flow, cell.ending, Tries { low: cell.tries.high, ..cell.tries });
    }
    out
}

fn run_remote(own: u64, fails: Option<Ending>, behind: &Ends, left: Moment) -> Ends {
    let mut out = Ends::default();
    behind.0.iter().for_each(|(end, tries)| out.put(*end, own.saturating_add(*tries)));
    if let Some(ending) = fails {
        let hangs = ending == Ending::Never && left != Moment::ENDLESS;
        out.put(if hangs { End::cut(left) } else { End::new(Flow::Normal, ending, Moment::START) }, own);
    }
    out
}

fn mapped(rules: &[(Endings, Endings)], body: &Ends) -> Ends {
    let mut out = Ends::default();
    for (end, tries) in &body.0 {
        let Some(cell) = end.cell() else {
            out.put(*end, *tries);
            continue;
        };
        for to in table::map(rules, &Table::single(cell.flow, cell.ending)).cells() {
            out.put(End::new(to.flow, to.ending, end.at), *tries);
        }
    }
    out
}

fn moved(body: &Ends, to: impl Fn(&End) -> Flow) -> Ends {
    let mut out = Ends::default();
    body.0.iter().for_each(|(end, tries)| out.put(End { flow: to(end), ..*end }, *tries));
    out
}

/// What a join of sides that end so ends in.
fn join_ends(ends: &[End], until: Until) -> Vec<End> {
    let all = until == Until::All;
    let last = ends.iter().map(|e| e.at).fold(Moment::START, Moment::later);
    let fails = |e: &&End| !e.waits() && !e.goes_on();
    let failed: Vec<End> = ends.iter().filter(fails).map(|e| End { at: if all { last } else { e.at }, ..*e }).collect();
    let waiting = ends.iter().filter(|e| e.waits()).max();
    match waiting {
        Some(end) if failed.is_empty() || all => return vec![*end],
        _ if !failed.is_empty() => return failed,
        _ => {}
    }
    let answers = ends.iter().filter(|e| e.ending != Some(Ending::Ok)).map(|e| End { at: last, ..*e });
    let answers: Vec<End> = answers.collect();
    if answers.is_empty() { vec![End::new(Flow::Normal, Ending::Ok, last)] } else { answers }
}

/// What a race of sides that end so ends in.
fn race_ends(ends: &[End], wins: Wins) -> Vec<End> {
    let done: Vec<End> = ends.iter().filter(|e| !e.waits()).copied().collect();
    let fails = |e: &End| e.flow == Flow::Normal && e.ending.is_some_and(Ending::is_error);
    let good: Vec<End> = done.iter().filter(|e| !fails(e)).copied().collect();
    let won = match wins {
        Wins::First => done,
        Wins::FirstOk if !good.is_empty() => good,
        Wins::FirstOk if done.len() < ends.len() => Vec::new(),
        Wins::FirstOk => {
            let last = done.iter().map(|e| e.at).fold(Moment::START, Moment::later);
            done.iter().map(|e| End { at: last, ..*e }).collect()
        }
    };
    match ends.iter().max() {
        Some(waits) if won.is_empty() => vec![*waits],
        _ => won,
    }
}
