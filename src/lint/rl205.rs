//! RL205: a limit of time that is longer than anybody waits.

use super::{Context, Finding, Level, Lint, words};
use crate::effect::{Confidence, SetBy};

pub static LINT: Lint = Lint {
    code: "RL205",
    name: "timeout-too-long",
    summary: "a deadline is longer than the configured maximum",
    level: Level::Off,
    page: include_str!("../../rules/lints/RL205-timeout-too-long.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    let most = ctx.settings.limits.timeout_ms;
    let long = ctx.analysis.deadlines.iter().filter(|d| d.set == SetBy::Code && d.kind.ends_a_hang() && d.ms > most);
    let mut found: Vec<Finding> = long
        .map(|deadline| {
            let message = format!(
                "this {} is longer than the {} that are allowed",
                words::deadline(deadline),
                words::ms(most as f64)
            );
            let help = "set it to the longest time after which the answer is still of use; or raise `limits.timeout`";
            LINT.finding(deadline.at, Confidence::High, message, help.to_owned())
        })
        .collect();
    found.dedup_by_key(|f| f.at);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Analysis, Limited};
    use crate::effect::DeadlineKind;
    use crate::lint::testing::{at, run};

    #[test]
    fn only_what_somebody_wrote_and_ends_a_hang() {
        let one = |line, ms, kind, set| Limited { at: at(line), ms, kind, set };
        let deadlines = vec![
            one(2, 60_000, DeadlineKind::Total, SetBy::Code),
            one(3, 61_000, DeadlineKind::Total, SetBy::Code),
            one(4, 90_000, DeadlineKind::Connect, SetBy::Code),
            one(5, 300_000, DeadlineKind::Idle, SetBy::Default),
        ];
        let found = run(Analysis { deadlines, ..Analysis::default() }, check);
        assert_eq!(found.iter().map(|f| f.at).collect::<Vec<_>>(), [at(3)]);
        assert!(found[0].message.contains("61 s is longer than the 60 s"), "{}", found[0].message);
    }
}
