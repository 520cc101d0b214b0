//! The JSON report. Its types are its own, so that the schema changes only where somebody changes it on purpose: fields are
//! added, never renamed or removed. `null` means that this version does not compute a quantity.

mod types;

use std::collections::BTreeMap;

use self::types::*;
use super::{View, sanitise};
use crate::analysis::{CallSite, Layer, LayerUse, Row};
use crate::effect::{RepeatKind, Share};
use crate::lint::Finding;
use crate::source::{Sources, Span};
use crate::suppress::Comment;
use crate::value::{Bound, Origin};

/// The whole report as text, ending in a line break.
pub fn render(view: &View<'_>) -> String {
    let text = serde_json::to_string_pretty(&report(view)).expect("plain data without maps of odd keys");
    sanitise::json(&format!("{text}\n")).into_owned()
}

fn report<'a>(view: &'a View<'_>) -> Report<'a> {
    let stats = view.facts.stats;
    let analysis = view.analysis;
    let layers = analysis.layers.iter().filter(|l| is_layer(l));
    Report {
        schema_version: 1,
        tool: Tool { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") },
        findings: view.findings.iter().map(|f| finding(view.sources, f)).collect(),
        layers: layers.map(|l| layer(view.sources, l)).collect(),
        operations: operations(view),
        call_sites: analysis.sites.iter().map(|s| call_site(view, s)).collect(),
        loops: if view.pedantic { loops(view) } else { Vec::new() },
        statements: statements(view),
        stats: Stats {
            files: stats.files,
            lines: stats.lines,
            functions: stats.functions,
            calls: stats.calls,
            calls_resolved: stats.calls_resolved,
            ms: view.ms,
        },
    }
}

/// Loops that only look like layers are listed under `loops`.
pub fn is_layer(layer: &Layer) -> bool {
    matches!(layer.repeat, RepeatKind::Retry | RepeatKind::Failover | RepeatKind::Reconnecting)
}

/// The id of a layer: its place.
pub fn id(sources: &Sources, at: Span) -> String {
    let start = sources.start(at);
    format!("{}:{}:{}", sources.path(at), start.line, start.column)
}

fn finding<'a>(sources: &'a Sources, finding: &'a Finding) -> FindingRow<'a> {
    let (start, end) = (sources.start(finding.at), sources.end(finding.at));
    let related = finding.related.iter().map(|r| {
        let Place { path, line, column } = place(sources, r.at);
        Related { path, line, column, message: &r.message }
    });
    FindingRow {
        code: finding.code,
        name: finding.name,
        level: finding.level.name(),
        confidence: finding.confidence.name(),
        message: &finding.message,
        path: sources.path(finding.at),
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
        related: related.collect(),
        help: &finding.help,
        fingerprint: &finding.fingerprint,
        fix: None,
        suppressed: finding.suppressed.as_ref().map(|s| {
            let Place { path, line, column } = place(sources, s.at);
            Suppression { path, line, column, reason: s.reason.as_deref() }
        }),
    }
}

fn place(sources: &Sources, at: Span) -> Place<'_> {
    let start = sources.start(at);
    Place { path: sources.path(at), line: start.line, column: start.column }
}

fn layer<'a>(sources: &'a Sources, layer: &'a Layer) -> LayerRow<'a> {
    let Place { path, line, column } = place(sources, layer.at);
    let wait = &layer.wait;
    LayerRow {
        id: id(sources, layer.at),
        path,
        line,
        column,
        end_line: sources.end(layer.end).line,
        kind: layer.kind(),
        origin: if layer.default_of.is_some() { "default" } else { "written" },
        default_of: layer.default_of.as_deref(),
        function: &layer.function,
        attempts: number(sources, &layer.attempts, &layer.from),
        backoff: Backoff {
            shape: wait.shape.name(),
            base_ms: wait.base_ms,
            factor: wait.factor,
            cap_ms: wait.cap_ms,
            jitter: wait.jitter.name(),
        },
        retries: layer.again.classes().into_iter().map(|c| c.name()).collect(),
        per_try_ms: layer.per_try_ms,
        total_ms: layer.total_ms,
        honours_retry_after: layer.seen.retry_after,
        budget: layer.budget.map(|b| budget(b.share)),
        confidence: layer.seen.confidence.name(),
    }
}

fn number<'a>(sources: &'a Sources, value: &'a Bound<u64>, from: &'a Origin) -> Number<'a> {
    let at = from.at.map(|at| place(sources, at));
    Number {
        bound: bound(value),
        from: from.kind.name(),
        source: from.source.as_deref(),
        path: at.as_ref().map(|p| p.path),
        line: at.as_ref().map(|p| p.line),
    }
}

fn budget(share: Share) -> BudgetRow {
    let (kind, value) = match share {
        Share::Ratio(ratio) => ("ratio", Some(ratio)),
        Share::Tokens => ("tokens", None),
        Share::Concurrent(n) => ("concurrent", Some(n as f64)),
    };
    BudgetRow { kind, value }
}

/// A bound as an object.
fn bound(value: &Bound<u64>) -> BoundRow<'_> {
    let (kind, value, why) = parts(value);
    BoundRow { kind, value, why }
}

fn sustained(value: &Bound<f64>) -> Sustained<'_> {
    let (kind, value, why) = parts(value);
    Sustained { kind, value, why }
}

fn parts<T: Copy>(value: &Bound<T>) -> (&'static str, Option<T>, Option<&str>) {
    let (kind, value, why) = match value {
        Bound::Exactly(n) => ("exactly", Some(*n), None),
        Bound::AtMost(n) => ("at-most", Some(*n), None),
        Bound::AtLeast(n, why) => ("at-least", Some(*n), why.as_ref()),
        Bound::Unbounded => ("unbounded", None, None),
        Bound::Unknown(why) => ("unknown", None, why.as_ref()),
    };
    (kind, value, why.map(|w| w.0.as_str()))
}

fn operations<'a>(view: &'a View<'_>) -> Vec<OperationRow<'a>> {
    let mut rows: BTreeMap<usize, Vec<&Row>> = BTreeMap::new();
    for row in &view.analysis.rows {
        rows.entry(row.operation).or_default().push(row);
    }
    let known = rows.into_iter().filter_map(|(i, rows)| Some((view.facts.operations.get(i)?, rows)));
    known
        .map(|(operation, rows)| OperationRow {
            name: &operation.name,
            service: &operation.service,
            path: view.sources.path(operation.at),
            line: view.sources.start(operation.at).line,
            kind: operation.kind.name(),
            dependencies: rows.into_iter().map(|r| dependency(view.sources, r)).collect(),
        })
        .collect()
}

fn dependency<'a>(sources: &'a Sources, row: &'a Row) -> DependencyRow<'a> {
    let ids = |uses: &[LayerUse]| uses.iter().map(|u| id(sources, u.at)).collect();
    let scenarios = row.scenarios.iter().map(|s| ScenarioRow {
        scenario: s.scenario.name(),
        attempts: bound(&s.attempts),
        effective: bound(&s.effective),
        time_ms: bound(&s.time),
    });
    let owners = row.with_one_owner.iter().map(|(u, n)| OneOwner { layer: id(sources, u.at), attempts: bound(n) });
    DependencyRow {
        name: &row.dependency,
        sites: row.sites.iter().map(|s| place(sources, *s)).collect(),
        calls: bound(&row.calls),
        attempts: bound(&row.attempts),
        amplification: bound(&row.amplification),
        ceiling: bound(&row.ceiling),
        effective: bound(&row.effective),
        sustained: sustained(&row.sustained),
        worst: row.worst.name(),
        failing: &row.failing,
        scenarios: scenarios.collect(),
        deadline_ms: bound(&row.deadline),
        replays: row.replays.map(|n| BoundRow { kind: "at-most", value: Some(n), why: None }),
        gaps: row.gaps.iter().map(|g| g.as_str()).collect(),
        layers: ids(&row.layers),
        owners: ids(&row.owners),
        keep: row.keep.as_ref().map(|k| id(sources, k.at)),
        with_one_owner: owners.collect(),
    }
}

fn call_site<'a>(view: &'a View<'_>, site: &'a CallSite) -> CallSiteRow<'a> {
    let Place { path, line, column } = place(view.sources, site.at);
    let operation = view.facts.operations.get(site.operation).map_or("", |o| o.name.as_str());
    CallSiteRow {
        path,
        line,
        column,
        operation,
        dependency: &site.dependency,
        attempts: bound(&site.attempts),
        effective: bound(&site.effective),
        time_ms: bound(&site.time),
        deadline_ms: bound(&site.deadline),
    }
}

fn loops<'a>(view: &'a View<'_>) -> Vec<LoopRow<'a>> {
    let mut loops: Vec<LoopRow<'a>> = view
        .facts
        .loops
        .iter()
        .filter_map(|l| {
            Some(LoopRow { path: view.sources.path(l.at), line: view.sources.start(l.at).line, is: loop_word(l.is)? })
        })
        .collect();
    loops.sort();
    loops.dedup();
    loops
}

fn statements<'a>(view: &'a View<'_>) -> Vec<StatementRow<'a>> {
    let row = |said: &'a Comment| {
        let Place { path, line, column } = place(view.sources, said.at);
        StatementRow { path, line, column, says: &said.words, reason: said.reason.as_deref() }
    };
    let mut rows: Vec<StatementRow<'a>> = view.facts.comments.iter().map(row).collect();
    rows.sort_by_key(|r| (r.path, r.line, r.column));
    rows.dedup_by_key(|r| (r.path, r.line, r.column));
    rows
}

fn loop_word(kind: RepeatKind) -> Option<&'static str> {
    Some(match kind {
        RepeatKind::Unjudged | RepeatKind::Retry => return None,
        RepeatKind::Failover => "failover",
        RepeatKind::Iteration => "iteration",
        RepeatKind::Serving => "serving",
        RepeatKind::Reconnecting => "reconnecting",
        RepeatKind::Polling => "polling",
        RepeatKind::Spin => "spin",
    })
}

#[cfg(test)]
mod tests;
