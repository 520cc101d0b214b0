//! `retrylint:` comments of YAML files, for every format that is written in YAML.

use crate::source::{FileId, Span};
use crate::suppress::{self, Comment};
use crate::yaml::Tree;

/// What people accepted or stated in a file. A comment speaks of the entry or list item that begins on its line, or on the
/// next one.
pub fn of_yaml(file: FileId, tree: &Tree<'_>) -> Vec<Comment> {
    let span = |start: u32, end: u32| Span::new(file, start, end);
    let whole = span(0, tree.text().len() as u32);
    let said = tree.comments().iter().filter_map(|comment| {
        let at = span(comment.start, comment.end);
        let covers = || tree.covered_by(comment).map_or(at, |range| span(range.start, range.end));
        suppress::said(at, tree.comment_text(comment), covers, whole)
    });
    said.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suppress::What;
    use crate::yaml;

    #[test]
    fn comments_speak_of_what_begins_behind_them() {
        let text = "# retrylint: allow-file(RL305) -- one caller\na:\n  # retrylint: allow(RL309) -- later\n  b:\n    c: 1\n  d: 'retrylint: x' # retrylint: owner\n";
        let found = of_yaml(FileId(0), &yaml::read(text));
        let covered = |i: usize| text.get(found[i].covers.start as usize..found[i].covers.end as usize);
        assert_eq!(found.len(), 3);
        assert_eq!((&found[0].what, covered(0)), (&What::AllowFile(vec!["RL305".into()]), Some(text)));
        assert_eq!((found[1].reason.as_deref(), covered(1)), (Some("later"), Some("b:\n    c: 1")));
        assert_eq!((&found[2].what, covered(2)), (&What::Owner, Some("d: 'retrylint: x'")));
    }
}
