//! Which Cargo package an image, a folder or a command means: only packages that have a program count.

use std::collections::{BTreeMap, BTreeSet};

use super::paths::{folder, within};
use crate::fact::Runs;
use crate::frontend::rust::manifest;
use crate::frontend::rust::program::{Crate, CrateKind, DependencyOf};
use crate::name::Name;
use crate::source::Sources;

/// A package with at least one program.
struct Program {
    folder: Name,
    /// The package's name and those of its programs, with `_` for `-`.
    names: BTreeSet<String>,
}

pub struct Packages {
    crates: Vec<Crate>,
    programs: Vec<Program>,
}

/// Where something is built, and the words that say what.
#[derive(Debug, Default)]
pub struct Built<'b> {
    /// The folder that is handed to the builder.
    pub context: Option<&'b str>,
    /// The folder of the file that says how to build.
    pub recipe: Option<&'b str>,
    /// Names of a package or a program, the surest first.
    pub words: Vec<&'b str>,
}

impl Packages {
    pub fn new(sources: &Sources) -> Packages {
        let (crates, _) = manifest::crates(sources, false);
        let mut found: BTreeMap<Name, BTreeSet<String>> = BTreeMap::new();
        for krate in crates.iter().filter(|k| k.kind == CrateKind::Bin) {
            let names = found.entry(krate.root_dir.clone()).or_default();
            names.extend([code_name(&krate.package), code_name(&krate.name)]);
        }
        let programs = found.into_iter().map(|(folder, names)| Program { folder, names }).collect();
        Packages { crates, programs }
    }

    /// The folder of the package that is meant, if only one can be.
    pub fn of(&self, near: &str, built: &Built<'_>) -> Option<Name> {
        if let Some(context) = built.context {
            let inside: Vec<&Program> = self.programs.iter().filter(|p| within(&p.folder, context)).collect();
            if let [only] = inside[..] {
                return Some(only.folder.clone());
            }
            let recipe = built.recipe.filter(|r| *r != context && within(r, context));
            let above = |p: &&&Program| recipe.is_some_and(|r| within(r, &p.folder)) && *p.folder != *context;
            if let Some(nearest) = inside.iter().filter(above).max_by_key(|p| p.folder.len()) {
                return Some(nearest.folder.clone());
            }
            return built.words.iter().find_map(|word| only_named(&inside, word));
        }
        let all: Vec<&Program> = self.programs.iter().collect();
        built.words.iter().find_map(|word| only_named(&all, word).or_else(|| nearest_named(&all, word, near)))
    }

    /// The folders of the packages that are built into the one in that folder.
    pub fn parts(&self, of: &str) -> Vec<Name> {
        let ids = |k: &Crate| -> Vec<usize> {
            let tree = k.dependencies.values().filter_map(|d| match d {
                DependencyOf::Tree(id) => Some(id.0 as usize),
                DependencyOf::Foreign { .. } => None,
            });
            tree.collect()
        };
        let own =
            self.crates.iter().filter(|k| *k.root_dir == *of && matches!(k.kind, CrateKind::Bin | CrateKind::Lib));
        let mut open: Vec<usize> = own.flat_map(ids).collect();
        let mut seen = BTreeSet::new();
        while let Some(next) = open.pop() {
            if let Some(krate) = self.crates.get(next).filter(|_| seen.insert(next)) {
                open.extend(ids(krate));
            }
        }
        let folders: BTreeSet<Name> = seen.iter().map(|i| self.crates[*i].root_dir.clone()).collect();
        folders.into_iter().filter(|f| **f != *of).collect()
    }

    /// What runs, and what is built into it.
    pub fn runs(&self, near: &str, built: &Built<'_>) -> (Vec<Runs>, Vec<Name>) {
        match self.of(near, built) {
            Some(folder) => (vec![Runs::Folder(folder.clone())], self.parts(&folder)),
            None => (Vec::new(), Vec::new()),
        }
    }
}

fn code_name(name: &str) -> String {
    name.replace('-', "_")
}

fn only_named(programs: &[&Program], word: &str) -> Option<Name> {
    let mut named = programs.iter().filter(|p| p.names.contains(&code_name(word)));
    named.next().filter(|_| named.next().is_none()).map(|p| p.folder.clone())
}

/// Copies of a program in several folders: the one that shares more of its path than any other.
fn nearest_named(programs: &[&Program], word: &str, near: &str) -> Option<Name> {
    let shared = |p: &&&Program| {
        let parts = |path: &str| path.split('/').map(str::to_owned).collect::<Vec<_>>();
        parts(&p.folder).iter().zip(parts(folder(near))).take_while(|(a, b)| **a == *b).count()
    };
    let named: Vec<&&Program> = programs.iter().filter(|p| p.names.contains(&code_name(word))).collect();
    let most = named.iter().map(shared).max()?;
    let mut nearest = named.iter().filter(|p| shared(p) == most);
    nearest.next().filter(|_| nearest.next().is_none()).map(|p| p.folder.clone())
}

/// The last part of an image's name, without its tag: `ghcr.io/shop/payments:1.2@sha256:..` is `payments`.
pub fn image_name(image: &str) -> &str {
    let bare = image.split('@').next().unwrap_or(image);
    let last = bare.rsplit('/').next().unwrap_or(bare);
    last.split(':').next().unwrap_or(last)
}

/// A name that an image's own ends with, as builders put a project's name in front: `shop-payments` is `payments`.
pub fn named_like<'n>(image: &str, name: &'n str) -> Option<&'n str> {
    let before = image_name(image).strip_suffix(name)?;
    before.ends_with(['-', '_']).then_some(name)
}

/// The program that a command starts: `/usr/local/bin/payments` is `payments`.
pub fn program_name(command: &str) -> &str {
    command.rsplit('/').next().unwrap_or(command)
}
