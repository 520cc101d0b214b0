//! Reports for a terminal. Colours and line drawing only where the terminal has them; the words are the same without.

mod audit;
mod check;
mod excerpt;
mod layers;

pub use audit::{Filter, audit, why};
pub use check::check;
pub use layers::layers;

use super::{sanitise, uri};

/// What the terminal can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    pub color: bool,
    /// Line drawing characters; plain ASCII without.
    pub unicode: bool,
    pub width: usize,
    /// The folder that paths are relative to, where the terminal has hyperlinks.
    pub links: Option<&'static str>,
}

impl Style {
    /// For files and pipes.
    pub const PLAIN: Style = Style { color: false, unicode: false, width: 100, links: None };

    pub fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    pub fn red(self, text: &str) -> String {
        self.paint("31", text)
    }

    /// A path, one that can be opened with a click where the terminal can do that.
    pub fn path(self, path: &str) -> String {
        let shown = sanitise::line(path);
        match self.links {
            Some(folder) => {
                let address = uri::path(&format!("{folder}/{path}"));
                format!("\u{1b}]8;;file://{address}\u{1b}\\{shown}\u{1b}]8;;\u{1b}\\")
            }
            None => shown.into_owned(),
        }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.color { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_string() }
    }

    pub fn times(self) -> &'static str {
        if self.unicode { "×" } else { "x" }
    }

    pub fn arrow(self) -> &'static str {
        if self.unicode { "→" } else { "->" }
    }
}
