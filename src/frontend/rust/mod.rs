//! Rust sources: from text to places with effects.

pub mod tree;
pub mod program;
pub mod val;
pub mod entries;
