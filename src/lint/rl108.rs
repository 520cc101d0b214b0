//! RL108: something that must happen once is sent again although it may have happened.

use std::collections::BTreeMap;

use super::layers::Enclosing;
use super::{Context, Finding, Level, Lint, Related, words};
use crate::analysis::UnsafeRepeat;
use crate::class::{Endings, FailureClass};
use crate::effect::{Confidence, Safety};
use crate::source::Span;

pub static LINT: Lint = Lint {
    code: "RL108",
    name: "non-idempotent-retry",
    summary: "a request that must not happen twice is repeated after it may have been processed",
    level: Level::Error,
    page: include_str!("../../rules/lints/RL108-non-idempotent-retry.md"),
    check,
};

/// Failures before the request was processed: nothing was sent, or it was turned away.
const REFUSALS: [FailureClass; 4] =
    [FailureClass::Connect, FailureClass::Throttled, FailureClass::Conflict, FailureClass::Permanent];

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    let mut calls: BTreeMap<Span, Vec<&UnsafeRepeat>> = BTreeMap::new();
    for repeat in ctx.analysis.unsafe_repeats.iter().filter(|r| is_harmful(r)) {
        calls.entry(repeat.at).or_default().push(repeat);
    }
    let enclosing = Enclosing::new(ctx);
    calls.values().map(|repeats| finding(ctx, repeats, &enclosing)).collect()
}

fn is_harmful(repeat: &UnsafeRepeat) -> bool {
    // RL113 judges keys that are made.
    repeat.safety == Safety::Unsafe && repeat.key_made.is_none() && !harmful(repeat).is_empty()
}

fn harmful(repeat: &UnsafeRepeat) -> Endings {
    repeat.again.without(Endings::of_classes(REFUSALS)).without(Endings::OK)
}

fn finding(ctx: &Context<'_>, repeats: &[&UnsafeRepeat], enclosing: &Enclosing<'_>) -> Finding {
    let first = repeats[0];
    let again = repeats.iter().fold(Endings::NONE, |all, r| all | harmful(r));
    let verb = first.verb.as_ref().map_or("request".to_owned(), |v| v.to_string());
    let message = format!(
        "this {verb} to {} is sent again after {} although it may have been processed: {} in `{}`",
        first.dependency,
        words::after(again),
        words::attempts(&first.layer.attempts),
        first.layer.function
    );
    let help = "send an `Idempotency-Key` that is made once outside the retry, or retry only failed connects; if the \
                receiver ignores repeats, say `// retrylint: idempotent`";
    let mut finding = LINT.finding(first.at, confidence(ctx, first), message, help.to_owned());
    finding.context = enclosing.name(first.at);
    finding.dependency = Some(first.dependency.clone());
    for repeat in repeats {
        let layer = &repeat.layer;
        let call = Related { at: repeat.call, message: "sent here".to_owned() };
        let related = Related { at: layer.at, message: words::attempts(&layer.attempts) };
        for related in [call, related] {
            if related.at == finding.at || finding.related.iter().any(|r| r.at == related.at) {
                continue;
            }
            finding.related.push(related);
        }
    }
    finding
}

fn confidence(ctx: &Context<'_>, repeat: &UnsafeRepeat) -> Confidence {
    let layer = ctx.analysis.layers.iter().find(|l| l.id == repeat.layer.id);
    layer.map_or(Confidence::Medium, |l| l.seen.confidence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::lint::testing::{at, run, used};
    use crate::name::Name;
    use crate::value::Bound;

    fn repeat(layer: u32, safety: Safety, classes: &[FailureClass]) -> UnsafeRepeat {
        UnsafeRepeat {
            at: at(8),
            call: at(8),
            layer: used(layer, Bound::Exactly(4)),
            verb: Some(Name::new("POST")),
            safety,
            dependency: Name::new("bank"),
            again: Endings::errors_of(classes.iter().copied()),
            key_made: None,
        }
    }

    fn check(unsafe_repeats: Vec<UnsafeRepeat>) -> Vec<Finding> {
        run(Analysis { unsafe_repeats, ..Analysis::default() }, super::check)
    }

    #[test]
    fn fires_once_per_call_with_every_layer() {
        let timeout = [FailureClass::Connect, FailureClass::Timeout];
        let found = check(vec![repeat(3, Safety::Unsafe, &timeout), repeat(5, Safety::Unsafe, &timeout)]);
        assert_eq!((found.len(), found[0].at), (1, at(8)));
        assert_eq!(found[0].related.iter().map(|r| r.at).collect::<Vec<_>>(), [at(3), at(5)]);
        assert!(found[0].message.contains("POST to bank is sent again after timeout"), "{}", found[0].message);
    }

    #[test]
    fn refusals_and_failed_connects_may_be_retried() {
        assert!(check(vec![repeat(3, Safety::Unsafe, &[FailureClass::Connect])]).is_empty());
        assert!(check(vec![repeat(3, Safety::Unsafe, &REFUSALS)]).is_empty());
        assert!(check(vec![repeat(3, Safety::Unknown, &[FailureClass::Reset])]).is_empty());
    }
}
