//! YAML and JSON as a tree that keeps what a finding needs: the byte range of every key and value, the comments, how a
//! scalar was written. Events come from `granit-parser`; no other file of the crate knows it.
//!
//! The input is a stranger's. Nothing in here recurses over it, aliases stay references to the node they name, and a
//! document whose aliases stand for more than [`MAX_WEIGHT`] nodes is refused, so that whoever walks a tree, through its
//! aliases too, ends soon. What could not be read is a [`Problem`] with its place; the documents beside it are there.

mod build;
mod comment;
mod look;
mod scalar;
mod template;

#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::ops::Range;

pub use comment::Comment;
pub use look::{Entry, Kind, Node, Step};
pub use scalar::{Style, proto_duration, same_field};

/// Larger texts are not read.
pub const MAX_BYTES: usize = 16 << 20;
/// Nodes of one text.
pub const MAX_NODES: usize = 2_000_000;
/// What one document may stand for when every alias is followed: a node counts one and one more for 32 bytes of text.
pub const MAX_WEIGHT: u64 = 2_000_000;
/// Levels of one document when every alias is followed.
pub const MAX_DEPTH: u32 = 512;
/// After so many problems the rest of a text is left alone.
const MAX_PROBLEMS: usize = 50;

/// What a text holds.
#[derive(Debug)]
pub struct Tree<'s> {
    text: &'s str,
    nodes: Vec<Raw<'s>>,
    /// The children of collections, those of one collection side by side; of a mapping key and value in turn.
    children: Vec<u32>,
    /// Tags by node, in order.
    tags: Vec<(u32, Box<str>)>,
    documents: Vec<u32>,
    comments: Vec<Comment>,
    problems: Vec<Problem>,
}

/// One node as it is stored. `parent` of a document's root is the root itself.
#[derive(Debug)]
struct Raw<'s> {
    start: u32,
    end: u32,
    parent: u32,
    what: What<'s>,
}

#[derive(Debug)]
enum What<'s> {
    Scalar(Cow<'s, str>, Style),
    /// A part of `children`.
    Sequence(u32, u32),
    Mapping(u32, u32),
    /// The node it names, which ends before the alias begins.
    Alias(u32),
}

/// Something that could not be read, or not be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub kind: ProblemKind,
    pub at: Range<u32>,
    /// One line, without the place.
    pub message: String,
    /// The first of two equal keys.
    pub first: Option<Range<u32>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemKind {
    /// Not YAML; the document is left out.
    Syntax,
    /// Text that becomes YAML when a template engine has run; nothing of the file is read.
    Template,
    /// A key stands twice in a mapping. The later one counts; most loaders refuse the file.
    DuplicateKey,
    /// Too large, too deep, or its aliases stand for too much; the document is left out.
    Limit,
}

/// Reads a whole text. Never fails: what is wrong stands in [`Tree::problems`].
pub fn read(text: &str) -> Tree<'_> {
    let mut tree = Tree {
        text,
        nodes: Vec::new(),
        children: Vec::new(),
        tags: Vec::new(),
        documents: Vec::new(),
        comments: Vec::new(),
        problems: Vec::new(),
    };
    if text.len() > MAX_BYTES {
        let message = format!("{} MiB is more than is read of one file", text.len() >> 20);
        tree.problems.push(Problem { kind: ProblemKind::Limit, at: 0..0, message, first: None });
        return tree;
    }
    build::fill(&mut tree);
    tree
}

impl<'s> Tree<'s> {
    /// The root of each document that could be read.
    pub fn documents(&self) -> impl Iterator<Item = Node<'_>> {
        self.documents.iter().map(|id| Node { tree: self, id: *id })
    }

    pub fn comments(&self) -> &[Comment] {
        &self.comments
    }

    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The text that was read.
    pub fn text(&self) -> &'s str {
        self.text
    }
}
