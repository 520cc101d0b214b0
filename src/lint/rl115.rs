//! RL115: a delay that no caller lives long enough to see the end of. Also the arithmetic of delays for RL105.

use super::{Context, Finding, Level, Lint, layers, words};
use crate::analysis::Layer;
use crate::effect::Shape;
use crate::value::Bound;

pub static LINT: Lint = Lint {
    code: "RL115",
    name: "explosive-backoff",
    summary: "a single delay passes 10 minutes, or the delay grows tenfold at each step",
    level: Level::Error,
    page: include_str!("../../rules/lints/RL115-explosive-backoff.md"),
    check,
};

const LONG_MS: f64 = 600_000.0;
const STEEP: f64 = 10.0;
/// After so many steps a delay that grows has passed every limit, or has met its cap.
const STEPS: u64 = 4096;

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    let explosive = layers::judged(ctx).filter_map(|l| why(l).map(|why| (l, why)));
    let findings = explosive.map(|(l, why)| finding(ctx, l, why)).collect();
    layers::one_per_place(findings)
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Why {
    /// The largest delay.
    Long(f64),
    /// The factor, where a second delay exists.
    Steep(f64),
}

pub fn why(layer: &Layer) -> Option<Why> {
    if !matches!(layer.wait.shape, Shape::Linear | Shape::Exponential) {
        return None;
    }
    if let Some(long) = largest_ms(layer).filter(|d| *d > LONG_MS) {
        return Some(Why::Long(long));
    }
    let second = !matches!(layer.attempts, Bound::Exactly(0..=2) | Bound::AtMost(0..=2));
    let steep = layer
        .wait
        .factor
        .filter(|f| *f >= STEEP && layer.wait.shape == Shape::Exponential);
    steep
        .filter(|_| second && !layers::waits_nothing(layer))
        .map(Why::Steep)
}

/// The largest delay within the layer's own attempts; `None` where the base, the factor or the attempts are unknown.
pub fn largest_ms(layer: &Layer) -> Option<f64> {
    let wait = &layer.wait;
    let base = wait.base_ms? as f64;
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
    if endless && delay > base {
        f64::INFINITY
    } else {
        delay
    }
}

fn finding(ctx: &Context<'_>, layer: &Layer, why: Why) -> Finding {
    let delay = words::delay(&layer.wait);
    let count = words::attempts_of(ctx, layer);
    let message = match why {
        Why::Long(ms) if ms.is_infinite() => {
            format!(
                "a single wait of `{}` passes 10 min, and each is longer than the last ({delay}): {count}",
                layer.function
            )
        }
        Why::Long(ms) => {
            format!(
                "a single wait of `{}` gets as long as {} ({delay}): {count}",
                layer.function,
                words::ms(ms)
            )
        }
        Why::Steep(_) => format!(
            "each wait of `{}` is many times the last ({delay}): {count}",
            layer.function
        ),
    };
    let help = match why {
        Why::Long(_) => "cap the delay, for instance at 30 s, or allow fewer attempts",
        Why::Steep(_) => {
            "use a factor of about 2; check whether the number that is given is the base, the factor or the first delay"
        }
    };
    layers::finding(
        &LINT,
        layer,
        layers::wait_place(layer),
        message,
        help.to_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::{Jitter, Wait};
    use crate::lint::testing::{check_layers, layer, wait};

    fn with(base: u64, factor: f64, cap: Option<u64>, attempts: Bound<u64>) -> Layer {
        let wait = Wait {
            base_ms: Some(base),
            factor: Some(factor),
            cap_ms: cap,
            ..wait(Shape::Exponential, Jitter::Full)
        };
        Layer {
            wait,
            attempts,
            ..layer(3)
        }
    }

    #[test]
    fn the_largest_delay_is_the_one_before_the_last_attempt() {
        assert_eq!(
            largest_ms(&with(50, 50.0, None, Bound::Exactly(6))),
            Some(312_500_000.0)
        );
        assert_eq!(
            largest_ms(&with(100, 2.0, None, Bound::Exactly(2))),
            Some(100.0)
        );
        assert_eq!(
            largest_ms(&with(100, 2.0, Some(150), Bound::Exactly(9))),
            Some(150.0)
        );
        assert_eq!(
            largest_ms(&with(100, 2.0, None, Bound::Unknown(None))),
            None
        );
        assert_eq!(
            largest_ms(&with(100, 2.0, None, Bound::Unbounded)),
            Some(f64::INFINITY)
        );
        assert_eq!(
            largest_ms(&with(100, 1.0, None, Bound::Unbounded)),
            Some(100.0)
        );
    }

    #[test]
    fn a_limit_of_time_ends_the_growth() {
        let limited = Layer {
            elapsed_ms: Some(1000),
            ..with(100, 2.0, None, Bound::Unknown(None))
        };
        // 100 + 200 + 400 = 700 is below the limit, so one more wait begins.
        assert_eq!(largest_ms(&limited), Some(800.0));
        assert!(check_layers(&LINT, vec![limited]).is_empty());
    }

    #[test]
    fn fires_on_the_base_that_is_also_the_factor() {
        let found = check_layers(&LINT, vec![with(50, 50.0, None, Bound::Exactly(6))]);
        assert!(
            found[0].message.contains("3.6 days"),
            "{}",
            found[0].message
        );
        let capped = check_layers(
            &LINT,
            vec![with(1000, 1000.0, Some(60_000), Bound::Exactly(7))],
        );
        assert_eq!(capped.len(), 1, "the second delay already meets the cap");
    }

    #[test]
    fn a_cap_with_a_small_factor_silences_it() {
        assert!(
            check_layers(&LINT, vec![with(100, 2.0, Some(30_000), Bound::Unbounded)]).is_empty()
        );
        assert!(
            check_layers(&LINT, vec![with(100, 50.0, None, Bound::Exactly(2))]).is_empty(),
            "there is one delay"
        );
        assert!(check_layers(&LINT, vec![with(100, 2.0, None, Bound::Unknown(None))]).is_empty());
        assert_eq!(
            check_layers(&LINT, vec![with(100, 2.0, None, Bound::Unbounded)]).len(),
            1
        );
    }
}
