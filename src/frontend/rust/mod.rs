//! Rust sources: from text to places with effects.

pub mod lower;
pub mod manifest;
pub mod program;
pub mod tree;
pub mod val;
