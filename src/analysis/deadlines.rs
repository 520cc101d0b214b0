//! Which deadlines stand above what: remote calls that nothing ends, and layers that only a deadline ends.
//!
//! One walk over all operations; a node is entered once for each set of deadlines that can stand above it. A caller's
//! deadline does not reach a spawned task, nor the handler on the other side of a call.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::WithoutTimeout;
use super::node::{Arena, Covers, LayerIx, Node, NodeId, SiteId};
use crate::effect::Confidence;
use crate::source::Span;

/// What was reached, and under which deadlines.
#[derive(Default)]
pub struct Covered {
    /// Calls, and what stood above each on some path.
    calls: BTreeMap<SiteId, Vec<Covers>>,
    /// Layers that enclose a remote or unknown call on some path from an operation.
    pub reached: FxHashSet<LayerIx>,
    /// Layers for whose end somebody waits on some path: no spawned task stands between.
    pub awaited: FxHashSet<LayerIx>,
    /// Layers above which no total deadline stands on some path.
    pub open: FxHashSet<LayerIx>,
}

pub fn walk(arena: &Arena<'_>, roots: &[NodeId]) -> Covered {
    let mut out = Covered::default();
    let mut seen = vec![0u16; arena.nodes.len()];
    let mut open: Vec<(NodeId, Covers, bool)> =
        roots.iter().rev().map(|root| (*root, Covers::default(), true)).collect();
    while let Some((id, above, awaited)) = open.pop() {
        let flags = above.hang as u16 | (above.total as u16) << 1 | (above.connect as u16) << 2;
        let bit = 1u16 << (flags | (awaited as u16) << 3);
        let below = arena.below(id);
        if seen[id.0 as usize] & bit != 0 || (below.deps.is_empty() && !below.unknown) {
            continue;
        }
        seen[id.0 as usize] |= bit;
        let inner = out.enter(arena, id, above, awaited);
        let awaited = awaited && !matches!(arena.node(id), Node::Spawn(_));
        let from = open.len();
        match arena.timed.contains(&id) {
            true => raced(arena, id, inner, &mut |child, above| open.push((child, above, awaited))),
            false => open.extend(arena.node(id).children().map(|child| (child, inner, awaited))),
        }
        open[from..].reverse();
    }
    out
}

/// The sides of a race with a timer: the timer ends what is raced, and not what is done with the outcome.
fn raced(arena: &Arena<'_>, race: NodeId, above: Covers, visit: &mut dyn FnMut(NodeId, Covers)) {
    for side in arena.node(race).children() {
        match arena.node(side) {
            Node::Recover(body, _, arms) => {
                visit(*body, Covers::ALL);
                arms.iter().for_each(|arm| visit(*arm, above));
            }
            _ => visit(side, above),
        }
    }
}

impl Covered {
    /// Notes a node with what stands above it, and whether somebody waits for it; what stands above its children.
    fn enter(&mut self, arena: &Arena<'_>, id: NodeId, above: Covers, awaited: bool) -> Covers {
        match arena.node(id) {
            Node::Within { ends, .. } => Covers {
                hang: above.hang || ends.hang,
                total: above.total || ends.total,
                connect: above.connect || ends.connect,
            },
            Node::Spawn(_) | Node::Outlives(_) => Covers::default(),
            Node::Remote { site, .. } => {
                self.call(*site, above);
                Covers::default()
            }
            // A hop stops when its caller leaves, so that the caller's deadline reaches what it calls.
            Node::Hop { site, body } => {
                if hangs(arena, *body) {
                    self.call(*site, above);
                }
                above
            }
            Node::Repeat { layer, .. } | Node::Failover { layer, .. } => {
                self.reached.insert(*layer);
                if awaited {
                    self.awaited.insert(*layer);
                }
                if !above.total {
                    self.open.insert(*layer);
                }
                above
            }
            _ => above,
        }
    }

    fn call(&mut self, site: SiteId, above: Covers) {
        let calls = self.calls.entry(site).or_default();
        if !calls.contains(&above) {
            calls.push(above);
        }
    }
}

/// Whether what a hop calls can hang and the hop does not end that.
fn hangs(arena: &Arena<'_>, body: NodeId) -> bool {
    let mut seen = FxHashSet::default();
    let mut open = vec![body];
    while let Some(id) = open.pop() {
        if arena.below(id).deps.is_empty() || !seen.insert(id) {
            continue;
        }
        match arena.node(id) {
            Node::Remote { .. } => return true,
            Node::Within { ends, .. } if ends.hang => {}
            Node::Spawn(_) => {}
            node => open.extend(node.children()),
        }
    }
    false
}

/// One per client that is built in the tree, else one per call: the first in the order of the files.
pub fn without_timeout(arena: &Arena<'_>, covered: &Covered) -> Vec<WithoutTimeout> {
    let mut found: BTreeMap<Span, WithoutTimeout> = BTreeMap::new();
    for (site, above) in &covered.calls {
        let remote = arena.sites[site.0 as usize].remote;
        // The proxy of a mesh leaves it to its caller how long to wait; that one's call is among these.
        if remote.target.past_mesh {
            continue;
        }
        let ends = |c: &Covers| c.hang || (remote.connect_only && c.connect);
        let Some(bare) = above.iter().find(|c| !ends(c)) else {
            continue;
        };
        let client = remote.client.as_ref();
        if remote.connect_only && client.is_some_and(|c| c.connect_timeout) {
            continue;
        }
        let built_at = client.and_then(|c| c.built_at);
        let entry = WithoutTimeout {
            at: built_at.unwrap_or(remote.at),
            call: remote.at,
            what: client.map_or_else(|| remote.system.clone(), |c| c.what.clone()),
            connect_timeout: bare.connect || client.is_some_and(|c| c.connect_timeout),
            confidence: match client {
                Some(client) if client.built_at.is_none() => client.followed.min(Confidence::Medium),
                Some(client) => client.followed,
                _ => Confidence::High,
            },
            handed_over: built_at.is_none() && !remote.connect_only && client.is_some_and(|c| c.what.contains("::")),
        };
        match found.get_mut(&entry.at) {
            Some(known) if known.call <= entry.call => known.confidence = known.confidence.max(entry.confidence),
            _ => drop(found.insert(entry.at, entry)),
        }
    }
    found.into_values().collect()
}
