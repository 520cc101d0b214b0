//! RL113: the key that makes a repeated request the same one is another in each attempt.

use std::collections::BTreeMap;

use super::layers::{self, Enclosing};
use super::{Context, Finding, Level, Lint, Related, words};
use crate::analysis::{Layer, UnsafeRepeat};
use crate::effect::Form;
use crate::source::Span;

pub static LINT: Lint = Lint {
    code: "RL113",
    name: "new-key-per-attempt",
    summary: "an idempotency key is made anew in each attempt",
    level: Level::Error,
    page: include_str!("../../rules/lints/RL113-new-key-per-attempt.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    let enclosing = Enclosing::new(ctx);
    let mut keys: BTreeMap<Span, Finding> = BTreeMap::new();
    for repeat in &ctx.analysis.unsafe_repeats {
        let Some(made) = repeat.key_made else { continue };
        let Some(layer) = ctx.analysis.layers.iter().find(|l| l.id == repeat.layer.id) else { continue };
        if layers::is_code(layer) && makes_again(layer, repeat, made, &enclosing) {
            keys.entry(made).or_insert_with(|| finding(ctx, layer, repeat, made));
        }
    }
    keys.into_values().collect()
}

/// Whether another turn of the layer runs the code that makes the key. A layer of the same function holds it or does not;
/// one of another function calls this one.
fn makes_again(layer: &Layer, repeat: &UnsafeRepeat, made: Span, enclosing: &Enclosing<'_>) -> bool {
    let holds = |at: Span| layer.at.file == at.file && layer.at.start <= at.start && at.end <= layer.end.end;
    let function = enclosing.name(made);
    if holds(made) || (layer.form == Form::Recursion && function == layer.function) {
        return true;
    }
    !holds(repeat.call) && function == enclosing.name(repeat.call) && function != layer.function
}

fn finding(ctx: &Context<'_>, layer: &Layer, repeat: &UnsafeRepeat, made: Span) -> Finding {
    let verb = repeat.verb.as_ref().map_or("request".to_owned(), |v| v.to_string());
    let message = format!(
        "each attempt of this {verb} to {} gets a key of its own, so every one is a new operation to its receiver: {}",
        repeat.dependency,
        words::attempts_of(ctx, layer)
    );
    let help = "make the key once, before the first attempt, and hand it in".to_owned();
    let mut finding = layers::finding(&LINT, layer, made, message, help);
    finding.related.insert(0, Related { at: repeat.call, message: "sent here".to_owned() });
    finding.dependency = Some(repeat.dependency.clone());
    finding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::class::{Endings, FailureClass};
    use crate::effect::Safety;
    use crate::lint::testing::{at, layer, run, used};
    use crate::name::Name;
    use crate::value::Bound;

    fn found(form: Form, made: Option<Span>) -> usize {
        let repeat = UnsafeRepeat {
            at: at(4),
            call: at(4),
            layer: used(3, Bound::Exactly(4)),
            verb: Some(Name::new("POST")),
            safety: Safety::Unsafe,
            dependency: Name::new("bank"),
            again: Endings::errors_of([FailureClass::Timeout]),
            key_made: made,
        };
        let layer = Layer { id: repeat.layer.id, form, end: at(5), ..layer(3) };
        run(Analysis { unsafe_repeats: vec![repeat], layers: vec![layer], ..Analysis::default() }, check).len()
    }

    #[test]
    fn fires_where_the_loop_holds_what_makes_the_key() {
        assert_eq!(found(Form::Loop, Some(at(4))), 1);
    }

    #[test]
    fn a_key_from_before_the_loop_or_below_a_client_is_one_key() {
        assert_eq!(found(Form::Loop, Some(at(1))), 0);
        assert_eq!(found(Form::Client, Some(at(4))), 0);
        assert_eq!(found(Form::Loop, None), 0);
    }
}
