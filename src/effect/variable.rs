//! Variables of the environment inside texts: `{$NAME}`, or `{$NAME:-default}` where the code says what stands in.
//!
//! What cannot be known stays `{}`. Texts are a stranger's: a mark that does not end, or nests too deep, is unknown.

use crate::name::Name;

/// Defaults inside defaults.
const DEEPEST: usize = 8;
/// What a text may grow to when its variables are filled in.
const LONGEST: usize = 4096;

/// The text of a variable.
pub fn variable(name: &str) -> String {
    format!("{{${name}}}")
}

/// The text of a variable with what stands in for it.
pub fn or_default(name: &str, default: &str) -> String {
    format!("{{${name}:-{default}}}")
}

/// The text with every variable as `value` has it, else its default, else `{}`.
pub fn fill(text: &str, value: &dyn Fn(&str) -> Option<Name>) -> String {
    let mut out = String::new();
    fill_into(&mut out, text, value, 0);
    out
}

/// The text as it is where nobody sets a variable.
pub fn defaults(text: &str) -> String {
    fill(text, &|_| None)
}

/// The first variable of a text.
pub fn first(text: &str) -> Option<&str> {
    parts(text).into_iter().find_map(|part| match part {
        Part::Variable(name, _) => Some(name),
        Part::Text(_) => None,
    })
}

fn fill_into(out: &mut String, text: &str, value: &dyn Fn(&str) -> Option<Name>, depth: usize) {
    for part in parts(text) {
        match part {
            _ if out.len() > LONGEST => return,
            Part::Text(text) => out.push_str(text),
            Part::Variable(name, default) => match (value(name), default) {
                (Some(value), _) => out.push_str(&value),
                (None, Some(default)) if depth < DEEPEST => fill_into(out, default, value, depth + 1),
                (None, _) => out.push_str("{}"),
            },
        }
    }
}

enum Part<'t> {
    Text(&'t str),
    /// Its name and what stands in for it.
    Variable(&'t str, Option<&'t str>),
}

fn parts(text: &str) -> Vec<Part<'_>> {
    let (mut found, mut rest) = (Vec::new(), text);
    while let Some(at) = rest.find("{$") {
        let Some(end) = closing(&rest[at..]) else { break };
        found.push(Part::Text(&rest[..at]));
        let inner = &rest[at + 2..at + end];
        found.push(match inner.split_once(":-") {
            Some((name, default)) => Part::Variable(name, Some(default)),
            None => Part::Variable(inner, None),
        });
        rest = &rest[at + end + 1..];
    }
    found.push(Part::Text(rest));
    found
}

/// Where the brace closes with which the text begins.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 1 => return Some(at),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_filled_in() {
        let set = |name: &str| (name == "HOST").then(|| Name::new("payments"));
        assert_eq!(fill("http://{$HOST}:{$PORT:-8080}/x/{}", &set), "http://payments:8080/x/{}");
        assert_eq!(fill("{$URL}/charge", &set), "{}/charge");
        assert_eq!(defaults("{$URL:-http://{$HOST:-a}:{}}/charge"), "http://a:{}/charge");
        assert_eq!(first("{$URL:-http://{}}/charge"), Some("URL"));
        assert_eq!(first("http://a/{}"), None);
    }

    #[test]
    fn marks_without_an_end_are_text() {
        assert_eq!(defaults("a{$b"), "a{$b");
        let deep = format!("{}{}", "{$A:-".repeat(5000), "}".repeat(5000));
        assert_eq!(defaults(&deep), "{}");
    }
}
