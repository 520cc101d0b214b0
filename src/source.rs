//! Files as text, and places in them. Everything above keeps byte ranges; lines and columns are derived here, once.

use std::sync::OnceLock;

/// The position of a file in [`Sources`]. Files are sorted by path, so ids order like paths.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct FileId(pub u32);

/// A byte range of one file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Span {
    pub file: FileId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(file: FileId, start: u32, end: u32) -> Span {
        Span { file, start, end: end.max(start) }
    }

    pub fn contains(&self, other: Span) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }
}

/// A place as people read it: both numbers start at 1, the column counts characters.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LineColumn {
    pub line: u32,
    pub column: u32,
}

/// One file of the input. `path` is relative to the working directory, with `/`.
#[derive(Debug)]
pub struct SourceFile {
    pub path: String,
    pub text: String,
    /// It serves tests, benchmarks or examples alone: it is read, so that calls through it are known, but nothing is said
    /// about it and nothing begins in it.
    pub support: bool,
    lines: OnceLock<Vec<u32>>,
    /// It stands inside of a file whose path is so long a part of its own.
    inside: Option<usize>,
}

impl SourceFile {
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> SourceFile {
        SourceFile { path: path.into(), text: text.into(), support: false, lines: OnceLock::new(), inside: None }
    }

    /// A file that stands inside of another one, at the same places; `path` begins with that one's.
    pub fn inside(of: &SourceFile, path: String, text: String) -> SourceFile {
        SourceFile { inside: Some(of.path.len()), support: of.support, ..SourceFile::new(path, text) }
    }

    /// The file that people can open.
    pub fn shown(&self) -> &str {
        self.inside.and_then(|end| self.path.get(..end)).unwrap_or(&self.path)
    }

    /// Written by a program, by the mark that generators put at the beginning.
    pub fn is_generated(&self) -> bool {
        let head = self.text.lines().take(5);
        head.filter(|l| l.trim_start().starts_with("//")).any(|l| l.contains("@generated"))
    }

    /// The byte at which each line begins.
    pub fn line_starts(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let ends = self.text.bytes().enumerate().filter(|(_, b)| *b == b'\n');
            std::iter::once(0).chain(ends.map(|(i, _)| i as u32 + 1)).collect()
        })
    }

    /// Line and column of a byte offset; an offset past the end is the end.
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let starts = self.line_starts();
        let line = starts.partition_point(|s| *s <= offset).max(1);
        let from = starts[line - 1] as usize;
        let to = (offset as usize).clamp(from, self.text.len().max(from));
        let before = self.text.as_bytes().get(from..to).unwrap_or_default();
        let characters = before.iter().filter(|b| (**b as i8) >= -0x40).count();
        LineColumn { line: line as u32, column: characters as u32 + 1 }
    }
}

/// All files of a run, sorted by path.
#[derive(Debug, Default)]
pub struct Sources {
    files: Vec<SourceFile>,
}

impl Sources {
    pub fn new(mut files: Vec<SourceFile>) -> Sources {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|a, b| a.path == b.path);
        Sources { files }
    }

    /// The same with one more file. Ids shift: nothing that holds one may be kept.
    pub fn with(self, file: SourceFile) -> Sources {
        self.with_all(vec![file])
    }

    pub fn with_all(mut self, files: Vec<SourceFile>) -> Sources {
        self.files.extend(files);
        Sources::new(self.files)
    }

    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        self.files.iter().enumerate().map(|(i, f)| (FileId(i as u32), f))
    }

    pub fn len(&self) -> usize {
        self.files.len()
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    pub fn get(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    pub fn find(&self, path: &str) -> Option<FileId> {
        self.files.binary_search_by(|f| f.path.as_str().cmp(path)).ok().map(|i| FileId(i as u32))
    }

    pub fn path(&self, span: Span) -> &str {
        self.get(span.file).shown()
    }

    pub fn start(&self, span: Span) -> LineColumn {
        self.get(span.file).line_column(span.start)
    }

    pub fn end(&self, span: Span) -> LineColumn {
        self.get(span.file).line_column(span.end)
    }

    pub fn text(&self, span: Span) -> &str {
        self.get(span.file).text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }
}
