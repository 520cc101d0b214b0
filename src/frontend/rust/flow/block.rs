//! Expressions and blocks: what is evaluated, in which order, and which locals hold what.

use super::call::Parts;
use super::{Flow, Known, tidy};
use crate::class::{Ending, Endings, FailureClass};
use crate::effect::{Arm, Effect, Exit, Judged};
use crate::frontend::rust::pats;
use crate::frontend::rust::program::{Target, Ty};
use crate::frontend::rust::tree::{BinaryOp, Block, ExprId, ExprKind, PatId, Stmt};
use crate::model::{ArgRef, Does, RemoteModel};
use crate::name::last_segment;

impl Flow<'_> {
    /// The effect of evaluating an expression; it ends as the value does.
    pub(super) fn expr(&mut self, e: ExprId) -> Effect {
        if !self.spend() {
            return Effect::Nothing;
        }
        stacker::maybe_grow(128 * 1024, 8 * 1024 * 1024, || self.expr_inner(e))
    }

    fn expr_inner(&mut self, e: ExprId) -> Effect {
        let tree = self.tree;
        match &tree.expr(e).kind {
            ExprKind::Path(_) => self.path(e),
            ExprKind::Lit(_) | ExprKind::Unknown => Effect::Nothing,
            ExprKind::Call { .. } | ExprKind::Method { .. } => self.call(e),
            ExprKind::Try(inner) => self.question(*inner),
            ExprKind::Await(inner) => self.future(*inner, true),
            ExprKind::Ref(inner) | ExprKind::Field { base: inner, .. } | ExprKind::Cast { value: inner, .. } => {
                self.expr(*inner)
            }
            ExprKind::Unary(_, inner) => tidy::dropped(self.expr(*inner)),
            ExprKind::If { cond, then, otherwise } => self.if_expr(*cond, *then, *otherwise),
            ExprKind::Let { value, .. } => tidy::dropped(self.expr(*value)),
            ExprKind::Match { value, arms } => self.match_expr(*value, arms),
            ExprKind::Block(block) => self.block(block),
            ExprKind::Async { block } if self.own_future == Some(e) => self.closed(*block),
            // Nothing of a future or a closure runs where it is written.
            ExprKind::Async { .. } | ExprKind::Closure { .. } => Effect::Nothing,
            ExprKind::Loop { .. } | ExprKind::While { .. } | ExprKind::For { .. } => self.any_loop(e),
            ExprKind::Break { label, value } => self.break_expr(label.as_ref(), *value),
            ExprKind::Continue { label } => self.continue_expr(label.as_ref()),
            ExprKind::Return(value) => {
                let inner = value.map_or(Effect::Nothing, |v| self.expr(v));
                tidy::leave(Exit::Return, inner)
            }
            ExprKind::Assign { to, value } => self.assign(*to, *value),
            ExprKind::Binary { op: BinaryOp::And | BinaryOp::Or, left, right } => {
                let first = tidy::dropped(self.expr(*left));
                let second = tidy::dropped(self.expr(*right));
                let maybe = tidy::branch(vec![second, Effect::Nothing], Judged::Other);
                tidy::seq(vec![first, maybe])
            }
            ExprKind::Macro(call) => self.macro_call(e, &call.args),
            _ => self.parts(e),
        }
    }

    /// All parts in order, their values dropped.
    fn parts(&mut self, e: ExprId) -> Effect {
        let parts = pats::children(self.tree, e);
        tidy::seq(parts.into_iter().map(|p| tidy::dropped(self.expr(p))).collect())
    }

    fn path(&mut self, e: ExprId) -> Effect {
        let Some(local) = self.types.locals.get(&e) else { return Effect::Nothing };
        match self.env.get(local) {
            Some(Known::Caught(level)) => self.caught(*level),
            _ => Effect::Nothing,
        }
    }

    /// A future or closure value where it runs: an async block's body, a call, a stored one.
    pub(super) fn future(&mut self, e: ExprId, awaited: bool) -> Effect {
        let e = self.beneath(e);
        if let Some(local) = self.types.locals.get(&pats::root(self.tree, e))
            && let Some(Known::Later(effect)) = self.env.get(local)
        {
            return (**effect).clone();
        }
        match &self.tree.expr(e).kind {
            ExprKind::Async { block } => self.closed(*block),
            ExprKind::Closure { body, .. } => self.closed(*body),
            _ => {
                if awaited {
                    self.notes.ops.entry(self.at(e)).or_default().awaited = true;
                    if let Some((path, model)) = self.sent_by_await(e) {
                        return self.remote(e, &path, &model, &Parts { receiver: Some(e), args: Vec::new() });
                    }
                }
                self.expr(e)
            }
        }
    }

    /// What awaiting a value of a library's type sends, with a path in which its type stands.
    fn sent_by_await(&self, e: ExprId) -> Option<(String, RemoteModel)> {
        let Some(Ty::Foreign(name, _)) = self.types.types.get(&e) else { return None };
        let what = self.world.models.canonical(name);
        let model = self.world.models.type_model(&what)?.awaited.clone()?;
        Some((format!("{what}::await"), model))
    }

    /// Below references, `Box::pin`, `.boxed()` and the like, which only hand a future on.
    pub(super) fn beneath(&self, mut e: ExprId) -> ExprId {
        loop {
            e = match &self.tree.expr(e).kind {
                ExprKind::Ref(inner) => *inner,
                ExprKind::Call { args, .. } if args.len() == 1 => match self.types.targets.get(&e) {
                    Some(Target::Foreign(path)) if self.hands_on(path) => args[0],
                    _ => return e,
                },
                ExprKind::Method { receiver, .. } => match self.types.targets.get(&e) {
                    Some(Target::Foreign(path)) if self.hands_on(path) => *receiver,
                    _ => return e,
                },
                ExprKind::Block(Block { stmts, tail: Some(tail), .. }) if stmts.is_empty() => *tail,
                _ => return e,
            };
        }
    }

    /// A wrapper that only hands a future or closure on: of the language's own library, or one whose model says that it
    /// runs what it is called on.
    fn hands_on(&self, path: &str) -> bool {
        let does = self.world.models.function(path).and_then(|f| f.does.as_ref());
        if matches!(does, Some(Does::Runs { body: ArgRef::Receiver })) {
            return true;
        }
        let name = last_segment(path);
        matches!(name, "pin" | "into_future" | "by_ref" | "as_mut")
    }

    /// The body of an async block or closure: `return` and `?` land there, loops outside are out of reach.
    pub(super) fn closed(&mut self, body: ExprId) -> Effect {
        let known = self.outer_loops.len();
        self.outer_loops.append(&mut self.loops);
        let inner = match &self.tree.expr(body).kind {
            ExprKind::Async { block } => self.expr(*block),
            _ => self.expr(body),
        };
        self.loops = self.outer_loops.split_off(known);
        tidy::scope(inner)
    }

    /// `value?`
    fn question(&mut self, inner: ExprId) -> Effect {
        let effect = self.expr(inner);
        let optional = matches!(self.types.types.get(&inner), Some(Ty::Foreign(name, _)) if name == "Option");
        if optional && tidy::is_pure(&effect) {
            let none = tidy::leave(Exit::Return, Effect::Nothing);
            return tidy::branch(vec![Effect::Nothing, none], Judged::Other);
        }
        match self.around_a_result(inner) {
            true => tidy::tried_on(effect, Endings::one(Ending::Error(FailureClass::Timeout))),
            false => tidy::tried(effect),
        }
    }

    /// A result whose success is a result: the outer error is that of a deadline or a task around the operation, and the
    /// operation's own errors are part of the value.
    pub(super) fn around_a_result(&self, e: ExprId) -> bool {
        let result = |ty: &Ty| matches!(ty, Ty::Foreign(name, _) if name == "Result");
        match self.types.types.get(&e) {
            Some(outer @ Ty::Foreign(_, args)) => result(outer) && args.first().is_some_and(result),
            _ => false,
        }
    }

    pub(super) fn block(&mut self, block: &Block) -> Effect {
        match &block.label {
            None => self.statements(block, 0),
            Some(label) => {
                let id = self.fresh_loop();
                self.blocks.insert(id);
                self.loops.push(super::LoopFrame::new(id, Some(label.clone())));
                let body = self.statements(block, 0);
                self.loops.pop();
                Effect::Repeat(Box::new(self.plain_block(id, body)))
            }
        }
    }

    /// The statements from the i-th on. A binding that is looked at later nests the rest into an arm.
    fn statements(&mut self, block: &Block, from: usize) -> Effect {
        let mut parts = Vec::new();
        for (i, stmt) in block.stmts.iter().enumerate().skip(from) {
            match stmt {
                Stmt::Expr(e) if self.is_asked_again(*e, block, i) => {
                    parts.push(self.assigned(*e, block, i));
                    return tidy::seq(parts);
                }
                Stmt::Expr(e) => {
                    let effect = self.expr(*e);
                    self.note_dropped(*e);
                    parts.push(tidy::dropped(effect));
                }
                Stmt::Let { pat, value: Some(value), otherwise, .. } => {
                    if let Some(rest) = self.let_statement(*pat, *value, *otherwise, block, i, &mut parts) {
                        parts.push(rest);
                        return tidy::seq(parts);
                    }
                }
                Stmt::Let { .. } => {}
            }
            if matches!(parts.last(), Some(Effect::Leave(..))) {
                return tidy::seq(parts);
            }
        }
        if let Some(tail) = block.tail {
            parts.push(self.expr(tail));
        }
        parts.push(self.closing_of(block));
        tidy::seq(parts)
    }

    /// `answer = call.await?;` whose value is asked for in the rest of the block, or by the head of the loop it ends.
    fn is_asked_again(&self, e: ExprId, block: &Block, index: usize) -> bool {
        let ExprKind::Assign { to, value } = self.tree.expr(e).kind else { return false };
        let Some(local) = self.types.locals.get(&to).copied() else { return false };
        let head = self.closing.as_ref().filter(|c| std::ptr::eq(c.block, block));
        let asked = self.looked_at(&[local], block, index)
            || head.is_some_and(|c| pats::mentions(self.tree, self.types, c.cond).contains(&local));
        asked && !self.is_quiet(value) && !self.is_later(value) && self.derived(value).is_none()
    }

    /// The rest of the block looks at what was assigned as it would at a binding.
    fn assigned(&mut self, e: ExprId, block: &Block, index: usize) -> Effect {
        let ExprKind::Assign { to, value } = self.tree.expr(e).kind else { return Effect::Nothing };
        let Some(local) = self.types.locals.get(&to).copied() else { return Effect::Nothing };
        self.note_origin(&[local], value);
        let effect = self.expr(value);
        if tidy::only_waits(&effect) {
            self.env.remove(&local);
            let rest = self.statements(block, index + 1);
            return tidy::seq(vec![tidy::dropped(effect), rest]);
        }
        let rest = self.in_arm(|flow, level| {
            flow.env.insert(local, Known::Caught(level));
            flow.statements(block, index + 1)
        });
        // Behind this block nobody knows which arm it was.
        self.env.remove(&local);
        tidy::recover(effect, vec![Arm { on: Endings::ALL.without(Endings::NEVER), then: rest }])
    }

    /// At the end of a turn whose head asks what the turn assigned: the question, where its answer is known.
    fn closing_of(&mut self, block: &Block) -> Effect {
        let Some(closing) = self.closing.take_if(|c| std::ptr::eq(c.block, block)) else { return Effect::Nothing };
        let id = closing.id;
        let mut again = |_: &mut Self| tidy::leave(Exit::Again(id), Effect::Nothing);
        let mut done = |_: &mut Self| tidy::leave(Exit::Break(id), Effect::Nothing);
        self.condition(closing.cond, &mut again, &mut done)
    }

    /// `call.await;`: nobody looks at what it gives.
    fn note_dropped(&mut self, e: ExprId) {
        if let ExprKind::Await(call) = self.tree.expr(e).kind
            && let Some(seen) = self.notes.ops.get_mut(&self.at(self.beneath(call)))
        {
            seen.dropped = true;
        }
    }

    /// Compiles one `let`. Gives the rest of the block if that had to be nested.
    fn let_statement(
        &mut self,
        pat: PatId,
        value: ExprId,
        otherwise: Option<ExprId>,
        block: &Block,
        index: usize,
        parts: &mut Vec<Effect>,
    ) -> Option<Effect> {
        let names = pats::bindings(self.tree, pat);
        self.note_origin(&names, value);
        self.note_made(&names, value);
        if let Some(otherwise) = otherwise {
            return Some(self.let_else(pat, value, otherwise, block, index));
        }
        if self.is_later(value) {
            let effect = self.later(value);
            names.iter().for_each(|n| drop(self.env.insert(*n, Known::Later(Box::new(effect.clone())))));
            return None;
        }
        let effect = self.expr(value);
        if let Some(level) = self.derived(value) {
            names.iter().for_each(|n| drop(self.env.insert(*n, Known::Caught(level))));
            parts.push(tidy::dropped(effect));
            return None;
        }
        if tidy::only_waits(&effect) || !self.looked_at(&names, block, index) {
            parts.push(tidy::dropped(effect));
            return None;
        }
        let rest = self.in_arm(|flow, level| {
            names.iter().for_each(|n| drop(flow.env.insert(*n, Known::Caught(level))));
            flow.statements(block, index + 1)
        });
        Some(tidy::recover(effect, vec![Arm { on: Endings::ALL.without(Endings::NEVER), then: rest }]))
    }

    /// `let PAT = value else { .. };`
    fn let_else(&mut self, pat: PatId, value: ExprId, otherwise: ExprId, block: &Block, index: usize) -> Effect {
        let mut then = |flow: &mut Self| flow.statements(block, index + 1);
        let mut els = |flow: &mut Self| flow.expr(otherwise);
        self.if_let(pat, value, &mut then, &mut els)
    }

    /// Whether any of the names is mentioned in the rest of the block, so that its ending may be looked at there.
    fn looked_at(&self, names: &[PatId], block: &Block, index: usize) -> bool {
        let mut open: Vec<ExprId> = block.tail.into_iter().collect();
        for stmt in &block.stmts[index + 1..] {
            match stmt {
                Stmt::Let { value, otherwise, .. } => open.extend(value.iter().chain(otherwise)),
                Stmt::Expr(e) => open.push(*e),
            }
        }
        while let Some(e) = open.pop() {
            if self.types.locals.get(&e).is_some_and(|l| names.contains(l)) {
                return true;
            }
            if self.types.captures.get(&e).is_some_and(|c| c.iter().any(|l| names.contains(l))) {
                return true;
            }
            pats::push_children(self.tree, e, &mut open);
        }
        false
    }

    /// Remembers what a binding is made of.
    pub(super) fn note_origin(&mut self, names: &[PatId], value: ExprId) {
        let mut from = pats::mentions(self.tree, self.types, value);
        let further: Vec<PatId> = from.iter().filter_map(|l| self.made_of.get(l)).flatten().copied().collect();
        from.extend(further);
        for name in names {
            self.made_of.entry(*name).or_default().extend(from.iter().copied());
        }
    }

    fn assign(&mut self, to: ExprId, value: ExprId) -> Effect {
        let effect = self.expr(value);
        if let Some(local) = self.types.locals.get(&to).copied() {
            self.note_origin(&[local], value);
            match self.derived(value) {
                Some(level) => drop(self.env.insert(local, Known::Caught(level))),
                None if self.is_later(value) => {
                    let later = self.later(value);
                    self.env.insert(local, Known::Later(Box::new(later)));
                }
                None => drop(self.env.remove(&local)),
            }
        }
        let place = tidy::dropped(self.expr(to));
        tidy::seq(vec![tidy::dropped(effect), place])
    }

    /// A value that does its work only when it is awaited or called.
    fn is_later(&self, e: ExprId) -> bool {
        let e = self.beneath(e);
        match &self.tree.expr(e).kind {
            ExprKind::Async { .. } | ExprKind::Closure { .. } => true,
            ExprKind::Call { .. } | ExprKind::Method { .. } => self.makes_future(e),
            _ => false,
        }
    }

    fn later(&mut self, e: ExprId) -> Effect {
        self.future(e, true)
    }

    /// Whether a call only makes a future: an `async fn`, or an asynchronous function of a modelled library.
    fn makes_future(&self, e: ExprId) -> bool {
        match self.types.targets.get(&e) {
            Some(Target::Fns(ids, _)) => ids.iter().any(|id| self.world.program.function(*id).is_async),
            Some(Target::Foreign(path)) => self.world.models.function(path).is_some_and(|f| f.asynchronous),
            _ => false,
        }
    }

    /// `Err(..)` written down: the class of the failure that is being looked at here, else one of the program's own.
    pub(super) fn made_error(&mut self, args: &[ExprId]) -> Effect {
        let parts: Vec<Effect> = args.iter().map(|a| self.expr(*a)).collect();
        if let Some(at) = parts.iter().position(|p| matches!(p, Effect::Leave(..))) {
            return parts[at].clone();
        }
        let mentioned = args.iter().find_map(|a| self.derived(*a));
        let level = mentioned.or(self.failing.last().copied());
        let ending = match level {
            Some(level) => as_error(self.caught(level)),
            None => Effect::End(Ending::Error(FailureClass::Application)),
        };
        tidy::seq(parts.into_iter().map(tidy::dropped).chain([ending]).collect())
    }
}

/// The same failure as an error; an answer that was no failure, taken for one, is a failure of the program's own.
pub(super) fn as_error(caught: Effect) -> Effect {
    let application = Endings::one(Ending::Error(FailureClass::Application));
    match tidy::statuses_to_errors(caught, true) {
        Effect::Map(mut rules, body) => {
            rules.push((Endings::OK, application));
            Effect::Map(rules, body)
        }
        other => other,
    }
}
