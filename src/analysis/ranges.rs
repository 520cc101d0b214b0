//! How long something can take, in whole ms: a few intervals, each of which is reached from end to end.

use super::delay::Delay;
use super::table::Amount;

/// Not known, or as long as one likes.
pub const OPEN: u64 = u64::MAX;
/// Intervals that are kept apart; of more, the nearest become one.
const MOST: usize = 8;

/// Sorted; no two touch.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Ranges(Vec<(u64, u64)>);

impl Ranges {
    pub fn one(least: u64, most: u64) -> Ranges {
        Ranges(vec![(least, most)])
    }

    pub fn pause(delay: Delay) -> Ranges {
        Ranges::one(delay.least, delay.most)
    }

    pub fn at_once() -> Ranges {
        Ranges::one(0, 0)
    }

    fn of(mut all: Vec<(u64, u64)>) -> Ranges {
        all.sort_unstable();
        let mut out: Vec<(u64, u64)> = Vec::with_capacity(all.len());
        for (least, most) in all {
            match out.last_mut() {
                Some(last) if least <= last.1.saturating_add(1) => last.1 = last.1.max(most),
                _ => out.push((least, most)),
            }
        }
        while out.len() > MOST {
            let gap = |i: &usize| out[*i + 1].0 - out[*i].1;
            let nearest = (0..out.len() - 1).min_by_key(gap).expect("there are several");
            out[nearest].1 = out[nearest + 1].1;
            out.remove(nearest + 1);
        }
        Ranges(out)
    }

    pub fn least(&self) -> u64 {
        self.0.first().map_or(0, |r| r.0)
    }

    pub fn most(&self) -> u64 {
        self.0.last().map_or(0, |r| r.1)
    }

    /// The largest, with everything that is open at its smallest.
    pub fn most_at_least(&self) -> u64 {
        self.0.last().map_or(0, |r| r.0)
    }

    /// From the first to the last without a gap.
    pub fn hull(&self) -> Ranges {
        Ranges::one(self.least(), self.most())
    }

    /// The part before a moment, and whether there is another part. Nothing lies behind [`OPEN`].
    pub fn split(&self, at: u64) -> (Option<Ranges>, bool) {
        if at == OPEN {
            return (Some(self.clone()), false);
        }
        let before = self.0.iter().filter(|r| r.0 < at).map(|r| (r.0, r.1.min(at - 1)));
        let before: Vec<(u64, u64)> = before.collect();
        ((!before.is_empty()).then_some(Ranges(before)), self.most() >= at)
    }

    /// The part from a moment on.
    pub fn from(&self, at: u64) -> Option<Ranges> {
        let after: Vec<(u64, u64)> = self.0.iter().filter(|r| r.1 >= at).map(|r| (r.0.max(at), r.1)).collect();
        (!after.is_empty()).then_some(Ranges(after))
    }

    /// The later of both.
    pub fn later(&self, other: &Ranges) -> Ranges {
        let pairs = self.0.iter().flat_map(|a| other.0.iter().map(move |b| (a.0.max(b.0), a.1.max(b.1))));
        Ranges::of(pairs.collect())
    }
}

impl Amount for Ranges {
    fn none() -> Ranges {
        Ranges::at_once()
    }

    fn and(&self, after: &Ranges) -> Ranges {
        let sum = |a: &(u64, u64), b: &(u64, u64)| (a.0.saturating_add(b.0), a.1.saturating_add(b.1));
        Ranges::of(self.0.iter().flat_map(|a| after.0.iter().map(move |b| sum(a, b))).collect())
    }

    fn or(&self, other: &Ranges) -> Ranges {
        Ranges::of(self.0.iter().chain(&other.0).copied().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(all: &[(u64, u64)]) -> Ranges {
        Ranges::of(all.to_vec())
    }

    #[test]
    fn sums_and_unions_are_exact() {
        assert_eq!(of(&[(0, 2), (10, 10)]).and(&of(&[(1, 1), (5, 6)])), of(&[(1, 3), (5, 8), (11, 11), (15, 16)]));
        assert_eq!(of(&[(0, 2)]).or(&of(&[(3, 4), (9, 9)])), of(&[(0, 4), (9, 9)]));
        assert_eq!(of(&[(0, 2), (10, 10)]).later(&of(&[(1, 4)])), of(&[(1, 4), (10, 10)]));
    }

    #[test]
    fn a_limit_splits() {
        let some = of(&[(0, 2), (8, 12)]);
        assert_eq!(some.split(10), (Some(of(&[(0, 2), (8, 9)])), true));
        assert_eq!(some.split(0), (None, true));
        assert_eq!(some.split(13), (Some(some.clone()), false));
        assert_eq!(some.from(10), Some(of(&[(10, 12)])));
    }

    #[test]
    fn of_many_the_nearest_become_one() {
        let many = of(&(0..20).map(|i| (i * i * 10, i * i * 10)).collect::<Vec<_>>());
        assert_eq!((many.0.len(), many.least(), many.most()), (MOST, 0, 3610));
    }
}
