//! From facts to a graph of places: where each remote call leads, and which calls close a cycle.
//!
//! The only part of the program that knows petgraph. Everything above asks two questions: where does this remote call
//! lead ([`link::Links`]), and does this call lead back to where the walk came from ([`calls::Graph`]).

pub mod address;
pub mod calls;
pub mod link;
pub mod naming;
pub mod nearby;
pub mod routes;

pub use calls::Graph;
pub use link::{Lead, Link, Links};
