//! Numbers and the arithmetic of not knowing them.
//!
//! Front-ends emit [`Value`]s: numbers that may hang on a parameter. Analyses compute [`Tries`]: a pair of what is surely
//! reached and what is never passed. Reports print [`Bound`]s.

use crate::name::Name;
use crate::source::Span;

/// Tries in all, the first included. Retries are attempts - 1; only the two constructors convert.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Attempts(u64);

impl Attempts {
    pub fn from_total(n: u64) -> Attempts {
        Attempts(n)
    }

    pub fn from_retries(n: u64) -> Attempts {
        Attempts(n.saturating_add(1))
    }

    pub fn total(self) -> u64 {
        self.0
    }
}

/// Why a number is not known: one short phrase for a reader, such as "`max` is read from the environment".
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Why(pub Name);

impl Why {
    pub fn new(text: &str) -> Why {
        Why(Name::new(text))
    }
}

/// A number as reports print it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Bound<T> {
    Exactly(T),
    AtMost(T),
    AtLeast(T, Option<Why>),
    Unbounded,
    Unknown(Option<Why>),
}

/// From this many attempts on a number is unbounded in effect (semantics.md, Bounds).
pub const ENDLESS: u64 = 1_000_000;

/// A number of tries as a pair: `low` is surely reached in some run, `high` is never passed. [`Tries::INFINITE`] stands for no limit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Tries {
    pub low: u64,
    pub high: u64,
}

impl Tries {
    pub const INFINITE: u64 = u64::MAX;
    pub const ZERO: Tries = Tries { low: 0, high: 0 };
    pub const ONE: Tries = Tries { low: 1, high: 1 };
    pub const UNBOUNDED: Tries = Tries { low: Tries::INFINITE, high: Tries::INFINITE };
    /// A layer whose number is not known repeats at least once.
    pub const UNKNOWN: Tries = Tries { low: 2, high: Tries::INFINITE };

    /// A number of attempts of a layer: zero is a dead setting and counts as one, a million or more is unbounded in effect.
    pub fn attempts(n: u64) -> Tries {
        match n {
            ENDLESS.. => Tries::UNBOUNDED,
            n => Tries { low: n.max(1), high: n.max(1) },
        }
    }

    pub fn at_most(n: u64) -> Tries {
        Tries { low: 1, high: n.max(1) }
    }

    pub fn at_least(n: u64) -> Tries {
        Tries { low: n.max(1), high: Tries::INFINITE }
    }

    /// One after another.
    pub fn plus(self, other: Tries) -> Tries {
        Tries { low: self.low.saturating_add(other.low), high: self.high.saturating_add(other.high) }
    }

    /// So many times. Nothing, repeated for ever, is nothing.
    pub fn times(self, n: Tries) -> Tries {
        Tries { low: self.low.saturating_mul(n.low), high: self.high.saturating_mul(n.high) }
    }

    /// One fewer, on both ends.
    pub fn less_one(self) -> Tries {
        let less = |n: u64| {
            if n == Tries::INFINITE { n } else { n.saturating_sub(1) }
        };
        Tries { low: less(self.low), high: less(self.high) }
    }

    /// The larger on both ends.
    pub fn worse(self, other: Tries) -> Tries {
        Tries { low: self.low.max(other.low), high: self.high.max(other.high) }
    }

    pub fn bound(self) -> Bound<u64> {
        match (self.low, self.high) {
            (Tries::INFINITE, _) => Bound::Unbounded,
            (low, Tries::INFINITE) if low <= 2 => Bound::Unknown(None),
            (low, Tries::INFINITE) => Bound::AtLeast(low, None),
            (low, high) if low == high => Bound::Exactly(high),
            (_, high) => Bound::AtMost(high),
        }
    }
}

/// Where a number comes from, for reports.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Origin {
    pub kind: OriginKind,
    /// Where the number stands, if it stands in the tree.
    pub at: Option<Span>,
    /// For a default: the model and its source, such as `backon (backon-1.6.0/src/backoff/exponential.rs:82)`.
    pub source: Option<Name>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum OriginKind {
    Literal,
    Constant,
    FieldDefault,
    Argument,
    Environment,
    LibraryDefault,
    Config,
    /// Stated in a comment or in `[values]`.
    Stated,
    /// Computed from several of the above.
    Computed,
    None,
}

impl OriginKind {
    pub fn name(self) -> &'static str {
        match self {
            OriginKind::Literal => "literal",
            OriginKind::Constant => "constant",
            OriginKind::FieldDefault => "field-default",
            OriginKind::Argument => "argument",
            OriginKind::Environment => "environment",
            OriginKind::LibraryDefault => "library-default",
            OriginKind::Config => "config",
            OriginKind::Stated => "stated",
            OriginKind::Computed => "computed",
            OriginKind::None => "none",
        }
    }
}

impl Origin {
    pub fn none() -> Origin {
        Origin { kind: OriginKind::None, at: None, source: None }
    }

    pub fn literal(at: Span) -> Origin {
        Origin { kind: OriginKind::Literal, at: Some(at), source: None }
    }
}

/// A whole number that a layer's limit is made of; counts and milliseconds alike. `Param` is bound at each call.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    Number(u64),
    /// The i-th parameter of the place in which it stands.
    Param(u16),
    /// One of several that reach this place; the largest counts.
    Largest(Vec<Value>),
    Smallest(Vec<Value>),
    /// Saturating at zero.
    Plus(Box<Value>, i64),
    Times(Box<Value>, u64),
    /// No limit.
    Unbounded,
    Unknown(Why),
}

impl Value {
    pub fn unknown(why: &str) -> Value {
        Value::Unknown(Why::new(why))
    }

    pub fn plus(self, n: i64) -> Value {
        match (self, n) {
            (value, 0) => value,
            (Value::Number(m), n) => Value::Number(m.saturating_add_signed(n)),
            (Value::Plus(inner, m), n) => Value::Plus(inner, m + n),
            (value @ (Value::Unbounded | Value::Unknown(_)), _) => value,
            (value, n) => Value::Plus(Box::new(value), n),
        }
    }

    /// The number itself where it hangs on no parameter.
    pub fn number(&self) -> Option<u64> {
        match self {
            Value::Number(n) => Some(*n),
            _ => None,
        }
    }
}
