//! How long the waits of a layer get within its own attempts: the arithmetic of RL105 and RL115.

use crate::analysis::Layer;
use crate::effect::Shape;
use crate::value::Bound;

/// After so many steps a delay that grows has passed every limit, or has met its cap.
const STEPS: u64 = 4096;

/// The largest delay within the layer's own attempts; `None` where the base, the factor, the cap or the attempts are
/// unknown.
pub fn largest_ms(layer: &Layer) -> Option<f64> {
    let wait = &layer.wait;
    let base = wait.base_ms? as f64;
    if wait.capped && wait.cap_ms.is_none() {
        return None;
    }
    let cap = wait.cap_ms.map_or(f64::INFINITY, |c| c as f64);
    let waits = match &layer.attempts {
        Bound::Exactly(n) | Bound::AtMost(n) => n.saturating_sub(1),
        Bound::Unbounded => u64::MAX,
        Bound::AtLeast(..) | Bound::Unknown(_) if layer.elapsed_ms.is_some() => u64::MAX,
        Bound::AtLeast(..) | Bound::Unknown(_) => return None,
    };
    let limit = layer.elapsed_ms.map_or(f64::INFINITY, |e| e as f64);
    let step = match wait.shape {
        Shape::Fixed => return Some(base.min(cap)),
        Shape::Linear => Step::Add(base),
        Shape::Exponential => Step::Times(wait.factor?),
        Shape::None | Shape::Custom | Shape::Unknown => return None,
    };
    Some(walk(base, step, waits, limit).min(cap))
}

#[derive(Clone, Copy)]
enum Step {
    Add(f64),
    Times(f64),
}

/// The last delay of so many; none begins after the time limit.
fn walk(base: f64, step: Step, waits: u64, limit: f64) -> f64 {
    let (mut delay, mut spent) = (base, base);
    for _ in 1..waits.min(STEPS) {
        if spent >= limit {
            break;
        }
        delay = match step {
            Step::Add(by) => delay + by,
            Step::Times(by) => delay * by.max(1.0),
        };
        spent += delay;
    }
    // For ever is longer than any number of steps.
    let endless = waits > STEPS && limit.is_infinite();
    if endless && delay > base { f64::INFINITY } else { delay }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::{Jitter, Wait};
    use crate::lint::testing::{layer, wait};

    fn with(base: u64, factor: f64, cap: Option<u64>, attempts: Bound<u64>) -> Layer {
        let wait =
            Wait { base_ms: Some(base), factor: Some(factor), cap_ms: cap, ..wait(Shape::Exponential, Jitter::Full) };
        Layer { wait, attempts, ..layer(3) }
    }

    #[test]
    fn the_largest_delay_is_the_one_before_the_last_attempt() {
        assert_eq!(largest_ms(&with(50, 50.0, None, Bound::Exactly(6))), Some(312_500_000.0));
        assert_eq!(largest_ms(&with(100, 2.0, None, Bound::Exactly(2))), Some(100.0));
        assert_eq!(largest_ms(&with(100, 2.0, Some(150), Bound::Exactly(9))), Some(150.0));
        assert_eq!(largest_ms(&with(100, 2.0, None, Bound::Unknown(None))), None);
        assert_eq!(largest_ms(&with(100, 2.0, None, Bound::Unbounded)), Some(f64::INFINITY));
        assert_eq!(largest_ms(&with(100, 1.0, None, Bound::Unbounded)), Some(100.0));
    }

    #[test]
    fn a_limit_of_time_ends_the_growth() {
        let limited = Layer { elapsed_ms: Some(1000), ..with(100, 2.0, None, Bound::Unknown(None)) };
        // 100 + 200 + 400 = 700 is below the limit, so one more wait begins.
        assert_eq!(largest_ms(&limited), Some(800.0));
    }
}
