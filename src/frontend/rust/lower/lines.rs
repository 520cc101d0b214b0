//! From the parser's lines and columns to bytes.
//!
//! proc-macro2 counts characters. Asked for bytes it keeps every answer in a tree of its own, which costs more than all
//! the rest of lowering; lines and columns it finds at once, and from those a byte is one addition away.

use proc_macro2::LineColumn;

/// Lines with other characters than ASCII are walked, unless they are so long that walking would add up.
const LONGEST: usize = 2048;

pub struct Lines<'t> {
    text: &'t str,
    starts: Vec<u32>,
    ascii: bool,
}

impl<'t> Lines<'t> {
    pub fn new(text: &'t str) -> Lines<'t> {
        let ends = text.bytes().zip(1u32..).filter(|(byte, _)| *byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(_, next)| next)).collect();
        Lines { text, starts, ascii: text.is_ascii() }
    }

    /// `None` where the parser has to be asked.
    pub fn byte(&self, at: LineColumn) -> Option<u32> {
        let start = *self.starts.get(at.line.checked_sub(1)?)?;
        if self.ascii {
            return Some(start + at.column as u32);
        }
        let end = self.starts.get(at.line).map_or(self.text.len(), |next| *next as usize);
        let line = self.text.get(start as usize..end)?;
        let before = line.as_bytes().get(..at.column).filter(|b| b.is_ascii());
        if before.is_some() {
            return Some(start + at.column as u32);
        }
        if line.len() > LONGEST {
            return None;
        }
        let column = line.char_indices().nth(at.column).map_or(line.len(), |(byte, _)| byte);
        Some(start + column as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_columns() {
        let text = "ab\né→x\n";
        let lines = Lines::new(text);
        let byte = |line, column| lines.byte(LineColumn { line, column });
        assert_eq!(byte(1, 2), Some(2));
        assert_eq!((byte(2, 0), byte(2, 1), byte(2, 2), byte(2, 3)), (Some(3), Some(5), Some(8), Some(9)));
        assert_eq!(byte(3, 0), Some(10));
        assert_eq!(byte(9, 0), None);
    }

    #[test]
    fn long_lines_are_left_to_the_parser() {
        let text = format!("é{}", "a".repeat(LONGEST));
        assert_eq!(Lines::new(&text).byte(LineColumn { line: 1, column: 5 }), None);
    }
}
