//! Comments, and which of them speak of a node.

use super::{Node, Tree, What};

/// A comment: from its `#` to the end of its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Comment {
    pub start: u32,
    pub end: u32,
    /// Nothing but blanks stands before it on its line.
    pub alone: bool,
}

impl Comment {
    pub(super) fn new(text: &str, start: u32, end: u32) -> Comment {
        let line = line_start(text, start);
        let before = text.get(line as usize..start as usize).unwrap_or_default();
        Comment { start, end, alone: before.trim().is_empty() }
    }
}

/// The first byte of the line that holds `at`.
fn line_start(text: &str, at: u32) -> u32 {
    let before = text.as_bytes().get(..at as usize).unwrap_or_default();
    before.iter().rposition(|b| *b == b'\n').map_or(0, |n| n as u32 + 1)
}

fn line_end(text: &str, at: u32) -> u32 {
    let rest = text.as_bytes().get(at as usize..).unwrap_or_default();
    at + rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len()) as u32
}

impl<'s> Tree<'s> {
    /// What a comment says, without `#`.
    pub fn comment_text(&self, comment: &Comment) -> &'s str {
        let text = self.text.get(comment.start as usize..comment.end as usize).unwrap_or_default();
        text.trim_start_matches('#').trim()
    }

    /// The comments above a node without an empty line between, and the one beside it, in order.
    pub fn comments_of(&self, node: Node<'_>) -> Vec<&Comment> {
        let at = node.range().start;
        let mut line = line_start(self.text, at);
        let until = line_end(self.text, at);
        let from = self.comments.partition_point(|c| c.start < line);
        let beside = self.comments[from..].iter().find(|c| c.start < until);
        let mut found: Vec<&Comment> = beside.into_iter().collect();
        for comment in self.comments[..from].iter().rev() {
            let touches = comment.alone && line_end(self.text, comment.start) + 1 == line;
            if !touches {
                break;
            }
            found.insert(0, comment);
            line = line_start(self.text, comment.start);
        }
        found
    }

    /// The bytes that a comment speaks of: the outermost entry or list item that begins on its line, if something stands
    /// before it there, else on the next line that is neither empty nor a comment.
    pub fn covered_by(&self, comment: &Comment) -> Option<std::ops::Range<u32>> {
        let line = if comment.alone { self.next_line(comment)? } else { line_start(self.text, comment.start) };
        let end = line_end(self.text, line);
        let begins = |start: u32| line <= start && start < end;
        let unit = |parent: u32, at: usize, child: u32| {
            let (start, end) = (self.nodes[child as usize].start, self.nodes[child as usize].end);
            match &self.nodes[parent as usize].what {
                What::Sequence(..) => Some((start, end)),
                What::Mapping(from, to) if at.is_multiple_of(2) => {
                    let value = self.children[*from as usize..*to as usize].get(at + 1)?;
                    Some((start, self.nodes[*value as usize].end.max(end)))
                }
                _ => None,
            }
        };
        let mut best: Option<(u32, u32)> = None;
        for (parent, node) in self.nodes.iter().enumerate() {
            let (What::Sequence(from, to) | What::Mapping(from, to)) = node.what else { continue };
            if node.end < line || node.start >= end {
                continue;
            }
            let children = self.children[from as usize..to as usize].iter().enumerate();
            let units = children.filter_map(|(at, child)| unit(parent as u32, at, *child));
            let longest = units.filter(|(start, _)| begins(*start)).max_by_key(|(start, end)| end - start);
            best = best.into_iter().chain(longest).max_by_key(|(start, end)| end - start);
        }
        best.map(|(start, end)| start..end)
    }

    fn next_line(&self, comment: &Comment) -> Option<u32> {
        let mut at = comment.end;
        loop {
            let line = line_end(self.text, at) + 1;
            let text = self.text.get(line as usize..line_end(self.text, line) as usize).filter(|_| line > at)?;
            if !text.trim().is_empty() && !text.trim_start().starts_with('#') {
                return Some(line);
            }
            at = line;
            if at as usize >= self.text.len() {
                return None;
            }
        }
    }
}
