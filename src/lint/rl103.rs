//! RL103: all clients that failed together come back together, again and again.

use super::{Context, Finding, Level, Lint, layers, words};
use crate::analysis::Layer;
use crate::effect::{Jitter, Shape};

pub static LINT: Lint = Lint {
    code: "RL103",
    name: "fixed-backoff",
    summary: "every delay is the same and not randomised",
    level: Level::Warn,
    page: include_str!("../../rules/lints/RL103-fixed-backoff.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    let fixed = layers::judged(ctx).filter(|l| is_fixed(l));
    let findings = fixed.map(|l| finding(ctx, l)).collect();
    layers::one_per_place(findings)
}

/// A delay of nothing is RL102's; one that no setting changes is nobody's.
fn is_fixed(layer: &Layer) -> bool {
    let same = layer.wait.shape == Shape::Fixed && layer.wait.jitter == Jitter::None;
    same && !layer.seen.wait_is_fixed && !layers::waits_nothing(layer)
}

fn finding(ctx: &Context<'_>, layer: &Layer) -> Finding {
    let delay = layer.wait.base_ms.map(|b| format!(" ({})", words::ms(b as f64))).unwrap_or_default();
    let message = format!(
        "`{}` waits the same time{delay} before every further attempt, with no random part: {}",
        layer.function,
        words::attempts_of(ctx, layer)
    );
    let help = "let the delay double up to a cap and take a random part of it (jitter)".to_owned();
    layers::finding(&LINT, layer, layers::wait_place(layer), message, help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::Wait;
    use crate::lint::testing::{at, check_layers, layer, wait};

    fn with(shape: Shape, jitter: Jitter) -> Layer {
        Layer { wait: Wait { at: Some(at(5)), ..wait(shape, jitter) }, ..layer(3) }
    }

    #[test]
    fn fires_at_the_wait() {
        let found = check_layers(&LINT, vec![with(Shape::Fixed, Jitter::None)]);
        assert_eq!((found.len(), found[0].at, found[0].related[0].at), (1, at(5), at(3)));
        assert!(found[0].message.contains("100 ms"), "{}", found[0].message);
    }

    #[test]
    fn randomness_growth_or_not_knowing_silences_it() {
        let silent = [
            with(Shape::Fixed, Jitter::Some),
            with(Shape::Fixed, Jitter::Unknown),
            with(Shape::Exponential, Jitter::None),
            with(Shape::Unknown, Jitter::None),
            with(Shape::None, Jitter::None),
        ];
        assert!(check_layers(&LINT, silent.to_vec()).is_empty());
    }
}
