//! Rust sources: from text to places with effects.

pub mod bounds;
pub mod infer;
pub mod lower;
pub mod names;
pub mod program;
pub mod tree;
pub mod val;
pub mod values;
pub mod waits;
