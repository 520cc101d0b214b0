//! Delays under the operators of numbers.

use super::{Delay, Grows, Risk};
use crate::effect::Jitter;
use crate::source::Span;

fn origin(a: &Delay, b: &Delay) -> (Option<Span>, Option<crate::value::Origin>) {
    (a.at.or(b.at), a.from.clone().or_else(|| b.from.clone()))
}

fn earlier(a: Option<Risk>, b: Option<Risk>) -> Option<Risk> {
    match (a, b) {
        (Some(a), Some(b)) => Some(if a.turn <= b.turn { a } else { b }),
        (a, b) => a.or(b),
    }
}

/// Randomness that is added beside a delay: some.
fn beside(a: Jitter, b: Jitter) -> Jitter {
    match (a, b) {
        (Jitter::Unknown, Jitter::None) | (Jitter::None, Jitter::Unknown) => Jitter::Unknown,
        (Jitter::None, Jitter::None) => Jitter::None,
        (Jitter::Unknown, Jitter::Unknown) => Jitter::Unknown,
        (Jitter::Decorrelated, _) | (_, Jitter::Decorrelated) => Jitter::Decorrelated,
        _ => Jitter::Some,
    }
}

/// Randomness of a factor reaches the whole product.
fn through(a: &Delay, b: &Delay) -> Jitter {
    match (a.jitter, b.jitter) {
        (Jitter::None, Jitter::None) => Jitter::None,
        _ if a.random || b.random => Jitter::Full,
        (Jitter::None, j) | (j, Jitter::None) => j,
        (Jitter::Unknown, j) | (j, Jitter::Unknown) => j,
        _ => Jitter::Some,
    }
}

pub fn add(a: Delay, b: Delay, sign: f64) -> Delay {
    let jitter = beside(a.jitter, b.jitter);
    let (at, from) = origin(&a, &b);
    let base = a.base.zip(b.base).map(|(x, y)| (x + sign * y).max(0.0));
    let risky = earlier(a.risky, b.risky);
    let (grows, factor) = match (a.grows, b.grows) {
        // A random part alone does not say how the rest grows.
        (g, _) if b.random => (g, a.factor),
        (_, g) if a.random => (g, b.factor),
        (Grows::Unknown, _) | (_, Grows::Unknown) => (Grows::Unknown, None),
        (Grows::Not, Grows::Not) => (Grows::Not, None),
        (Grows::Before, Grows::Not) | (Grows::Not, Grows::Before) => (Grows::Plus, a.base.or(b.base)),
        (Grows::Before, _) | (_, Grows::Before) => (Grows::Custom, None),
        (Grows::Not, g) => (g, b.factor),
        (g, Grows::Not) => (g, a.factor),
        (Grows::Times, Grows::Times) if a.factor == b.factor => (Grows::Times, a.factor),
        (Grows::Counter | Grows::Plus, Grows::Counter | Grows::Plus) => (Grows::Plus, None),
        (Grows::Times, _) => (Grows::Times, a.factor),
        (_, Grows::Times) => (Grows::Times, b.factor),
        _ => (Grows::Custom, None),
    };
    let base = if b.random {
        a.base
    } else if a.random {
        b.base
    } else {
        base
    };
    let capped = (a.capped || a.grows == Grows::Not) && (b.capped || b.grows == Grows::Not) && (a.capped || b.capped);
    let side = |d: &Delay| d.cap.or(if d.grows == Grows::Not { Some(d.base.unwrap_or(0.0)) } else { None });
    let cap = side(&a).zip(side(&b)).map(|(x, y)| x + sign * y).filter(|_| capped);
    Delay { grows, base, factor, cap, capped, jitter, random: false, risky, at, from }
}

pub fn multiply(a: Delay, b: Delay, place: Span) -> Delay {
    let jitter = through(&a, &b);
    let (at, from) = origin(&a, &b);
    if a.random || b.random {
        let (known, random) = if a.random { (b, a) } else { (a, b) };
        return Delay { jitter, at, from, random: known.random && random.random, ..known };
    }
    let base = a.base.zip(b.base).map(|(x, y)| x * y);
    let (grows, factor) = match (a.grows, b.grows) {
        (Grows::Unknown, _) | (_, Grows::Unknown) => (Grows::Unknown, None),
        (Grows::Not, Grows::Not) => (Grows::Not, None),
        (Grows::Before, Grows::Not) => (Grows::Times, b.base),
        (Grows::Not, Grows::Before) => (Grows::Times, a.base),
        (Grows::Not, Grows::Counter) => (Grows::Plus, a.base),
        (Grows::Counter, Grows::Not) => (Grows::Plus, b.base),
        (Grows::Not, g @ (Grows::Plus | Grows::Custom)) => (g, b.factor.zip(a.base).map(|(f, x)| f * x)),
        (g @ (Grows::Plus | Grows::Custom), Grows::Not) => (g, a.factor.zip(b.base).map(|(f, x)| f * x)),
        (Grows::Times, Grows::Not) => (Grows::Times, a.factor),
        (Grows::Not, Grows::Times) => (Grows::Times, b.factor),
        _ => (Grows::Custom, None),
    };
    let capped = a.capped || b.capped;
    let scale = |x: &Delay, by: &Delay| x.cap.zip(by.base);
    let cap = scale(&a, &b).or_else(|| scale(&b, &a)).map(|(c, x)| c * x);
    let own = (grows == Grows::Times && !capped).then(|| risk_of_product(base, factor, place)).flatten();
    let risky = earlier(earlier(a.risky, b.risky), own);
    Delay { grows, base, factor, cap, capped, jitter, random: false, risky, at, from }
}

/// The turn at which base × factor^n passes 64 bits.
fn risk_of_product(base: Option<f64>, factor: Option<f64>, place: Span) -> Option<Risk> {
    let (base, factor) = (base.unwrap_or(1.0).max(1.0), factor.unwrap_or(2.0));
    if factor <= 1.0 {
        return None;
    }
    let turn = ((64.0 - base.log2()) / factor.log2()).max(1.0) as u64;
    Some(Risk { at: place, turn, before_cap: false })
}

pub fn divide(a: Delay, b: Delay) -> Delay {
    if b.grows != Grows::Not || !b.is_known() {
        let grows = if a.is_known() && b.is_known() { Grows::Custom } else { Grows::Unknown };
        return Delay { grows, base: None, jitter: through(&a, &b), ..a };
    }
    let by = b.base.filter(|x| *x != 0.0);
    let over = |x: Option<f64>| x.zip(by).map(|(x, y)| x / y);
    let linear = matches!(a.grows, Grows::Plus | Grows::Counter);
    let factor = if linear { over(a.factor) } else { a.factor };
    Delay { base: over(a.base), cap: over(a.cap), factor, ..a }
}

/// `base^n`, `base << n` with base as 1 and factor the base of the power.
pub fn power(base: Delay, exponent: Delay, scale: f64, checked: bool, place: Span, bits: u32) -> Delay {
    let (at, from) = origin(&base, &exponent);
    let factor = base.base;
    match (base.grows, exponent.grows) {
        (Grows::Not, Grows::Not) => {
            let known = factor.zip(exponent.base).map(|(f, n)| scale * f.powf(n));
            Delay { at, from, ..Delay::constant(known) }
        }
        (Grows::Not, Grows::Counter | Grows::Plus) => {
            let first = exponent.base.unwrap_or(0.0);
            let cap = exponent.cap.zip(factor).map(|(n, f)| scale * f.powf(n));
            let fits = exponent.capped && cap.is_none_or(|c| c < 2f64.powi(bits as i32));
            let per = factor.unwrap_or(2.0).max(1.000_001).log2();
            let turn = ((f64::from(bits) - scale.max(1.0).log2()) / per - first).max(0.0) as u64;
            let risky = (!checked && !fits).then_some(Risk { at: place, turn, before_cap: false });
            Delay {
                grows: Grows::Times,
                base: factor.map(|f| scale * f.powf(first)),
                factor,
                cap,
                capped: exponent.capped,
                jitter: exponent.jitter,
                random: false,
                risky,
                at,
                from,
            }
        }
        (Grows::Unknown, _) | (_, Grows::Unknown) => Delay::unknown(),
        _ => Delay { grows: Grows::Custom, base: None, factor: None, at, from, ..base },
    }
}

/// A cap applied to what grows; a cap that is not known is still a cap.
pub fn cap(a: Delay, limit: Delay) -> Delay {
    let (grown, limit) = match (a.grows, limit.grows) {
        (Grows::Not, g) if g != Grows::Not => (limit, a),
        _ => (a, limit),
    };
    if grown.grows == Grows::Not {
        let base = match (grown.base, limit.base) {
            (Some(x), Some(y)) => Some(x.min(y)),
            (x, y) => x.or(y),
        };
        return Delay { base, jitter: beside(grown.jitter, limit.jitter), ..grown };
    }
    let lower = |x: Option<f64>, y: Option<f64>| match (x, y) {
        (Some(x), Some(y)) => Some(x.min(y)),
        (x, y) => x.or(y),
    };
    let risky = grown.risky.map(|r| Risk { before_cap: true, ..r });
    Delay { cap: lower(grown.cap, limit.base), capped: true, risky, ..grown }
}

/// One of several ways to compute it.
pub fn either(parts: Vec<Delay>) -> Delay {
    let mut parts = parts.into_iter();
    let Some(first) = parts.next() else {
        return Delay::unknown();
    };
    parts.fold(first, |a, b| {
        let jitter = if a.jitter == b.jitter { a.jitter } else { beside(a.jitter, b.jitter) };
        let (at, from) = origin(&a, &b);
        let risky = earlier(a.risky, b.risky);
        match (a.grows, b.grows) {
            (Grows::Not, Grows::Not) if a.base == b.base => Delay { jitter, risky, at, from, ..a },
            // Which of them holds is decided once, as far as is seen here: the larger counts.
            (Grows::Not, Grows::Not) => {
                let base = a.base.zip(b.base).map(|(x, y)| x.max(y)).or(a.base).or(b.base);
                Delay { base, jitter, at, from, ..a }
            }
            // `if d > MAX { MAX } else { d }`: the constant side is the cap, or the first delay.
            (Grows::Not, _) => Delay { jitter, at, from, ..cap(b, a) },
            (_, Grows::Not) => Delay { jitter, at, from, ..cap(a, b) },
            (x, y) if x == y => Delay { jitter, risky, at, from, ..a },
            (Grows::Unknown, _) | (_, Grows::Unknown) => Delay::unknown(),
            _ => Delay { grows: Grows::Custom, factor: None, jitter, risky, at, from, ..a },
        }
    })
}

pub fn scale(a: Delay, by: f64) -> Delay {
    let linear = matches!(a.grows, Grows::Plus | Grows::Counter);
    let factor = if linear { a.factor.map(|x| x * by) } else { a.factor };
    Delay { base: a.base.map(|x| x * by), cap: a.cap.map(|x| x * by), factor, ..a }
}
