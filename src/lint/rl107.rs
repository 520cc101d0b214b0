//! RL107: somebody chose what to retry, and chose something that can never pass.

use super::{Context, Finding, Level, Lint, layers, rl106, words};
use crate::analysis::Layer;
use crate::effect::RepeatKind;
use crate::source::Span;

pub static LINT: Lint = Lint {
    code: "RL107",
    name: "retries-permanent-error",
    summary: "a failure that can never pass is in the retried set",
    level: Level::Warn,
    page: include_str!("../../rules/lints/RL107-retries-permanent-error.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    // RL106 says more about the same layer.
    let chosen = layers::judged(ctx).filter(|l| l.repeat == RepeatKind::Retry && !rl106::is_blind(l));
    let findings = chosen.filter_map(|l| l.seen.permanent_at.map(|at| finding(ctx, l, at))).collect();
    layers::one_per_place(findings)
}

fn finding(ctx: &Context<'_>, layer: &Layer, at: Span) -> Finding {
    let message = format!(
        "`{}` retries failures that can never pass, which this lets in: {}",
        layer.function,
        words::attempts_of(ctx, layer)
    );
    let help = "take out what stays the same however often it is sent: 4xx but 408, 409, 425 and 429, refused \
                credentials, invalid arguments, missing files";
    layers::finding(&LINT, layer, at, message, help.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::Seen;
    use crate::lint::testing::{at, check_layers, layer};

    fn permanent(looks_at_error: bool) -> Layer {
        Layer { seen: Seen { permanent_at: Some(at(2)), looks_at_error, ..layer(3).seen }, ..layer(3) }
    }

    #[test]
    fn fires_at_what_lets_the_permanent_class_in() {
        let found = check_layers(&LINT, vec![permanent(true), layer(7)]);
        assert_eq!((found.len(), found[0].at, found[0].related[0].at), (1, at(2), at(3)));
    }

    #[test]
    fn is_silent_where_rl106_speaks_and_where_it_only_reconnects() {
        let reconnecting = Layer { repeat: RepeatKind::Reconnecting, ..permanent(true) };
        assert!(check_layers(&LINT, vec![permanent(false), reconnecting]).is_empty());
    }
}
