//! Repetitions under the clock: turn by turn, each with the moments at which it can begin.

use super::clock::Under;
use super::delay;
use super::endings::Evaluator;
use super::moment::{ENDLESS, End, Ends, Moment, Side, States, state, thin};
use super::node::{LayerIx, NodeId};
use super::table::{Flow, Turns};
use crate::class::Ending;
use crate::effect::Wait;
use crate::value::Tries;

/// Turns that are followed one by one; of more, no upper end is known.
const MOST_TURNS: u64 = 10_000;
/// Servers whose orders are all tried.
const MOST_ORDERED: usize = 4;

impl<'a> Evaluator<'a> {
    pub(super) fn run_failover(&mut self, turns: &Turns, layer: LayerIx, bodies: &[NodeId], under: Under) -> Ends {
        let n = bodies.len() as u64;
        let turns = Turns { n: Tries { low: turns.n.low.min(n), high: turns.n.high.min(n) }, ..*turns };
        if bodies.len() > MOST_ORDERED && under.side == Side::High {
            // Any server at each turn: no order is worse.
            return self.run_turns(&turns, layer, bodies, under);
        }
        let mut out = Ends::default();
        for order in orders(bodies) {
            let ends = self.run_order(&turns, layer, &order, under);
            ends.0.iter().for_each(|(end, tries)| out.put(*end, *tries));
            if bodies.len() > MOST_ORDERED {
                break;
            }
        }
        out
    }

    fn run_order(&mut self, turns: &Turns, layer: LayerIx, order: &[NodeId], under: Under) -> Ends {
        let mut turning = self.turning(turns, layer, under);
        for body in order {
            self.turn(&mut turning, std::slice::from_ref(body));
        }
        turning.over()
    }

    /// One of the bodies each turn.
    pub(super) fn run_turns(&mut self, turns: &Turns, layer: LayerIx, bodies: &[NodeId], under: Under) -> Ends {
        let mut turning = self.turning(turns, layer, under);
        while !turning.states.is_empty() {
            let before = std::mem::take(&mut turning.states);
            turning.states.clone_from(&before);
            self.turn(&mut turning, bodies);
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

    fn turn(&mut self, turning: &mut Turning<'_>, bodies: &[NodeId]) {
        let mut after = States::new();
        for (at, before) in std::mem::take(&mut turning.states) {
            for body in bodies {
                let ends = self.runs(*body, turning.under.later(at));
                ends.0.iter().for_each(|(end, tries)| turning.end(*end, at, before.saturating_add(*tries), &mut after));
            }
        }
        turning.states = thin(after, turning.under.side);
        turning.turn += 1;
    }

    fn turning(&self, turns: &Turns, layer: LayerIx, under: Under) -> Turning<'a> {
        let layer_ = &self.arena.layers[layer.0 as usize];
        let off = turns.multiplies && under.world.only.is_some_and(|only| only != layer);
        Turning {
            turns: *turns,
            n: if off || !turns.multiplies { 1 } else { under.side.turns(turns.n) },
            off,
            elapsed: layer_.limit.elapsed_ms.filter(|_| turns.multiplies),
            wait: &layer_.repeat.wait,
            under,
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
    under: Under,
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
        let Some(cell) = end.cell() else { return self.out.put(End::cut(self.under.left), tries) };
        let back = cell.flow == Flow::Again(self.turns.id);
        let ending = if back && !self.turns.multiplies { Ending::Ok } else { cell.ending };
        let landed = End::new(self.turns.landing(&cell), ending, now);
        if !self.turns.multiplies || !self.turns.repeats(&cell) {
            return self.out.put(landed, tries);
        }
        let again = now.plus(self.under.side.pause(delay::after(self.wait, self.turn)));
        let elapsed = self.elapsed.map_or(Moment::ENDLESS, Moment::at);
        let last = self.turn >= self.n;
        if last || again.reaches(elapsed) {
            self.stops(landed, tries);
        }
        let Some(again) = again.before(elapsed).filter(|_| !last) else { return };
        if again.reaches(self.under.left) {
            self.out.put(End::cut(self.under.left), tries);
        }
        if let Some(again) = again.before(self.under.left) {
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
        let free = self.under.left == Moment::ENDLESS && self.elapsed.is_none() && self.n > MOST_TURNS;
        let stands = pause(self.turn) == pause(self.turn + 1) && moments(&self.states) == moments(before);
        !self.states.is_empty() && (free || stands)
    }

    /// Nothing ends it: a turn that sends something sends it without end.
    fn for_ever(mut self, before: &States) -> Ends {
        let most = |states: &States| states.iter().map(|(_, tries)| *tries).max().unwrap_or(0);
        let gain = most(&self.states) > most(before);
        let never = match self.under.left {
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
        self.out.put(End::cut(self.under.left), if self.under.side == Side::High { ENDLESS } else { most });
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
