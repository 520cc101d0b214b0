//! One rendering of each format, and names that want to break out of it.

use super::*;
use crate::name::Name;
use crate::report::human::Style;
use crate::report::tests_data::{many, shop};

const HOSTILE: &str = "</title><script>alert(1)</script> \"]; n0 -> n9 `x` & \\N #35; ]] %% \u{202e}\u{1b}[31m\n end";

fn all(data: &crate::report::tests_data::Data) -> Picture {
    Picture::new(&data.view(), &Filter::default())
}

#[test]
fn operations_lead_over_layers_to_dependencies() {
    let picture = all(&shop());
    let titles: Vec<&str> = picture.shapes.iter().map(|s| s.title.as_str()).collect();
    assert_eq!(titles, ["POST /checkout", "a::checkout", "b::save", "db"]);
    assert_eq!(picture.lines, [(0, 1), (1, 2), (2, 3)]);
    assert_eq!(picture.summary(), "1 operation, 2 layers, 1 dependency");
    assert_eq!(picture.shapes[1].number, "3");
    assert_eq!(picture.shapes[1].under, "loop, a.rs:2");
}

#[test]
fn columns_grow_along_the_path() {
    let layout = layout::place(&all(&shop()), |_| 150.0);
    assert!(layout.boxes.windows(2).all(|w| w[0].x + w[0].width < w[1].x), "{layout:?}");
    assert!(layout.boxes.windows(2).all(|w| w[0].y == w[1].y), "one path is one line: {layout:?}");
}

#[test]
fn boxes_never_overlap() {
    for rows in [1, 5, 60, 200] {
        let picture = all(&many(rows));
        let layout = layout::place(&picture, |i| 10.0 * picture.shapes[i].title.len() as f64);
        for (i, a) in layout.boxes.iter().enumerate() {
            assert!(a.x >= 0.0 && a.x + a.width <= layout.width && a.y >= 0.0 && a.y < layout.height);
            for b in &layout.boxes[i + 1..] {
                let apart = a.x + a.width <= b.x || b.x + b.width <= a.x || (a.y - b.y).abs() >= layout::BOX_HEIGHT;
                assert!(apart, "{rows}: {a:?} {b:?}");
            }
        }
    }
}

#[test]
fn circles_are_drawn_too() {
    let mut picture = all(&shop());
    picture.lines.push((2, 1));
    let layout = layout::place(&picture, |_| 150.0);
    assert_eq!(layout.routes.len(), 4);
    assert!(svg(&picture).contains("data-line=\"2 1\""));
}

#[test]
fn renderings() {
    let picture = all(&shop());
    let drawn = svg(&picture);
    assert!(drawn.starts_with("<svg xmlns=") && drawn.ends_with("</svg>\n"), "{drawn}");
    assert!(drawn.contains(">POST /checkout</text>") && drawn.contains(">\u{d7}3</text>"), "{drawn}");
    assert!(inline(&picture).contains("data-operation=\"0\"") && !inline(&picture).contains("<style>"));
    let dot = dot(&picture);
    assert!(dot.contains("n1 [label=\"a::checkout\\nloop, a.rs:2\\n\u{d7}3\""), "{dot}");
    assert!(dot.contains("n0 -> n1;"), "{dot}");
    let mermaid = mermaid(&picture);
    assert!(mermaid.contains("n1[\"a::checkout<br/>loop, a.rs:2<br/>\u{d7}3\"]:::layer\n"), "{mermaid}");
    assert!(mermaid.contains("n2 --> n3\n"), "{mermaid}");
    let text = text(&picture, Style::PLAIN);
    assert!(text.contains("\nPOST /checkout  (a, a.rs:1)\n  -> a::checkout x3  (loop, a.rs:2)\n"), "{text}");
    assert!(text.contains("  -> db = 9\n"), "{text}");
}

#[test]
fn filters_narrow_it() {
    let of = |dependency: &str| Filter { operation: None, dependency: Some(dependency.into()) };
    assert_eq!(Picture::new(&many(30).view(), &of("db12")).count(Kind::Dependency), 1);
    assert!(Picture::new(&shop().view(), &of("queue")).shapes.is_empty());
    assert!(svg(&Picture::new(&shop().view(), &of("queue"))).contains("0 operations"));
}

#[test]
fn hostile_names_stay_names() {
    let mut data = shop();
    data.facts.operations[0].name = Name::new(HOSTILE);
    data.facts.operations[0].service = Name::new(HOSTILE);
    data.analysis.rows[0].dependency = Name::new(HOSTILE);
    data.rename("a.rs", "a<b>\"&.rs");
    let picture = all(&data);
    let drawn = svg(&picture);
    assert!(!drawn.contains("<script") && drawn.matches("</title>").count() == 1 + picture.shapes.len(), "{drawn}");
    assert!(drawn.chars().all(|c| c == '\n' || !c.is_control()) && !drawn.contains('\u{202e}'));
    let dot = dot(&picture);
    for line in dot.lines().filter(|l| l.contains("[label")) {
        // What stands outside of the quotes, once the escaped ones are gone.
        let bare = line.replace("\\\\", "").replace("\\\"", "");
        let outside: String = bare.split('"').step_by(2).collect();
        assert!(outside.trim_start_matches([' ', 'n', '0', '1', '2', '3']) == "[label=, fillcolor=];", "{line}");
    }
    assert!(dot.contains("&amp;") && dot.contains("\\\\N"), "{dot}");
    let mermaid = mermaid(&picture);
    assert!(mermaid.lines().all(|l| !l.contains('`') && !l.contains("%%") && !l.contains("<s")), "{mermaid}");
    for line in mermaid.lines().filter(|l| l.contains(":::")) {
        assert_eq!(line.matches('"').count(), 2, "{line}");
    }
}
