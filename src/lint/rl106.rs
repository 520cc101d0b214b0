//! RL106: no attempt looks at what failed, so what can never succeed is tried again as well.

use super::{Context, Finding, Level, Lint, layers, words};
use crate::analysis::Layer;
use crate::class::{Endings, FailureClass};
use crate::effect::RepeatKind;

pub static LINT: Lint = Lint {
    code: "RL106",
    name: "retries-every-error",
    summary: "no attempt looks at what failed",
    level: Level::Warn,
    page: include_str!("../../rules/lints/RL106-retries-every-error.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    let blind = layers::judged(ctx).filter(|l| is_blind(l));
    let findings = blind.map(|l| finding(ctx, l)).collect();
    layers::one_per_place(findings)
}

/// Failover and reconnecting loops have nothing better to do than to go on. A library's policy is a choice unless it lets
/// everything in.
pub fn is_blind(layer: &Layer) -> bool {
    let everything = Endings::of_classes([FailureClass::Permanent]);
    let chosen = layer.seen.looks_at_error || layer.seen.classified_below;
    layer.repeat == RepeatKind::Retry && !chosen && (layers::is_code(layer) || layer.again.meets(everything))
}

fn finding(ctx: &Context<'_>, layer: &Layer) -> Finding {
    let message = format!(
        "`{}` retries whatever failed; no attempt looks at the error: {}",
        layer.function,
        words::attempts_of(ctx, layer)
    );
    let help = "retry only what can pass by itself (a failed connect, a timeout, 429, 502, 503, 504) and return every \
                other error at once";
    layers::finding(&LINT, layer, layer.at, message, help.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::{Form, Seen};
    use crate::lint::testing::{at, check_layers, layer};

    fn blind() -> Layer {
        Layer { seen: Seen { looks_at_error: false, ..layer(3).seen }, ..layer(3) }
    }

    #[test]
    fn fires_where_nothing_looks_at_the_error() {
        let found = check_layers(&LINT, vec![blind(), layer(7)]);
        assert_eq!((found.len(), found[0].at), (1, at(3)));
    }

    #[test]
    fn a_classifier_below_failover_and_reconnecting_silence_it() {
        let below = Seen { classified_below: true, ..blind().seen };
        let silent = vec![
            Layer { seen: below, ..blind() },
            Layer { repeat: RepeatKind::Failover, ..blind() },
            Layer { repeat: RepeatKind::Reconnecting, ..blind() },
        ];
        assert!(check_layers(&LINT, silent).is_empty());
    }

    #[test]
    fn a_library_is_judged_by_what_it_retries() {
        let chosen = Layer { form: Form::Client, ..blind() };
        assert!(check_layers(&LINT, vec![chosen.clone()]).is_empty());
        assert_eq!(check_layers(&LINT, vec![Layer { again: Endings::FAILURES, ..chosen }]).len(), 1);
    }
}
