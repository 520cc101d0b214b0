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

use rustc_hash::{FxHashMap, FxHashSet};

pub use index::{BodyIndex, Cell, Change, Part, Source, cell, root};
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
const DEEPEST: u32 = 160;
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
    /// Answers that were cut short, for the rest of the question from outside that is being answered: without them a
    /// circle of fields and parameters is gone round once per path.
    tentative: RefCell<FxHashMap<Asked, Val>>,
    active: RefCell<FxHashSet<Asked>>,
    /// Values that locals have while their own reassignment is looked at.
    assumed: RefCell<Vec<(BodyId, PatId, Val)>>,
    depth: Counter<u32>,
    fuel: Counter<u32>,
    /// How often a question was cut short; what was cut is not kept.
    cuts: Counter<u32>,
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
            tentative: RefCell::default(),
            active: RefCell::default(),
            assumed: RefCell::default(),
            depth: Counter::new(0),
            fuel: Counter::new(FUEL),
            cuts: Counter::new(0),
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
    fn ask(&self, question: Asked, answer: impl FnOnce(&Self) -> Val) -> Val {
        if let Some(known) = self.known.borrow().get(&question) {
            return known.clone();
        }
        let depth = self.depth.get();
        if depth == 0 {
            self.fuel.set(FUEL);
            self.tentative.borrow_mut().clear();
        } else if let Some(cut) = self.tentative.borrow().get(&question) {
            self.cuts.set(self.cuts.get() + 1);
            return cut.clone();
        }
        let fuel = self.fuel.get();
        if depth >= DEEPEST || fuel == 0 {
            self.cuts.set(self.cuts.get() + 1);
            return Val::unknown("computed through too many steps");
        }
        if !self.active.borrow_mut().insert(question.clone()) {
            self.cuts.set(self.cuts.get() + 1);
            return Val::unknown("computed from itself");
        }
        let cuts = self.cuts.get();
        self.depth.set(depth + 1);
        self.fuel.set(fuel - 1);
        let value = stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || answer(self));
        self.depth.set(depth);
        self.active.borrow_mut().remove(&question);
        let sound = self.cuts.get() == cuts && self.assumed.borrow().is_empty();
        if sound || depth == 0 {
            self.known.borrow_mut().insert(question, value.clone());
        } else if self.assumed.borrow().is_empty() {
            self.tentative.borrow_mut().insert(question, value.clone());
        }
        value
    }
}
