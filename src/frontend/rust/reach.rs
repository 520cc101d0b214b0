//! What functions reach, before and after their bodies are effects: which can do anything at all, and what they do.

use rustc_hash::{FxHashMap, FxHashSet};

use super::loops::PlaceFacts;
use super::pats;
use super::program::{BodyId, BodyTypes, FnId, Program, Target};
use super::tree::{Expr, ExprKind, Type};
use crate::class::Endings;
use crate::effect::{self, Arg, Callee, Effect, PlaceId, Safety, Shape, Wait};
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

/// Who calls a place, and whether in a loop.
type Callers = FxHashMap<PlaceId, Vec<(PlaceId, bool)>>;

/// Facts of every place, to a fixpoint over calls.
pub fn facts(places: &[Place], fails: &[Endings]) -> FxHashMap<PlaceId, PlaceFacts> {
    let mut all: FxHashMap<PlaceId, PlaceFacts> = FxHashMap::default();
    let mut callers = Callers::default();
    for (i, place) in places.iter().enumerate() {
        let id = PlaceId(i as u32);
        let facts = PlaceFacts { fails: fails[i], ..PlaceFacts::default() };
        let mut look = Look { facts, callees: Vec::new(), loops: 0, joins: waits(&place.body) };
        look.at(&place.body);
        look.callees.iter().for_each(|(c, in_loop)| callers.entry(*c).or_default().push((id, *in_loop)));
        all.insert(id, look.facts);
    }
    let mut open: Vec<PlaceId> = all.keys().copied().collect();
    open.sort();
    while let Some(id) = open.pop() {
        let from = all[&id].clone();
        for (caller, in_loop) in callers.get(&id).into_iter().flatten() {
            let to = all.get_mut(caller).expect("every caller is a place");
            if take_over(to, &from, *in_loop) {
                open.push(*caller);
            }
        }
    }
    all
}

fn take_over(to: &mut PlaceFacts, from: &PlaceFacts, in_loop: bool) -> bool {
    let before = (to.remote, to.sends, to.awaits, to.sleeps.as_ref().map(|w| w.shape));
    to.remote |= from.remote;
    to.sends |= from.sends;
    to.awaits |= from.awaits;
    if let Some(wait) = &from.sleeps {
        keep_known(&mut to.sleeps, wait, in_loop);
    }
    before != (to.remote, to.sends, to.awaits, to.sleeps.as_ref().map(|w| w.shape))
}

/// The first wait whose length is followed says more than one that is not. Nobody knows how often a loop waits.
fn keep_known(sleeps: &mut Option<Wait>, wait: &Wait, in_loop: bool) {
    let known = wait.shape != Shape::Unknown && !in_loop;
    match sleeps {
        Some(before) if before.shape != Shape::Unknown || !known => {}
        _ if known => *sleeps = Some(wait.clone()),
        _ => *sleeps = Some(wait.at.map_or_else(Wait::none, Wait::unknown)),
    }
}

/// Whether a body itself waits for something: a pause, a message, the end of a task.
fn waits(effect: &Effect) -> bool {
    stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || match effect {
        Effect::Sleep(_) => true,
        Effect::Spawn(_) => false,
        other => effect::children(other).into_iter().any(waits),
    })
}

/// A walk over one body.
struct Look {
    facts: PlaceFacts,
    callees: Vec<(PlaceId, bool)>,
    /// Loops around.
    loops: u32,
    /// It waits for what its tasks do; otherwise that is not its success or failure.
    joins: bool,
}

impl Look {
    fn at(&mut self, effect: &Effect) {
        stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || self.inside(effect));
    }

    fn inside(&mut self, effect: &Effect) {
        match effect {
            Effect::Remote(remote) => {
                self.facts.remote = true;
                self.facts.sends |= remote.safety == Safety::Unsafe || remote.verb.as_deref() == Some("PUT");
            }
            Effect::Sleep(wait) => keep_known(&mut self.facts.sleeps, wait, self.loops > 0),
            Effect::Call(call) => self.call(call),
            Effect::Spawn(_) if !self.joins => {}
            Effect::Repeat(repeat) => {
                self.loops += 1;
                self.at(&repeat.body);
                self.loops -= 1;
            }
            other => effect::children(other).into_iter().for_each(|c| self.at(c)),
        }
    }

    fn call(&mut self, call: &effect::Call) {
        let in_loop = self.loops > 0;
        match &call.callee {
            Callee::Place(id) => self.callees.push((*id, in_loop)),
            Callee::AnyOf(_, ids) => self.callees.extend(ids.iter().map(|id| (*id, in_loop))),
            Callee::Unknown(_) => self.facts.awaits = true,
            Callee::Param(_) => {}
        }
        for arg in &call.args {
            match arg {
                Arg::Closure(inner) => self.at(inner),
                Arg::Place(id) => self.callees.push((*id, in_loop)),
                _ => {}
            }
        }
    }
}
