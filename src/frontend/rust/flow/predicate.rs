//! What a condition says about an ending: for which endings it can hold, for which it can fail.

use super::test::{Test, against_number, class_sets};
use super::{Flow, Known, Level};
use crate::class::Endings;
use crate::effect::Judged;
use crate::frontend::rust::pats;
use crate::frontend::rust::program::{BodyId, FnId, Target};
use crate::frontend::rust::tree::{BinaryOp, ExprId, ExprKind, Lit, MacroArgs, Stmt, UnaryOp};
use crate::frontend::rust::values::Source;
use crate::name::split_last;

/// How deep predicates are followed into predicates.
const DEEPEST: u8 = 6;

impl Flow<'_> {
    /// The arm whose ending an expression is (part of): through fields, references, accessors and reading the body.
    pub(super) fn derived(&self, e: ExprId) -> Option<Level> {
        match &self.tree.expr(e).kind {
            ExprKind::Path(_) => {
                if self.types.self_paths.contains(&e) {
                    return self.self_level();
                }
                match self.env.get(self.types.locals.get(&e)?)? {
                    Known::Caught(level) => Some(*level),
                    Known::Later(_) => None,
                }
            }
            ExprKind::Field { base: inner, .. }
            | ExprKind::Ref(inner)
            | ExprKind::Cast { value: inner, .. }
            | ExprKind::Try(inner)
            | ExprKind::Await(inner)
            | ExprKind::Unary(UnaryOp::Deref, inner) => self.derived(*inner),
            ExprKind::Method { receiver, .. } if self.only_reads(e) => self.derived(*receiver),
            ExprKind::Call { args, .. } if args.len() == 1 && self.only_reads(e) => self.derived(args[0]),
            _ => None,
        }
    }

    /// A call that makes nothing new: an accessor, a conversion, reading an answer's body.
    fn only_reads(&self, e: ExprId) -> bool {
        match self.types.targets.get(&e) {
            Some(Target::Foreign(path)) => self.world.models.function(path).is_none_or(|f| {
                matches!(f.does, None | Some(crate::model::Does::Status) | Some(crate::model::Does::Local))
            }),
            Some(Target::Constructor(_)) => true,
            Some(Target::Fns(ids, _)) => ids.iter().all(|id| {
                let function = self.world.program.function(*id);
                !function.is_async && function.params.is_empty()
            }),
            _ => false,
        }
    }

    fn self_level(&self) -> Option<Level> {
        self.self_caught
    }

    /// What a condition without effects says.
    pub(super) fn test(&mut self, e: ExprId) -> Test {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.test_inner(e))
    }

    fn test_inner(&mut self, e: ExprId) -> Test {
        let tree = self.tree;
        if self.counters.contains(&e) {
            return Test::unknown(None, Judged::Counter);
        }
        match &tree.expr(e).kind {
            ExprKind::Lit(Lit::Bool(b)) => Test::constant(*b),
            ExprKind::Unary(UnaryOp::Not, inner) => self.test(*inner).not(),
            ExprKind::Binary { op: BinaryOp::And, left, right } => self.test(*left).and(self.test(*right)),
            ExprKind::Binary { op: BinaryOp::Or, left, right } => self.test(*left).or(self.test(*right)),
            ExprKind::Binary { op, left, right } => {
                self.comparison(*op, *left, *right).unwrap_or_else(|| self.vague(e))
            }
            ExprKind::Method { receiver, name, .. } => self.method_test(e, *receiver, name),
            ExprKind::Call { args, .. } => self.call_test(e, args),
            ExprKind::Macro(call) => match &call.args {
                MacroArgs::Matches { value, pat, guard } => self.matches_test(*value, *pat, *guard),
                _ => self.vague(e),
            },
            ExprKind::Block(block) if block.stmts.is_empty() => {
                block.tail.map_or(Test::constant(true), |t| self.test(t))
            }
            ExprKind::Path(_) => self.named_test(e).unwrap_or_else(|| self.vague(e)),
            _ => self.vague(e),
        }
    }

    /// `let again = match &sent { .. }; if again {`: what a local that never changes was found to be.
    fn named_test(&mut self, e: ExprId) -> Option<Test> {
        let pat = *self.types.locals.get(&e)?;
        if self.predicates >= DEEPEST {
            return None;
        }
        let locals = self.world.values.locals(self.body);
        let Source::Let(Some(value)) = locals.bindings.get(&pat)?.source else { return None };
        let changes = locals.changes.keys().any(|cell| cell.root == Some(pat));
        if changes || !self.is_quiet(value) && !self.is_plain_choice(value) {
            return None;
        }
        self.predicates += 1;
        let test = self.truth(value);
        self.predicates -= 1;
        test.level.is_some().then_some(test)
    }

    /// A `match` or `if` whose parts do nothing but look.
    fn is_plain_choice(&self, e: ExprId) -> bool {
        match &self.tree.expr(e).kind {
            ExprKind::Match { value, arms } => {
                let looks = |a: &crate::frontend::rust::tree::Arm| {
                    a.guard.is_none_or(|g| self.is_quiet(g)) && self.is_plain_choice(a.body)
                };
                self.is_quiet(*value) && arms.iter().all(looks)
            }
            ExprKind::If { cond, then, otherwise } => {
                let quiet = match self.tree.expr(*cond).kind {
                    ExprKind::Let { value, .. } => self.is_quiet(value),
                    _ => self.is_quiet(*cond),
                };
                quiet && self.is_plain_choice(*then) && otherwise.is_some_and(|o| self.is_plain_choice(o))
            }
            ExprKind::Block(block) => block.stmts.is_empty() && block.tail.is_some_and(|t| self.is_plain_choice(t)),
            _ => self.is_quiet(e),
        }
    }

    /// A condition that could not be followed: about an ending if it mentions one, else about something else.
    fn vague(&self, e: ExprId) -> Test {
        let mentioned = pats::mentions(self.tree, self.types, e);
        let further = mentioned.iter().filter_map(|l| self.made_of.get(l)).flatten();
        let levels = mentioned.iter().chain(further).filter_map(|l| match self.env.get(l) {
            Some(Known::Caught(level)) => Some(*level),
            _ => None,
        });
        let level = levels.max().or_else(|| self.mentions_self(e).then(|| self.self_level()).flatten());
        let judged = match level {
            Some(level) if self.failing.contains(&level) || self.self_caught == Some(level) => Judged::Error,
            Some(_) => Judged::Answer,
            None if self.looks_at_counter(e) || mentioned.iter().any(|l| self.counting.contains(l)) => Judged::Counter,
            None => Judged::Other,
        };
        Test::unknown(level, judged)
    }

    fn mentions_self(&self, e: ExprId) -> bool {
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            if self.types.self_paths.contains(&e) {
                return true;
            }
            pats::push_children(self.tree, e, &mut open);
        }
        false
    }

    fn looks_at_counter(&self, e: ExprId) -> bool {
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            if self.counters.contains(&e) {
                return true;
            }
            pats::push_children(self.tree, e, &mut open);
        }
        false
    }

    /// `status == X`, `code >= 500`, and the same the other way round.
    fn comparison(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> Option<Test> {
        if let Some(level) = self.derived(left) {
            return self.compared(level, op, right);
        }
        let turned = match op {
            BinaryOp::Lt => BinaryOp::Gt,
            BinaryOp::Le => BinaryOp::Ge,
            BinaryOp::Gt => BinaryOp::Lt,
            BinaryOp::Ge => BinaryOp::Le,
            other => other,
        };
        let level = self.derived(right)?;
        self.compared(level, turned, left)
    }

    fn compared(&mut self, level: Level, op: BinaryOp, constant: ExprId) -> Option<Test> {
        if let Some(status) = self.status_number(constant) {
            let test = |op| against_number(level, op, status);
            return Some(match op {
                BinaryOp::Ne => test(BinaryOp::Eq).named_at(self.at(constant)).not(),
                BinaryOp::Lt | BinaryOp::Le => test(op),
                _ => test(op).named_at(self.at(constant)),
            });
        }
        let set = self.constant_set(constant)?;
        let same = Test::sides(level, set, Judged::Error).named_at(self.at(constant));
        match op {
            BinaryOp::Eq => Some(same),
            BinaryOp::Ne => Some(same.not()),
            _ => None,
        }
    }

    fn status_number(&self, e: ExprId) -> Option<u16> {
        match &self.tree.expr(e).kind {
            ExprKind::Lit(Lit::Int(n, _)) if (100..=599).contains(n) => Some(*n as u16),
            _ => None,
        }
    }

    /// The endings a constant stands for, (can be equal, can be different): `StatusCode::CONFLICT`, `Some(Code::Aborted)`.
    fn constant_set(&mut self, e: ExprId) -> Option<(Endings, Endings)> {
        match &self.tree.expr(e).kind {
            ExprKind::Call { args, .. } if args.len() == 1 => self.constant_set(args[0]),
            ExprKind::Ref(inner) => self.constant_set(*inner),
            _ => {
                let path = self.types.paths.get(&e)?;
                self.named_set(path)
            }
        }
    }

    /// The endings that a constant or variant by that path stands for: (definitely or possibly it, possibly not it).
    pub(super) fn named_set(&self, path: &str) -> Option<(Endings, Endings)> {
        let canonical = self.world.models.canonical(path);
        let path = &*canonical;
        if let Some(sides) = self.world.variants.get(path) {
            return Some(*sides);
        }
        let (owner, name) = split_last(path)?;
        let model = self.world.models.type_model(owner)?;
        if let Some(class) = model.constants.get(name) {
            return Some(class_sets(class));
        }
        let classes = model.tells.get(name)?;
        let set = crate::model::endings(classes);
        Some((set, Endings::ALL.without(set)))
    }

    /// The endings for which a library's predicate is true, if its model says so.
    pub(super) fn told(&self, path: &str) -> Option<Endings> {
        let path = self.world.models.canonical(path);
        let (owner, name) = split_last(&path)?;
        let classes = self.world.models.type_model(owner)?.tells.get(name)?;
        Some(crate::model::endings(classes))
    }

    fn method_test(&mut self, e: ExprId, receiver: ExprId, name: &str) -> Test {
        let level = self.derived(receiver);
        match (name, level) {
            ("is_ok" | "is_some", Some(level)) => return Test::exactly(level, Endings::GOES_ON, Judged::Other),
            ("is_err" | "is_none", Some(level)) => return Test::exactly(level, Endings::ERRORS, Judged::Other),
            _ => {}
        }
        if let (Some(level), Some(Target::Foreign(path))) = (level, self.types.targets.get(&e))
            && let Some(set) = self.told(path)
        {
            return Test::exactly(level, set, Judged::Error).named_at(self.at(e));
        }
        let tree = self.tree;
        let ExprKind::Method { args, .. } = &tree.expr(e).kind else { return self.vague(e) };
        let all: Vec<ExprId> = std::iter::once(receiver).chain(args.iter().copied()).collect();
        self.followed(e, &all)
    }

    fn call_test(&mut self, e: ExprId, args: &[ExprId]) -> Test {
        self.followed(e, args)
    }

    /// A predicate of the tree over something derived from an ending, followed into its body.
    fn followed(&mut self, e: ExprId, args: &[ExprId]) -> Test {
        let given = args.iter().enumerate().find_map(|(i, a)| self.derived(*a).map(|level| (i, level)));
        let (Some((index, level)), Some(Target::Fns(ids, _))) = (given, self.types.targets.get(&e)) else {
            return self.vague(e);
        };
        let ids = ids.clone();
        let mut all: Option<Test> = None;
        for id in ids {
            let Some(test) = self.predicate(id, index) else { return self.vague(e) };
            all = Some(match all {
                None => test,
                Some(before) => Test { yes: before.yes | test.yes, no: before.no | test.no, ..before },
            });
        }
        all.map_or_else(|| self.vague(e), |t| Test { level: Some(level), judged: Judged::Error, ..t })
    }

    /// For which endings of its i-th parameter (a receiver is 0) a function of the tree can be true and false.
    pub(super) fn predicate(&mut self, id: FnId, index: usize) -> Option<Test> {
        if self.predicates >= DEEPEST {
            return None;
        }
        let function = self.world.program.function(id);
        let root = function.body?;
        let mut inner = Flow::new(self.world, BodyId::Fn(id), self.next_loop)?;
        inner.predicates = self.predicates + 1;
        inner.depth = 1;
        inner.failing = vec![0];
        let receiver = usize::from(function.receiver.is_some());
        match index.checked_sub(receiver) {
            None => inner.self_caught = Some(0),
            Some(i) => {
                let (pat, _) = function.params.get(i)?;
                for name in pats::bindings(inner.tree, *pat) {
                    inner.env.insert(name, Known::Caught(0));
                }
            }
        }
        Some(inner.truth(root))
    }

    /// For which endings a body's value is true.
    pub(super) fn truth(&mut self, e: ExprId) -> Test {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.truth_inner(e))
    }

    fn truth_inner(&mut self, e: ExprId) -> Test {
        let tree = self.tree;
        match &tree.expr(e).kind {
            ExprKind::Block(block) => self.truth_of_statements(&block.stmts, block.tail),
            ExprKind::Return(Some(value)) => self.truth(*value),
            ExprKind::If { cond, then, otherwise } => {
                let test = self.condition_test(*cond);
                let a = self.truth(*then);
                let b = otherwise.map_or(Test::constant(false), |o| self.truth(o));
                test.choose(a, b)
            }
            ExprKind::Match { value, arms } => {
                let Some(level) = self.derived(*value) else { return self.vague(e) };
                let mut result = Test::constant(false);
                for arm in arms.iter().rev() {
                    let mut test = self.pattern_test(arm.pat, level, false);
                    self.bind(arm.pat, level);
                    if let Some(guard) = arm.guard {
                        test = test.and(self.test(guard));
                    }
                    let value = self.truth(arm.body);
                    result = test.choose(value, result);
                }
                result
            }
            _ => self.test(e),
        }
    }

    fn truth_of_statements(&mut self, stmts: &[Stmt], tail: Option<ExprId>) -> Test {
        let Some((first, rest)) = stmts.split_first() else {
            return tail.map_or(Test::constant(false), |t| self.truth(t));
        };
        match first {
            Stmt::Let { pat, value: Some(value), otherwise: None, .. } => {
                if let Some(level) = self.derived(*value) {
                    self.bind(*pat, level);
                }
                self.truth_of_statements(rest, tail)
            }
            Stmt::Expr(e) => match &self.tree.expr(*e).kind {
                ExprKind::Return(Some(value)) => self.truth(*value),
                ExprKind::If { cond, then, otherwise: None } => {
                    let test = self.condition_test(*cond);
                    let inside = self.truth(*then);
                    let after = self.truth_of_statements(rest, tail);
                    test.choose(inside, after)
                }
                _ => self.truth_of_statements(rest, tail),
            },
            _ => self.truth_of_statements(rest, tail),
        }
    }

    /// A condition that may be an `if let`.
    fn condition_test(&mut self, cond: ExprId) -> Test {
        if let ExprKind::Let { pat, value } = self.tree.expr(cond).kind
            && let Some(level) = self.derived(value)
        {
            let test = self.pattern_test(pat, level, false);
            self.bind(pat, level);
            return test;
        }
        self.test(cond)
    }

    pub(super) fn matches_test(
        &mut self,
        value: ExprId,
        pat: crate::frontend::rust::tree::PatId,
        guard: Option<ExprId>,
    ) -> Test {
        let Some(level) = self.derived(value) else { return self.vague(value) };
        let test = self.pattern_test(pat, level, false);
        match guard {
            None => test,
            Some(guard) => {
                self.bind(pat, level);
                test.and(self.test(guard))
            }
        }
    }
}
