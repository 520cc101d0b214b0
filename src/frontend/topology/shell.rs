//! `${VAR}` as compose files have it. What is not known becomes `{}`.

/// Defaults inside defaults.
const DEEPEST: usize = 8;

/// The text with variables replaced: `$$` is a dollar, `${VAR:-default}` and `${VAR-default}` are the default where
/// `value` knows none, `${VAR:+other}` is not known.
pub fn fill(text: &str, value: &dyn Fn(&str) -> Option<String>) -> String {
    fill_at(text, value, 0)
}

fn fill_at(text: &str, value: &dyn Fn(&str) -> Option<String>, depth: usize) -> String {
    let (mut out, mut rest) = (String::new(), text);
    while let Some(at) = rest.find('$') {
        out.push_str(&rest[..at]);
        let tail = &rest[at + 1..];
        if let Some(after) = tail.strip_prefix('$') {
            out.push('$');
            rest = after;
            continue;
        }
        if tail.starts_with('{') {
            let Some(end) = closing(tail) else {
                out.push_str("{}");
                return out;
            };
            out.push_str(&braced(&tail[1..end], value, depth));
            rest = &tail[end + 1..];
            continue;
        }
        let length = name_length(tail);
        match length {
            0 => out.push('$'),
            _ => out.push_str(&value(&tail[..length]).unwrap_or_else(|| "{}".to_owned())),
        }
        rest = &tail[length..];
    }
    out.push_str(rest);
    out
}

fn braced(inner: &str, value: &dyn Fn(&str) -> Option<String>, depth: usize) -> String {
    let (name, rest) = inner.split_at(name_length(inner));
    if name.is_empty() || depth >= DEEPEST {
        return "{}".to_owned();
    }
    let default = rest.strip_prefix(":-").or_else(|| rest.strip_prefix('-'));
    if let Some(found) = value(name).filter(|v| !v.is_empty() || !rest.starts_with(":-")) {
        return found;
    }
    default.map_or_else(|| "{}".to_owned(), |default| fill_at(default, value, depth + 1))
}

fn name_length(text: &str) -> usize {
    text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len())
}

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
    fn variables_and_defaults() {
        let set = |name: &str| (name == "HOST").then(|| "payments".to_owned());
        let filled = |text: &str| fill(text, &set);
        assert_eq!(filled("http://${HOST}:${PORT:-8080}/$X"), "http://payments:8080/{}");
        assert_eq!(filled("${A:-${B-http://${HOST}}}"), "http://payments");
        assert_eq!(filled("$$HOST $ ${HOST?must be set} ${X:?no}"), "$HOST $ payments {}");
        assert_eq!(filled("${"), "{}");
    }

    #[test]
    fn nesting_has_an_end() {
        let deep = format!("{}x{}", "${A:-".repeat(3000), "}".repeat(3000));
        assert_eq!(fill(&deep, &|_| None), "{}");
    }
}
