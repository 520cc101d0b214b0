//! What a description of the running system says: which names and ports lead where, what runs there, in which environment.
//!
//! Compose files and Kubernetes manifests become [`crate::fact::Host`]s; nothing here makes calls or repeats any. What a
//! description leaves open stays open: a name whose image nobody can place is a name and no more.

mod compose;
mod kubernetes;
mod packages;
mod paths;
mod shell;

#[cfg(test)]
mod tests;

use packages::Packages;

use super::{FrontEnd, World};
use crate::fact::{Facts, Problem};
use crate::source::FileId;
use crate::yaml;

pub struct Topology;

impl FrontEnd for Topology {
    fn name(&self) -> &'static str {
        "topology"
    }

    fn looks_into(&self, path: &str) -> bool {
        compose::is_env_file(path) || kubernetes::is_kustomization(path)
    }

    fn claims(&self, path: &str, text: &str) -> bool {
        compose::claims(path, text) || compose::is_env_file(path) || kubernetes::claims(path, text)
    }

    fn extract(&self, world: &World<'_>, facts: &mut Facts) {
        let claimed = |of: fn(&str, &str) -> bool| -> Vec<FileId> {
            world.sources.iter().filter(|(_, f)| of(&f.path, &f.text)).map(|(id, _)| id).collect()
        };
        let (compose, manifests) = (claimed(compose::claims), claimed(kubernetes::claims));
        if compose.is_empty() && manifests.is_empty() {
            return;
        }
        let packages = Packages::new(world.sources);
        compose::extract(world.sources, &packages, &compose, facts);
        kubernetes::extract(world.sources, &packages, &manifests, facts);
    }
}

/// The problem that keeps a whole file from being read, unless it is a template: that is no file of this format yet.
fn unreadable(file: FileId, tree: &yaml::Tree<'_>) -> Option<Problem> {
    let template = |p: &yaml::Problem| p.kind == yaml::ProblemKind::Template;
    if tree.problems().iter().any(template) {
        return None;
    }
    let syntax = |p: &&yaml::Problem| matches!(p.kind, yaml::ProblemKind::Syntax | yaml::ProblemKind::Limit);
    let first = tree.problems().iter().find(syntax)?;
    let message = match first.kind {
        yaml::ProblemKind::Syntax => format!("not valid YAML: {}", first.message),
        _ => first.message.clone(),
    };
    Some(Problem { file, at: first.at.start, message })
}
