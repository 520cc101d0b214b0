//! Times, and variables as far as they are constant.

use std::collections::BTreeSet;

use super::conf::{Conf, NodeId};
use super::tree::Body;

/// Milliseconds: `500ms`, `60s`, `1m30s`, `1h 30m`; a number alone is seconds.
pub fn time(text: &str) -> Option<u64> {
    let mut total = 0u64;
    let mut rest = text.trim();
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let number: u64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let letters = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        total = total.checked_add(number.checked_mul(unit(&rest[..letters])?)?)?;
        rest = rest[letters..].trim_start();
    }
    Some(total)
}

fn unit(letters: &str) -> Option<u64> {
    Some(match letters {
        "ms" => 1,
        "" | "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        "w" => 7 * 86_400_000,
        "M" => 30 * 86_400_000,
        "y" => 365 * 86_400_000,
        _ => return None,
    })
}

/// A text with what its variables are, as far as known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Text {
    /// `{}` stands for a variable that is not constant.
    pub known: String,
    /// The variables that are not, in order, without `$`.
    pub open: Vec<String>,
}

/// More alternatives than that are not followed.
const MOST_VALUES: usize = 8;
/// A variable may be set to a text with variables in it; not for ever.
const DEEPEST: usize = 5;
/// Where more is set in one block, nothing is taken to be constant.
const MOST_SETS: usize = 1_000;
/// Pieces of one text, with all that its variables bring.
const MOST_PIECES: usize = 500;

/// Every text that `text` can be at a place inside `block`.
pub fn values(conf: &Conf, block: NodeId, text: &str) -> Vec<Text> {
    let mut left = MOST_PIECES;
    expand(conf, block, text, DEEPEST, &mut left)
}

fn expand(conf: &Conf, block: NodeId, text: &str, depth: usize, left: &mut usize) -> Vec<Text> {
    let mut all = vec![Text::default()];
    for piece in pieces(text) {
        *left = left.saturating_sub(1);
        let name = match piece {
            Piece::Plain(plain) => {
                all.iter_mut().for_each(|t| t.known.push_str(plain));
                continue;
            }
            Piece::Variable(name) => name,
        };
        let given = if depth == 0 || *left == 0 { None } else { constant(conf, block, name) };
        let mut found = Vec::new();
        for value in given.into_iter().flatten() {
            found.extend(expand(conf, block, &value, depth - 1, left));
        }
        let open = Text { known: "{}".to_owned(), open: vec![name.to_owned()] };
        let choices = if found.is_empty() || all.len() * found.len() > MOST_VALUES { vec![open] } else { found };
        all = all.iter().flat_map(|before| choices.iter().map(|then| joined(before, then))).collect();
    }
    all
}

fn joined(before: &Text, then: &Text) -> Text {
    let known = format!("{}{}", before.known, then.known);
    Text { known, open: [before.open.clone(), then.open.clone()].concat() }
}

enum Piece<'t> {
    Plain(&'t str),
    Variable(&'t str),
}

fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        all.push(Piece::Plain(&rest[..at]));
        let behind = &rest[at + 1..];
        let (name, used) = match behind.strip_prefix('{') {
            Some(inner) => match inner.find('}') {
                // `${NAME:-x}` is a shell's way: what it means is decided before nginx reads it.
                Some(end) => (inner[..end].split(':').next().unwrap_or_default(), end + 2),
                None => ("", 0),
            },
            None => {
                let end = behind.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(behind.len());
                (&behind[..end], end)
            }
        };
        match name {
            "" => all.push(Piece::Plain("$")),
            name => all.push(Piece::Variable(name)),
        }
        rest = &behind[used..];
    }
    all.push(Piece::Plain(rest));
    all
}

/// Every value that a variable can have at a place: what `set` and `map` give it. `None` if anything else may give it one.
fn constant(conf: &Conf, block: NodeId, name: &str) -> Option<Vec<String>> {
    let mut found = BTreeSet::new();
    let mut at = block;
    loop {
        let (sets, conditions) = (conf.named(at, "set"), conf.named(at, "if"));
        if sets.len() + conditions.len() > MOST_SETS {
            return None;
        }
        for id in sets {
            if conf.node(*id).arg(0).strip_prefix('$') == Some(name) {
                found.insert(conf.node(*id).arg(1).to_owned());
            }
        }
        for id in conditions {
            let sets = conf.named(*id, "set").iter().map(|s| conf.node(*s));
            found.extend(sets.filter(|s| s.arg(0).strip_prefix('$') == Some(name)).map(|s| s.arg(1).to_owned()));
        }
        if at == 0 {
            break;
        }
        let around = conf.node(at).parent;
        let maps = conf.named(around, "map").iter().chain(conf.named(around, "split_clients"));
        for id in maps.take(MOST_SETS) {
            if conf.node(*id).arg(1).strip_prefix('$') == Some(name) {
                found.extend(mapped(conf, *id)?);
            }
        }
        at = conf.node(at).parent;
    }
    (!found.is_empty()).then(|| found.into_iter().collect())
}

/// The values of a `map` or of `split_clients`; `None` if it may give something that is not written, such as an empty text where nothing fits.
fn mapped(conf: &Conf, map: NodeId) -> Option<BTreeSet<String>> {
    const WORDS: &[&str] = &["hostnames", "volatile", "include"];
    let mut found = BTreeSet::new();
    let mut default = false;
    for id in conf.children(map) {
        let entry = conf.node(id);
        if entry.body != Body::None || WORDS.contains(&entry.name.as_str()) {
            continue;
        }
        default |= matches!(entry.name.as_str(), "default" | "*");
        found.insert(entry.arg(0).to_owned());
    }
    default.then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::nginx::conf::Doc;
    use crate::frontend::nginx::tree;
    use crate::source::FileId;

    #[test]
    fn times() {
        let all = [("500ms", 500), ("60s", 60_000), ("60", 60_000), ("1m30s", 90_000), ("1h 30m", 5_400_000), ("0", 0)];
        for (text, ms) in all {
            assert_eq!(time(text), Some(ms), "{text}");
        }
        for text in ["", "x", "5q", "-1", "${T}", "99999999999999999999s", "18446744073709551615y"] {
            assert_eq!(time(text), None, "{text}");
        }
    }

    fn in_location(text: &str, wanted: &str) -> Vec<String> {
        let (tree, wrong) = tree::parse(text);
        assert_eq!(wrong, None);
        let conf = Conf::read(&[Doc { file: FileId(0), path: "n.conf", text, tree }], &[0]);
        let location = conf.nodes.iter().position(|n| n.name == "location").expect("a location");
        values(&conf, location, wanted).into_iter().map(|t| t.known).collect()
    }

    #[test]
    fn constants() {
        let text = "map $a $color { default blue; x green; } map $b $maybe { y z; } server { set $host_of api; \
                    set $loop $loop; location / { set $port 80; if ($c) { set $tls s; } set $tls ''; } }";
        assert_eq!(in_location(text, "http://${host_of}:$port/x"), ["http://api:80/x"]);
        assert_eq!(in_location(text, "http://$color"), ["http://blue", "http://green"]);
        let split = "split_clients $a $v { 20% canary; * stable; } location / { a; }";
        assert_eq!(in_location(split, "$v"), ["canary", "stable"]);
        assert_eq!(in_location(text, "http$tls://a"), ["http://a", "https://a"]);
        assert_eq!(in_location(text, "$maybe$request_uri/$1$"), ["{}{}/{}$"]);
        assert_eq!(in_location(text, "${HOST:-x}${"), ["{}${"]);
        assert_eq!(in_location(text, "$loop"), ["{}"]);
    }

    #[test]
    fn texts_that_grow_are_cut() {
        let many = |name: &str| format!("${name}").repeat(400);
        let text = format!("set $a {}; set $b {}; set $c {}; location / {{ x; }}", many("b"), many("c"), many("d"));
        let all = in_location(&text, &many("a"));
        assert!(all.len() == 1 && all[0].len() < 10_000);
    }
}
