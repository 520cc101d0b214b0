//! Test modules are emptied before the parser sees them: between a tenth and a third of real code stands in them, and
//! where tests are not looked at nobody reads it.
//!
//! The text keeps its length and its lines, so that everything else stands where it stood.

use std::borrow::Cow;
use std::ops::Range;

use crate::suppress::lex::{self, Kind, Token, Tokens};

/// The text with spaces between the braces of every `#[cfg(test)] mod name { .. }`.
pub fn emptied(text: &str) -> Cow<'_, str> {
    if !text.contains("cfg(") {
        return Cow::Borrowed(text);
    }
    let ranges = Scan { text, tokens: lex::tokens(text) }.test_modules();
    if ranges.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut left = String::with_capacity(text.len());
    let mut at = 0;
    for range in ranges {
        left.push_str(&text[at..range.start]);
        left.extend(text[range.clone()].bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }));
        at = range.end;
    }
    left.push_str(&text[at..]);
    Cow::Owned(left)
}

struct Scan<'t> {
    text: &'t str,
    tokens: Tokens<'t>,
}

impl Scan<'_> {
    fn next(&mut self) -> Option<Token> {
        self.tokens.by_ref().find(|t| t.kind != Kind::Comment)
    }

    fn word(&self, token: Token) -> &str {
        &self.text[token.start..token.end]
    }

    /// What stands between the braces of each. A bracket without its other half ends the search: the parser has the say.
    fn test_modules(&mut self) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut for_tests = false;
        while let Some(token) = self.next() {
            match (token.kind, self.word(token)) {
                (Kind::Hash, _) => match self.attribute() {
                    Some(needs_test) => for_tests |= needs_test,
                    None => for_tests = false,
                },
                (_, "pub") => self.visibility(),
                (_, "mod") if for_tests => {
                    found.extend(self.body());
                    for_tests = false;
                }
                _ => for_tests = false,
            }
        }
        found
    }

    /// Behind a `#`: whether the attribute leaves its item to tests. `None`: it is no attribute of the item that follows.
    fn attribute(&mut self) -> Option<bool> {
        let open = self.opening(b'[')?;
        let inside = self.close(open)?;
        let text = &self.text[inside];
        if !text.trim_start().starts_with("cfg") {
            return Some(false);
        }
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let all = text.strip_prefix("cfg(all(test").is_some_and(|rest| rest.starts_with([',', ')']));
        Some(text == "cfg(test)" || all)
    }

    /// The brackets of `pub(crate)`.
    fn visibility(&mut self) {
        if let Some(open) = self.opening(b'(') {
            self.close(open);
        }
    }

    /// Behind `mod`: the content, unless it stands in a file of its own.
    fn body(&mut self) -> Option<Range<usize>> {
        self.next()?;
        let open = self.opening(b'{')?;
        self.close(open)
    }

    /// The next token if it is that bracket; everything else stays for whoever comes next.
    fn opening(&mut self, bracket: u8) -> Option<Token> {
        let before = self.tokens.clone();
        match self.next() {
            Some(token) if token.kind == Kind::Open(bracket) => Some(token),
            _ => {
                self.tokens = before;
                None
            }
        }
    }

    /// From behind a bracket to its other half, which is read over.
    fn close(&mut self, open: Token) -> Option<Range<usize>> {
        let mut depth = 1u32;
        loop {
            let token = self.next()?;
            match token.kind {
                Kind::Open(_) => depth += 1,
                Kind::Close(_) => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(open.end..token.start);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::emptied;

    #[test]
    fn what_stands_in_test_modules_goes() {
        for (before, after) in [
            ("#[cfg(test)]\nmod t {\n  f(\"}\");\n}\nfn g() {}", "#[cfg(test)]\nmod t {\n         \n}\nfn g() {}"),
            ("#[cfg(test)] #[a(b)] pub(crate) mod t {é}", "#[cfg(test)] #[a(b)] pub(crate) mod t {  }"),
            ("#[cfg(all(test, unix))] /* } */ mod t { '}' }", "#[cfg(all(test, unix))] /* } */ mod t {     }"),
            ("#[a] #[cfg( test )] mod t {b}#[cfg(test)]mod u{c}", "#[a] #[cfg( test )] mod t { }#[cfg(test)]mod u{ }"),
        ] {
            assert_eq!(emptied(before), after);
            assert_eq!(before.len(), after.len());
        }
    }

    #[test]
    fn everything_else_stays() {
        for text in [
            "#[cfg(not(test))] mod t { a }",
            "#[cfg(any(test, unix))] mod t { a }",
            "#[cfg(all(testing, unix))] mod t { a }",
            "#[cfg(test)] use a; mod t { a }",
            "#[cfg(test)] mod t; mod u { a }",
            "#[cfg(test)] fn f() {} mod t { a }",
            "#![cfg(test)] mod t { a }",
            "const A: &str = \"#[cfg(test)] mod t { a }\";",
            "// #[cfg(test)]\nmod t { a }",
            "#[cfg(test)] mod t { a",
            "#[cfg(test) mod t { a }",
            "#[cfg(test)] mod",
        ] {
            assert_eq!(emptied(text), text);
        }
    }
}
