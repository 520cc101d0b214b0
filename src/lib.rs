//! retrylint finds retry amplification in a source tree before an outage does.
//!
//! Data flows one way, and a module imports only what stands above it here:
//!
//! ```text
//! files ─discover▶ sources ─lower▶ small trees ─extract▶ facts ─link▶ call graph ─analyses▶ numbers ─lints▶ findings ─▶ reports
//! ```
//!
//! ARCHITECTURE.md tells what each room is for; `tests/tidy.rs` fails when an import goes upwards.

pub mod name;
pub mod source;
pub mod value;
pub mod class;
pub mod settings;
pub mod yaml;

pub mod effect;
pub mod suppress;
pub mod fact;
pub mod model;

pub mod frontend;

pub mod graph;

pub mod analysis;

pub mod lint;

pub mod compare;

pub mod report;

pub mod pipeline;

pub mod cli;
