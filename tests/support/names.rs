//! Loose comparison of names and numbers, as the cases' README defines it.

use serde_json::Value;

const BEFORE_PATH: [&str; 14] = [
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "ANY", "ALL", "*", "prefix", "exact", "location",
    "route",
];

/// `/api/` is `GET /api/`, `pay` is `client::pay`.
pub fn same_operation(want: Option<&str>, have: &str) -> bool {
    let Some(want) = want else { return true };
    if want == have {
        return true;
    }
    let (bare_want, bare_have) = (bare(want), bare(have));
    if want != bare_want && have != bare_have {
        return false;
    }
    bare_want == bare_have || bare_have.rsplit(['.', ':']).next() == Some(bare_want)
}

fn bare(name: &str) -> &str {
    let mut rest = name;
    while let Some((word, after)) = rest.split_once(char::is_whitespace) {
        if !BEFORE_PATH.contains(&word) {
            break;
        }
        rest = after.trim_start();
    }
    rest.strip_suffix('*').unwrap_or(rest)
}

/// `stock` is `stock.shop.svc:80`.
pub fn same_dependency(want: Option<&str>, have: &str) -> bool {
    let Some(want) = want else { return true };
    let part_of_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '-');
    have.match_indices(want).any(|(i, part)| {
        !part_of_word(have[..i].chars().next_back()) && !part_of_word(have[i + part.len()..].chars().next())
    })
}

/// Does a reported bound say what is wanted: a number, `unbounded` or `unknown`?
pub fn same_bound(want: &str, bound: &Value) -> bool {
    let kind = bound["kind"].as_str().unwrap_or_default();
    let value = bound["value"].to_string();
    match want {
        "unbounded" => kind == "unbounded",
        "unknown" => kind == "unknown" || kind == "at-least",
        _ => (kind == "exactly" || kind == "at-most") && value == want,
    }
}

/// For finding the pair with the most attempts.
pub fn size(bound: &Value) -> f64 {
    if bound["kind"] == "unbounded" { f64::INFINITY } else { bound["value"].as_f64().unwrap_or(0.0) }
}

pub fn shown<'a>(bounds: impl IntoIterator<Item = &'a Value>) -> String {
    let mut texts: Vec<String> = Vec::new();
    for bound in bounds.into_iter().filter(|b| b.is_object()) {
        let kind = bound["kind"].as_str().unwrap_or_default();
        let text = if bound["value"].is_null() { kind.to_string() } else { format!("{kind} {}", bound["value"]) };
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    if texts.is_empty() { "nothing".to_string() } else { texts.join(", ") }
}

/// Whether a message holds a text; a number must stand there as a whole number.
pub fn says(text: &str, message: &str) -> bool {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) {
        return message.contains(text);
    }
    message.split(|c: char| !c.is_ascii_digit()).any(|number| number == text)
}

/// `500ms` as the number of milliseconds.
pub fn milliseconds(text: &str) -> String {
    for (unit, factor) in [("ms", 1.0), ("s", 1000.0), ("m", 60_000.0)] {
        if let Some(n) = text.strip_suffix(unit).and_then(|n| n.parse::<f64>().ok()) {
            return format!("{}", n * factor);
        }
    }
    text.to_string()
}
