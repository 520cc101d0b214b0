//! Events to the tree. Collections that are still open lie on a stack of our own; what an alias stands for is added up as
//! it comes, so that a bomb is known by arithmetic and never by walking it.

use std::borrow::Cow;
use std::collections::HashMap;

use granit_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput, StructureStyle, Tag};

use super::{Comment, MAX_DEPTH, MAX_NODES, MAX_PROBLEMS, MAX_WEIGHT, Problem, ProblemKind, Raw, Style, Tree, What};
use super::{scalar, template};

/// Reads `tree.text` into the rest of `tree`.
pub(super) fn fill(tree: &mut Tree<'_>) {
    let options = granit_parser::options! {
        // A licence of more than a hundred lines above the first key is no reason to give up; the text is in memory anyway.
        max_buffered_comment_events: usize::MAX,
        // JSON has no limit on the length of a key.
        simple_key_max_lookahead: 1 << 16,
        // As the loaders in use have it.
        block_scalar_eof_without_line_feed: true,
    };
    let mut parser = Parser::new_from_str_with_options(tree.text, options);
    let mut build = Build { tree, open: Vec::new(), anchors: HashMap::new() };
    while let Some(next) = parser.next_event() {
        let refused = match next {
            Ok((event, span)) => build.event(event, span).err(),
            Err(error) => Some(build.syntax(&error)),
        };
        if let Some(problem) = refused {
            let over = problem.kind == ProblemKind::Template || build.tree.problems.len() >= MAX_PROBLEMS;
            build.give_up(problem);
            if over || build.tree.nodes.len() > MAX_NODES || !next_document(&mut parser) {
                break;
            }
        }
    }
    build.tree.comments.sort_by_key(|c| c.start);
}

fn next_document<'s>(parser: &mut Parser<'s, StrInput<'s>>) -> bool {
    parser.proceed_next_document().unwrap_or(false)
}

struct Build<'b, 's> {
    tree: &'b mut Tree<'s>,
    open: Vec<Open>,
    /// By the parser's number: nodes that aliases may name.
    anchors: HashMap<usize, Finished>,
}

/// A collection whose end has not come yet.
struct Open {
    id: u32,
    anchor: usize,
    children: Vec<u32>,
    weight: u64,
    depth: u32,
}

/// A node that is complete, with all that it stands for.
#[derive(Clone, Copy)]
struct Finished {
    id: u32,
    weight: u64,
    depth: u32,
}

impl<'s> Build<'_, 's> {
    fn event(&mut self, event: Event<'s>, span: Span) -> Result<(), Problem> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let node = self.scalar(text, style, span, tag)?;
                self.finished(node, anchor)
            }
            Event::SequenceStart(_, anchor, tag) => self.open(span, anchor, tag, What::Sequence(0, 0)),
            Event::MappingStart(style, anchor, tag) => {
                let (start, _) = bytes(span);
                let rest = self.tree.text.get(start as usize..).unwrap_or_default();
                if let Some(mark) = template::opens(rest).filter(|_| style == StructureStyle::Flow) {
                    return Err(template::problem(start, mark));
                }
                self.open(span, anchor, tag, What::Mapping(0, 0))
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
            Event::Alias(anchor) => self.alias(anchor, span),
            Event::Comment(_, _) => {
                let (start, end) = bytes(span);
                self.tree.comments.push(Comment::new(self.tree.text, start, end));
                Ok(())
            }
            // Aliases without an anchor are the parser's errors, anchors' names are not needed.
            Event::DocumentEnd => {
                self.anchors.clear();
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn push(&mut self, start: u32, end: u32, what: What<'s>, tag: Option<Cow<'s, Tag>>) -> Result<u32, Problem> {
        let id = self.tree.nodes.len() as u32;
        if self.tree.nodes.len() >= MAX_NODES {
            return Err(limit(start, format!("more than {MAX_NODES} values in one file")));
        }
        let parent = self.open.last().map_or(id, |o| o.id);
        self.tree.nodes.push(Raw { start, end, parent, what });
        if let Some(tag) = tag {
            self.tree.tags.push((id, tag.original().into_boxed_str()));
        }
        Ok(id)
    }

    fn scalar(
        &mut self,
        text: Cow<'s, str>,
        style: ScalarStyle,
        span: Span,
        tag: Option<Cow<'s, Tag>>,
    ) -> Result<Finished, Problem> {
        let (mut start, mut end) = bytes(span);
        if start == end && style == ScalarStyle::Plain {
            // A value that is not there: its place is behind its key, not where the next word happens to begin.
            (start, end) = self.before_nothing().map_or((start, end), |at| (at, at));
        }
        let style = Style::from(style);
        if matches!(style, Style::Literal | Style::Folded) {
            end = trimmed(self.tree.text, start, end);
        }
        let weight = 1 + text.len() as u64 / 32;
        let id = self.push(start, end, What::Scalar(text, style), tag)?;
        Ok(Finished { id, weight, depth: 1 })
    }

    /// The end of the key whose value comes now.
    fn before_nothing(&self) -> Option<u32> {
        let open = self.open.last()?;
        let mapping = matches!(self.tree.nodes[open.id as usize].what, What::Mapping(..));
        let key = *open.children.last().filter(|_| mapping && !open.children.len().is_multiple_of(2))?;
        Some(self.tree.nodes[key as usize].end)
    }

    fn open(&mut self, span: Span, anchor: usize, tag: Option<Cow<'s, Tag>>, what: What<'s>) -> Result<(), Problem> {
        let (start, end) = bytes(span);
        let id = self.push(start, end, what, tag)?;
        self.open.push(Open { id, anchor, children: Vec::new(), weight: 1, depth: 0 });
        Ok(())
    }

    fn close(&mut self, span: Span) -> Result<(), Problem> {
        let open = self.open.pop().expect("the parser closes only what it opened");
        let from = self.tree.children.len() as u32;
        self.tree.children.extend_from_slice(&open.children);
        let to = self.tree.children.len() as u32;
        let (begin, end) = bytes(span);
        let last = open.children.last().map_or(0, |c| self.tree.nodes[*c as usize].end);
        let node = &mut self.tree.nodes[open.id as usize];
        // A block ends with its last value; only brackets have an end of their own.
        node.end = if begin < end { end } else { last.max(node.end) };
        let mapping = matches!(node.what, What::Mapping(..));
        node.what = if mapping { What::Mapping(from, to) } else { What::Sequence(from, to) };
        if mapping {
            self.duplicates(&open.children);
        }
        self.finished(Finished { id: open.id, weight: open.weight, depth: open.depth + 1 }, open.anchor)
    }

    fn alias(&mut self, anchor: usize, span: Span) -> Result<(), Problem> {
        let (start, end) = bytes(span);
        let Some(target) = self.anchors.get(&anchor).copied() else {
            let name = self.tree.text.get(start as usize..end as usize).unwrap_or_default();
            let message = format!("the alias `{name}` stands inside of what it names");
            return Err(Problem { kind: ProblemKind::Limit, at: start..end, message, first: None });
        };
        let id = self.push(start, end, What::Alias(target.id), None)?;
        self.finished(Finished { id, ..target }, 0)
    }

    /// Gives a complete node to the collection around it, or to the list of documents.
    fn finished(&mut self, node: Finished, anchor: usize) -> Result<(), Problem> {
        let start = self.tree.nodes[node.id as usize].start;
        if node.depth > MAX_DEPTH {
            return Err(limit(start, format!("nested more than {MAX_DEPTH} levels deep")));
        }
        if node.weight > MAX_WEIGHT {
            return Err(limit(start, format!("its aliases stand for more than {MAX_WEIGHT} values")));
        }
        if anchor > 0 {
            self.anchors.insert(anchor, node);
        }
        match self.open.last_mut() {
            Some(open) => {
                open.children.push(node.id);
                open.weight = open.weight.saturating_add(node.weight);
                open.depth = open.depth.max(node.depth);
            }
            None => self.tree.documents.push(node.id),
        }
        Ok(())
    }

    fn duplicates(&mut self, children: &[u32]) {
        let nodes = &self.tree.nodes;
        let keys = children.chunks(2).filter_map(|pair| match &nodes[pair[0] as usize].what {
            // Several merges are a habit that every loader accepts.
            What::Scalar(text, style) if !(text == scalar::MERGE && *style == Style::Plain) => Some((&**text, pair[0])),
            _ => None,
        });
        let mut seen: HashMap<&str, u32> = HashMap::new();
        let mut found = Vec::new();
        for (text, id) in keys {
            if let Some(first) = seen.insert(text, id) {
                found.push((text.to_string(), first, id));
            }
        }
        for (text, first, id) in found {
            if self.tree.problems.len() >= MAX_PROBLEMS {
                break;
            }
            let range = |id: u32| self.tree.nodes[id as usize].start..self.tree.nodes[id as usize].end;
            let shown: String = text.chars().take(60).collect();
            let message = format!("the key `{shown}` stands twice in one mapping");
            let (at, first) = (range(id), Some(range(first)));
            self.tree.problems.push(Problem { kind: ProblemKind::DuplicateKey, at, message, first });
        }
    }

    fn syntax(&self, error: &ScanError) -> Problem {
        let at = error.marker().byte_offset().unwrap_or(0).min(self.tree.text.len());
        if let Some(found) = template::near(self.tree.text, at) {
            return found;
        }
        let words: Vec<String> = error.info().split_whitespace().map(str::to_string).collect();
        let at = at as u32;
        Problem { kind: ProblemKind::Syntax, at: at..at, message: words.join(" "), first: None }
    }

    /// Leaves the open document out. Of a template nothing is left.
    fn give_up(&mut self, problem: Problem) {
        self.open.clear();
        self.anchors.clear();
        if problem.kind == ProblemKind::Template {
            self.tree.documents.clear();
            self.tree.problems.clear();
        }
        self.tree.problems.push(problem);
    }
}

fn limit(start: u32, message: String) -> Problem {
    Problem { kind: ProblemKind::Limit, at: start..start, message, first: None }
}

/// The parser gives byte offsets for every event of a text in memory.
fn bytes(span: Span) -> (u32, u32) {
    let range = span.byte_range().unwrap_or_default();
    (range.start as u32, range.end.max(range.start) as u32)
}

/// A block scalar reaches to the next word; its last line is its end.
fn trimmed(text: &str, start: u32, end: u32) -> u32 {
    let inside = text.get(start as usize..end as usize).unwrap_or_default();
    start + inside.trim_end().len() as u32
}
