//! From facts to a graph of places: where each remote call leads, and which calls close a cycle.
//!
//! The only part of the program that knows petgraph. Everything above asks two questions: where does this remote call
//! lead ([`link::Links`]), and does this call lead back to where the walk came from ([`calls::Graph`]).

pub mod address;
pub mod by_names;
pub mod calls;
pub mod link;
pub mod naming;
pub mod nearby;
pub mod routes;
pub mod running;

use rustc_hash::FxHashSet;

use crate::effect::{self, Effect, PlaceId};
use crate::fact::Facts;
use crate::settings::Settings;
use crate::source::Sources;

pub use calls::Graph;
pub use link::{Lead, Link, Links};

/// Leaves out the operations that are none because something of the tree calls them: what stands between two parts of a
/// system is no way in.
pub fn keep_ways_in(facts: &mut Facts, settings: &Settings, sources: &Sources) {
    if !facts.operations.iter().any(|o| o.unless_called) {
        return;
    }
    let called = called(facts, settings, sources);
    facts.operations.retain(|o| !o.unless_called || !called.contains(&o.place));
}

/// Every place that a remote call of another place can lead to.
fn called(facts: &Facts, settings: &Settings, sources: &Sources) -> FxHashSet<PlaceId> {
    let links = Links::new(facts, settings, sources);
    let mut found = FxHashSet::default();
    for (i, place) in facts.places.iter().enumerate() {
        let from = PlaceId(i as u32);
        effect::walk(&place.body, &mut |e| {
            if let Effect::Remote(remote) = e {
                found.extend(links.anywhere(from, remote).into_iter().filter(|to| *to != from));
            }
        });
    }
    found
}
