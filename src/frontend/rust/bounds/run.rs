//! One turn of a loop as a small program over a single counter, and the adversary who wants as many tries as possible.
//!
//! Reasoning about before and after, `<` and `<=`, and which side of a test leaves is where off-by-ones come from. So
//! nothing is reasoned: the turn is run, every choice that does not hang on the counter is open, and tries are counted.

use std::rc::Rc;

use super::states::{LOST, States};
use crate::frontend::rust::tree::{BinaryOp, ExprId};

/// Where control goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    Return,
    Break(ExprId),
    Again(ExprId),
    /// The function that is played inside of the turn gives such a value.
    Gives(Side),
}

/// Which way a value decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// `true`, `Some`, `Ok`.
    Yes,
    /// `false`, `None`, `Err`.
    No,
    /// Another variant, by the number that the turn gave to its name.
    Variant(u16),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    Seq(Vec<Node>),
    /// One of them, whichever is worse.
    Any(Vec<Node>),
    If(Cond, Box<Node>, Box<Node>),
    /// Which side a fallible value takes, then the arms in order.
    Match(Cond, Vec<MatchArm>),
    Move(i64),
    /// Subtracts, and stops at zero.
    Sink(i64),
    /// The counter gets another value.
    Lose,
    /// A try.
    Work,
    Jump(Exit),
    Catch(Exit, Box<Node>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct MatchArm {
    /// The side of the value that it takes; none: it may take any.
    pub side: Option<Side>,
    /// It takes all of its side, or of what is left.
    pub full: bool,
    pub guard: Option<Cond>,
    /// Earlier arms whose pattern holds whenever this one's does: their guards were false.
    pub after: Vec<usize>,
    pub body: Node,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Cond {
    And(Box<Cond>, Box<Cond>),
    Or(Box<Cond>, Box<Cond>),
    Not(Box<Cond>),
    /// Counter plus a constant against the limit.
    Compare(i64, BinaryOp),
    /// Counter against a number of its own (`checked_sub`).
    AtLeast(i64),
    /// Takes one from what is left, if something is.
    Next,
    Is(bool),
    Open,
    /// What a function of the tree gives, which is played here.
    Call(Rc<Node>),
    /// Something happens first.
    First(Box<Node>, Box<Cond>),
}

impl Node {
    pub fn nothing() -> Node {
        Node::Seq(Vec::new())
    }

    pub fn any(&self, is: &dyn Fn(&Node) -> bool) -> bool {
        let inside = |c: &Cond| c.any_node(is);
        is(self)
            || match self {
                Node::Seq(parts) | Node::Any(parts) => parts.iter().any(|p| p.any(is)),
                Node::If(cond, a, b) => inside(cond) || a.any(is) || b.any(is),
                Node::Match(cond, arms) => {
                    inside(cond) || arms.iter().any(|a| a.body.any(is) || a.guard.as_ref().is_some_and(inside))
                }
                Node::Catch(_, inner) => inner.any(is),
                _ => false,
            }
    }
}

impl Node {
    /// An answer that leaves on some path and goes to the head on another is judged: its failures count as well.
    pub fn goes_either_way(&self) -> bool {
        self.any(&|n| matches!(n, Node::Jump(Exit::Return | Exit::Break(_)))) && self.may_go_on()
    }

    /// Whether control can fall out of its end or go to a head, as far as its jumps say.
    fn may_go_on(&self) -> bool {
        match self {
            Node::Jump(exit) => matches!(exit, Exit::Again(_)),
            Node::Seq(parts) => parts.iter().all(Node::may_go_on),
            Node::Any(parts) => parts.iter().any(Node::may_go_on),
            Node::If(_, then, other) => then.may_go_on() || other.may_go_on(),
            Node::Match(_, arms) => arms.iter().any(|a| a.body.may_go_on()),
            Node::Move(_) | Node::Sink(_) | Node::Lose | Node::Work | Node::Catch(..) => true,
        }
    }
}

impl Cond {
    /// Whether a function's own body decides it.
    pub fn is_call(&self) -> bool {
        match self {
            Cond::First(_, cond) => cond.is_call(),
            cond => matches!(cond, Cond::Call(_)),
        }
    }

    fn any_node(&self, is: &dyn Fn(&Node) -> bool) -> bool {
        match self {
            Cond::And(a, b) | Cond::Or(a, b) => a.any_node(is) || b.any_node(is),
            Cond::Not(a) => a.any_node(is),
            Cond::First(node, cond) => node.any(is) || cond.any_node(is),
            Cond::Call(node) => node.any(is),
            _ => false,
        }
    }
}

/// Where control can be after a node: behind it, or on its way to an exit. A turn knows few exits.
#[derive(Default)]
struct Flow {
    on: States,
    exits: Vec<(Exit, States)>,
}

impl Flow {
    fn on(on: States) -> Flow {
        Flow { on, exits: Vec::new() }
    }

    fn add(&mut self, other: Flow) {
        self.on.join(other.on);
        self.add_exits(other.exits);
    }

    fn add_exits(&mut self, exits: Vec<(Exit, States)>) {
        for (exit, states) in exits {
            match self.exits.iter_mut().find(|(known, _)| *known == exit) {
                Some((_, known)) => known.join(states),
                None => self.exits.push((exit, states)),
            }
        }
    }

    fn take(&mut self, exit: Exit) -> States {
        let at = self.exits.iter().position(|(known, _)| *known == exit);
        at.map_or_else(States::default, |at| self.exits.swap_remove(at).1)
    }
}

/// What a loop begins with and what each turn adds by itself.
pub struct Run<'n> {
    pub turn: &'n Node,
    pub the_loop: ExprId,
    pub start: i64,
    pub limit: i64,
    pub each: i64,
    pub turns: u64,
    /// Nodes that may still be run.
    pub left: std::cell::Cell<u64>,
}

/// Nodes run for one question; a hand-written turn needs some hundreds, times the turns it takes.
pub const FUEL: u64 = 60_000;

impl Run<'_> {
    /// The most tries, if the loop ends within the given turns whatever happens.
    pub fn tries(&self) -> Option<u64> {
        let mut states = States::one((self.start, false));
        let mut most = 0;
        for _ in 0..self.turns {
            let began = states.clone();
            let mut flow = self.run(self.turn, states);
            let mut head = std::mem::take(&mut flow.on);
            head.join(flow.take(Exit::Again(self.the_loop)));
            most = flow.exits.iter().filter_map(|(_, states)| states.most()).max().unwrap_or(0).max(most);
            if head.is_empty() {
                return Some(most);
            }
            let next = head.each(|(counter, _), tries| ((shift(counter, self.each), false), tries));
            if next.same_keys(&began) || self.left.get() == 0 {
                return None; // nothing moved: it goes on for ever, or it is too large to be played through
            }
            states = next;
        }
        None
    }

    fn run(&self, node: &Node, states: States) -> Flow {
        if states.is_empty() || self.left.get() == 0 {
            return Flow::default();
        }
        self.left.set(self.left.get() - 1);
        stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || self.run_node(node, states))
    }

    fn run_node(&self, node: &Node, states: States) -> Flow {
        let with = |change: &dyn Fn(i64) -> i64| Flow::on(states.each(|(c, w), n| ((change(c), w), n)));
        match node {
            Node::Seq(parts) => {
                let mut flow = Flow::on(states);
                for part in parts {
                    let next = self.run(part, std::mem::take(&mut flow.on));
                    flow.add(next);
                }
                flow
            }
            Node::Any(parts) => {
                let mut flow = Flow::default();
                parts.iter().for_each(|p| flow.add(self.run(p, states.clone())));
                flow
            }
            Node::If(cond, yes, no) => {
                let mut flow = Flow::default();
                let (true_side, false_side) = self.test(cond, states, &mut flow);
                flow.add(self.run(yes, true_side));
                flow.add(self.run(no, false_side));
                flow
            }
            Node::Match(cond, arms) => self.run_match(cond, arms, states),
            Node::Move(n) => with(&|c| shift(c, *n)),
            Node::Sink(n) => with(&|c| {
                if c == LOST { c } else { c.saturating_sub(*n).max(0) }
            }),
            Node::Lose => with(&|_| LOST),
            Node::Work => Flow::on(states.each(|(c, w), n| ((c, true), n + u64::from(!w)))),
            Node::Jump(exit) => Flow { on: States::default(), exits: vec![(*exit, states)] },
            Node::Catch(exit, inner) => {
                let mut flow = self.run(inner, states);
                let caught = flow.take(*exit);
                flow.on.join(caught);
                flow
            }
        }
    }

    fn run_match(&self, cond: &Cond, arms: &[MatchArm], states: States) -> Flow {
        let mut flow = Flow::default();
        let sides = self.sides(cond, states, &mut flow);
        let mut taken: Vec<Side> = Vec::new();
        for arm in arms {
            let mut into = States::default();
            for (side, states) in sides.iter().filter(|(side, _)| !side.is_some_and(|s| taken.contains(&s))) {
                if side.is_none() || arm.side.is_none() || *side == arm.side {
                    into.join(states.clone());
                }
            }
            for earlier in &arm.after {
                into = match arms.get(*earlier).and_then(|a| a.guard.as_ref()) {
                    Some(guard) => self.test(guard, into, &mut flow).1,
                    None => States::default(),
                };
            }
            if let Some(guard) = &arm.guard {
                into = self.test(guard, into, &mut flow).0;
            }
            taken.extend(arm.side.filter(|_| arm.full && arm.guard.is_none()));
            flow.add(self.run(&arm.body, into));
        }
        flow
    }

    /// What a value can be, each with the states in which it is that; `None` stands for any.
    fn sides(&self, cond: &Cond, states: States, flow: &mut Flow) -> Vec<(Option<Side>, States)> {
        match cond {
            Cond::First(node, cond) => {
                let mut before = self.run(node, states);
                flow.add_exits(std::mem::take(&mut before.exits));
                self.sides(cond, before.on, flow)
            }
            Cond::Call(node) => {
                let given = self.run(node, states);
                let mut sides = vec![(None, given.on)];
                for (exit, states) in given.exits {
                    match exit {
                        Exit::Gives(side) => sides.push((Some(side), states)),
                        exit => flow.add_exits(vec![(exit, states)]),
                    }
                }
                sides
            }
            cond => {
                let (yes, no) = self.test(cond, states, flow);
                vec![(Some(Side::Yes), yes), (Some(Side::No), no)]
            }
        }
    }

    /// The states in which a function that is played may say yes, and no; a variant may be taken for either.
    fn test_call(&self, cond: &Cond, states: States, flow: &mut Flow) -> (States, States) {
        let (mut yes, mut no) = (States::default(), States::default());
        for (side, states) in self.sides(cond, states, flow) {
            if side != Some(Side::No) {
                yes.join(states.clone());
            }
            if side != Some(Side::Yes) {
                no.join(states);
            }
        }
        (yes, no)
    }

    /// States in which the condition may hold, and may not.
    fn test(&self, cond: &Cond, states: States, flow: &mut Flow) -> (States, States) {
        match cond {
            Cond::Open => (states.clone(), states),
            Cond::Is(true) => (states, States::default()),
            Cond::Is(false) => (States::default(), states),
            Cond::Not(inner) => {
                let (yes, no) = self.test(inner, states, flow);
                (no, yes)
            }
            Cond::And(a, b) => {
                let (yes, mut no) = self.test(a, states, flow);
                let (both, second) = self.test(b, yes, flow);
                no.join(second);
                (both, no)
            }
            Cond::Or(a, b) => {
                let (mut yes, no) = self.test(a, states, flow);
                let (second, neither) = self.test(b, no, flow);
                yes.join(second);
                (yes, neither)
            }
            Cond::First(node, cond) => {
                let mut before = self.run(node, states);
                flow.add_exits(std::mem::take(&mut before.exits));
                self.test(cond, before.on, flow)
            }
            Cond::Call(_) => self.test_call(cond, states, flow),
            Cond::Compare(offset, op) => states.split(|c| holds(*op, c.saturating_add(*offset), self.limit)),
            Cond::AtLeast(n) => states.split(|c| c >= *n),
            Cond::Next => {
                let (yes, no) = states.split(|c| c >= 1);
                (yes.each(|(c, w), n| ((shift(c, -1), w), n)), no)
            }
        }
    }
}

fn shift(counter: i64, by: i64) -> i64 {
    if counter == LOST { counter } else { counter.saturating_add(by) }
}

fn holds(op: BinaryOp, left: i64, right: i64) -> bool {
    match op {
        BinaryOp::Lt => left < right,
        BinaryOp::Le => left <= right,
        BinaryOp::Gt => left > right,
        BinaryOp::Ge => left >= right,
        BinaryOp::Ne => left != right,
        _ => left == right,
    }
}
