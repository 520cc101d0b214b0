//! All Rust files of a run to facts: the passes of this folder in order.

use std::cell::Cell;

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::answers::Answers;
use super::entries::{self, FoundEntry};
use super::flow::{Closing, Flow, LoopNote, OpSeen, Used, World};
use super::loops::Judge;
use super::names::{self, Index};
use super::program::{BodyId, BodyTypes, ConstId, FnId, LoweredFile, Program};
use super::reuse::Reuse;
use super::values::Values;
use super::{infer, manifest, reach, reading, redelivery, variants};
use crate::effect::{Effect, LoopId, PlaceId, RepeatKind};
use crate::fact::{Facts, Handler, LoopSeen, Operation, OperationKind, Param, Place, Problem, Request, Socket, Stats};
use crate::model::Models;
use crate::settings::Settings;
use crate::source::{Sources, Span};
use crate::suppress;

/// Stacks of the threads that parse: reserved, not used, unless a file nests deeply.
const STACK: usize = 64 * 1024 * 1024;

/// Told the name of each phase when it ends, by whoever measures.
pub type Watch<'w> = &'w mut (dyn FnMut(&'static str) + Send);

/// Everything that the Rust code of a run does. On the threads of the caller's pool if it runs on one: it knows how many
/// were asked for.
pub fn extract(sources: &Sources, settings: &Settings, models: &Models, watch: Watch<'_>) -> Facts {
    if rayon::current_thread_index().is_some() {
        return passes(sources, settings, models, watch);
    }
    match rayon::ThreadPoolBuilder::new().stack_size(STACK).build() {
        Ok(pool) => pool.install(|| passes(sources, settings, models, watch)),
        Err(_) => passes(sources, settings, models, watch),
    }
}

fn passes(sources: &Sources, settings: &Settings, models: &Models, watch: Watch<'_>) -> Facts {
    let (crates, of_manifests) = manifest::crates(sources, settings.tests);
    watch("manifests");
    let lowered = reading::read(sources, &crates, settings.tests);
    let mut problems = lowered.iter().flat_map(problems_of).collect::<Vec<_>>();
    problems.extend(of_manifests);
    watch("lower");
    let (program, index) = names::build(lowered, crates, sources, settings.tests);
    watch("names");
    let bodies = infer_all(&program, &index, models);
    watch("infer");
    let mut facts = Code { program: &program, bodies: &bodies, models, settings, sources }.facts(watch);
    facts.problems = problems;
    facts.stats = stats(&program, &bodies);
    drop((program, index, bodies));
    watch("free");
    facts
}

fn problems_of(lowered: &LoweredFile) -> Vec<Problem> {
    let one = |(at, message): &(u32, String)| Problem { file: lowered.file, at: *at, message: message.clone() };
    lowered.tree.problems.iter().map(one).collect()
}

fn infer_all(program: &Program, index: &Index, models: &Models) -> FxHashMap<BodyId, BodyTypes> {
    let fns = (0..program.fns.len() as u32).map(|i| BodyId::Fn(FnId(i)));
    let consts = (0..program.consts.len() as u32).map(|i| BodyId::Const(ConstId(i)));
    let all: Vec<BodyId> = fns.chain(consts).collect();
    all.into_par_iter().map(|body| (body, infer::infer(program, index, models, body))).collect()
}

fn stats(program: &Program, bodies: &FxHashMap<BodyId, BodyTypes>) -> Stats {
    Stats {
        files: program.files.len() as u64,
        lines: program.files.iter().map(|f| u64::from(f.tree.lines)).sum(),
        functions: program.fns.len() as u64,
        calls: bodies.values().map(|b| b.calls).sum(),
        calls_resolved: bodies.values().map(|b| b.calls_resolved).sum(),
    }
}

/// The program with everything that was inferred, on its way to facts.
struct Code<'a> {
    program: &'a Program,
    bodies: &'a FxHashMap<BodyId, BodyTypes>,
    models: &'a Models,
    settings: &'a Settings,
    sources: &'a Sources,
}

/// What the bodies' compilation gave besides effects.
#[derive(Default)]
struct Gathered {
    ops: FxHashMap<Span, OpSeen>,
    loops: FxHashMap<LoopId, LoopNote>,
    /// Per place its calls of itself.
    recursion: FxHashMap<PlaceId, Vec<Closing>>,
    sockets: Vec<Socket>,
    /// Calls through clients that are built in the tree.
    used: Vec<Used>,
}

impl Code<'_> {
    fn facts(&self, watch: Watch<'_>) -> Facts {
        let loud = reach::loud(self.program, self.bodies, self.models);
        let mut ids: Vec<FnId> = loud.iter().copied().filter(|id| self.program.function(*id).body.is_some()).collect();
        ids.sort();
        watch("reach");
        let values = Values::new(self.program, self.bodies, self.models, self.settings);
        let numbers = ids.iter().enumerate().map(|(i, id)| (*id, PlaceId(i as u32))).collect();
        let (mut places, gathered) = self.compile(&ids, &loud, &values, &numbers);
        watch("flow");
        let fails: Vec<_> = ids.iter().map(|id| reach::fails(self.program, *id)).collect();
        self.judge(&mut places, &fails, &gathered);
        let next_loop = super::recursion::highest(&places) + 1;
        let mut facts = Facts { places, next_loop, sockets: gathered.sockets, ..Facts::default() };
        watch("loops");
        self.operations(&numbers, &mut facts);
        let reuse = Reuse { values: &values, used: &gathered.used, places: &numbers, facts: &facts };
        let remarks = reuse.remarks();
        facts.remarks = remarks;
        facts.remarks.extend(redelivery::remarks(&values));
        facts.comments = comments(self.sources);
        facts.loops = facts.places.iter().flat_map(|p| loops_left_alone(&p.body)).collect();
        watch("entries");
        facts
    }

    fn compile(
        &self,
        ids: &[FnId],
        loud: &FxHashSet<FnId>,
        values: &Values<'_>,
        places: &FxHashMap<FnId, PlaceId>,
    ) -> (Vec<Place>, Gathered) {
        let variants = variants::variants(self.program, self.bodies, self.models);
        let world = World {
            program: self.program,
            bodies: self.bodies,
            models: self.models,
            values,
            places,
            loud,
            variants: &variants,
            clients: std::cell::OnceCell::new(),
        };
        let next_loop = Cell::new(0);
        let mut gathered = Gathered::default();
        let done = ids.iter().map(|id| self.place(&world, *id, &next_loop, &mut gathered)).collect();
        gathered.sockets = entries::sockets::sockets(self.program, values, self.models);
        (done, gathered)
    }

    fn place(&self, world: &World<'_>, id: FnId, next_loop: &Cell<u32>, gathered: &mut Gathered) -> Place {
        let def = self.program.def(id);
        let body = BodyId::Fn(id);
        let function = self.program.function(id);
        let effect = match (Flow::new(world, body, next_loop), function.body) {
            (Some(mut flow), Some(root)) => {
                let effect = flow.whole(root);
                gathered.ops.extend(flow.notes.ops);
                gathered.loops.extend(flow.notes.loops);
                gathered.used.extend(flow.notes.used);
                gathered.recursion.insert(world.places[&id], flow.notes.recursion);
                effect
            }
            _ => Effect::Nothing,
        };
        let package = self.program.crates[def.krate.0 as usize].package.clone();
        let count = function.params.len() + usize::from(function.receiver.is_some());
        Place {
            name: def.path.clone(),
            at: self.program.span(body, function.name_at),
            params: self.params(id, count),
            body: effect,
            service: package.clone(),
            package,
            takes_request: false,
        }
    }

    fn params(&self, id: FnId, count: usize) -> Vec<Param> {
        use super::tree::PatKind;
        let function = self.program.function(id);
        let tree = self.program.tree_of(BodyId::Fn(id));
        let receiver = function.receiver.iter().map(|_| "self".into());
        let named = function.params.iter().map(|(pat, _)| match &tree.pat(*pat).kind {
            PatKind::Ident { name, .. } => name.clone(),
            _ => "_".into(),
        });
        receiver.chain(named).take(count).map(|name| Param { name }).collect()
    }

    fn judge(&self, places: &mut [Place], fails: &[crate::class::Endings], gathered: &Gathered) {
        super::recursion::fold(places, &gathered.recursion, &gathered.ops);
        let facts = reach::facts(places, fails);
        let judge = Judge { facts: &facts, ops: &gathered.ops, notes: &gathered.loops };
        for place in places {
            judge.judge(&mut place.body);
        }
    }

    fn operations(&self, places: &FxHashMap<FnId, PlaceId>, facts: &mut Facts) {
        let answers = Answers { program: self.program, bodies: self.bodies, models: self.models };
        for entry in entries::entries(self.program, self.bodies, self.models) {
            let Some(place) = places.get(&entry.handler) else { continue };
            let file = self.sources.get(entry.at.file);
            // What a program wrote has more functions than anybody needs: it is used where it is called.
            if file.support || (entry.kind == OperationKind::Api && file.is_generated()) {
                continue;
            }
            let krate = &self.program.crates[self.program.def(entry.handler).krate.0 as usize];
            if matches!(entry.kind, OperationKind::Http | OperationKind::Grpc) {
                facts
                    .handlers
                    .push(Handler { answers: answers.of(entry.handler), ..handler(&entry, *place, &krate.package) });
            }
            facts.operations.push(Operation {
                name: entry.name,
                kind: entry.kind,
                place: *place,
                at: entry.at,
                service: krate.package.clone(),
                request: Request::default(),
                unless_called: false,
            });
        }
    }
}

fn comments(sources: &Sources) -> Vec<suppress::Comment> {
    let files = sources.iter().filter(|(_, f)| f.path.ends_with(".rs"));
    files.flat_map(|(id, f)| suppress::comments(id, &f.text)).collect()
}

fn handler(entry: &FoundEntry, place: PlaceId, package: &crate::name::Name) -> Handler {
    Handler {
        place,
        method: entry.method.clone(),
        path: entry.path.clone(),
        service: package.clone(),
        package: package.clone(),
        rpc: (entry.kind == OperationKind::Grpc).then(|| entry.name.clone()),
        answers: None,
    }
}

/// Loops that were looked at and are no retries.
fn loops_left_alone(effect: &Effect) -> Vec<LoopSeen> {
    let mut found = Vec::new();
    crate::effect::walk(effect, &mut |e| {
        if let Effect::Repeat(repeat) = e
            && !matches!(repeat.kind, RepeatKind::Retry | RepeatKind::Failover)
            && repeat.at != Span::default()
        {
            found.push(LoopSeen { at: repeat.at, is: repeat.kind });
        }
    });
    found
}
