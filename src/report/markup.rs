//! Foreign text in Markdown as GitHub and GitLab render it: no mark-up, no HTML, no link, no mention, no reference, no second
//! line can come out of a file name, an operation's name or a message.

use std::fmt::Write as _;

use super::sanitise;

/// After this an `@`, `#` or the like means nothing to GitHub and GitLab, and a reader sees no difference.
const APART: char = '\u{200b}';

/// Words as words. What stands between backticks in them is code, as in all our messages.
pub fn text(words: &str) -> String {
    let parts: Vec<&str> = words.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return plain(words);
    }
    let part = |(i, part): (usize, &&str)| match (i % 2, part.is_empty()) {
        (0, true) => APART.to_string(),
        (0, false) => plain(part),
        _ => code(part),
    };
    let text: String = parts.iter().enumerate().map(part).collect();
    text.trim_matches(APART).to_string()
}

fn plain(words: &str) -> String {
    let safe = sanitise::line(words).replace("www.", &format!("www{APART}."));
    let mut out = String::with_capacity(safe.len() + 8);
    let mut rest = safe.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '#' | '@' | '$' | '~' | '|' | '!' => {
                let _ = write!(out, "\\{c}");
            }
            c => out.push(c),
        }
        let word_follows = rest.peek().is_some_and(|n| n.is_alphanumeric() || matches!(n, '"' | '_'));
        let address_follows = c == ':' && rest.peek() == Some(&'/');
        if address_follows || word_follows && matches!(c, '@' | '#' | '!' | '%' | '~' | '$' | '&') {
            out.push(APART);
        }
    }
    out
}

/// A name as code. The fence is longer than any run of backticks inside.
pub fn code(name: &str) -> String {
    let safe = sanitise::line(name);
    let longest = safe.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad =
        if safe.is_empty() || safe.contains('`') || safe.starts_with(' ') || safe.ends_with(' ') { " " } else { "" };
    format!("{fence}{pad}{safe}{pad}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_words() {
        for (foreign, shown) in [
            ("a*b_c", "a\\*b\\_c"),
            ("<img src=x>", "&lt;img src=x&gt;"),
            ("--> x", "--&gt; x"),
            ("@everyone", "\\@\u{200b}everyone"),
            ("fixes #12", "fixes \\#\u{200b}12"),
            ("[a](http://b)", "\\[a\\](http:\u{200b}//b)"),
            ("see www.x.org", "see www\u{200b}.x.org"),
            ("a|b\nc", "a\\|b\\\\u{a}c"),
            ("x\u{202e}y", "x\\\\u{202e}y"),
            ("`a::b` waits", "`a::b` waits"),
            ("`@all` and `<b>`", "`@all` and `<b>`"),
            ("one ` <b>", "one \\` &lt;b&gt;"),
            ("`a``b`", "`a`\u{200b}`b`"),
        ] {
            assert_eq!(text(foreign), shown, "{foreign}");
        }
    }

    #[test]
    fn nothing_ends_a_piece_of_code() {
        assert_eq!(code("a.rs"), "`a.rs`");
        assert_eq!(code("a`b``c"), "``` a`b``c ```");
        assert_eq!(code("`"), "`` ` ``");
        assert_eq!(code("a\n# b"), "`a\\u{a}# b`");
    }
}
