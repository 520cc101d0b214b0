//! Input that was made to break a reader: it ends soon, with a problem or without, and never in a panic.

use std::time::{Duration, Instant};

use super::*;

/// Far more than any of these takes in a debug build on a busy machine.
const SOON: Duration = Duration::from_secs(90);

fn soon<'s>(what: &str, text: &'s str) -> Tree<'s> {
    let start = Instant::now();
    let tree = read(text);
    // Looking at everything once, aliases followed, is bounded as well.
    let mut waiting: Vec<Node<'_>> = tree.documents().collect();
    let mut seen = 0u64;
    while let Some(node) = waiting.pop() {
        seen += 1;
        assert!(seen <= MAX_WEIGHT + 1, "{what}");
        waiting.extend(node.items());
        waiting.extend(node.own_entries().flat_map(|e| [e.key, e.value]));
    }
    assert!(start.elapsed() < SOON, "{what} took {:?}", start.elapsed());
    tree
}

fn kinds(tree: &Tree<'_>) -> Vec<ProblemKind> {
    tree.problems().iter().map(|p| p.kind).collect()
}

/// Nine lists of nine aliases each to the one before.
fn laughs(levels: usize) -> String {
    let mut text = String::from("a0: &a0 [x,x,x,x,x,x,x,x,x]\n");
    for level in 1..levels {
        let names = vec![format!("*a{}", level - 1); 9].join(",");
        text.push_str(&format!("a{level}: &a{level} [{names}]\n"));
    }
    text
}

#[test]
fn a_billion_laughs_are_refused_by_arithmetic() {
    let text = laughs(9);
    let tree = soon("laughs", &text);
    assert_eq!(kinds(&tree), [ProblemKind::Limit]);
    assert_eq!(tree.documents().count(), 0);
    let text = laughs(100);
    assert_eq!(kinds(&soon("more laughs", &text)), [ProblemKind::Limit]);
    let text = laughs(4);
    assert_eq!(kinds(&soon("a few laughs", &text)), []);
    let text = format!("a: &a '{}'\nb: [{}]\n", "x".repeat(100_000), vec!["*a"; 100_000].join(","));
    assert_eq!(kinds(&soon("one long text many times", &text)), [ProblemKind::Limit]);
}

#[test]
fn merges_of_merges_are_refused_as_well() {
    let mut text = String::from("m0: &m0 {k: 1}\n");
    for level in 1..100 {
        text.push_str(&format!("m{level}: &m{level} {{<<: [*m{0}, *m{0}, *m{0}]}}\n", level - 1));
    }
    assert_eq!(kinds(&soon("merges", &text)), [ProblemKind::Limit]);
    let mut text = String::from("m0: &m0 {k: 1}\n");
    for level in 1..20_000 {
        text.push_str(&format!("m{level}: &m{level} {{<<: *m{}}}\n", level - 1));
    }
    assert_eq!(kinds(&soon("a chain of merges", &text)), [ProblemKind::Limit]);
}

#[test]
fn an_alias_to_what_holds_it_is_refused() {
    for text in ["a: &a [*a]\n", "&x {b: *x}\n", "a: &a\n  <<: *a\n  k: 1\n", "- &a {k: {l: *a}}\n"] {
        assert_eq!(kinds(&soon("a circle", text)), [ProblemKind::Limit], "{text}");
    }
    assert_eq!(kinds(&soon("an alias to nothing", "a: *nothing\n")), [ProblemKind::Syntax]);
    assert_eq!(kinds(&soon("an alias of another document", "a: &x 1\n---\nb: *x\n")), [ProblemKind::Syntax]);
}

#[test]
fn deep_nesting_is_refused() {
    let many = 100_000;
    let texts = [
        "[".repeat(many),
        "{a: ".repeat(many),
        "[".repeat(many) + &"]".repeat(many),
        "- ".repeat(many),
        "? ".repeat(many),
        "[? ".repeat(many),
        "[{".repeat(many),
        (0..3000).map(|i| format!("{}a:\n", " ".repeat(i))).collect::<String>(),
        "!!x ".repeat(many),
        "&a ".repeat(many),
        "*a ".repeat(many),
        "!".repeat(many),
        "{{".repeat(many),
        "[[\"".repeat(many),
    ];
    for text in &texts {
        let tree = soon(&text[..8], text);
        assert!(!tree.problems().is_empty(), "{}", &text[..8]);
    }
}

#[test]
fn long_things_of_every_sort_end_soon() {
    let many = 60_000;
    let texts = [
        "# c\n".repeat(many),
        format!("a:\n{}  b: 1\n", "  # c\n".repeat(many)),
        format!("- a\n{}- b\n", "# c\n".repeat(many)),
        "---\n".repeat(many),
        "a: [\n---\n".repeat(many / 10),
        (0..many).map(|i| format!("k{i}: {i}\n")).collect(),
        "k: 1\n".repeat(many),
        format!("a: \"{}\"\n", "\\ud83d\\ude00".repeat(many)),
        format!("a: |\n{}", "  x\n".repeat(many)),
        format!("a: {}\n", "word ".repeat(many)),
        "word\n".repeat(many),
        format!("\"{}", "\n".repeat(many)),
        format!("[{}]", "a, ".repeat(many)),
        format!("[{}]", "a: b, ".repeat(many)),
        format!("{{{}}}", "? a, ".repeat(many)),
        "\t".repeat(many),
        " ".repeat(many),
        ":".repeat(many),
        "a:".repeat(many),
        "- - - a\n".repeat(many / 4),
        "%TAG ! x\n".repeat(many / 10),
        format!("a: {}\n", "'".repeat(many)),
        "&a a: *a\n".repeat(many / 4),
        "<%".repeat(many),
        "\"".repeat(many + 1),
    ];
    for text in &texts {
        let what: String = text.chars().take(12).collect();
        soon(&what, text);
    }
}

#[test]
fn strange_characters_do_no_harm() {
    for text in [
        "\0",
        "a: \u{7f}\n",
        "\u{85}a: b",
        "a: \u{2028}b",
        "\u{feff}\u{feff}a: 1",
        "a: \"\\ud800\"",
        "'\\",
        "é{{é",
        "é: ${é",
    ] {
        soon(text, text);
        let padded = format!("äöü: {text}");
        soon(&padded, &padded);
    }
}

#[test]
fn too_large_a_text_is_left_alone() {
    let text = "a".repeat(MAX_BYTES + 1);
    assert_eq!(kinds(&read(&text)), [ProblemKind::Limit]);
    let text = format!("[{}]", "a,".repeat(MAX_NODES + 1));
    assert_eq!(kinds(&soon("many nodes", &text)), [ProblemKind::Limit]);
}
