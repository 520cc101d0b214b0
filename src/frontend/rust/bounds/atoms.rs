//! What a condition may look at that bounds a loop: a counter against a limit, a clock, a cancellation.

use crate::frontend::rust::program::{BodyId, Target};
use crate::frontend::rust::tree::{BinaryOp, ExprId, ExprKind, PatId};
use crate::frontend::rust::val::Val;
use crate::frontend::rust::values::{BodyIndex, Cell, Source, Values, bind, cell, largest, walk};

/// A counter (plus a constant) compared with something; the counter stands on the left.
#[derive(Debug, Clone, PartialEq)]
pub struct Compare {
    pub cell: Cell,
    pub offset: i64,
    pub op: BinaryOp,
    pub limit: Val,
    /// The limit's expression, if it stands in the loop's own body.
    pub limit_at: Option<ExprId>,
    pub at: ExprId,
}

/// The eyes of one loop's analysis.
pub struct Look<'v, 'a> {
    pub values: &'v Values<'a>,
    pub body: BodyId,
    pub the_loop: ExprId,
    pub locals: std::rc::Rc<BodyIndex>,
    /// The counter of a `for`, which no assignment moves.
    pub head: Option<PatId>,
    /// What is followed into a function that is played inside of the turn: it moves though nothing here moves it.
    pub given: Option<Cell>,
    /// What that function's parameters hold, in terms of the loop's own body.
    pub handed: Option<std::rc::Rc<Vec<Val>>>,
}

impl Look<'_, '_> {
    pub fn kind(&self, e: ExprId) -> &ExprKind {
        &self.values.tree(self.body).expr(e).kind
    }

    pub fn cell(&self, e: ExprId) -> Option<Cell> {
        cell(self.values.tree(self.body), self.values.types(self.body), e)
    }

    pub fn number(&self, e: ExprId) -> Option<i64> {
        let n = largest(&self.value(e)).0.number()?;
        i64::try_from(n).ok()
    }

    /// What an expression can be; in a function that is played, with what it was handed.
    pub fn value(&self, e: ExprId) -> Val {
        let Some(handed) = &self.handed else { return self.values.eval(self.body, e) };
        self.part_of_handed(e, handed).unwrap_or_else(|| bind(&self.values.eval(self.body, e), handed))
    }

    /// `self.limit` where the object at hand is known.
    fn part_of_handed(&self, e: ExprId, handed: &[Val]) -> Option<Val> {
        let cell = self.cell(e).filter(|c| !c.fields.is_empty())?;
        let at = match cell.root {
            None => 0,
            Some(pat) => match self.locals.bindings.get(&pat)?.source {
                Source::Param(i) => usize::from(i),
                _ => return None,
            },
        };
        cell.fields.iter().try_fold(handed.get(at)?.clone(), |value, field| match value {
            Val::Object(o) => o.fields.get(field).map(|f| f.value.clone()),
            _ => None,
        })
    }

    /// Whether this local or field changes from turn to turn and begins outside.
    pub fn moves(&self, cell: &Cell) -> bool {
        if cell.fields.is_empty() && cell.root.is_some() && cell.root == self.head {
            return true;
        }
        if let Some(given) = &self.given {
            return given == cell;
        }
        let changes = self.locals.changes.get(cell).map(Vec::as_slice).unwrap_or_default();
        let begins_inside = cell
            .root
            .and_then(|p| self.locals.bindings.get(&p)?.scope)
            .is_some_and(|scope| scope != self.the_loop && self.locals.inside(scope, self.the_loop));
        !begins_inside && changes.iter().any(|c| self.locals.inside(c.at(), self.the_loop))
    }

    /// A counter plus a constant.
    pub fn counter(&self, e: ExprId) -> Option<(Cell, i64)> {
        match self.kind(e) {
            ExprKind::Cast { value, .. } => self.counter(*value),
            ExprKind::Binary { op: BinaryOp::Add, left, right } => match self.counter(*left) {
                Some((cell, n)) => Some((cell, n.checked_add(self.number(*right)?)?)),
                None => {
                    let (cell, n) = self.counter(*right)?;
                    Some((cell, n.checked_add(self.number(*left)?)?))
                }
            },
            ExprKind::Binary { op: BinaryOp::Sub, left, right } => {
                let (cell, n) = self.counter(*left)?;
                Some((cell, n.checked_sub(self.number(*right)?)?))
            }
            _ => self.cell(e).filter(|c| self.moves(c)).map(|c| (c, 0)),
        }
    }

    /// The comparison that an expression is, also through a small predicate function of the tree.
    pub fn compare(&self, e: ExprId) -> Option<Compare> {
        match self.kind(e) {
            ExprKind::Binary { op, left, right } if is_comparison(*op) => {
                let (found, limit, op) = match self.counter(*left) {
                    Some(found) if self.counter(*right).is_none() => (found, *right, *op),
                    None => (self.counter(*right)?, *left, turned(*op)),
                    _ => return None,
                };
                if self.limit_moves(limit) {
                    return None;
                }
                let (cell, offset) = found;
                let value = self.value(limit);
                Some(Compare { cell, offset, op, limit: value, limit_at: Some(limit), at: e })
            }
            ExprKind::Call { args, .. } => self.compare_in_call(e, None, args),
            ExprKind::Method { receiver, args, .. } => self.compare_in_call(e, Some(*receiver), args),
            _ => None,
        }
    }

    fn limit_moves(&self, limit: ExprId) -> bool {
        walk::any(self.values.tree(self.body), limit, &mut |x| self.cell(x).is_some_and(|c| self.moves(&c)))
    }

    /// `policy.may_retry(n)` where the function is one comparison of its parameter.
    fn compare_in_call(&self, e: ExprId, receiver: Option<ExprId>, args: &[ExprId]) -> Option<Compare> {
        let Some(Target::Fns(fns, _)) = self.values.target(self.body, e) else {
            return None;
        };
        let [f] = fns[..] else { return None };
        let all: Vec<ExprId> = receiver.into_iter().chain(args.iter().copied()).collect();
        let (i, (cell, offset)) = all.iter().enumerate().find_map(|(i, a)| Some((i, self.counter(*a)?)))?;
        let home = BodyId::Fn(f);
        let tree = self.values.tree(home);
        let ExprKind::Block(block) = &tree.expr(self.values.program.function(f).body?).kind else {
            return None;
        };
        let ExprKind::Binary { op, left, right } = &tree.expr(block.tail?).kind else {
            return None;
        };
        if !block.stmts.is_empty() || !is_comparison(*op) {
            return None;
        }
        let is_counter = |x: ExprId| self.values.eval(home, x) == Val::Param(i as u16);
        let (limit, op) = match (is_counter(*left), is_counter(*right)) {
            (true, false) => (*right, *op),
            (false, true) => (*left, turned(*op)),
            _ => return None,
        };
        let handed: Vec<Val> = all.iter().map(|a| self.value(*a)).collect();
        let limit = bind(&self.values.eval(home, limit), &handed);
        Some(Compare { cell, offset, op, limit, limit_at: None, at: e })
    }

    /// The method call on a counter or iterator inside adapters that keep its side: `.ok_or(..)`, `.await`, `?` is left.
    pub fn stripped(&self, e: ExprId) -> ExprId {
        match self.kind(e) {
            ExprKind::Method { receiver, name, .. }
                if matches!(
                    name.as_str(),
                    "ok_or" | "ok_or_else" | "context" | "with_context" | "cloned" | "copied"
                ) =>
            {
                self.stripped(*receiver)
            }
            ExprKind::Await(inner) | ExprKind::Ref(inner) => self.stripped(*inner),
            _ => e,
        }
    }

    /// `delays.next()`: the iterator, which begins outside the loop.
    pub fn next(&self, e: ExprId) -> Option<Cell> {
        let ExprKind::Method { receiver, name, args, .. } = self.kind(self.stripped(e)) else {
            return None;
        };
        if !matches!(name.as_str(), "next" | "next_backoff" | "pop" | "pop_front") || !args.is_empty() {
            return None;
        }
        let cell = self.cell(*receiver)?;
        let binding = cell.root.and_then(|p| self.locals.bindings.get(&p));
        let scope = binding.and_then(|b| b.scope);
        let inside = scope.is_some_and(|s| s != self.the_loop && self.locals.inside(s, self.the_loop));
        (!inside).then_some(cell)
    }

    /// `left.checked_sub(1)`: the counter and what is taken.
    pub fn checked_sub(&self, e: ExprId) -> Option<(Cell, i64)> {
        let ExprKind::Method { receiver, name, args, .. } = self.kind(self.stripped(e)) else {
            return None;
        };
        if name != "checked_sub" {
            return None;
        }
        Some((self.cell(*receiver)?, self.number(*args.first()?)?))
    }

    /// How an expression goes with time: 1 grows, -1 shrinks, 0 stands still.
    pub fn clock(&self, e: ExprId) -> i32 {
        match self.kind(e) {
            ExprKind::Call { callee, .. } => match (self.values.target(self.body, e), self.kind(*callee)) {
                (Some(Target::Foreign(path)), _) => i32::from(is_now(path)),
                (_, ExprKind::Path(path)) => {
                    let names: Vec<&str> = path.segments.iter().map(|s| s.name.as_str()).collect();
                    i32::from(is_now(&names.join("::")))
                }
                _ => 0,
            },
            ExprKind::Method { receiver, name, args, .. } => match name.as_str() {
                "elapsed" => 1,
                "duration_since" | "saturating_duration_since" | "checked_duration_since" | "signed_duration_since" => {
                    self.clock(*receiver) - args.first().map_or(0, |a| self.clock(*a))
                }
                _ => self.clock(*receiver),
            },
            ExprKind::Binary { op: BinaryOp::Sub, left, right } => self.clock(*left) - self.clock(*right),
            ExprKind::Binary { op: BinaryOp::Add, left, right } => self.clock(*left) + self.clock(*right),
            ExprKind::Cast { value: inner, .. } | ExprKind::Ref(inner) | ExprKind::Try(inner) => self.clock(*inner),
            ExprKind::Path(_) => self.clock_of_local(e),
            _ => 0,
        }
    }

    /// A local that is read anew each turn.
    fn clock_of_local(&self, e: ExprId) -> i32 {
        let Some(binding) = self.values.types(self.body).locals.get(&e).and_then(|p| self.locals.bindings.get(p))
        else {
            return 0;
        };
        match (&binding.source, binding.scope) {
            (Source::Let(Some(value)) | Source::Matched(value), Some(s))
                if s != self.the_loop && self.locals.inside(s, self.the_loop) =>
            {
                self.clock(*value)
            }
            _ => 0,
        }
    }

    /// A test of the clock: whether it holds once time is up, and the duration it allows.
    pub fn elapsed(&self, e: ExprId) -> Option<(bool, Val)> {
        match self.kind(e) {
            ExprKind::Binary { op, left, right } if is_comparison(*op) => {
                let (l, r) = (self.clock(*left), self.clock(*right));
                let grows = match op {
                    BinaryOp::Gt | BinaryOp::Ge => l - r,
                    BinaryOp::Lt | BinaryOp::Le => r - l,
                    _ => return None,
                };
                let (clock, limit) = if l != 0 { (*left, *right) } else { (*right, *left) };
                (grows != 0).then(|| (grows > 0, self.allowed(clock, limit)))
            }
            ExprKind::Method { receiver, name, .. } if name == "is_zero" && self.clock(*receiver) < 0 => {
                Some((true, self.allowed(*receiver, *receiver)))
            }
            ExprKind::Method { receiver, name, .. } if name == "checked_duration_since" && self.clock(e) < 0 => {
                Some((false, self.allowed(*receiver, *receiver)))
            }
            _ => None,
        }
    }

    /// The time that a limit allows: a duration, or what was added to the clock to make a deadline.
    fn allowed(&self, clock: ExprId, limit: ExprId) -> Val {
        self.added(limit, 0).or_else(|| self.added(clock, 0)).unwrap_or_else(|| self.value(limit))
    }

    fn added(&self, e: ExprId, depth: u8) -> Option<Val> {
        if depth > 8 {
            return None;
        }
        match self.kind(e) {
            ExprKind::Binary { op: BinaryOp::Add, left, right } => match (self.clock(*left), self.clock(*right)) {
                (0, 0) => self.added(*left, depth + 1),
                (0, _) => Some(self.value(*left)),
                _ => Some(self.value(*right)),
            },
            ExprKind::Method { receiver, name, args, .. } if name == "checked_add" => {
                args.first().filter(|_| self.clock(*receiver) != 0).map(|a| self.value(*a))
            }
            ExprKind::Path(_) => {
                let pat = self.values.types(self.body).locals.get(&e)?;
                match self.locals.bindings.get(pat)?.source {
                    Source::Let(Some(value)) => self.added(value, depth + 1),
                    _ => None,
                }
            }
            ExprKind::Binary { left, right, .. } => {
                self.added(*left, depth + 1).or_else(|| self.added(*right, depth + 1))
            }
            ExprKind::Method { receiver, args, .. } => {
                self.added(*receiver, depth + 1).or_else(|| args.iter().find_map(|a| self.added(*a, depth + 1)))
            }
            ExprKind::Call { .. } if self.clock(e) == 0 => None,
            _ => None,
        }
    }

    /// `token.is_cancelled()`.
    pub fn cancelled(&self, e: ExprId) -> bool {
        matches!(self.kind(e), ExprKind::Method { name, args, .. } if *name == "is_cancelled" && args.is_empty())
    }

    /// A future that ends when somebody wants the loop to end: `token.cancelled()`, `ctrl_c()`.
    pub fn waits_for_end(&self, future: ExprId) -> bool {
        let e = self.stripped(future);
        let by_path = |path: &str| {
            [
                "::cancelled",
                "::cancelled_owned",
                "signal::ctrl_c",
                "watch::Receiver::changed",
                "broadcast::Receiver::recv",
            ]
            .iter()
            .any(|end| path.ends_with(end))
        };
        match (self.values.target(self.body, e), self.kind(e)) {
            (Some(Target::Foreign(path)), _) if by_path(path) => true,
            (_, ExprKind::Method { name, .. }) => *name == "cancelled" || *name == "cancelled_owned",
            _ => false,
        }
    }
}

fn is_now(path: &str) -> bool {
    ["Instant::now", "SystemTime::now", "Utc::now", "Local::now"].iter().any(|end| path.ends_with(end))
}

pub fn is_comparison(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge)
}

/// The same comparison with its sides exchanged.
fn turned(op: BinaryOp) -> BinaryOp {
    match op {
        BinaryOp::Lt => BinaryOp::Gt,
        BinaryOp::Le => BinaryOp::Ge,
        BinaryOp::Gt => BinaryOp::Lt,
        BinaryOp::Ge => BinaryOp::Le,
        other => other,
    }
}
