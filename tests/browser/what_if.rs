//! Cases for the page's algebra: for each fixture its page, and for many changes of its layers the attempts that the
//! analysis computes once the same changes are made in the facts. One line of JSON per fixture on standard output;
//! `run.mjs` holds the page against them.

use std::path::{Path, PathBuf};

use retrylint::analysis::formula::{self, Formulas, Step};
use retrylint::analysis::nominal;
use retrylint::effect::{self, Effect, LoopId, Stop};
use retrylint::model::Models;
use retrylint::pipeline::{self, Options, Run};
use retrylint::report::html;
use retrylint::report::human::Filter;
use retrylint::settings::{self, Settings};
use retrylint::source::{SourceFile, Sources};
use retrylint::value::{Bound, Origin, Tries, Value};
use serde_json::{Map, json};
use walkdir::WalkDir;

const FOLDERS: [&str; 6] = ["systems", "envoy", "nginx", "haproxy", "grpc", "rust"];
/// Layers of one fixture that are changed one by one.
const MOST_LAYERS: usize = 12;

fn main() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    let deep = std::thread::Builder::new().stack_size(64 * 1024 * 1024);
    let work = move || {
        for folder in FOLDERS.iter().flat_map(|name| folders(&fixtures.join(name))) {
            let mut run = run(&folder);
            let formulas = formulas(&run);
            if !formulas.layers.is_empty() {
                let name = folder.strip_prefix(&fixtures).unwrap_or(&folder).display().to_string();
                let page = html::render(&run.view(0), &run.settings, &Filter::default());
                println!("{}", json!({ "name": name, "page": page, "changes": changes(&mut run, &formulas) }));
            }
        }
    };
    deep.spawn(work).expect("a thread").join().expect("every fixture is analysed");
}

fn folders(root: &Path) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> =
        std::fs::read_dir(root).expect("fixtures").flatten().map(|e| e.path()).filter(|p| p.is_dir()).collect();
    all.sort();
    all
}

fn run(folder: &Path) -> Run {
    let mut sources = Vec::new();
    let mut settings = Settings::default();
    for entry in WalkDir::new(folder).sort_by_file_name().into_iter().flatten().filter(|e| e.file_type().is_file()) {
        let path = entry.path().strip_prefix(folder).expect("below it").display().to_string();
        let text = String::from_utf8_lossy(&std::fs::read(entry.path()).expect("a fixture")).into_owned();
        if path == "retrylint.toml" {
            settings = settings::parse(&path, &text).expect("good settings");
        }
        sources.push(SourceFile::new(path, text));
    }
    let sources = Sources::new(sources);
    let models = Models::new(pipeline::models_for(&sources).expect("good models"));
    pipeline::run(sources, Vec::new(), settings, &models, &Options::default())
}

fn formulas(run: &Run) -> Formulas {
    formula::formulas(&run.facts, &run.settings, &run.sources, &|_| true)
}

/// What is changed on the page, and what every row of its formulas is then.
fn changes(run: &mut Run, formulas: &Formulas) -> Vec<serde_json::Value> {
    let mut out = vec![case(run, formulas, Map::new(), None)];
    let mut ids: Vec<LoopId> = formulas.layers.iter().map(|l| l.id).filter(|id| can_be_set(formulas, *id)).collect();
    ids.sort_unstable();
    ids.dedup();
    let some: Vec<LoopId> = ids.iter().copied().take(MOST_LAYERS).collect();
    for (i, id) in some.iter().enumerate() {
        out.push(set(run, formulas, &[*id], 1 + (i as u64 % 2) * 4));
    }
    for n in [1, 2, 7] {
        out.push(set(run, formulas, &ids, n));
    }
    let half: Vec<LoopId> = ids.iter().copied().step_by(2).collect();
    out.push(set(run, formulas, &half, 1));
    for only in 0..formulas.layers.len().min(MOST_LAYERS) {
        let off = (0..formulas.layers.len()).filter(|l| *l != only);
        let layers = off.map(|l| (l.to_string(), json!({ "off": true }))).collect();
        out.push(case(run, formulas, layers, Some(&formulas.layers[only])));
    }
    out
}

/// A loop that nothing bounds has no guard in its effect that a count in the facts could stand for; and a failover to
/// another dependency is none of the page's switches.
fn can_be_set(formulas: &Formulas, id: LoopId) -> bool {
    formulas.steps.iter().all(|step| match step {
        Step::Repeat { turns, .. } | Step::Failover { turns, .. } if turns.id == id => {
            !turns.fixed && (!turns.jumps || turns.n.high != Tries::INFINITE)
        }
        _ => true,
    })
}

/// These layers with so many attempts each, in the facts and on the page.
fn set(run: &mut Run, formulas: &Formulas, ids: &[LoopId], n: u64) -> serde_json::Value {
    let mut before: Vec<(LoopId, Vec<Stop>)> = Vec::new();
    stops(run, &mut |id, stops| {
        if ids.contains(&id) {
            before.push((id, std::mem::replace(stops, vec![Stop::Count(Value::Number(n), Origin::none())])));
        }
    });
    let known = formulas.layers.iter().enumerate().filter(|(_, l)| ids.contains(&l.id));
    let layers = known.map(|(at, _)| (at.to_string(), json!({ "attempts": n }))).collect();
    let case = case(run, formulas, layers, None);
    let mut before = before.into_iter();
    stops(run, &mut |id, stops| {
        if ids.contains(&id) {
            *stops = before.next().expect("the same loops in the same order").1;
        }
    });
    case
}

fn stops(run: &mut Run, visit: &mut dyn FnMut(LoopId, &mut Vec<Stop>)) {
    for place in &mut run.facts.places {
        effect::walk_mut(&mut place.body, &mut |effect| {
            if let Effect::Repeat(repeat) = effect {
                visit(repeat.id, &mut repeat.stops);
            }
        });
    }
}

fn case(
    run: &Run,
    formulas: &Formulas,
    layers: Map<String, serde_json::Value>,
    only: Option<&formula::Bound>,
) -> serde_json::Value {
    let has_formula = |operation: usize| formulas.operations.iter().any(|f| f.operation == operation);
    let rows = nominal(&run.facts, &run.settings, &run.sources, only).into_iter().filter(|row| has_formula(row.0));
    let rows: Vec<_> = rows.map(|(operation, name, n)| json!([operation, name.as_str(), shown(&n)])).collect();
    json!({ "layers": layers, "rows": rows })
}

fn shown(value: &Bound<u64>) -> serde_json::Value {
    match value {
        Bound::Exactly(n) => json!(["exactly", n]),
        Bound::AtMost(n) => json!(["at-most", n]),
        Bound::AtLeast(n, _) => json!(["at-least", n]),
        Bound::Unbounded => json!(["unbounded", null]),
        Bound::Unknown(_) => json!(["unknown", null]),
    }
}
