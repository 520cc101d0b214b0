//! The picture as SVG, without a program that lays it out: readable from a handful of boxes to some hundred.

use super::layout::{self, BOX_HEIGHT, Layout, Rect};
use super::{Kind, Picture, Shape};

/// Widths of a letter in pixels: of the title, and of the smaller line below it.
const LETTER: f64 = 7.3;
const SMALL_LETTER: f64 = 5.9;
const PADDING: f64 = 10.0;

const STYLE: &str = "
svg{--paper:#fff;--ink:#1b1f24;--soft:#57606a;--line:#8c959f;--op:#ddf4ff;--op-edge:#0969da;--dep:#eaeef2;--dep-edge:#57606a;\
--layer:#fff1d6;--layer-edge:#bc6c00;background:var(--paper);font-family:system-ui,sans-serif}
@media (prefers-color-scheme:dark){svg{--paper:#0d1117;--ink:#e6edf3;--soft:#9ea7b3;--line:#6e7681;--op:#0c2d6b;\
--op-edge:#58a6ff;--dep:#21262d;--dep-edge:#9ea7b3;--layer:#4a3200;--layer-edge:#e3a13d}}
rect{fill:var(--dep);stroke:var(--dep-edge);stroke-width:1.2}
.op rect{fill:var(--op);stroke:var(--op-edge)}.layer rect{fill:var(--layer);stroke:var(--layer-edge)}
.idle rect{fill:none;stroke-dasharray:4 3}
path{fill:none;stroke:var(--line);stroke-width:1.3}
text{font-size:13px;fill:var(--ink)}.under{font-size:10.5px;fill:var(--soft)}.number{font-weight:700}
";

/// A file of its own, in the colours of whoever looks at it.
pub fn svg(picture: &Picture) -> String {
    drawing(picture, &format!("<style>{STYLE}</style>\n"))
}

/// A part of a page, which brings the colours. Boxes of operations say which they are in `data-operation`.
pub fn inline(picture: &Picture) -> String {
    drawing(picture, "")
}

fn drawing(picture: &Picture, style: &str) -> String {
    let places = layout::place(picture, |i| wanted(&picture.shapes[i]));
    let (width, height) = (places.width.ceil(), places.height.ceil());
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         role=\"img\" aria-labelledby=\"picture-title\">\n<title id=\"picture-title\">Call paths: {}</title>\n{style}",
        picture.summary()
    );
    lines(&mut out, picture, &places);
    for (shape, rect) in picture.shapes.iter().zip(&places.boxes) {
        out.push_str(&drawn(shape, rect));
    }
    out.push_str("</svg>\n");
    out
}

/// Lines first, so that boxes stand in front of them.
fn lines(out: &mut String, picture: &Picture, places: &Layout) {
    out.push_str("<g>\n");
    for ((from, to), route) in picture.lines.iter().zip(&places.routes) {
        let (x, y) = route[0];
        let mut d = format!("M{x:.1} {y:.1}");
        for pair in route.windows(2) {
            let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
            // Backwards the line leaves to the right all the same.
            let bend = if x1 > x0 { (x1 - x0) / 2.0 } else { 60.0 };
            d.push_str(&format!("C{:.1} {y0:.1} {:.1} {y1:.1} {x1:.1} {y1:.1}", x0 + bend, x1 - bend));
        }
        out.push_str(&format!("<path d=\"{d}\" data-line=\"{from} {to}\"/>\n"));
    }
    out.push_str("</g>\n");
}

fn drawn(shape: &Shape, rect: &Rect) -> String {
    let class = match (shape.kind, shape.multiplies) {
        (Kind::Operation, _) => "op",
        (Kind::Dependency, _) => "dep",
        (Kind::Layer, true) => "layer",
        (Kind::Layer, false) => "layer idle",
    };
    let operation = shape.operation.map(|i| format!(" data-operation=\"{i}\"")).unwrap_or_default();
    let number = number(shape);
    let said =
        if shape.kind == Kind::Layer && !shape.multiplies { " (does not multiply in the worst case)" } else { "" };
    let room = rect.width - 2.0 * PADDING;
    let (x, y, end) = (rect.x + PADDING, rect.y, rect.x + rect.width - PADDING);
    let under = match shape.under.as_str() {
        "" => String::new(),
        text => format!(
            "<text class=\"under\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
            y + 34.0,
            escaped(&shortened(text, room / SMALL_LETTER, true))
        ),
    };
    let title = shortened(&shape.title, (room - width(&number) * LETTER - PADDING) / LETTER, false);
    let tooltip = [&shape.title, &shape.under].map(|t| escaped(t)).join("\n");
    format!(
        "<g class=\"{class}\"{operation}><title>{tooltip}\n{number}{said}</title>\
         <rect x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{BOX_HEIGHT}\" rx=\"6\"/>\
         <text x=\"{x:.1}\" y=\"{:.1}\">{}</text>\
         <text class=\"number\" x=\"{end:.1}\" y=\"{:.1}\" text-anchor=\"end\">{number}</text>{under}</g>\n",
        rect.x,
        rect.width,
        y + if under.is_empty() { 26.0 } else { 18.0 },
        escaped(&title),
        y + if under.is_empty() { 26.0 } else { 18.0 },
    )
}

/// A layer multiplies, an operation or a dependency has a sum.
fn number(shape: &Shape) -> String {
    let times = if shape.kind == Kind::Layer { "\u{d7}" } else { "" };
    escaped(&format!("{times}{}", shape.number))
}

fn wanted(shape: &Shape) -> f64 {
    let title = (width(&shape.title) + width(&number(shape)) + 2.0) * LETTER;
    2.0 * PADDING + title.max(width(&shape.under) * SMALL_LETTER)
}

/// In letters; those of the east take two.
fn width(text: &str) -> f64 {
    text.chars().map(letter).sum()
}

fn letter(c: char) -> f64 {
    if c >= '\u{1100}' { 2.0 } else { 1.0 }
}

/// Cut to so many letters: names lose their end, places their beginning.
fn shortened(text: &str, room: f64, keep_end: bool) -> String {
    if width(text) <= room {
        return text.to_string();
    }
    let fits = |letters: &mut dyn Iterator<Item = char>| {
        let mut used = 1.0;
        letters
            .take_while(|c| {
                used += letter(*c);
                used <= room
            })
            .collect::<Vec<char>>()
    };
    match keep_end {
        true => format!("\u{2026}{}", fits(&mut text.chars().rev()).iter().rev().collect::<String>()),
        false => format!("{}\u{2026}", fits(&mut text.chars()).iter().collect::<String>()),
    }
}

/// Text for XML. Control characters, which XML forbids, are gone before.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Not characters, and refused by some readers.
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
