//! Statements in comments of every format about what the text does not say: `attempts = 3`, `idempotent`, `not-a-retry`, `owner`.

use crate::effect::{self, Effect, Key, RepeatKind, Stop};
use crate::fact::Facts;
use crate::name::Name;
use crate::source::Span;
use crate::suppress::{Comment, What};
use crate::value::{Origin, OriginKind, Value};

/// Applies every statement to what begins inside what it covers.
pub fn apply(facts: &mut Facts) {
    let stated = facts.comments.iter().filter(|c| !matches!(c.what, What::Allow(_) | What::AllowFile(_)));
    let comments: Vec<Comment> = stated.cloned().collect();
    if comments.is_empty() {
        return;
    }
    for place in &mut facts.places {
        effect::walk_mut(&mut place.body, &mut |e| state(e, &comments));
    }
    name_operations(facts, &comments);
}

fn state(effect: &mut Effect, comments: &[Comment]) {
    match effect {
        Effect::Repeat(repeat) => {
            for comment in comments.iter().filter(|c| begins_in(c, repeat.at)) {
                match &comment.what {
                    What::Attempts(n) => {
                        let origin = Origin { kind: OriginKind::Stated, at: Some(comment.at), source: None };
                        repeat.stops = vec![Stop::Count(Value::Number(*n), origin)];
                    }
                    What::NotARetry => repeat.kind = RepeatKind::Iteration,
                    What::Owner => repeat.seen.declared_owner = true,
                    _ => {}
                }
            }
        }
        Effect::Remote(remote) => {
            let stated = |c: &Comment| matches!(c.what, What::Idempotent) && begins_in(c, remote.at);
            if comments.iter().any(stated) {
                remote.key = Key::Once;
            }
        }
        _ => {}
    }
}

/// `operation = "checkout"` names the operation whose handler begins there.
fn name_operations(facts: &mut Facts, comments: &[Comment]) {
    for operation in &mut facts.operations {
        for comment in comments.iter().filter(|c| begins_in(c, operation.at)) {
            if let What::Operation(name) = &comment.what {
                operation.name = Name::new(name);
            }
        }
    }
}

fn begins_in(comment: &Comment, at: Span) -> bool {
    comment.covers.file == at.file && (comment.covers.start..=comment.covers.end).contains(&at.start)
}
