//! RL301: the product of all layers on a path towards one dependency.

use super::amplification::{self, Group};
use super::{Context, Finding, Level, Lint, words};
use crate::analysis::Row;
use crate::effect::Confidence;
use crate::value::Bound;

pub static LINT: Lint = Lint {
    code: "RL301",
    name: "retry-amplification",
    summary: "the layers on a path multiply one operation beyond the limit",
    level: Level::Error,
    page: include_str!("../../rules/lints/RL301-retry-amplification.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    amplification::reported(ctx)
        .iter()
        .filter_map(|group| finding(ctx, group))
        .collect()
}

fn finding(ctx: &Context<'_>, group: &Group<'_>) -> Option<Finding> {
    let row = group.worst;
    let outermost = amplification::outermost(row)?;
    let message = format!(
        "{}{}",
        message(ctx, group),
        amplification::and_more(group.more)
    );
    let mut finding = LINT.finding(outermost.at, group.confidence, message, help(ctx, group));
    finding.context = outermost.function.clone();
    finding.dependency = Some(row.dependency.clone());
    finding.related = amplification::path(ctx, row);
    Some(finding)
}

fn message(ctx: &Context<'_>, group: &Group<'_>) -> String {
    let row = group.worst;
    let mut text = format!(
        "one {} can reach {} {}",
        amplification::operation(ctx, row),
        row.dependency,
        words::times(&row.amplification)
    );
    if row.amplification == Bound::Unbounded {
        text.push_str(&format!(
            "; the layers with a bound alone make it {}",
            group.known
        ));
    } else if row.attempts != row.amplification {
        text.push_str(&format!(", with {} in all", words::attempts(&row.attempts)));
    }
    text
}

fn help(ctx: &Context<'_>, group: &Group<'_>) -> String {
    let row = group.worst;
    if group.confidence == Confidence::Low && group.known <= ctx.settings.limits.attempts {
        return state(ctx, row);
    }
    let single = format!("allow at most {} attempts", ctx.settings.limits.attempts);
    if row.owners.len() < 2 {
        single
    } else {
        amplification::keep(ctx, row).unwrap_or(single)
    }
}

/// Which number has to be stated before the verdict is sure.
fn state(ctx: &Context<'_>, row: &Row) -> String {
    let unsure = row
        .owners
        .iter()
        .find(|o| !matches!(o.attempts, Bound::Exactly(_)));
    match unsure {
        Some(layer) => format!(
            "the attempts of `{}` ({}) are not known: state them there with `// retrylint: attempts = N`",
            layer.function,
            words::place(ctx, layer.at)
        ),
        None => "state the number that is not known with `// retrylint: attempts = N`".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::LayerUse;
    use crate::lint::testing::{at, check_rows, row, used};
    use crate::name::Name;

    fn exactly(line: u32, n: u64) -> LayerUse {
        used(line, Bound::Exactly(n))
    }

    #[test]
    fn fires_above_ten_with_every_layer_and_the_one_to_keep() {
        let found = check_rows(
            &LINT,
            vec![row(Bound::Exactly(12), vec![exactly(3, 3), exactly(5, 4)])],
        );
        assert_eq!((found.len(), found[0].at), (1, at(3)));
        assert_eq!(
            found[0].message,
            "one POST /checkout can reach payments-db 12 times"
        );
        assert_eq!(
            (found[0].related[0].at, found[0].related[0].message.as_str()),
            (at(5), "4 attempts")
        );
        assert!(
            found[0]
                .help
                .contains("keep the retry in `shop::f3` (src/lib.rs:3)"),
            "{}",
            found[0].help
        );
        assert!(found[0].help.ends_with("3 attempts"), "{}", found[0].help);
        assert!(
            check_rows(
                &LINT,
                vec![row(Bound::Exactly(10), vec![exactly(3, 2), exactly(5, 5)])]
            )
            .is_empty()
        );
    }

    #[test]
    fn one_layer_alone_can_pass_it_and_attempts_are_said_where_they_differ() {
        let mut alone = row(Bound::Exactly(15), vec![exactly(3, 15)]);
        alone.attempts = Bound::Exactly(30);
        let found = check_rows(&LINT, vec![alone]);
        assert!(
            found[0]
                .message
                .ends_with("15 times, with 30 attempts in all"),
            "{}",
            found[0].message
        );
        assert_eq!(found[0].help, "allow at most 10 attempts");
    }

    #[test]
    fn rows_over_the_same_layers_are_one_finding_that_names_the_worst() {
        let layers = || vec![exactly(3, 4), exactly(5, 4)];
        let worse = Row {
            dependency: Name::new("ledger"),
            ..row(Bound::Exactly(32), layers())
        };
        let found = check_rows(&LINT, vec![row(Bound::Exactly(16), layers()), worse]);
        assert_eq!(found.len(), 1);
        let said = "one POST /checkout can reach ledger 32 times (and 1 more over the same layers)";
        assert_eq!(found[0].message, said);
    }

    #[test]
    fn a_path_that_begins_a_longer_one_is_not_said_again() {
        let short = row(Bound::Exactly(27), vec![exactly(3, 9), exactly(5, 3)]);
        let long = row(
            Bound::Exactly(81),
            vec![exactly(3, 9), exactly(5, 3), exactly(7, 3)],
        );
        let other = row(Bound::Exactly(27), vec![exactly(5, 9), exactly(7, 3)]);
        let found = check_rows(&LINT, vec![short, long, other]);
        assert_eq!(
            found.iter().map(|f| f.at).collect::<Vec<_>>(),
            [at(3), at(5)]
        );
        assert!(found[0].message.contains("81 times"));
    }

    #[test]
    fn unknown_factors_count_as_one_unless_the_rest_passes_half_the_limit() {
        let unknown = || used(5, Bound::Unknown(None));
        let few = row(
            Bound::AtLeast(12, None),
            vec![exactly(3, 3), unknown(), used(7, Bound::Unknown(None))],
        );
        assert!(check_rows(&LINT, vec![few]).is_empty());
        let half = check_rows(
            &LINT,
            vec![row(
                Bound::AtLeast(12, None),
                vec![exactly(3, 6), unknown()],
            )],
        );
        assert_eq!((half.len(), half[0].confidence), (1, Confidence::Low));
        assert!(
            half[0].help.contains("`shop::f5` (src/lib.rs:5)"),
            "{}",
            half[0].help
        );
        let sure = check_rows(
            &LINT,
            vec![row(
                Bound::AtLeast(24, None),
                vec![exactly(3, 12), unknown()],
            )],
        );
        assert_eq!(sure[0].confidence, Confidence::High);
        assert!(sure[0].message.contains("at least 24 times"));
        assert!(check_rows(&LINT, vec![row(Bound::Unknown(None), vec![unknown()])]).is_empty());
    }

    #[test]
    fn a_limit_of_time_alone_counts_as_one() {
        let timed = |n| used(5, Bound::AtMost(n));
        assert!(
            check_rows(
                &LINT,
                vec![row(Bound::AtMost(90), vec![exactly(3, 3), timed(30)])]
            )
            .is_empty()
        );
        let half = check_rows(
            &LINT,
            vec![row(Bound::AtMost(180), vec![exactly(3, 6), timed(30)])],
        );
        assert_eq!(half[0].confidence, Confidence::Low);
    }

    #[test]
    fn an_unbounded_layer_alone_is_left_to_rl101() {
        let endless = || used(5, Bound::Unbounded);
        assert!(
            check_rows(
                &LINT,
                vec![row(Bound::Unbounded, vec![exactly(3, 3), endless()])]
            )
            .is_empty()
        );
        let found = check_rows(
            &LINT,
            vec![row(Bound::Unbounded, vec![exactly(3, 16), endless()])],
        );
        assert!(
            found[0]
                .message
                .contains("without bound; the layers with a bound alone make it 16")
        );
    }
}
