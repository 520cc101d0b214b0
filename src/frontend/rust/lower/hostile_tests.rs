//! Inputs that nest as deep as a hostile file can: each ends in a tree or in a problem, never in a crash.

use super::lower;

fn nested(open: &str, middle: &str, close: &str, count: usize) -> String {
    format!("{}{middle}{}", open.repeat(count), close.repeat(count))
}

/// What opens, stands in, and closes each level of what may stand in a body.
const IN_A_BODY: &[(&str, &str, &str)] = &[
    ("(", "1", ")"),
    ("{", "", "}"),
    ("[", "1", "]"),
    ("f(", "1", ")"),
    ("match x { _ => ", "1", "}"),
    ("|| ", "1", ""),
    ("|a, b| ", "1", ""),
    ("move |a, b| ", "1", ""),
    ("!", "a", ""),
    ("-", "a", ""),
    ("&", "a", ""),
    ("return ", "a", ""),
    ("break ", "a", ""),
    ("a = ", "1", ""),
    ("a::<b, c> = ", "1", ""),
    ("a..", "1", ""),
    ("m!(", "1", ")"),
    ("vec![", "1", "]"),
    ("println!(\"{}\", ", "1", ")"),
    ("if ", "a", "{}"),
    ("unsafe {", "1", "}"),
    ("async move {", "1", "}"),
    ("loop {", "1", "}"),
    ("", "a", "+a"),
    ("", "a", ".b()"),
    ("", "a", "?"),
    ("", "a", "()"),
    ("", "a", "[0]"),
    ("", "a", " as u8"),
    ("", "if a {}", " else if a {}"),
    ("", "a", "::a"),
    ("'a: ", "1", ""),
    ("#[a] ", "1", ""),
    ("let x = ", "1", ""),
    ("x(\")\", ", "1", ")"),
];

/// The same for a type.
const IN_A_TYPE: &[(&str, &str, &str)] = &[
    ("V<", "u8", ">"),
    ("V<A, ", "u8", ">"),
    ("<", "u8", " as A>::B"),
    ("&", "u8", ""),
    ("*const ", "u8", ""),
    ("fn() -> ", "u8", ""),
    ("for<'a, 'b> fn(u8, u8) -> ", "u8", ""),
];

fn hostile(count: usize) -> Vec<String> {
    let n = |open, middle, close| nested(open, middle, close, count);
    let f = |inner: String| format!("fn f() {{ {inner}; }}");
    let t = |inner: String| format!("type T = {inner};");
    let bodies = IN_A_BODY.iter().map(|(open, middle, close)| f(n(open, middle, close)));
    let types = IN_A_TYPE.iter().map(|(open, middle, close)| t(n(open, middle, close)));
    let others = [
        n("mod a{", "", "}"),
        f(format!("let {} = 1", n("x @ ", "1", ""))),
        f(format!("let {} = 1", n("&", "x", ""))),
        f(format!("let {} = 1", n("(", "x", ")"))),
        format!("use {};", n("a::", "a", "")),
        format!("use {};", n("{", "a", "}")),
        n("/*", "", "*/"),
        format!("#[cfg({})] mod a;", n("all(", "test", ")")),
        format!("macro_rules! m {{ {} => {{ {} }} }}", n("(", "", ")"), n("$(", "f()", ")*")),
        f(format!("json!({})", n("[", "1", "]"))),
        format!("const A: u8 = {};", n("1", "", "")),
    ];
    bodies.chain(types).chain(others).collect()
}

#[test]
fn nesting_of_every_kind_ends_in_a_tree_or_a_problem() {
    for count in [30, 200, 3_000, 100_000] {
        for text in hostile(count) {
            let shown: String = text.chars().take(40).collect();
            let file = lower(&text);
            let read = file.problems.is_empty();
            assert!(read || file.items.is_empty(), "{shown}");
            // What people write is read; some of these are no Rust.
            if count == 30 {
                assert!(!file.problems.iter().any(|p| p.1.contains("deep")), "{shown}");
            }
        }
    }
}
