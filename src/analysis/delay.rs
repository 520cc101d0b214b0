//! How long a pause can be: an interval in ms for each turn, whose upper end is [`Delay::UNKNOWN`] where nobody knows it.

use crate::effect::{Jitter, Shape, Wait};

/// From `least` to `most` ms.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Delay {
    pub least: u64,
    pub most: u64,
}

/// Turns after which a growing delay is taken to grow no more; by then it has passed any cap that is written.
const GROWS: u64 = 2_000;

impl Delay {
    pub const NONE: Delay = Delay { least: 0, most: 0 };
    pub const UNKNOWN: u64 = u64::MAX;

    pub fn plus(self, other: Delay) -> Delay {
        let sum = |a: u64, b: u64| a.saturating_add(b);
        Delay { least: sum(self.least, other.least), most: sum(self.most, other.most) }
    }

    pub fn times(self, n: u64) -> Delay {
        Delay { least: self.least.saturating_mul(n), most: self.most.saturating_mul(n) }
    }

    /// It is of one length.
    pub fn is_fixed(self) -> bool {
        self.least == self.most
    }
}

/// The pause after the turn with that number, the first being 1.
pub fn after(wait: &Wait, turn: u64) -> Delay {
    if wait.shape == Shape::None {
        return Delay::NONE;
    }
    let capped = |ms: u64| wait.cap_ms.map_or(ms, |cap| ms.min(cap));
    let most = wait.cap_ms.unwrap_or(Delay::UNKNOWN);
    let Some(full) = length(wait, turn).map(capped) else {
        return Delay { least: 0, most };
    };
    match wait.jitter {
        Jitter::None => Delay { least: full, most: full },
        Jitter::Full => Delay { least: 0, most: full },
        Jitter::Equal => Delay { least: full / 2, most: full },
        Jitter::Decorrelated => Delay { least: wait.base_ms.map_or(0, capped), most },
        Jitter::Some | Jitter::Unknown => Delay { least: 0, most: Delay::UNKNOWN },
    }
}

/// Whether the pause after some turn may be of one length or another.
pub fn may_differ(wait: &Wait) -> bool {
    [1, 2, 3].into_iter().any(|turn| !after(wait, turn).is_fixed())
}

/// A pause that stands in no repetition of its own: of one that grows, the turn is not known.
pub fn alone(wait: &Wait) -> Delay {
    match wait.shape {
        Shape::None | Shape::Fixed => after(wait, 1),
        _ => Delay { least: after(wait, 1).least, most: wait.cap_ms.unwrap_or(Delay::UNKNOWN) },
    }
}

/// The pauses after turns 1 to `turns`, together.
pub fn sum(wait: &Wait, turns: u64) -> Delay {
    let growing = turns.min(GROWS);
    let mut all = Delay::NONE;
    for turn in 1..=growing {
        let next = after(wait, turn);
        if next == after(wait, turn + 1) {
            return all.plus(next.times(turns - turn + 1));
        }
        all = all.plus(next);
    }
    all.plus(after(wait, GROWS).times(turns - growing))
}

/// Without jitter and cap.
fn length(wait: &Wait, turn: u64) -> Option<u64> {
    let base = wait.base_ms?;
    match wait.shape {
        Shape::Fixed => Some(base),
        Shape::Linear => Some(base.saturating_mul(turn)),
        Shape::Exponential => {
            let power = wait.factor?.powi(i32::try_from(turn - 1).unwrap_or(i32::MAX));
            // A float beyond u64 becomes its largest value.
            Some((base as f64 * power) as u64)
        }
        Shape::None | Shape::Custom | Shape::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wait(shape: Shape, jitter: Jitter) -> Wait {
        Wait { shape, base_ms: Some(100), factor: Some(2.0), cap_ms: Some(500), jitter, ..Wait::none() }
    }

    #[test]
    fn each_turn_has_its_interval() {
        let of = |shape, jitter| [1, 2, 3, 4].map(|turn| after(&wait(shape, jitter), turn)).map(|d| (d.least, d.most));
        assert_eq!(of(Shape::Fixed, Jitter::None), [(100, 100); 4]);
        assert_eq!(of(Shape::Linear, Jitter::None), [(100, 100), (200, 200), (300, 300), (400, 400)]);
        assert_eq!(of(Shape::Exponential, Jitter::Full), [(0, 100), (0, 200), (0, 400), (0, 500)]);
        assert_eq!(of(Shape::Exponential, Jitter::Equal), [(50, 100), (100, 200), (200, 400), (250, 500)]);
        assert_eq!(of(Shape::Custom, Jitter::None), [(0, 500); 4]);
    }

    #[test]
    fn a_sum_is_the_sum_of_its_turns() {
        for shape in [Shape::Fixed, Shape::Linear, Shape::Exponential] {
            let wait = wait(shape, Jitter::Full);
            let one_by_one = (1..=40).fold(Delay::NONE, |all, turn| all.plus(after(&wait, turn)));
            assert_eq!(sum(&wait, 40), one_by_one);
        }
        assert_eq!(sum(&Wait { cap_ms: None, ..wait(Shape::Exponential, Jitter::None) }, 90).most, u64::MAX);
        assert_eq!(sum(&Wait::none(), 1 << 40), Delay::NONE);
    }
}
