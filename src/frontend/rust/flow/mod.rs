//! From bodies to effects: control flow as it stands, with every operation's ending followed to where it is looked at.
//!
//! The value of an expression and its ending are one thing here: a `Result` that holds an error ends as that error, an
//! answer that nobody has looked at ends as its status. A binding whose value is looked at later nests the rest of its
//! block into an arm, so that a test of it can name the ending (`Effect::Caught`). Levels of arms are counted from the
//! outside (`Level`) while compiling and turned into indices from the inside when written down.

mod block;
mod call;
mod clients;
mod combinator;
mod cond;
mod foreign;
mod fresh;
mod key;
mod limits;
mod looping;
mod macros;
mod matching;
mod policy;
mod predicate;
mod recursing;
mod remote;
mod results;
mod spent;
mod test;
mod tidy;

pub(super) use remote::first_object;

use rustc_hash::{FxHashMap, FxHashSet};

use spent::Spent;

use super::program::{BodyId, BodyTypes, FnId, Program};
use super::tree::{At, Block, ExprId, ExprKind, PatId, RustFile};
use super::values::Values;
use crate::class::Endings;
use crate::effect::{Effect, LoopId, PlaceId};
use crate::model::Models;
use crate::source::Span;

/// An arm that is looking at an ending, counted from the outside of the body.
type Level = usize;

/// What is known about the value of a local.
#[derive(Clone)]
enum Known {
    /// (Part of) the value whose ending the arm at that level has caught.
    Caught(Level),
    /// A future or a closure that has not run yet.
    Later(Box<Effect>),
}

/// A `while` whose condition looks at what its turn assigns.
struct AskedAtHead<'a> {
    block: &'a Block,
    cond: ExprId,
    id: LoopId,
}

struct LoopFrame {
    id: LoopId,
    label: Option<crate::name::Name>,
    /// Bindings that are new in each turn because the loop makes them (the pattern of a `for`).
    fresh: FxHashSet<PatId>,
    /// Bindings that its turn makes, of whatever.
    made: FxHashSet<PatId>,
    /// The list that must not be empty for another turn: what a call takes out of it is an item of its own.
    spends: Option<PatId>,
    /// Calls at its head that hand out the next item: `while let Some(x) = call`.
    heads: FxHashSet<ExprId>,
}

impl LoopFrame {
    fn new(id: LoopId, label: Option<crate::name::Name>) -> Self {
        let none = FxHashSet::default;
        Self { id, label, fresh: none(), made: none(), spends: None, heads: FxHashSet::default() }
    }
}

/// What is known about one operation beside its effect, by the place of its call.
#[derive(Clone, Debug, Default)]
pub struct OpSeen {
    /// Loops whose own fresh data the call's arguments are made of.
    pub fresh_in: Vec<LoopId>,
    /// Loops for which it is the step to the next item (`lister.next()`): a failure is no reason to ask for the same.
    pub steps_in: Vec<LoopId>,
    /// It is awaited.
    pub awaited: bool,
    /// Nothing is done with its value.
    pub dropped: bool,
    /// Its value is of a type of the tree's own, which is no `Result`.
    pub valued: bool,
    /// How it can fail by the type of its value, if that type is known.
    pub fails: Option<Endings>,
}

/// Everything that one body's compilation hands back beside the effect.
#[derive(Default)]
pub struct Notes {
    pub ops: FxHashMap<Span, OpSeen>,
    /// Loops with the facts that classification asks for.
    pub loops: FxHashMap<LoopId, LoopNote>,
    /// Each call of the function itself.
    pub recursion: Vec<Closing>,
    /// Where a test by name leads a permanent class to another turn of the loop.
    permanent: FxHashMap<LoopId, Span>,
    /// Clients through which something is sent, as far as it is seen where they are built.
    pub used: Vec<Used>,
}

/// A call through a client, which may be seen where it is built.
#[derive(Clone, Debug)]
pub struct Used {
    pub client: Option<std::rc::Rc<super::val::Object>>,
    /// The type of the expression that holds it.
    pub held: Option<crate::name::Name>,
    /// Whose call it is.
    pub by: BodyId,
    pub call: Span,
    /// High where the client was followed, else it stands in for one that was not.
    pub followed: crate::effect::Confidence,
    /// The client is taken from a field of the function's own receiver.
    pub kept: bool,
}

/// A call of a function by itself.
#[derive(Clone, Debug)]
pub struct Closing {
    pub at: Span,
    /// It moves a counter.
    pub moves: bool,
    /// What bounds it, if that is known.
    pub stops: Vec<crate::effect::Stop>,
}

#[derive(Clone, Debug, Default)]
pub struct LoopNote {
    /// `for` over data rather than over a counter.
    pub over_data: bool,
    /// Something in it reads `Retry-After`.
    pub reads_retry_after: bool,
    /// Where a test by name leads a class that does not pass by itself to another turn.
    pub permanent_at: Option<Span>,
    /// What the code calls the number of its count.
    pub named: Option<crate::effect::CountName>,
    pub spent: Spent,
}

/// What a body's compilation looks things up in.
pub struct World<'a> {
    pub program: &'a Program,
    pub bodies: &'a FxHashMap<BodyId, BodyTypes>,
    pub models: &'a Models,
    pub values: &'a Values<'a>,
    pub places: &'a FxHashMap<FnId, PlaceId>,
    /// Functions that can send, wait or run what they are given; all others only compute.
    pub loud: &'a FxHashSet<FnId>,
    /// For variants of the tree's error types: the endings under which a value can be it, and another.
    pub variants: &'a FxHashMap<crate::name::Name, super::variants::Sides>,
    /// Clients that are built anywhere in the tree, found when first asked for.
    pub clients: std::cell::OnceCell<Vec<std::rc::Rc<super::val::Object>>>,
}

/// Compiles one body. Nested closures are compiled by the same value, so that captured locals keep their meaning.
pub struct Flow<'a> {
    world: &'a World<'a>,
    body: BodyId,
    tree: &'a RustFile,
    types: &'a BodyTypes,
    env: FxHashMap<PatId, Known>,
    /// Locals of which a local is made, for freshness.
    made_of: FxHashMap<PatId, FxHashSet<PatId>>,
    /// How many arms enclose the place being compiled.
    depth: Level,
    /// Levels whose ending is known to be a failure here; the innermost last.
    failing: Vec<Level>,
    loops: Vec<LoopFrame>,
    /// Loops outside of the closure or future that is compiled: they cannot be left from it.
    outer_loops: Vec<LoopFrame>,
    next_loop: &'a std::cell::Cell<u32>,
    /// Inside an operation whose errors say by themselves whether to go again: where "stop" leads.
    verdict: Option<LoopId>,
    pub notes: Notes,
    /// Steps left before a body counts as too large to follow.
    fuel: u32,
    /// Parameters of the function: pattern → index.
    params: FxHashMap<PatId, u16>,
    predicates: u8,
    /// `self` is what the arm at that level has caught (inside a predicate that is followed).
    self_caught: Option<Level>,
    /// Conditions that compare a counter or a clock.
    counters: FxHashSet<ExprId>,
    /// Locals that such a condition is about, and what a `for` counts with.
    counting: FxHashSet<PatId>,
    /// The loops around, as expressions.
    loop_exprs: Vec<ExprId>,
    /// The async block that the body's value is: who calls the function awaits it.
    own_future: Option<ExprId>,
    /// The turn being compiled, if its head asks what the turn assigns.
    closing: Option<AskedAtHead<'a>>,
    /// Frames that are labelled blocks: a bare `break` does not leave them.
    blocks: FxHashSet<LoopId>,
}

/// Bodies beyond this many compiled nodes are cut; none of the public repositories' hand-written functions comes near it.
const FUEL: u32 = 60_000;

impl<'a> Flow<'a> {
    pub fn new(world: &'a World<'a>, body: BodyId, next_loop: &'a std::cell::Cell<u32>) -> Option<Flow<'a>> {
        let types = world.bodies.get(&body)?;
        Some(Flow {
            world,
            body,
            tree: world.program.tree_of(body),
            types,
            env: FxHashMap::default(),
            made_of: FxHashMap::default(),
            depth: 0,
            failing: Vec::new(),
            loops: Vec::new(),
            outer_loops: Vec::new(),
            next_loop,
            verdict: None,
            notes: Notes::default(),
            fuel: FUEL,
            params: params_of(world.program, body),
            predicates: 0,
            self_caught: None,
            counters: FxHashSet::default(),
            counting: FxHashSet::default(),
            loop_exprs: Vec::new(),
            own_future: None,
            closing: None,
            blocks: FxHashSet::default(),
        })
    }

    /// The whole body as an effect.
    pub fn whole(&mut self, root: ExprId) -> Effect {
        self.own_future = value_of(self.tree, root);
        let inner = self.expr(root);
        tidy::scope(inner)
    }

    fn span(&self, at: At) -> Span {
        self.world.program.span(self.body, at)
    }

    fn at(&self, e: ExprId) -> Span {
        self.span(self.tree.expr(e).at)
    }

    fn fresh_loop(&self) -> LoopId {
        let id = self.next_loop.get();
        self.next_loop.set(id + 1);
        LoopId(id)
    }

    /// The effect that ends as the arm at that level has caught; outside of that arm nobody knows any more.
    fn caught(&self, level: Level) -> Effect {
        Effect::Caught(self.depth.checked_sub(level + 1).map_or(255, |n| n.min(255) as u8))
    }

    /// Compiles inside one more arm; the closure gets the arm's level.
    fn in_arm<T>(&mut self, inside: impl FnOnce(&mut Self, Level) -> T) -> T {
        let level = self.depth;
        self.depth += 1;
        let result = inside(self, level);
        self.depth -= 1;
        result
    }

    /// Compiles where the ending at that level is known to be a failure.
    fn while_failing<T>(&mut self, level: Level, inside: impl FnOnce(&mut Self) -> T) -> T {
        self.failing.push(level);
        let result = inside(self);
        self.failing.pop();
        result
    }

    fn spend(&mut self) -> bool {
        self.fuel = self.fuel.saturating_sub(1);
        self.fuel > 0
    }
}

/// The bindings of a function's parameters by position; a receiver is position 0 and shifts the others.
fn params_of(program: &Program, body: BodyId) -> FxHashMap<PatId, u16> {
    let BodyId::Fn(id) = body else { return FxHashMap::default() };
    let function = program.function(id);
    let shift = u16::from(function.receiver.is_some());
    let tree = program.tree_of(body);
    let of = |(i, (pat, _)): (usize, &(PatId, _))| {
        super::pats::bindings(tree, *pat).into_iter().map(move |b| (b, i as u16 + shift))
    };
    function.params.iter().enumerate().flat_map(of).collect()
}

/// The expression that a block's value is.
fn value_of(tree: &RustFile, mut e: ExprId) -> Option<ExprId> {
    while let ExprKind::Block(block) = &tree.expr(e).kind {
        e = block.tail?;
    }
    Some(e)
}
