//! RL114: a number is called attempts and means retries, or the other way round.

use super::{Context, Finding, Level, Lint, layers, words};
use crate::analysis::Layer;
use crate::effect::{CountName, RepeatKind};

pub static LINT: Lint = Lint {
    code: "RL114",
    name: "count-off-by-one",
    summary: "a name says attempts and its number means retries, or the reverse",
    level: Level::Off,
    page: include_str!("../../rules/lints/RL114-count-off-by-one.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    let retries = layers::judged(ctx).filter(|l| l.repeat == RepeatKind::Retry);
    layers::one_per_place(retries.filter_map(|l| finding(l, l.seen.named.as_ref()?)).collect())
}

/// Attempts beyond the number that a name promises: none where it counts attempts, one where it counts retries. Nothing for
/// a name that says neither, or both.
fn promised(name: &str) -> Option<i64> {
    let words: Vec<String> = name.split('_').map(str::to_ascii_lowercase).collect();
    let says = |all: &[&str]| words.iter().any(|w| all.contains(&w.as_str()));
    match (says(&["attempt", "attempts", "tries"]), says(&["retry", "retries"])) {
        (true, false) => Some(0),
        (false, true) => Some(1),
        _ => None,
    }
}

fn finding(layer: &Layer, named: &CountName) -> Option<Finding> {
    let promised = promised(&named.name)?;
    let (says, gives) = match (promised, named.over) {
        (0, 1) => ("attempts", "retries: one attempt more"),
        (0, -1) => ("attempts", "one attempt fewer"),
        (1, 0) => ("retries", "attempts: one retry fewer"),
        (1, -1) => ("retries", "two retries fewer"),
        (1, 2) => ("retries", "one retry more"),
        _ => return None,
    };
    let message = format!(
        "`{}` says {says}, and the code makes {gives} of it ({})",
        named.name,
        words::attempts(&layer.attempts)
    );
    let help = "call the number what it is, or compare so that it is what it says".to_owned();
    Some(layers::finding(&LINT, layer, named.at, message, help))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::Seen;
    use crate::lint::testing::{at, check_layers, layer};
    use crate::name::Name;

    fn named(name: &str, over: i64) -> usize {
        let named = Some(CountName { at: at(9), name: Name::new(name), over });
        check_layers(&LINT, vec![Layer { seen: Seen { named, ..layer(3).seen }, ..layer(3) }]).len()
    }

    #[test]
    fn what_a_name_promises_is_compared_with_what_is_counted() {
        for (name, over, fires) in [
            ("max_attempts", 0, 0),
            ("max_attempts", 1, 1),
            ("MAX_RETRIES", 1, 0),
            ("MAX_RETRIES", 0, 1),
            ("tries", -1, 1),
            ("retry_attempts", 1, 0),
            ("limit", 1, 0),
        ] {
            assert_eq!(named(name, over), fires, "{name} {over}");
        }
    }
}
