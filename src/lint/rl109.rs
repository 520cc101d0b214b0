//! RL109: the answer says when to come back, and nobody reads it.

use super::{Context, Finding, Level, Lint, layers, words};
use crate::analysis::Layer;
use crate::class::{Endings, FailureClass};
use crate::effect::RepeatKind;
use crate::source::Span;

pub static LINT: Lint = Lint {
    code: "RL109",
    name: "ignores-retry-after",
    summary: "429 or 503 is retried and `Retry-After` never read",
    level: Level::Warn,
    page: include_str!("../../rules/lints/RL109-ignores-retry-after.md"),
    check,
};

const BUSY: [FailureClass; 2] = [FailureClass::Throttled, FailureClass::Unavailable];

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    let deaf = layers::judged(ctx).filter(|l| l.seen.retry_after == Some(false) && sees_the_answer(l));
    layers::one_per_place(deaf.map(finding).collect())
}

/// Code has the response in hand where the retried ending is a status; a library always has. A default is left alone:
/// its authors know whether the servers of their protocol send the header.
fn sees_the_answer(layer: &Layer) -> bool {
    // Another host's answer says nothing about when this one can be asked.
    if layer.default_of.is_some() || layer.repeat == RepeatKind::Failover {
        return false;
    }
    let busy = if layers::is_code(layer) { Endings::statuses_of(BUSY) } else { Endings::of_classes(BUSY) };
    layer.again.meets(busy)
}

/// The wait, or the line that adds the layer.
fn place(layer: &Layer) -> Span {
    if layers::is_code(layer) { layers::wait_place(layer) } else { layer.at }
}

fn finding(layer: &Layer) -> Finding {
    let statuses: Vec<&str> = BUSY
        .into_iter()
        .zip(["429", "503"])
        .filter(|(class, _)| layer.again.meets(Endings::of_classes([*class])))
        .map(|(_, status)| status)
        .collect();
    let message = format!(
        "`{}` retries after {} and never reads `Retry-After` ({})",
        layer.function,
        words::list(&statuses),
        words::attempts(&layer.attempts)
    );
    let help = "wait at least as long as `Retry-After` says (seconds or a date), within your own deadline".to_owned();
    layers::finding(&LINT, layer, place(layer), message, help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::{Form, Seen, Wait};
    use crate::lint::testing::{at, check_layers, layer};

    fn deaf(form: Form, again: Endings, retry_after: Option<bool>) -> Layer {
        let wait = Wait { at: Some(at(5)), ..layer(3).wait };
        Layer { form, again, wait, seen: Seen { retry_after, ..layer(3).seen }, ..layer(3) }
    }

    #[test]
    fn fires_at_the_wait_of_a_loop_and_at_the_line_of_a_middleware() {
        let statuses = Endings::statuses_of(BUSY);
        let found = check_layers(&LINT, vec![deaf(Form::Loop, statuses, Some(false))]);
        assert_eq!((found.len(), found[0].at), (1, at(5)));
        assert!(found[0].message.contains("429 and 503"), "{}", found[0].message);
        let found = check_layers(&LINT, vec![deaf(Form::Middleware, Endings::errors_of(BUSY), Some(false))]);
        assert_eq!((found.len(), found[0].at), (1, at(3)));
    }

    #[test]
    fn is_silent_where_it_is_honoured_unseen_or_out_of_sight() {
        let statuses = Endings::statuses_of(BUSY);
        let silent = vec![
            deaf(Form::Loop, statuses, Some(true)),
            deaf(Form::Loop, statuses, None),
            Layer { repeat: RepeatKind::Failover, ..deaf(Form::Loop, statuses, Some(false)) },
            Layer { default_of: Some("sdk".into()), ..deaf(Form::Client, statuses, Some(false)) },
            deaf(Form::Loop, Endings::errors_of(BUSY), Some(false)),
            deaf(Form::Loop, Endings::statuses_of([FailureClass::Gateway]), Some(false)),
        ];
        assert!(check_layers(&LINT, silent).is_empty());
    }
}
