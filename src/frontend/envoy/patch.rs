//! A retry policy of Envoy's that stands in an object of another system, which lays it over what its proxies have.

use std::time::Duration;

use super::config::{Policy, Set};
use super::layer::{self, Asked};
use super::read::policy;
use crate::class::Endings;
use crate::effect::Wait;
use crate::frontend::field::At;
use crate::name::Name;
use crate::source::Span;
use crate::value::{Origin, Value};

/// What a policy says, and nothing of what it leaves to be said.
pub struct Patch {
    pub at: Span,
    pub attempts: Option<(Value, Origin)>,
    pub again: Option<Endings>,
    pub per_try: Option<Set<Duration>>,
    pub wait: Option<Wait>,
    /// Words of `retry_on` that Envoy does not know, and fields that no policy has.
    pub unknown: Vec<(Name, Span)>,
}

/// The policy of a message that has one.
pub fn patch(owner: At<'_>) -> Option<Patch> {
    let policy: Policy = policy::policy(owner)?;
    let words = layer::words(&policy, Asked { grpc: false, hedged: false });
    let listed = policy.retry_on.as_ref().filter(|r| r.is().is_some());
    let unknown = listed.into_iter().flat_map(|set| words.unknown.iter().map(|w| (Name::new(w), set.at)));
    Some(Patch {
        at: policy.at,
        attempts: policy.num_retries.as_ref().map(|_| layer::attempts(&policy)),
        again: listed.map(|_| words.again),
        per_try: policy.per_try_timeout.clone(),
        wait: policy.back_off.as_ref().map(|_| layer::wait(&policy)),
        unknown: unknown.chain(policy.foreign.iter().cloned()).collect(),
    })
}
