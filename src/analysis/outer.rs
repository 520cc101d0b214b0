//! What stands under which deadline: limits that outlive their caller's, attempts that do not fit, waits for a pool.
//!
//! One walk over all operations with the nearest limit above; a node is entered once for each limit that can be the nearest
//! there. What is found hangs on that limit alone, so that the walk follows the size of the graph and not its paths.

use rustc_hash::{FxHashMap, FxHashSet};

use super::delay;
use super::endings::{Evaluator, Which, World};
use super::node::{Arena, DeadlineIx, LayerIx, Node, NodeId, SiteId};
use super::paths::layer_use;
use super::table::Turns;
use super::time::{Memo, Time};
use super::{Inversion, Limited, Misfit, PoolWait};
use crate::class::{Ending, FailureClass};
use crate::effect::{DeadlineKind, Form, Repeat, SetBy};
use crate::source::Span;
use crate::value::Tries;

/// Different nearest limits under which one node is looked at.
const MOST_LIMITS: u8 = 16;
/// Dependencies that are asked how long a try can hang.
const MOST_ASKED: usize = 8;

/// Everything that is found, each pair of places once.
#[derive(Default)]
pub struct Found {
    pub inversions: Vec<Inversion>,
    pub misfits: Vec<Misfit>,
    pub waits: Vec<PoolWait>,
}

/// A node on its way from an operation.
#[derive(Clone, Copy)]
struct Step {
    node: NodeId,
    operation: usize,
    /// The step to the node around it.
    from: Option<usize>,
    /// The nearest limit above, and the step at which it stands.
    nearest: Option<(DeadlineIx, usize)>,
    /// Something between that limit and here goes on when its caller has left.
    outlives: bool,
}

pub fn find(evaluator: &mut Evaluator<'_>, times: &mut Memo, roots: &[NodeId]) -> Found {
    let arena = evaluator.arena;
    evaluator.begin(1);
    let mut walk = Walk {
        time: Time { evaluator, memo: times },
        arena,
        steps: Vec::new(),
        found: Found::default(),
        inversions: FxHashSet::default(),
        misfits: FxHashMap::default(),
        waits: FxHashSet::default(),
    };
    let (mut seen, mut limits) = (FxHashSet::default(), vec![0u8; arena.nodes.len()]);
    let root = |(operation, node): (usize, &NodeId)| Step {
        node: *node,
        operation,
        from: None,
        nearest: None,
        outlives: false,
    };
    let mut open: Vec<Step> = roots.iter().enumerate().map(root).rev().collect();
    while let Some(step) = open.pop() {
        let (below, count) = (arena.below(step.node), &mut limits[step.node.0 as usize]);
        let matters = below.clock.limits || (step.nearest.is_some() && !below.layers.is_empty());
        let key = (step.node, step.nearest.map(|(ix, _)| ix), step.outlives);
        if !matters || *count >= MOST_LIMITS || !seen.insert(key) {
            continue;
        }
        *count += 1;
        walk.steps.push(step);
        let inner = walk.enter(walk.steps.len() - 1);
        let from = open.len();
        open.extend(arena.node(step.node).children().map(|node| Step { node, ..inner }));
        open[from..].reverse();
    }
    walk.finish()
}

struct Walk<'w, 'e, 'a> {
    time: Time<'e, 'a>,
    arena: &'w Arena<'a>,
    steps: Vec<Step>,
    found: Found,
    inversions: FxHashSet<(Span, Span)>,
    /// Per layer the tightest.
    misfits: FxHashMap<Span, Misfit>,
    waits: FxHashSet<Span>,
}

impl Walk<'_, '_, '_> {
    /// Judges a node; what its children stand under.
    fn enter(&mut self, at: usize) -> Step {
        let step = self.steps[at];
        let inner = Step { from: Some(at), ..step };
        match self.arena.node(step.node) {
            Node::Within { ends, deadline, .. } => {
                self.pool_wait(at, *deadline);
                if !ends.hang {
                    return inner;
                }
                self.inversion(at, *deadline);
                Step { nearest: Some((*deadline, at)), outlives: false, ..inner }
            }
            Node::Outlives(_) => Step { outlives: true, ..inner },
            Node::Spawn(_) => Step { nearest: None, outlives: false, ..inner },
            Node::Repeat { turns, layer, body } => {
                self.fits(at, turns, *layer, std::slice::from_ref(body));
                inner
            }
            Node::Failover { turns, layer, bodies } => {
                self.fits(at, turns, *layer, bodies);
                inner
            }
            _ => inner,
        }
    }

    fn limited(&self, ix: DeadlineIx) -> Option<Limited> {
        let bound = &self.arena.deadlines[ix.0 as usize];
        let deadline = bound.deadline;
        Some(Limited { at: deadline.at, ms: bound.ms()?, kind: deadline.kind, set: deadline.set })
    }

    /// The calls between a step and one further out, the outermost first.
    fn hops(&self, at: usize, outer: usize) -> Vec<Span> {
        let mut hops = Vec::new();
        let mut open = self.steps[at].from;
        while let Some(step) = open.filter(|step| *step > outer) {
            if let Node::Remote { site, .. } | Node::Hop { site, .. } = self.arena.node(self.steps[step].node) {
                hops.push(self.site(*site));
            }
            open = self.steps[step].from;
        }
        hops.reverse();
        hops.dedup();
        hops
    }

    fn site(&self, site: SiteId) -> Span {
        self.arena.sites[site.0 as usize].remote.at
    }

    fn inversion(&mut self, at: usize, inner: DeadlineIx) {
        let step = self.steps[at];
        let Some((outer, outer_at)) = step.nearest.filter(|_| step.outlives) else { return };
        let (Some(inner), Some(outer)) = (self.limited(inner), self.limited(outer)) else { return };
        if inner.ms > outer.ms && self.inversions.insert((inner.at, outer.at)) {
            let hops = self.hops(at, outer_at);
            self.found.inversions.push(Inversion { inner, outer, hops, operation: step.operation });
        }
    }

    fn pool_wait(&mut self, at: usize, ix: DeadlineIx) {
        let bound = &self.arena.deadlines[ix.0 as usize];
        let (deadline, limit) = (bound.deadline, &bound.limit);
        if deadline.kind != DeadlineKind::Acquire {
            return;
        }
        let outer = self.steps[at].nearest.and_then(|(outer, _)| self.limited(outer));
        let waits = match limit.low {
            u64::MAX => None,
            _ if limit.high == u64::MAX => return,
            _ => Some(limit.high),
        };
        let longer = waits.zip(outer.as_ref()).is_some_and(|(ms, outer)| ms > outer.ms);
        if (longer || (waits.is_none() && outer.is_none())) && self.waits.insert(deadline.at) {
            self.found.waits.push(PoolWait { at: deadline.at, ms: waits, set: deadline.set, outer });
        }
    }

    fn fits(&mut self, at: usize, turns: &Turns, layer: LayerIx, bodies: &[NodeId]) {
        let step = self.steps[at];
        let Some((outer, outer_at)) = step.nearest else { return };
        let Some(outer) = self.limited(outer) else { return };
        let repeat = self.arena.layers[layer.0 as usize].repeat;
        let n = Some(turns.n.high).filter(|n| *n != Tries::INFINITE);
        if !turns.multiplies || n.is_some_and(|n| n < 2) || (n.is_none() && repeat.budget.is_none()) {
            return;
        }
        let known = self.misfits.get(&repeat.at).is_some_and(|known| known.outer.ms <= outer.ms);
        if known {
            return;
        }
        let tries = self.try_of(turns, bodies);
        let Some(fit) = judge(tries, turns, repeat, outer.ms, step.outlives) else { return };
        // Of numbers that nobody wrote none is meant.
        let nobody = outer.set == SetBy::Default || repeat.default_of.is_some();
        if nobody && self.limits_by_default(bodies) {
            return;
        }
        let per_try = if let Try::Takes(ms) = tries { Some(ms) } else { None };
        let misfit = Misfit {
            layer: layer_use(self.arena, layer),
            attempts: n,
            per_try,
            needs: fit.needs,
            starts: fit.starts,
            finishes: fit.finishes,
            hops: self.hops(at, outer_at),
            outer,
            operation: step.operation,
        };
        self.misfits.insert(repeat.at, misfit);
    }

    /// Whether the limit of a try is one that nobody wrote.
    fn limits_by_default(&self, bodies: &[NodeId]) -> bool {
        let mut open = bodies.to_vec();
        let mut budget = 64;
        while let Some(id) = open.pop().filter(|_| budget > 0) {
            budget -= 1;
            match self.arena.node(id) {
                Node::Within { ends, deadline, .. } if ends.hang => {
                    if self.arena.deadlines[deadline.0 as usize].deadline.set != SetBy::Default {
                        return false;
                    }
                }
                node => open.extend(node.children()),
            }
        }
        true
    }

    /// How long a try can last that is tried again.
    fn try_of(&mut self, turns: &Turns, bodies: &[NodeId]) -> Try {
        let (mut longest, mut unlimited) = (0, false);
        for body in bodies {
            let deps = std::rc::Rc::clone(&self.arena.below(*body).deps);
            for dep in deps.iter().take(MOST_ASKED) {
                let world = World { failing: Which::Dep(*dep), fails_with: Ending::Never, ..World::calm(Which::None) };
                let spent = self.time.of(*body, world);
                for cell in spent.cells() {
                    unlimited |= cell.ending == Ending::Never;
                    if turns.repeats(cell) {
                        longest = longest.max(cell.tries.most_at_least());
                    }
                }
            }
        }
        match (longest, unlimited) {
            (0, true) => Try::Unlimited,
            (0, false) => Try::Quick,
            (ms, _) => Try::Takes(ms),
        }
    }

    fn finish(mut self) -> Found {
        self.found.misfits = self.misfits.into_values().collect();
        self.found.misfits.sort_by_key(|m| (m.layer.at, m.layer.bound_at));
        self.found.inversions.sort_by_key(|i| (i.inner.at, i.outer.at));
        self.found.waits.sort_by_key(|w| w.at);
        self.found
    }
}

/// What becomes of a try that hangs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Try {
    /// Its own limit ends it, and it is tried again.
    Takes(u64),
    /// Nothing ends it.
    Unlimited,
    /// It is not tried again.
    Quick,
}

/// What fits, or nothing to say: all of it fits, or nobody wrote the layer that one slow try can starve.
fn judge(tries: Try, turns: &Turns, repeat: &Repeat, limit: u64, outlives: bool) -> Option<Fit> {
    // A mesh's limit per try that its total one covers is dead: RL309 says so.
    if repeat.form == Form::Mesh && repeat.per_try_ms.is_some_and(|ms| ms >= limit) {
        return None;
    }
    let pause = |turns: u64| delay::sum(&repeat.wait, turns);
    let fit = |ms: u64| Fit::of(turns.n.high, ms, limit, outlives, &pause);
    let counted = turns.n.high != Tries::INFINITE;
    let fit = match tries {
        Try::Takes(ms) if counted => fit(ms),
        Try::Unlimited if slow_is_repeated(turns, repeat) => {
            let meant = repeat.default_of.is_none() && !repeat.seen.dead_per_try;
            return meant.then_some(Fit { needs: None, starts: 1, finishes: 1, fits: false });
        }
        Try::Quick | Try::Unlimited if counted => fit(0),
        _ => return None,
    };
    (!fit.fits).then_some(fit)
}

/// Whether a try that is slow and then ends below is tried again.
fn slow_is_repeated(turns: &Turns, repeat: &Repeat) -> bool {
    let again = if turns.jumps { repeat.again } else { turns.again };
    again.has(Ending::Error(FailureClass::Timeout)) || again.has(Ending::Status(FailureClass::GatewayTimeout))
}

/// Attempts against a limit.
struct Fit {
    /// The time that all of them can take.
    needs: Option<u64>,
    starts: u64,
    finishes: u64,
    fits: bool,
}

impl Fit {
    /// Pauses are at their largest where it is asked whether all fit, where that is known, and at their smallest where it
    /// is asked how many can start.
    fn of(n: u64, ms: u64, limit: u64, outlives: bool, pause: &dyn Fn(u64) -> delay::Delay) -> Fit {
        let pauses = pause(n - 1);
        let longest = if pauses.most == delay::Delay::UNKNOWN { pauses.least } else { pauses.most };
        let needs = ms.saturating_mul(n).saturating_add(longest);
        let starts_at = |k: u64| ms.saturating_mul(k - 1).saturating_add(pause(k - 1).least);
        // Both grow with k.
        let starts = last(n, |k| starts_at(k) < limit);
        let finishes = last(n, |k| starts_at(k).saturating_add(ms) <= limit);
        Fit { needs: Some(needs), starts: if outlives { n } else { starts }, finishes, fits: needs <= limit }
    }
}

/// The largest k up to n for which something holds that holds for all smaller ones; 0 if for none.
fn last(n: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let (mut yes, mut no) = (0, n + 1);
    while no - yes > 1 {
        let middle = yes + (no - yes) / 2;
        if holds(middle) { yes = middle } else { no = middle }
    }
    yes
}
