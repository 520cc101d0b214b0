//! What functions reach, before and after their bodies are effects: which can do anything at all, and what they do.

use rustc_hash::{FxHashMap, FxHashSet};

use super::loops::PlaceFacts;
use super::pats;
use super::program::{BodyId, BodyTypes, FnId, Program, Target};
use super::tree::{Expr, ExprKind, Type};
use crate::class::Endings;
use crate::effect::{self, Arg, Callee, Effect, PlaceId, Safety, Wait};
use crate::fact::Place;
use crate::model::{Does, Models};

/// Functions that can send, wait or run what they are given, directly or through others.
pub fn loud(program: &Program, bodies: &FxHashMap<BodyId, BodyTypes>, models: &Models) -> FxHashSet<FnId> {
    let mut callers: FxHashMap<FnId, Vec<FnId>> = FxHashMap::default();
    let mut open = Vec::new();
    let with_await: Vec<bool> = program.files.iter().map(|f| f.tree.exprs.iter().any(is_await)).collect();
    for (body, types) in bodies {
        let BodyId::Fn(id) = body else { continue };
        let mut itself =
            program.function(*id).is_async || with_await[program.file_of(*body)] && holds_await(program, *id);
        for target in types.targets.values() {
            match target {
                Target::Fns(ids, _) => ids.iter().for_each(|callee| callers.entry(*callee).or_default().push(*id)),
                Target::Foreign(path) => {
                    itself |= models.function(path).and_then(|f| f.does.as_ref()).is_some_and(acts)
                }
                Target::Callable => itself = true,
                Target::Many(_) | Target::Constructor(_) | Target::Unknown(_) => {}
            }
        }
        if itself {
            open.push(*id);
        }
    }
    let mut found = FxHashSet::default();
    while let Some(id) = open.pop() {
        if found.insert(id) {
            open.extend(callers.get(&id).into_iter().flatten());
        }
    }
    found
}

fn acts(does: &Does) -> bool {
    !matches!(does, Does::Local | Does::Random | Does::Status | Does::StatusToError)
}

fn is_await(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Await(_) | ExprKind::Async { .. })
}

fn holds_await(program: &Program, id: FnId) -> bool {
    let tree = program.tree_of(BodyId::Fn(id));
    let mut open: Vec<_> = program.function(id).body.into_iter().collect();
    while let Some(e) = open.pop() {
        if is_await(tree.expr(e)) {
            return true;
        }
        pats::push_children(tree, e, &mut open);
    }
    false
}

/// How a function's result can fail: a `Result` by error or answer, another value by what it says, nothing not at all.
pub fn fails(program: &Program, id: FnId) -> Endings {
    let function = program.function(id);
    let tree = program.tree_of(BodyId::Fn(id));
    let Some(result) = function.result else { return Endings::NONE };
    match tree.ty(result) {
        Type::Tuple(parts) if parts.is_empty() => Endings::NONE,
        Type::Never => Endings::NONE,
        Type::Path(path) => match path.last().map(|s| &*s.name) {
            Some("Option" | "bool" | "String" | "Vec") => Endings::STATUSES,
            _ => Endings::FAILURES,
        },
        _ => Endings::FAILURES,
    }
}

/// Facts of every place, to a fixpoint over calls.
pub fn facts(places: &[Place], fails: &[Endings]) -> FxHashMap<PlaceId, PlaceFacts> {
    let mut all: FxHashMap<PlaceId, PlaceFacts> = FxHashMap::default();
    let mut callers: FxHashMap<PlaceId, Vec<PlaceId>> = FxHashMap::default();
    for (i, place) in places.iter().enumerate() {
        let id = PlaceId(i as u32);
        let mut facts = PlaceFacts { fails: fails[i], ..PlaceFacts::default() };
        let mut callees = Vec::new();
        look(&place.body, &mut facts, &mut callees);
        callees.iter().for_each(|c| callers.entry(*c).or_default().push(id));
        all.insert(id, facts);
    }
    let mut open: Vec<PlaceId> = all.keys().copied().collect();
    open.sort();
    while let Some(id) = open.pop() {
        let from = all[&id].clone();
        for caller in callers.get(&id).into_iter().flatten() {
            let to = all.get_mut(caller).expect("every caller is a place");
            if take_over(to, &from) {
                open.push(*caller);
            }
        }
    }
    all
}

fn take_over(to: &mut PlaceFacts, from: &PlaceFacts) -> bool {
    let before = (to.remote, to.sends, to.awaits, to.sleeps.is_some());
    to.remote |= from.remote;
    to.sends |= from.sends;
    to.awaits |= from.awaits;
    if to.sleeps.is_none() {
        to.sleeps = from.sleeps.clone();
    }
    before != (to.remote, to.sends, to.awaits, to.sleeps.is_some())
}

fn look(effect: &Effect, facts: &mut PlaceFacts, callees: &mut Vec<PlaceId>) {
    stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || match effect {
        Effect::Remote(remote) => {
            facts.remote = true;
            facts.sends |= remote.safety == Safety::Unsafe || remote.verb.as_deref() == Some("PUT");
        }
        Effect::Sleep(wait) => {
            let _: &Wait = wait;
            facts.sleeps.get_or_insert_with(|| wait.clone());
        }
        Effect::Call(call) => {
            match &call.callee {
                Callee::Place(id) => callees.push(*id),
                Callee::AnyOf(_, ids) => callees.extend(ids),
                Callee::Unknown(_) => facts.awaits = true,
                Callee::Param(_) => {}
            }
            for arg in &call.args {
                match arg {
                    Arg::Closure(inner) => look(inner, facts, callees),
                    Arg::Place(id) => callees.push(*id),
                    _ => {}
                }
            }
        }
        other => effect::children(other).into_iter().for_each(|c| look(c, facts, callees)),
    });
}
