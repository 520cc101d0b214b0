//! RL102: the next attempt follows at once.

use super::{Context, Finding, Level, Lint, layers, words};
use crate::analysis::Layer;
use crate::class::FailureClass;
use crate::effect::RepeatKind;

pub static LINT: Lint = Lint {
    code: "RL102",
    name: "no-backoff",
    summary: "a retry reaches its next attempt with no delay on some path",
    level: Level::Error,
    page: include_str!("../../rules/lints/RL102-no-backoff.md"),
    check,
};

/// So many attempts at once are fair after a conflict: whoever won is already through. So they are after a refusal that
/// only a change of the request can cure (a new token, a smaller page).
const CONFLICTS: u64 = 3;

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    let stays = |l: &&Layer| l.repeat != RepeatKind::Failover && !l.seen.elsewhere;
    let hasty = layers::judged(ctx).filter(stays).filter(|l| is_hasty(l));
    let findings = hasty.map(|l| finding(ctx, l)).collect();
    layers::one_per_place(findings)
}

fn is_hasty(layer: &Layer) -> bool {
    let hasty = layers::waits_nothing(layer) || layer.seen.path_without_wait;
    hasty && !few_conflicts(layer)
}

fn few_conflicts(layer: &Layer) -> bool {
    let curable = |c: &FailureClass| matches!(c, FailureClass::Conflict | FailureClass::Permanent);
    let classes = layer.again.classes();
    !classes.is_empty() && classes.iter().all(curable) && layers::most(&layer.attempts).is_some_and(|n| n <= CONFLICTS)
}

fn finding(ctx: &Context<'_>, layer: &Layer) -> Finding {
    let count = words::attempts_of(ctx, layer);
    let function = &layer.function;
    let message = if layers::waits_nothing(layer) {
        format!("`{function}` retries with no delay between its attempts: {count}")
    } else {
        let delay = words::delay(&layer.wait);
        format!(
            "`{function}` reaches its next attempt on some path with no delay, although others wait ({delay}): {count}"
        )
    };
    let help = "wait before each further attempt: a delay that grows from about 100 ms, has a cap and a random part";
    layers::finding(&LINT, layer, layer.at, message, help.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::Endings;
    use crate::effect::{Jitter, Seen, Shape, Wait};
    use crate::lint::testing::{at, check_layers, layer, wait};
    use crate::value::Bound::{Exactly, Unbounded, Unknown};

    fn hasty(line: u32) -> Layer {
        Layer { wait: Wait::none(), ..layer(line) }
    }

    #[test]
    fn fires_without_a_delay_and_with_one_of_nothing() {
        let zero = Wait { base_ms: Some(0), ..wait(Shape::Fixed, Jitter::None) };
        let found = check_layers(&LINT, vec![hasty(3), Layer { wait: zero, ..layer(5) }, layer(7)]);
        assert_eq!(found.iter().map(|f| f.at).collect::<Vec<_>>(), [at(3), at(5)]);
        assert!(found[0].message.contains("4 attempts"), "{}", found[0].message);
    }

    #[test]
    fn fires_where_only_some_paths_wait_and_says_so() {
        let seen = Seen { path_without_wait: true, ..layer(3).seen };
        let found = check_layers(&LINT, vec![Layer { seen, ..layer(3) }]);
        assert!(found[0].message.contains("on some path"), "{}", found[0].message);
    }

    #[test]
    fn reconnecting_needs_a_delay_too_and_failover_does_not() {
        let reconnecting = Layer { repeat: RepeatKind::Reconnecting, attempts: Unbounded, ..hasty(3) };
        assert_eq!(check_layers(&LINT, vec![reconnecting]).len(), 1);
        assert!(check_layers(&LINT, vec![Layer { repeat: RepeatKind::Failover, ..hasty(3) }]).is_empty());
        let elsewhere = Seen { elsewhere: true, ..hasty(3).seen };
        assert!(check_layers(&LINT, vec![Layer { seen: elsewhere, ..hasty(3) }]).is_empty());
    }

    #[test]
    fn three_attempts_after_conflicts_are_fair_and_four_are_not() {
        let again = Endings::of_classes([FailureClass::Conflict]);
        let conflict = |attempts| Layer { again, attempts, ..hasty(3) };
        assert!(check_layers(&LINT, vec![conflict(Exactly(3))]).is_empty());
        assert_eq!(check_layers(&LINT, vec![conflict(Exactly(4))]).len(), 1);
        assert_eq!(check_layers(&LINT, vec![conflict(Unknown(None))]).len(), 1);
        let mixed = Endings::of_classes([FailureClass::Conflict, FailureClass::Timeout]);
        let mixed = Layer { again: mixed, ..conflict(Exactly(3)) };
        assert_eq!(check_layers(&LINT, vec![mixed]).len(), 1);
    }
}
