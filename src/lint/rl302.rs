//! RL302: two layers each believe that retrying is their business.

use std::collections::HashSet;

use super::{Context, Finding, Level, Lint, amplification, words};
use crate::effect::Confidence;
use crate::name::Name;
use crate::source::Span;

pub static LINT: Lint = Lint {
    code: "RL302",
    name: "several-retry-owners",
    summary: "two or more layers own attempts on one path",
    level: Level::Warn,
    page: include_str!("../../rules/lints/RL302-several-retry-owners.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    let reported = amplification::reported(ctx);
    let covering: Vec<_> = reported.iter().filter(|g| g.confidence > Confidence::Low).map(|g| &g.owners).collect();
    let mut shared = amplification::groups(ctx);
    shared.retain(|g| g.owners.len() >= 2 && !covering.iter().any(|c| amplification::begins(&g.owners, c)));
    let paths: Vec<_> = shared.iter().map(|g| g.owners.clone()).collect();
    shared.retain(|g| !paths.iter().any(|p| p.len() > g.owners.len() && amplification::begins(&g.owners, p)));
    by_places(shared).iter().filter_map(|group| finding(ctx, group)).collect()
}

/// A client's default is a layer of its own below each call of a helper: where the same places multiply, it is said once.
fn by_places(shared: Vec<amplification::Group<'_>>) -> Vec<amplification::Group<'_>> {
    let places = |g: &amplification::Group<'_>| {
        let hidden = g.worst.owners.iter().any(|o| !o.written);
        hidden.then(|| g.worst.owners.iter().map(|o| o.at).collect::<Vec<_>>())
    };
    let mut kept: Vec<amplification::Group<'_>> = Vec::new();
    for group in shared {
        match kept.iter_mut().find(|k| places(k).is_some_and(|p| Some(p) == places(&group))) {
            None => kept.push(group),
            Some(known) => {
                let more = known.more + group.more + 1;
                if group.known > known.known {
                    *known = group;
                }
                known.more = more;
            }
        }
    }
    kept
}

/// Drops what a finding of RL301 says better. A sure one silences this lint by itself; an unsure one only where it is
/// shown, which the pipeline knows when it has applied the least confidence.
pub fn drop_covered(findings: &mut Vec<Finding>) {
    let key = |f: &Finding| -> (Span, Option<Name>) { (f.at, f.dependency.clone()) };
    let covered: HashSet<_> = findings.iter().filter(|f| f.code == "RL301").map(key).collect();
    findings.retain(|f| f.code != LINT.code || !covered.contains(&key(f)));
}

fn finding(ctx: &Context<'_>, group: &amplification::Group<'_>) -> Option<Finding> {
    let row = group.worst;
    let outermost = amplification::outermost(row)?;
    let message = format!(
        "{} layers retry on the path of {} to {}, which can be reached {}{}",
        row.owners.len(),
        amplification::operation(ctx, row),
        row.dependency,
        words::times(&row.amplification),
        amplification::and_more(group.more)
    );
    let help = amplification::keep(ctx, row).unwrap_or_else(|| "let one of them retry".to_owned());
    let mut finding = LINT.finding(outermost.at, amplification::confidence(ctx, row), message, help);
    finding.context = outermost.function.clone();
    finding.dependency = Some(row.dependency.clone());
    finding.related = amplification::path(ctx, row);
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::LayerUse;
    use crate::lint::rl301;
    use crate::lint::testing::{at, check_rows, row, used};
    use crate::value::Bound;

    fn exactly(line: u32, n: u64) -> LayerUse {
        used(line, Bound::Exactly(n))
    }

    #[test]
    fn fires_on_two_owners_below_the_limit() {
        let found = check_rows(&LINT, vec![row(Bound::Exactly(9), vec![exactly(3, 3), exactly(5, 3)])]);
        assert_eq!((found.len(), found[0].at, found[0].related[0].at), (1, at(3), at(5)));
        let said = "2 layers retry on the path of POST /checkout to payments-db, which can be reached 9 times";
        assert_eq!(found[0].message, said);
        assert!(found[0].help.contains("give `shop::f5` 1 attempt; the worst case is then 3 attempts"));
    }

    #[test]
    fn one_owner_or_a_path_of_rl301_silences_it() {
        let short = row(Bound::Exactly(9), vec![exactly(3, 3), exactly(5, 3)]);
        let long = row(Bound::Exactly(27), vec![exactly(3, 3), exactly(5, 3), exactly(7, 3)]);
        assert!(check_rows(&LINT, vec![short, long]).is_empty());
        assert!(check_rows(&LINT, vec![row(Bound::Exactly(4), vec![exactly(3, 4)])]).is_empty());
    }

    #[test]
    fn an_unsure_rl301_silences_it_only_where_it_is_shown() {
        let unsure = || vec![row(Bound::AtLeast(12, None), vec![exactly(3, 6), used(5, Bound::Unknown(None))])];
        let mut both = check_rows(&rl301::LINT, unsure());
        both.extend(check_rows(&LINT, unsure()));
        assert_eq!(both.len(), 2);
        drop_covered(&mut both);
        assert_eq!(both.iter().map(|f| f.code).collect::<Vec<_>>(), ["RL301"]);
        let mut alone = check_rows(&LINT, unsure());
        drop_covered(&mut alone);
        assert_eq!(alone.len(), 1);
    }
}
