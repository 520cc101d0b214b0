//! Which files make one configuration.
//!
//! A main file has `http` or `stream` in it and includes others. A file with servers alone is a part of a configuration whose
//! main file is elsewhere (in an image): the parts of one folder are read side by side, unless two of them define the same
//! upstream, which nginx would refuse.

use std::collections::{BTreeMap, BTreeSet};

use super::claim::{self, Claim};
use super::comments;
use super::conf::{Conf, Doc, folder_of};
use super::location::Locations;
use super::server::{self, Server, Upstreams};
use super::tree::{self, Body};
use crate::fact::Problem;
use crate::source::{FileId, Sources};
use crate::suppress::Comment;

/// One configuration.
pub struct Unit<'a> {
    pub conf: Conf,
    pub upstreams: Upstreams,
    pub servers: Vec<Server>,
    /// Per server: its locations.
    pub locations: Vec<Locations>,
    /// The main file; `None` if only parts are known.
    pub main: Option<FileId>,
    pub version: Option<&'a str>,
}

/// Everything that was read.
#[derive(Default)]
pub struct Found<'a> {
    pub units: Vec<Unit<'a>>,
    pub problems: Vec<Problem>,
    /// Templates of other languages.
    pub templates: Vec<(FileId, &'static str)>,
    /// What people accepted or stated in comments.
    pub comments: Vec<Comment>,
    /// Files that were read.
    pub files: Vec<FileId>,
}

pub fn read<'a>(sources: &'a Sources, version: Option<&'a str>) -> Found<'a> {
    let mut found = Found::default();
    let (docs, claimed) = documents(sources, &mut found);
    let mains: Vec<usize> = claimed.iter().copied().filter(|i| has(&docs[*i], &["http", "stream", "events"])).collect();
    let mut units: Vec<(Option<FileId>, Conf)> = Vec::new();
    let mut included: BTreeSet<FileId> = BTreeSet::new();
    for main in &mains {
        let conf = Conf::read(&docs, &[*main]);
        included.extend(&conf.included);
        units.push((Some(docs[*main].file), conf));
    }
    units.retain(|(main, _)| main.is_none_or(|file| !included.contains(&file)));
    let alone = |i: &&usize| !mains.contains(i) && !included.contains(&docs[**i].file);
    let parts: Vec<usize> =
        claimed.iter().filter(alone).copied().filter(|i| has(&docs[*i], &["server", "upstream"])).collect();
    units.extend(groups(&docs, &parts).iter().map(|group| (None, Conf::read(&docs, group))));
    found.units = units.into_iter().map(|(main, conf)| unit(main, conf, version)).collect();
    found.files = claimed.iter().map(|i| docs[*i].file).collect();
    found
}

fn unit(main: Option<FileId>, conf: Conf, version: Option<&str>) -> Unit<'_> {
    let servers = server::servers(&conf);
    let locations = servers.iter().map(|s| Locations::of_server(&conf, s.node)).collect();
    Unit { upstreams: Upstreams::of(&conf), servers, locations, conf, main, version }
}

/// Configurations and fragments, and which of them are configurations.
fn documents<'a>(sources: &'a Sources, found: &mut Found<'_>) -> (Vec<Doc<'a>>, Vec<usize>) {
    let (mut docs, mut claimed) = (Vec::new(), Vec::new());
    for (file, source) in sources.iter() {
        let (path, text) = (source.path.as_str(), source.text.as_str());
        if !claim::may_hold(path, text) {
            continue;
        }
        let tree = match claim::claim(text) {
            Claim::Config(tree) => {
                claimed.push(docs.len());
                tree
            }
            Claim::No => match tree::parse(text) {
                (tree, None) => tree,
                (_, Some(_)) => continue,
            },
            Claim::Template(language) => {
                found.templates.push((file, language));
                continue;
            }
            Claim::Broken(wrong) => {
                found.problems.push(Problem { file, at: wrong.at, message: wrong.message });
                continue;
            }
        };
        let doc = Doc { file, path, text, tree };
        found.comments.extend(comments::comments(&doc));
        docs.push(doc);
    }
    (docs, claimed)
}

/// Whether one of these blocks stands outside of all others.
fn has(doc: &Doc<'_>, names: &[&str]) -> bool {
    let block = |i: &usize| doc.tree.get(*i).body == Body::Block;
    doc.tree.top().filter(block).any(|i| names.contains(&&*doc.tree.name(i, doc.text)))
}

/// Parts that are read side by side: those of one folder, each alone if they contradict each other.
fn groups(docs: &[Doc<'_>], parts: &[usize]) -> Vec<Vec<usize>> {
    let mut by_folder: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for part in parts {
        by_folder.entry(folder_of(docs[*part].path)).or_default().push(*part);
    }
    let mut all = Vec::new();
    for group in by_folder.into_values() {
        let names: Vec<String> = group.iter().flat_map(|i| upstream_names(&docs[*i])).collect();
        let distinct: BTreeSet<&String> = names.iter().collect();
        match distinct.len() == names.len() {
            true => all.push(group),
            false => all.extend(group.into_iter().map(|i| vec![i])),
        }
    }
    all
}

fn upstream_names(doc: &Doc<'_>) -> Vec<String> {
    let named = doc.tree.top().filter(|i| doc.tree.name(*i, doc.text) == "upstream");
    named.filter_map(|i| Some(doc.tree.args(i).first()?.value(doc.text).into_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceFile;

    fn units(files: &[(&str, &str)]) -> Vec<(Option<u32>, usize, usize)> {
        let sources = Sources::new(files.iter().map(|(path, text)| SourceFile::new(*path, *text)).collect());
        let found = read(&sources, None);
        assert!(found.problems.is_empty());
        found.units.iter().map(|u| (u.main.map(|f| f.0), u.servers.len(), u.upstreams.all.len())).collect()
    }

    #[test]
    fn a_main_file_takes_its_parts() {
        let main = "events {} http { include conf.d/*.conf; }";
        let part = "server { listen 80; root /a; }";
        assert_eq!(
            units(&[("a/conf.d/1.conf", part), ("a/conf.d/2.conf", part), ("a/nginx.conf", main)]),
            [(Some(2), 2, 0)]
        );
        let stream = "stream { server { listen 1; proxy_pass a:1; } }";
        let both = "events {} http { server { listen 80; } } include extra.conf;";
        assert_eq!(units(&[("extra.conf", stream), ("nginx.conf", both)]), [(Some(1), 2, 0)]);
    }

    #[test]
    fn parts_of_one_folder_stand_side_by_side_unless_they_clash() {
        let one = ("d/a.conf", "upstream a { server x; }");
        let two = ("d/b.conf", "server { listen 80; location / { proxy_pass http://a; } }");
        assert_eq!(units(&[one, two]), [(None, 1, 1)]);
        assert_eq!(units(&[one, ("d/c.conf", "upstream a { server y; }")]), [(None, 0, 1), (None, 0, 1)]);
        assert_eq!(units(&[("d/locations.conf", "location / { proxy_pass http://a; }")]), []);
    }

    #[test]
    fn templates_and_mistakes_are_told_apart() {
        let template = SourceFile::new("a.conf.j2", "server {\n listen {{ port }};\n server_name a;\n}");
        let broken = SourceFile::new("b.conf", "server {\n listen 80;\n");
        let sources = Sources::new(vec![template, broken]);
        let found = read(&sources, None);
        assert_eq!((found.templates.len(), found.problems.len(), found.units.len()), (1, 1, 0));
    }
}
