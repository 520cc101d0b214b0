//! `retry.linkerd.io/*` and `timeout.linkerd.io/*`, on a Service or on a route.

use std::time::Duration;

use super::rules::rules;
use crate::class::{Ending, Endings, FailureClass};
use crate::effect::{Deadline, DeadlineKind, Jitter, Shape, Wait};
use crate::frontend::field::{At, Given, Set};
use crate::frontend::mesh::conditions;
use crate::frontend::mesh::object::Object;
use crate::frontend::mesh::plan::Layer;
use crate::frontend::mesh::said::{Said, nearby};
use crate::frontend::mesh::time::limit;
use crate::frontend::mesh::time::{self, shown};
use crate::name::Name;
use crate::source::Span;
use crate::value::{Attempts, Origin, OriginKind, Value};

/// As written, each with its place.
pub struct Annotated {
    /// The first annotation of the family.
    at: Option<Span>,
    limit: Option<Set<u64>>,
    http: Option<Set<Name>>,
    grpc: Option<Set<Name>>,
    per_try: Option<Set<Duration>>,
    request: Option<Set<Duration>>,
    response: Option<Set<Duration>>,
    idle: Option<Set<Duration>>,
}

/// Limits of time, those of one try and those of all.
#[derive(Default)]
pub struct Limits {
    pub per_try: Vec<Deadline>,
    pub total: Vec<Deadline>,
}

const A_DURATION: &str = "duration such as `300ms` or `2s`";
const A_NUMBER: &str = "whole number up to 65535";

impl Annotated {
    /// `None` where the object has none of them.
    pub fn of(object: Object<'_>) -> Option<Annotated> {
        let retry = |key: &str| object.annotation(&format!("retry.linkerd.io/{key}"));
        let timeout = |key: &str| object.annotation(&format!("timeout.linkerd.io/{key}"));
        let duration = |at: Option<At<'_>>| at.map(|a| a.given(|n| n.as_str().and_then(time::gep_2257)));
        let text = |at: Option<At<'_>>| at.map(|a| a.given(|n| n.as_str().map(Name::new)));
        let count = |at: At<'_>| at.given(|n| n.as_str()?.parse::<u16>().ok().map(u64::from));
        let found = Annotated {
            at: ["http", "grpc", "limit", "timeout"].iter().find_map(|key| retry(key)).map(At::span),
            limit: retry("limit").map(count),
            http: text(retry("http")),
            grpc: text(retry("grpc")),
            per_try: duration(retry("timeout")),
            request: duration(timeout("request")),
            response: duration(timeout("response")),
            idle: duration(timeout("idle")),
        };
        let any = found.at.is_some() || found.request.is_some() || found.response.is_some() || found.idle.is_some();
        any.then_some(found)
    }

    /// What repeats a request: a limit of 0 counts as not written.
    pub fn layer(&self, grpc: bool) -> Option<Layer> {
        let at = self.at?;
        let listed = if grpc { self.grpc.as_ref() } else { self.http.as_ref() };
        let per_try = limit(self.per_try.as_ref());
        let known = |set: &Set<Name>| set.is().map_or(Endings::NONE, |text| endings(text, grpc));
        let mut again = listed.map_or(Endings::NONE, known);
        if per_try.is_some() {
            again |= Endings::one(Ending::Error(FailureClass::Timeout));
        }
        let set = self.limit.as_ref().filter(|l| l.is() != Some(&0));
        if set.is_none() && listed.is_none() && per_try.is_none() {
            return None;
        }
        let permanent = listed.filter(|_| again.has(Ending::Status(FailureClass::Permanent))).map(|l| l.at);
        Some(Layer {
            attempts: self.attempts(set, at),
            again,
            wait: wait(at),
            seen: conditions::seen(permanent),
            per_try_ms: per_try.map(|(ms, _)| ms),
            ..Layer::new(set.map_or(at, |s| s.at))
        })
    }

    fn attempts(&self, set: Option<&Set<u64>>, at: Span) -> (Value, Origin) {
        let default = &rules().limit;
        let Some(set) = set else {
            let source = Name::from(format!("{} limit ({})", rules().proxy, default.source));
            let origin = Origin { kind: OriginKind::LibraryDefault, at: Some(at), source: Some(source) };
            return (Value::Number(Attempts::from_retries(default.value).total()), origin);
        };
        let origin = Origin { kind: OriginKind::Config, at: Some(set.at), source: None };
        let count = match &set.value {
            Given::Is(n) => Value::Number(Attempts::from_retries(*n).total()),
            Given::Later(text) => Value::unknown(&format!("the limit is filled in later: {text}")),
            Given::Wrong(text) => Value::unknown(&format!("the limit is no number: {text}")),
        };
        (count, origin)
    }

    pub fn limits(&self, retries: bool) -> Limits {
        let of = |kind, set: &Option<Set<Duration>>| {
            limit(set.as_ref()).map(|(ms, at)| Deadline::new(kind, Value::Number(ms), at))
        };
        let per_try = of(DeadlineKind::Total, &self.per_try).filter(|_| retries);
        let total = [of(DeadlineKind::Total, &self.response), of(DeadlineKind::Total, &self.request)];
        let idle = of(DeadlineKind::Idle, &self.idle);
        Limits {
            per_try: per_try.into_iter().collect(),
            total: idle.into_iter().chain(total.into_iter().flatten()).collect(),
        }
    }

    /// What is said of the annotations themselves; `profile`: a profile of the service makes the proxy ignore them.
    pub fn remarks(&self, profile: bool, said: &mut Said<'_>) {
        if let Some(at) = self.at.filter(|_| profile) {
            let message = "the annotations do nothing: a ServiceProfile of this service makes the proxy ignore them";
            return said.dead(
                at,
                "retry.linkerd.io",
                message.to_owned(),
                "take the ServiceProfile out, or the annotations",
            );
        }
        said.refused(self.limit.as_ref(), "retry.linkerd.io/limit", A_NUMBER);
        for (set, name) in [
            (&self.per_try, "retry.linkerd.io/timeout"),
            (&self.request, "timeout.linkerd.io/request"),
            (&self.response, "timeout.linkerd.io/response"),
            (&self.idle, "timeout.linkerd.io/idle"),
        ] {
            said.refused(set.as_ref(), name, A_DURATION);
        }
        words(self.http.as_ref(), "retry.linkerd.io/http", &|w| rules().http(w), said);
        words(self.grpc.as_ref(), "retry.linkerd.io/grpc", &|w| rules().grpc(w), said);
        self.zero(said);
        self.too_long(said);
    }

    fn zero(&self, said: &mut Said<'_>) {
        let Some(set) = self.limit.as_ref().filter(|l| l.is() == Some(&0)) else { return };
        if self.layer(false).or_else(|| self.layer(true)).is_none() {
            return;
        }
        let message = "a limit of 0 does not switch retries off: Linkerd takes it for not written, which is 1 retry";
        said.dead(set.at, "retry.linkerd.io/limit", message.to_owned(), "take the annotations for retries out instead");
    }

    fn too_long(&self, said: &mut Said<'_>) {
        let pair = limit(self.per_try.as_ref()).zip(limit(self.request.as_ref()));
        let Some((tries, all)) = pair.filter(|(tries, all)| tries.0 >= all.0) else { return };
        let of = |ms: u64| shown(Duration::from_millis(ms));
        let message =
            format!("the limit of {} for one try is never reached: all of them have {}", of(tries.0), of(all.0));
        said.dead(tries.1, "retry.linkerd.io/timeout", message, "set it below timeout.linkerd.io/request");
    }
}

fn endings(text: &str, grpc: bool) -> Endings {
    let one = |word: &str| if grpc { rules().grpc(word) } else { rules().http(word) };
    text.split(',').filter_map(one).fold(Endings::NONE, |all, e| all | e)
}

fn words(set: Option<&Set<Name>>, name: &str, known: &dyn Fn(&str) -> Option<Endings>, said: &mut Said<'_>) {
    let Some((text, at)) = set.and_then(|s| Some((s.is()?, s.at))) else { return };
    let Some(word) = text.split(',').find(|w| known(w).is_none()) else { return };
    let meant = nearby(word, &rules().words()).filter(|m| known(m).is_some());
    let help = meant
        .map_or("write codes, ranges such as `500-503`, or names, with commas and no blanks".to_owned(), |m| {
            format!("did you mean `{m}`?")
        });
    said.rejected(at, name, format!("Linkerd refuses `{word}` in {name}: no condition of that name"), &help);
}

fn wait(at: Span) -> Wait {
    let (base, most, source) = rules().waits();
    let source = Name::from(format!("{} backoff ({source})", rules().proxy));
    Wait {
        shape: Shape::Exponential,
        base_ms: Some(base),
        factor: Some(2.0),
        cap_ms: Some(most),
        capped: true,
        jitter: Jitter::Full,
        from: Some(Origin { kind: OriginKind::LibraryDefault, at: Some(at), source: Some(source) }),
        ..Wait::none()
    }
}
