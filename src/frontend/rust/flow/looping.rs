//! Loops as repetitions that jump; what they are is judged later, when it is known what their operations reach.

use super::{AskedAtHead, Flow, LoopFrame, LoopNote, tidy};
use crate::effect::{CountName, Effect, Exit, Form, LoopId, Repeat, RepeatKind, Stop};
use crate::frontend::rust::bounds;
use crate::frontend::rust::pats;
use crate::frontend::rust::program::{BodyId, Target};
use crate::frontend::rust::tree::{ExprId, ExprKind, Lit, Stmt};
use crate::name::Name;
use crate::source::Span;
use crate::value::{Origin, Value};

/// Functions that are read in search of `Retry-After`.
const MOST_READ: usize = 40;

impl<'a> Flow<'a> {
    pub(super) fn any_loop(&mut self, e: ExprId) -> Effect {
        if !self.is_loud(e) {
            // It computes; whatever it returns early with hangs on nothing remote.
            return Effect::Nothing;
        }
        match self.asked_at_head(e) {
            // The first answer comes from before the loop: it decides whether there is a first turn.
            Some(cond) => self.condition(cond, &mut |flow| flow.looped(e), &mut |_| Effect::Nothing),
            None => self.looped(e),
        }
    }

    /// `while answer.status().is_server_error() { answer = call.await?; }`: the condition, where the turn assigns what the condition looks at, and looking does nothing.
    fn asked_at_head(&self, e: ExprId) -> Option<ExprId> {
        let tree = self.tree;
        let ExprKind::While { cond, body, .. } = &tree.expr(e).kind else { return None };
        let ExprKind::Block(block) = &tree.expr(*body).kind else { return None };
        let about = pats::mentions(tree, self.types, *cond);
        let assigns = block.stmts.iter().any(|s| match s {
            Stmt::Expr(s) => match tree.expr(*s).kind {
                ExprKind::Assign { to, value } => {
                    self.types.locals.get(&to).is_some_and(|l| about.contains(l)) && !self.is_quiet(value)
                }
                _ => false,
            },
            Stmt::Let { .. } => false,
        });
        (assigns && self.is_quiet(*cond)).then_some(*cond)
    }

    fn looped(&mut self, e: ExprId) -> Effect {
        let id = self.fresh_loop();
        let bounds = bounds::bounds(self.world.values, self.body, e);
        self.counters.extend(bounds.conditions.iter().copied());
        let about = bounds.conditions.iter().flat_map(|c| pats::mentions(self.tree, self.types, *c));
        self.counting.extend(about.collect::<Vec<_>>());
        if let (ExprKind::For { pat, .. }, None) = (&self.tree.expr(e).kind, bounds.iterates) {
            self.counting.extend(pats::bindings(self.tree, *pat));
        }
        self.loop_exprs.push(e);
        let (before, body) = self.loop_body(e, id);
        self.loop_exprs.pop();
        if tidy::is_pure(&body) {
            return before;
        }
        let note = LoopNote {
            spent: self.spent(e, &bounds),
            over_data: bounds.iterates.is_some(),
            reads_retry_after: self.reads_retry_after(e),
            permanent_at: self.notes.permanent.remove(&id),
            named: bounds.named.map(|n| CountName { at: self.at(n.at), name: n.name, over: n.over }),
        };
        self.notes.loops.insert(id, note);
        let at = self.tree.expr(e).at;
        let head = self.span(at);
        let mut repeat = self.repeat(id, Form::Loop, head, body);
        repeat.stops = bounds.stops;
        repeat.exhausts = bounds.exhausts;
        tidy::seq(vec![before, Effect::Repeat(Box::new(repeat))])
    }

    /// Whether anything in it can send, wait or run what it is given.
    fn is_loud(&self, e: ExprId) -> bool {
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            match &self.tree.expr(e).kind {
                ExprKind::Await(_) | ExprKind::Async { .. } => return true,
                ExprKind::Call { .. } | ExprKind::Method { .. } if !self.is_quiet_call(e) => return true,
                ExprKind::Path(_) if self.types.locals.get(&e).is_some_and(|l| self.env.contains_key(l)) => {
                    return true;
                }
                _ => {}
            }
            pats::push_children(self.tree, e, &mut open);
        }
        false
    }

    /// Whether anything in it, or in the functions it calls, reads `Retry-After`.
    fn reads_retry_after(&self, e: ExprId) -> bool {
        let world = self.world;
        let mut open = vec![(self.body, e)];
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some((body, e)) = open.pop() {
            let (tree, Some(types)) = (world.program.tree_of(body), world.bodies.get(&body)) else { continue };
            match &tree.expr(e).kind {
                ExprKind::Lit(Lit::Str(text)) if text.eq_ignore_ascii_case("retry-after") => return true,
                ExprKind::Path(path) if path.last().is_some_and(|s| &*s.name == "RETRY_AFTER") => return true,
                _ => {}
            }
            if let Some(Target::Fns(ids, _)) = types.targets.get(&e) {
                for id in ids.iter().filter(|id| seen.len() < MOST_READ && seen.insert(**id)) {
                    open.extend(world.program.function(*id).body.map(|root| (BodyId::Fn(*id), root)));
                }
            }
            open.extend(pats::children(tree, e).into_iter().map(|c| (body, c)));
        }
        false
    }

    /// Remembers where a permanent class is let in by name, unless what follows leaves or looks at the failure again.
    pub(super) fn note_permanent(&mut self, at: Option<Span>, then: &Effect) {
        let Some(at) = at else { return };
        if tidy::leaves(then) || tidy::looks_at_error(then) {
            return;
        }
        let around: Vec<LoopId> = self.around().map(|l| l.id).collect();
        for id in around {
            self.notes.permanent.entry(id).or_insert(at);
        }
    }

    /// A repetition with nothing known about it yet.
    pub(super) fn repeat(&self, id: LoopId, form: Form, at: Span, body: Effect) -> Repeat {
        let end = Span { start: at.end.saturating_sub(1).max(at.start), ..at };
        let unjudged = Repeat::new(id, RepeatKind::Unjudged, form, self.function_name(), at, body);
        Repeat { end, jumps: true, ..unjudged }
    }

    pub(super) fn function_name(&self) -> Name {
        match self.body {
            BodyId::Fn(id) => self.world.program.def(id).path.clone(),
            BodyId::Const(id) => self.world.program.consts[id.0 as usize].path.clone(),
        }
    }

    /// What runs once before the loop, and one turn of it.
    fn loop_body(&mut self, e: ExprId, id: LoopId) -> (Effect, Effect) {
        let tree = self.tree;
        match &tree.expr(e).kind {
            ExprKind::While { label, cond, body } => {
                self.loops.push(LoopFrame { fresh: self.moved_on(e), ..LoopFrame::new(id, label.clone()) });
                self.note_head(*cond);
                let inner = match (self.asked_at_head(e), &tree.expr(*body).kind) {
                    (Some(cond), ExprKind::Block(block)) => self.turn_that_asks(AskedAtHead { block, cond, id }, *body),
                    _ => self.turn_of_while(id, *cond, *body),
                };
                self.loops.pop();
                (Effect::Nothing, inner)
            }
            ExprKind::For { label, pat, iter, body } => {
                let before = tidy::dropped(self.expr(*iter));
                let names = pats::bindings(tree, *pat);
                self.note_origin(&names, *iter);
                let fresh = names.into_iter().chain(self.moved_on(e)).collect();
                self.loops.push(LoopFrame { fresh, ..LoopFrame::new(id, label.clone()) });
                let inner = tidy::dropped(self.expr(*body));
                self.loops.pop();
                (before, if self.is_idle(&inner, id) { Effect::Nothing } else { inner })
            }
            ExprKind::Loop { label, body } => {
                self.loops.push(LoopFrame { fresh: self.moved_on(e), ..LoopFrame::new(id, label.clone()) });
                let inner = tidy::dropped(self.expr(*body));
                self.loops.pop();
                (Effect::Nothing, if self.is_idle(&inner, id) { Effect::Nothing } else { inner })
            }
            _ => (Effect::Nothing, Effect::Nothing),
        }
    }

    fn turn_of_while(&mut self, id: LoopId, cond: ExprId, body: ExprId) -> Effect {
        let mut turn = |f: &mut Self| tidy::dropped(f.expr(body));
        let mut done = |_: &mut Self| tidy::leave(Exit::Break(id), Effect::Nothing);
        let inner = self.condition(cond, &mut turn, &mut done);
        let silent = inner == Effect::Leave(Exit::Break(id), Box::new(Effect::Nothing));
        if silent || self.is_idle(&inner, id) { Effect::Nothing } else { inner }
    }

    fn turn_that_asks(&mut self, closing: AskedAtHead<'a>, body: ExprId) -> Effect {
        let outer = self.closing.replace(closing);
        let inner = tidy::dropped(self.expr(body));
        self.closing = outer;
        inner
    }

    /// A turn without any operation or wait, that leaves nothing but itself: the loop is no concern of ours.
    fn is_idle(&self, body: &Effect, id: LoopId) -> bool {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || match body {
            Effect::Call(_)
            | Effect::Remote(_)
            | Effect::Sleep(_)
            | Effect::Spawn(_)
            | Effect::Repeat(_)
            | Effect::Caught(_) => false,
            Effect::Leave(Exit::Return, _) => false,
            Effect::Leave(Exit::Break(other) | Exit::Again(other), _) if *other != id => false,
            other => crate::effect::children(other).into_iter().all(|c| self.is_idle(c, id)),
        })
    }

    fn frame(&self, label: Option<&Name>) -> Option<LoopId> {
        match label {
            Some(label) => self.loops.iter().rev().find(|l| l.label.as_ref() == Some(label)).map(|l| l.id),
            None => self.loops.iter().rev().find(|l| !self.blocks.contains(&l.id)).map(|l| l.id),
        }
    }

    pub(super) fn break_expr(&mut self, label: Option<&Name>, value: Option<ExprId>) -> Effect {
        let inner = value.map_or(Effect::Nothing, |v| self.expr(v));
        match self.frame(label) {
            Some(id) => tidy::leave(Exit::Break(id), inner),
            None => inner,
        }
    }

    pub(super) fn continue_expr(&mut self, label: Option<&Name>) -> Effect {
        let Some(id) = self.frame(label) else { return Effect::Nothing };
        let inner = self.failing.last().map_or(Effect::Nothing, |level| self.caught(*level));
        tidy::leave(Exit::Again(id), inner)
    }

    /// A labelled block: something that runs once and can be left.
    pub(super) fn plain_block(&self, id: LoopId, body: Effect) -> Repeat {
        let at = Span::default();
        let mut repeat = self.repeat(id, Form::Loop, at, body);
        repeat.kind = RepeatKind::Iteration;
        repeat.stops = vec![Stop::Count(Value::Number(1), Origin::none())];
        repeat.exhausts = true;
        repeat
    }
}
