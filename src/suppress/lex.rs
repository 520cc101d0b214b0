//! Just enough of Rust's lexical grammar to tell comments from text that looks like one. Total: every input gives tokens.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Comment,
    Open(u8),
    Close(u8),
    Semicolon,
    Comma,
    Dot,
    Question,
    Hash,
    Else,
    Greater,
    /// A word with which an item or a `let` begins.
    Item,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

/// Tokens and comments in order, without white space.
pub fn tokens(text: &str) -> Tokens<'_> {
    Tokens { text, at: 0 }
}

#[derive(Debug, Clone)]
pub struct Tokens<'t> {
    text: &'t str,
    at: usize,
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let bytes = self.text.as_bytes();
        let start = self.at + bytes.get(self.at..)?.iter().position(|b| !b.is_ascii_whitespace())?;
        let (kind, end) = next(bytes, start);
        let end = boundary(self.text, end.clamp(start + 1, bytes.len()));
        self.at = end;
        Some(Token { kind, start, end })
    }
}

fn boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

fn next(bytes: &[u8], at: usize) -> (Kind, usize) {
    let rest = &bytes[at..];
    match bytes[at] {
        b'/' if rest.starts_with(b"//") => (Kind::Comment, line_end(bytes, at)),
        b'/' if rest.starts_with(b"/*") => (Kind::Comment, block_comment(bytes, at)),
        b'"' => (Kind::Other, string(bytes, at + 1, b'"')),
        b'\'' => (Kind::Other, quote(bytes, at)),
        b if word_byte(b) => word(bytes, at),
        b @ (b'(' | b'[' | b'{') => (Kind::Open(b), at + 1),
        b @ (b')' | b']' | b'}') => (Kind::Close(b), at + 1),
        b';' => (Kind::Semicolon, at + 1),
        b',' => (Kind::Comma, at + 1),
        b'.' => (Kind::Dot, at + 1),
        b'?' => (Kind::Question, at + 1),
        b'#' => (Kind::Hash, at + 1),
        b'>' => (Kind::Greater, at + 1),
        _ => (Kind::Other, at + 1),
    }
}

fn word_byte(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    let line = &bytes[at..];
    let end = line.iter().position(|b| *b == b'\n').unwrap_or(line.len());
    let end = if end > 0 && line[end - 1] == b'\r' { end - 1 } else { end };
    at + end
}

fn block_comment(bytes: &[u8], at: usize) -> usize {
    let (mut depth, mut i) = (0usize, at);
    while i < bytes.len() {
        if bytes[i..].starts_with(b"/*") {
            depth += 1;
            i += 2;
        } else if bytes[i..].starts_with(b"*/") {
            depth -= 1;
            i += 2;
            if depth == 0 {
                return i;
            }
        } else {
            i += 1;
        }
    }
    bytes.len()
}

/// The byte after the closing quote, escapes skipped.
fn string(bytes: &[u8], from: usize, close: u8) -> usize {
    let mut i = from;
    while i < bytes.len() {
        match bytes[i] {
            b'\\' => i += 2,
            b if b == close => return i + 1,
            _ => i += 1,
        }
    }
    bytes.len()
}

/// A character literal or a lifetime.
fn quote(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at + 1) {
        Some(b'\\') => string(bytes, at + 1, b'\''),
        Some(first) => {
            let length = match first {
                0xF0.. => 4,
                0xE0.. => 3,
                0xC0.. => 2,
                _ => 1,
            };
            if bytes.get(at + 1 + length) == Some(&b'\'') { at + 2 + length } else { at + 1 }
        }
        None => at + 1,
    }
}

/// A word, or the string that a prefix such as `br#` opens.
fn word(bytes: &[u8], at: usize) -> (Kind, usize) {
    let end = bytes[at..].iter().position(|b| !word_byte(*b)).map_or(bytes.len(), |n| at + n);
    let text = &bytes[at..end];
    let following = bytes.get(end).copied();
    match text {
        b"r" | b"br" | b"cr" if matches!(following, Some(b'"' | b'#')) => (Kind::Other, raw_string(bytes, end)),
        b"b" | b"c" if following == Some(b'"') => (Kind::Other, string(bytes, end + 1, b'"')),
        b"b" if following == Some(b'\'') => (Kind::Other, string(bytes, end + 1, b'\'')),
        b"else" => (Kind::Else, end),
        b"pub" | b"fn" | b"async" | b"unsafe" | b"const" | b"static" | b"extern" | b"impl" | b"trait" | b"struct"
        | b"enum" | b"union" | b"type" | b"mod" | b"use" | b"let" => (Kind::Item, end),
        _ => (Kind::Other, end),
    }
}

/// From the first `#` or quote of a raw string to its end; a raw identifier (`r#type`) is a word.
fn raw_string(bytes: &[u8], from: usize) -> usize {
    let hashes = bytes[from..].iter().take_while(|b| **b == b'#').count();
    let open = from + hashes;
    if bytes.get(open) != Some(&b'"') {
        return open;
    }
    let mut i = open + 1;
    while i < bytes.len() {
        let closes = bytes[i] == b'"' && bytes[i + 1..].iter().take(hashes).filter(|b| **b == b'#').count() == hashes;
        if closes {
            return i + 1 + hashes;
        }
        i += 1;
    }
    bytes.len()
}
