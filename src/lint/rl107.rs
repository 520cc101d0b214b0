//! RL107: what cannot pass by itself is in the set that is tried again.

use super::{Context, Finding, Level, Lint, layers, rl106, words};
use crate::analysis::Layer;
use crate::class::{Endings, FailureClass};
use crate::effect::RepeatKind;

pub static LINT: Lint = Lint {
    code: "RL107",
    name: "retries-permanent-error",
    summary: "a permanent failure is in the retried set",
    level: Level::Warn,
    page: include_str!("../../rules/lints/RL107-retries-permanent-error.md"),
    check,
};

/// So few attempts are one more chance for what has changed meanwhile: a renewed token, a write that is now visible.
const ONE_MORE: u64 = 2;

/// What no later attempt can mend.
const PERMANENT: [FailureClass; 2] = [FailureClass::Permanent, FailureClass::Application];

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    let again = |l: &&Layer| !layers::is_code(l) || layers::most(&l.attempts).is_none_or(|n| n > ONE_MORE);
    // Code that repeats nothing but what is not there waits for it to come.
    let waits = |l: &Layer| layers::is_code(l) && Endings::of_classes(PERMANENT).holds(l.again);
    let chosen = layers::judged(ctx)
        .filter(|l| l.repeat == RepeatKind::Retry && !rl106::is_blind(l))
        .filter(|l| again(l) && !waits(l));
    layers::one_per_place(chosen.filter_map(|l| finding(ctx, l)).collect())
}

fn finding(ctx: &Context<'_>, layer: &Layer) -> Option<Finding> {
    let at = layer.seen.permanent_at?;
    let message = format!(
        "`{}` lets in failures that no later attempt can mend: {}",
        layer.function,
        words::attempts_of(ctx, layer)
    );
    let help = "retry only what can pass by itself (a failed connect, a timeout, 429, 502, 503, 504); name the kinds, and \
                return every other failure at once";
    Some(layers::finding(&LINT, layer, at, message, help.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::Seen;
    use crate::lint::testing::{at, check_layers, layer};

    fn lets_in() -> Layer {
        Layer { seen: Seen { permanent_at: Some(at(9)), ..layer(3).seen }, ..layer(3) }
    }

    #[test]
    fn fires_where_a_permanent_class_is_let_in() {
        let found = check_layers(&LINT, vec![lets_in(), layer(7)]);
        assert_eq!((found.len(), found[0].at), (1, at(9)));
        assert_eq!(found[0].related[0].at, at(3));
    }

    #[test]
    fn a_layer_that_looks_at_nothing_is_told_so_elsewhere() {
        let blind = Seen { looks_at_error: false, ..lets_in().seen };
        let renewed = Layer { attempts: crate::value::Bound::Exactly(2), ..lets_in() };
        let failover = Layer { repeat: RepeatKind::Failover, ..lets_in() };
        assert!(check_layers(&LINT, vec![Layer { seen: blind, ..lets_in() }, failover, renewed]).is_empty());
    }
}
