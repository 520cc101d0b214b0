//! Text that is not YAML yet: a chart's or a playbook's template. It is said to be one, instead of an error about YAML that
//! nobody wrote.
//!
//! A string that holds `{{ name }}` in quotes is YAML, and so is one that begins with another word. Only a mark where a
//! value or a line begins makes a template, and only in a text that does not parse, or parses as a mapping whose key is a
//! mapping, which nobody writes.

use super::{Problem, ProblemKind};

const MARKS: [(&str, &str); 3] = [("{{", "}}"), ("{%", "%}"), ("<%", "%>")];

/// The mark with which a flow mapping begins that is none.
pub(super) fn opens(text: &str) -> Option<&'static str> {
    let marks = MARKS.iter().map(|m| m.0).filter(|m| m.starts_with('{'));
    marks.into_iter().find(|m| text.starts_with(m))
}

pub(super) fn problem(start: u32, mark: &str) -> Problem {
    let message = format!("a template (`{mark}`), not read");
    Problem { kind: ProblemKind::Template, at: start..start + mark.len() as u32, message, first: None }
}

/// Is a template the reason for an error of syntax at `error`?
pub(super) fn near(text: &str, error: usize) -> Option<Problem> {
    let mut offset = 0;
    let error_line = line_at(text, error);
    for line in text.split_inclusive('\n') {
        let range = offset..offset + line.len();
        let here = range.contains(&error_line);
        offset = range.end;
        if let Some((at, mark)) = in_line(line, here) {
            return Some(problem((range.start + at) as u32, mark));
        }
        // What stands behind the line that does not parse is not its reason.
        if here {
            break;
        }
    }
    None
}

/// The first byte of the line of `offset`, the last line that is not empty at the end of the text.
fn line_at(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let at = if at == text.len() { text.trim_end().len() } else { at };
    text[..at].rfind('\n').map_or(0, |n| n + 1)
}

fn in_line(line: &str, of_the_error: bool) -> Option<(usize, &'static str)> {
    if line.trim_start().starts_with('#') {
        return None;
    }
    let begins = MARKS.iter().filter_map(|(open, close)| {
        let at = find_unquoted(line, open)?;
        let closed = line[at..].contains(close);
        (closed && (of_the_error || begins_a_word(&line[..at]))).then_some((at, *open))
    });
    let shell = || find_unquoted(line, "${").filter(|at| line[*at..].contains('}')).map(|at| (at, "${"));
    begins.min().or_else(|| of_the_error.then(shell).flatten())
}

/// Does a line or a value begin after this text?
fn begins_a_word(before: &str) -> bool {
    let before = before.trim_end();
    before.is_empty() || before.ends_with([':', '-', '[', '{', ',', '=', '}'])
}

fn find_unquoted(line: &str, mark: &str) -> Option<usize> {
    let mut quote = None;
    let mut escaped = false;
    for (at, byte) in line.bytes().enumerate() {
        match (quote, byte) {
            _ if escaped => escaped = false,
            (Some(b'"'), b'\\') => escaped = true,
            (Some(open), b) if b == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'#') if line[..at].ends_with(' ') => return None,
            (None, _) if line.as_bytes()[at..].starts_with(mark.as_bytes()) => return Some(at),
            (None, _) => {}
        }
    }
    None
}
