//! How much a cold `check` costs, in parses: CPU time of both in one process, with one allocator and as many threads.
//!
//! A ratio says the same on every machine, and taking turns keeps what else the machine does out of it. Without
//! `RETRYLINT_BENCH_DIR` the input is made up, so that this runs anywhere.

#[path = "cold/generate.rs"]
mod generate;

use std::path::{Path, PathBuf};
use std::time::Duration;

use rayon::prelude::*;
use retrylint::cli::discover;
use retrylint::model::Models;
use retrylint::pipeline;
use retrylint::settings::Settings;
use retrylint::source::Sources;

#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const ROUNDS: usize = 5;
/// As in the binary.
const STACK: usize = 64 * 1024 * 1024;

/// What one round took.
struct Round {
    parse: Duration,
    check: Duration,
    phases: Vec<(&'static str, Duration)>,
}

fn main() {
    // `cargo test --all-targets` runs benchmarks too, with this argument: there it is enough that it builds.
    if std::env::args().any(|a| a == "--test") {
        return;
    }
    let made_up;
    let folder = match std::env::var_os("RETRYLINT_BENCH_DIR") {
        Some(folder) => PathBuf::from(folder),
        None => {
            made_up = tempfile::tempdir().expect("a temporary folder");
            generate::write(made_up.path()).expect("files can be written there");
            made_up.path().to_path_buf()
        }
    };
    let pool = rayon::ThreadPoolBuilder::new().stack_size(STACK).build().expect("threads");
    pool.install(|| measure(&folder));
}

fn measure(folder: &Path) {
    let sources = found(folder).sources;
    let lines: usize = rust_texts(&sources).iter().map(|t| t.lines().count()).sum();
    let files = rust_texts(&sources).len();
    println!("{files} files, {lines} lines, {} threads, {ROUNDS} rounds\n", rayon::current_num_threads());
    let rounds: Vec<Round> = (0..ROUNDS).map(|_| round(folder, &sources)).collect();
    report(&rounds);
}

fn round(folder: &Path, sources: &Sources) -> Round {
    let began = cpu();
    parse(sources);
    let parse = cpu() - began;
    let began = cpu();
    let phases = check(folder);
    Round { parse, check: cpu() - began, phases }
}

/// The texts are in memory already: only the parser is measured, so that the comparison is never in our favour.
fn parse(sources: &Sources) {
    let mut texts = rust_texts(sources);
    texts.sort_by_key(|t| std::cmp::Reverse(t.len()));
    texts.into_par_iter().for_each(|text| {
        drop(std::hint::black_box(syn::parse_file(text)));
        proc_macro2::extra::invalidate_current_thread_spans();
    });
}

/// From looking for files to findings, and to everything being freed again.
fn check(folder: &Path) -> Vec<(&'static str, Duration)> {
    let mut phases = Vec::new();
    let mut last = cpu();
    let mut watch = |phase: &'static str| {
        let now = cpu();
        phases.push((phase, now - last));
        last = now;
    };
    let found = found(folder);
    watch("discover");
    let models = Models::new(pipeline::models_for(&found.sources).expect("the built-in models are valid"));
    watch("models");
    let (settings, options) = (Settings::default(), pipeline::Options::default());
    let run = pipeline::run_watched(found.sources, found.problems, settings, &models, &options, &mut watch);
    std::hint::black_box(&run.findings);
    drop((run, models));
    watch("end");
    phases
}

fn found(folder: &Path) -> discover::Found {
    discover::discover(folder, &[PathBuf::from(".")], &discover::Options::default()).expect("the folder exists")
}

fn rust_texts(sources: &Sources) -> Vec<&str> {
    sources.iter().filter(|(_, f)| f.path.ends_with(".rs")).map(|(_, f)| f.text.as_str()).collect()
}

fn report(rounds: &[Round]) {
    let of = |pick: &dyn Fn(&Round) -> f64| median(rounds.iter().map(pick).collect());
    let parse = of(&|r| r.parse.as_secs_f64());
    let row = |name: &str, seconds: f64, ratio: f64| println!("{name:<18} {seconds:>8.3} s {ratio:>7.2} x");
    println!("{:<18} {:>10} {:>9}", "CPU, medians", "", "parse");
    row("parse and drop", parse, 1.0);
    for (i, (name, _)) in rounds[0].phases.iter().enumerate() {
        let of_phase = of(&|r| r.phases[i].1.as_secs_f64());
        row(&format!("  {name}"), of_phase, of_phase / parse);
    }
    let ratio = of(&|r| r.check.as_secs_f64() / r.parse.as_secs_f64());
    row("cold check", of(&|r| r.check.as_secs_f64()), ratio);
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// User and system time of this process.
#[cfg(unix)]
fn cpu() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Elapsed time: on a quiet machine the ratio is nearly the same.
#[cfg(not(unix))]
fn cpu() -> Duration {
    static BEGAN: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    BEGAN.get_or_init(std::time::Instant::now).elapsed()
}
