//! nginx configurations: from text to places with effects.
//!
//! `lex` and `tree` know the syntax and nothing else.

pub mod lex;
pub mod tree;
