//! Numbers, waits and durations as people read them; used by every report that is read by people.

use crate::effect::{Jitter, Shape, Wait};
use crate::value::Bound;

/// `3`, `at most 3`, `≥ 3`, `no limit`, `unknown`.
pub fn bound(bound: &Bound<u64>) -> String {
    match bound {
        Bound::Exactly(n) => n.to_string(),
        Bound::AtMost(n) => format!("at most {n}"),
        Bound::AtLeast(n, _) => format!("at least {n}"),
        Bound::Unbounded => "no limit".to_string(),
        Bound::Unknown(_) => "unknown".to_string(),
    }
}

/// A factor of a product: as short as it can be.
pub fn factor(bound: &Bound<u64>) -> String {
    match bound {
        Bound::Exactly(n) => n.to_string(),
        Bound::AtMost(n) => format!("<={n}"),
        Bound::AtLeast(n, _) => format!(">={n}"),
        Bound::Unbounded => "no limit".to_string(),
        Bound::Unknown(_) => "?".to_string(),
    }
}

/// For sorting: the larger the number, the worse.
pub fn size(bound: &Bound<u64>) -> u64 {
    match bound {
        Bound::Exactly(n) | Bound::AtMost(n) | Bound::AtLeast(n, _) => *n,
        Bound::Unbounded => u64::MAX,
        Bound::Unknown(_) => 2,
    }
}

/// `1 attempt`, `3 attempts`, `no limit`.
pub fn attempts(value: &Bound<u64>) -> String {
    match value {
        Bound::Unbounded => "attempts without limit".to_string(),
        Bound::Unknown(_) => "attempts unknown".to_string(),
        Bound::Exactly(1) => "1 attempt".to_string(),
        other => format!("{} attempts", bound(other)),
    }
}

/// `250 ms`, `1.5 s`, `2 min`.
pub fn duration(ms: u64) -> String {
    match ms {
        0..=999 => format!("{ms} ms"),
        1_000..=59_999 if ms.is_multiple_of(1000) => format!("{} s", ms / 1000),
        1_000..=59_999 => format!("{:.1} s", ms as f64 / 1000.0),
        _ if ms.is_multiple_of(60_000) => format!("{} min", ms / 60_000),
        _ => format!("{:.1} min", ms as f64 / 60_000.0),
    }
}

/// `exponential 100 ms x2 up to 2 s`.
pub fn backoff(wait: &Wait) -> String {
    let mut text = match wait.shape {
        Shape::None => return "no delay".to_string(),
        shape => shape.name().to_string(),
    };
    if let Some(base) = wait.base_ms {
        text.push_str(&format!(" {}", duration(base)));
    }
    if let Some(factor) = wait.factor {
        text.push_str(&format!(" x{factor}"));
    }
    if let Some(cap) = wait.cap_ms {
        text.push_str(&format!(" up to {}", duration(cap)));
    }
    text
}

/// `no jitter`, `full jitter`.
pub fn jitter(wait: &Wait) -> String {
    match (wait.shape, wait.jitter) {
        (Shape::None, _) => String::new(),
        (_, Jitter::None) => "no jitter".to_string(),
        (_, Jitter::Unknown) => "jitter unknown".to_string(),
        (_, jitter) => format!("{} jitter", jitter.name()),
    }
}

/// `1 error`, `2 errors`.
pub fn count(n: usize, word: &str) -> String {
    if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") }
}
