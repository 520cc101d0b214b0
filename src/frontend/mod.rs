//! One folder per language or format. Nothing above this layer knows syn, YAML or a proxy.

pub mod nginx;
pub mod rust;
