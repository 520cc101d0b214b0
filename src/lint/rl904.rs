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

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    let enclosing = Enclosing::new(ctx);
    ctx.analysis.unresolved.iter().map(|(at, host)| finding(*at, host, &enclosing)).collect()
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
    use crate::lint::testing::{at, facts, run_with};
    use crate::name::Name;

    #[test]
    fn a_host_that_nothing_defines_is_said_once() {
        let analysis = Analysis { unresolved: vec![(at(6), Name::new("payments:8080"))], ..Analysis::default() };
        let found = run_with(&facts(), analysis, check);
        assert_eq!((found.len(), found[0].at), (1, at(6)));
        assert_eq!(found[0].message, "`payments:8080` leads to nothing that is defined here");
    }
}
