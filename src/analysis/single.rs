//! The numbers of one effect by itself: what property tests compare with runs of it.

use super::bind::Binder;
use super::endings::{Evaluator, Which, World};
use super::node::{DepId, NodeId};
use super::time::{self, Time};
use crate::class::{Ending, Scenario};
use crate::effect::{Effect, PlaceId};
use crate::fact::{Facts, Place, Request};
use crate::graph::{Graph, Links};
use crate::name::Name;
use crate::settings::Settings;
use crate::source::{Sources, Span};
use crate::value::{Bound, Tries};

/// Each ending of an effect with the largest number of tries to the dependency `counted` on the way there, where `failing`
/// fails as the scenario says. Dependencies are named as in rows.
pub fn table_of(effect: &Effect, failing: &str, scenario: Scenario, counted: &str) -> Vec<(Ending, Tries)> {
    with(effect, failing, scenario, counted, |evaluator, root, world| {
        evaluator.table(root, world).cells().iter().map(|cell| (cell.ending, cell.tries)).collect()
    })
}

/// The tries that start before every deadline above them.
pub fn effective_of(effect: &Effect, failing: &str, scenario: Scenario, counted: &str) -> Tries {
    with(effect, failing, scenario, counted, |evaluator, root, world| {
        evaluator.most(root, World { clock: true, ..world })
    })
}

/// How long it can take, in ms.
pub fn time_of(effect: &Effect, failing: &str, scenario: Scenario) -> Bound<u64> {
    with(effect, failing, scenario, "", |evaluator, root, world| {
        Time { evaluator, memo: &mut time::Memo::default() }.worst(root, world)
    })
}

fn with<T>(
    effect: &Effect,
    failing: &str,
    scenario: Scenario,
    counted: &str,
    ask: impl FnOnce(&mut Evaluator<'_>, NodeId, World) -> T,
) -> T {
    let (name, at) = (Name::new("it"), Span::default());
    let place = Place {
        name: name.clone(),
        at,
        params: Vec::new(),
        body: effect.clone(),
        package: name.clone(),
        service: name,
        takes_request: false,
    };
    let facts = Facts { places: vec![place], ..Facts::default() };
    let settings = Settings::default();
    let sources = Sources::default();
    let links = Links::new(&facts, &settings, &sources);
    let graph = Graph::new(&facts, &links);
    let mut binder = Binder::new(&facts, &graph, &links);
    let root = binder.operation(PlaceId(0), &Request::default());
    let which = |name: &str| {
        let at = binder.arena.deps.iter().position(|d| *d == *name);
        at.map_or(Which::None, |at| Which::Dep(DepId(at as u32)))
    };
    let (failing, counted) = (which(failing), which(counted));
    let mut evaluator = Evaluator::new(&binder.arena);
    evaluator.begin(1);
    let world = World { failing, fails_with: scenario.ending(), counted, only: None, clock: false };
    ask(&mut evaluator, root, world)
}
