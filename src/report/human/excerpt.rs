//! Source text for miette, over the line table that every file has anyway: miette's own scan begins at byte 0 for every
//! label, which is hundreds of times slower on a large file.

use std::borrow::Cow;
use std::collections::BTreeMap;

use miette::{MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};

use super::Style;
use crate::report::sanitise;
use crate::source::{FileId, SourceFile, Sources, Span};

/// Lines longer than this are generated, and an excerpt of one would fill the screen.
const LONGEST_LINE: usize = 400;

/// The sanitised texts of the files that excerpts are taken from.
pub struct Sheets<'a> {
    sources: &'a Sources,
    style: Style,
    texts: BTreeMap<FileId, Cow<'a, str>>,
}

impl<'a> Sheets<'a> {
    pub fn new(sources: &'a Sources, style: Style, places: impl Iterator<Item = Span>) -> Sheets<'a> {
        let mut texts = BTreeMap::new();
        for at in places {
            texts.entry(at.file).or_insert_with(|| sanitise::excerpt(&sources.get(at.file).text));
        }
        Sheets { sources, style, texts }
    }

    /// The sheet to show a place on; `None` where an excerpt would help nobody.
    pub fn sheet(&self, at: Span) -> Option<Sheet<'_>> {
        let text = self.texts.get(&at.file)?;
        let file = self.sources.get(at.file);
        let sheet = Sheet { path: self.style.path(file.shown()), text, file };
        let (from, to) = sheet.window(self.label(at).0, 2);
        let readable = !text.is_empty() && text.get(from..to)?.lines().all(|l| l.len() <= LONGEST_LINE);
        readable.then_some(sheet)
    }

    /// Offset and length of what is underlined: the first line of the place.
    pub fn label(&self, at: Span) -> (usize, usize) {
        let text = &self.sources.get(at.file).text;
        let start = (at.start as usize).min(text.len());
        let end = (at.end as usize).clamp(start, text.len());
        let part = text.as_bytes().get(start..end).unwrap_or_default();
        let length = part.iter().position(|b| *b == b'\n' || *b == b'\r').unwrap_or(part.len());
        (start, length)
    }
}

/// One file as miette reads it.
#[derive(Debug)]
pub struct Sheet<'a> {
    path: String,
    text: &'a str,
    file: &'a SourceFile,
}

impl Sheet<'_> {
    fn line_of(&self, offset: usize) -> usize {
        self.file.line_starts().partition_point(|s| *s as usize <= offset).saturating_sub(1)
    }

    fn line_end(&self, line: usize) -> usize {
        self.file.line_starts().get(line + 1).map_or(self.text.len(), |s| *s as usize)
    }

    fn window(&self, offset: usize, around: usize) -> (usize, usize) {
        let line = self.line_of(offset);
        let from = self.file.line_starts().get(line.saturating_sub(around)).map_or(0, |s| *s as usize);
        (from, self.line_end(line + around))
    }
}

impl SourceCode for Sheet<'_> {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let offset = span.offset();
        if offset > self.text.len() {
            return Err(MietteError::OutOfBounds);
        }
        let line = self.line_of(offset);
        let first = line.saturating_sub(before);
        let place = self.file.line_column(offset as u32);
        let (from, column) = match before {
            0 => (offset, place.column as usize - 1),
            _ => (self.file.line_starts()[first] as usize, 0),
        };
        let last = self.line_of((offset + span.len()).min(self.text.len())) + after;
        let to = self.line_end(last).max(from);
        let data = self.text.get(from..to).ok_or(MietteError::OutOfBounds)?;
        let span = (from, data.len()).into();
        let contents =
            MietteSpanContents::new_named(self.path.clone(), data.as_bytes(), span, first, column, last + 1 - first);
        Ok(Box::new(contents))
    }
}
