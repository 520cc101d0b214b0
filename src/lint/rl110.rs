//! RL110: the attempts are counted, but nobody counts the time.

use super::{Context, Finding, Level, Lint, layers, words};
use crate::analysis::Layer;
use crate::effect::{Form, RepeatKind};

pub static LINT: Lint = Lint {
    code: "RL110",
    name: "count-without-deadline",
    summary: "a retry is bounded by count but by no overall deadline",
    level: Level::Off,
    page: include_str!("../../rules/lints/RL110-count-without-deadline.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    let open = layers::judged(ctx).filter(|l| l.repeat == RepeatKind::Retry && is_open(l));
    open.map(|layer| finding(ctx, layer)).collect()
}

fn is_open(layer: &Layer) -> bool {
    layer.reached && !layer.detached && !layer.stops_otherwise && layers::most(&layer.attempts).is_some()
}

fn finding(ctx: &Context<'_>, layer: &Layer) -> Finding {
    let message = format!(
        "`{}` counts its attempts and nothing limits them together: {}",
        layer.function,
        words::attempts_of(ctx, layer)
    );
    let help = match layer.form {
        Form::Proxy | Form::Mesh => "set a limit for the whole request, all attempts together",
        _ => "put one deadline around all attempts, such as `tokio::time::timeout`",
    };
    layers::finding(&LINT, layer, layer.at, message, help.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{at, check_layers, layer};
    use crate::value::Bound;

    #[test]
    fn a_deadline_or_no_count_says_nothing() {
        let counted = Layer { attempts: Bound::Exactly(3), reached: true, stops_otherwise: false, ..layer(3) };
        let limited = Layer { stops_otherwise: true, ..counted.clone() };
        let endless = Layer { attempts: Bound::Unbounded, ..counted.clone() };
        assert_eq!(check_layers(&LINT, vec![counted]).iter().map(|f| f.at).collect::<Vec<_>>(), [at(3)]);
        assert!(check_layers(&LINT, vec![limited, endless]).is_empty());
    }
}
