//! Comments that speak to this program, and the directive that each speaks of: the one that begins on its line, else the
//! next one. Of a block all that is in it is meant.

use super::conf::Doc;
use super::tree::Tree;
use crate::source::Span;
use crate::suppress::{self, Comment};

pub fn comments(doc: &Doc<'_>) -> Vec<Comment> {
    if !doc.text.contains("retrylint:") {
        return Vec::new();
    }
    let span = |(start, end): (u32, u32)| Span::new(doc.file, start, end);
    let said = doc.tree.comments.iter().filter_map(|comment| {
        let own = (comment.start, comment.end);
        let covers = || span(covered(&doc.tree, doc.text, comment.start).unwrap_or(own));
        let text = comment.raw(doc.text).trim_start_matches('#');
        suppress::said(span(own), text, covers, span((0, doc.text.len() as u32)))
    });
    said.collect()
}

/// From the first to the last byte of the directive that a comment speaks of.
fn covered(tree: &Tree, text: &str, comment: u32) -> Option<(u32, u32)> {
    let line = text[..comment as usize].rfind('\n').map_or(0, |n| n as u32 + 1);
    let first = tree.first_from(line)?;
    let directive = tree.get(first);
    Some((directive.start, directive.end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::nginx::tree;
    use crate::source::FileId;

    fn all(text: &str) -> Vec<(String, String)> {
        let (tree, wrong) = tree::parse(text);
        assert_eq!(wrong, None);
        let found = comments(&Doc { file: FileId(0), path: "n.conf", text, tree });
        let covered = |c: &Comment| text[c.covers.start as usize..c.covers.end as usize].to_owned();
        found.iter().map(|c| (c.words.clone(), covered(c))).collect()
    }

    fn one(words: &str, covers: &str) -> (String, String) {
        (words.to_owned(), covers.to_owned())
    }

    #[test]
    fn a_comment_speaks_of_what_begins_on_its_line_or_next() {
        let text = "a; # retrylint: allow(RL301) -- x\nb;\n# retrylint: owner\n# why\nc { d; } e;\n# other\n";
        assert_eq!(all(text), [one("allow(RL301)", "a;"), one("owner", "c { d; }")]);
        let block = "c { # retrylint: owner\n d;\n}";
        assert_eq!(all(block), [one("owner", block)]);
        assert_eq!(all("a '# retrylint: owner'; b; # see retrylint: owner"), []);
        assert_eq!(all("a;\n# retrylint: owner"), [one("owner", "# retrylint: owner")]);
        assert_eq!(all("# retrylint: allow-file(RL102)\na;")[0].1, "# retrylint: allow-file(RL102)\na;");
    }
}
