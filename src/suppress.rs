//! `retrylint:` comments of source files: what people accept and what they state about code the program cannot see.
//!
//! A comment is found by a small lexer, never by searching the text, so that a string that happens to hold the words says
//! nothing. How far one reaches is found by matching brackets: that needs no syntax tree and works in files that do not parse.

pub mod lex;

use crate::source::{FileId, Span};
use lex::{Kind, Token};

/// One `retrylint:` comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// The comment itself.
    pub at: Span,
    pub what: What,
    /// What it says, without `retrylint:` and the reason.
    pub words: String,
    /// From the first byte of the line it speaks of to the end of the statement, item or block that begins there.
    pub covers: Span,
    pub reason: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// Findings of these lints, by code or name, are accepted.
    Allow(Vec<String>),
    AllowFile(Vec<String>),
    Attempts(u64),
    Idempotent,
    NotARetry,
    Operation(String),
    Owner,
    /// Words after `retrylint:` that mean nothing.
    Unknown(String),
}

/// Every `retrylint:` comment of a Rust file, in order.
pub fn comments(file: FileId, text: &str) -> Vec<Comment> {
    if !text.contains("retrylint:") {
        return Vec::new();
    }
    let tokens: Vec<Token> = lex::tokens(text).collect();
    let said = tokens.iter().filter(|t| t.kind == Kind::Comment);
    said.filter_map(|t| comment(file, text, &tokens, *t)).collect()
}

fn comment(file: FileId, text: &str, tokens: &[Token], at: Token) -> Option<Comment> {
    let body = text.get(at.start..at.end)?.trim_start_matches(['/', '*', '!']).trim_end_matches("*/");
    let span = |(start, end): (usize, usize)| Span::new(file, start as u32, end as u32);
    let covers = || span(covered(text, tokens, at));
    said(span((at.start, at.end)), body, covers, span((0, text.len())))
}

/// One comment of any format: its text without the comment's own sign, what it speaks of, and the whole file. `None` if it
/// does not speak to this program.
pub fn said(at: Span, text: &str, covers: impl FnOnce() -> Span, whole: Span) -> Option<Comment> {
    let body = text.trim().strip_prefix("retrylint:")?.trim();
    let (words, reason) = match body.split_once("--") {
        Some((words, reason)) => (words.trim(), Some(reason.trim()).filter(|r| !r.is_empty())),
        None => (body, None),
    };
    let what = what(words);
    let covers = if matches!(what, What::AllowFile(_)) { whole } else { covers() };
    Some(Comment { at, what, words: words.to_string(), covers, reason: reason.map(str::to_string) })
}

fn what(words: &str) -> What {
    let list = |head: &str| {
        let inner = words.strip_prefix(head)?.trim_start().strip_prefix('(')?.strip_suffix(')')?;
        Some(inner.split(',').map(|w| w.trim().to_string()).filter(|w| !w.is_empty()).collect())
    };
    let value = |head: &str| Some(words.strip_prefix(head)?.trim_start().strip_prefix('=')?.trim());
    if let Some(codes) = list("allow-file") {
        return What::AllowFile(codes);
    }
    if let Some(codes) = list("allow") {
        return What::Allow(codes);
    }
    if let Some(n) = value("attempts").and_then(|v| v.parse().ok()) {
        return What::Attempts(n);
    }
    if let Some(name) = value("operation").and_then(|v| v.strip_prefix('"')?.strip_suffix('"')) {
        return What::Operation(name.to_string());
    }
    match words {
        "idempotent" => What::Idempotent,
        "not-a-retry" => What::NotARetry,
        "owner" => What::Owner,
        other => What::Unknown(other.to_string()),
    }
}

/// The bytes a comment speaks of: what begins on its line if code stands before it there, else on the next line of code.
fn covered(text: &str, tokens: &[Token], at: Token) -> (usize, usize) {
    let line_of = |offset: usize| text[..offset].rfind('\n').map_or(0, |n| n + 1);
    let line = line_of(at.start);
    let beside = tokens.iter().position(|t| t.kind != Kind::Comment && t.start >= line && t.start < at.start);
    let after = || tokens.iter().position(|t| t.kind != Kind::Comment && t.start >= at.end);
    let Some(first) = beside.or_else(after) else { return (at.start, at.end) };
    let start = line_of(tokens[first].start).min(tokens[first].start);
    (start, end_of_unit(tokens, first).max(tokens[first].end))
}

/// The end of the statement, item, arm or block whose first token is given. A closing bracket that was not opened ends it.
fn end_of_unit(tokens: &[Token], first: usize) -> usize {
    let first = after_leading_closers(tokens, first);
    // In an item or a `let`, a comma outside brackets separates generics; elsewhere it ends an arm, a field, an argument.
    let item = tokens.get(after_attributes(tokens, first)).is_some_and(|t| t.kind == Kind::Item);
    let mut depth = 0usize;
    let mut end = tokens.get(first).map_or(0, |t| t.end);
    let mut rest = tokens[first..].iter().filter(|t| t.kind != Kind::Comment).peekable();
    while let Some(token) = rest.next() {
        match token.kind {
            Kind::Open(_) => depth += 1,
            Kind::Close(_) if depth == 0 => return end,
            Kind::Close(bracket) => {
                depth -= 1;
                let over = bracket == b'}' && depth == 0 && !rest.peek().is_some_and(|next| goes_on(next.kind));
                if over {
                    return token.end;
                }
            }
            Kind::Semicolon if depth == 0 => return token.end,
            Kind::Comma if depth == 0 && !item => return token.end,
            _ => {}
        }
        end = token.end;
    }
    end
}

/// The first token behind `#[..]` attributes.
fn after_attributes(tokens: &[Token], first: usize) -> usize {
    let (mut at, mut depth) = (first, 0usize);
    while let Some(token) = tokens.get(at) {
        match token.kind {
            Kind::Open(_) => depth += 1,
            Kind::Close(_) => depth = depth.saturating_sub(1),
            Kind::Hash | Kind::Comment => {}
            _ if depth > 0 => {}
            _ => break,
        }
        let opens_a_block = token.kind == Kind::Open(b'{') && depth == 1;
        if opens_a_block {
            break;
        }
        at += 1;
    }
    at
}

/// `} else {` on the comment's line: what begins there is what follows the bracket.
fn after_leading_closers(tokens: &[Token], first: usize) -> usize {
    let closers = tokens[first..].iter().take_while(|t| matches!(t.kind, Kind::Close(_))).count();
    if first + closers < tokens.len() { first + closers } else { first }
}

/// Whether an expression goes on after a `}`: `.await`, `?`, `else`, a closing `;`.
fn goes_on(next: Kind) -> bool {
    matches!(next, Kind::Dot | Kind::Question | Kind::Else | Kind::Semicolon | Kind::Comma | Kind::Greater)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<Comment> {
        comments(FileId(0), text)
    }

    fn covers<'t>(text: &'t str, comment: &Comment) -> &'t str {
        text[comment.covers.start as usize..comment.covers.end as usize].trim()
    }

    #[test]
    fn words() {
        let text = "// retrylint: allow(fixed-backoff, RL101) -- one client, nightly\nlet a = 1;\n";
        let found = all(text);
        assert_eq!(found[0].what, What::Allow(vec!["fixed-backoff".into(), "RL101".into()]));
        assert_eq!(found[0].reason.as_deref(), Some("one client, nightly"));
        for (words, meant) in [
            ("attempts = 3", What::Attempts(3)),
            ("idempotent", What::Idempotent),
            ("not-a-retry", What::NotARetry),
            ("operation = \"checkout\"", What::Operation("checkout".into())),
            ("owner", What::Owner),
            ("allow-file(RL201)", What::AllowFile(vec!["RL201".into()])),
            ("alow(RL201)", What::Unknown("alow(RL201)".into())),
        ] {
            assert_eq!(all(&format!("// retrylint: {words}\nfn f() {{}}\n"))[0].what, meant);
        }
    }

    #[test]
    fn never_inside_strings() {
        let text = r####"
const A: &str = "// retrylint: allow(RL106) -- text";
const B: &str = r#"
// retrylint: allow(RL106) " text
"#;
const C: &[u8] = b"\" // retrylint: owner";
const D: char = '"'; // retrylint: owner
fn f<'a>(x: &'a str) { let _ = 'x'; /* a /* retrylint: owner */ b */ }
const E: &str = cr##"// retrylint: "# owner"##;
"####;
        let found = all(text);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(covers(text, &found[0]), "const D: char = '\"';");
    }

    #[test]
    fn a_statement_with_blocks() {
        let text = "fn f() {\n    // retrylint: allow(RL101)\n    let x = loop { g(); }.await?;\n    other();\n}\n";
        assert_eq!(covers(text, &all(text)[0]), "let x = loop { g(); }.await?;");
    }

    #[test]
    fn a_block_ends_where_it_closes() {
        let text = "fn f() {\n // retrylint: owner\n // why\n loop {\n  a();\n }\n b();\n}\n";
        assert_eq!(covers(text, &all(text)[0]), "loop {\n  a();\n }");
    }

    #[test]
    fn an_item_with_attributes() {
        let text = "// retrylint: owner\n#[instrument(skip(a))]\npub async fn f(a: [u8; 3]) -> R<{ 1 }> where A: B {\n x();\n}\nfn g() {}\n";
        assert!(covers(text, &all(text)[0]).starts_with("#[instrument"));
        assert!(covers(text, &all(text)[0]).ends_with("B {\n x();\n}"));
        let generics = "// retrylint: owner\npub fn g<A, B>() -> C {\n x()\n}\nfn h() {}\n";
        assert!(covers(generics, &all(generics)[0]).ends_with("x()\n}"));
        let arm = "match x {\n // retrylint: owner\n Err(e) => f(e),\n Ok(_) => {}\n}";
        assert_eq!(covers(arm, &all(arm)[0]), "Err(e) => f(e),");
    }

    #[test]
    fn beside_code_and_at_the_end() {
        let text = "fn f() { a(); // retrylint: owner\n b(); }\n// retrylint: idempotent";
        let found = all(text);
        assert_eq!(covers(text, &found[0]), "fn f() { a(); // retrylint: owner\n b(); }");
        assert_eq!(found[1].what, What::Idempotent);
    }

    #[test]
    fn a_block_comment_and_a_broken_file() {
        let text = "/* retrylint: allow(RL102) -- odd */ loop { ) } \"open";
        let found = all(text);
        assert_eq!(found[0].reason.as_deref(), Some("odd"));
        assert_eq!(all("/* retrylint: owner").len(), 1);
    }
}
