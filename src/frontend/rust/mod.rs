//! Rust sources: from text to places with effects.

pub mod tree;
pub mod program;
pub mod lower;
pub mod manifest;
pub mod names;
pub mod infer;
pub mod val;
pub mod values;
pub mod bounds;
pub mod waits;
