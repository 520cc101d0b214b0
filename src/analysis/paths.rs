//! The numbers of operations: one row for each operation and dependency, and what is said about single calls.

use rustc_hash::{FxHashMap, FxHashSet};

use super::bind::Binder;
use super::endings::{Evaluator, Which, World};
use super::focus::{Choice, Focus, Memo};
use super::limits::{self, Above, Limit};
use super::node::{Arena, DepId, LayerIx, NodeId, SiteId};
use super::time::{self, Time};
use super::view::{Marks, View};
use super::{
    Analysis, CallSite, InScenario, LayerUse, Row, ceiling, cycles, deadlines, keep, layers, outer, repeats, sustained,
};
use crate::class::Scenario;
use crate::effect::{Deadline, Effect, PlaceId};
use crate::fact::{Facts, Request};
use crate::graph::{Graph, Links};
use crate::name::Name;
use crate::settings::Settings;
use crate::source::{Sources, Span};
use crate::value::{Bound, Tries, Why};

/// Everything that is computed from the facts of a run.
pub fn analyse(facts: &Facts, settings: &Settings, sources: &Sources) -> Analysis {
    let links = Links::new(facts, settings, sources);
    let graph = Graph::new(facts, &links);
    let declared = limits::declared(facts, settings);
    let mut binder = Binder::new(facts, &graph, &links);
    let roots = roots(&mut binder, facts, &declared);
    let reached = binder.reached();
    let rest = (0..facts.places.len() as u32).map(PlaceId).filter(|p| !reached.contains(p));
    for place in rest {
        binder.operation(place, &Request::default());
    }
    let arena = &binder.arena;
    let mut analysis = Analysis::default();
    let mut run = Run {
        facts,
        settings,
        sources,
        evaluator: Evaluator::new(arena),
        memo: Memo::default(),
        times: time::Memo::default(),
        ceilings: ceiling::Memo::default(),
        marks: Marks::default(),
        judged: repeats::Judged::default(),
    };
    let calling: Vec<usize> = (0..roots.len()).filter(|i| !arena.below(roots[*i]).deps.is_empty()).collect();
    for (done, i) in calling.iter().enumerate() {
        run.operation(*i, roots[*i], calling.len() - done, &mut analysis);
    }
    run.limits(&roots, &mut analysis);
    let covered = deadlines::walk(arena, &roots);
    analysis.without_timeout = deadlines::without_timeout(arena, &covered);
    analysis.layers = layers::all(facts, arena, &covered);
    analysis.cycles = cycles::all(facts, &links, &binder.circles);
    analysis.unresolved = unresolved(facts, &links);
    analysis.unsafe_repeats.sort_by_key(|u| (u.at, u.layer.at, u.layer.bound_at));
    analysis.sites.sort_by(|a, b| (a.at, a.operation, &a.dependency).cmp(&(b.at, b.operation, &b.dependency)));
    analysis
}

/// Every operation, under the deadline that is stated of it.
pub(super) fn roots<'a>(binder: &mut Binder<'a>, facts: &Facts, declared: &'a [Option<Deadline>]) -> Vec<NodeId> {
    let mut roots = Vec::new();
    for (operation, deadline) in facts.operations.iter().zip(declared) {
        let root = binder.operation(operation.place, &operation.request);
        roots.push(deadline.as_ref().map_or(root, |deadline| binder.within(deadline, root)));
    }
    roots
}

fn unresolved(facts: &Facts, links: &Links<'_>) -> Vec<(Span, Name)> {
    let mut found = Vec::new();
    for (i, place) in facts.places.iter().enumerate() {
        crate::effect::walk(&place.body, &mut |effect| {
            if let Effect::Remote(remote) = effect {
                let hosts = links.unresolved(PlaceId(i as u32), remote);
                found.extend(hosts.into_iter().map(|host| (remote.at, host)));
            }
        });
    }
    found.sort();
    found.dedup();
    found
}

/// What is shared between all operations of a run.
pub(super) struct Run<'r, 'a> {
    pub facts: &'r Facts,
    pub settings: &'r Settings,
    pub sources: &'r Sources,
    pub evaluator: Evaluator<'a>,
    memo: Memo,
    times: time::Memo,
    ceilings: ceiling::Memo,
    marks: Marks,
    judged: repeats::Judged,
}

/// The dearest failure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Worst {
    pub tries: Tries,
    pub failing: DepId,
    pub scenario: Scenario,
}

/// One operation's and one dependency's, while it is computed.
pub(super) struct Pair<'v> {
    pub root: NodeId,
    pub view: &'v View,
    pub dep: DepId,
    pub failing: Vec<DepId>,
    /// The limits of time above each call.
    pub above: &'v FxHashMap<SiteId, Above>,
}

impl<'a> Run<'_, 'a> {
    pub fn arena(&self) -> &'a Arena<'a> {
        self.evaluator.arena
    }

    /// What is found about limits of time.
    fn limits(&mut self, roots: &[NodeId], analysis: &mut Analysis) {
        let found = outer::find(&mut self.evaluator, &mut self.times, roots);
        analysis.inversions = found.inversions;
        analysis.misfits = found.misfits;
        analysis.pool_waits = found.waits;
        analysis.deadlines = limits::all(self.arena());
    }

    /// An operation that calls something; so many of them are left, this one included.
    fn operation(&mut self, index: usize, root: NodeId, left: usize, analysis: &mut Analysis) {
        let arena = self.arena();
        let view = View::new(arena, root, &mut self.marks);
        self.evaluator.begin(left);
        for repeat in &view.repeats {
            let found = repeats::judge(&mut self.evaluator, &mut self.judged, *repeat, &mut self.marks);
            analysis.unsafe_repeats.extend(found);
        }
        self.evaluator.begin(left);
        let above = limits::above(arena, root, &view.nodes);
        for dep in &view.deps {
            let failing = match arena.below(root).repeats {
                true => view.failing(*dep),
                false => vec![*dep],
            };
            let pair = Pair { root, view: &view, dep: *dep, failing, above: &above };
            let (row, worst) = self.row(index, &pair, analysis);
            // No run gets there, whatever fails.
            if row.attempts == Bound::Exactly(0) {
                continue;
            }
            self.call_sites(&row, &pair, &worst, analysis);
            analysis.rows.push(row);
        }
    }

    fn row(&mut self, operation: usize, pair: &Pair<'_>, analysis: &Analysis) -> (Row, World) {
        let arena = self.arena();
        let counted = Which::Dep(pair.dep);
        let calls = self.evaluator.most(pair.root, World::calm(counted));
        let ceiling = ceiling::of(arena, &mut self.ceilings, pair.root, pair.dep, ceiling::Of::All);
        let worst = self.worst(pair, counted, None, ceiling);
        let world = world(worst.failing, worst.scenario, counted);
        let dearest = self.focus().dearest(pair.root, world);
        let amplification = self.amplification(pair, &dearest, worst.tries);
        let (layers, owners) = split(dearest.as_ref().map(|(_, choice)| choice));
        let with_one = self.each_alone(pair, &owners, ceiling);
        let (scenarios, effective) = (self.scenarios(pair, &worst), self.effective(pair, worst.tries));
        let keep = keep::keep(self, operation, pair, &owners, &worst, &analysis.unsafe_repeats);
        let complete = !self.evaluator.exhausted();
        let why = layers.iter().find_map(|l| arena.layers[l.0 as usize].limit.why.clone());
        let shown = |tries: Tries| reasoned(tries, complete, &why);
        let name = |dep: DepId| arena.deps[dep.0 as usize].clone();
        let row = Row {
            operation,
            dependency: name(pair.dep),
            sites: sites(arena, pair),
            calls: shown(calls),
            attempts: shown(worst.tries),
            amplification: shown(amplification),
            ceiling: shown(ceiling),
            sustained: sustained::of(arena, &owners, amplification),
            replays: replays(arena, pair),
            worst: worst.scenario,
            failing: name(worst.failing),
            effective: shown(effective),
            scenarios: scenarios.into_iter().map(|s| s.shown(shown)).collect(),
            deadline: deadline(pair, |above| above.outermost),
            gaps: gaps(pair, complete),
            layers: uses(arena, &layers),
            owners: uses(arena, &owners),
            keep: keep.map(|l| layer_use(arena, l)),
            with_one_owner: with_one.into_iter().map(|(l, tries)| (layer_use(arena, l), shown(tries))).collect(),
        };
        (row, world)
    }

    /// The attempts if one owner alone were left, for each.
    fn each_alone(&mut self, pair: &Pair<'_>, owners: &[LayerIx], ceiling: Tries) -> Vec<(LayerIx, Tries)> {
        let counted = Which::Dep(pair.dep);
        owners.iter().map(|o| (*o, self.worst(pair, counted, Some(*o), ceiling).tries)).collect()
    }

    pub fn focus(&mut self) -> Focus<'_, 'a> {
        Focus { evaluator: &mut self.evaluator, memo: &mut self.memo }
    }

    /// The dearest failure, in the order in which ties are named. Nothing passes the ceiling.
    fn worst(&mut self, pair: &Pair<'_>, counted: Which, only: Option<LayerIx>, ceiling: Tries) -> Worst {
        let first = Scenario::ALL[0];
        let mut best: Option<Worst> = None;
        for failing in &pair.failing {
            for scenario in &pair.view.scenarios {
                let tries = self.tries(pair.root, World { only, ..world(*failing, *scenario, counted) });
                if best.is_none_or(|best| tries > best.tries) {
                    best = Some(Worst { tries, failing: *failing, scenario: *scenario });
                }
                if tries >= ceiling || self.evaluator.exhausted() {
                    return best.expect("just set where it was not");
                }
            }
        }
        best.unwrap_or(Worst { tries: Tries::ZERO, failing: pair.dep, scenario: first })
    }

    /// What the table says, or more where a deadline hides an inner answer behind a timeout that is retried above it.
    fn tries(&mut self, root: NodeId, world: World) -> Tries {
        let nominal = self.evaluator.most(root, world);
        nominal.worse(self.evaluator.most(root, World { clock: true, ..world }))
    }

    /// The most that start in time, over all failures.
    fn effective(&mut self, pair: &Pair<'_>, attempts: Tries) -> Tries {
        if !self.arena().below(pair.root).clock.cuts {
            return attempts;
        }
        let mut most = Tries::ZERO;
        for failing in &pair.failing {
            for scenario in &pair.view.scenarios {
                let world = World { clock: true, ..world(*failing, *scenario, Which::Dep(pair.dep)) };
                most = most.worse(self.evaluator.most(pair.root, world));
                if most.low >= attempts.low && most.high >= attempts.high || self.evaluator.exhausted() {
                    return most;
                }
            }
        }
        most
    }

    /// The largest over all failures, with one call alone counted.
    fn amplification(&mut self, pair: &Pair<'_>, known: &Option<(Tries, Choice)>, attempts: Tries) -> Tries {
        let mut most = known.as_ref().map_or(Tries::ZERO, |(tries, _)| *tries);
        if !self.arena().below(pair.root).repeats && most >= Tries::ONE {
            return most;
        }
        let one = ceiling::of(self.arena(), &mut self.ceilings, pair.root, pair.dep, ceiling::Of::One);
        for failing in &pair.failing {
            for scenario in &pair.view.scenarios {
                if most >= one || most >= attempts || self.evaluator.exhausted() {
                    return most;
                }
                let world = world(*failing, *scenario, Which::Dep(pair.dep));
                if let Some((tries, _)) = self.focus().dearest(pair.root, world) {
                    most = most.max(tries);
                }
            }
        }
        most
    }

    /// The numbers in each scenario of the dependency whose failure is the worst.
    fn scenarios(&mut self, pair: &Pair<'_>, worst: &Worst) -> Vec<Numbers> {
        let counted = Which::Dep(pair.dep);
        let mut known: Vec<Numbers> = Vec::new();
        for (scenario, first) in &pair.view.stands_for {
            let same = known.iter().find(|n| n.scenario == *first).cloned();
            let numbers = same.unwrap_or_else(|| {
                let world = world(worst.failing, *first, counted);
                let attempts = self.tries(pair.root, world);
                let effective = self.evaluator.most(pair.root, World { clock: true, ..world });
                Numbers { scenario: *first, attempts, effective, time: self.time(pair.root, world) }
            });
            known.push(Numbers { scenario: *scenario, ..numbers });
        }
        known
    }

    fn time(&mut self, root: NodeId, world: World) -> Bound<u64> {
        Time { evaluator: &mut self.evaluator, memo: &mut self.times }.worst(root, world)
    }

    /// What each call adds in the dearest failure.
    fn call_sites(&mut self, row: &Row, pair: &Pair<'_>, worst: &World, analysis: &mut Analysis) {
        let own = &pair.view.sites[&pair.dep];
        let hops = pair.view.hops.get(&pair.dep).map_or(&[][..], Vec::as_slice);
        let alone = own.len() == 1;
        let counted = own.iter().map(|site| (*site, Which::Site(*site)));
        let through = hops.iter().map(|site| (*site, Which::Through(*site, pair.dep)));
        for (site, counted) in counted.chain(through) {
            let attempts = match counted {
                Which::Site(_) if alone => row.attempts.clone(),
                _ => {
                    let tries = self.evaluator.most(pair.root, World { counted, ..*worst });
                    reasoned(tries, !self.evaluator.exhausted(), &None)
                }
            };
            let at = self.arena().sites[site.0 as usize].remote.at;
            let (operation, dependency) = (row.operation, row.dependency.clone());
            let hangs = world(pair.dep, Scenario::Hangs, counted);
            let effective = self.evaluator.most(pair.root, World { clock: true, ..hangs });
            let effective = reasoned(effective, !self.evaluator.exhausted(), &None);
            let time = self.time(pair.root, hangs);
            let deadline = pair.above.get(&site).map_or(Bound::Unbounded, |above| above.nearest.bound());
            analysis.sites.push(CallSite { at, operation, dependency, attempts, effective, time, deadline });
        }
    }
}

/// What is found in one scenario.
#[derive(Clone)]
struct Numbers {
    scenario: Scenario,
    attempts: Tries,
    effective: Tries,
    time: Bound<u64>,
}

impl Numbers {
    fn shown(self, shown: impl Fn(Tries) -> Bound<u64>) -> InScenario {
        let (attempts, effective) = (shown(self.attempts), shown(self.effective));
        InScenario { scenario: self.scenario, attempts, effective, time: self.time }
    }
}

/// The longest limit above the calls to a dependency.
fn deadline(pair: &Pair<'_>, of: impl Fn(&Above) -> Limit) -> Bound<u64> {
    let above = pair.view.sites[&pair.dep].iter().map(|site| pair.above.get(site).map_or(Limit::NONE, &of));
    above.reduce(Limit::looser).unwrap_or(Limit::NONE).bound()
}

pub(super) fn world(failing: DepId, scenario: Scenario, counted: Which) -> World {
    World { failing: Which::Dep(failing), fails_with: scenario.ending(), counted, only: None, clock: false }
}

fn gaps(pair: &Pair<'_>, complete: bool) -> Vec<Name> {
    let mut gaps = pair.view.gaps(pair.dep);
    let cut = Name::new("too many paths");
    if !complete && !gaps.contains(&cut) {
        gaps.push(cut);
    }
    gaps
}

fn replays(arena: &Arena<'_>, pair: &Pair<'_>) -> Option<u64> {
    pair.view.sites[&pair.dep].iter().filter_map(|s| arena.sites[s.0 as usize].remote.replays).max()
}

fn sites(arena: &Arena<'_>, pair: &Pair<'_>) -> Vec<Span> {
    let mut sites: Vec<Span> = pair.view.sites[&pair.dep].iter().map(|s| arena.sites[s.0 as usize].remote.at).collect();
    sites.sort_unstable();
    sites
}

/// The layers around a choice, and those of them that multiply.
pub(super) fn split(choice: Option<&Choice>) -> (Vec<LayerIx>, Vec<LayerIx>) {
    let around = choice.map_or(&[][..], |c| &c.around[..]);
    let mut seen = FxHashSet::default();
    let layers: Vec<LayerIx> = around.iter().map(|(l, _)| *l).filter(|l| seen.insert(*l)).collect();
    let owns = |l: &LayerIx| around.iter().any(|(known, owns)| known == l && *owns);
    let owners = layers.iter().copied().filter(owns).collect();
    (layers, owners)
}

fn uses(arena: &Arena<'_>, layers: &[LayerIx]) -> Vec<LayerUse> {
    layers.iter().map(|l| layer_use(arena, *l)).collect()
}

pub(super) fn layer_use(arena: &Arena<'_>, layer: LayerIx) -> LayerUse {
    let layer = &arena.layers[layer.0 as usize];
    LayerUse {
        id: layer.repeat.id,
        at: layer.repeat.at,
        bound_at: layer.bound_at,
        attempts: reasoned(layer.limit.n, true, &layer.limit.why),
        written: layer.repeat.default_of.is_none(),
        function: layer.repeat.function.clone(),
    }
}

/// A number for readers, with the reason where it is not known.
pub(super) fn reasoned(tries: Tries, complete: bool, why: &Option<Name>) -> Bound<u64> {
    if !complete {
        return Bound::AtLeast(tries.low, Some(Why::new("too many paths")));
    }
    let why = why.clone().map(Why);
    match tries.bound() {
        Bound::Unknown(None) => Bound::Unknown(why),
        Bound::AtLeast(n, None) => Bound::AtLeast(n, why),
        bound => bound,
    }
}
