//! One operation seen as a whole: its dependencies in the order of their first call, what can make a difference to
//! its numbers, and its gaps. One walk over the nodes below it, each once.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::node::{Arena, DepId, Node, NodeId, SiteId};
use crate::class::{Ending, Endings, Scenario};
use crate::name::Name;

/// A sorted set.
type Deps = Rc<[DepId]>;

#[derive(Debug, Default)]
pub struct View {
    /// In the order of their first call.
    pub deps: Vec<DepId>,
    /// The calls to each.
    pub sites: FxHashMap<DepId, Vec<SiteId>>,
    /// The calls that hops answer and that lead to each.
    pub hops: FxHashMap<DepId, Vec<SiteId>>,
    /// Dependencies that stand with others in one layer, or whose failure another follows: whose failure can
    /// multiply calls to whom.
    together: Vec<(Deps, Deps)>,
    /// One scenario of each set that nothing here tells apart.
    pub scenarios: Vec<Scenario>,
    /// For every scenario the one that stands for it.
    pub stands_for: Vec<(Scenario, Scenario)>,
    gaps: Vec<(Deps, bool, Name)>,
    /// Repeats below it.
    pub repeats: Vec<NodeId>,
    /// Everything below it that matters.
    pub nodes: Vec<NodeId>,
}

/// Marks of visited nodes, reused between walks.
#[derive(Default)]
pub struct Marks {
    marks: Vec<u32>,
    round: u32,
}

impl Marks {
    pub fn begin(&mut self, nodes: usize) {
        self.marks.resize(nodes, 0);
        self.round += 1;
    }

    /// Whether it is seen for the first time in this walk.
    pub fn first(&mut self, node: NodeId) -> bool {
        let mark = &mut self.marks[node.0 as usize];
        std::mem::replace(mark, self.round) != self.round
    }
}

impl View {
    pub fn new(arena: &Arena<'_>, root: NodeId, marks: &mut Marks) -> View {
        let mut view = View::default();
        let mut told_apart: FxHashSet<Endings> = FxHashSet::default();
        marks.begin(arena.nodes.len());
        let mut open = vec![root];
        while let Some(id) = open.pop() {
            let below = arena.below(id);
            let matters = !below.deps.is_empty() || below.unknown || below.caught > 0 || arena.gaps.contains_key(&id);
            if !matters || !marks.first(id) {
                continue;
            }
            told(arena, id, &mut told_apart);
            view.nodes.push(id);
            view.visit(arena, id);
            let from = open.len();
            open.extend(arena.node(id).children());
            open[from..].reverse();
        }
        view.scenarios(&told_apart);
        view
    }

    fn visit(&mut self, arena: &Arena<'_>, id: NodeId) {
        let below = arena.below(id);
        if let Some(gaps) = arena.gaps.get(&id) {
            // A call that leads nowhere we know could lead to any dependency.
            let any = below.unknown || below.deps.is_empty();
            self.gaps.extend(gaps.iter().map(|gap| (Rc::clone(&below.deps), any, gap.clone())));
        }
        match arena.node(id) {
            Node::Remote { dep, site, .. } => {
                let sites = self.sites.entry(*dep).or_default();
                if sites.is_empty() {
                    self.deps.push(*dep);
                }
                if !sites.contains(site) {
                    sites.push(*site);
                }
            }
            Node::Repeat { turns, .. } | Node::Failover { turns, .. } if turns.multiplies && turns.n.high > 1 => {
                self.repeats.push(id);
                self.beside(&below.deps, &below.deps);
            }
            Node::Hop { site, .. } => {
                for dep in below.deps.iter() {
                    let hops = self.hops.entry(*dep).or_default();
                    if !hops.contains(site) {
                        hops.push(*site);
                    }
                }
            }
            Node::Recover(body, _, arms) => {
                for arm in arms {
                    self.beside(&arena.below(*body).deps, &arena.below(*arm).deps);
                }
            }
            Node::Frame(body) => self.beside(&arena.below(*body).gates, &below.deps),
            _ => {}
        }
    }

    fn beside(&mut self, failing: &Deps, counted: &Deps) {
        if !failing.is_empty() && !counted.is_empty() && (failing != counted || failing.len() > 1) {
            self.together.push((Rc::clone(failing), Rc::clone(counted)));
        }
    }

    /// The dependencies whose failure can be the worst for one: itself first, then as called.
    pub fn failing(&self, dep: DepId) -> Vec<DepId> {
        let beside = self.together.iter().filter(|(_, counted)| counted.binary_search(&dep).is_ok());
        let matter: FxHashSet<DepId> = beside.flat_map(|(failing, _)| failing.iter().copied()).collect();
        let others = self.deps.iter().copied().filter(|d| *d != dep && matter.contains(d));
        std::iter::once(dep).chain(others).collect()
    }

    /// Gaps that the numbers of a dependency hang on.
    pub fn gaps(&self, dep: DepId) -> Vec<Name> {
        let mut out: Vec<Name> = Vec::new();
        for (deps, open, gap) in &self.gaps {
            if (*open || deps.binary_search(&dep).is_ok()) && !out.contains(gap) {
                out.push(gap.clone());
            }
        }
        out
    }

    /// Scenarios that nothing tells apart are one: the first stands for all.
    fn scenarios(&mut self, told_apart: &FxHashSet<Endings>) {
        let kind = |e: Ending| (e.is_error(), e.class().is_some());
        let same = |a: Scenario, b: Scenario| {
            let (a, b) = (a.ending(), b.ending());
            kind(a) == kind(b) && told_apart.iter().all(|set| set.has(a) == set.has(b))
        };
        for scenario in Scenario::ALL {
            let first = self.scenarios.iter().copied().find(|known| same(*known, scenario));
            if first.is_none() {
                self.scenarios.push(scenario);
            }
            self.stands_for.push((scenario, first.unwrap_or(scenario)));
        }
    }
}

/// The sets of endings that a node looks at.
fn told(arena: &Arena<'_>, id: NodeId, sets: &mut FxHashSet<Endings>) {
    match arena.node(id) {
        Node::Map(rules, _) => sets.extend(rules.iter().map(|(from, _)| *from)),
        Node::Recover(_, on, _) => sets.extend(on.iter().copied()),
        Node::Repeat { turns, .. } | Node::Failover { turns, .. } if !turns.jumps => drop(sets.insert(turns.again)),
        _ => {}
    }
}
