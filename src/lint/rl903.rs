//! RL903: a number that a verdict hangs on and that nothing here says.

use std::collections::BTreeSet;

use super::{Context, Finding, Level, Lint, layers, words};
use crate::analysis::Layer;
use crate::effect::{LoopId, RepeatKind};
use crate::value::Bound;

pub static LINT: Lint = Lint {
    code: "RL903",
    name: "unknown-bound",
    summary: "a number that the verdict hangs on could not be found",
    level: Level::Off,
    page: include_str!("../../rules/lints/RL903-unknown-bound.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    let on_a_path: BTreeSet<LoopId> = ctx.analysis.rows.iter().flat_map(|r| &r.layers).map(|l| l.id).collect();
    let unknown = layers::judged(ctx)
        .filter(|l| l.repeat != RepeatKind::Reconnecting && (l.reached || on_a_path.contains(&l.id)))
        .filter(|l| matches!(l.attempts, Bound::Unknown(_) | Bound::AtLeast(..)));
    layers::one_per_place(unknown.map(finding).collect())
}

fn finding(layer: &Layer) -> Finding {
    let why = match &layer.attempts {
        Bound::Unknown(why) | Bound::AtLeast(_, why) => words::because(why.as_ref()),
        Bound::Exactly(_) | Bound::AtMost(_) | Bound::Unbounded => String::new(),
    };
    let message = format!("`{}` makes {}{why}", layer.function, words::attempts(&layer.attempts));
    let help = "state it with `// retrylint: attempts = N` above the retry, or under `[values]` in retrylint.toml";
    layers::finding(&LINT, layer, layer.from.at.unwrap_or(layer.at), message, help.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{at, check_layers, layer};
    use crate::value::{Origin, Why};

    #[test]
    fn says_why_at_the_number() {
        let why = Why::new("`max` is read from the environment");
        let unknown = Layer { attempts: Bound::Unknown(Some(why)), from: Origin::literal(at(2)), ..layer(3) };
        let found = check_layers(&LINT, vec![unknown, layer(7)]);
        assert_eq!((found.len(), found[0].at, found[0].related[0].at), (1, at(2), at(3)));
        let said = "`shop::f3` makes an unknown number of attempts (`max` is read from the environment)";
        assert_eq!(found[0].message, said);
    }

    #[test]
    fn an_endless_or_reconnecting_layer_has_no_unknown_number() {
        let reconnecting = Layer { attempts: Bound::Unknown(None), repeat: RepeatKind::Reconnecting, ..layer(3) };
        let endless = Layer { attempts: Bound::Unbounded, ..layer(5) };
        assert!(check_layers(&LINT, vec![reconnecting, endless]).is_empty());
    }
}
