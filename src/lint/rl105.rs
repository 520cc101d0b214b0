//! RL105: the delay grows without a maximum, or is computed in a way that overflows first.

use super::{Context, Finding, Level, Lint, growth, layers, rl115, words};
use crate::analysis::Layer;
use crate::effect::Shape;
use crate::source::Span;

pub static LINT: Lint = Lint {
    code: "RL105",
    name: "uncapped-backoff",
    summary: "the delay grows without a maximum, or its computation overflows",
    level: Level::Warn,
    page: include_str!("../../rules/lints/RL105-uncapped-backoff.md"),
    check,
};

/// A bound on attempts that keeps every delay below this is as good as a cap.
const SHORT_MS: f64 = 60_000.0;

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    let growing = layers::judged(ctx).filter(|l| rl115::why(l).is_none());
    let findings = growing.filter_map(|l| overflowing(ctx, l).or_else(|| uncapped(ctx, l))).collect();
    layers::one_per_place(findings)
}

fn uncapped(ctx: &Context<'_>, layer: &Layer) -> Option<Finding> {
    let wait = &layer.wait;
    let grows = matches!(wait.shape, Shape::Linear | Shape::Exponential) && !layers::waits_nothing(layer);
    if !grows || wait.capped || wait.cap_ms.is_some() || largest_is_short(layer) {
        return None;
    }
    let reached = match growth::largest_ms(layer) {
        Some(largest) if largest.is_finite() => format!(", up to {} here", words::ms(largest)),
        _ => String::new(),
    };
    let message = format!(
        "the delay of `{}` grows without a maximum ({}{reached}): {}",
        layer.function,
        words::delay(wait),
        words::attempts_of(ctx, layer)
    );
    Some(layers::finding(
        &LINT,
        layer,
        layers::wait_place(layer),
        message,
        "cap the delay, for instance at 30 s".to_owned(),
    ))
}

/// Where the delay's base or the number of attempts is not known, nothing keeps it short.
fn largest_is_short(layer: &Layer) -> bool {
    growth::largest_ms(layer).is_some_and(|largest| largest < SHORT_MS)
}

fn overflowing(ctx: &Context<'_>, layer: &Layer) -> Option<Finding> {
    let at: Span = layer.wait.overflows.filter(|_| overflow_is_reachable(layer))?;
    let message = format!(
        "the delay of `{}` overflows before its cap applies: it panics in debug builds and wraps to any delay in \
         release builds ({})",
        layer.function,
        words::attempts_of(ctx, layer)
    );
    let help = "use `saturating_pow`, `saturating_mul` or `checked_shl`, or limit the exponent: `n.min(6)`".to_owned();
    Some(layers::finding(&LINT, layer, at, message, help))
}

/// Whether an attempt within the bound computes a delay beyond 64 bits; unknown bounds reach everything.
fn overflow_is_reachable(layer: &Layer) -> bool {
    let Some(attempts) = layers::most(&layer.attempts) else {
        return true;
    };
    let base = layer.wait.base_ms.unwrap_or(1).max(1) as f64;
    let factor = layer.wait.factor.unwrap_or(2.0).max(1.0);
    // The exponent may start at 1 in the code, so the last wait is counted with one turn more.
    base * factor.powf(attempts as f64) > u64::MAX as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::{Jitter, Wait};
    use crate::lint::testing::{at, check_layers, layer, wait};
    use crate::value::Bound;

    fn uncapped(attempts: Bound<u64>) -> Layer {
        Layer { attempts, wait: Wait { cap_ms: None, ..wait(Shape::Exponential, Jitter::Full) }, ..layer(3) }
    }

    #[test]
    fn fires_above_a_minute_and_not_below() {
        // 100 ms × 2^9 = 51.2 s is the last wait of 11 attempts, 102.4 s of 12.
        assert!(check_layers(&LINT, vec![uncapped(Bound::Exactly(11))]).is_empty());
        let found = check_layers(&LINT, vec![uncapped(Bound::Exactly(12))]);
        assert_eq!(found.len(), 1);
        assert!(found[0].message.contains("102.4 s"), "{}", found[0].message);
    }

    #[test]
    fn an_unknown_number_of_attempts_keeps_nothing_short_and_a_cap_does() {
        assert_eq!(check_layers(&LINT, vec![uncapped(Bound::Unknown(None))]).len(), 1);
        let capped = Layer { attempts: Bound::Unknown(None), ..layer(3) };
        assert!(check_layers(&LINT, vec![capped]).is_empty());
    }

    #[test]
    fn leaves_explosive_delays_to_rl115() {
        assert!(check_layers(&LINT, vec![uncapped(Bound::Exactly(20))]).is_empty());
    }

    #[test]
    fn an_overflow_counts_where_an_attempt_reaches_it() {
        let overflows = |attempts| Layer {
            attempts,
            wait: Wait { overflows: Some(at(6)), ..wait(Shape::Exponential, Jitter::Full) },
            ..layer(3)
        };
        let found = check_layers(&LINT, vec![overflows(Bound::Unknown(None))]);
        assert_eq!((found.len(), found[0].at), (1, at(6)));
        assert!(check_layers(&LINT, vec![overflows(Bound::Exactly(8))]).is_empty());
        assert_eq!(check_layers(&LINT, vec![overflows(Bound::Exactly(70))]).len(), 1);
    }
}
