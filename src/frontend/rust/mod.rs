//! Rust sources: from text to places with effects.

pub mod lower;
pub mod program;
pub mod tree;
pub mod val;
pub mod values;
