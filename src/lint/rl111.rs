//! RL111: the last failed attempt waits too, and nothing follows.

use super::{Context, Finding, Level, Lint, layers, words};
use crate::analysis::Layer;
use crate::effect::RepeatKind;

pub static LINT: Lint = Lint {
    code: "RL111",
    name: "sleeps-after-last-attempt",
    summary: "the last failed attempt still waits before giving up",
    level: Level::Off,
    page: include_str!("../../rules/lints/RL111-sleeps-after-last-attempt.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    let retries = layers::judged(ctx).filter(|l| l.repeat == RepeatKind::Retry);
    layers::one_per_place(retries.filter_map(|l| finding(ctx, l)).collect())
}

fn finding(ctx: &Context<'_>, layer: &Layer) -> Option<Finding> {
    let at = layer.seen.waits_in_vain?;
    let message = format!(
        "`{}` waits once more after its last attempt has failed: {}",
        layer.function,
        words::attempts_of(ctx, layer)
    );
    let help = "wait only where another attempt follows: test the count before the wait".to_owned();
    Some(layers::finding(&LINT, layer, at, message, help))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::Seen;
    use crate::lint::testing::{at, check_layers, layer};

    #[test]
    fn fires_at_the_place_that_was_seen_and_for_retries_alone() {
        let seen = Seen { waits_in_vain: Some(at(9)), ..layer(3).seen };
        let polling = Layer { repeat: RepeatKind::Reconnecting, seen: seen.clone(), ..layer(3) };
        let found = check_layers(&LINT, vec![Layer { seen, ..layer(3) }, layer(7), polling]);
        assert_eq!((found.len(), found[0].at), (1, at(9)));
    }
}
