//! Which place calls which, and which of these calls close a cycle.
//!
//! A walk from an operation enters a strong component at one place. The edges that lead back in a depth-first walk from
//! there are cut: what is left has no cycle, so everything above may follow calls without a guard of its own, and what
//! it finds below a place depends on the place and on where its component was entered, not on the whole way. A large
//! component is cut once for all entries: an instance of each member for each entry would be too many.

use std::cell::RefCell;
use std::rc::Rc;

use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use rustc_hash::{FxHashMap, FxHashSet};

use super::link::Links;
use crate::effect::{Arg, Call, Callee, Effect, PlaceId};
use crate::fact::Facts;

type Edge = (PlaceId, PlaceId);

/// Members of a component that is cut anew for each entry.
const SMALL: usize = 12;

pub struct Graph {
    edges: Vec<Vec<PlaceId>>,
    /// Per place: its strong component.
    component: Vec<u32>,
    /// Per strong component: its members, sorted.
    members: Vec<Vec<PlaceId>>,
    /// Per entry into a component: the edges that lead back.
    cut: RefCell<FxHashMap<PlaceId, Rc<FxHashSet<Edge>>>>,
}

impl Graph {
    pub fn new(facts: &Facts, links: &Links<'_>) -> Graph {
        let all = facts.places.len() as u32;
        let edges: Vec<Vec<PlaceId>> = (0..all).map(|i| callees(facts, links, PlaceId(i))).collect();
        let mut graph: DiGraph<(), (), u32> = DiGraph::with_capacity(edges.len(), edges.len() * 2);
        (0..all).for_each(|_| {
            graph.add_node(());
        });
        for (from, list) in edges.iter().enumerate() {
            for to in list {
                graph.add_edge(NodeIndex::new(from), NodeIndex::new(to.0 as usize), ());
            }
        }
        let mut component = vec![0; edges.len()];
        let mut all_members = Vec::new();
        for (i, found) in kosaraju_scc(&graph).iter().enumerate() {
            let mut members: Vec<PlaceId> = found.iter().map(|n| PlaceId(n.index() as u32)).collect();
            members.sort_unstable();
            members.iter().for_each(|m| component[m.0 as usize] = i as u32);
            all_members.push(members);
        }
        Graph { edges, component, members: all_members, cut: RefCell::default() }
    }

    /// Places called by that place, closures in it included.
    pub fn callees(&self, place: PlaceId) -> &[PlaceId] {
        &self.edges[place.0 as usize]
    }

    /// Where a component counts as entered by a walk that begins at this place.
    pub fn entry(&self, place: PlaceId) -> PlaceId {
        let members = &self.members[self.component[place.0 as usize] as usize];
        if members.len() > SMALL { members[0] } else { place }
    }

    /// The members of the component, if it is cut once for all entries.
    pub fn large_cycle(&self, place: PlaceId) -> Option<usize> {
        let members = self.members[self.component[place.0 as usize] as usize].len();
        (members > SMALL).then_some(members)
    }

    /// Where the component of `to` was entered, if `from` (itself in a component entered at `entry`) calls it; `None`
    /// if the call closes a cycle.
    pub fn enter(&self, entry: PlaceId, from: PlaceId, to: PlaceId) -> Option<PlaceId> {
        let of = |p: PlaceId| self.component[p.0 as usize];
        if of(from) != of(to) {
            return Some(self.entry(to));
        }
        if from == to || of(entry) != of(to) {
            return None;
        }
        (!self.back_edges(entry).contains(&(from, to))).then_some(entry)
    }

    fn back_edges(&self, entry: PlaceId) -> Rc<FxHashSet<Edge>> {
        if let Some(found) = self.cut.borrow().get(&entry) {
            return Rc::clone(found);
        }
        let found = Rc::new(self.search(entry));
        self.cut.borrow_mut().insert(entry, Rc::clone(&found));
        found
    }

    /// Depth-first walks inside the entry's component, with their own stack: from the entry, then from what it missed.
    fn search(&self, entry: PlaceId) -> FxHashSet<Edge> {
        let component = self.component[entry.0 as usize];
        let mut back = FxHashSet::default();
        let mut open: FxHashSet<PlaceId> = FxHashSet::default();
        let mut done: FxHashSet<PlaceId> = FxHashSet::default();
        for from in [entry].iter().chain(&self.members[component as usize]) {
            if done.contains(from) {
                continue;
            }
            open.insert(*from);
            let mut stack = vec![(*from, 0)];
            while let Some((place, next)) = stack.pop() {
                let Some(to) = self.callees(place).get(next).copied() else {
                    open.remove(&place);
                    done.insert(place);
                    continue;
                };
                stack.push((place, next + 1));
                if self.component[to.0 as usize] != component || done.contains(&to) {
                    continue;
                }
                if open.contains(&to) {
                    back.insert((place, to));
                } else {
                    open.insert(to);
                    stack.push((to, 0));
                }
            }
        }
        back
    }
}

/// Every place that the body of a place can call, in the order of the text, each once.
fn callees(facts: &Facts, links: &Links<'_>, place: PlaceId) -> Vec<PlaceId> {
    let mut found = Vec::new();
    walk(&facts.place(place).body, &mut |effect| match effect {
        Effect::Call(call) => of_call(call, &mut found),
        // What leads through a proxy hangs on the request: whoever follows one sees the circles.
        Effect::Remote(remote) => {
            let asks = |p: &PlaceId| facts.place(*p).takes_request;
            found.extend(links.anywhere(place, remote).into_iter().filter(|p| !asks(p)));
        }
        _ => {}
    });
    let mut seen = FxHashSet::default();
    let known = |p: &PlaceId| (p.0 as usize) < facts.places.len();
    found.into_iter().filter(|p| known(p) && seen.insert(*p)).collect()
}

fn of_call(call: &Call, found: &mut Vec<PlaceId>) {
    match &call.callee {
        Callee::Place(place) => found.push(*place),
        Callee::AnyOf(_, places) => found.extend(places),
        Callee::Param(_) | Callee::Unknown(_) => {}
    }
    for arg in &call.args {
        if let Arg::Place(place) = arg {
            found.push(*place);
        }
    }
}

/// Visits an effect and everything in it, closures included, in the order of the text; with its own stack.
pub fn walk<'e>(effect: &'e Effect, visit: &mut impl FnMut(&'e Effect)) {
    let mut open = vec![effect];
    while let Some(effect) = open.pop() {
        visit(effect);
        let from = open.len();
        match effect {
            Effect::Seq(parts) | Effect::Branch(parts, _) | Effect::Join(parts, _) | Effect::Race(parts, _) => {
                open.extend(parts)
            }
            Effect::Call(call) => open.extend(call.args.iter().filter_map(|arg| match arg {
                Arg::Closure(body) => Some(&**body),
                _ => None,
            })),
            Effect::Map(_, body) | Effect::Within(_, body) | Effect::Spawn(body) | Effect::Outlives(body) => {
                open.push(body);
            }
            Effect::Leave(_, body) | Effect::Scope(body) => open.push(body),
            Effect::Recover(body, arms) => {
                open.push(body);
                open.extend(arms.iter().map(|arm| &arm.then));
            }
            Effect::Repeat(repeat) => open.push(&repeat.body),
            Effect::Nothing | Effect::End(_) | Effect::Caught(_) | Effect::Remote(_) | Effect::Sleep(_) => {}
        }
        open[from..].reverse();
    }
}
