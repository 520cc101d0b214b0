//! The picture for Mermaid, which code hosts draw in Markdown.

use super::{Kind, Picture};

pub fn mermaid(picture: &Picture) -> String {
    let mut out = String::from("flowchart LR\n");
    for (i, shape) in picture.shapes.iter().enumerate() {
        let times = if shape.kind == Kind::Layer { "\u{d7}" } else { "" };
        let parts = [&shape.title, &shape.under, &format!("{times}{}", shape.number)];
        let label: Vec<String> = parts.iter().filter(|p| !p.is_empty()).map(|p| quoted(p)).collect();
        let label = label.join("<br/>");
        let class = match (shape.kind, shape.multiplies) {
            (Kind::Operation, _) => "op",
            (Kind::Dependency, _) => "dep",
            (Kind::Layer, true) => "layer",
            (Kind::Layer, false) => "idle",
        };
        out.push_str(&format!("  n{i}[\"{label}\"]:::{class}\n"));
    }
    for (from, to) in &picture.lines {
        out.push_str(&format!("  n{from} --> n{to}\n"));
    }
    out.push_str(
        "  classDef op fill:#ddf4ff,stroke:#0969da,color:#1b1f24\n  classDef dep fill:#eaeef2,stroke:#57606a,color:#1b1f24\n  \
         classDef layer fill:#fff1d6,stroke:#bc6c00,color:#1b1f24\n  \
         classDef idle fill:#ffffff,stroke:#bc6c00,color:#1b1f24,stroke-dasharray:4 3\n",
    );
    out
}

/// Letters and a few signs stay; everything that Mermaid, Markdown or HTML could read becomes an entity of Mermaid's.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || " .:/-,=?\u{d7}\u{2026}".contains(c);
    text.chars().map(|c| if plain(c) { c.to_string() } else { format!("#{};", u32::from(c)) }).collect()
}
