//! RL115: a delay that no caller lives long enough to see the end of.

use super::growth::largest_ms;
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
    let steep = layer.wait.factor.filter(|f| *f >= STEEP && layer.wait.shape == Shape::Exponential);
    steep.filter(|_| second && !layers::waits_nothing(layer)).map(Why::Steep)
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
            format!("a single wait of `{}` gets as long as {} ({delay}): {count}", layer.function, words::ms(ms))
        }
        Why::Steep(_) => format!("each wait of `{}` is many times the last ({delay}): {count}", layer.function),
    };
    let help = match why {
        Why::Long(_) => "cap the delay, for instance at 30 s, or allow fewer attempts",
        Why::Steep(_) => {
            "use a factor of about 2; check whether the number that is given is the base, the factor or the first delay"
        }
    };
    layers::finding(&LINT, layer, layers::wait_place(layer), message, help.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::{Jitter, Wait};
    use crate::lint::testing::{check_layers, layer, wait};

    fn with(base: u64, factor: f64, cap: Option<u64>, attempts: Bound<u64>) -> Layer {
        let wait =
            Wait { base_ms: Some(base), factor: Some(factor), cap_ms: cap, ..wait(Shape::Exponential, Jitter::Full) };
        Layer { wait, attempts, ..layer(3) }
    }

    #[test]
    fn fires_on_the_base_that_is_also_the_factor() {
        let found = check_layers(&LINT, vec![with(50, 50.0, None, Bound::Exactly(6))]);
        assert!(found[0].message.contains("3.6 days"), "{}", found[0].message);
        let capped = check_layers(&LINT, vec![with(1000, 1000.0, Some(60_000), Bound::Exactly(7))]);
        assert_eq!(capped.len(), 1, "the second delay already meets the cap");
    }

    #[test]
    fn a_cap_with_a_small_factor_silences_it() {
        assert!(check_layers(&LINT, vec![with(100, 2.0, Some(30_000), Bound::Unbounded)]).is_empty());
        assert!(check_layers(&LINT, vec![with(100, 50.0, None, Bound::Exactly(2))]).is_empty(), "there is one delay");
        assert!(check_layers(&LINT, vec![with(100, 2.0, None, Bound::Unknown(None))]).is_empty());
        assert_eq!(check_layers(&LINT, vec![with(100, 2.0, None, Bound::Unbounded)]).len(), 1);
    }
}
