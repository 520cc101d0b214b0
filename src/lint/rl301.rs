//! RL301: the product of all layers on a path towards one dependency.

use super::amplification::{self, Group};
use super::{Context, Finding, Level, Lint, words};
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
    amplification::reported(ctx).iter().filter_map(|group| finding(ctx, group)).collect()
}

fn finding(ctx: &Context<'_>, group: &Group<'_>) -> Option<Finding> {
    let row = group.worst;
    let outermost = amplification::outermost(row)?;
    let message = format!("{}{}", message(ctx, group), amplification::and_more(group.more));
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
        text.push_str(&format!("; the layers with a bound alone make it {}", group.known));
    } else if row.attempts != row.amplification {
        text.push_str(&format!(", with {} in all", words::attempts(&row.attempts)));
    }
    text
}

fn help(ctx: &Context<'_>, group: &Group<'_>) -> String {
    let row = group.worst;
    if group.confidence == Confidence::Low && group.known <= ctx.settings.limits.attempts {
        return amplification::state(ctx, row);
    }
    let single = format!("allow at most {} attempts", ctx.settings.limits.attempts);
    if row.owners.len() < 2 { single } else { amplification::keep(ctx, row).unwrap_or(single) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{LayerUse, Row};
    use crate::lint::testing::{at, check_rows, row, used};
    use crate::name::Name;

    fn exactly(line: u32, n: u64) -> LayerUse {
        used(line, Bound::Exactly(n))
    }

    #[test]
    fn fires_above_ten_with_every_layer_and_the_one_to_keep() {
        let found = check_rows(&LINT, vec![row(Bound::Exactly(12), vec![exactly(3, 3), exactly(5, 4)])]);
        assert_eq!((found.len(), found[0].at), (1, at(3)));
        assert_eq!(found[0].message, "one POST /checkout can reach payments-db 12 times");
        assert_eq!((found[0].related[0].at, found[0].related[0].message.as_str()), (at(5), "4 attempts"));
        assert!(found[0].help.contains("keep the retry in `shop::f3` (src/lib.rs:3)"), "{}", found[0].help);
        assert!(found[0].help.ends_with("3 attempts"), "{}", found[0].help);
        assert!(check_rows(&LINT, vec![row(Bound::Exactly(10), vec![exactly(3, 2), exactly(5, 5)])]).is_empty());
    }

    #[test]
    fn one_layer_alone_can_pass_it_and_attempts_are_said_where_they_differ() {
        let mut alone = row(Bound::Exactly(15), vec![exactly(3, 15)]);
        alone.attempts = Bound::Exactly(30);
        let found = check_rows(&LINT, vec![alone]);
        assert!(found[0].message.ends_with("15 times, with 30 attempts in all"), "{}", found[0].message);
        assert_eq!(found[0].help, "allow at most 10 attempts");
    }

    #[test]
    fn rows_over_the_same_layers_are_one_finding_that_names_the_worst() {
        let layers = || vec![exactly(3, 4), exactly(5, 4)];
        let worse = Row { dependency: Name::new("ledger"), ..row(Bound::Exactly(32), layers()) };
        let found = check_rows(&LINT, vec![row(Bound::Exactly(16), layers()), worse]);
        assert_eq!(found.len(), 1);
        let said = "one POST /checkout can reach ledger 32 times (and 1 more over the same layers)";
        assert_eq!(found[0].message, said);
    }
}
