//! One folder per language or format. Nothing above this layer knows syn, YAML or a proxy.
//!
//! Rust comes first and begins the facts; every other format is a [`FrontEnd`] of [`CONFIGS`] that adds to them. A new format
//! is one folder, one line in that list, and nothing else.

pub mod comments;
pub mod envoy;
pub mod field;
pub mod grpc;
pub mod haproxy;
pub mod inside;
pub mod mesh;
pub mod nginx;
pub mod rust;
pub mod statements;
pub mod template;
pub mod topology;

use crate::fact::Facts;
use crate::settings::Settings;
use crate::source::Sources;

/// What a front-end may look at.
pub struct World<'a> {
    pub sources: &'a Sources,
    pub settings: &'a Settings,
}

/// A format of configuration files.
pub trait FrontEnd: Sync {
    /// As people call it: `envoy`.
    fn name(&self) -> &'static str;

    /// Whether a file is to be looked into although its name says little: `proxy_params`, `site.conf.j2`.
    fn looks_into(&self, _path: &str) -> bool {
        false
    }

    /// Whether a file may be of this format: cheap, by words that every such file holds. Files that nobody claims are not
    /// even kept in memory.
    fn claims(&self, path: &str, text: &str) -> bool;

    /// Reads the files that it claims and adds what it found. What cannot be read is a problem among the facts; it never
    /// fails.
    fn extract(&self, world: &World<'_>, facts: &mut Facts);
}

/// The formats besides Rust, in the order in which their places are numbered.
pub static CONFIGS: &[&dyn FrontEnd] =
    &[&envoy::Envoy, &nginx::Nginx, &haproxy::HaProxy, &grpc::Grpc, &topology::Topology, &mesh::Meshes];

/// Whether any format of configs may want to read that file.
pub fn is_config(path: &str, text: &str) -> bool {
    CONFIGS.iter().any(|config| config.claims(path, text))
}

/// Whether any format of configs wants to see that file.
pub fn looks_into(path: &str) -> bool {
    CONFIGS.iter().any(|config| config.looks_into(path))
}
