//! A small made-up system for the tests of the reports.

use super::View;
use crate::analysis::{Analysis, CallSite, InScenario, Layer, LayerUse, Row};
use crate::class::{Endings, FailureClass, Scenario};
use crate::effect::{Confidence, Form, Jitter, LoopId, PlaceId, RepeatKind, Seen, Shape, Wait};
use crate::fact::{Facts, Operation, OperationKind, Request};
use crate::lint::{Finding, Level, Related};
use crate::name::Name;
use crate::source::{FileId, SourceFile, Sources, Span};
use crate::value::{Bound, Origin};

pub struct Data {
    pub sources: Sources,
    pub facts: Facts,
    pub analysis: Analysis,
    pub findings: Vec<Finding>,
}

impl Data {
    pub fn view(&self) -> View<'_> {
        let Data { sources, facts, analysis, findings } = self;
        View { sources, facts, analysis, findings, pedantic: false, left_out: super::LeftOut::default(), ms: 7 }
    }

    /// Replaces the text of a.rs and moves the finding there.
    pub fn put(&mut self, text: &str, from: u32, to: u32) {
        self.sources = Sources::new(vec![SourceFile::new("a.rs", text), SourceFile::new("b.rs", "fn b() {}\n")]);
        self.findings[0].at = Span::new(FileId(0), from, to);
    }

    pub fn rename(&mut self, old: &str, new: &str) {
        let path = |p: &str| if p == old { new.to_string() } else { p.to_string() };
        self.sources =
            Sources::new(self.sources.iter().map(|(_, f)| SourceFile::new(path(&f.path), f.text.as_str())).collect());
    }
}

pub fn empty() -> Data {
    Data { sources: Sources::default(), facts: Facts::default(), analysis: Analysis::default(), findings: Vec::new() }
}

const A: Span = Span { file: FileId(0), start: 15, end: 34 };
const B: Span = Span { file: FileId(1), start: 0, end: 6 };

/// `POST /checkout` in a.rs tries three times what tries three times in b.rs.
pub fn shop() -> Data {
    let a =
        SourceFile::new("a.rs", "fn checkout() {\n    for attempt in 0..3 {\n    }\n}\n".replacen("() {", "(){", 1));
    let b = SourceFile::new("b.rs", "fn b() {}\n");
    let mut data = empty();
    data.sources = Sources::new(vec![a, b]);
    let a = Span { start: 20 - 1, end: 38, ..A };
    data.facts.stats.files = 2;
    data.facts.operations.push(Operation {
        name: Name::new("POST /checkout"),
        kind: OperationKind::Http,
        place: PlaceId(0),
        at: Span::new(FileId(0), 0, 1),
        service: Name::new("a"),
        request: Request::default(),
        unless_called: false,
    });
    data.analysis.layers = vec![layer(0, a, "a::checkout"), layer(1, B, "b::save")];
    data.analysis.rows = vec![row(a, "db", 9)];
    data.analysis.sites = vec![CallSite {
        at: B,
        operation: 0,
        dependency: Name::new("db"),
        attempts: Bound::Exactly(9),
        effective: Bound::Exactly(6),
        time: Bound::Unbounded,
        deadline: Bound::Exactly(500),
    }];
    data.findings = vec![finding(a)];
    data
}

/// The same with so many rows.
pub fn many(rows: u64) -> Data {
    let mut data = shop();
    let a = data.analysis.layers[0].at;
    data.analysis.rows = (0..rows).map(|i| row(a, &format!("db{i}"), i + 1)).collect();
    data
}

fn finding(at: Span) -> Finding {
    Finding {
        code: "RL301",
        name: "retry-amplification",
        level: Level::Error,
        confidence: Confidence::High,
        message: "one POST /checkout can reach db 9 times".into(),
        at,
        related: vec![Related { at: B, message: "3 attempts".into() }],
        help: "keep one".into(),
        context: Name::new("a::checkout"),
        dependency: Some(Name::new("db")),
        suppressed: None,
        fingerprint: "0".into(),
    }
}

fn layer(id: u32, at: Span, function: &str) -> Layer {
    let wait = Wait {
        shape: Shape::Exponential,
        base_ms: Some(100),
        factor: Some(2.0),
        cap_ms: Some(2000),
        jitter: Jitter::Full,
        ..Wait::none()
    };
    Layer {
        id: LoopId(id),
        place: PlaceId(0),
        at,
        end: at,
        repeat: RepeatKind::Retry,
        form: Form::Loop,
        default_of: None,
        function: Name::new(function),
        attempts: Bound::Exactly(3),
        from: Origin::literal(at),
        elapsed_ms: None,
        stops_otherwise: false,
        wait,
        again: Endings::of_classes([FailureClass::Connect, FailureClass::Timeout]),
        seen: Seen::default(),
        per_try_ms: Some(500),
        budget: None,
        total_ms: None,
        bound_by: Vec::new(),
        reached: true,
        detached: false,
    }
}

fn row(a: Span, dependency: &str, amplification: u64) -> Row {
    let used = |id: u32, at: Span, function: &str| LayerUse {
        id: LoopId(id),
        at,
        bound_at: None,
        attempts: Bound::Exactly(3),
        written: true,
        function: Name::new(function),
    };
    let layers = vec![used(0, a, "a::checkout"), used(1, B, "b::save")];
    Row {
        operation: 0,
        dependency: Name::new(dependency),
        sites: vec![B],
        calls: Bound::Exactly(1),
        attempts: Bound::Exactly(amplification),
        amplification: Bound::Exactly(amplification),
        ceiling: Bound::Unbounded,
        effective: Bound::Exactly(amplification),
        deadline: Bound::Unbounded,
        sustained: Bound::Exactly(amplification as f64),
        replays: None,
        worst: Scenario::Refuses,
        failing: Name::new(dependency),
        scenarios: vec![InScenario {
            scenario: Scenario::Refuses,
            attempts: Bound::Exactly(amplification),
            effective: Bound::Exactly(amplification),
            time: Bound::AtMost(812),
        }],
        gaps: vec![Name::new("something")],
        owners: layers.clone(),
        keep: layers.first().cloned(),
        with_one_owner: vec![(layers[0].clone(), Bound::Exactly(3))],
        layers,
    }
}
