//! RL304: services that call each other in a circle with a retry on it.

use super::{Context, Finding, Level, Lint};
use crate::analysis::Cycle;
use crate::effect::Confidence;

pub static LINT: Lint = Lint {
    code: "RL304",
    name: "retry-cycle",
    summary: "services call each other in a circle with a retry on it",
    level: Level::Error,
    page: include_str!("../../rules/lints/RL304-retry-cycle.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    ctx.analysis.cycles.iter().map(finding).collect()
}

fn finding(cycle: &Cycle) -> Finding {
    let way: Vec<&str> = cycle.services.iter().map(|s| s.as_str()).collect();
    let message = format!("this retry stands on a circle of calls, {}: each turn multiplies again", way.join(" → "));
    let help = "let one of them answer without asking the others, or retry nowhere on the circle".to_owned();
    let mut finding = LINT.finding(cycle.at, Confidence::High, message, help);
    finding.context = cycle.function.clone();
    finding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::effect::LoopId;
    use crate::lint::testing::{at, run};

    #[test]
    fn a_retry_on_a_circle_names_the_way() {
        let services = ["catalog", "price", "catalog"].map(Into::into).to_vec();
        let cycle = Cycle { at: at(4), layer: LoopId(1), function: "catalog::item".into(), services };
        let found = run(Analysis { cycles: vec![cycle], ..Analysis::default() }, super::check);
        assert_eq!((found.len(), found[0].at), (1, at(4)));
        assert!(found[0].message.contains("catalog → price → catalog"), "{}", found[0].message);
    }
}
