//! Words of an nginx configuration, by the rules of nginx's own reader: what a quote, a backslash, a brace and a `#` mean
//! depends on whether a word has begun.
//!
//! A `#` or `}` inside a word belongs to it, `${` opens no block, a backslash keeps the next byte from ending a word, and
//! behind a closing quote only white space, `;`, `{` or `)` may stand. Text never leaves the source: a token is a range.

use std::borrow::Cow;

/// Why a file cannot be read, at this byte; one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    pub at: u32,
    pub message: String,
}

impl Wrong {
    pub fn new(at: usize, message: impl Into<String>) -> Wrong {
        Wrong { at: at as u32, message: message.into() }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Word,
    /// A word in quotes; its range includes them.
    Quoted,
    Semicolon,
    Open,
    Close,
    Comment,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    pub start: u32,
    pub end: u32,
}

impl Token {
    /// The token as it stands in the file.
    pub fn raw(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }

    /// What a word means: without its quotes and with its escapes resolved.
    pub fn value(self, text: &str) -> Cow<'_, str> {
        let raw = self.raw(text);
        let inner = match self.kind {
            Kind::Quoted => raw.get(1..raw.len().saturating_sub(1)).unwrap_or_default(),
            _ => raw,
        };
        if inner.contains('\\') { Cow::Owned(unescape(inner)) } else { Cow::Borrowed(inner) }
    }
}

/// `\"`, `\'` and `\\` lose the backslash, `\t`, `\r` and `\n` mean what they say; before anything else it stays.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let meant = match (c, rest.peek()) {
            ('\\', Some(next @ ('"' | '\'' | '\\'))) => Some(*next),
            ('\\', Some('t')) => Some('\t'),
            ('\\', Some('r')) => Some('\r'),
            ('\\', Some('n')) => Some('\n'),
            _ => None,
        };
        if meant.is_some() {
            rest.next();
        }
        out.push(meant.unwrap_or(c));
    }
    out
}

pub struct Lexer<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl<'t> Lexer<'t> {
    pub fn new(text: &'t str) -> Lexer<'t> {
        let mark = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Lexer { bytes: text.as_bytes(), at: mark }
    }

    /// The next token, `None` at the end of the file.
    pub fn token(&mut self) -> Result<Option<Token>, Wrong> {
        let blank = |b: &u8| is_blank(*b);
        self.at += self.bytes[self.at..].iter().take_while(|b| blank(b)).count();
        let start = self.at;
        let Some(first) = self.bytes.get(start) else { return Ok(None) };
        let (kind, end) = match first {
            b';' => (Kind::Semicolon, start + 1),
            b'{' => (Kind::Open, start + 1),
            b'}' => (Kind::Close, start + 1),
            b'#' => (Kind::Comment, self.line_end(start)),
            quote @ (b'"' | b'\'') => (Kind::Quoted, self.quoted(start, *quote)?),
            _ => (Kind::Word, self.word(start)),
        };
        self.at = end;
        Ok(Some(Token { kind, start: start as u32, end: end as u32 }))
    }

    fn line_end(&self, from: usize) -> usize {
        let line = &self.bytes[from..];
        let end = line.iter().position(|b| *b == b'\n').unwrap_or(line.len());
        let end = if end > 0 && line[end - 1] == b'\r' { end - 1 } else { end };
        from + end
    }

    fn word(&self, from: usize) -> usize {
        let (mut at, mut variable) = (from, false);
        while let Some(b) = self.bytes.get(at) {
            match b {
                b'{' if variable => at += 1,
                b'\\' => {
                    variable = false;
                    at += 2;
                }
                b'{' | b';' => break,
                b if is_blank(*b) => break,
                b => {
                    variable = *b == b'$';
                    at += 1;
                }
            }
        }
        at.min(self.bytes.len())
    }

    /// The byte behind the closing quote.
    fn quoted(&self, from: usize, quote: u8) -> Result<usize, Wrong> {
        let mut at = from + 1;
        loop {
            match self.bytes.get(at) {
                None => return Err(Wrong::new(from, "a quote is opened here and never closed")),
                Some(b'\\') => at += 2,
                Some(b) if *b == quote => break,
                Some(_) => at += 1,
            }
        }
        match self.bytes.get(at + 1) {
            None | Some(b';' | b'{' | b')') => Ok(at + 1),
            Some(b) if is_blank(*b) => Ok(at + 1),
            Some(_) => Err(Wrong::new(at + 1, "behind a closing quote stands neither white space nor `;` nor `{`")),
        }
    }

    /// Jumps over a block of Lua whose `{` was the last token, to the byte behind its `}`; strings and comments of Lua
    /// may hold braces.
    pub fn skip_lua(&mut self) -> Result<u32, Wrong> {
        let open = self.at.saturating_sub(1);
        let mut depth = 1usize;
        while let Some(b) = self.bytes.get(self.at) {
            match b {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                b'"' | b'\'' => self.at = self.lua_string(self.at, *b),
                b'[' => self.at = self.long_bracket(self.at).unwrap_or(self.at),
                b'-' if self.bytes[self.at..].starts_with(b"--") => {
                    let long = self.bytes.get(self.at + 2) == Some(&b'[');
                    let end = if long { self.long_bracket(self.at + 2) } else { None };
                    self.at = end.unwrap_or_else(|| self.line_end(self.at).saturating_sub(1));
                }
                _ => {}
            }
            self.at = (self.at + 1).min(self.bytes.len());
            if depth == 0 {
                return Ok(self.at as u32);
            }
        }
        Err(Wrong::new(open, "a block of Lua is opened here and never closed"))
    }

    /// The last byte of a string, which ends with its line if no quote closes it.
    fn lua_string(&self, from: usize, quote: u8) -> usize {
        let mut at = from + 1;
        while let Some(b) = self.bytes.get(at) {
            match b {
                b'\\' => at += 2,
                b if *b == quote || *b == b'\n' => break,
                _ => at += 1,
            }
        }
        at.min(self.bytes.len())
    }

    /// The last byte of `[[ .. ]]`, `[=[ .. ]=]` and so on, if one begins here.
    fn long_bracket(&self, from: usize) -> Option<usize> {
        let level = self.bytes[from + 1..].iter().take_while(|b| **b == b'=').count();
        let inner = from + level + 2;
        if self.bytes.get(inner - 1) != Some(&b'[') {
            return None;
        }
        let close: Vec<u8> = [b"]".as_slice(), &vec![b'='; level], b"]"].concat();
        let found = self.bytes[inner..].windows(close.len()).position(|w| w == close);
        Some(found.map_or(self.bytes.len(), |n| inner + n + close.len() - 1))
    }
}

fn is_blank(b: u8) -> bool {
    matches!(b, b' ' | b'\t' | b'\r' | b'\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<(Kind, String)> {
        let mut lexer = Lexer::new(text);
        let mut all = Vec::new();
        while let Some(token) = lexer.token().expect("the text is well-formed") {
            all.push((token.kind, token.value(text).into_owned()));
        }
        all
    }

    fn words(text: &str) -> Vec<String> {
        let is_word = |kind: Kind| matches!(kind, Kind::Word | Kind::Quoted);
        tokens(text).into_iter().filter(|(kind, _)| is_word(*kind)).map(|(_, word)| word).collect()
    }

    #[test]
    fn what_ends_a_word() {
        assert_eq!(words("a b;c{d}e;"), ["a", "b", "c", "d}e"]);
        assert_eq!(words("return 200 a#b; # c\nd"), ["return", "200", "a#b", "d"]);
        assert_eq!(words("set $a ${b}c;"), ["set", "$a", "${b}c"]);
        assert_eq!(words(r"if ($a ~ x\;y\{z) {"), ["if", "($a", "~", r"x\;y\{z)"]);
        assert_eq!(words("location ~ ^/a{2}$ {"), ["location", "~", "^/a", "2}$"]);
        assert_eq!(words("\u{feff}events {}"), ["events"]);
    }

    #[test]
    fn quotes_and_escapes() {
        assert_eq!(words(r#"a "b ; { # \" \n" 'c\'d' "e\d";"#), ["a", "b ; { # \" \n", "c'd", r"e\d"]);
        assert_eq!(words(r#"if ($a = "b") {"#), ["if", "($a", "=", "b", ")"]);
        assert_eq!(words(r#"a b"c" ""; "#), ["a", r#"b"c""#, ""]);
        assert_eq!(words("a \"é\\é\" \\é;"), ["a", "é\\é", "\\é"]);
    }

    #[test]
    fn comments_begin_where_no_word_has_begun() {
        let kinds: Vec<Kind> = tokens("# a\r\nb; #c").into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(kinds, [Kind::Comment, Kind::Word, Kind::Semicolon, Kind::Comment]);
        assert_eq!(tokens("# a\r\nb;")[0].1, "# a");
    }

    #[test]
    fn errors_have_a_place() {
        let fails = |text: &str| {
            let mut lexer = Lexer::new(text);
            loop {
                match lexer.token() {
                    Ok(Some(_)) => {}
                    Ok(None) => return None,
                    Err(wrong) => return Some(wrong.at),
                }
            }
        };
        assert_eq!(fails("a \"b\"c;"), Some(5));
        assert_eq!(fails("a 'b;\n"), Some(2));
        assert_eq!(fails("a \"b\\"), Some(2));
        assert_eq!(fails("a b\\"), None);
    }

    #[test]
    fn lua_is_jumped_over() {
        let text = "{ local a = { b = '}' } -- }\n --[[ } ]] c = [==[ } ]] ]==] d[1] = \"\\\"}\" } after";
        let mut lexer = Lexer::new(text);
        lexer.token().expect("a brace");
        let end = lexer.skip_lua().expect("balanced") as usize;
        assert_eq!(&text[end..], " after");
        for open in ["{ a", "{ '", "{ [[", "{ --[==[", "{ --", "{ \"\\", "{ ["] {
            let mut lexer = Lexer::new(open);
            lexer.token().expect("a brace");
            assert_eq!(lexer.skip_lua().map_err(|w| w.at), Err(0), "{open}");
        }
    }
}
