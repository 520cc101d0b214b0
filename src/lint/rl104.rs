//! RL104: the delay grows, but in step for everybody.

use super::{Context, Finding, Level, Lint, layers, words};
use crate::analysis::Layer;
use crate::effect::{Jitter, Shape};

pub static LINT: Lint = Lint {
    code: "RL104",
    name: "unjittered-backoff",
    summary: "the delay grows, but is a pure function of the attempt",
    level: Level::Warn,
    page: include_str!("../../rules/lints/RL104-unjittered-backoff.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    let in_step = layers::judged(ctx).filter(|l| is_in_step(l));
    let findings = in_step.map(|l| finding(ctx, l)).collect();
    layers::one_per_place(findings)
}

fn is_in_step(layer: &Layer) -> bool {
    let grows = matches!(layer.wait.shape, Shape::Linear | Shape::Exponential | Shape::Custom);
    grows && layer.wait.jitter == Jitter::None && !layers::waits_nothing(layer)
}

fn finding(ctx: &Context<'_>, layer: &Layer) -> Finding {
    let message = format!(
        "`{}` waits by the number of the attempt alone ({}), with no random part: {}",
        layer.function,
        words::delay(&layer.wait),
        words::attempts_of(ctx, layer)
    );
    let help = "draw each wait at random between 0 and the computed delay (full jitter)".to_owned();
    layers::finding(&LINT, layer, layers::wait_place(layer), message, help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{at, check_layers, layer, wait};

    fn with(shape: Shape, jitter: Jitter) -> Layer {
        Layer { wait: wait(shape, jitter), ..layer(3) }
    }

    #[test]
    fn fires_on_every_growing_shape() {
        for shape in [Shape::Linear, Shape::Exponential, Shape::Custom] {
            let found = check_layers(&LINT, vec![with(shape, Jitter::None)]);
            assert_eq!((found.len(), found[0].at), (1, at(3)), "{shape:?}");
            assert!(found[0].message.contains(shape.name()), "{}", found[0].message);
        }
    }

    #[test]
    fn any_randomness_or_a_fixed_delay_silences_it() {
        let random = [Jitter::Full, Jitter::Equal, Jitter::Decorrelated, Jitter::Some, Jitter::Unknown];
        let mut silent: Vec<Layer> = random.map(|j| with(Shape::Exponential, j)).to_vec();
        silent.push(with(Shape::Fixed, Jitter::None));
        silent.push(with(Shape::Unknown, Jitter::None));
        assert!(check_layers(&LINT, silent).is_empty());
    }
}
