//! The words of messages: numbers as digits, one way to say each thing.

use super::Context;
use crate::analysis::{Layer, Limited};
use crate::class::{Ending, Endings, FailureClass};
use crate::effect::{DeadlineKind, SetBy, Shape, Wait};
use crate::source::Span;
use crate::value::{Bound, ENDLESS, Origin, OriginKind, Why};

/// `81 times`, `at least 12 times`, `without bound`.
pub fn times(bound: &Bound<u64>) -> String {
    match bound {
        Bound::Exactly(1) => "1 time".to_owned(),
        Bound::Exactly(n) => format!("{n} times"),
        Bound::AtMost(n) => format!("up to {n} times"),
        Bound::AtLeast(ENDLESS.., _) => "without bound".to_owned(),
        Bound::AtLeast(n, _) => format!("at least {n} times"),
        Bound::Unbounded => "without bound".to_owned(),
        Bound::Unknown(_) => "an unknown number of times".to_owned(),
    }
}

/// `4 attempts`, `at most 4 attempts`, `attempts without bound`.
pub fn attempts(bound: &Bound<u64>) -> String {
    match bound {
        Bound::Exactly(1) => "1 attempt".to_owned(),
        Bound::Exactly(n) => format!("{n} attempts"),
        Bound::AtMost(n) => format!("at most {n} attempts"),
        Bound::AtLeast(ENDLESS.., _) => "attempts without bound".to_owned(),
        Bound::AtLeast(n, _) => format!("at least {n} attempts"),
        Bound::Unbounded => "attempts without bound".to_owned(),
        Bound::Unknown(_) => "an unknown number of attempts".to_owned(),
    }
}

/// The attempts of a layer and where the number comes from: `4 attempts (constant at src/lib.rs:7)`.
pub fn attempts_of(ctx: &Context<'_>, layer: &Layer) -> String {
    let count = attempts(&layer.attempts);
    match (&layer.attempts, from(ctx, &layer.from)) {
        (Bound::Unbounded | Bound::Unknown(_), _) | (_, None) => count,
        (_, Some(from)) => format!("{count} ({from})"),
    }
}

fn from(ctx: &Context<'_>, origin: &Origin) -> Option<String> {
    let what = match origin.kind {
        OriginKind::Literal => "literal",
        OriginKind::Constant => "constant",
        OriginKind::FieldDefault => "default of a field",
        OriginKind::Argument => "argument",
        OriginKind::Environment => "fallback of an environment variable",
        OriginKind::LibraryDefault => "library default",
        OriginKind::Config => "config",
        OriginKind::Stated => "stated",
        OriginKind::Computed => "computed",
        OriginKind::None => return None,
    };
    Some(match (origin.at, &origin.source) {
        (Some(at), _) => format!("{what} at {}", place(ctx, at)),
        (None, Some(source)) => format!("{what}, {source}"),
        (None, None) => what.to_owned(),
    })
}

/// `src/lib.rs:18`.
pub fn place(ctx: &Context<'_>, at: Span) -> String {
    format!("{}:{}", ctx.sources.path(at), ctx.sources.start(at).line)
}

/// The reason in brackets, where there is one.
pub fn because(why: Option<&Why>) -> String {
    why.map(|w| format!(" ({})", w.0)).unwrap_or_default()
}

/// A time as people write it: `250 ms`, `3.2 s`, `10 min`, `3.6 days`.
pub fn ms(ms: f64) -> String {
    const UNITS: [(f64, &str); 5] =
        [(86_400_000.0, "days"), (3_600_000.0, "h"), (60_000.0, "min"), (1000.0, "s"), (1.0, "ms")];
    if ms >= 100.0 * 365.0 * 86_400_000.0 {
        return "more than 100 years".to_owned();
    }
    // Seconds up to two minutes: `90 s` is read faster than `1.5 min`.
    let fits = |unit: f64| ms >= if unit >= 60_000.0 { 2.0 * unit } else { unit };
    let (unit, name) = UNITS.into_iter().find(|(unit, _)| fits(*unit)).unwrap_or((1.0, "ms"));
    format!("{} {name}", short(ms / unit))
}

/// At most one digit after the point, and none where it is 0.
fn short(n: f64) -> String {
    let tenths = (n * 10.0).round() / 10.0;
    if tenths.fract() == 0.0 { format!("{tenths:.0}") } else { format!("{tenths:.1}") }
}

/// `limit of 10 s`, `default limit of 60 s between two reads`.
pub fn deadline(limited: &Limited) -> String {
    let between = if limited.kind == DeadlineKind::Idle { " between two reads" } else { "" };
    let time = ms(limited.ms as f64);
    match limited.set {
        SetBy::Code => format!("limit of {time}{between}"),
        SetBy::Default => format!("default limit of {time}{between}"),
        SetBy::Statement => format!("declared deadline of {time}"),
    }
}

/// The delay's shape: `exponential from 100 ms by a factor of 2 up to 2 s`.
pub fn delay(wait: &Wait) -> String {
    let mut text = wait.shape.name().to_owned();
    if let Some(base) = wait.base_ms {
        let word = if wait.shape == Shape::Fixed { "" } else { "from " };
        text.push_str(&format!(" {word}{}", ms(base as f64)));
    }
    if let Some(factor) = wait.factor.filter(|_| wait.shape == Shape::Exponential) {
        text.push_str(&format!(" by a factor of {}", short(factor)));
    }
    if let Some(cap) = wait.cap_ms.filter(|_| wait.shape != Shape::Fixed) {
        text.push_str(&format!(" up to {}", ms(cap as f64)));
    }
    text
}

/// After what is tried again: `reset, timeout and a hang`.
pub fn after(again: Endings) -> String {
    let mut said: Vec<&str> = again.classes().into_iter().map(FailureClass::name).collect();
    if again.has(Ending::Never) && !said.contains(&"timeout") {
        said.push("a hang");
    }
    list(&said)
}

/// `a`, `a and b`, `a, b and c`.
pub fn list<T: AsRef<str>>(items: &[T]) -> String {
    let items: Vec<&str> = items.iter().map(AsRef::as_ref).collect();
    match items.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short_and_exact_where_that_matters() {
        let said = [0.0, 250.0, 1000.0, 3200.0, 90_000.0, 600_000.0, 312_500_000.0].map(ms);
        assert_eq!(said, ["0 ms", "250 ms", "1 s", "3.2 s", "90 s", "10 min", "3.6 days"]);
        assert_eq!(ms(f64::INFINITY), "more than 100 years");
    }

    #[test]
    fn a_delay_says_what_is_known_of_it() {
        let wait = Wait {
            shape: Shape::Exponential,
            base_ms: Some(100),
            factor: Some(2.0),
            cap_ms: Some(2000),
            ..Wait::none()
        };
        assert_eq!(delay(&wait), "exponential from 100 ms by a factor of 2 up to 2 s");
        assert_eq!(delay(&Wait { shape: Shape::Fixed, base_ms: Some(1000), ..Wait::none() }), "fixed 1 s");
        assert_eq!(delay(&Wait { shape: Shape::Custom, ..Wait::none() }), "custom");
    }

    #[test]
    fn lists_end_with_and() {
        assert_eq!(list(&["a"]), "a");
        assert_eq!(list(&["a", "b", "c"]), "a, b and c");
    }
}
