//! RL904: a name that leads nowhere, so that whatever retries behind it is not in the numbers.

use super::layers::Enclosing;
use super::{Context, Finding, Level, Lint};
use crate::effect::Confidence;
use crate::source::Span;

pub static LINT: Lint = Lint {
    code: "RL904",
    name: "unresolved-link",
    summary: "a host or upstream is named that nothing here defines",
    level: Level::Off,
    page: include_str!("../../rules/lints/RL904-unresolved-link.md"),
    check,
};

/// How the text of a gap begins that is about a link between two parts of the tree.
pub const UNRESOLVED_LINK: &str = "unresolved link: ";

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    let enclosing = Enclosing::new(ctx);
    let links = ctx.facts.gaps.iter().filter_map(|gap| Some((gap.at?, gap.text.strip_prefix(UNRESOLVED_LINK)?)));
    links.map(|(at, name)| finding(at, name, &enclosing)).collect()
}

fn finding(at: Span, name: &str, enclosing: &Enclosing<'_>) -> Finding {
    let message = format!("`{name}` leads to nothing that is defined here");
    let help = "say what it is in retrylint.toml: a `[[service]]` with this host, or a `[[dependency]]`";
    let mut finding = LINT.finding(at, Confidence::High, message, help.to_owned());
    finding.context = enclosing.name(at);
    finding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::fact::Gap;
    use crate::lint::testing::{at, facts, run_with};
    use crate::name::Name;

    #[test]
    fn only_gaps_about_links_are_reported() {
        let mut facts = facts();
        let gap = |text: String| Gap { at: Some(at(6)), text: Name::from(text) };
        facts.gaps = vec![gap(format!("{UNRESOLVED_LINK}payments:8080")), gap("a loop with too many paths".to_owned())];
        let found = run_with(&facts, Analysis::default(), check);
        assert_eq!((found.len(), found[0].at), (1, at(6)));
        assert_eq!(found[0].message, "`payments:8080` leads to nothing that is defined here");
    }
}
