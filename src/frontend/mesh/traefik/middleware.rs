//! What stands between a router and its service: retries, and changes of the path.

use std::collections::BTreeMap;
use std::time::Duration;

use super::rules::rules;
use super::settings::{Group, duration};
use crate::class::{Ending, Endings, FailureClass};
use crate::effect::{ByMethod, Confidence, Jitter, Methods, Passes, Seen, Shape, Wait};
use crate::frontend::field::{Given, Set};
use crate::frontend::mesh::plan::Layer;
use crate::frontend::mesh::said::{Said, nearby};
use crate::frontend::mesh::time::millis;
use crate::name::Name;
use crate::source::Span;
use crate::value::{Origin, OriginKind, Value};

/// Chains inside chains.
const DEEPEST: usize = 8;

/// All middlewares that a router can name.
#[derive(Default)]
pub struct Middlewares {
    pub all: BTreeMap<String, Group>,
}

/// What the middlewares of one router come to.
#[derive(Default)]
pub struct Way {
    /// The outermost first.
    pub layers: Vec<Layer>,
    pub passes: Option<Passes>,
}

impl Middlewares {
    pub fn way<'n>(&self, names: impl Iterator<Item = &'n str>) -> Way {
        let mut way = Way::default();
        names.for_each(|name| self.add(name, &mut way, 0));
        way
    }

    fn add(&self, name: &str, way: &mut Way, depth: usize) {
        let Some(group) = self.all.get(name).filter(|_| depth < DEEPEST) else { return };
        let chained = group.list("chain.middlewares").map(plain);
        chained.collect::<Vec<_>>().iter().for_each(|name| self.add(name, way, depth + 1));
        way.layers.extend(layer(group));
        if let Some(passes) = passes(group) {
            way.passes = Some(if way.passes.is_none() { passes } else { Passes::Unknown });
        }
    }
}

/// `again@file` names the same as `again`.
pub fn plain(name: &str) -> String {
    name.split('@').next().unwrap_or(name).to_lowercase()
}

fn passes(group: &Group) -> Option<Passes> {
    let has = |prefix: &str| group.all.iter().any(|s| s.key.starts_with(prefix));
    if let Some(prefixes) = group.text("stripprefix.prefixes") {
        let from = prefixes.trim_end_matches('/');
        let one = !prefixes.contains(',') && from.starts_with('/');
        return Some(if one {
            Passes::Prefix { from: Name::from(format!("{from}/")), to: Name::new("/") }
        } else {
            Passes::Unknown
        });
    }
    if let Some(path) = group.text("replacepath.path") {
        return Some(Passes::Fixed(Name::new(path)));
    }
    ["stripprefix", "addprefix", "replacepath"].iter().any(|kind| has(kind)).then_some(Passes::Unknown)
}

fn layer(group: &Group) -> Option<Layer> {
    let own = group.under("retry.");
    let set = own.set("attempts", |t| t.parse::<u64>().ok())?;
    let origin = Origin { kind: OriginKind::Config, at: Some(set.at), source: None };
    let attempts = match &set.value {
        Given::Is(0 | 1) | Given::Wrong(_) => return None,
        Given::Is(n) => Value::Number(*n),
        Given::Later(text) => Value::unknown(&format!("`attempts` is filled in later: {text}")),
    };
    let network = if own.is_on("disableretryonnetworkerror") { Endings::NONE } else { rules().network_errors() };
    let answers = answers(&own);
    let guarded = !own.is_on("retrynonidempotentmethod") && !answers.is_empty();
    let methods = || Methods::These(rules().not_repeated.clone());
    let listed = own.get("status").map(|s| s.at);
    let asks_for_harm = own.get("retrynonidempotentmethod").filter(|_| !guarded && !answers.is_empty());
    Some(Layer {
        attempts: (attempts, origin),
        elapsed: own.set("timeout", duration).and_then(elapsed),
        again: network | answers,
        by_method: guarded.then(|| ByMethod { methods: methods(), again: network }),
        takes_unsafe: asks_for_harm.map(|s| s.at),
        wait: wait(&own),
        seen: Seen {
            looks_at_error: true,
            permanent_at: listed.filter(|_| answers.meets(Endings::of_classes([FailureClass::Permanent]))),
            confidence: Confidence::High,
            ..Seen::default()
        },
        ..Layer::new(set.at)
    })
}

/// The answers that are repeated, those among them that Traefik itself gives for a failed try.
fn answers(own: &Group) -> Endings {
    let number = |text: &str| text.trim().parse::<u16>().ok().filter(|c| (100..=599).contains(c));
    let range = |text: &str| match text.split_once('-') {
        Some((from, to)) => Some(number(from)?..=number(to)?),
        None => number(text).map(|code| code..=code),
    };
    let codes = own.list("status").filter_map(range).flatten();
    let found = Endings::statuses_of(codes.filter_map(FailureClass::of_status));
    let made = rules().answers().into_iter().filter(|(_, answer)| found.meets(*answer)).map(|(after, _)| after);
    let sent = Endings::ERRORS.without(Endings::one(Ending::Error(FailureClass::Connect)));
    made.fold(found, |all, after| all | (after & sent))
}

fn elapsed(set: Set<Duration>) -> Option<(Value, Origin)> {
    let limit = set.is().filter(|d| !d.is_zero())?;
    Some((Value::Number(millis(*limit)), Origin { kind: OriginKind::Config, at: Some(set.at), source: None }))
}

/// None, unless a first wait is written: then random around one that grows up to twice the first.
fn wait(own: &Group) -> Wait {
    let Some(set) = own.set("initialinterval", duration) else { return Wait::none() };
    let Some(first) = set.is().map(|d| millis(*d)).filter(|ms| *ms > 0) else { return Wait::none() };
    Wait {
        shape: Shape::Exponential,
        base_ms: Some(first),
        factor: None,
        cap_ms: Some(first.saturating_mul(rules().longest_wait.value)),
        capped: true,
        jitter: Jitter::Some,
        at: Some(set.at),
        overflows: None,
        from: Some(Origin { kind: OriginKind::Config, at: Some(set.at), source: None }),
    }
}

/// Numbers that Traefik refuses, fields that it does not know.
pub fn remarks(group: &Group, whole: Span, said: &mut Said<'_>) {
    let own = group.under("retry.");
    if own.all.is_empty() {
        return;
    }
    let attempts = own.set("attempts", |t| t.parse::<u64>().ok().filter(|n| *n > 0));
    match &attempts {
        None => {
            let message = "a retry middleware without `attempts` is refused: the router that names it does not work";
            said.rejected(whole, "retry", message.to_owned(), "write `attempts`, which counts all tries");
        }
        Some(set) => said.refused(Some(set), "retry.attempts", "whole number above 0"),
    }
    if let Some(one) = attempts.filter(|a| a.is() == Some(&1)) {
        let message = "`attempts: 1` repeats nothing: it counts all tries, the first among them".to_owned();
        said.dead(one.at, "retry.attempts", message, "write 2 for one retry, or leave the middleware out");
    }
    let known: Vec<&str> = rules().fields.iter().map(Name::as_str).collect();
    for setting in own.all.iter().filter(|s| !known.contains(&s.key.as_str())) {
        let Some(meant) = nearby(&setting.key, &known) else { continue };
        let message = format!("`{}` is no field of a retry middleware", setting.key);
        said.dead(setting.at, &format!("retry.{}", setting.key), message, &format!("did you mean `{meant}`?"));
    }
}
