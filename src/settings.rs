//! `retrylint.toml` as plain data. Every default stands here once.

use std::collections::BTreeMap;


#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Globs of the user's own models.
    pub models: Vec<String>,
    pub limits: Limits,
    /// Lint name or code → level word, checked against the registry when settings are loaded.
    pub lints: BTreeMap<String, String>,
    pub exclude: Vec<String>,
    pub tests: bool,
    pub services: Vec<Service>,
    pub edges: Vec<Edge>,
    pub dependencies: Vec<Dependency>,
    pub operations: Vec<OperationSetting>,
    pub allow: Vec<Allow>,
    /// Numbers that only run time knows.
    pub values: BTreeMap<String, u64>,
}

#[derive(Debug, Clone)]
pub struct Limits {
    /// RL301 fires above it. 10 unless set (lints.md).
    pub attempts: u64,
    /// RL205, in ms. 60 s unless set.
    pub timeout_ms: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { attempts: 10, timeout_ms: 60_000 }
    }
}

#[derive(Debug, Clone, Default)]
pub struct Service {
    pub name: String,
    /// A folder with a Cargo package, or the package's name.
    pub package: Option<String>,
    pub config: Option<String>,
    /// `payments`, `payments.shop.svc.cluster.local:8080`; without a port any port fits.
    pub hosts: Vec<String>,
}


#[derive(Debug, Clone)]
pub struct Edge {
    pub from: String,
    pub to: String,
}

#[derive(Debug, Clone)]
pub struct Dependency {
    pub name: String,
    pub hosts: Vec<String>,
}

#[derive(Debug, Clone)]
pub struct OperationSetting {
    pub name: String,
    pub owner: Option<String>,
    pub deadline_ms: Option<u64>,
    pub attempts: Option<u64>,
}

#[derive(Debug, Clone)]
pub struct Allow {
    pub code: String,
    pub path: String,
    pub reason: Option<String>,
    /// Byte offset in retrylint.toml.
    pub at: u32,
}

