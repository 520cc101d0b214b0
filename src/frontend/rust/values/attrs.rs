//! Arguments of attributes, kept as text: `default = "three"`, `long, default_value_t = 3`.

#[derive(Debug, PartialEq)]
pub enum Argument {
    /// A name alone.
    Flag,
    /// A string literal's content.
    Text(String),
    /// Anything else, as written.
    Code(String),
}

/// The argument of that name.
pub fn argument(text: &str, name: &str) -> Option<Argument> {
    for part in split(text) {
        let (key, value) = match part.split_once('=') {
            Some((key, value)) => (key.trim(), Some(value.trim())),
            None => (part.trim(), None),
        };
        if key != name {
            continue;
        }
        return Some(match value {
            None => Argument::Flag,
            Some(v) => match v.strip_prefix('"').and_then(|v| v.strip_suffix('"')) {
                Some(inner) => Argument::Text(inner.to_owned()),
                None => Argument::Code(v.replace(' ', "")),
            },
        });
    }
    None
}

/// Parts between commas that stand in no brackets and no string.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut from, mut depth, mut quoted, mut escaped) = (Vec::new(), 0, 0i32, false, false);
    for (i, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[from..i]);
                from = i + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_found_by_name() {
        assert_eq!(argument("default = \"three\"", "default"), Some(Argument::Text("three".into())));
        assert_eq!(argument("long, default_value_t = 3", "default_value_t"), Some(Argument::Code("3".into())));
        assert_eq!(argument("skip, default", "default"), Some(Argument::Flag));
        assert_eq!(argument("help = \"a, default = 3\"", "default"), None);
        assert_eq!(argument("value_parser = range(1, 2), env = \"X\"", "env"), Some(Argument::Text("X".into())));
    }
}
