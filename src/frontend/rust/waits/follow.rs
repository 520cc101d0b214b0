//! From an expression to its [`Delay`], through locals, fields, and functions of the tree.

use std::cell::{Cell as Counter, RefCell};

use super::{Delay, Grows, combine, jitter};
use crate::effect::Jitter;
use crate::frontend::rust::program::{BodyId, FnId, Target, Ty};
use crate::frontend::rust::tree::{BinaryOp, ExprId, ExprKind, MacroArgs, Stmt, UnaryOp};
use crate::frontend::rust::val::Val;
use crate::frontend::rust::values::{Cell, Values, cell, float, largest, root, walk};
use crate::name::split_last;
use crate::source::Span;

/// A product that cannot overflow: only what was risky before stays so.
fn multiply_guarded(a: Delay, b: Delay, place: Span) -> Delay {
    let risky = a.risky.or(b.risky);
    Delay { risky, ..combine::multiply(a, b, place) }
}

/// Calls inside calls that are followed.
const DEEPEST: usize = 12;
/// Expressions looked at for one wait.
const FUEL: u32 = 4_000;

pub struct Follow<'v, 'a> {
    pub values: &'v Values<'a>,
    /// The loop whose turns count, and the body it stands in.
    pub the_loop: Option<(BodyId, ExprId)>,
    /// What the functions that are being followed were handed, outermost first.
    pub frames: RefCell<Vec<(FnId, Vec<Delay>)>>,
    /// A variable whose own change is being looked at.
    pub itself: RefCell<Vec<(BodyId, Cell)>>,
    /// Parameters whose callers are being looked at.
    pub chased: RefCell<Vec<(FnId, u16)>>,
    /// Loops in callers that turn the wait.
    pub loops: RefCell<Vec<(BodyId, ExprId)>>,
    pub fuel: Counter<u32>,
}

impl<'v, 'a> Follow<'v, 'a> {
    pub fn new(values: &'v Values<'a>, the_loop: Option<(BodyId, ExprId)>) -> Follow<'v, 'a> {
        Follow {
            values,
            the_loop,
            frames: RefCell::default(),
            itself: RefCell::default(),
            chased: RefCell::default(),
            loops: RefCell::default(),
            fuel: Counter::new(FUEL),
        }
    }

    pub fn delay(&self, body: BodyId, e: ExprId) -> Delay {
        if self.fuel.get() == 0 {
            return Delay::unknown();
        }
        self.fuel.set(self.fuel.get() - 1);
        stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || self.look(body, e))
    }

    fn look(&self, body: BodyId, e: ExprId) -> Delay {
        if let Some(known) = self.constant(body, e) {
            return known;
        }
        let values = self.values;
        match &values.tree(body).expr(e).kind {
            ExprKind::Path(_) | ExprKind::Field { .. } => self.variable(body, e),
            ExprKind::Ref(inner)
            | ExprKind::Unary(UnaryOp::Deref, inner)
            | ExprKind::Try(inner)
            | ExprKind::Await(inner)
            | ExprKind::Async { block: inner }
            | ExprKind::Cast { value: inner, .. } => self.delay(body, *inner),
            ExprKind::Binary { op, left, right } => self.binary(body, e, *op, *left, *right),
            ExprKind::If { cond, then, otherwise: Some(other) } => {
                self.chosen(body, *cond, vec![self.delay(body, *then), self.delay(body, *other)])
            }
            ExprKind::Match { value, arms } => {
                let arms = arms.iter().filter(|a| !values.diverges(body, a.body));
                self.chosen(body, *value, arms.map(|a| self.delay(body, a.body)).collect())
            }
            ExprKind::Block(block) => match block.tail {
                Some(tail) => self.delay(body, tail),
                None => Delay::unknown(),
            },
            ExprKind::Index { base, .. } => self.table(&values.eval(body, *base)),
            ExprKind::Call { args, .. } => self.call(body, e, args),
            ExprKind::Method { receiver, name, args, .. } => self.method(body, e, *receiver, name, args),
            ExprKind::Macro(call) => match call.args {
                MacroArgs::Block(inner) => self.delay(body, inner),
                _ => Delay::unknown(),
            },
            _ => Delay::unknown(),
        }
    }

    /// A number that no turn changes. Parameters of a followed function are what the call hands over.
    fn constant(&self, body: BodyId, e: ExprId) -> Option<Delay> {
        let tree = self.values.tree(body);
        match &tree.expr(e).kind {
            // What stands inside a list says nothing about which element is taken.
            ExprKind::Index { .. } | ExprKind::If { .. } | ExprKind::Match { .. } | ExprKind::Block(_) => return None,
            ExprKind::Method { name, .. } if matches!(name.as_str(), "get" | "first" | "last" | "next") => {
                return None;
            }
            ExprKind::Call { .. } | ExprKind::Method { .. }
                if matches!(self.values.target(body, e), Some(Target::Fns(..))) =>
            {
                return None;
            }
            ExprKind::Path(_) if self.is_item(body, e) => return None,
            _ => {}
        }
        let value = self.values.eval(body, e);
        let origin = match &value {
            Val::Int(_, o) | Val::Duration(_, o) => Some(o.clone()),
            Val::Float(_) => None,
            // What is one of several may be another one each turn, unless it is a setting.
            Val::Any(_) if !self.is_setting(body, e) => return None,
            Val::Any(parts) if !parts.is_empty() && parts.iter().all(|p| float(p).is_some()) => Some(largest(&value).1),
            _ => return None,
        };
        let base = float(&value)?;
        Some(Delay { from: origin, ..Delay::constant(Some(base)) })
    }

    fn is_setting(&self, body: BodyId, e: ExprId) -> bool {
        match self.values.tree(body).expr(e).kind {
            ExprKind::Field { .. } => true,
            ExprKind::Path(_) => !self.values.types(body).locals.contains_key(&e),
            _ => false,
        }
    }

    /// One of several delays; different ones each turn if what decides changes with the turns.
    fn chosen(&self, body: BodyId, by: ExprId, parts: Vec<Delay>) -> Delay {
        let tree = self.values.tree(body);
        let locals = self.values.locals(body);
        let moves = walk::any(tree, by, &mut |x| {
            cell(tree, self.values.types(body), x).is_some_and(|c| locals.changes.contains_key(&c))
        });
        let differ = parts.windows(2).any(|p| p[0].base != p[1].base);
        match combine::either(parts) {
            one if one.grows == Grows::Not && moves && differ => Delay { grows: Grows::Custom, ..one },
            one => one,
        }
    }

    /// The name that the head of a `for` or a pattern gives.
    fn is_item(&self, body: BodyId, e: ExprId) -> bool {
        use crate::frontend::rust::values::Source;
        let locals = self.values.locals(body);
        let binding = self.values.types(body).locals.get(&e).and_then(|p| locals.bindings.get(p));
        binding.is_some_and(|b| matches!(b.source, Source::For(_) | Source::Matched(_)))
    }

    fn span(&self, body: BodyId, e: ExprId) -> Span {
        self.values.span(body, e)
    }

    fn binary(&self, body: BodyId, e: ExprId, op: BinaryOp, left: ExprId, right: ExprId) -> Delay {
        let (l, r) = (self.delay(body, left), self.delay(body, right));
        match op {
            BinaryOp::Add => combine::add(l, r, 1.0),
            BinaryOp::Sub => combine::add(l, r, -1.0),
            BinaryOp::Mul => combine::multiply(l, r, self.span(body, e)),
            BinaryOp::Div => combine::divide(l, r),
            BinaryOp::Rem => self.remainder(l, r),
            BinaryOp::Shl => self.shifted(l, r, false, self.span(body, e), self.bits(body, left)),
            _ => Delay::unknown(),
        }
    }

    fn shifted(&self, base: Delay, by: Delay, checked: bool, place: Span, bits: u32) -> Delay {
        let two = Delay::constant(Some(2.0));
        match (base.grows, base.base) {
            (Grows::Not, Some(scale)) => combine::power(two, by, scale, checked, place, bits),
            (Grows::Not, None) => Delay { base: None, ..combine::power(two, by, 1.0, checked, place, bits) },
            (Grows::Before, _) if by.grows == Grows::Not => {
                combine::multiply(base, Delay::constant(by.base.map(f64::exp2)), place)
            }
            _ => combine::multiply(base, combine::power(two, by, 1.0, checked, place, bits), place),
        }
    }

    /// The width of the integer on the left of a shift or power.
    fn bits(&self, body: BodyId, e: ExprId) -> u32 {
        match self.values.type_of(body, e) {
            Some(Ty::Foreign(name, _)) => match &**name {
                "u8" | "i8" => 8,
                "u16" | "i16" => 16,
                "u32" | "i32" => 32,
                "f32" | "f64" => 1_000,
                "u128" | "i128" => 128,
                _ => 64,
            },
            _ => 64,
        }
    }

    /// One of a list, one after another.
    pub(super) fn table(&self, list: &Val) -> Delay {
        let Val::List(items) = list else {
            return Delay::unknown();
        };
        let numbers: Option<Vec<f64>> = items.iter().map(float).collect();
        match numbers.as_deref() {
            Some([first, rest @ ..]) if rest.iter().all(|x| x == first) => Delay::constant(Some(*first)),
            Some([first, ..]) => {
                let most = numbers.iter().flatten().copied().fold(*first, f64::max);
                let base = Delay::constant(Some(*first));
                Delay { grows: Grows::Custom, cap: Some(most), capped: true, ..base }
            }
            _ => Delay { grows: Grows::Custom, capped: true, ..Delay::constant(None) },
        }
    }

    fn call(&self, body: BodyId, e: ExprId, args: &[ExprId]) -> Delay {
        if jitter::makes(self.values, body, e) {
            return self.random(body, args);
        }
        match self.values.target(body, e) {
            Some(Target::Fns(fns, _)) => self.tree_call(body, e, fns, args),
            Some(Target::Constructor(_)) => args.first().map_or_else(Delay::unknown, |a| self.delay(body, *a)),
            Some(Target::Foreign(path)) if path.ends_with("cmp::min") && args.len() == 2 => {
                combine::cap(self.delay(body, args[0]), self.delay(body, args[1]))
            }
            Some(Target::Foreign(path)) if path.ends_with("cmp::max") && args.len() == 2 => {
                combine::either(vec![self.delay(body, args[0]), self.delay(body, args[1])])
            }
            _ => match self.unit(body, e).zip(args.first()) {
                Some((times, arg)) => combine::scale(self.delay(body, *arg), times),
                None => Delay::unknown(),
            },
        }
    }

    /// How many milliseconds one of what a constructor of `Duration` takes has.
    fn unit(&self, body: BodyId, e: ExprId) -> Option<f64> {
        let path = match self.values.target(body, e) {
            Some(Target::Foreign(path)) => path.to_string(),
            _ => match &self.values.tree(body).expr(e).kind {
                ExprKind::Call { callee, .. } => match &self.values.tree(body).expr(*callee).kind {
                    ExprKind::Path(p) => p.segments.iter().map(|s| s.name.as_str()).collect::<Vec<_>>().join("::"),
                    _ => return None,
                },
                _ => return None,
            },
        };
        let (owner, name) = split_last(&path)?;
        match name {
            "from_millis" => Some(1.0),
            "from_secs" | "from_secs_f64" | "from_secs_f32" => Some(1_000.0),
            "from_mins" => Some(60_000.0),
            "from_micros" => Some(0.001),
            "from_nanos" => Some(0.000_001),
            "new" if owner.ends_with("Duration") => Some(1_000.0),
            "from" => Some(1.0),
            _ => None,
        }
    }

    /// Functions of the tree, with what they are handed.
    fn tree_call(&self, body: BodyId, e: ExprId, fns: &[FnId], args: &[ExprId]) -> Delay {
        let frames = self.frames.borrow().len();
        let circle = |f: &FnId| self.frames.borrow().iter().any(|(g, _)| g == f);
        if frames >= DEEPEST || fns.iter().any(circle) {
            return Delay::unknown();
        }
        let handed: Vec<Delay> = args.iter().map(|a| self.delay(body, *a)).collect();
        let mut parts = Vec::new();
        for f in fns {
            self.frames.borrow_mut().push((*f, handed.clone()));
            parts.push(self.result(*f));
            self.frames.borrow_mut().pop();
        }
        let place = parts.iter().find_map(|p| p.at);
        Delay { at: place.or_else(|| Some(self.span(body, e))), ..combine::either(parts) }
    }

    fn result(&self, f: FnId) -> Delay {
        let body = BodyId::Fn(f);
        let Some(start) = root(self.values.program, body) else {
            return Delay::unknown();
        };
        let tree = self.values.tree(body);
        let mut parts = Vec::new();
        if let ExprKind::Block(block) = &tree.expr(start).kind {
            let last = match block.stmts.last() {
                Some(Stmt::Expr(last)) => self.values.diverges(body, *last),
                _ => false,
            };
            match block.tail {
                Some(tail) => parts.push((tail, self.delay(body, tail))),
                None if !last => return Delay::unknown(),
                None => {}
            }
        }
        walk::each(tree, start, &mut |e| match &tree.expr(e).kind {
            ExprKind::Return(Some(value)) => {
                parts.push((*value, self.delay(body, *value)));
                true
            }
            ExprKind::Closure { .. } => false,
            _ => true,
        });
        let at = parts.last().map(|(e, _)| self.span(body, *e));
        let delay = combine::either(parts.into_iter().map(|(_, d)| d).collect());
        let at = delay.at.or(at);
        Delay { at, ..delay }
    }

    fn method(&self, body: BodyId, e: ExprId, receiver: ExprId, name: &str, args: &[ExprId]) -> Delay {
        if jitter::makes(self.values, body, e) {
            return self.random(body, args);
        }
        if jitter::hashes(self.values, body, e) {
            return Delay { random: false, jitter: Jitter::Some, ..Delay::constant(None) };
        }
        if let Some(Target::Fns(fns, _)) = self.values.target(body, e) {
            let all: Vec<ExprId> = std::iter::once(receiver).chain(args.iter().copied()).collect();
            return self.tree_call(body, e, fns, &all);
        }
        self.standard(body, e, receiver, name, args)
    }

    fn standard(&self, body: BodyId, e: ExprId, receiver: ExprId, name: &str, args: &[ExprId]) -> Delay {
        let on = || self.delay(body, receiver);
        let arg = |i: usize| args.get(i).map_or_else(Delay::unknown, |a| self.delay(body, *a));
        let place = self.span(body, e);
        match name {
            "clone" | "unwrap" | "expect" | "into" | "try_into" | "copied" | "cloned" | "as_ref" | "abs" | "round"
            | "ceil" | "floor" | "to_owned" | "as_millis" => on(),
            "as_secs_f64" | "as_secs_f32" | "as_secs" => combine::scale(on(), 0.001),
            "as_micros" => combine::scale(on(), 1_000.0),
            "unwrap_or" | "unwrap_or_else" if self.is_option_of_checked(body, receiver) => combine::cap(on(), arg(0)),
            "unwrap_or" => combine::either(vec![on(), arg(0)]),
            "min" => combine::cap(on(), arg(0)),
            "clamp" => combine::cap(on(), arg(1)),
            "max" => match arg(0).grows {
                Grows::Not => on(),
                _ => combine::either(vec![on(), arg(0)]),
            },
            "add" | "saturating_add" | "checked_add" | "wrapping_add" => combine::add(on(), arg(0), 1.0),
            "sub" | "saturating_sub" | "checked_sub" => combine::add(on(), arg(0), -1.0),
            "mul" | "mul_f64" | "mul_f32" | "wrapping_mul" => combine::multiply(on(), arg(0), place),
            "saturating_mul" | "checked_mul" => multiply_guarded(on(), arg(0), place),
            "div_f64" | "div_f32" | "checked_div" => combine::divide(on(), arg(0)),
            "pow" | "powi" | "powf" | "wrapping_pow" => {
                let checked = name == "powi" || name == "powf";
                combine::power(on(), arg(0), 1.0, checked, place, self.bits(body, receiver))
            }
            "saturating_pow" | "checked_pow" => combine::power(on(), arg(0), 1.0, true, place, 64),
            "checked_shl" | "wrapping_shl" | "shl" => {
                self.shifted(on(), arg(0), name != "shl", place, self.bits(body, receiver))
            }
            "get" | "first" | "last" | "next" | "nth" => self.table(&self.list(body, receiver)),
            _ => Delay::unknown(),
        }
    }

    /// `a.checked_mul(b).unwrap_or(MAX)`: what stands in is the cap.
    fn is_option_of_checked(&self, body: BodyId, e: ExprId) -> bool {
        matches!(&self.values.tree(body).expr(e).kind, ExprKind::Method { name, .. } if name.starts_with("checked_"))
    }

    /// The list behind an iterator that walks it.
    fn list(&self, body: BodyId, e: ExprId) -> Val {
        let locals = self.values.locals(body);
        match self.values.types(body).locals.get(&e) {
            Some(pat) => self.values.first_value(body, &locals, *pat),
            None => self.values.eval(body, e),
        }
    }
}
