//! Which files are read: those that the roots of crates lead to along `mod` and `include!`. Others belong to no target, or
//! to tests that nobody asked for; they are counted and that is all.
//!
//! Wave by wave: all files that one wave names are lowered in parallel, then they are asked for the next.

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use super::lower::{lower, test_modules};
use super::module_files::{Folder, included};
use super::program::{Crate, LoweredFile};
use super::tree::{ExprKind, Item, ItemKind, RustFile};
use crate::source::{FileId, Sources};

/// A file may be included from several folders. No real one is from more than this.
const MOST_FOLDERS: usize = 8;

/// All Rust files, those that no crate leads to without content.
pub fn read(sources: &Sources, crates: &[Crate], tests: bool) -> Vec<LoweredFile> {
    let mut reading = Reading { sources, tests, trees: FxHashMap::default(), folders: FxHashMap::default() };
    let mut wave: Vec<(FileId, Folder)> =
        crates.iter().map(|c| (c.root, Folder::of_root(&sources.get(c.root).path))).collect();
    while !wave.is_empty() {
        wave.retain(|(file, folder)| reading.is_new(*file, folder));
        reading.lower(wave.iter().map(|(file, _)| *file).collect());
        wave = wave.iter().flat_map(|(file, folder)| reading.named_by(*file, folder)).collect();
    }
    let rust = sources.iter().filter(|(_, f)| f.path.ends_with(".rs"));
    let unread = |text: &str| RustFile { lines: super::lower::lines(text), ..RustFile::default() };
    rust.map(|(file, source)| {
        let tree = reading.trees.remove(&file).unwrap_or_else(|| unread(&source.text));
        LoweredFile { file, tree }
    })
    .collect()
}

struct Reading<'s> {
    sources: &'s Sources,
    tests: bool,
    trees: FxHashMap<FileId, RustFile>,
    folders: FxHashMap<FileId, Vec<Folder>>,
}

impl Reading<'_> {
    fn is_new(&mut self, file: FileId, folder: &Folder) -> bool {
        let known = self.folders.entry(file).or_default();
        let new = known.len() < MOST_FOLDERS && !known.contains(folder);
        if new {
            known.push(folder.clone());
        }
        new
    }

    /// One job per file, the largest first, so that no thread ends with the longest one.
    fn lower(&mut self, mut files: Vec<FileId>) {
        let (sources, tests) = (self.sources, self.tests);
        files.retain(|f| !self.trees.contains_key(f) && sources.get(*f).path.ends_with(".rs"));
        files.sort_by_key(|f| (std::cmp::Reverse(sources.get(*f).text.len()), *f));
        files.dedup();
        let tree = |file: FileId| {
            let text = &sources.get(file).text;
            (file, if tests { lower(text) } else { lower(&test_modules::emptied(text)) })
        };
        self.trees.par_extend(files.into_par_iter().map(tree));
    }

    /// The files that a file leads to.
    fn named_by(&self, file: FileId, folder: &Folder) -> Vec<(FileId, Folder)> {
        let Some(tree) = self.trees.get(&file) else { return Vec::new() };
        let own = &self.sources.get(file).path;
        let mut named = Named { sources: self.sources, own, tests: self.tests, found: Vec::new(), folders: Vec::new() };
        named.all(&tree.items, folder.clone());
        // Of items inside bodies and impls it is not known here in which module they stand: each is tried.
        let folders = named.folders.clone();
        for folder in folders.iter().take(MOST_FOLDERS) {
            inner_items(tree).for_each(|items| named.all(items, Folder { inline: true, ..folder.clone() }));
        }
        named.found
    }
}

/// What one file names, and the folders of its modules.
struct Named<'s> {
    sources: &'s Sources,
    own: &'s str,
    tests: bool,
    found: Vec<(FileId, Folder)>,
    folders: Vec<Folder>,
}

impl Named<'_> {
    fn all(&mut self, items: &[Item], folder: Folder) {
        let mut open = vec![(items, folder)];
        while let Some((items, folder)) = open.pop() {
            for item in items.iter().filter(|i| self.tests || !i.attrs.test) {
                match &item.kind {
                    ItemKind::Mod(Some(inner)) => open.push((inner, folder.inside(item))),
                    ItemKind::Mod(None) => self.found.extend(folder.module(self.sources, self.own, item)),
                    ItemKind::Include(path) => {
                        let file = included(self.sources, self.own, path);
                        self.found.extend(file.map(|f| (f, folder.clone())));
                    }
                    _ => {}
                }
            }
            self.folders.push(folder);
        }
    }
}

/// Lists of items in which modules or includes stand, besides the file's own.
fn inner_items(tree: &RustFile) -> impl Iterator<Item = &[Item]> {
    let blocks =
        tree.exprs.iter().filter_map(|e| if let ExprKind::Block(b) = &e.kind { Some(&b.items[..]) } else { None });
    let lists = blocks.chain(tree.impls.iter().map(|i| &i.items[..])).chain(tree.traits.iter().map(|t| &t.items[..]));
    let leads = |i: &Item| matches!(i.kind, ItemKind::Mod(_) | ItemKind::Include(_));
    lists.filter(move |items| items.iter().any(leads))
}
