//! Comments that speak to this program, and what each speaks of: the line that it stands on, else the next one. Of a line that
//! opens a section the whole section is meant.

use super::conf::Section;
use crate::source::{FileId, Span};
use crate::suppress::{self, Comment};

pub fn comments(file: FileId, text: &str, sections: &[Section], all: &[(u32, u32)]) -> Vec<Comment> {
    if !text.contains("retrylint:") {
        return Vec::new();
    }
    // What begins where, and what it covers; in the order of the text.
    let head = |s: &Section| (s.head.at.start, s.end);
    let covers: Vec<(u32, u32)> = sections
        .iter()
        .flat_map(|s| std::iter::once(head(s)).chain(s.lines.iter().map(|l| (l.at.start, l.at.end))))
        .collect();
    let span = |(start, end): (u32, u32)| Span::new(file, start, end);
    let said = all.iter().filter_map(|own| {
        let line = text[..own.0 as usize].rfind('\n').map_or(0, |n| n as u32 + 1);
        let covered = || {
            let first = covers.partition_point(|(start, _)| *start < line);
            span(covers.get(first).copied().unwrap_or(*own))
        };
        let words = text.get(own.0 as usize..own.1 as usize)?.trim_start_matches('#');
        suppress::said(span(*own), words, covered, span((0, text.len() as u32)))
    });
    said.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::haproxy::claim::{Claim, claim};

    #[test]
    fn a_comment_speaks_of_what_begins_on_its_line_or_next() {
        let text = "defaults\n retries 9 # retrylint: allow(RL301) -- x\n\n# retrylint: owner\n# why\nbackend b\n server s a:1\n\nbackend c\n";
        let Claim::Config(sections, all) = claim(FileId(0), text) else { panic!("a configuration") };
        let found = comments(FileId(0), text, &sections, &all);
        let shown: Vec<(&str, &str)> =
            found.iter().map(|c| (c.words.as_str(), &text[c.covers.start as usize..c.covers.end as usize])).collect();
        assert_eq!(shown, [("allow(RL301)", "retries 9"), ("owner", "backend b\n server s a:1")]);
    }
}
