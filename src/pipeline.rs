//! Sources to findings as one function without I/O, so that the command line, the tests and anything else that has text
//! in memory run exactly the same thing.

mod accept;
mod fingerprint;
mod level;
mod version;

use crate::analysis::{self, Analysis};
use crate::effect::Confidence;
use crate::fact::{Facts, Problem};
use crate::frontend;
use crate::graph;
use crate::lint::{self, Context, Finding, Level};
use crate::model::load::{self, LoadError};
use crate::model::{Model, Models};
use crate::report::{LeftOut, View};
use crate::settings::Settings;
use crate::source::Sources;

pub use crate::frontend::rust::extract::Watch;
pub use level::from_word;

/// What a run is asked to look for.
#[derive(Debug, Clone)]
pub struct Options {
    /// Lints that are off by default are shown as notes.
    pub pedantic: bool,
    /// If not empty: these alone, by code or name, with a level where one was given.
    pub select: Vec<(String, Option<Level>)>,
    pub ignore: Vec<String>,
    pub min_confidence: Confidence,
}

impl Default for Options {
    fn default() -> Options {
        Options { pedantic: false, select: Vec::new(), ignore: Vec::new(), min_confidence: Confidence::Medium }
    }
}

/// Everything one run knows. Findings are sorted; suppressed ones are among them.
#[derive(Debug)]
pub struct Run {
    pub sources: Sources,
    pub settings: Settings,
    pub facts: Facts,
    pub analysis: Analysis,
    pub findings: Vec<Finding>,
    pub pedantic: bool,
    /// Findings in code that serves tests by the names of its files: not among `findings`.
    pub in_tests: usize,
    /// The codes of the lints that looked.
    pub ran: Vec<&'static str>,
}

impl Run {
    /// What reports look at.
    pub fn view(&self, ms: u64) -> View<'_> {
        View {
            sources: &self.sources,
            facts: &self.facts,
            analysis: &self.analysis,
            findings: &self.findings,
            pedantic: self.pedantic,
            left_out: LeftOut::default(),
            ms,
        }
    }
}

/// The built-in models, of a crate with several the one for the version that these sources lock or ask for.
pub fn models_for(sources: &Sources) -> Result<Vec<Model>, LoadError> {
    let texts: Vec<&str> = sources
        .iter()
        .filter(|(_, f)| f.path.ends_with("Cargo.toml") || f.path.ends_with("Cargo.lock"))
        .map(|(_, f)| f.text.as_str())
        .collect();
    let named = |krate: &str| {
        let code = krate.replace('-', "_");
        texts.is_empty() || texts.iter().any(|text| text.contains(krate) || text.contains(&code))
    };
    let all = load::built_in_for(named)?;
    let manifests = version::Manifests::new(texts.clone());
    let several = |m: &Model| all.iter().filter(|other| other.krate == m.krate).count() > 1;
    let keep: Vec<bool> = all.iter().map(|m| !several(m) || manifests.fit(m)).collect();
    Ok(all.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(m, _)| m).collect())
}

/// Runs every lint that is on. `problems` are those of reading the files; the front-end adds its own.
pub fn run(sources: Sources, problems: Vec<Problem>, settings: Settings, models: &Models, options: &Options) -> Run {
    run_watched(sources, problems, settings, models, options, &mut |_| ())
}

/// The same, telling `watch` the name of each phase when it ends.
pub fn run_watched(
    sources: Sources,
    problems: Vec<Problem>,
    settings: Settings,
    models: &Models,
    options: &Options,
    watch: Watch<'_>,
) -> Run {
    let (sources, problems) = frontend::inside::open(sources, problems);
    let mut facts = frontend::rust::extract(&sources, &settings, models, watch);
    let world = frontend::World { sources: &sources, settings: &settings };
    for config in frontend::CONFIGS {
        config.extract(&world, &mut facts);
    }
    frontend::statements::apply(&mut facts);
    graph::keep_ways_in(&mut facts, &settings, &sources);
    facts.problems.extend(problems);
    watch("configs");
    let analysis = analysis::analyse(&facts, &settings, &sources);
    watch("analysis");
    let levels = level::Levels::new(lint::ALL, &settings, options);
    let ran = lint::ALL.iter().map(|l| l.code).filter(|c| levels.of(c) > Level::Off).collect();
    let (findings, in_tests) = {
        let context = Context { sources: &sources, facts: &facts, analysis: &analysis, settings: &settings };
        findings(&context, options, &levels)
    };
    watch("lints");
    Run { sources, settings, facts, analysis, findings, pedantic: options.pedantic, in_tests, ran }
}

fn findings(context: &Context<'_>, options: &Options, levels: &level::Levels<'_>) -> (Vec<Finding>, usize) {
    let mut all = Vec::new();
    for lint in levels.registry {
        let level = levels.of(lint.code);
        if level > Level::Off {
            all.extend((lint.check)(context).into_iter().map(|f| Finding { level, ..f }));
        }
    }
    let unused = accept::accept(context, levels, &mut all);
    all.extend(unused);
    sort(context.sources, &mut all);
    fingerprint::fingerprint(context, &mut all);
    all.retain(|f| f.confidence >= options.min_confidence);
    let found = all.len();
    all.retain(|f| !context.sources.get(f.at.file).support);
    let in_tests = found - all.len();
    lint::drop_covered(&mut all);
    (all, in_tests)
}

/// The one order of findings: path, line, column, code; then the words, so that equal places keep one order too.
fn sort(sources: &Sources, findings: &mut [Finding]) {
    findings.sort_by_cached_key(|f| {
        let at = sources.start(f.at);
        (sources.path(f.at).to_string(), at, f.code, f.message.clone())
    });
}

#[cfg(test)]
mod tests;
