//! Rust sources: from text to places with effects.

pub mod program;
pub mod tree;
pub mod val;
