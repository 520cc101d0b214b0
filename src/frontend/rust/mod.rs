//! Rust sources: from text to places with effects.
//!
//! `lower` is the only room that knows syn. `names` and `infer` find out what every name and call means, `values`,
//! `bounds` and `waits` what numbers are, `flow` turns bodies into effects, `loops` says what each loop is, and
//! [`extract()`] puts it all together.

pub mod tree;

pub mod lower;

pub mod id_map;
pub mod manifest;
pub mod module_files;
pub mod program;
pub mod reading;

pub mod names;
pub mod pats;
pub mod val;

pub mod infer;

pub mod values;

pub mod bounds;
pub mod waits;

pub mod flow;

pub mod loops;
pub mod reach;
pub mod variants;

pub mod answers;
pub mod entries;
pub mod recursion;
pub mod redelivery;
pub mod reuse;

pub mod extract;

pub use extract::extract;
