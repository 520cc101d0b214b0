//! The schema of the JSON report, version 1. Fields that this version does not compute have the type [`Absent`].

use serde::Serialize;

/// A quantity that this version does not compute: always `null`.
pub type Absent = Option<()>;

#[derive(Serialize)]
pub struct Report<'a> {
    pub schema_version: u32,
    pub tool: Tool,
    pub findings: Vec<FindingRow<'a>>,
    pub layers: Vec<LayerRow<'a>>,
    pub operations: Vec<OperationRow<'a>>,
    pub call_sites: Vec<CallSiteRow<'a>>,
    pub loops: Vec<LoopRow<'a>>,
    pub statements: Vec<StatementRow<'a>>,
    pub stats: Stats,
}

/// A `retrylint:` comment: what somebody accepts or states.
#[derive(Serialize)]
pub struct StatementRow<'a> {
    pub path: &'a str,
    pub line: u32,
    pub column: u32,
    pub says: &'a str,
    pub reason: Option<&'a str>,
}

#[derive(Serialize)]
pub struct Tool {
    pub name: &'static str,
    pub version: &'static str,
}

#[derive(Serialize)]
pub struct FindingRow<'a> {
    pub code: &'a str,
    pub name: &'a str,
    pub level: &'static str,
    pub confidence: &'static str,
    pub message: &'a str,
    pub path: &'a str,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
    pub related: Vec<Related<'a>>,
    pub help: &'a str,
    pub fingerprint: &'a str,
    pub fix: Absent,
    pub suppressed: Option<Suppression<'a>>,
}

#[derive(Serialize)]
pub struct Related<'a> {
    pub path: &'a str,
    pub line: u32,
    pub column: u32,
    pub message: &'a str,
}

#[derive(Serialize)]
pub struct Suppression<'a> {
    pub path: &'a str,
    pub line: u32,
    pub column: u32,
    pub reason: Option<&'a str>,
}

#[derive(Serialize)]
pub struct Place<'a> {
    pub path: &'a str,
    pub line: u32,
    pub column: u32,
}

#[derive(Serialize)]
pub struct LayerRow<'a> {
    pub id: String,
    pub path: &'a str,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub kind: &'static str,
    pub origin: &'static str,
    /// For a default: the model and the line of the library's source.
    pub default_of: Option<&'a str>,
    pub function: &'a str,
    pub attempts: Number<'a>,
    pub backoff: Backoff,
    pub retries: Vec<&'static str>,
    pub per_try_ms: Option<u64>,
    pub total_ms: Option<u64>,
    pub honours_retry_after: Option<bool>,
    pub budget: Option<BudgetRow>,
    pub confidence: &'static str,
}

/// A bound with where it comes from.
#[derive(Serialize)]
pub struct Number<'a> {
    #[serde(flatten)]
    pub bound: BoundRow<'a>,
    pub from: &'static str,
    pub source: Option<&'a str>,
    pub path: Option<&'a str>,
    pub line: Option<u32>,
}

#[derive(Serialize)]
pub struct BoundRow<'a> {
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<&'a str>,
}

/// A factor: the one quantity that is no whole number.
#[derive(Serialize)]
pub struct Sustained<'a> {
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<&'a str>,
}

/// `ratio` of the traffic, `tokens` that only successes fill, or so many `concurrent` retries.
#[derive(Serialize)]
pub struct BudgetRow {
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
}

#[derive(Serialize)]
pub struct Backoff {
    pub shape: &'static str,
    pub base_ms: Option<u64>,
    pub factor: Option<f64>,
    pub cap_ms: Option<u64>,
    pub jitter: &'static str,
}

#[derive(Serialize)]
pub struct OperationRow<'a> {
    pub name: &'a str,
    pub service: &'a str,
    pub path: &'a str,
    pub line: u32,
    pub kind: &'static str,
    pub dependencies: Vec<DependencyRow<'a>>,
}

#[derive(Serialize)]
pub struct DependencyRow<'a> {
    pub name: &'a str,
    pub sites: Vec<Place<'a>>,
    pub calls: BoundRow<'a>,
    pub attempts: BoundRow<'a>,
    pub amplification: BoundRow<'a>,
    pub ceiling: BoundRow<'a>,
    pub effective: BoundRow<'a>,
    pub sustained: Sustained<'a>,
    pub worst: &'static str,
    pub failing: &'a str,
    pub scenarios: Vec<ScenarioRow<'a>>,
    pub deadline_ms: BoundRow<'a>,
    pub replays: Option<BoundRow<'a>>,
    pub gaps: Vec<&'a str>,
    pub layers: Vec<String>,
    pub owners: Vec<String>,
    pub keep: Option<String>,
    pub with_one_owner: Vec<OneOwner<'a>>,
}

#[derive(Serialize)]
pub struct ScenarioRow<'a> {
    pub scenario: &'static str,
    pub attempts: BoundRow<'a>,
    pub effective: BoundRow<'a>,
    pub time_ms: BoundRow<'a>,
}

#[derive(Serialize)]
pub struct OneOwner<'a> {
    pub layer: String,
    pub attempts: BoundRow<'a>,
}

#[derive(Serialize)]
pub struct CallSiteRow<'a> {
    pub path: &'a str,
    pub line: u32,
    pub column: u32,
    pub operation: &'a str,
    pub dependency: &'a str,
    pub attempts: BoundRow<'a>,
    pub effective: BoundRow<'a>,
    pub time_ms: BoundRow<'a>,
    pub deadline_ms: BoundRow<'a>,
}

#[derive(Serialize, PartialEq, Eq, PartialOrd, Ord)]
pub struct LoopRow<'a> {
    pub path: &'a str,
    pub line: u32,
    pub is: &'static str,
}

#[derive(Serialize)]
pub struct Stats {
    pub files: u64,
    pub lines: u64,
    pub functions: u64,
    pub calls: u64,
    pub calls_resolved: u64,
    pub ms: u64,
}
