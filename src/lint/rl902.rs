//! RL902: a comment that does nothing, or does not say why. What a comment did is known only when all other findings
//! are there, so the pipeline makes these findings, in the words of this file.

use super::{Context, Finding, Level, Lint};
use crate::effect::Confidence;
use crate::source::Span;

pub static LINT: Lint = Lint {
    code: "RL902",
    name: "unused-suppression",
    summary: "a suppression or statement that does nothing, or has no reason",
    level: Level::Warn,
    page: include_str!("../../rules/lints/RL902-unused-suppression.md"),
    check,
};

/// See [`unused`].
fn check(_: &Context<'_>) -> Vec<Finding> {
    Vec::new()
}

/// What is wrong with a suppression or statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Idle {
    /// Nothing that it covers would be reported, or nothing uses the statement.
    DoesNothing,
    /// It works, but no reason follows ` -- `.
    NoReason,
    /// It names no lint and is no statement that is known.
    NotUnderstood,
}

/// A finding at a comment, or at an entry of retrylint.toml. `text` is what it says, such as `allow(RL104)`.
pub fn unused(at: Span, text: &str, idle: Idle) -> Finding {
    let (message, help) = match idle {
        Idle::DoesNothing => (format!("`{text}` does nothing"), "remove it".to_owned()),
        Idle::NoReason => (format!("`{text}` gives no reason"), format!("say why: `{text} -- the reason`")),
        Idle::NotUnderstood => (format!("`{text}` is not understood"), not_understood(text)),
    };
    LINT.finding(at, Confidence::High, message, help)
}

fn not_understood(text: &str) -> String {
    let inner = text.split_once('(').and_then(|(_, rest)| rest.split([',', ')']).next());
    match inner.and_then(|name| super::nearest(name.trim())) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`retrylint explain` lists the lints and statements".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::at;

    #[test]
    fn each_state_has_its_words() {
        let idle = unused(at(3), "allow(RL104)", Idle::DoesNothing);
        assert_eq!((idle.at, idle.code, idle.message.as_str()), (at(3), "RL902", "`allow(RL104)` does nothing"));
        let bare = unused(at(3), "allow(RL104)", Idle::NoReason);
        assert_eq!(bare.help, "say why: `allow(RL104) -- the reason`");
        let wrong = unused(at(3), "allow(fixed-backof)", Idle::NotUnderstood);
        assert_eq!(wrong.help, "did you mean `fixed-backoff`?");
    }
}
