//! Where `mod name;` and `include!` lead: the language's rules about files and folders.

use super::tree::Item;
use crate::source::{FileId, Sources};

/// Where items stand, as far as the files of modules in them hang on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// Where files of child modules are looked for.
    pub dir: String,
    /// The module is written inside another one in its file: `#[path]` counts from `dir`, not from the file.
    pub inline: bool,
}

impl Folder {
    pub fn of_root(path: &str) -> Folder {
        Folder { dir: parent(path).to_owned(), inline: false }
    }

    /// Inside `mod name { .. }`.
    pub fn inside(&self, item: &Item) -> Folder {
        let name = item.attrs.path.as_ref().unwrap_or(&item.name);
        Folder { dir: clean(&format!("{}/{name}", self.dir)), inline: true }
    }

    /// The file of `mod name;` that is written in the file `own`, and the folder of its children.
    pub fn module(&self, sources: &Sources, own: &str, item: &Item) -> Option<(FileId, Folder)> {
        if let Some(path) = &item.attrs.path {
            let base = if self.inline { self.dir.as_str() } else { parent(own) };
            let path = clean(&format!("{base}/{path}"));
            return Some((sources.find(&path)?, Folder::of_root(&path)));
        }
        let dir = clean(&format!("{}/{}", self.dir, item.name));
        let file = sources.find(&format!("{dir}.rs")).or_else(|| sources.find(&format!("{dir}/mod.rs")))?;
        Some((file, Folder { dir, inline: false }))
    }
}

/// The file that `include!("path")` in the file `own` means.
pub fn included(sources: &Sources, own: &str, path: &str) -> Option<FileId> {
    sources.find(&clean(&format!("{}/{path}", parent(own))))
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(dir, _)| dir)
}

/// `a//./b/../c` is `a/c`; what climbs out of the input stays and is simply not found.
fn clean(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|p| *p != "..") => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    let rooted = if path.starts_with('/') && !parts.is_empty() { "/" } else { "" };
    format!("{rooted}{}", parts.join("/"))
}
