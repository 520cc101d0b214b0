//! One configuration with everything known of it.

use rustc_hash::FxHashMap;

use super::acl::Acls;
use super::claim::{self, Claim};
use super::comments;
use super::conf::{self, Doc, Section};
use super::request::{self, Changes};
use super::routes::{self, Goal, Rule};
use super::server::{self, Server, Sockets};
use super::settings::{self, Settings};
use crate::fact::Facts;
use crate::fact::Problem;
use crate::name::Name;
use crate::source::{FileId, Sources};

/// A section that takes requests or passes them on.
pub struct Proxy {
    pub file: FileId,
    pub section: Section,
    pub settings: Settings,
    pub sockets: Sockets,
    pub changes: Changes,
    pub rules: Vec<Rule>,
    /// `None`: it has no server at all.
    pub servers: Option<Vec<Server>>,
}

pub struct Unit {
    pub proxies: Vec<Proxy>,
    /// The `defaults` of all files, with what holds in them.
    pub defaults: Vec<(Section, Settings)>,
    backends: FxHashMap<Name, usize>,
    /// The last part of the folder that the files lie in; a file's own name where there is none.
    pub service: Name,
}

impl Unit {
    pub fn backend(&self, name: &str) -> Option<usize> {
        self.backends.get(name).copied()
    }

    /// Positions of what a rule of that proxy leads to.
    pub fn reached(&self, from: usize, goal: &Goal) -> Option<usize> {
        match goal {
            Goal::Backend(name) => self.backend(name),
            Goal::Own => Some(from),
            Goal::Answer | Goal::Picked(_) => None,
        }
    }
}

/// Reads every file of the format; what cannot be read is a problem among the facts.
pub fn read(sources: &Sources, facts: &mut Facts) -> Vec<Unit> {
    let mut docs = Vec::new();
    for (file, source) in sources.iter() {
        if !claim::may_hold(&source.path, &source.text) {
            continue;
        }
        match claim::claim(file, &source.text) {
            Claim::No => continue,
            Claim::Template(language) => {
                let note = format!("skipped, a template ({language}): what it makes can be read, it cannot");
                facts.notes.push((file, note));
                continue;
            }
            Claim::Broken(wrong) => {
                facts.problems.push(Problem { file, at: wrong.at, message: wrong.message });
                continue;
            }
            Claim::Config(sections, comments) => {
                facts.comments.extend(comments::comments(file, &source.text, &sections, &comments));
                docs.push(Doc { file, path: &source.path, sections });
            }
        }
        facts.stats.files += 1;
        facts.stats.lines += source.line_starts().len() as u64;
    }
    conf::together(docs).into_iter().map(unit).collect()
}

fn unit(docs: Vec<Doc<'_>>) -> Unit {
    let all = settings::of_all(&docs);
    let service = docs.first().map_or_else(|| Name::new(""), |doc| service(doc.path));
    let mut unit = Unit { proxies: Vec::new(), defaults: Vec::new(), backends: FxHashMap::default(), service };
    for (doc, settings) in docs.into_iter().zip(all) {
        for (section, settings) in doc.sections.into_iter().zip(settings) {
            match section.kind {
                conf::Kind::Defaults => unit.defaults.push((section, settings)),
                kind if kind.is_proxy() => unit.proxies.push(proxy(doc.file, section, settings)),
                _ => {}
            }
        }
    }
    for (i, proxy) in unit.proxies.iter().enumerate().filter(|(_, p)| p.section.kind.has_servers()) {
        unit.backends.entry(proxy.section.name.clone()).or_insert(i);
    }
    unit
}

fn proxy(file: FileId, section: Section, settings: Settings) -> Proxy {
    let acls = Acls::of(&section);
    let takes = section.kind.takes_requests();
    let rules = if takes { routes::rules(&section, &settings, &acls) } else { Vec::new() };
    let servers = if section.kind.has_servers() { server::asked(&section) } else { None };
    let (sockets, changes) = (server::sockets(&section), request::changes(&section, &acls));
    Proxy { file, section, settings, sockets, changes, rules, servers }
}

/// Folders that hold parts of a configuration and name nothing.
const PARTS: &[&str] = &["conf.d", "templates", "config", "conf", "etc"];

fn service(path: &str) -> Name {
    let mut parts = path.rsplit('/');
    let file = parts.next().unwrap_or(path);
    let folder = parts.find(|part| !part.is_empty() && !PARTS.contains(part));
    Name::new(folder.unwrap_or(file.split('.').next().unwrap_or(file)))
}
