//! RL202: work goes on for a caller that has left.

use super::{Context, Finding, Level, Lint, Related, words};
use crate::analysis::Inversion;
use crate::effect::{Confidence, SetBy};

pub static LINT: Lint = Lint {
    code: "RL202",
    name: "inner-deadline-longer",
    summary: "a deadline is longer than its caller's, and the work goes on after the caller has left",
    level: Level::Warn,
    page: include_str!("../../rules/lints/RL202-inner-deadline-longer.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    // Of several callers that leave earlier the most impatient is named.
    let mut all: Vec<&Inversion> = ctx.analysis.inversions.iter().collect();
    all.sort_by_key(|i| (i.inner.at, i.outer.ms, i.outer.at));
    all.dedup_by_key(|i| i.inner.at);
    all.into_iter().map(|inversion| finding(ctx, inversion)).collect()
}

fn finding(ctx: &Context<'_>, found: &Inversion) -> Finding {
    let (inner, outer) = (&found.inner, &found.outer);
    let hops: Vec<String> = found.hops.iter().map(|at| words::place(ctx, *at)).collect();
    let way = if hops.is_empty() { String::new() } else { format!(", over {}", words::list(&hops)) };
    let message = format!(
        "this {} is longer than the caller's {} ({}){way}: for up to {} it works for nobody",
        words::deadline(inner),
        words::ms(outer.ms as f64),
        words::place(ctx, outer.at),
        words::ms((inner.ms - outer.ms) as f64),
    );
    let help = format!(
        "set it below {}; or give the outer one more, but only where a person waits for it",
        words::ms(outer.ms as f64)
    );
    let written = [inner, outer].into_iter().filter(|l| l.set != SetBy::Default).count();
    let confidence = [Confidence::Low, Confidence::Medium, Confidence::High][written];
    let mut finding = LINT.finding(inner.at, confidence, message, help);
    finding.related = std::iter::once(Related { at: outer.at, message: words::deadline(outer) })
        .chain(found.hops.iter().map(|at| Related { at: *at, message: "called here".to_owned() }))
        .filter(|related| related.at != inner.at)
        .collect();
    finding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Analysis, Limited};
    use crate::effect::DeadlineKind;
    use crate::lint::testing::{at, run};

    fn limited(line: u32, ms: u64, set: SetBy) -> Limited {
        Limited { at: at(line), ms, kind: DeadlineKind::Total, set }
    }

    fn check(inversions: Vec<Inversion>) -> Vec<Finding> {
        run(Analysis { inversions, ..Analysis::default() }, super::check)
    }

    #[test]
    fn both_deadlines_and_each_hop_are_named() {
        let found = |ms| Inversion {
            inner: limited(9, 10_000, SetBy::Code),
            outer: limited(3, ms, SetBy::Code),
            hops: vec![at(4), at(5)],
            operation: 0,
        };
        let found = check(vec![found(2000), found(1000)]);
        assert_eq!((found.len(), found[0].at, found[0].confidence), (1, at(9), Confidence::High));
        let said =
            "this limit of 10 s is longer than the caller's 1 s (src/lib.rs:3), over src/lib.rs:4 and src/lib.rs:5";
        assert!(found[0].message.starts_with(said), "{}", found[0].message);
        assert!(found[0].message.ends_with("for up to 9 s it works for nobody"), "{}", found[0].message);
        assert_eq!(found[0].related.iter().map(|r| r.at).collect::<Vec<_>>(), [at(3), at(4), at(5)]);
    }

    #[test]
    fn defaults_make_it_less_sure() {
        let of = |inner, outer| {
            let (inner, outer) = (limited(9, 60_000, inner), limited(3, 15_000, outer));
            check(vec![Inversion { inner, outer, hops: Vec::new(), operation: 0 }])[0].confidence
        };
        assert_eq!(of(SetBy::Code, SetBy::Default), Confidence::Medium);
        assert_eq!(of(SetBy::Default, SetBy::Default), Confidence::Low);
    }
}
