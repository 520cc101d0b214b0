//! Limits of time of clients: where each is set, and the wait for a connection of a pool.

use super::remote::Fields;
use crate::effect::{Deadline, DeadlineKind, Effect};
use crate::source::Span;
use crate::value::{Origin, OriginKind, Value};

/// A limit where it is written, or the default of what is used here.
pub(super) fn deadline(kind: DeadlineKind, limit: Value, origin: &Origin, at: Span) -> Deadline {
    let at = origin.at.unwrap_or(at);
    match origin.kind {
        OriginKind::LibraryDefault => Deadline::default_of(kind, limit, at),
        _ => Deadline::new(kind, limit, at),
    }
}

impl Fields<'_, '_> {
    /// The wait for a connection of a pool that is built here.
    pub(super) fn pooled(&self, call: Effect, at: Span) -> Effect {
        let built = self.object.and_then(|o| o.built_at);
        match (built, self.ms("acquire_timeout")) {
            (Some(built), Some((limit, origin))) => {
                let known = deadline(DeadlineKind::Acquire, limit, &origin, at);
                call.within(Deadline { at: built, ..known })
            }
            _ => call,
        }
    }
}
