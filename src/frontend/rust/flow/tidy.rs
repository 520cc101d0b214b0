//! Small effects put together without leaving rubble behind.

use crate::class::{Ending, Endings, FailureClass};
use crate::effect::{Arm, Effect, Exit, Judged};

/// One after another; nothing is left out, nesting is flattened.
pub fn seq(parts: Vec<Effect>) -> Effect {
    let mut flat = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Effect::Nothing => {}
            Effect::Seq(inner) => flat.extend(inner),
            other => flat.push(other),
        }
    }
    match flat.len() {
        0 => Effect::Nothing,
        1 => flat.remove(0),
        _ => Effect::Seq(flat),
    }
}

/// Exactly one of several; equal ones are one.
pub fn branch(parts: Vec<Effect>, judged: Judged) -> Effect {
    let mut different: Vec<Effect> = Vec::with_capacity(parts.len());
    for part in parts {
        if !different.contains(&part) {
            different.push(part);
        }
    }
    match different.len() {
        0 => Effect::Nothing,
        1 => different.remove(0),
        _ => Effect::Branch(different, judged),
    }
}

/// Whether evaluating it can do anything at all but succeed.
pub fn is_pure(effect: &Effect) -> bool {
    matches!(effect, Effect::Nothing | Effect::End(Ending::Ok))
}

/// Whether it does nothing but wait, if that: how such an effect ends says nothing about its value.
pub fn only_waits(effect: &Effect) -> bool {
    match effect {
        Effect::Nothing | Effect::End(Ending::Ok) | Effect::Sleep(_) => true,
        Effect::Seq(parts) => parts.iter().all(only_waits),
        _ => false,
    }
}

/// The value is dropped: failures go on as success.
pub fn dropped(effect: Effect) -> Effect {
    match effect {
        Effect::Nothing | Effect::End(_) | Effect::Caught(_) => Effect::Nothing,
        Effect::Sleep(_) | Effect::Spawn(_) | Effect::Leave(..) => effect,
        Effect::Call(_)
        | Effect::Remote(_)
        | Effect::Within(..)
        | Effect::Map(..)
        | Effect::Repeat(_)
        | Effect::Recover(..) => recover(effect, vec![Arm { on: Endings::FAILURES, then: Effect::Nothing }]),
        Effect::Seq(mut parts) => {
            if let Some(last) = parts.pop() {
                parts.push(dropped(last));
            }
            seq(parts)
        }
        Effect::Branch(parts, judged) => branch(parts.into_iter().map(dropped).collect(), judged),
        other => recover(other, vec![Arm { on: Endings::FAILURES, then: Effect::Nothing }]),
    }
}

pub fn recover(body: Effect, arms: Vec<Arm>) -> Effect {
    let arms: Vec<Arm> = arms.into_iter().filter(|a| !a.on.is_empty()).collect();
    if arms.is_empty() || (is_pure(&body) && !arms.iter().any(|a| a.on.has(Ending::Ok))) {
        return body;
    }
    Effect::Recover(Box::new(body), arms)
}

pub fn leave(exit: Exit, inner: Effect) -> Effect {
    match inner {
        Effect::Leave(..) => inner,
        other => Effect::Leave(exit, Box::new(other)),
    }
}

/// `?`: errors leave the function, success and answers go on.
pub fn tried(effect: Effect) -> Effect {
    tried_on(effect, Endings::ERRORS)
}

/// `?` where only some errors are errors of the value.
pub fn tried_on(effect: Effect, on: Endings) -> Effect {
    if is_pure(&effect) || matches!(effect, Effect::Leave(..) | Effect::Sleep(_) | Effect::Spawn(_)) {
        return effect;
    }
    recover(effect, vec![Arm { on, then: leave(Exit::Return, Effect::Caught(0)) }])
}

/// A function's body: where `return` lands.
pub fn scope(inner: Effect) -> Effect {
    if is_pure(&inner) || !holds_return(&inner) { inner } else { Effect::Scope(Box::new(inner)) }
}

/// Whether a `return` of this scope stands in it.
fn holds_return(effect: &Effect) -> bool {
    stacker::maybe_grow(64 * 1024, 1024 * 1024, || match effect {
        Effect::Leave(Exit::Return, _) => true,
        Effect::Scope(_) => false,
        other => crate::effect::children(other).into_iter().any(holds_return),
    })
}

/// Every status of a failure class becomes the error of that class, `application` too if asked.
pub fn statuses_to_errors(body: Effect, application: bool) -> Effect {
    if is_pure(&body) {
        return body;
    }
    let rules = FailureClass::ALL.into_iter().filter(|c| application || *c != FailureClass::Application);
    let rules = rules.map(|c| (Endings::one(Ending::Status(c)), Endings::one(Ending::Error(c)))).collect();
    Effect::Map(rules, Box::new(body))
}

/// Whether all of it ends in an error of the program's own that hangs on no answer: a check of input, a closed state.
/// In every scenario all but the failing dependency succeed, so that such a path is in none.
pub fn fails_by_itself(effect: &Effect) -> bool {
    match effect {
        Effect::End(Ending::Error(_)) => true,
        Effect::Leave(Exit::Return | Exit::Break(_), inner) => fails_by_itself(inner),
        Effect::Seq(parts) => {
            parts.iter().any(fails_by_itself) && parts.iter().all(|p| fails_by_itself(p) || is_pure(p))
        }
        Effect::Branch(parts, _) => parts.iter().all(fails_by_itself),
        _ => false,
    }
}

/// Whether control surely goes elsewhere than on or to the head of a loop.
pub fn leaves(effect: &Effect) -> bool {
    stacker::maybe_grow(64 * 1024, 1024 * 1024, || match effect {
        Effect::Leave(Exit::Return | Exit::Break(_), _) | Effect::End(Ending::Error(_)) | Effect::Caught(_) => true,
        Effect::Seq(parts) => parts.iter().any(leaves),
        Effect::Branch(parts, _) => !parts.is_empty() && parts.iter().all(leaves),
        _ => false,
    })
}

/// Whether anything in it asks what failed.
pub fn looks_at_error(effect: &Effect) -> bool {
    stacker::maybe_grow(64 * 1024, 1024 * 1024, || match effect {
        Effect::Branch(_, Judged::Error | Judged::Answer) => true,
        other => crate::effect::children(other).into_iter().any(looks_at_error),
    })
}
