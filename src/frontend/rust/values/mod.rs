//! What an expression can be: numbers, durations, texts, clients and policies, without running anything.
//!
//! Values are asked for, never computed ahead. An answer is kept, so that asking twice costs nothing; a question that
//! leads back to itself, or too deep, gets the answer "not known". A function's result is computed once with its
//! parameters open and then bound at each call, so no chain of calls makes the work grow with its number of paths.

mod attrs;
mod call;
mod expr;
mod fields;
mod index;
mod methods;
mod models;
mod number;
mod text;
pub mod walk;

#[cfg(test)]
pub(super) mod tests;

use std::cell::{Cell as Counter, RefCell};
use std::rc::Rc;

use rustc_hash::FxHashMap;

pub use index::{BodyIndex, Cell, Change, Part, Source, cell, is_mutable, root};
pub use models::inner_type;
pub use number::{any, binary, bind, float, largest, unwrap, value_hangs};

use super::program::{AdtId, BodyId, BodyTypes, FnId, Program, Target, Ty};
use super::tree::{ExprId, ExprKind, PatId, RustFile};
use super::val::Val;
use crate::model::Models;
use crate::name::Name;
use crate::settings::Settings;
use crate::source::Span;
use crate::value::{Origin, Value};

/// Expressions inside one another, calls included.
const DEEPEST: u32 = 1000;
/// Expressions looked at for one question from outside.
const FUEL: u32 = 8_000;
/// Callers looked at for one parameter, and places for one field.
const PLACES: usize = 2_000;

/// A question that is being answered.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Asked {
    Expr(BodyId, ExprId),
    Result(FnId),
    Field(AdtId, Name),
    Parameter(FnId, u16),
}

pub struct Values<'a> {
    pub program: &'a Program,
    pub bodies: &'a FxHashMap<BodyId, BodyTypes>,
    pub models: &'a Models,
    pub settings: &'a Settings,
    index: index::Index,
    body_index: RefCell<FxHashMap<BodyId, Rc<BodyIndex>>>,
    known: RefCell<FxHashMap<Asked, Val>>,
    /// Questions that are being answered, with their depth.
    active: RefCell<FxHashMap<Asked, u32>>,
    /// Answers that hang on an open question, in the order in which they came.
    open_answers: RefCell<FxHashMap<Asked, Val>>,
    open_order: RefCell<Vec<Asked>>,
    /// Answers that hung on others: one that comes out the same where other questions are open does not depend on them.
    given_up: RefCell<FxHashMap<Asked, Val>>,
    /// No answer among them hangs on a question further out.
    floor: Counter<u32>,
    /// The outermost open question that the question being answered hangs on.
    hangs: Counter<u32>,
    /// The same for the depth at which an assumption that it used was made.
    supposes: Counter<u32>,
    /// Values that locals have while their own reassignment is looked at.
    assumed: RefCell<Vec<(BodyId, PatId, Val, u32)>>,
    depth: Counter<u32>,
    fuel: Counter<u32>,
    /// Spellings that models use: the same few paths are asked for everywhere.
    canonical: RefCell<FxHashMap<Name, Name>>,
    nothing: BodyTypes,
}

impl<'a> Values<'a> {
    pub fn new(
        program: &'a Program,
        bodies: &'a FxHashMap<BodyId, BodyTypes>,
        models: &'a Models,
        settings: &'a Settings,
    ) -> Values<'a> {
        Values {
            program,
            bodies,
            models,
            settings,
            index: index::Index::build(program, bodies),
            body_index: RefCell::default(),
            known: RefCell::default(),
            active: RefCell::default(),
            open_answers: RefCell::default(),
            open_order: RefCell::default(),
            given_up: RefCell::default(),
            floor: Counter::new(u32::MAX),
            hangs: Counter::new(u32::MAX),
            supposes: Counter::new(u32::MAX),
            assumed: RefCell::default(),
            depth: Counter::new(0),
            fuel: Counter::new(FUEL),
            canonical: RefCell::default(),
            nothing: BodyTypes::default(),
        }
    }

    /// What the expression can be, seen from inside its function: parameters stay open.
    pub fn eval(&self, body: BodyId, e: ExprId) -> Val {
        self.ask(Asked::Expr(body, e), |v| v.eval_expr(body, e))
    }

    /// The result of a function of the tree with its parameters open.
    pub fn result_of(&self, f: FnId) -> Val {
        self.ask(Asked::Result(f), |v| v.eval_result(f))
    }

    /// What any place of the tree gives to a field of a type.
    pub fn field_of(&self, adt: AdtId, name: &Name) -> Val {
        self.ask(Asked::Field(adt, name.clone()), |v| v.eval_field(adt, name))
    }

    /// What any caller hands to a parameter (a receiver counts as 0). Nobody calls it: not known.
    pub fn parameter(&self, f: FnId, i: u16) -> Val {
        self.ask(Asked::Parameter(f, i), |v| v.eval_parameter(f, i))
    }

    /// Parameters that are left open in a value, closed with what all callers hand over.
    pub fn close(&self, body: BodyId, value: Val) -> Val {
        let BodyId::Fn(f) = body else { return value };
        if !number::hangs(&value) {
            return value;
        }
        let function = self.program.function(f);
        let count = function.params.len() + usize::from(function.receiver.is_some());
        let args: Vec<Val> = (0..count).map(|i| self.parameter(f, i as u16)).collect();
        number::bind(&value, &args)
    }

    /// The arguments that callers hand to a parameter (a receiver counts as 0), and the bodies in which they stand.
    pub fn params_of_callers(&self, f: FnId, index: u16) -> Vec<(BodyId, ExprId)> {
        let calls = self.index.callers.get(&f).map(Vec::as_slice).unwrap_or_default();
        let has_receiver = self.program.function(f).receiver.is_some();
        calls.iter().filter_map(|(body, e)| Some((*body, self.argument(*body, *e, has_receiver, index)?))).collect()
    }

    /// The calls that lead to a function.
    pub fn callers(&self, f: FnId) -> &[(BodyId, ExprId)] {
        self.index.callers.get(&f).map(Vec::as_slice).unwrap_or_default()
    }

    /// The largest count this value can be. Parameters stay open.
    pub fn as_count(&self, value: &Val) -> (Value, Origin) {
        largest(value)
    }

    /// The largest number of milliseconds this value can be.
    pub fn as_ms(&self, value: &Val) -> (Value, Origin) {
        largest(value)
    }

    pub fn tree(&self, body: BodyId) -> &'a RustFile {
        self.program.tree_of(body)
    }

    pub fn types(&self, body: BodyId) -> &BodyTypes {
        self.bodies.get(&body).unwrap_or(&self.nothing)
    }

    pub fn span(&self, body: BodyId, e: ExprId) -> Span {
        self.program.span(body, self.tree(body).expr(e).at)
    }

    pub fn type_of(&self, body: BodyId, e: ExprId) -> Option<&Ty> {
        self.types(body).types.get(&e)
    }

    pub fn target(&self, body: BodyId, e: ExprId) -> Option<&Target> {
        self.types(body).targets.get(&e)
    }

    /// Bindings, changes and parents in one body.
    pub fn locals(&self, body: BodyId) -> Rc<BodyIndex> {
        if let Some(found) = self.body_index.borrow().get(&body) {
            return found.clone();
        }
        let built = Rc::new(BodyIndex::build(self.program, body, self.types(body)));
        self.body_index.borrow_mut().insert(body, built.clone());
        built
    }

    /// The spelling that models use for a path.
    fn canonical(&self, path: &str) -> Name {
        if let Some(found) = self.canonical.borrow().get(path) {
            return found.clone();
        }
        let found = self.models.canonical(path);
        self.canonical.borrow_mut().insert(Name::new(path), found.clone());
        found
    }

    /// A number stated in `[values]` of the settings.
    fn stated(&self, name: &str) -> Option<u64> {
        self.settings.values.get(name).copied()
    }

    fn argument(&self, body: BodyId, call: ExprId, has_receiver: bool, index: u16) -> Option<ExprId> {
        match &self.tree(body).expr(call).kind {
            ExprKind::Call { args, .. } => args.get(index as usize).copied(),
            ExprKind::Method { receiver, args, .. } => match (has_receiver, index) {
                (true, 0) => Some(*receiver),
                (true, i) => args.get(i as usize - 1).copied(),
                (false, i) => args.get(i as usize).copied(),
            },
            _ => None,
        }
    }

    /// Answers once: keeps answers, cuts circles and depths.
    ///
    /// An answer that was cut short at a question still open hangs on that question. It is kept only until that one is
    /// answered, and whatever used it hangs on it too; the open question itself hangs on nothing and is kept for good.
    fn ask(&self, question: Asked, answer: impl FnOnce(&Self) -> Val) -> Val {
        if let Some(known) = self.known.borrow().get(&question) {
            return known.clone();
        }
        if let Some(known) = self.open_answers.borrow().get(&question) {
            self.hangs_on(self.floor.get());
            return known.clone();
        }
        let depth = self.depth.get();
        if depth == 0 {
            self.fuel.set(FUEL);
        }
        let fuel = self.fuel.get();
        if depth >= DEEPEST || fuel == 0 {
            self.hangs_on(0);
            return Val::unknown("computed through too many steps");
        }
        if let Some(open) = self.active.borrow().get(&question) {
            self.hangs_on(*open);
            return Val::unknown("computed from itself");
        }
        self.active.borrow_mut().insert(question.clone(), depth);
        self.fuel.set(fuel - 1);
        self.answered(question, depth, answer)
    }

    fn answered(&self, question: Asked, depth: u32, answer: impl FnOnce(&Self) -> Val) -> Val {
        let outside = (self.hangs.replace(u32::MAX), self.supposes.replace(u32::MAX));
        let first = self.open_order.borrow().len();
        self.depth.set(depth + 1);
        let value = stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || answer(self));
        self.depth.set(depth);
        self.active.borrow_mut().remove(&question);
        let (mut hangs, supposes) = (self.hangs.get(), self.supposes.get());
        if hangs < depth && supposes > depth && self.given_up.borrow().get(&question) == Some(&value) {
            hangs = u32::MAX;
        }
        // What it supposed itself is over now: an assumption is counted where the question that made it stands, plus one.
        let supposed = supposes <= depth;
        if depth == 0 || (hangs >= depth && !supposed) {
            self.known.borrow_mut().insert(question, value.clone());
        } else if !supposed {
            self.open_order.borrow_mut().push(question.clone());
            self.open_answers.borrow_mut().insert(question, value.clone());
        }
        if hangs >= depth {
            self.forget(first);
        } else {
            self.floor.set(self.floor.get().min(hangs));
        }
        let kept = if hangs >= depth { u32::MAX } else { hangs };
        self.hangs.set(outside.0.min(kept));
        self.supposes.set(outside.1.min(if supposed { supposes } else { u32::MAX }));
        value
    }

    fn hangs_on(&self, open: u32) {
        self.hangs.set(self.hangs.get().min(open));
    }

    /// Answers that hung on a question that is answered now.
    fn forget(&self, first: usize) {
        let mut order = self.open_order.borrow_mut();
        let mut answers = self.open_answers.borrow_mut();
        let mut given_up = self.given_up.borrow_mut();
        for gone in order.drain(first..) {
            if let Some(value) = answers.remove(&gone) {
                given_up.insert(gone, value);
            }
        }
        if order.is_empty() {
            self.floor.set(u32::MAX);
        }
    }

    /// Looks at something while a local has a certain value.
    fn supposing<T>(&self, body: BodyId, pat: PatId, value: Val, look: impl FnOnce() -> T) -> T {
        self.assumed.borrow_mut().push((body, pat, value, self.depth.get()));
        let found = look();
        self.assumed.borrow_mut().pop();
        found
    }

    fn supposed(&self, body: BodyId, pat: PatId) -> Option<Val> {
        let assumed = self.assumed.borrow();
        let (_, _, value, depth) = assumed.iter().rev().find(|(b, p, ..)| (*b, *p) == (body, pat))?;
        self.supposes.set(self.supposes.get().min(*depth));
        Some(value.clone())
    }
}
