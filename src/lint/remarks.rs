//! Findings about single settings. A format's own rules found what is wrong with a setting; a lint says at which level.

use super::{Context, Finding, Lint};
use crate::effect::Confidence;
use crate::fact::{Remark, RemarkKind};

/// One finding per place and message, in the order of the facts.
pub fn findings(lint: &Lint, ctx: &Context<'_>, kind: RemarkKind) -> Vec<Finding> {
    let mut seen = std::collections::HashSet::new();
    let here = ctx.facts.remarks.iter().filter(|r| r.is == kind);
    here.filter(|r| seen.insert((r.at, r.message.as_str()))).map(|r| finding(lint, r)).collect()
}

fn finding(lint: &Lint, remark: &Remark) -> Finding {
    let mut finding = lint.finding(remark.at, Confidence::High, remark.message.clone(), remark.help.clone());
    finding.context = remark.context.clone();
    finding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::fact::Facts;
    use crate::lint::testing::{at, run_with};

    #[test]
    fn a_remark_is_a_finding_of_its_kind_alone() {
        let remark = |is, line| Remark {
            is,
            at: at(line),
            context: "route".into(),
            message: "`num_retries` 3 without `retry_on`".to_owned(),
            help: "say what to retry".to_owned(),
        };
        let remarks = vec![remark(RemarkKind::Dead, 4), remark(RemarkKind::Dead, 4), remark(RemarkKind::Rejected, 6)];
        let facts = Facts { remarks, ..Facts::default() };
        let found = run_with(&facts, Analysis::default(), crate::lint::rl309::LINT.check);
        assert_eq!(found.iter().map(|f| (f.code, f.at)).collect::<Vec<_>>(), [("RL309", at(4))]);
    }
}
