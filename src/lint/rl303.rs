//! RL303: a layer that stands in nobody's text multiplies with one that does.

use std::collections::BTreeMap;

use super::{Context, Finding, Level, Lint, Related, amplification, words};
use crate::analysis::{LayerUse, Row};
use crate::source::Span;

pub static LINT: Lint = Lint {
    code: "RL303",
    name: "hidden-retry-layer",
    summary: "a default retry that nobody wrote multiplies with another layer",
    level: Level::Warn,
    page: include_str!("../../rules/lints/RL303-hidden-retry-layer.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    // One default stands in one place, however many helpers call through it.
    let mut hidden: BTreeMap<Span, Vec<(&Row, &LayerUse)>> = BTreeMap::new();
    for row in ctx.analysis.rows.iter().filter(|r| r.owners.len() >= 2) {
        for owner in row.owners.iter().filter(|o| !o.written) {
            hidden.entry(owner.at).or_default().push((row, owner));
        }
    }
    hidden.values().map(|rows| finding(ctx, rows)).collect()
}

fn finding(ctx: &Context<'_>, rows: &[(&Row, &LayerUse)]) -> Finding {
    let (row, layer) = rows[0];
    let others: Vec<&LayerUse> = row.owners.iter().filter(|o| o.id != layer.id).collect();
    let names: Vec<String> =
        others.iter().map(|o| format!("{} in `{}`", words::attempts(&o.attempts), o.function)).collect();
    let message = format!(
        "a default that nobody wrote makes {} here and multiplies with {}: one {} can reach {} {}{}",
        words::attempts(&layer.attempts),
        words::list(&names),
        amplification::operation(ctx, row),
        row.dependency,
        words::times(&row.amplification),
        amplification::and_more(rows.len() - 1)
    );
    let source = ctx.analysis.layers.iter().find(|l| l.id == layer.id).and_then(|l| l.default_of.as_ref());
    let source = source.map(|s| format!(" (default of {s})")).unwrap_or_default();
    let help = format!("write the number of attempts down{source}: 1 if another layer is to retry");
    let mut finding = LINT.finding(layer.at, amplification::confidence(ctx, row), message, help);
    finding.context = layer.function.clone();
    finding.dependency = Some(row.dependency.clone());
    finding.related = others.iter().map(|o| Related { at: o.at, message: words::attempts(&o.attempts) }).collect();
    finding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{at, check_rows, row, used};
    use crate::value::Bound;

    fn hidden(line: u32) -> LayerUse {
        LayerUse { written: false, ..used(line, Bound::Exactly(3)) }
    }

    #[test]
    fn fires_at_the_default_once_for_all_rows() {
        let layers = || vec![used(3, Bound::Exactly(4)), hidden(5)];
        let found = check_rows(&LINT, vec![row(Bound::Exactly(12), layers()), row(Bound::Exactly(12), layers())]);
        assert_eq!((found.len(), found[0].at, found[0].related[0].at), (1, at(5), at(3)));
        assert!(found[0].message.contains("4 attempts in `shop::f3`"), "{}", found[0].message);
        assert!(found[0].message.contains("(and 1 more"), "{}", found[0].message);
    }

    #[test]
    fn a_default_alone_and_layers_that_were_written_are_silent() {
        let written = vec![used(3, Bound::Exactly(2)), used(5, Bound::Exactly(2))];
        assert!(check_rows(&LINT, vec![row(Bound::Exactly(4), written)]).is_empty());
        assert!(check_rows(&LINT, vec![row(Bound::Exactly(3), vec![hidden(5)])]).is_empty());
    }
}
