//! Service configs of gRPC: JSON that a client is given, with a retry or hedging policy for methods of services.
//!
//! `read` turns a file into plain data, `rules` says what clients make of it, `emit` makes a layer of each policy, and
//! `remark` speaks of what is refused, clamped or dead. Clients of tonic read no service config: a policy is that of other
//! clients which call the services it names.

pub mod read;

pub mod rules;

pub mod emit;
pub mod remark;

use crate::fact::{Facts, Problem};
use crate::frontend::{FrontEnd, World};
use crate::yaml::{self, ProblemKind};

/// The format.
pub struct Grpc;

impl FrontEnd for Grpc {
    fn name(&self) -> &'static str {
        "grpc"
    }

    fn claims(&self, path: &str, text: &str) -> bool {
        path.to_ascii_lowercase().ends_with(".json") && text.contains("\"methodConfig\"") && text.contains("\"name\"")
    }

    fn extract(&self, world: &World<'_>, facts: &mut Facts) {
        for (file, source) in world.sources.iter() {
            if !self.claims(&source.path, &source.text) {
                continue;
            }
            let tree = yaml::read(&source.text);
            let configs = read::configs(file, &tree);
            // What does not parse may be anybody's, unless it names a policy.
            if source.text.contains("\"retryPolicy\"") || source.text.contains("\"hedgingPolicy\"") {
                let wrong = tree.problems().iter().filter(|p| p.kind != ProblemKind::Template);
                facts.problems.extend(wrong.map(|p| Problem { file, at: p.at.start, message: p.message.clone() }));
            }
            if configs.is_empty() {
                continue;
            }
            facts.stats.files += 1;
            facts.stats.lines += source.line_starts().len() as u64;
            for config in &configs {
                if !remark::remarks(config, facts) {
                    emit::facts(config, &source.path, facts);
                }
            }
        }
    }
}

#[cfg(test)]
mod hostile_tests;
