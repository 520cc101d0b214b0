//! HAProxy configurations: from text to places with effects.
//!
//! `lex` and `conf` know the syntax; `claim` tells HAProxy from other formats. `settings`, `acl`, `server`, `request` and
//! `routes` know what lines mean, `rules` what holds where none is written. `effects` says what a backend does to a request,
//! `emit` puts it among the facts, `remark` speaks of lines that HAProxy does not take as they are written.

pub mod lex;

pub mod conf;

pub mod claim;
pub mod comments;

pub mod rules;

pub mod acl;
pub mod request;
pub mod routes;
pub mod server;
pub mod settings;

pub mod unit;

pub mod effects;
pub mod emit;
pub mod remark;

use crate::fact::Facts;
use crate::frontend::{FrontEnd, World};

/// The format.
pub struct HaProxy;

impl FrontEnd for HaProxy {
    fn name(&self) -> &'static str {
        "haproxy"
    }

    fn looks_into(&self, path: &str) -> bool {
        claim::may_be(path)
    }

    fn claims(&self, path: &str, text: &str) -> bool {
        claim::may_hold(path, text)
    }

    fn extract(&self, world: &World<'_>, facts: &mut Facts) {
        for unit in unit::read(world.sources, facts) {
            emit::facts(&unit, world.sources, facts);
            remark::remarks(&unit, facts);
        }
    }
}

#[cfg(test)]
mod hostile_tests;
