//! The picture for Graphviz.

use super::{Kind, Picture};

pub fn dot(picture: &Picture) -> String {
    let mut out = String::from(
        "digraph retries {\n  rankdir=LR;\n  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\"];\n",
    );
    for (i, shape) in picture.shapes.iter().enumerate() {
        let look = match (shape.kind, shape.multiplies) {
            (Kind::Operation, _) => "fillcolor=\"#ddf4ff\"",
            (Kind::Dependency, _) => "fillcolor=\"#eaeef2\"",
            (Kind::Layer, true) => "fillcolor=\"#fff1d6\"",
            (Kind::Layer, false) => "fillcolor=\"#ffffff\", style=\"rounded,dashed\"",
        };
        let times = if shape.kind == Kind::Layer { "\u{d7}" } else { "" };
        let parts = [&shape.title, &shape.under, &format!("{times}{}", shape.number)];
        let label: Vec<String> = parts.iter().filter(|p| !p.is_empty()).map(|p| quoted(p)).collect();
        out.push_str(&format!("  n{i} [label=\"{}\", {look}];\n", label.join("\\n")));
    }
    for kind in [Kind::Operation, Kind::Dependency] {
        let same = picture.shapes.iter().enumerate().filter(|(_, s)| s.kind == kind).map(|(i, _)| format!("n{i};"));
        let rank = if kind == Kind::Operation { "min" } else { "max" };
        out.push_str(&format!("  {{ rank={rank}; {} }}\n", same.collect::<Vec<_>>().join(" ")));
    }
    for (from, to) in &picture.lines {
        out.push_str(&format!("  n{from} -> n{to};\n"));
    }
    out.push_str("}\n");
    out
}

/// Inside of a quoted string a backslash begins an escape of Graphviz, and an entity is read as in HTML.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('&', "&amp;")
}
