//! Text of the analysed tree on its way to a terminal. File names, strings and identifiers are foreign: a control character
//! could move the cursor or retitle the window, a bidirectional override could show code in another order than it has.

use std::borrow::Cow;

/// Whether a character must not reach a terminal.
fn harmful(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{061c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}

/// One line of text: whatever is harmful is shown as its escape, line breaks and tabs too.
pub fn line(text: &str) -> Cow<'_, str> {
    if !text.chars().any(harmful) {
        return Cow::Borrowed(text);
    }
    let escape = |c: char| if harmful(c) { c.escape_unicode().to_string() } else { c.to_string() };
    Cow::Owned(text.chars().map(escape).collect())
}

/// Source text for an excerpt: what is harmful becomes a mark of the same length in bytes, so that places stay true.
pub fn excerpt(text: &str) -> Cow<'_, str> {
    let bad = |c: char| harmful(c) && !matches!(c, '\n' | '\t');
    if !text.chars().any(bad) {
        return Cow::Borrowed(text);
    }
    let mark = |c: char| match c.len_utf8() {
        _ if c == '\r' => " ",
        1 => "?",
        2 => "\u{bf}",
        3 => "\u{fffd}",
        _ => "????",
    };
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if bad(c) { safe.push_str(mark(c)) } else { safe.push(c) }
    }
    Cow::Owned(safe)
}

/// JSON text: what serde leaves as it is and a terminal would obey becomes an escape. Nothing is lost: such characters
/// stand in strings only.
pub fn json(text: &str) -> Cow<'_, str> {
    let bad = |c: char| harmful(c) && c != '\n';
    if !text.chars().any(bad) {
        return Cow::Borrowed(text);
    }
    let escape = |c: char| if bad(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() };
    Cow::Owned(text.chars().map(escape).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_reaches_the_terminal() {
        assert_eq!(line("a\u{1b}[31mb\u{202e}c\nd"), "a\\u{1b}[31mb\\u{202e}c\\u{a}d");
        assert_eq!(line("über\u{9b}"), "über\\u{9b}");
    }

    #[test]
    fn excerpts_keep_their_places() {
        let text = "a\u{1b}b\u{202e}c\u{9b}d\r\n\té";
        let safe = excerpt(text);
        assert_eq!(safe.len(), text.len());
        assert!(!safe.chars().any(|c| harmful(c) && c != '\n' && c != '\t'));
    }

    #[test]
    fn json_loses_nothing() {
        let text = "x\u{202e}y\u{7f}";
        let safe = json(&serde_json::to_string(text).expect("a string")).into_owned();
        assert!(safe.is_ascii());
        assert_eq!(serde_json::from_str::<String>(&safe).expect("still JSON"), text);
    }
}
