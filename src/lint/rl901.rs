//! RL901: input that was claimed and could not be read. The run goes on without it, so its numbers may be too small.

use super::{Context, Finding, Level, Lint};
use crate::effect::Confidence;
use crate::source::Span;

pub static LINT: Lint = Lint {
    code: "RL901",
    name: "unreadable-input",
    summary: "a file that belongs to the input could not be read",
    level: Level::Warn,
    page: include_str!("../../rules/lints/RL901-unreadable-input.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    let problems = ctx.facts.problems.iter();
    problems
        .map(|problem| {
            let at = Span::new(problem.file, problem.at, problem.at);
            let message = format!("{} could not be read: {}", ctx.sources.path(at), problem.message);
            let help = "nothing in this file is part of the result: correct it, or exclude it under `[paths]`";
            LINT.finding(at, Confidence::High, message, help.to_owned())
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::fact::Problem;
    use crate::lint::testing::{at, facts, run, run_with};

    #[test]
    fn says_which_file_and_why() {
        let mut facts = facts();
        facts.problems.push(Problem { file: at(4).file, at: at(4).start, message: "expected `;`".to_owned() });
        let found = run_with(&facts, Analysis::default(), check);
        assert_eq!(found[0].at.start, at(4).start);
        assert_eq!(found[0].message, "src/lib.rs could not be read: expected `;`");
        assert!(run(Analysis::default(), check).is_empty());
    }
}
