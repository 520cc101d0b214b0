//! Envoy: static bootstraps, and files of resources for dynamic configuration, to facts.
//!
//! `read` turns a file into plain data, `config`, without knowing a default; `rules` says what Envoy does where nothing is
//! written; `route` and `layer` say what a route does to a request, `emit` makes facts of it, `remarks` speaks of settings.

mod config;
mod emit;
mod layer;
pub mod patch;
mod read;
mod remarks;
mod route;
pub mod rules;
mod system;

#[cfg(test)]
mod hostile_tests;

use super::{FrontEnd, World, comments};
use crate::fact::{Facts, Problem};
use crate::source::FileId;
use crate::yaml::{self, ProblemKind, Tree};
use system::{Source, System};

/// The front-end.
pub struct Envoy;

impl FrontEnd for Envoy {
    fn name(&self) -> &'static str {
        "envoy"
    }

    fn claims(&self, path: &str, text: &str) -> bool {
        let named = [".yaml", ".yml", ".json"].iter().any(|end| path.to_ascii_lowercase().ends_with(end));
        named && (is_surely(text) || MAY_BE.iter().any(|words| words.iter().all(|w| text.contains(w))))
    }

    fn extract(&self, world: &World<'_>, facts: &mut Facts) {
        let mut found = Vec::new();
        for (id, source) in world.sources.iter() {
            if !self.claims(&source.path, &source.text) {
                continue;
            }
            let tree = yaml::read(&source.text);
            problems(id, &tree, facts);
            let file = read::file(id, &tree);
            if file.holds_something() {
                facts.comments.extend(comments::of_yaml(id, &tree));
                found.push(Source { id, path: &source.path, file });
            }
        }
        let system = System::new(found);
        emit::facts(&system, facts);
        remarks::remarks(&system, facts);
    }
}

/// Words that no other format has.
const SURELY: [&str; 3] = ["static_resources", "staticResources", "type.googleapis.com/envoy."];

/// Fragments of routes and clusters.
const MAY_BE: [&[&str]; 4] = [
    &["virtual_hosts", "routes", "domains"],
    &["virtualHosts", "routes", "domains"],
    &["load_assignment", "lb_endpoints"],
    &["loadAssignment", "lbEndpoints"],
];

fn is_surely(text: &str) -> bool {
    SURELY.iter().any(|word| text.contains(word))
}

/// A file that is surely Envoy's and does not parse is said. A template is none yet, and says nothing; objects of
/// Kubernetes that hold Envoy's words are somebody else's.
fn problems(file: FileId, tree: &Tree<'_>, facts: &mut Facts) {
    if !is_surely(tree.text()) || (tree.text().contains("apiVersion") && tree.text().contains("kind")) {
        return;
    }
    for problem in tree.problems().iter().filter(|p| p.kind != ProblemKind::Template) {
        facts.problems.push(Problem { file, at: problem.at.start, message: problem.message.clone() });
    }
}
