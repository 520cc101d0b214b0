//! Moments that are known up to what pauses leave open, and the ends that something can come to at them.

use super::delay::Delay;
use super::table::{Cell, Flow, Table};
use crate::class::Ending;
use crate::value::Tries;

/// A moment in ms between two ends, both included.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Moment {
    pub first: u64,
    pub last: u64,
}

impl Moment {
    pub const START: Moment = Moment::at(0);
    /// Nothing limits it.
    pub const ENDLESS: Moment = Moment::at(ENDLESS);

    pub const fn at(ms: u64) -> Moment {
        Moment { first: ms, last: ms }
    }

    pub fn plus(self, other: Moment) -> Moment {
        Moment { first: self.first.saturating_add(other.first), last: self.last.saturating_add(other.last) }
    }

    pub fn times(self, n: u64) -> Moment {
        Moment { first: self.first.saturating_mul(n), last: self.last.saturating_mul(n) }
    }

    /// What is left until this moment once so much has passed.
    pub fn less(self, passed: Moment) -> Moment {
        match self {
            Moment::ENDLESS => self,
            _ => Moment { first: self.first.saturating_sub(passed.last), last: self.last.saturating_sub(passed.first) },
        }
    }

    pub fn earlier(self, other: Moment) -> Moment {
        Moment { first: self.first.min(other.first), last: self.last.min(other.last) }
    }

    pub fn later(self, other: Moment) -> Moment {
        Moment { first: self.first.max(other.first), last: self.last.max(other.last) }
    }

    /// The part that lies before a limit, if a part does.
    pub fn before(self, limit: Moment) -> Option<Moment> {
        match limit {
            Moment::ENDLESS => Some(self),
            _ => (self.first < limit.last).then(|| Moment { first: self.first, last: self.last.min(limit.last - 1) }),
        }
    }

    /// Whether it may lie at a limit or behind it.
    pub fn reaches(self, limit: Moment) -> bool {
        limit != Moment::ENDLESS && self.last >= limit.first
    }
}

/// Nothing limits it.
pub const ENDLESS: u64 = u64::MAX;
/// Moments that are kept apart for one ending.
const MOST_MOMENTS: usize = 24;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Side {
    Low,
    High,
}

impl Side {
    pub fn turns(self, n: Tries) -> u64 {
        match self {
            Side::Low => n.low,
            Side::High => n.high,
        }
    }

    /// Of any length, or as long as can be.
    pub fn pause(self, pause: Delay) -> Moment {
        match self {
            Side::Low => Moment::at(pause.most),
            Side::High => Moment { first: pause.least, last: pause.most },
        }
    }

    pub fn of(self, tries: Tries) -> u64 {
        self.turns(tries)
    }
}

/// How something ends, and when. No ending: the nearest limit above came first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct End {
    pub flow: Flow,
    pub ending: Option<Ending>,
    pub at: Moment,
}

impl End {
    pub fn new(flow: Flow, ending: Ending, at: Moment) -> End {
        End { flow, ending: Some(ending), at }
    }

    pub fn cut(left: Moment) -> End {
        End { flow: Flow::Normal, ending: None, at: left }
    }

    pub fn goes_on(self) -> bool {
        self.flow == Flow::Normal && self.ending.is_some_and(Ending::goes_on)
    }

    /// Control goes on from here.
    pub fn leaves_here(self) -> bool {
        self.flow == Flow::Normal && !self.waits()
    }

    pub fn waits(self) -> bool {
        matches!(self.ending, None | Some(Ending::Never))
    }

    /// As a cell of a plain table, for the rules that ask nothing about time.
    pub fn cell(self) -> Option<Cell<()>> {
        Some(Cell { flow: self.flow, ending: self.ending?, tries: () })
    }

    pub fn later(self, by: Moment) -> End {
        End { at: self.at.plus(by), ..self }
    }
}

/// The largest number of tries that start on the way to each end. Sorted.
#[derive(Clone, Debug, Default)]
pub struct Ends(pub Vec<(End, u64)>);

/// Moments with the largest number of tries until then.
pub type States = Vec<(Moment, u64)>;

impl Ends {
    pub fn one(end: End, tries: u64) -> Ends {
        Ends(vec![(end, tries)])
    }

    pub fn or(&mut self, other: &Ends) {
        other.0.iter().for_each(|(end, tries)| self.put(*end, *tries));
    }

    pub fn put(&mut self, end: End, tries: u64) {
        match self.0.binary_search_by_key(&end, |(known, _)| *known) {
            Ok(at) => self.0[at].1 = self.0[at].1.max(tries),
            Err(at) => self.0.insert(at, (end, tries)),
        }
    }

    /// What lies at or behind the limit above is cut there.
    pub fn clipped(self, left: Moment) -> Ends {
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
    pub fn thinned(self, side: Side) -> Ends {
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

pub fn state(states: &mut States, at: Moment, tries: u64) {
    match states.binary_search_by_key(&at, |(known, _)| *known) {
        Ok(i) => states[i].1 = states[i].1.max(tries),
        Err(i) => states.insert(i, (at, tries)),
    }
}

/// Of very many moments the first and the last.
pub fn thin(states: States, side: Side) -> States {
    if states.len() <= MOST_MOMENTS {
        return states;
    }
    let most = states.iter().map(|(_, tries)| *tries).max().unwrap_or(0);
    let kept = |(at, tries): (Moment, u64)| (at, if side == Side::High { most } else { tries });
    vec![kept(states[0]), kept(states[states.len() - 1])]
}
