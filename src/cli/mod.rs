//! (to come)
pub mod discover;
