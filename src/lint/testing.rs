//! Analysis values made by hand, for the tests of lints.

use super::{Context, Finding, Lint};
use crate::analysis::{Analysis, Layer, LayerUse, Row};
use crate::class::{Endings, FailureClass, Scenario};
use crate::effect::{Confidence, Form, Jitter, LoopId, PlaceId, RepeatKind, Seen, Shape, Wait};
use crate::fact::{Facts, Operation, OperationKind, Request};
use crate::name::Name;
use crate::settings::Settings;
use crate::source::{FileId, SourceFile, Sources, Span};
use crate::value::{Bound, Origin};

/// Line `n` of the only file: every line has two bytes.
pub fn at(n: u32) -> Span {
    Span::new(FileId(0), 2 * (n - 1), 2 * (n - 1) + 1)
}

pub fn run<T>(analysis: Analysis, look: impl FnOnce(&Context<'_>) -> T) -> T {
    run_with(&facts(), analysis, look)
}

pub fn run_with<T>(facts: &Facts, analysis: Analysis, look: impl FnOnce(&Context<'_>) -> T) -> T {
    let sources = Sources::new(vec![SourceFile::new("src/lib.rs", "x\n".repeat(100))]);
    let settings = Settings::default();
    look(&Context { sources: &sources, facts, analysis: &analysis, settings: &settings })
}

pub fn check_layers(lint: &Lint, layers: Vec<Layer>) -> Vec<Finding> {
    run(Analysis { layers, ..Analysis::default() }, lint.check)
}

pub fn check_rows(lint: &Lint, rows: Vec<Row>) -> Vec<Finding> {
    run(Analysis { rows, ..Analysis::default() }, lint.check)
}

/// Two operations: `POST /checkout` and `GET /cart`.
pub fn facts() -> Facts {
    let operation = |name: &str, line| Operation {
        name: Name::new(name),
        kind: OperationKind::Http,
        place: PlaceId(0),
        at: at(line),
        service: Name::new("shop"),
        request: Request::default(),
        unless_called: false,
    };
    Facts { operations: vec![operation("POST /checkout", 90), operation("GET /cart", 95)], ..Facts::default() }
}

/// A retry that nothing is wrong with, on that line: 4 attempts, jittered and capped.
pub fn layer(line: u32) -> Layer {
    Layer {
        id: LoopId(line),
        place: PlaceId(0),
        at: at(line),
        end: at(line),
        repeat: RepeatKind::Retry,
        form: Form::Loop,
        default_of: None,
        function: Name::from(format!("shop::f{line}")),
        attempts: Bound::Exactly(4),
        from: Origin::none(),
        elapsed_ms: None,
        stops_otherwise: false,
        wait: wait(Shape::Exponential, Jitter::Full),
        again: Endings::errors_of([FailureClass::Connect, FailureClass::Timeout]),
        seen: Seen { looks_at_error: true, confidence: Confidence::High, ..Seen::default() },
        per_try_ms: None,
        budget: None,
        total_ms: None,
        bound_by: Vec::new(),
        reached: true,
        detached: false,
    }
}

/// From 100 ms by a factor of 2 up to 2 s.
pub fn wait(shape: Shape, jitter: Jitter) -> Wait {
    Wait { shape, jitter, base_ms: Some(100), factor: Some(2.0), cap_ms: Some(2000), ..Wait::none() }
}

pub fn used(line: u32, attempts: Bound<u64>) -> LayerUse {
    LayerUse {
        id: LoopId(line),
        at: at(line),
        bound_at: None,
        attempts,
        written: true,
        function: Name::from(format!("shop::f{line}")),
    }
}

/// Operation 0 towards `payments-db` through these layers, all of them owners, the outermost first.
pub fn row(amplification: Bound<u64>, layers: Vec<LayerUse>) -> Row {
    Row {
        operation: 0,
        dependency: Name::new("payments-db"),
        sites: vec![at(80)],
        calls: Bound::Exactly(1),
        attempts: amplification.clone(),
        ceiling: amplification.clone(),
        effective: amplification.clone(),
        amplification,
        deadline: Bound::Unbounded,
        sustained: Bound::Exactly(1.0),
        replays: None,
        worst: Scenario::Refuses,
        failing: Name::new("payments-db"),
        scenarios: Vec::new(),
        gaps: Vec::new(),
        owners: layers.clone(),
        keep: layers.first().cloned(),
        with_one_owner: layers.iter().map(|l| (l.clone(), l.attempts.clone())).collect(),
        layers,
    }
}
