//! Our reading of YAML and JSON against an independent one: `serde_yaml` must see the same values in every file of this
//! repository and in generated texts, or refuse what we refuse.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use retrylint::yaml::{self, Kind, Node, ProblemKind, Style, Tree};
use serde::Deserialize;
use serde_yaml::Value;
use walkdir::WalkDir;

/// Every document of a text, as the other reader has it.
fn theirs(text: &str) -> Result<Vec<Value>, String> {
    let documents = serde_yaml::Deserializer::from_str(text);
    documents.map(|d| Value::deserialize(d).map_err(|e| e.to_string())).collect()
}

/// The first difference between a node and a value, with the way to it.
fn difference(ours: Node<'_>, theirs: &Value) -> Option<String> {
    let mut waiting = vec![(ours, theirs.clone())];
    while let Some((node, value)) = waiting.pop() {
        let equal = match (&value, node.kind()) {
            (Value::Tagged(tagged), _) => {
                waiting.push((node, tagged.value.clone()));
                node.tag().is_some()
            }
            (Value::Sequence(items), Kind::Sequence) => {
                waiting.extend(node.items().zip(items.iter().cloned()));
                node.items().count() == items.len()
            }
            (Value::Mapping(entries), Kind::Mapping) => {
                let pairs = node.own_entries().zip(entries.iter());
                waiting.extend(pairs.flat_map(|(e, (k, v))| [(e.key, k.clone()), (e.value, v.clone())]));
                node.own_entries().count() == entries.len()
            }
            (value, Kind::Scalar | Kind::Null) => same_scalar(node, value),
            _ => false,
        };
        if !equal {
            return Some(format!("{}: {:?} against {value:?}", node.path_text(), node.as_str()));
        }
    }
    None
}

fn same_scalar(node: Node<'_>, value: &Value) -> bool {
    match value {
        Value::Null => node.is_null() || node.tag().is_some(),
        Value::Bool(said) => node.as_bool() == Some(*said),
        Value::Number(n) => match (n.as_i64(), n.as_u64(), n.as_f64()) {
            (Some(i), ..) => node.as_integer() == Some(i.into()),
            (_, Some(u), _) => node.as_integer() == Some(u.into()),
            (.., f) => node.as_float() == f || f.is_some_and(f64::is_nan) && node.as_float().is_some_and(f64::is_nan),
        },
        Value::String(text) => node.as_str().unwrap_or_default() == text,
        _ => false,
    }
}

/// Where both read the whole text they must see the same.
fn compare(name: &str, text: &str) -> Result<(), String> {
    let tree = yaml::read(text);
    let refused = tree.problems().first();
    match (refused, theirs(text)) {
        (None, Ok(values)) => {
            let ours: Vec<Node<'_>> = tree.documents().collect();
            // An empty text is one document of nothing to one reader and none to the other.
            let values: Vec<Value> =
                if ours.is_empty() { values.into_iter().filter(|v| !v.is_null()).collect() } else { values };
            if ours.len() != values.len() {
                return Err(format!("{name}: {} documents against {}", ours.len(), values.len()));
            }
            let first = ours.iter().zip(&values).find_map(|(o, t)| difference(*o, t));
            first.map_or(Ok(()), |d| Err(format!("{name}: {d}")))
        }
        (Some(_), Err(_)) => Ok(()),
        (Some(p), Ok(_)) if p.kind == ProblemKind::Template => Ok(()),
        (Some(p), Ok(_)) => Err(format!("{name}: refused by us alone: {p:?}")),
        (None, Err(e)) => Err(format!("{name}: refused by the other alone: {e}")),
    }
}

fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let wanted = |p: &Path| p.extension().is_some_and(|e| ["yaml", "yml", "json"].iter().any(|w| e == *w));
    let folders = ["fixtures", "rules", ".ci"].into_iter().flat_map(|f| WalkDir::new(root.join(f)).sort_by_file_name());
    folders.flatten().map(|e| e.into_path()).filter(|p| wanted(p)).collect()
}

#[test]
fn every_file_of_the_repository_is_read_alike() {
    let files = files();
    assert!(files.len() > 40, "there are files to read: {}", files.len());
    let texts = files.iter().map(|p| (p.display().to_string(), std::fs::read_to_string(p).expect("text")));
    let wrong: Vec<String> = texts.filter_map(|(name, text)| compare(&name, &text).err()).collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The bytes of every scalar that is written in one piece are the scalar.
fn ranges_hold(tree: &Tree<'_>) -> Result<(), String> {
    let mut waiting: Vec<Node<'_>> = tree.documents().collect();
    while let Some(node) = waiting.pop() {
        let range = node.range();
        let written = tree.text().get(range.start as usize..range.end as usize).ok_or("a range of no text")?;
        let plain = matches!(node.style(), Some(Style::Plain | Style::SingleQuoted | Style::DoubleQuoted));
        let bare = written.trim_matches(['"', '\'']);
        let simple = !bare.contains(['\n', '\r', '\\', '"', '\'']) && !node.is_alias();
        if plain && simple && node.as_str().is_some_and(|s| s != bare && s.trim_matches(['"', '\'']) != bare) {
            return Err(format!("{:?} stands for {:?}", written, node.as_str()));
        }
        waiting.extend(node.items());
        waiting.extend(node.own_entries().flat_map(|e| [e.key, e.value]));
    }
    Ok(())
}

#[test]
fn ranges_are_what_stands_there() {
    for path in files() {
        let text = std::fs::read_to_string(&path).expect("text");
        ranges_hold(&yaml::read(&text)).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    }
}

fn words() -> impl Strategy<Value = String> {
    let known = [
        "true",
        "no",
        "~",
        "null",
        "",
        "0.25s",
        "1e3",
        ".5",
        "-",
        "5xx",
        "a: b",
        "- x",
        "#c",
        "é\u{1f600}",
        "\t",
        "0x1f",
        "'",
        "\\/",
        "1_000",
    ];
    // Line breaks of YAML 1.1 that are letters in 1.2.
    let letters = "\\PC{0,6}".prop_map(|s| s.replace(['\u{85}', '\u{2028}', '\u{2029}'], "\u{3000}"));
    prop_oneof![
        proptest::sample::select(known.to_vec()).prop_map(str::to_string),
        "[ -~]{0,12}",
        "[a-z_]{1,8}",
        letters
    ]
}

fn values() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        (-1e9f64..1e9).prop_map(Into::into),
        words().prop_map(Into::into),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            proptest::collection::btree_map(words(), inner, 0..6).prop_map(|m| m.into_iter().collect()),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn generated_values_are_read_alike(value in values()) {
        let block = serde_yaml::to_string(&value).expect("YAML");
        let line = serde_json::to_string(&value).expect("JSON");
        let lines = serde_json::to_string_pretty(&value).expect("JSON").replace("\n  ", "\n\t");
        for text in [block, line, lines] {
            prop_assert_eq!(compare("generated", &text), Ok(()), "{}", text);
            prop_assert_eq!(ranges_hold(&yaml::read(&text)), Ok(()), "{}", text);
        }
    }

    /// Pieces of syntax in any order: the same values where both readers accept it.
    #[test]
    fn pieces_of_syntax_are_read_alike(pieces in proptest::collection::vec(proptest::sample::select(PIECES.to_vec()), 0..14)) {
        let text = pieces.concat();
        let tree = yaml::read(&text);
        prop_assert_eq!(ranges_hold(&tree), Ok(()), "{}", text);
        if let (true, Ok(_)) = (tree.problems().is_empty(), theirs(&text)) {
            prop_assert_eq!(compare("pieces", &text), Ok(()), "{}", text);
        }
    }

    #[test]
    fn any_text_is_survived(text in "\\PC{0,80}", bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
        yaml::read(&text);
        yaml::read(&String::from_utf8_lossy(&bytes));
    }
}

/// A block scalar comes with its key: at the top of a document the two disagree about lines that begin at the margin.
const PIECES: &[&str] = &[
    "a",
    "b: ",
    "- ",
    "\n",
    "\n  ",
    "\n    ",
    ": ",
    "[",
    "]",
    "{",
    "}",
    ", ",
    " # c\n",
    "&x ",
    "*x",
    "'q'",
    "\"d\\n\"",
    "l: |\n  x\n",
    "f: >-\n  x\n  y\n\n",
    "---\n",
    "...\n",
    "? ",
    "!t ",
    "<<: ",
    "1",
    "~",
    "\t",
    "key: value\n",
    "  - item\n",
    "<<: *x\n",
];
