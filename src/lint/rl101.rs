//! RL101: nothing but success ends the retry.

use super::{Context, Finding, Level, Lint, layers, words};
use crate::analysis::Layer;
use crate::effect::RepeatKind;
use crate::value::Bound;

pub static LINT: Lint = Lint {
    code: "RL101",
    name: "unbounded-retry",
    summary: "nothing ends the retry but success",
    level: Level::Error,
    page: include_str!("../../rules/lints/RL101-unbounded-retry.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    layers::one_per_place(layers::judged(ctx).filter(|l| is_endless(l)).map(finding).collect())
}

/// A reconnecting loop and one that is the work of a background task are meant to be endless. Any limit of time counts,
/// whoever checks it.
fn is_endless(layer: &Layer) -> bool {
    layer.repeat == RepeatKind::Retry
        && layer.attempts == Bound::Unbounded
        && layer.elapsed_ms.is_none()
        && layer.total_ms.is_none()
        && !layer.stops_otherwise
        && !layer.detached
}

fn finding(layer: &Layer) -> Finding {
    let delay = match layers::waits_nothing(layer) {
        true => "without a delay".to_owned(),
        false => format!("delay: {}", words::delay(&layer.wait)),
    };
    let message = format!(
        "`{}` retries until it succeeds: no count of attempts, no limit on time and no deadline ends it ({delay})",
        layer.function
    );
    let help = match layer.seen.unbounded_at {
        Some(_) => "set the limit that is taken away here, for instance 3 to 5 attempts or 30 s in all",
        None => {
            "stop after a few attempts, for instance 3 to 5, and return the last error; or put a deadline around it"
        }
    };
    layers::finding(&LINT, layer, layer.seen.unbounded_at.unwrap_or(layer.at), message, help.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::Seen;
    use crate::lint::testing::{at, check_layers, layer};

    fn endless(line: u32) -> Layer {
        Layer { attempts: Bound::Unbounded, ..layer(line) }
    }

    #[test]
    fn fires_where_nothing_ends_it() {
        let found = check_layers(&LINT, vec![endless(3), layer(5)]);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].at, found[0].level), (at(3), Level::Error));
        assert!(found[0].message.contains("`shop::f3`"), "{}", found[0].message);
        assert!(found[0].message.contains("exponential from 100 ms"), "{}", found[0].message);
    }

    #[test]
    fn points_at_the_setting_that_takes_the_bound_away() {
        let seen = Seen { unbounded_at: Some(at(2)), ..layer(3).seen };
        let found = check_layers(&LINT, vec![Layer { seen, ..endless(3) }]);
        assert_eq!((found[0].at, found[0].related[0].at), (at(2), at(3)));
    }

    #[test]
    fn a_limit_of_any_kind_or_a_reconnecting_loop_silences_it() {
        let silent = vec![
            Layer { elapsed_ms: Some(30_000), ..endless(1) },
            Layer { total_ms: Some(30_000), ..endless(2) },
            Layer { stops_otherwise: true, ..endless(3) },
            Layer { repeat: RepeatKind::Reconnecting, ..endless(4) },
            Layer { detached: true, ..endless(6) },
            Layer { attempts: Bound::Unknown(None), ..layer(5) },
        ];
        assert!(check_layers(&LINT, silent).is_empty());
    }
}
