//! nginx configurations: from text to places with effects.
//!
//! `lex` and `tree` know the syntax and nothing else; `claim` tells nginx from other formats. `conf` puts files together,
//! `comments` finds what people say to this program, `server`, `location`, `pass`, `next`, `redirect`, `methods` and `idle` know what directives mean, `rules` what holds where
//! none is written. `effects` and `places` say it as effects, `remark` what is written to no effect, and [`extract()`] puts
//! it all among the facts.

pub mod lex;
pub mod tree;

pub mod claim;

pub mod comments;
pub mod conf;
pub mod variable;

pub mod rules;

pub mod location;
pub mod methods;
pub mod next;
pub mod server;

pub mod pass;
pub mod redirect;

pub mod unit;

pub mod effects;
pub mod idle;
pub mod places;
pub mod remark;

pub mod extract;

pub use extract::extract;

use crate::fact::Facts;
use crate::frontend::{FrontEnd, World};

/// The format.
pub struct Nginx;

impl FrontEnd for Nginx {
    fn name(&self) -> &'static str {
        "nginx"
    }

    fn looks_into(&self, path: &str) -> bool {
        claim::may_be(path)
    }

    fn claims(&self, path: &str, text: &str) -> bool {
        claim::may_hold(path, text)
    }

    fn extract(&self, world: &World<'_>, facts: &mut Facts) {
        extract(world, facts);
    }
}

#[cfg(test)]
mod hostile_tests;
