//! `effective`: the tables of endings with a clock. Deadlines cut what has not started by then; a try takes no time unless
//! it hangs.
//!
//! Only where a limit of time can end something else than a hanging try does the clock tell more than the plain table, so
//! nothing else is computed here: [`super::endings`] asks at the limits themselves. A moment counts from when the effect
//! begins, and `left` is the time until the nearest limit above; both are known up to what pauses leave open. Each end of a
//! number is a run of its own: the upper one with the most turns and pauses of any length, the lower one with the fewest
//! turns and the longest pauses.

use std::rc::Rc;

use super::delay::{self, Delay};
use super::endings::{Evaluator, World};
use super::node::{LayerIx, Node, NodeId};
use super::table::{self, Cell, Flow, Table, Turns};
use crate::class::{Ending, Endings, FailureClass};
use crate::effect::{Until, Wait, Wins};
use crate::value::Tries;

/// A moment in ms between two ends, both included.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Moment {
    first: u64,
    last: u64,
}

impl Moment {
    const START: Moment = Moment::at(0);
    /// Nothing limits it.
    const ENDLESS: Moment = Moment::at(ENDLESS);

    const fn at(ms: u64) -> Moment {
        Moment { first: ms, last: ms }
    }

    fn plus(self, other: Moment) -> Moment {
        Moment { first: self.first.saturating_add(other.first), last: self.last.saturating_add(other.last) }
    }

    fn times(self, n: u64) -> Moment {
        Moment { first: self.first.saturating_mul(n), last: self.last.saturating_mul(n) }
    }

    /// What is left until this moment once so much has passed.
    fn less(self, passed: Moment) -> Moment {
        match self {
            Moment::ENDLESS => self,
            _ => Moment { first: self.first.saturating_sub(passed.last), last: self.last.saturating_sub(passed.first) },
        }
    }

    fn earlier(self, other: Moment) -> Moment {
        Moment { first: self.first.min(other.first), last: self.last.min(other.last) }
    }

    fn later(self, other: Moment) -> Moment {
        Moment { first: self.first.max(other.first), last: self.last.max(other.last) }
    }

    /// The part that lies before a limit, if a part does.
    fn before(self, limit: Moment) -> Option<Moment> {
        match limit {
            Moment::ENDLESS => Some(self),
            _ => (self.first < limit.last).then(|| Moment { first: self.first, last: self.last.min(limit.last - 1) }),
        }
    }

    /// Whether it may lie at a limit or behind it.
    fn reaches(self, limit: Moment) -> bool {
        limit != Moment::ENDLESS && self.last >= limit.first
    }
}

/// Nothing limits it.
pub const ENDLESS: u64 = u64::MAX;
/// Turns that are followed one by one; of more, the plain table is an upper bound.
const MOST_TURNS: u64 = 10_000;
/// Moments that are kept apart for one ending.
const MOST_MOMENTS: usize = 24;
/// Ways in which the sides of a join or race can end together.
const MOST_WAYS: usize = 4_000;
/// Servers whose orders are all tried.
const MOST_ORDERED: usize = 4;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    Low,
    High,
}

impl Side {
    fn turns(self, n: Tries) -> u64 {
        match self {
            Side::Low => n.low,
            Side::High => n.high,
        }
    }

    /// Of any length, or as long as can be.
    fn pause(self, pause: Delay) -> Moment {
        match self {
            Side::Low => Moment::at(pause.most),
            Side::High => Moment { first: pause.least, last: pause.most },
        }
    }

    fn of(self, tries: Tries) -> u64 {
        self.turns(tries)
    }
}

/// How something ends, and when. No ending: the nearest limit above came first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct End {
    flow: Flow,
    ending: Option<Ending>,
    at: Moment,
}

impl End {
    fn new(flow: Flow, ending: Ending, at: Moment) -> End {
        End { flow, ending: Some(ending), at }
    }

    fn cut(left: Moment) -> End {
        End { flow: Flow::Normal, ending: None, at: left }
    }

    fn goes_on(self) -> bool {
        self.flow == Flow::Normal && self.ending.is_some_and(Ending::goes_on)
    }

    fn waits(self) -> bool {
        matches!(self.ending, None | Some(Ending::Never))
    }

    /// As a cell of a plain table, for the rules that ask nothing about time.
    fn cell(self) -> Option<Cell<()>> {
        Some(Cell { flow: self.flow, ending: self.ending?, tries: () })
    }

    fn later(self, by: Moment) -> End {
        End { at: self.at.plus(by), ..self }
    }
}

/// The largest number of tries that start on the way to each end. Sorted.
#[derive(Clone, Debug, Default)]
pub struct Ends(Vec<(End, u64)>);

/// Moments with the largest number of tries until then.
type States = Vec<(Moment, u64)>;

impl Ends {
    fn one(end: End, tries: u64) -> Ends {
        Ends(vec![(end, tries)])
    }

    fn put(&mut self, end: End, tries: u64) {
        match self.0.binary_search_by_key(&end, |(known, _)| *known) {
            Ok(at) => self.0[at].1 = self.0[at].1.max(tries),
            Err(at) => self.0.insert(at, (end, tries)),
        }
    }

    /// What lies at or behind the limit above is cut there.
    fn clipped(self, left: Moment) -> Ends {
        if left == Moment::ENDLESS {
            return self;
        }
        let mut out = Ends::default();
        for (end, tries) in self.0 {
            let cut = end.ending.is_none();
            match end.at.before(left).filter(|_| !cut) {
                _ if end.ending == Some(Ending::Never) => out.put(end, tries),
                Some(at) => out.put(End { at, ..end }, tries),
                None => {}
            }
            if cut || (end.ending != Some(Ending::Never) && end.at.reaches(left)) {
                out.put(End::cut(left), tries);
            }
        }
        out
    }

    /// Of very many moments of one ending the first and the last stand for all.
    fn thinned(self, side: Side) -> Ends {
        if self.0.len() <= MOST_MOMENTS {
            return self;
        }
        let mut out = Ends::default();
        for same in self.0.chunk_by(|(a, _), (b, _)| (a.flow, a.ending) == (b.flow, b.ending)) {
            if same.len() <= MOST_MOMENTS {
                same.iter().for_each(|(end, tries)| out.put(*end, *tries));
                continue;
            }
            let (first, last) = (same[0], same[same.len() - 1]);
            let most = same.iter().map(|(_, tries)| *tries).max().unwrap_or(0);
            let kept = |tries: u64| if side == Side::High { most } else { tries };
            out.put(first.0, kept(first.1));
            out.put(last.0, kept(last.1));
        }
        out
    }

    /// Without the moments.
    pub fn timeless(&self, side: Side) -> Table {
        let mut out = Table::default();
        for (end, tries) in &self.0 {
            let high = if side == Side::High { *tries } else { 0 };
            let low = if side == Side::Low { *tries } else { 0 };
            out.put(end.flow, end.ending.unwrap_or(Ending::Never), Tries { low, high });
        }
        out
    }
}

fn state(states: &mut States, at: Moment, tries: u64) {
    match states.binary_search_by_key(&at, |(known, _)| *known) {
        Ok(i) => states[i].1 = states[i].1.max(tries),
        Err(i) => states.insert(i, (at, tries)),
    }
}

impl<'a> Evaluator<'a> {
    /// A node in which a limit of time may cut something: its table under the clock, without the moments.
    pub(super) fn by_the_clock(&mut self, node: NodeId, world: World) -> Table {
        let outer = self.wind_up();
        let high = self.runs(node, world, Moment::ENDLESS, Side::High).timeless(Side::High);
        let found = match self.arena.below(node).clock.open {
            false => both(&high),
            true => {
                let low = self.runs(node, world, Moment::ENDLESS, Side::Low).timeless(Side::Low);
                table::branch(&[Rc::new(high), Rc::new(low)])
            }
        };
        let out = self.clock_is_out();
        self.wind_down(outer);
        if out { at_most(&self.table(node, World { clock: false, ..world })) } else { found }
    }

    fn runs(&mut self, node: NodeId, world: World, left: Moment, side: Side) -> Rc<Ends> {
        if left.last == 0 {
            return Rc::new(Ends::one(End::cut(left), 0));
        }
        let clock = self.arena.below(node).clock;
        if !clock.passes {
            return Rc::new(lifted(&self.table(node, world), left, side));
        }
        let world = self.reduced(node, world);
        let key = (node, world, left, side);
        let closed = self.arena.below(node).caught == 0;
        if let Some(known) = self.moments.get(&key).filter(|_| closed) {
            return Rc::clone(known);
        }
        if !self.tick() {
            return Rc::default();
        }
        let found = stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || self.run(node, world, left, side));
        let found = Rc::new(found.clipped(left).thinned(side));
        if closed && !self.clock_is_out() {
            self.moments.insert(key, Rc::clone(&found));
        }
        found
    }

    fn run(&mut self, node: NodeId, world: World, left: Moment, side: Side) -> Ends {
        let arena = self.arena;
        match arena.node(node) {
            Node::Sleep(pause) => Ends::one(End::new(Flow::Normal, Ending::Ok, side.pause(*pause)), 0),
            Node::Seq(parts) => self.run_seq(parts, world, left, side),
            Node::Branch(parts) => {
                let mut out = Ends::default();
                for part in parts {
                    self.runs(*part, world, left, side).0.iter().for_each(|(end, tries)| out.put(*end, *tries));
                }
                out
            }
            Node::Join(parts, until) => {
                let rule = |ends: &[End]| join_ends(ends, *until);
                self.run_together(node, parts, world, left, side, &rule)
            }
            Node::Race(parts, wins) => {
                let rule = |ends: &[End]| race_ends(ends, *wins);
                self.run_together(node, parts, world, left, side, &rule)
            }
            Node::Remote { dep, site, behind: Some(behind), .. } => {
                let own = self.try_once(*dep, *site, world, None);
                let own = own.largest(|c| c.ending == Ending::Ok).map_or(0, |tries| side.of(tries));
                let behind = self.runs(*behind, world, left, side);
                let fails = self.fails(*dep, *site, world);
                run_remote(own, fails, &behind, left)
            }
            Node::Map(rules, body) => {
                let body = self.runs(*body, world, left, side);
                mapped(rules, &body)
            }
            Node::Recover(body, on, arms) => self.run_recover(*body, on, arms, world, left, side),
            Node::Repeat { turns, layer, body } => {
                self.run_turns(turns, *layer, std::slice::from_ref(body), world, left, side)
            }
            Node::Failover { turns, layer, bodies } => self.run_failover(turns, *layer, bodies, world, left, side),
            Node::Within { ends, deadline, body } if ends.hang => {
                let limit = arena.deadlines[deadline.0 as usize].limit.clone();
                self.run_within(side, (limit.low, limit.high), *body, world, left)
            }
            Node::Outlives(body) => self.run_outlives(*body, world, left, side),
            Node::Spawn(body) => {
                Ends::one(End::new(Flow::Normal, Ending::Ok, Moment::START), side.of(self.table(*body, world).most()))
            }
            Node::Hop { site, body } => {
                let world = self.through(*site, world);
                (*self.runs(*body, world, left, side)).clone()
            }
            Node::Frame(body) => {
                let outside = std::mem::take(&mut self.caught);
                let body = self.runs(*body, world, left, side);
                self.caught = outside;
                moved(&body, |_| Flow::Normal)
            }
            Node::Leave(exit, body) => {
                let exit = Flow::from(*exit);
                let to = |end: &End| if end.flow == Flow::Normal && !end.waits() { exit } else { end.flow };
                moved(&self.runs(*body, world, left, side), to)
            }
            Node::Scope(body) => {
                let to = |end: &End| if end.flow == Flow::Return { Flow::Normal } else { end.flow };
                moved(&self.runs(*body, world, left, side), to)
            }
            other => match other.children().next() {
                Some(body) => (*self.runs(body, world, left, side)).clone(),
                None => lifted(&self.table(node, world), left, side),
            },
        }
    }

    fn run_seq(&mut self, parts: &[NodeId], world: World, left: Moment, side: Side) -> Ends {
        let mut out = Ends::default();
        let mut states: States = vec![(Moment::START, 0)];
        for (i, part) in parts.iter().enumerate() {
            let last = i + 1 == parts.len();
            let mut after = States::new();
            for (at, before) in states {
                for (end, tries) in &self.runs(*part, world, left.less(at), side).0 {
                    let tries = before.saturating_add(*tries);
                    match last || !end.goes_on() {
                        true => out.put(end.later(at), tries),
                        false => state(&mut after, at.plus(end.at), tries),
                    }
                }
            }
            states = thin(after, side);
        }
        out
    }

    fn run_together(
        &mut self,
        node: NodeId,
        parts: &[NodeId],
        world: World,
        left: Moment,
        side: Side,
        rule: &dyn Fn(&[End]) -> Vec<End>,
    ) -> Ends {
        let sides: Vec<Rc<Ends>> = parts.iter().map(|part| self.runs(*part, world, left, side)).collect();
        let ways = sides.iter().fold(1usize, |n, s| n.saturating_mul(s.0.len().max(1)));
        if ways > MOST_WAYS {
            return lifted(&self.table(node, world), left, side);
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

    fn run_recover(
        &mut self,
        body: NodeId,
        on: &[Endings],
        arms: &[NodeId],
        world: World,
        left: Moment,
        side: Side,
    ) -> Ends {
        let mut out = Ends::default();
        for (end, tries) in &self.runs(body, world, left, side).0 {
            let arm = end.cell().and_then(|cell| table::arm_for(&cell, on));
            let Some((arm, ending)) = arm.zip(end.ending) else {
                out.put(*end, *tries);
                continue;
            };
            self.caught.push(ending);
            let follow = self.runs(arms[arm], world, left.less(end.at), side);
            self.caught.pop();
            follow.0.iter().for_each(|(e, more)| out.put(e.later(end.at), tries.saturating_add(*more)));
        }
        out
    }

    fn run_within(&mut self, side: Side, limit: (u64, u64), body: NodeId, world: World, left: Moment) -> Ends {
        let timeout = Ending::Error(FailureClass::Timeout);
        let known = (limit.1 != ENDLESS).then_some(Moment::at(if side == Side::High { limit.1 } else { limit.0 }));
        let inner = self.runs(body, world, known.map_or(left, |limit| limit.earlier(left)), side);
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
    fn run_outlives(&mut self, body: NodeId, world: World, left: Moment, side: Side) -> Ends {
        let mut out = Ends::default();
        for (end, tries) in &self.runs(body, world, Moment::ENDLESS, side).0 {
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

    fn run_failover(
        &mut self,
        turns: &Turns,
        layer: LayerIx,
        bodies: &[NodeId],
        world: World,
        left: Moment,
        side: Side,
    ) -> Ends {
        let n = bodies.len() as u64;
        let turns = Turns { n: Tries { low: turns.n.low.min(n), high: turns.n.high.min(n) }, ..*turns };
        if bodies.len() > MOST_ORDERED && side == Side::High {
            // Any server at each turn: no order is worse.
            return self.run_turns(&turns, layer, bodies, world, left, side);
        }
        let mut out = Ends::default();
        for order in orders(bodies) {
            let ends = self.run_order(&turns, layer, &order, world, left, side);
            ends.0.iter().for_each(|(end, tries)| out.put(*end, *tries));
            if bodies.len() > MOST_ORDERED {
                break;
            }
        }
        out
    }

    fn run_order(
        &mut self,
        turns: &Turns,
        layer: LayerIx,
        order: &[NodeId],
        world: World,
        left: Moment,
        side: Side,
    ) -> Ends {
        let mut turning = self.turning(turns, layer, world, left, side);
        for body in order {
            self.turn(&mut turning, std::slice::from_ref(body), world);
        }
        turning.over()
    }

    /// One of the bodies each turn.
    fn run_turns(
        &mut self,
        turns: &Turns,
        layer: LayerIx,
        bodies: &[NodeId],
        world: World,
        left: Moment,
        side: Side,
    ) -> Ends {
        let mut turning = self.turning(turns, layer, world, left, side);
        while !turning.states.is_empty() {
            let before = std::mem::take(&mut turning.states);
            turning.states.clone_from(&before);
            self.turn(&mut turning, bodies, world);
            if self.clock_is_out() {
                break;
            }
            if turning.is_steady(&before) {
                if turning.n == ENDLESS {
                    return turning.for_ever(&before);
                }
                turning.skip(&before);
            }
            if turning.turn > MOST_TURNS {
                return turning.given_up();
            }
        }
        turning.over()
    }

    fn turn(&mut self, turning: &mut Turning<'_>, bodies: &[NodeId], world: World) {
        let mut after = States::new();
        for (at, before) in std::mem::take(&mut turning.states) {
            for body in bodies {
                let ends = self.runs(*body, world, turning.left.less(at), turning.side);
                ends.0.iter().for_each(|(end, tries)| turning.end(*end, at, before.saturating_add(*tries), &mut after));
            }
        }
        turning.states = thin(after, turning.side);
        turning.turn += 1;
    }

    fn turning(&self, turns: &Turns, layer: LayerIx, world: World, left: Moment, side: Side) -> Turning<'a> {
        let layer_ = &self.arena.layers[layer.0 as usize];
        let off = turns.multiplies && world.only.is_some_and(|only| only != layer);
        Turning {
            turns: *turns,
            n: if off || !turns.multiplies { 1 } else { side.turns(turns.n) },
            off,
            elapsed: layer_.limit.elapsed_ms.filter(|_| turns.multiplies),
            wait: &layer_.repeat.wait,
            left,
            side,
            turn: 1,
            states: vec![(Moment::START, 0)],
            fell: None,
            out: Ends::default(),
        }
    }
}

/// A repetition under way.
struct Turning<'r> {
    turns: Turns,
    n: u64,
    off: bool,
    elapsed: Option<u64>,
    wait: &'r Wait,
    left: Moment,
    side: Side,
    /// The next.
    turn: u64,
    /// When it can begin.
    states: States,
    /// The turns ran out in the middle of a loop that has no exit of its own for that.
    fell: Option<(Moment, u64)>,
    out: Ends,
}

impl Turning<'_> {
    /// How a turn that began at that moment ended.
    fn end(&mut self, end: End, began: Moment, tries: u64, after: &mut States) {
        let now = began.plus(end.at);
        let Some(cell) = end.cell() else { return self.out.put(End::cut(self.left), tries) };
        let back = cell.flow == Flow::Again(self.turns.id);
        let ending = if back && !self.turns.multiplies { Ending::Ok } else { cell.ending };
        let landed = End::new(self.turns.landing(&cell), ending, now);
        if !self.turns.multiplies || !self.turns.repeats(&cell) {
            return self.out.put(landed, tries);
        }
        let again = now.plus(self.side.pause(delay::after(self.wait, self.turn)));
        let elapsed = self.elapsed.map_or(Moment::ENDLESS, Moment::at);
        let last = self.turn >= self.n;
        if last || again.reaches(elapsed) {
            self.stops(landed, tries);
        }
        let Some(again) = again.before(elapsed).filter(|_| !last) else { return };
        if again.reaches(self.left) {
            self.out.put(End::cut(self.left), tries);
        }
        if let Some(again) = again.before(self.left) {
            state(after, again, tries);
        }
    }

    /// No further turn begins.
    fn stops(&mut self, landed: End, tries: u64) {
        if !self.turns.jumps || (self.off && self.turns.n.high == Tries::INFINITE) {
            self.out.put(landed, tries);
        } else if self.turns.exhausts {
            self.out.put(End::new(Flow::Normal, Ending::Ok, landed.at), tries);
        } else {
            let first = |(at, most): (Moment, u64)| (at.earlier(landed.at), most.max(tries));
            self.fell = Some(self.fell.map_or((landed.at, tries), first));
        }
    }

    /// Nothing but the count changes from turn to turn.
    fn is_steady(&self, before: &States) -> bool {
        let moments = |states: &States| states.iter().map(|(at, _)| *at).collect::<Vec<_>>();
        let pause = |turn| delay::after(self.wait, turn);
        let free = self.left == Moment::ENDLESS && self.elapsed.is_none() && self.n > MOST_TURNS;
        let stands = pause(self.turn) == pause(self.turn + 1) && moments(&self.states) == moments(before);
        !self.states.is_empty() && (free || stands)
    }

    /// Nothing ends it: a turn that sends something sends it without end.
    fn for_ever(mut self, before: &States) -> Ends {
        let most = |states: &States| states.iter().map(|(_, tries)| *tries).max().unwrap_or(0);
        let gain = most(&self.states) > most(before);
        let never = match self.left {
            Moment::ENDLESS => End::new(Flow::Normal, Ending::Never, Moment::START),
            left => End::cut(left),
        };
        self.out.put(never, most(&self.states));
        if gain {
            self.out.0.iter_mut().for_each(|(_, tries)| *tries = ENDLESS);
        }
        self.out
    }

    /// On to the last turn.
    fn skip(&mut self, before: &States) {
        let done = self.turn - 1;
        let ([(at, tries)], [(began, had)]) = (&mut self.states[..], &before[..]) else { return };
        if self.n <= done + 1 {
            return;
        }
        let more = self.n - 1 - done;
        *tries = tries.saturating_add(tries.saturating_sub(*had).saturating_mul(more));
        let step = Moment { first: at.first - began.first, last: at.last - began.last };
        *at = at.plus(step.times(more));
        self.turn = self.n;
    }

    /// Too many turns to follow: no upper end is known.
    fn given_up(mut self) -> Ends {
        let most = self.states.iter().map(|(_, tries)| *tries).max().unwrap_or(0);
        self.out.put(End::cut(self.left), if self.side == Side::High { ENDLESS } else { most });
        self.out
    }

    fn over(mut self) -> Ends {
        if let Some((at, tries)) = self.fell.filter(|_| self.out.0.is_empty()) {
            self.out.put(End::new(Flow::Normal, Ending::Ok, at), tries);
        }
        if self.out.0.is_empty() {
            self.out.put(End::new(Flow::Normal, Ending::Ok, Moment::START), 0);
        }
        self.out
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

/// Of very many moments the first and the last.
fn thin(states: States, side: Side) -> States {
    if states.len() <= MOST_MOMENTS {
        return states;
    }
    let most = states.iter().map(|(_, tries)| *tries).max().unwrap_or(0);
    let kept = |(at, tries): (Moment, u64)| (at, if side == Side::High { most } else { tries });
    vec![kept(states[0]), kept(states[states.len() - 1])]
}

fn orders(bodies: &[NodeId]) -> Vec<Vec<NodeId>> {
    if bodies.len() > MOST_ORDERED {
        return vec![bodies.to_vec()];
    }
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in bodies {
        let next = |order: &Vec<usize>| {
            let order = order.clone();
            (0..bodies.len()).filter(|i| !order.contains(i)).map(|i| [&order[..], &[i]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(next).collect();
    }
    all.into_iter().map(|order| order.into_iter().map(|i| bodies[i]).collect()).collect()
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
