//! `audit`: one row per operation and dependency, the worst first. Few rows are shown whole; of many, all stand in a table
//! and only the worst are unfolded, so that two hundred rows still begin with what matters.

use super::Style;
use crate::analysis::{LayerUse, Row};
use crate::fact::Operation;
use crate::report::{View, json, sanitise, words};
use crate::source::Span;
use crate::value::Bound;

/// From this many rows on a table comes first.
const MANY: usize = 20;
/// And so many rows of it are unfolded.
const UNFOLDED: usize = 5;

/// Which rows are wanted: parts of names, any case.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub operation: Option<String>,
    pub dependency: Option<String>,
}

impl Filter {
    pub(in crate::report) fn fits(&self, operation: &Operation, row: &Row) -> bool {
        let holds = |part: &Option<String>, name: &str| {
            part.as_ref().is_none_or(|p| name.to_lowercase().contains(&p.to_lowercase()))
        };
        holds(&self.operation, &operation.name) && holds(&self.dependency, &row.dependency)
    }
}

type Pair<'a> = (&'a Operation, &'a Row);

/// The rows that fit, by falling amplification, then attempts, then names.
fn rows<'a>(view: &View<'a>, filter: &Filter) -> Vec<Pair<'a>> {
    let known = view.analysis.rows.iter().filter_map(|r| Some((view.facts.operations.get(r.operation)?, r)));
    let mut rows: Vec<Pair<'a>> = known.filter(|(o, r)| filter.fits(o, r)).collect();
    rows.sort_by_key(|(o, r)| {
        let worst = std::cmp::Reverse((words::size(&r.amplification), words::size(&r.attempts)));
        (worst, o.name.clone(), o.service.clone(), r.dependency.clone())
    });
    rows
}

pub fn audit(view: &View<'_>, style: Style, filter: &Filter) -> String {
    let rows = rows(view, filter);
    if rows.is_empty() {
        return if view.analysis.rows.is_empty() {
            "no operation that calls anything remote was found\n".to_string()
        } else {
            format!("none of the {} fits\n", words::count(view.analysis.rows.len(), "row"))
        };
    }
    let mut out = String::new();
    let many = rows.len() > MANY;
    if many {
        out.push_str(&table(&rows, style));
        out.push('\n');
    }
    for pair in rows.iter().take(if many { UNFOLDED } else { rows.len() }) {
        out.push_str(&unfold(view, style, *pair));
        out.push('\n');
    }
    if many {
        let rest = rows.len() - UNFOLDED;
        out.push_str(&format!("{rest} more in the table; unfold them with --operation NAME or --dependency NAME\n"));
    }
    out
}

fn table(rows: &[Pair<'_>], style: Style) -> String {
    let cells: Vec<[String; 3]> = rows
        .iter()
        .map(|(o, r)| {
            let names = format!("{} {} {}", sanitise::line(&o.name), style.arrow(), sanitise::line(&r.dependency));
            [words::factor(&r.amplification), product(&r.owners, style), names]
        })
        .collect();
    let wide = |i: usize| cells.iter().map(|c| c[i].chars().count()).max().unwrap_or(0);
    let (first, second) = (wide(0), wide(1));
    let line = |c: &[String; 3]| format!("{:>first$}  {:<second$}  {}\n", c[0], c[1], c[2]);
    cells.iter().map(line).collect()
}

fn product(owners: &[LayerUse], style: Style) -> String {
    let factors: Vec<String> = owners.iter().map(|l| words::factor(&l.attempts)).collect();
    factors.join(&format!(" {} ", style.times()))
}

fn unfold(view: &View<'_>, style: Style, (operation, row): Pair<'_>) -> String {
    let mut out = format!("{}\n", head(view, style, (operation, row)));
    let numbers = format!(
        "{} for {}, amplification {}, worst when {} {}",
        words::attempts(&row.attempts),
        calls(row),
        words::bound(&row.amplification),
        sanitise::line(&row.failing),
        row.worst.name()
    );
    out.push_str(&format!("  {numbers}\n"));
    out.push_str(&besides(row));
    if !row.layers.is_empty() {
        out.push_str(&format!("  path: {}\n", path(row, style)));
    }
    for layer in &row.layers {
        out.push_str(&format!("    {}\n", hop(view, style, row, layer)));
    }
    if let Some(keep) = &row.keep {
        out.push_str(&format!("  keep {}", json::id(view.sources, keep.at)));
        let alone = row.with_one_owner.iter().find(|(l, _)| l.id == keep.id);
        let alone = alone.map(|(_, n)| format!(": then {}", words::attempts(n))).unwrap_or_default();
        out.push_str(&format!("{alone}\n"));
    }
    for gap in &row.gaps {
        out.push_str(&format!("  not seen: {}\n", sanitise::line(gap)));
    }
    out
}

/// What budgets leave of it for the traffic of all operations, and what comes on top on connections that were kept open.
fn besides(row: &Row) -> String {
    let mut out = String::new();
    let nominal = match row.amplification {
        Bound::Exactly(n) | Bound::AtMost(n) => n as f64,
        _ => f64::INFINITY,
    };
    if let Bound::Exactly(n) | Bound::AtMost(n) = row.sustained
        && n < nominal
    {
        out.push_str(&format!("  with its budgets: {n:.2} times the calm traffic while everything fails\n"));
    }
    if let Some(n) = row.replays {
        out.push_str(&format!("  apart from that up to {n} more sends on connections that were kept open\n"));
    }
    out
}

fn head(view: &View<'_>, style: Style, (operation, row): Pair<'_>) -> String {
    let name = format!("{} {} {}", sanitise::line(&operation.name), style.arrow(), sanitise::line(&row.dependency));
    let from = format!("({}, {})", operation.kind.name(), line_of(view, operation.at));
    format!("{} {}", style.bold(&name), style.dim(&from))
}

fn calls(row: &Row) -> String {
    match words::bound(&row.calls).as_str() {
        "1" => "1 call".to_string(),
        n => format!("{n} calls"),
    }
}

/// `sdk::Client::checkout x3 -> orders::place x3 -> payments-db = 9`.
fn path(row: &Row, style: Style) -> String {
    let hops = row.layers.iter().map(|l| {
        let factor = if row.owners.iter().any(|o| o.id == l.id) { words::factor(&l.attempts) } else { "1".into() };
        format!("{} {}{factor}", sanitise::line(&l.function), style.times())
    });
    let hops: Vec<String> = hops.chain([sanitise::line(&row.dependency).into_owned()]).collect();
    format!("{} = {}", hops.join(&format!(" {} ", style.arrow())), words::bound(&row.amplification))
}

fn hop(view: &View<'_>, style: Style, row: &Row, layer: &LayerUse) -> String {
    let owner = row.owners.iter().any(|o| o.id == layer.id);
    let kept = row.keep.as_ref().is_some_and(|k| k.id == layer.id);
    let note = match (kept, owner) {
        (true, _) => "  keep",
        (false, true) => "",
        (false, false) => "  does not multiply here",
    };
    let origin = if layer.written { "" } else { "  default" };
    let text = format!(
        "{}{}  {}  {}{origin}{note}",
        style.times(),
        words::factor(&layer.attempts),
        json::id(view.sources, layer.at),
        layer.function
    );
    sanitise::line(&text).into_owned()
}

fn line_of(view: &View<'_>, at: Span) -> String {
    format!("{}:{}", sanitise::line(view.sources.path(at)), view.sources.start(at).line)
}

/// "Why 81": the path line by line with the product so far, for each row that fits.
pub fn why(view: &View<'_>, style: Style, filter: &Filter) -> Option<String> {
    let rows = rows(view, filter);
    if rows.is_empty() {
        return None;
    }
    Some(rows.iter().map(|pair| why_row(view, style, *pair)).collect::<Vec<_>>().join("\n"))
}

fn why_row(view: &View<'_>, style: Style, (operation, row): Pair<'_>) -> String {
    let mut out = format!("{}\n", head(view, style, (operation, row)));
    out.push_str(&format!("  why {}: each layer sends again what is below it\n\n", words::bound(&row.amplification)));
    let mut so_far = Some(1u64);
    for layer in &row.layers {
        let owner = row.owners.iter().any(|o| o.id == layer.id);
        let factor = if owner { exact(&layer.attempts) } else { Some(1) };
        so_far = so_far.zip(factor).map(|(a, b)| a.saturating_mul(b));
        let product = so_far.map_or("?".to_string(), |n| n.to_string());
        let note = if owner { "" } else { "  (does not multiply in the worst case)" };
        let place = sanitise::line(&json::id(view.sources, layer.at)).into_owned();
        out.push_str(&format!("  {}{} = {product}  {place}{note}\n", style.times(), words::factor(&layer.attempts)));
        out.push_str(&excerpt(view, style, layer.at));
    }
    for site in &row.sites {
        let place = sanitise::line(&json::id(view.sources, *site)).into_owned();
        out.push_str(&format!("  calls {}  {place}\n", sanitise::line(&row.dependency)));
        out.push_str(&excerpt(view, style, *site));
    }
    out.push_str(&format!("\n  worst when {} {}", sanitise::line(&row.failing), row.worst.name()));
    out.push_str(&format!("; {} for {} in all\n", words::attempts(&row.attempts), calls(row)));
    for gap in &row.gaps {
        out.push_str(&format!("  not seen: {}\n", sanitise::line(gap)));
    }
    out
}

fn exact(bound: &Bound<u64>) -> Option<u64> {
    match bound {
        Bound::Exactly(n) | Bound::AtMost(n) => Some(*n),
        _ => None,
    }
}

/// The line of source at a place, shortened.
fn excerpt(view: &View<'_>, style: Style, at: Span) -> String {
    let file = view.sources.get(at.file);
    let line = view.sources.start(at).line as usize;
    let text = file.text.lines().nth(line - 1).unwrap_or_default().trim();
    let short: String = text.chars().take(style.width.saturating_sub(12).max(20)).collect();
    format!("      {}\n", style.dim(&sanitise::line(&short)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests_data::{many, shop};

    #[test]
    fn a_row_with_its_path() {
        let out = audit(&shop().view(), Style::PLAIN, &Filter::default());
        assert!(out.starts_with("POST /checkout -> db (http, a.rs:1)\n"), "{out}");
        assert!(out.contains("9 attempts for 1 call, amplification 9, worst when db refuses"), "{out}");
        assert!(out.contains("path: a::checkout x3 -> b::save x3 -> db = 9"), "{out}");
        assert!(out.contains("keep a.rs:2:5: then 3 attempts"), "{out}");
        assert!(out.contains("not seen: something"), "{out}");
    }

    #[test]
    fn budgets_and_kept_connections_are_said_where_they_matter() {
        let mut data = shop();
        data.analysis.rows[0].sustained = Bound::Exactly(1.2);
        data.analysis.rows[0].replays = Some(8);
        let out = audit(&data.view(), Style::PLAIN, &Filter::default());
        assert!(out.contains("with its budgets: 1.20 times the calm traffic"), "{out}");
        assert!(out.contains("up to 8 more sends on connections that were kept open"), "{out}");
    }

    #[test]
    fn filters() {
        let of = |operation: &str| Filter { operation: Some(operation.into()), dependency: None };
        assert!(audit(&shop().view(), Style::PLAIN, &of("CHECK")).contains("9 attempts"));
        assert_eq!(audit(&shop().view(), Style::PLAIN, &of("refund")), "none of the 1 row fits\n");
        assert!(why(&shop().view(), Style::PLAIN, &of("refund")).is_none());
    }

    #[test]
    fn two_hundred_rows_begin_with_the_worst() {
        let out = audit(&many(200).view(), Style::PLAIN, &Filter::default());
        assert!(out.starts_with("200  3 x 3  POST /checkout -> db199\n199 "), "{}", &out[..200]);
        assert_eq!(out.matches("path: ").count(), UNFOLDED);
        assert!(out.contains("195 more in the table"));
    }

    #[test]
    fn why_nine() {
        let out = why(&shop().view(), Style::PLAIN, &Filter::default()).expect("one row");
        assert!(out.contains("why 9"), "{out}");
        assert!(out.contains("x3 = 3  a.rs:2:5\n      for attempt in 0..3 {"), "{out}");
        assert!(out.contains("x3 = 9  b.rs:1:1"), "{out}");
    }
}
