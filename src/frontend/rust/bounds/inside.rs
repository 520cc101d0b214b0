//! A call that is handed what is followed, or the object that holds it, is played with the body of its function.
//!
//! `policy.next_delay()` that counts and then gives `None`, `ctx.exhausted()`, `step().await` that says what comes next:
//! their bodies are part of the turn, and what they give decides as it would decide there.

use std::cell::RefCell;
use std::rc::Rc;

use super::atoms::Look;
use super::cover;
use super::focus::Focus;
use super::run::{Cond, Exit, Node, Side};
use super::turn::Compile;
use crate::frontend::rust::pats;
use crate::frontend::rust::program::{BodyId, FnId, Target};
use crate::frontend::rust::tree::{ExprId, ExprKind, Lit, MacroArgs, PatId, PatKind, Stmt};
use crate::frontend::rust::values::{Cell, Source, walk};
use crate::name::last_segment;

/// Functions inside one another that are played in one turn.
const DEEPEST: usize = 3;

/// Names of variants in one turn; a variant is its place in this list.
pub type Variants = Rc<RefCell<Vec<String>>>;

/// What a function sees of the thing that is followed.
pub struct Seen {
    pub cell: Cell,
    /// What the followed counter is more by.
    pub more: i64,
}

impl<'v, 'a> Look<'v, 'a> {
    /// The only function of the tree that a call leads to, with a body, and what it is handed, the receiver first.
    pub fn function_called(&self, e: ExprId) -> Option<(FnId, Vec<ExprId>)> {
        let Some(Target::Fns(fns, _)) = self.values.target(self.body, e) else { return None };
        let [f] = fns[..] else { return None };
        self.values.program.function(f).body?;
        let handed = match self.kind(e) {
            ExprKind::Call { args, .. } => args.clone(),
            ExprKind::Method { receiver, args, .. } => std::iter::once(*receiver).chain(args.iter().copied()).collect(),
            _ => return None,
        };
        Some((f, handed))
    }

    /// How a function names its i-th parameter, a receiver counted.
    pub fn parameter(&self, f: FnId, i: usize) -> Option<Option<PatId>> {
        let function = self.values.program.function(f);
        match i.checked_sub(usize::from(function.receiver.is_some())) {
            None => Some(None),
            Some(i) => {
                let (pat, _) = *function.params.get(i)?;
                let tree = self.values.tree(BodyId::Fn(f));
                matches!(tree.pat(pat).kind, PatKind::Ident { .. }).then_some(Some(pat))
            }
        }
    }

    /// What of a cell a called function sees.
    pub fn seen(&self, e: ExprId, cell: &Cell) -> Option<Seen> {
        let (f, handed) = self.function_called(e)?;
        handed.iter().enumerate().find_map(|(i, arg)| {
            let root = || self.parameter(f, i);
            if let Some(own) = self.cell(*arg)
                && own.root == cell.root
                && cell.fields.starts_with(&own.fields)
            {
                let fields = cell.fields[own.fields.len()..].to_vec();
                return Some(Seen { cell: Cell { root: root()?, fields }, more: 0 });
            }
            let (_, more) = self.counter(*arg).filter(|(own, _)| own == cell)?;
            Some(Seen { cell: Cell { root: root()?, fields: Vec::new() }, more })
        })
    }

    /// The eyes with which a called function looks at what it was handed.
    pub fn within(&self, f: FnId, handed: &[ExprId], given: Option<Cell>) -> Option<Look<'v, 'a>> {
        let body = BodyId::Fn(f);
        let the_loop = self.values.program.function(f).body?;
        let handed = handed.iter().map(|a| self.value(*a)).collect();
        let locals = self.values.locals(body);
        Some(Look { values: self.values, body, the_loop, locals, head: None, given, handed: Some(Rc::new(handed)) })
    }

    /// Whether a body reads or changes that cell, or hands it on.
    fn touches(&self, cell: &Cell) -> bool {
        let tree = self.values.tree(self.body);
        walk::any(tree, self.the_loop, &mut |x| {
            self.cell(x)
                .is_some_and(|c| c.root == cell.root && (c == *cell || !cell.fields.is_empty() && self.lends(x)))
        })
    }

    /// `self` in `self.step()`, an object that is an argument.
    fn lends(&self, e: ExprId) -> bool {
        let parent = self.locals.parents.get(&e).map(|p| self.kind(*p));
        matches!(parent, Some(ExprKind::Method { .. } | ExprKind::Call { .. } | ExprKind::Ref(_)))
    }

    /// Whether a body compares the clock with anything.
    fn looks_at_clock(&self) -> bool {
        walk::any(self.values.tree(self.body), self.the_loop, &mut |x| self.elapsed(x).is_some())
    }

    /// A call or a value behind which nothing comes.
    pub fn never_returns(&self, e: ExprId) -> bool {
        let leaves = |path: &str| path.ends_with("process::exit") || path.ends_with("process::abort");
        match self.values.target(self.body, e) {
            Some(Target::Foreign(path)) if leaves(path) => true,
            _ => matches!(self.values.type_of(self.body, e), Some(crate::frontend::rust::program::Ty::Never)),
        }
    }
}

impl<'c, 'v, 'a> Compile<'c, 'v, 'a> {
    pub fn new(look: &'c Look<'v, 'a>, focus: Focus, is_work: &'c dyn Fn(ExprId) -> bool, failing: bool) -> Self {
        let variants = Variants::default();
        Compile { look, focus, is_work, failing, around: Vec::new(), inside: Vec::new(), more: 0, variants }
    }

    /// What a call does with what is followed, if it sees it.
    pub(super) fn played(&self, e: ExprId) -> Option<Node> {
        let (f, handed) = self.look.function_called(e)?;
        if self.inside.len() >= DEEPEST || self.inside.contains(&f) {
            return None;
        }
        let (focus, more) = match &self.focus {
            Focus::Counter(cell, limit) => {
                let seen = self.look.seen(e, cell)?;
                (Focus::Counter(seen.cell, limit.clone()), seen.more)
            }
            Focus::Flag(cell, first) => {
                let seen = self.look.seen(e, cell).filter(|s| s.more == 0)?;
                (Focus::Flag(seen.cell, *first), 0)
            }
            Focus::Clock => (Focus::Clock, 0),
            Focus::Left(_) | Focus::Cancel | Focus::Answer(..) => return None,
        };
        let given = focus.cell().cloned();
        let look = self.look.within(f, &handed, given.clone())?;
        let concerned = given.map_or_else(|| look.looks_at_clock(), |cell| look.touches(&cell));
        if !concerned {
            return None;
        }
        let mut inner = Compile::new(&look, focus, &|_| false, false);
        inner.inside = self.inside.iter().copied().chain([f]).collect();
        inner.more = self.more + more;
        inner.variants = self.variants.clone();
        let root = look.the_loop;
        Some(inner.gives(root))
    }

    /// A value that a function of the tree gives, played: what stands before it, the try if it is one, its body.
    pub(super) fn call_inside(&mut self, value: ExprId) -> Option<Cond> {
        let call = self.look.called(value);
        let played = self.played(call)?;
        let children = pats::children(self.look.values.tree(self.look.body), call);
        let mut before: Vec<Node> = children.into_iter().map(|c| self.node(c)).collect();
        if (self.is_work)(call) || (self.is_work)(value) {
            before.push(Node::Work);
        }
        before.retain(|n| *n != Node::nothing());
        Some(Cond::First(Box::new(Node::Seq(before)), Box::new(Cond::Call(Rc::new(played)))))
    }

    /// How a pattern takes what a call gives.
    pub(super) fn matched_call(&self, cond: Cond, pat: PatId) -> Cond {
        let tree = self.look.values.tree(self.look.body);
        match cover::side(tree, pat) {
            Some(true) => cond,
            Some(false) => Cond::Not(Box::new(cond)),
            None => Cond::First(Box::new(played_for_its_steps_of(cond)), Box::new(Cond::Open)),
        }
    }

    /// The side that an arm takes of a value.
    pub(super) fn side(&self, cond: &Cond, pat: PatId) -> Option<Side> {
        let (tree, types) = (self.look.values.tree(self.look.body), self.look.values.types(self.look.body));
        let of_bool = |yes| if yes { Side::Yes } else { Side::No };
        if let Some(side) = cover::side(tree, pat) {
            return Some(of_bool(side));
        }
        if !cond.is_call() || cover::takes_all(tree, types, pat) {
            return None;
        }
        match &tree.pat(pat).kind {
            PatKind::Lit(e) => match self.look.kind(*e) {
                ExprKind::Lit(Lit::Bool(b)) => Some(of_bool(*b)),
                _ => None,
            },
            _ => cover::variant(tree, pat).map(|name| self.variant(name)),
        }
    }

    fn variant(&self, name: &str) -> Side {
        let mut names = self.variants.borrow_mut();
        let at = names.iter().position(|n| n == name).unwrap_or_else(|| {
            names.push(name.to_owned());
            names.len() - 1
        });
        Side::Variant(at as u16)
    }

    /// Where a failure that is handed on goes.
    pub(super) fn failed(&self) -> Exit {
        if self.inside.is_empty() { Exit::Return } else { Exit::Gives(Side::No) }
    }

    /// An expression whose value is what the function gives.
    pub(super) fn gives(&mut self, e: ExprId) -> Node {
        stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || self.gives_inner(e))
    }

    fn gives_inner(&mut self, e: ExprId) -> Node {
        let look = self.look;
        let given = |side| Node::Jump(Exit::Gives(side));
        let of_bool = |yes| if yes { Side::Yes } else { Side::No };
        match look.kind(e) {
            ExprKind::Block(block) if block.label.is_none() => {
                let statements = self.statements(&block.stmts);
                let tail = block.tail.map_or_else(Node::nothing, |t| self.gives(t));
                Node::Seq(vec![statements, tail])
            }
            ExprKind::If { cond, then, otherwise: Some(other) } => {
                let cond = self.cond(*cond);
                Node::If(cond, Box::new(self.gives(*then)), Box::new(self.gives(*other)))
            }
            ExprKind::Match { value, arms } => self.choice(*value, arms, &|c, e| c.gives(e)),
            ExprKind::Lit(Lit::Bool(b)) => given(of_bool(*b)),
            ExprKind::Await(inner) | ExprKind::Ref(inner) => self.gives(*inner),
            ExprKind::Path(_) | ExprKind::Call { .. } => self.gives_made(e),
            ExprKind::Method { receiver, name, .. } if matches!(name.as_str(), "then" | "then_some") => {
                self.decides(*receiver)
            }
            ExprKind::Method { receiver, name, .. } if matches!(name.as_str(), "map" | "ok" | "map_err" | "ok_or") => {
                self.decides(*receiver)
            }
            ExprKind::Binary { .. } | ExprKind::Unary(..) | ExprKind::Method { .. } => self.decides(e),
            ExprKind::Macro(call) if matches!(call.args, MacroArgs::Matches { .. }) => self.decides(e),
            // A value that may be anything.
            _ => self.node(e),
        }
    }

    /// A variant that is made: `None`, `Ok(..)`, `Step::Again`; what another call gives is asked there.
    fn gives_made(&mut self, e: ExprId) -> Node {
        let look = self.look;
        let given = |side| Node::Jump(Exit::Gives(side));
        match (look.kind(e), look.values.target(look.body, e)) {
            (ExprKind::Call { .. }, Some(Target::Constructor(path))) => {
                let side = match last_segment(path) {
                    "Some" | "Ok" => Side::Yes,
                    "Err" => Side::No,
                    name => self.variant(name),
                };
                Node::Seq(vec![self.node(e), given(side)])
            }
            (ExprKind::Call { .. }, _) => self.decides(e),
            (ExprKind::Path(path), _) => match path.last().map(|s| s.name.as_str()) {
                Some("None") => given(Side::No),
                Some(name) if is_variant(name) && !look.values.types(look.body).locals.contains_key(&e) => {
                    given(self.variant(name))
                }
                _ => self.node(e),
            },
            _ => self.node(e),
        }
    }

    /// A condition that is the value.
    fn decides(&mut self, e: ExprId) -> Node {
        let given = |side| Box::new(Node::Jump(Exit::Gives(side)));
        match self.cond(e) {
            Cond::Open => Node::nothing(),
            Cond::First(before, open) if *open == Cond::Open => *before,
            cond => Node::If(cond, given(Side::Yes), given(Side::No)),
        }
    }

    /// Whether a `let` keeps a call that is played where its name is asked.
    pub(super) fn asked_later(&self, pat: PatId, value: ExprId) -> bool {
        let look = self.look;
        let tree = look.values.tree(look.body);
        if look.kept_for_later(pat) != Some(value) || self.played(look.called(value)).is_none() {
            return false;
        }
        let mut asked = false;
        walk::each(tree, look.the_loop, &mut |x| {
            asked |= look.values.types(look.body).locals.get(&x) == Some(&pat) && look.asked_once(x).is_some();
            !asked
        });
        asked
    }

    fn statements(&mut self, stmts: &[Stmt]) -> Node {
        let parts = stmts.iter().map(|s| self.statement(s)).collect::<Vec<_>>();
        Node::Seq(parts.into_iter().filter(|p| *p != Node::nothing()).collect())
    }
}

impl Look<'_, '_> {
    /// The call behind `.await`, references and what hands a value on.
    pub fn called(&self, e: ExprId) -> ExprId {
        match self.kind(e) {
            ExprKind::Await(inner) | ExprKind::Ref(inner) => self.called(*inner),
            ExprKind::Method { receiver, name, .. } if matches!(name.as_str(), "as_ref" | "as_mut" | "map_err") => {
                self.called(*receiver)
            }
            ExprKind::Path(_) => self.asked_once(e).map_or(e, |value| self.called(value)),
            _ => e,
        }
    }

    /// `let next = policy.next(); match next {`: the value of a local that is asked in one place only, and not changed.
    fn asked_once(&self, e: ExprId) -> Option<ExprId> {
        let types = self.values.types(self.body);
        let pat = types.locals.get(&e)?;
        let value = self.kept_for_later(*pat)?;
        let asks = match self.kind(*self.locals.parents.get(&e)?) {
            ExprKind::Match { value, .. } | ExprKind::Let { value, .. } => *value == e,
            ExprKind::Method { name, .. } => matches!(name.as_str(), "is_some" | "is_none" | "is_ok" | "is_err"),
            ExprKind::If { .. } | ExprKind::Unary(..) | ExprKind::Binary { .. } => true,
            _ => false,
        };
        asks.then_some(value)
    }

    /// The value of a `let` whose name is mentioned once.
    fn kept_for_later(&self, pat: PatId) -> Option<ExprId> {
        let types = self.values.types(self.body);
        let binding = self.locals.bindings.get(&pat).filter(|b| b.parts.is_empty())?;
        let (Source::Let(Some(value)), Some(scope)) = (&binding.source, binding.scope) else { return None };
        let mut mentions = 0;
        walk::each(self.values.tree(self.body), scope, &mut |x| {
            mentions += usize::from(types.locals.get(&x) == Some(&pat));
            true
        });
        (mentions == 1 && self.locals.inside(scope, self.the_loop)).then_some(*value)
    }
}

fn is_variant(name: &str) -> bool {
    name.starts_with(|c: char| c.is_uppercase()) && name.chars().any(char::is_lowercase)
}

/// Both ways go on: only what the function does to the counter counts.
pub fn played_for_its_steps(played: Node) -> Node {
    Node::If(Cond::Call(Rc::new(played)), Box::new(Node::nothing()), Box::new(Node::nothing()))
}

fn played_for_its_steps_of(cond: Cond) -> Node {
    Node::If(cond, Box::new(Node::nothing()), Box::new(Node::nothing()))
}

/// What a call that was played where it stands decides, if it changes nothing; else it may decide either way.
pub fn if_it_only_looks(cond: Cond) -> Cond {
    let steps = |n: &Node| matches!(n, Node::Move(_) | Node::Sink(_) | Node::Lose | Node::Work);
    match cond {
        Cond::First(_, call) => if_it_only_looks(*call),
        Cond::Call(node) if !node.any(&steps) => Cond::Call(node),
        _ => Cond::Open,
    }
}
