//! Lines put together to sections, and files to one configuration.
//!
//! HAProxy includes nothing: several files are given to it one after another, a folder in the order of the names. Files of
//! one folder are read as one configuration where they do not contradict each other.

use std::collections::{BTreeMap, BTreeSet};

use super::lex::{Line, Word};
use crate::name::Name;
use crate::source::{FileId, Span};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Global,
    Defaults,
    Frontend,
    Backend,
    Listen,
    /// Of no concern here: peers, resolvers, users.
    Other,
}

impl Kind {
    /// What a word begins at the start of a line.
    pub fn of(word: &str) -> Option<Kind> {
        Some(match word {
            "global" => Kind::Global,
            "defaults" => Kind::Defaults,
            "frontend" => Kind::Frontend,
            "backend" => Kind::Backend,
            "listen" => Kind::Listen,
            "peers" | "resolvers" | "mailers" | "userlist" | "cache" | "program" | "ring" | "http-errors"
            | "fcgi-app" | "log-forward" | "log-profile" | "crt-store" | "traces" | "acme" => Kind::Other,
            _ => return None,
        })
    }

    pub fn has_servers(self) -> bool {
        matches!(self, Kind::Backend | Kind::Listen)
    }

    pub fn takes_requests(self) -> bool {
        matches!(self, Kind::Frontend | Kind::Listen)
    }

    pub fn is_proxy(self) -> bool {
        self.has_servers() || self.takes_requests()
    }
}

/// A line inside a section.
#[derive(Debug, Clone)]
pub struct Statement {
    pub words: Vec<Word>,
    pub at: Span,
}

impl Statement {
    /// The word at a position; empty where there is none.
    pub fn word(&self, index: usize) -> &str {
        self.words.get(index).map_or("", |w| w.value.as_str())
    }

    pub fn is(&self, words: &[&str]) -> bool {
        words.iter().enumerate().all(|(i, word)| self.word(i) == *word)
    }

    /// Where one of its words stands; the whole where there is none.
    pub fn at_word(&self, index: usize) -> Span {
        self.words.get(index).map_or(self.at, |w| Span::new(self.at.file, w.start, w.end))
    }

    /// The words behind a position.
    pub fn from(&self, index: usize) -> &[Word] {
        self.words.get(index..).unwrap_or_default()
    }
}

#[derive(Debug, Clone)]
pub struct Section {
    pub kind: Kind,
    /// Empty for `global` and for `defaults` without a name.
    pub name: Name,
    /// The `defaults` that it names.
    pub from: Option<Name>,
    pub head: Statement,
    /// The last byte of its last line.
    pub end: u32,
    pub lines: Vec<Statement>,
}

/// The sections of a file. What stands before the first belongs to none.
pub fn sections(file: FileId, lines: Vec<Line>) -> Vec<Section> {
    let mut found: Vec<Section> = Vec::new();
    for line in lines {
        let (Some(first), Some(last)) = (line.words.first(), line.words.last()) else { continue };
        // `.if`, `.endif`: both sides of a switch are read.
        if first.value.starts_with('.') {
            continue;
        }
        let at = Span::new(file, first.start, last.end);
        let kind = Kind::of(&first.value);
        let statement = Statement { words: line.words, at };
        match (kind, found.last_mut()) {
            (Some(kind), _) => found.push(section(kind, statement)),
            (None, Some(section)) => {
                section.end = at.end;
                section.lines.push(statement);
            }
            (None, None) => {}
        }
    }
    found
}

fn section(kind: Kind, head: Statement) -> Section {
    let from = head.words.iter().skip(1).position(|w| w.value == "from").map(|i| i + 2);
    let named = if from == Some(2) { "" } else { head.word(1) };
    Section {
        kind,
        name: Name::new(named),
        from: from.map(|i| Name::new(head.word(i))).filter(|n| !n.is_empty()),
        end: head.at.end,
        head,
        lines: Vec::new(),
    }
}

/// A file with its sections.
#[derive(Debug)]
pub struct Doc<'a> {
    pub file: FileId,
    pub path: &'a str,
    pub sections: Vec<Section>,
}

impl Doc<'_> {
    /// It says what holds for all: a whole configuration has such a section.
    pub fn is_main(&self) -> bool {
        self.sections.iter().any(|s| matches!(s.kind, Kind::Global | Kind::Defaults))
    }
}

/// Files that are given to one HAProxy: those of a folder, each alone where two of them say what one can say only once. A
/// folder of parts alone belongs to what stands in the folder around it.
pub fn together(docs: Vec<Doc<'_>>) -> Vec<Vec<Doc<'_>>> {
    let mut by_folder: BTreeMap<String, Vec<Doc<'_>>> = BTreeMap::new();
    for doc in docs {
        by_folder.entry(folder(doc.path).to_owned()).or_default().push(doc);
    }
    let around = |path: &String| folder(path).to_owned();
    let parts: Vec<String> =
        by_folder.iter().filter(|(_, docs)| !docs.iter().any(Doc::is_main)).map(|(f, _)| f.clone()).collect();
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        let main = by_folder.get(&around(&part)).is_some_and(|docs| docs.iter().filter(|d| d.is_main()).count() == 1);
        if main && let Some(docs) = by_folder.remove(&part) {
            by_folder.entry(around(&part)).or_default().extend(docs);
        }
    }
    let mut all = Vec::new();
    for group in by_folder.into_values() {
        match contradict(&group) {
            true => all.extend(group.into_iter().map(|doc| vec![doc])),
            false => all.push(group),
        }
    }
    all
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn contradict(docs: &[Doc<'_>]) -> bool {
    let mut seen: BTreeSet<(Kind, &Name)> = BTreeSet::new();
    docs.iter().any(|doc| {
        let once = |s: &&Section| s.kind != Kind::Other;
        let own: BTreeSet<(Kind, &Name)> = doc.sections.iter().filter(once).map(|s| (s.kind, &s.name)).collect();
        let clash = own.iter().any(|key| seen.contains(key));
        seen.extend(own);
        clash
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::haproxy::lex;

    fn doc<'a>(path: &'a str, text: &str) -> Doc<'a> {
        Doc { file: FileId(0), path, sections: sections(FileId(0), lex::lines(text).0) }
    }

    #[test]
    fn sections_have_names_and_defaults() {
        let text =
            "x\nglobal\n a\ndefaults\ndefaults d from e\n b 1\n.if x\nlisten l 1.2.3.4:80 from d\nuserlist u\n user";
        let found = doc("a", text).sections;
        let shown: Vec<_> = found.iter().map(|s| (s.kind, s.name.as_str(), s.from.as_deref(), s.lines.len())).collect();
        assert_eq!(
            shown,
            [
                (Kind::Global, "", None, 1),
                (Kind::Defaults, "", None, 0),
                (Kind::Defaults, "d", Some("e"), 1),
                (Kind::Listen, "l", Some("d"), 0),
                (Kind::Other, "u", None, 1),
            ]
        );
        assert_eq!(doc("a", "defaults from x").sections[0].from.as_deref(), Some("x"));
    }

    #[test]
    fn files_of_a_folder_are_one_unless_they_contradict() {
        let count = |files: Vec<Doc<'_>>| together(files).iter().map(Vec::len).collect::<Vec<_>>();
        let (a, b) = ("defaults\n mode http\nfrontend f\n", "backend b\n");
        assert_eq!(count(vec![doc("d/1.cfg", a), doc("d/2.cfg", b), doc("e/3.cfg", b)]), [2, 1]);
        assert_eq!(count(vec![doc("d/1.cfg", a), doc("d/2.cfg", a)]), [1, 1]);
        assert_eq!(count(vec![doc("d/1.cfg", a), doc("d/haproxy.d/2.cfg", b), doc("e/x/3.cfg", b)]), [2, 1]);
        assert_eq!(count(vec![doc("d/1.cfg", a), doc("d/x/2.cfg", a)]), [1, 1]);
    }
}
