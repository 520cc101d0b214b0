//! `layers`: the inventory, one line per layer, grouped by file.

use super::Style;
use crate::analysis::Layer;
use crate::report::{View, json, sanitise, words};

const HEAD: [&str; 7] = ["place", "kind", "attempts", "backoff", "jitter", "origin", "function"];

/// All layers that repeat something.
pub fn layers(view: &View<'_>, style: Style) -> String {
    let mut all: Vec<&Layer> = view.analysis.layers.iter().filter(|l| json::is_layer(l)).collect();
    all.sort_by_key(|l| (view.sources.path(l.at), view.sources.start(l.at)));
    if all.is_empty() {
        return "no retry layers found\n".to_string();
    }
    let rows: Vec<[String; 7]> = all.iter().map(|l| row(view, l)).collect();
    let widths: Vec<usize> = (0..HEAD.len()).map(|i| width(&rows, i)).collect();
    let mut out = String::new();
    let mut path = "";
    for (layer, row) in all.iter().zip(&rows) {
        if view.sources.path(layer.at) != path {
            out.push_str(if path.is_empty() { "" } else { "\n" });
            path = view.sources.path(layer.at);
            out.push_str(&format!("{}\n", style.bold(&sanitise::line(path))));
            out.push_str(&format!("{}\n", style.dim(&line(&HEAD.map(String::from), &widths))));
        }
        out.push_str(&line(row, &widths));
        out.push('\n');
    }
    out.push_str(&format!("\n{}\n", words::count(all.len(), "layer")));
    out
}

fn row(view: &View<'_>, layer: &Layer) -> [String; 7] {
    let start = view.sources.start(layer.at);
    let origin = match &layer.default_of {
        Some(of) => format!("default of {of}"),
        None => "written".to_string(),
    };
    let mut attempts = words::bound(&layer.attempts);
    if let Some(ms) = layer.elapsed_ms {
        attempts.push_str(&format!(" within {}", words::duration(ms)));
    }
    [
        format!("{}:{}", start.line, start.column),
        layer.kind().to_string(),
        attempts,
        words::backoff(&layer.wait),
        words::jitter(&layer.wait),
        sanitise::line(&origin).into_owned(),
        sanitise::line(&layer.function).into_owned(),
    ]
}

fn width(rows: &[[String; 7]], column: usize) -> usize {
    rows.iter().map(|r| r[column].chars().count()).chain([HEAD[column].len()]).max().unwrap_or(0)
}

fn line(cells: &[String; 7], widths: &[usize]) -> String {
    let padded = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
    format!("  {}", padded.collect::<Vec<_>>().join("  ")).trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests_data::shop;

    #[test]
    fn one_line_per_layer() {
        let out = layers(&shop().view(), Style::PLAIN);
        assert!(out.starts_with("a.rs\n"), "{out}");
        assert!(out.contains("2:5"), "{out}");
        assert!(out.contains("exponential 100 ms x2 up to 2 s  full jitter  written"), "{out}");
        assert!(out.ends_with("\n2 layers\n"), "{out}");
    }
}
