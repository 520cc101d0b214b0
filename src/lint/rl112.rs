//! RL112: the attempts run out, and what is returned looks like success.

use super::{Context, Finding, Level, Lint, layers, words};
use crate::analysis::Layer;
use crate::effect::RepeatKind;

pub static LINT: Lint = Lint {
    code: "RL112",
    name: "exhaustion-swallowed",
    summary: "when the attempts run out, the failure is dropped",
    level: Level::Warn,
    page: include_str!("../../rules/lints/RL112-exhaustion-swallowed.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    let retries = layers::judged(ctx).filter(|l| l.repeat == RepeatKind::Retry);
    layers::one_per_place(retries.filter_map(|l| finding(ctx, l)).collect())
}

fn finding(ctx: &Context<'_>, layer: &Layer) -> Option<Finding> {
    let at = layer.seen.dropped_at?;
    let message = format!(
        "`{}` gives up without a word: when its attempts run out, what it returns looks like success ({})",
        layer.function,
        words::attempts_of(ctx, layer)
    );
    let help = "return the last error, or say in a log or a dead letter that the attempts ran out".to_owned();
    Some(layers::finding(&LINT, layer, at, message, help))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::Seen;
    use crate::lint::testing::{at, check_layers, layer};

    #[test]
    fn fires_at_the_place_that_was_seen_and_for_retries_alone() {
        let seen = Seen { dropped_at: Some(at(9)), ..layer(3).seen };
        let polling = Layer { repeat: RepeatKind::Reconnecting, seen: seen.clone(), ..layer(3) };
        let found = check_layers(&LINT, vec![Layer { seen, ..layer(3) }, layer(7), polling]);
        assert_eq!((found.len(), found[0].at), (1, at(9)));
    }
}
