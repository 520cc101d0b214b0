//! One page that opens from disk: the picture, each operation's paths with their layers to switch off and change, and a
//! table of who owns the retries.
//!
//! The page asks for nothing: its policy forbids every connection, and names its own script and style by their hashes. Text
//! of the analysed tree stands in it as data that cannot end the element it stands in, and is put on the page as text.

mod data;
mod steps;

use rustc_hash::FxHashSet;

use super::human::Filter;
use super::picture::{self, Picture};
use super::{View, sanitise, words};
use crate::analysis::{Row, formula};
use crate::settings::Settings;

const PAGE: &str = include_str!("html/page.html");
const STYLE: &str = include_str!("html/page.css");
const ALGEBRA: &str = include_str!("html/algebra.js");
const SCRIPT: &str = include_str!("html/page.js");
/// SHA-256 of the style, and of the algebra followed by the script, in base64; a test says what they must be.
const STYLE_HASH: &str = "IxpH6k+Xp25KGUCNzkuarDheUC1bYRKfehaUCgIpGxM=";
const SCRIPT_HASH: &str = "NshAeYOZ93gBB4WImbOKqIkDwBEK36Yvat0R7MmUxy0=";
/// Boxes that a picture can have and still be read.
const MOST_SHAPES: usize = 150;

/// The page as text.
pub fn render(view: &View<'_>, settings: &Settings, filter: &Filter) -> String {
    let rows = rows(view, filter);
    let (picture, note) = overview(view, &rows);
    let wanted: FxHashSet<usize> = rows.iter().map(|row| row.operation).collect();
    let formulas = formula::formulas(view.facts, settings, view.sources, &|operation| wanted.contains(&operation));
    let data = json(&data::page(view, &formulas, &rows));
    let parts = [
        ("style-hash", STYLE_HASH),
        ("script-hash", SCRIPT_HASH),
        ("style", STYLE),
        ("note", note.as_str()),
        ("picture", picture.as_str()),
        ("data", data.as_str()),
        ("script", ALGEBRA),
        ("script-end", SCRIPT),
    ];
    fill(PAGE, &parts)
}

/// Each `{{name}}` of the page replaced once; what is put in is not looked at again.
fn fill(page: &str, parts: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(page.len() + parts.iter().map(|(_, text)| text.len()).sum::<usize>());
    let mut pieces = page.split("{{");
    out.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let (name, rest) = piece.split_once("}}").unwrap_or((piece, ""));
        let text = parts.iter().find(|(known, _)| *known == name).map_or("", |(_, text)| text);
        out.push_str(text);
        out.push_str(rest);
    }
    out
}

/// The rows that fit, the worst first; equal ones in the order of the analysis.
fn rows<'a>(view: &View<'a>, filter: &Filter) -> Vec<&'a Row> {
    let fits = |row: &&Row| view.facts.operations.get(row.operation).is_some_and(|o| filter.fits(o, row));
    let mut rows: Vec<&Row> = view.analysis.rows.iter().filter(fits).collect();
    rows.sort_by_key(|r| std::cmp::Reverse((words::size(&r.amplification), words::size(&r.attempts))));
    rows
}

/// The picture of all rows, or of as many of the worst as can be read, with a word about what was left out.
fn overview(view: &View<'_>, rows: &[&Row]) -> (String, String) {
    let drawn = |n: usize| Picture::of(view, rows[..n].iter().copied());
    let (mut few, mut many) = (0, rows.len());
    let whole = drawn(many);
    if whole.shapes.len() <= MOST_SHAPES {
        return (picture::inline(&whole), String::new());
    }
    while few + 1 < many {
        let middle = usize::midpoint(few, many);
        match drawn(middle).shapes.len() {
            0..=MOST_SHAPES => few = middle,
            _ => many = middle,
        }
    }
    let note = format!(
        "Drawn are the {few} worst of {}: more boxes could not be read. <code>retrylint graph --operation NAME</code> draws \
         a part.",
        words::count(rows.len(), "row")
    );
    (picture::inline(&drawn(few)), note)
}

/// JSON for a script element: nothing in it can end the element or begin another, and no character acts on a screen.
fn json(data: &data::Page) -> String {
    let text = serde_json::to_string(data).expect("plain data without maps of odd keys");
    let text = text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
    sanitise::json(&text).into_owned()
}

#[cfg(test)]
mod tests;
