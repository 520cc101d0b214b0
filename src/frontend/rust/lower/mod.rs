//! From Rust text to a lowered file: the only place that knows syn. One pass, after which syntax tree and spans are gone.
//!
//! The tree is dropped before the next file is read because it weighs thirty times the text, and positions become byte
//! ranges here because proc-macro2's table of spans grows with every file that is not forgotten.

mod associated;
mod attributes;
mod blocks;
mod context;
mod expressions;
mod flow;
mod format;
mod item_macros;
mod items;
mod lines;
mod macro_rules;
mod macros;
mod nesting;
mod patterns;
mod select;
pub mod test_modules;
mod types;

#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::tree::RustFile;
use context::Lower;

/// Stack that any file may take.
const SMALL: u64 = 128 * 1024;
/// Beyond it a file is not read: no hand-written file comes near.
const LARGEST: u64 = 48 * 1024 * 1024;
/// Frames of builds without optimisation are that much larger.
const FRAMES: u64 = if cfg!(debug_assertions) { 8 } else { 1 };

/// Never panics and never runs out of stack; what cannot be read is a problem in the result.
pub fn lower(text: &str) -> RustFile {
    let lines = lines(text);
    let skipped = skipped(text);
    let rest = &text[skipped..];
    let nesting = nesting::estimate(rest);
    if let Some(at) = nesting.long_number {
        return unread(lines, (at + skipped) as u32, "number too long");
    }
    if nesting.stack > LARGEST {
        return unread(lines, (nesting.at + skipped) as u32, "nesting too deep");
    }
    let stack = ((nesting.stack + SMALL) * FRAMES) as usize;
    let rest = without_docs(rest, &nesting.docs);
    let mut file = with_stack(stack, || parse_and_lower(&rest, Lower::new(text, skipped as u32, stack)));
    file.lines = lines;
    file
}

pub fn lines(text: &str) -> u32 {
    text.bytes().filter(|b| *b == b'\n').count() as u32 + 1
}

/// Bytes before the first token that the parser must not see: a byte order mark and a `#!` line.
fn skipped(text: &str) -> usize {
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let rest = &text[mark..];
    match rest.strip_prefix("#!") {
        Some(line) if !starts_attribute(line) => mark + rest.find('\n').unwrap_or(rest.len()),
        _ => mark,
    }
}

/// Whether `#!` opens `#![..]`; comments may stand between, which is rare enough to leave to the parser.
fn starts_attribute(after: &str) -> bool {
    let after = after.trim_start();
    after.starts_with('[') || after.starts_with("//") || after.starts_with("/*")
}

/// Documentation as plain comments: to the parser each line of it is an attribute of nine parts that nobody reads.
fn without_docs<'t>(text: &'t str, docs: &[usize]) -> Cow<'t, str> {
    if docs.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut from = 0;
    for at in docs {
        plain.push_str(&text[from..*at]);
        plain.push(' ');
        from = at + 1;
    }
    plain.push_str(&text[from..]);
    Cow::Owned(plain)
}

fn unread(lines: u32, at: u32, why: &str) -> RustFile {
    RustFile { lines, problems: vec![(at, why.to_owned())], ..RustFile::default() }
}

/// Twice what parsing takes, so that macros seldom ask for more.
fn with_stack<R>(needed: usize, run: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(needed, needed * 2, run)
}

/// A file that a program fills in before it is Rust.
fn is_template(text: &str) -> bool {
    text.contains("{%") && text.contains("%}")
}

/// `pub impl` is no Rust, but the compiler hands it to attribute macros (extension traits); the parser does not read it.
/// The text with such words blanked, so that all positions stay; `None` if there are none.
fn without_visible_impls(text: &str) -> Option<String> {
    const VISIBLE: [&str; 3] = ["pub impl", "pub(crate) impl", "pub(super) impl"];
    let mut out = text.to_owned();
    for words in VISIBLE {
        let blank = format!("{}impl", " ".repeat(words.len() - 4));
        out = out.replace(words, &blank);
    }
    (out != text).then_some(out)
}

fn parse_and_lower(text: &str, mut lower: Lower) -> RustFile {
    let parsed = |text: &str| catch_unwind(AssertUnwindSafe(|| syn::parse_str::<syn::File>(text)));
    let first = parsed(text);
    let again = match &first {
        Ok(Err(_)) => without_visible_impls(text).and_then(|text| parsed(&text).ok()?.ok()),
        _ => None,
    };
    match again.map_or(first, |file| Ok(Ok(file))) {
        Ok(Ok(file)) => lower.file(&file),
        Ok(Err(_)) if is_template(text) => {}
        Ok(Err(error)) => {
            let at = lower.at(error.span()).start;
            lower.out.problems.push((at, format!("not valid Rust: {error}")));
        }
        Err(_) => lower.out.problems.push((0, "not readable: the parser gave up".to_owned())),
    }
    // No span outlives this line.
    proc_macro2::extra::invalidate_current_thread_spans();
    lower.out
}
