//! RL203: the attempts do not fit the time that there is.

use super::{Context, Finding, Level, Lint, Related, words};
use crate::analysis::{Layer, Misfit};
use crate::effect::{Confidence, Form, SetBy};

pub static LINT: Lint = Lint {
    code: "RL203",
    name: "retries-exceed-deadline",
    summary: "the attempts of a layer do not fit the deadline around it",
    level: Level::Warn,
    page: include_str!("../../rules/lints/RL203-retries-exceed-deadline.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    let layer = |misfit: &Misfit| ctx.analysis.layers.iter().find(|l| l.id == misfit.layer.id);
    ctx.analysis.misfits.iter().filter_map(|misfit| Some(finding(ctx, misfit, layer(misfit)?))).collect()
}

fn finding(ctx: &Context<'_>, misfit: &Misfit, layer: &Layer) -> Finding {
    let outer = &misfit.outer;
    let limit = words::ms(outer.ms as f64);
    let there = format!("the {} ({})", words::deadline(outer), words::place(ctx, outer.at));
    let can = format!("{} can start and {} can finish", misfit.starts, misfit.finishes);
    let function = &misfit.layer.function;
    let message = match (misfit.needs, misfit.attempts) {
        (Some(needs), Some(attempts)) => {
            format!("{} of `{function}` do not fit {there}: {can}", sum(misfit, layer, needs, attempts))
        }
        (_, attempts) => {
            let attempts = attempts.map(|n| format!("{n} ")).unwrap_or_default();
            format!(
                "nothing limits one of the {attempts}attempts of `{function}`: a slow one uses all of {there}, so {can}"
            )
        }
    };
    // A layer without a number has no other setting to change than the limit.
    let at = if misfit.attempts.is_some() { misfit.layer.at } else { outer.at };
    let mut finding = LINT.finding(at, confidence(misfit, layer), message, help(misfit, &limit));
    finding.context = misfit.layer.function.clone();
    finding.related = std::iter::once(Related { at: outer.at, message: words::deadline(outer) })
        .chain(misfit.hops.iter().map(|at| Related { at: *at, message: "called here".to_owned() }))
        .collect();
    finding
}

/// `6 attempts of 300 ms and pauses of up to 1.2 s (3 s together)`.
fn sum(misfit: &Misfit, layer: &Layer, needs: u64, attempts: u64) -> String {
    let tries = misfit.per_try.unwrap_or(0).saturating_mul(attempts);
    let pauses = needs.saturating_sub(tries);
    let each = misfit.per_try.map(|ms| format!(" of {}", words::ms(ms as f64))).unwrap_or_default();
    let random = if layer.wait.jitter == crate::effect::Jitter::None { "" } else { "up to " };
    let between = match pauses {
        0 => String::new(),
        ms => format!(" and pauses of {random}{}", words::ms(ms as f64)),
    };
    format!("{attempts} attempts{each}{between} ({} together)", words::ms(needs as f64))
}

/// What nobody wrote is less sure to be meant. Of a loop in code the limit per try may stand where it is not seen.
fn confidence(misfit: &Misfit, layer: &Layer) -> Confidence {
    let unseen = misfit.needs.is_none() && !matches!(layer.form, Form::Proxy | Form::Mesh);
    let default = misfit.outer.set == SetBy::Default || layer.default_of.is_some();
    match (default, unseen) {
        (true, true) => Confidence::Low,
        (false, false) => layer.seen.confidence,
        _ => Confidence::Medium.min(layer.seen.confidence),
    }
}

fn help(misfit: &Misfit, limit: &str) -> String {
    let fits = misfit.finishes.max(1);
    match (misfit.per_try, misfit.needs) {
        (_, None) => {
            let all = misfit.attempts.map_or("a second one fits".to_owned(), |n| format!("{n} of them fit"));
            format!("give each attempt a limit of its own, so that {all} into {limit}")
        }
        (Some(_), _) if misfit.finishes >= 1 => format!(
            "allow {fits} {}, or make the limit per try shorter; a longer limit belongs at the edge alone",
            if fits == 1 { "attempt" } else { "attempts" }
        ),
        (Some(_), _) => format!("make the limit per try shorter than {limit}, or allow 1 attempt"),
        (None, _) => format!("make the pauses shorter or the attempts fewer, so that all of them fit into {limit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::{Analysis, Limited};
    use crate::effect::{DeadlineKind, LoopId};
    use crate::lint::testing::{at, layer, run, used};
    use crate::value::Bound;

    fn misfit(per_try: Option<u64>, needs: Option<u64>, starts: u64, finishes: u64) -> Misfit {
        Misfit {
            layer: used(3, Bound::Exactly(6)),
            attempts: Some(6),
            per_try,
            needs,
            starts,
            finishes,
            outer: Limited { at: at(2), ms: 1000, kind: DeadlineKind::Total, set: SetBy::Code },
            hops: Vec::new(),
            operation: 0,
        }
    }

    fn check(misfit: Misfit) -> Finding {
        let mut layer = layer(3);
        layer.id = LoopId(misfit.layer.id.0);
        run(Analysis { misfits: vec![misfit], layers: vec![layer], ..Analysis::default() }, super::check).remove(0)
    }

    #[test]
    fn the_message_holds_the_sum_and_what_fits() {
        let found = check(misfit(Some(300), Some(1800), 4, 3));
        assert!(found.message.starts_with("6 attempts of 300 ms (1.8 s together)"), "{}", found.message);
        assert!(found.message.ends_with("4 can start and 3 can finish"), "{}", found.message);
        assert!(found.help.starts_with("allow 3 attempts"), "{}", found.help);
    }

    #[test]
    fn one_slow_try_can_use_everything() {
        let found = check(misfit(None, None, 1, 1));
        assert!(found.message.contains("a slow one uses all of"), "{}", found.message);
        assert_eq!(found.confidence, Confidence::Medium);
    }

    #[test]
    fn pauses_alone_can_be_too_long() {
        let found = check(misfit(None, Some(3100), 3, 3));
        assert!(found.message.contains("pauses of"), "{}", found.message);
        assert!(found.help.starts_with("make the pauses shorter"), "{}", found.help);
    }
}
