//! From the body of a loop to the small program of one turn, as seen by one counter, by the clock, or by a cancellation.

use super::atoms::{Compare, Look};
use super::cover;
use super::focus::Focus;
use super::inside::{Variants, if_it_only_looks, played_for_its_steps};
use super::run::{Cond, Exit, MatchArm, Node};
use crate::frontend::rust::pats;
use crate::frontend::rust::program::FnId;
use crate::frontend::rust::tree::{
    Arm, BinaryOp, Block, ExprId, ExprKind, Lit, MacroArgs, MacroCall, PatId, PatKind, Stmt, UnaryOp,
};
use crate::frontend::rust::values::Source;
use crate::name::Name;

pub struct Compile<'c, 'v, 'a> {
    pub look: &'c Look<'v, 'a>,
    pub focus: Focus,
    pub is_work: &'c dyn Fn(ExprId) -> bool,
    /// Arms of success that leave the counter alone are no way to go again after a failure.
    pub failing: bool,
    /// Loops and labelled blocks around, outermost first.
    pub around: Vec<(Option<Name>, ExprId, bool)>,
    /// Functions whose bodies are played in the turn around this one, the innermost last.
    pub inside: Vec<FnId>,
    /// What the counter is more by than the parameter through which it is seen here.
    pub more: i64,
    pub variants: Variants,
}

impl Compile<'_, '_, '_> {
    /// The whole turn, its head's condition included.
    pub fn turn(&mut self) -> Node {
        let e = self.look.the_loop;
        match self.look.kind(e) {
            ExprKind::Loop { label, body } | ExprKind::For { label, body, .. } => {
                self.around.push((label.clone(), e, true));
                self.node(*body)
            }
            ExprKind::While { label, cond, body } => {
                let cond = self.cond(*cond);
                self.around.push((label.clone(), e, true));
                Node::If(cond, Box::new(self.node(*body)), Box::new(Node::Jump(Exit::Break(e))))
            }
            _ => Node::nothing(),
        }
    }

    /// The value that is carried out is run first.
    fn leaves(&mut self, value: Option<ExprId>, to: Exit) -> Node {
        let before = value.map_or_else(Node::nothing, |v| self.node(v));
        Node::Seq(vec![before, Node::Jump(to)])
    }

    pub(super) fn node(&mut self, e: ExprId) -> Node {
        stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || self.node_of(e))
    }

    fn node_of(&mut self, e: ExprId) -> Node {
        let look = self.look;
        match look.kind(e) {
            ExprKind::Block(block) => self.block(e, block),
            ExprKind::If { cond, then, otherwise } => {
                let cond = self.cond(*cond);
                let otherwise = otherwise.map_or_else(Node::nothing, |o| self.node(o));
                Node::If(cond, Box::new(self.node(*then)), Box::new(otherwise))
            }
            ExprKind::Match { value, arms } => self.choice(*value, arms, &|c, e| c.node(e)),
            ExprKind::Loop { label, body } => self.inner_loop(e, label, None, *body),
            ExprKind::While { label, cond, body } => self.inner_loop(e, label, Some(*cond), *body),
            ExprKind::For { label, iter, body, .. } => self.inner_loop(e, label, Some(*iter), *body),
            ExprKind::Break { label, value } => {
                let to = self.target(label.as_ref(), true).map_or(Exit::Return, Exit::Break);
                self.leaves(*value, to)
            }
            ExprKind::Continue { label } => {
                Node::Jump(self.target(label.as_ref(), false).map_or(Exit::Return, Exit::Again))
            }
            ExprKind::Return(Some(value)) if !self.inside.is_empty() => self.gives(*value),
            ExprKind::Return(value) => self.leaves(*value, Exit::Return),
            ExprKind::Try(inner) => {
                let cond = self.fallible(*inner);
                Node::If(cond, Box::new(Node::nothing()), Box::new(Node::Jump(self.failed())))
            }
            ExprKind::Closure { .. } => Node::nothing(),
            ExprKind::Async { block } => Node::Catch(Exit::Return, Box::new(self.node(*block))),
            ExprKind::Binary { op: BinaryOp::And | BinaryOp::Or, .. } => {
                let cond = self.cond(e);
                Node::If(cond, Box::new(Node::nothing()), Box::new(Node::nothing()))
            }
            ExprKind::Macro(call) => self.macro_node(e, call),
            ExprKind::Assign { to, value } => Node::Seq(vec![self.node(*value), self.assigned(*to, *value)]),
            ExprKind::OpAssign { op, to, value } => Node::Seq(vec![self.node(*value), self.moved(*op, *to, *value)]),
            _ => self.plain(e),
        }
    }

    /// Children in order, then the try, then where nothing comes back.
    fn plain(&mut self, e: ExprId) -> Node {
        let children = pats::children(self.look.values.tree(self.look.body), e);
        let mut parts: Vec<Node> = children.into_iter().map(|c| self.node(c)).collect();
        if let Focus::Left(cell) = &self.focus
            && self.look.next(e).as_ref() == Some(cell)
        {
            parts.push(Node::Sink(1));
        }
        if (self.is_work)(e) {
            parts.push(Node::Work);
        }
        if let Some(played) = self.played(e) {
            parts.push(played_for_its_steps(played));
        }
        if self.look.never_returns(e) {
            parts.push(Node::Jump(Exit::Return));
        }
        parts.retain(|p| *p != Node::nothing());
        Node::Seq(parts)
    }

    fn target(&self, label: Option<&Name>, breaks: bool) -> Option<ExprId> {
        let fits = |(l, _, is_loop): &&(Option<Name>, ExprId, bool)| match label {
            Some(label) => l.as_ref() == Some(label) && (breaks || *is_loop),
            None => *is_loop,
        };
        self.around.iter().rev().find(fits).map(|(_, e, _)| *e)
    }

    pub(super) fn block(&mut self, e: ExprId, block: &Block) -> Node {
        self.around.push((block.label.clone(), e, false));
        let mut parts = Vec::new();
        parts.extend(block.stmts.iter().map(|s| self.statement(s)));
        if let Some(tail) = block.tail {
            parts.push(self.node(tail));
        }
        self.around.pop();
        parts.retain(|p| *p != Node::nothing());
        let inner = Node::Seq(parts);
        match block.label {
            Some(_) => Node::Catch(Exit::Break(e), Box::new(inner)),
            None => inner,
        }
    }

    pub(super) fn statement(&mut self, stmt: &Stmt) -> Node {
        match stmt {
            Stmt::Expr(e) => self.node(*e),
            Stmt::Let { pat, value: Some(value), otherwise: Some(other), .. } => {
                let cond = self.matched(*pat, *value);
                let other = self.node(*other);
                Node::If(cond, Box::new(Node::nothing()), Box::new(other))
            }
            Stmt::Let { pat, value: Some(value), .. } => match self.asked_later(*pat, *value) {
                true => Node::nothing(),
                false => self.node(*value),
            },
            Stmt::Let { .. } => Node::nothing(),
        }
    }

    /// A loop inside the turn: its body runs not at all (unless it has no head), once, or twice.
    fn inner_loop(&mut self, e: ExprId, label: &Option<Name>, head: Option<ExprId>, body: ExprId) -> Node {
        let before = head.map_or_else(Node::nothing, |h| self.node(h));
        self.around.push((label.clone(), e, true));
        let turn = Node::Catch(Exit::Again(e), Box::new(self.node(body)));
        self.around.pop();
        let moves = turn.any(&|n| matches!(n, Node::Move(_) | Node::Sink(_) | Node::Lose));
        let turns = match (moves, head.is_some()) {
            (false, true) => Node::Any(vec![Node::nothing(), turn]),
            (false, false) => turn,
            (true, _) => Node::Any(vec![Node::nothing(), turn.clone(), Node::Seq(vec![turn.clone(), turn])]),
        };
        Node::Seq(vec![before, Node::Catch(Exit::Break(e), Box::new(turns))])
    }

    fn macro_node(&mut self, e: ExprId, call: &MacroCall) -> Node {
        let name = call.path.last().map(|s| s.name.as_str()).unwrap_or_default();
        match (&call.args, name) {
            (MacroArgs::Select(arms), _) => {
                let mut before = Vec::new();
                let mut bodies = Vec::new();
                let ending = |f: Option<ExprId>| f.is_some_and(|f| self.look.waits_for_end(f));
                let cancels = self.focus == Focus::Cancel && arms.iter().any(|a| ending(a.future));
                for arm in arms {
                    before.extend(arm.future.map(|f| self.node(f)));
                    if !cancels || self.look.waits_for_end(arm.future.unwrap_or(arm.body)) {
                        bodies.push(self.node(arm.body));
                    }
                }
                Node::Seq(vec![Node::Seq(before), Node::Any(bodies)])
            }
            (MacroArgs::List(parts), "ensure" | "assert") if !parts.is_empty() => {
                let cond = self.cond(parts[0]);
                Node::If(cond, Box::new(Node::nothing()), Box::new(Node::Jump(self.failed())))
            }
            (_, "bail") => Node::Seq(vec![self.plain(e), Node::Jump(self.failed())]),
            (_, "panic" | "unreachable" | "todo" | "unimplemented") => {
                Node::Seq(vec![self.plain(e), Node::Jump(Exit::Return)])
            }
            _ => self.plain(e),
        }
    }

    pub(super) fn choice(&mut self, value: ExprId, arms: &[Arm], arm_body: &dyn Fn(&mut Self, ExprId) -> Node) -> Node {
        let (part, cond) = match self.part_of_tuple(value) {
            Some((i, before, atom)) => (Some(i), Cond::First(Box::new(before), Box::new(atom))),
            None => (None, self.fallible(value)),
        };
        let values = self.look.values;
        let (tree, types) = (values.tree(self.look.body), values.types(self.look.body));
        let mut out: Vec<MatchArm> = Vec::new();
        for (i, arm) in arms.iter().enumerate() {
            let after = (0..i).filter(|k| cover::covers(tree, types, arms[*k].pat, arm.pat)).collect();
            let guard = arm.guard.map(|g| self.cond(g));
            let side = match (part, &tree.pat(arm.pat).kind) {
                (Some(i), PatKind::Tuple(parts)) => parts.get(i).and_then(|p| self.side(&cond, *p)),
                (Some(_), _) => None,
                (None, _) => self.side(&cond, arm.pat),
            };
            let full = part.is_none() && cover::whole_variant(tree, types, arm.pat);
            let body = arm_body(self, arm.body);
            let counts = keeps(&body) || body.goes_either_way();
            let body = match self.failing && cover::is_ok(tree, arm.pat) && !counts {
                true => Node::Jump(Exit::Return),
                false => body,
            };
            out.push(MatchArm { side, full, guard, after, body });
        }
        Node::Match(cond, out)
    }

    /// `match (op.await, delays.next())`: which part the counter decides, what happens before it, and how it decides.
    fn part_of_tuple(&mut self, value: ExprId) -> Option<(usize, Node, Cond)> {
        let ExprKind::Tuple(parts) = self.look.kind(value) else {
            return None;
        };
        let (at, atom) = parts.iter().enumerate().find_map(|(i, p)| Some((i, self.decided(*p)?)))?;
        let others = parts.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, p)| *p).collect::<Vec<_>>();
        let before = others.into_iter().map(|p| self.node(p)).collect();
        Some((at, Node::Seq(before), atom))
    }

    /// Whether a value is `Some` or `Ok`, as far as the counter decides it.
    fn fallible(&mut self, value: ExprId) -> Cond {
        if let Some(atom) = self.decided(value) {
            return atom;
        }
        match self.call_inside(value) {
            Some(call) => call,
            None => Cond::First(Box::new(self.node(value)), Box::new(Cond::Open)),
        }
    }

    fn decided(&self, value: ExprId) -> Option<Cond> {
        match &self.focus {
            Focus::Left(cell) if self.look.next(value).as_ref() == Some(cell) => Some(Cond::Next),
            Focus::Counter(cell, _) => match self.look.checked_sub(value) {
                Some((found, n)) if found == *cell => Some(Cond::AtLeast(n.saturating_sub(self.more))),
                _ => None,
            },
            Focus::Clock => self.look.elapsed(self.look.stripped(value)).map(|(up, _)| Cond::Is(up)),
            Focus::Answer(call, given) if self.inside.is_empty() && self.look.called(value) == *call => {
                Some(Cond::Is(*given))
            }
            _ => None,
        }
    }

    fn matched(&mut self, pat: PatId, value: ExprId) -> Cond {
        let values = self.look.values;
        let (tree, types) = (values.tree(self.look.body), values.types(self.look.body));
        let cond = self.fallible(value);
        if cond.is_call() {
            return self.matched_call(cond, pat);
        }
        match cover::side(tree, pat) {
            Some(true) => cond,
            Some(false) => Cond::Not(Box::new(cond)),
            None if cover::takes_all(tree, types, pat) => match cond {
                Cond::First(node, _) => Cond::First(node, Box::new(Cond::Is(true))),
                _ => Cond::Is(true),
            },
            None => match cond {
                Cond::First(node, _) => Cond::First(node, Box::new(Cond::Open)),
                _ => Cond::Open,
            },
        }
    }

    pub fn cond(&mut self, e: ExprId) -> Cond {
        stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || self.cond_of(e))
    }

    fn cond_of(&mut self, e: ExprId) -> Cond {
        if let Some(cond) = self.atom(e) {
            return cond;
        }
        let look = self.look;
        match look.kind(e) {
            ExprKind::Unary(UnaryOp::Not, inner) => Cond::Not(Box::new(self.cond(*inner))),
            ExprKind::Binary { op: BinaryOp::And, left, right } => {
                Cond::And(Box::new(self.cond(*left)), Box::new(self.cond(*right)))
            }
            ExprKind::Binary { op: BinaryOp::Or, left, right } => {
                Cond::Or(Box::new(self.cond(*left)), Box::new(self.cond(*right)))
            }
            ExprKind::Lit(Lit::Bool(b)) => Cond::Is(*b),
            ExprKind::Let { pat, value } => self.matched(*pat, *value),
            ExprKind::Macro(call) if matches!(call.args, MacroArgs::Matches { .. }) => self.matches_macro(&call.args),
            ExprKind::Path(_) => self.named_condition(e),
            ExprKind::Method { receiver, name, .. } if matches!(name.as_str(), "is_some" | "is_ok") => {
                self.fallible(*receiver)
            }
            ExprKind::Method { receiver, name, .. } if matches!(name.as_str(), "is_none" | "is_err") => {
                Cond::Not(Box::new(self.fallible(*receiver)))
            }
            _ => self.fallible(e),
        }
    }

    /// `matches!(value, pattern if guard)`
    fn matches_macro(&mut self, args: &MacroArgs) -> Cond {
        let MacroArgs::Matches { value, pat, guard } = args else { return Cond::Open };
        let first = self.matched(*pat, *value);
        match guard {
            Some(g) => Cond::And(Box::new(first), Box::new(self.cond(*g))),
            None => first,
        }
    }

    /// `let last = n >= max; if last { .. }`, decided in the same turn.
    fn named_condition(&mut self, e: ExprId) -> Cond {
        let look = self.look;
        let Some(pat) = look.values.types(look.body).locals.get(&e) else { return Cond::Open };
        let binding = look.locals.bindings.get(pat);
        match binding.map(|b| (&b.source, b.scope)) {
            Some((Source::Let(Some(value)), Some(scope)))
                if scope != look.the_loop && look.locals.inside(scope, look.the_loop) =>
            {
                match look.kind(*value) {
                    ExprKind::Binary { .. } | ExprKind::Unary(..) => self.cond(*value),
                    _ if self.asked_later(*pat, *value) => self.fallible(*value),
                    // It was played where it stands.
                    _ => self.call_inside(*value).map_or(Cond::Open, if_it_only_looks),
                }
            }
            _ => Cond::Open,
        }
    }

    fn atom(&self, e: ExprId) -> Option<Cond> {
        match &self.focus {
            Focus::Counter(cell, limit) => {
                let Compare { cell: found, offset, op, limit: against, .. } = self.look.compare(e)?;
                let fits = found == *cell && limit.as_ref().is_none_or(|l| *l == against);
                fits.then(|| Cond::Compare(offset.saturating_add(self.more), op))
            }
            Focus::Flag(cell, first) => {
                let op = if *first { BinaryOp::Lt } else { BinaryOp::Ge };
                let own = matches!(self.look.kind(e), ExprKind::Path(_)) && self.look.cell(e).as_ref() == Some(cell);
                own.then_some(Cond::Compare(self.more, op))
            }
            Focus::Clock => self.look.elapsed(e).map(|(up, _)| Cond::Is(up)),
            Focus::Cancel => self.look.cancelled(e).then_some(Cond::Is(true)),
            Focus::Left(_) | Focus::Answer(..) => None,
        }
    }
}

/// An arm of success that changes the counter is part of the count.
fn keeps(body: &Node) -> bool {
    body.any(&|n| matches!(n, Node::Move(_) | Node::Sink(_) | Node::Lose))
}
