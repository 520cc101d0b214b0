//! nginx configurations: from text to places with effects.
//!
//! `lex` and `tree` know the syntax and nothing else; `claim` tells nginx from other formats.

pub mod claim;
pub mod lex;
pub mod tree;
