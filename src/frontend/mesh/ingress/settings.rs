//! What an Ingress sets for its requests: its annotations, the ConfigMap of the controller below them, the defaults of the
//! controller below that.

use super::rules::rules;
use crate::class::{Endings, FailureClass};
use crate::effect::{ByMethod, Confidence, Deadline, DeadlineKind, Methods, Seen};
use crate::frontend::field::{At, Given, Set};
use crate::frontend::mesh::object::Object;
use crate::frontend::mesh::plan::Layer;
use crate::frontend::mesh::said::{Said, nearby};
use crate::frontend::nginx::rules::rules as nginx;
use crate::name::Name;
use crate::source::Span;
use crate::value::{Origin, OriginKind, Value};

const NON_IDEMPOTENT: &str = "non_idempotent";
const OFF: &str = "off";
const SECONDS: &str = "whole number of seconds, without a unit";

/// The settings of one Ingress.
#[derive(Clone, Copy)]
pub struct Settings<'t> {
    pub object: Object<'t>,
    /// `data` of the controller's ConfigMap, if the tree shows it.
    pub shared: Option<At<'t>>,
    /// Requests are gRPC, so that all of them are POSTs.
    pub grpc: bool,
}

impl<'t> Settings<'t> {
    fn own(&self, key: &str) -> Option<At<'t>> {
        self.object.annotation(&format!("{}{key}", rules().prefix))
    }

    pub fn text(&self, key: &str) -> Option<&'t str> {
        self.own(key).and_then(At::str)
    }

    pub fn is_on(&self, key: &str) -> bool {
        self.text(key) == Some("true")
    }

    /// The annotation, else the entry of the ConfigMap; one that is no number counts as not written.
    fn number(&self, key: &str) -> Option<Set<u64>> {
        let read = |at: At<'_>| at.given(|n| n.as_str()?.trim().parse::<u64>().ok());
        let takes = |set: &Set<u64>| !matches!(set.value, Given::Wrong(_));
        let shared = || self.shared.and_then(|data| data.field(key));
        self.own(key).map(read).filter(takes).or_else(|| shared().map(read).filter(takes))
    }

    fn words(&self) -> (Name, Option<Span>) {
        let own = self.own("proxy-next-upstream").or_else(|| self.shared?.field("proxy-next-upstream"));
        match own.and_then(|at| Some((at.name()?, at.span()))) {
            Some((words, at)) => (words, Some(at)),
            None => (rules().next_upstream.value.clone(), None),
        }
    }

    /// A snippet of nginx can say anything.
    fn scripted(&self) -> Option<Span> {
        let snippets = ["configuration-snippet", "server-snippet"].iter().filter_map(|key| self.own(key));
        snippets.into_iter().find(|at| at.str().is_some_and(|t| t.contains("next_upstream"))).map(At::span)
    }

    /// What ends one try, the inner one first.
    pub fn per_try(&self, at: Span) -> Vec<Deadline> {
        let limit = |kind, key: &str, default: u64| match self.number(key) {
            Some(Set { value: Given::Is(seconds), at }) => {
                Deadline::new(kind, Value::Number(seconds.saturating_mul(1000)), at)
            }
            Some(Set { at, .. }) => Deadline::new(kind, Value::unknown("it is filled in later"), at),
            None => Deadline::default_of(kind, Value::Number(default * 1000), at),
        };
        vec![
            limit(DeadlineKind::Connect, "proxy-connect-timeout", rules().connect_timeout.value),
            limit(DeadlineKind::Idle, "proxy-read-timeout", rules().read_timeout.value),
        ]
    }

    /// What sends a request to the next pod; `None` where that is switched off.
    pub fn layer(&self, head: Span) -> Option<Layer> {
        let (words, listed) = self.words();
        let words: Vec<&str> = words.split_whitespace().collect();
        let (attempts, counted) = self.attempts(head)?;
        if words.contains(&OFF) {
            return None;
        }
        let again = words.iter().filter_map(|w| nginx().passed_on(w)).fold(Endings::NONE, |all, one| all | one);
        let all_methods = words.contains(&NON_IDEMPOTENT) || self.repeats_everything();
        let guarded = again & nginx().not_repeated.but_after();
        let methods = || Methods::These(nginx().not_repeated.methods.clone());
        let nobodys = listed.is_none() && counted.is_none();
        Some(Layer {
            attempts,
            elapsed: self.elapsed(),
            again: if self.grpc && !all_methods { guarded } else { again },
            by_method: (!all_methods && !self.grpc).then(|| ByMethod { methods: methods(), again: guarded }),
            takes_unsafe: listed.filter(|_| words.contains(&NON_IDEMPOTENT)),
            default_of: nobodys.then(|| Name::from(format!("{} ({})", rules().proxy, rules().tries.source))),
            seen: seen(listed.filter(|_| again.meets(Endings::of_classes([FailureClass::Permanent])))),
            ..Layer::new(listed.or(counted).unwrap_or(head))
        })
    }

    /// Attempts in all, and where they are written; `None` where it is one.
    fn attempts(&self, head: Span) -> Option<((Value, Origin), Option<Span>)> {
        let config = |at: Span| Origin { kind: OriginKind::Config, at: Some(at), source: None };
        if let Some(at) = self.scripted() {
            return Some(((Value::unknown("a snippet of nginx says how often"), config(at)), Some(at)));
        }
        let Some(set) = self.number("proxy-next-upstream-tries") else {
            let tries = &rules().tries;
            let source = Some(tries.source.clone());
            let origin = Origin { kind: OriginKind::LibraryDefault, at: Some(head), source };
            return Some(((Value::Number(tries.value), origin), None));
        };
        let value = match &set.value {
            Given::Is(1) => return None,
            Given::Is(0) => Value::unknown("0 takes the limit away: a pod is picked again until one answers"),
            Given::Is(n) => Value::Number(*n),
            _ => Value::unknown("`proxy-next-upstream-tries` is filled in later"),
        };
        Some(((value, config(set.at)), Some(set.at)))
    }

    fn elapsed(&self) -> Option<(Value, Origin)> {
        let set = self.number("proxy-next-upstream-timeout")?;
        let seconds = set.is().copied().filter(|s| *s > 0)?;
        let origin = Origin { kind: OriginKind::Config, at: Some(set.at), source: None };
        Some((Value::Number(seconds.saturating_mul(1000)), origin))
    }

    /// The switch of the ConfigMap for all requests of all Ingresses.
    fn repeats_everything(&self) -> bool {
        self.shared.and_then(|data| data.str_of("retry-non-idempotent")) == Some("true")
    }

    /// Annotations that the controller does not take.
    pub fn remarks(&self, said: &mut Said<'_>) {
        for (key, at) in self.object.annotations() {
            let Some(name) = key.strip_prefix(rules().prefix.as_str()).filter(|n| n.starts_with("proxy-")) else {
                continue;
            };
            let known: Vec<&str> = rules().annotations.iter().map(Name::as_str).collect();
            match nearby(name, &known).filter(|_| !known.contains(&name)) {
                Some(meant) => {
                    let message = format!("`{name}` is no annotation of ingress-nginx: it does nothing");
                    said.dead(at.span(), name, message, &format!("did you mean `{meant}`?"));
                }
                None => not_taken(name, at, said),
            }
        }
    }
}

/// A number with a unit, a word that nginx does not know.
fn not_taken(name: &str, at: At<'_>, said: &mut Said<'_>) {
    let Some(text) = at.str().filter(|t| !crate::frontend::field::filled_in_later(t)) else { return };
    match name {
        "proxy-next-upstream-tries"
        | "proxy-next-upstream-timeout"
        | "proxy-connect-timeout"
        | "proxy-read-timeout"
        | "proxy-send-timeout"
            if text.trim().parse::<i64>().is_err() =>
        {
            let message = format!("`{name}: {text}` does nothing: it is no {SECONDS}, so the default holds");
            let wants = if name.ends_with("tries") { "write a whole number" } else { "write the seconds as a number" };
            said.dead(at.span(), name, message, wants);
        }
        "proxy-next-upstream" => {
            let known = |word: &&str| [NON_IDEMPOTENT, OFF].contains(word) || nginx().passed_on(word).is_some();
            let Some(wrong) = text.split_whitespace().find(|word| !known(word)) else { return };
            let message = format!("`{wrong}` is no word of proxy-next-upstream: ingress-nginx refuses the annotation");
            said.rejected(at.span(), name, message, "name errors such as `error`, `timeout` or `http_502`");
        }
        _ => {}
    }
}

fn seen(permanent_at: Option<Span>) -> Seen {
    Seen { looks_at_error: true, elsewhere: true, permanent_at, confidence: Confidence::High, ..Seen::default() }
}
