//! Numbers with their parameters bound: how many turns a repetition has, and where that number comes from.

use std::hash::{Hash, Hasher};

use crate::effect::{Jitter, Repeat, Shape, Stop, Wait};
use crate::name::Name;
use crate::source::Span;
use crate::value::{ENDLESS, Origin, Tries, Value};

/// A value as a pair of ends, not yet read as attempts: zero is zero, and nothing known is 0 to infinity.
#[derive(Clone, Debug)]
pub struct Num {
    pub low: u64,
    pub high: u64,
    /// The call that gave it, if a parameter is in it.
    pub bound_at: Option<Span>,
    pub origin: Origin,
    pub why: Option<Name>,
}

/// Origin and reason are for readers: two numbers that differ in these alone do not make two instances of a place.
impl PartialEq for Num {
    fn eq(&self, other: &Num) -> bool {
        (self.low, self.high, self.bound_at) == (other.low, other.high, other.bound_at)
    }
}

impl Eq for Num {}

impl Hash for Num {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.low, self.high, self.bound_at).hash(state);
    }
}

impl Num {
    fn of(low: u64, high: u64) -> Num {
        Num { low, high, bound_at: None, origin: Origin::none(), why: None }
    }

    fn unknown(why: &str) -> Num {
        Num { why: Some(Name::new(why)), ..Num::of(0, Tries::INFINITE) }
    }

    pub fn attempts(&self) -> Tries {
        let end = |n: u64| {
            if n >= ENDLESS { Tries::INFINITE } else { n.max(1) }
        };
        let (low, high) = (end(self.low), end(self.high));
        match high {
            Tries::INFINITE => Tries { low: low.max(Tries::UNKNOWN.low), high },
            _ => Tries { low, high },
        }
    }

    /// Both ends changed by the same monotone step.
    fn each(self, step: impl Fn(u64) -> u64) -> Num {
        let end = |n: u64| if n == Tries::INFINITE { n } else { step(n) };
        Num { low: end(self.low), high: end(self.high), ..self }
    }
}

/// What a parameter is bound to, if it is a number.
pub type Given<'a> = &'a dyn Fn(u16) -> Option<Num>;

/// The value of a number where its parameters are known.
pub fn evaluate(value: &Value, given: Given<'_>) -> Num {
    stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, || match value {
        Value::Number(n) => Num::of(*n, *n),
        Value::Param(i) => given(*i).unwrap_or_else(|| Num::unknown("its number is a parameter that nothing binds")),
        Value::Largest(parts) => several(parts, given, u64::max),
        Value::Smallest(parts) => several(parts, given, u64::min),
        Value::Plus(inner, n) => evaluate(inner, given).each(|m| m.saturating_add_signed(*n)),
        Value::Times(inner, n) => evaluate(inner, given).each(|m| m.saturating_mul(*n)),
        Value::Unbounded => Num::of(Tries::INFINITE, Tries::INFINITE),
        Value::Unknown(why) => Num::unknown(&why.0),
    })
}

fn several(parts: &[Value], given: Given<'_>, pick: fn(u64, u64) -> u64) -> Num {
    let mut all = parts.iter().map(|part| evaluate(part, given));
    let Some(first) = all.next() else {
        return Num::unknown("no value reaches it");
    };
    all.fold(first, |a, b| {
        let from = if b.high > a.high { &b } else { &a };
        let (origin, bound_at) = (from.origin.clone(), a.bound_at.or(b.bound_at));
        Num { low: pick(a.low, b.low), high: pick(a.high, b.high), bound_at, origin, why: a.why.or(b.why) }
    })
}

/// The turns of a repetition.
#[derive(Clone, Debug)]
pub struct Limit {
    pub n: Tries,
    pub origin: Origin,
    pub why: Option<Name>,
    /// The call that gave the count.
    pub bound_at: Option<Span>,
    /// The smallest limit of time, in ms.
    pub elapsed_ms: Option<u64>,
    /// A limit of time, the end of an iterator or a cancellation.
    pub otherwise: bool,
}

pub fn limit(repeat: &Repeat, given: Given<'_>) -> Limit {
    let mut out = Limit {
        n: Tries::UNBOUNDED,
        origin: Origin::none(),
        why: None,
        bound_at: None,
        elapsed_ms: None,
        otherwise: false,
    };
    let mut ends = None;
    for stop in &repeat.stops {
        match stop {
            Stop::Count(value, origin) => count(&mut out, evaluate(value, given), origin),
            Stop::Elapsed(value, origin) => {
                let time = evaluate(value, given);
                ends.get_or_insert((origin, "only a limit of time ends it"));
                out.elapsed_ms = match time.high {
                    Tries::INFINITE => out.elapsed_ms,
                    ms => Some(out.elapsed_ms.map_or(ms, |old| old.min(ms))),
                };
                out.otherwise |= time.low != Tries::INFINITE;
            }
            Stop::Ends(origin) => {
                ends.get_or_insert((origin, "it ends by itself at a number that is not known"));
                out.otherwise = true;
            }
            Stop::Cancelled => out.otherwise = true,
        }
    }
    if let Some((origin, why)) = ends.filter(|_| out.otherwise) {
        by_time(&mut out, &repeat.wait, origin, why);
    }
    out
}

/// The smallest of several counts applies.
fn count(out: &mut Limit, number: Num, origin: &Origin) {
    let n = number.attempts();
    if n.high < out.n.high || out.n == Tries::UNBOUNDED {
        let passed_in = number.bound_at.is_some() && number.origin.at.is_some();
        out.origin = if passed_in { number.origin } else { origin.clone() };
    }
    out.bound_at = out.bound_at.or(number.bound_at);
    out.why = number.why.or(out.why.take());
    out.n = Tries { low: out.n.low.min(n.low), high: out.n.high.min(n.high) };
}

/// Where no count bounds it: one more than the smallest delay fits into the time, or not known.
fn by_time(out: &mut Limit, wait: &Wait, origin: &Origin, why: &str) {
    if out.n.high != Tries::INFINITE {
        return;
    }
    let counted = out.n.low != Tries::INFINITE;
    let fits = out.elapsed_ms.zip(smallest(wait)).map(|(time, delay)| 1 + time / delay);
    out.n = match fits {
        Some(n) => Tries::at_most(n),
        None => Tries::UNKNOWN,
    };
    if !counted {
        out.origin = origin.clone();
    }
    if fits.is_none() && out.why.is_none() {
        out.why = Some(Name::new(why));
    }
}

/// The smallest pause, in ms, if it is known and above zero.
fn smallest(wait: &Wait) -> Option<u64> {
    let steady = matches!(wait.shape, Shape::Fixed | Shape::Linear)
        || (wait.shape == Shape::Exponential && wait.factor.is_none_or(|f| f >= 1.0));
    let base = wait.base_ms.map(|base| wait.cap_ms.map_or(base, |cap| base.min(cap)));
    base.filter(|ms| steady && wait.jitter == Jitter::None && *ms > 0)
}
