//! Going through effects: their direct parts, and everything in them.

use super::{Arg, Effect};

/// The direct parts of an effect, in the order of the text; closures handed to calls are not among them.
pub fn children(effect: &Effect) -> Vec<&Effect> {
    match effect {
        Effect::Nothing
        | Effect::End(_)
        | Effect::Caught(_)
        | Effect::Call(_)
        | Effect::Remote(_)
        | Effect::Sleep(_) => Vec::new(),
        Effect::Seq(parts) | Effect::Branch(parts, _) | Effect::Join(parts, _) | Effect::Race(parts, _) => {
            parts.iter().collect()
        }
        Effect::Map(_, body)
        | Effect::Within(_, body)
        | Effect::Spawn(body)
        | Effect::Outlives(body)
        | Effect::Leave(_, body)
        | Effect::Scope(body) => {
            vec![body]
        }
        Effect::Recover(body, arms) => std::iter::once(&**body).chain(arms.iter().map(|a| &a.then)).collect(),
        Effect::Repeat(repeat) => vec![&repeat.body],
    }
}

/// Like [`children`], to change them.
pub fn children_mut(effect: &mut Effect) -> Vec<&mut Effect> {
    match effect {
        Effect::Nothing
        | Effect::End(_)
        | Effect::Caught(_)
        | Effect::Call(_)
        | Effect::Remote(_)
        | Effect::Sleep(_) => Vec::new(),
        Effect::Seq(parts) | Effect::Branch(parts, _) | Effect::Join(parts, _) | Effect::Race(parts, _) => {
            parts.iter_mut().collect()
        }
        Effect::Map(_, body)
        | Effect::Within(_, body)
        | Effect::Spawn(body)
        | Effect::Outlives(body)
        | Effect::Leave(_, body)
        | Effect::Scope(body) => {
            vec![body]
        }
        Effect::Recover(body, arms) => {
            std::iter::once(&mut **body).chain(arms.iter_mut().map(|a| &mut a.then)).collect()
        }
        Effect::Repeat(repeat) => vec![&mut repeat.body],
    }
}

/// Visits an effect and everything in it, closures handed to calls included, in the order of the text.
pub fn walk(effect: &Effect, visit: &mut dyn FnMut(&Effect)) {
    stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || {
        visit(effect);
        if let Effect::Call(call) = effect {
            for arg in &call.args {
                if let Arg::Closure(inner) = arg {
                    walk(inner, visit);
                }
            }
        }
        for child in children(effect) {
            walk(child, visit);
        }
    });
}

/// Like [`walk`], to change things on the way; the parts are visited after the whole.
pub fn walk_mut(effect: &mut Effect, visit: &mut dyn FnMut(&mut Effect)) {
    stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || {
        visit(effect);
        if let Effect::Call(call) = effect {
            for arg in &mut call.args {
                if let Arg::Closure(inner) = arg {
                    walk_mut(inner, visit);
                }
            }
        }
        for child in children_mut(effect) {
            walk_mut(child, visit);
        }
    });
}
