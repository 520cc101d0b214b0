//! Durations as Go writes them (`1h30m`, `1.5s`), and as the Gateway API does, which allows fewer forms.

use std::time::Duration;

use crate::frontend::field::Set;
use crate::source::Span;

const UNITS: [(&str, f64); 7] =
    [("ns", 1e-9), ("us", 1e-6), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
/// Longer ones are no limit.
const LONGEST: f64 = 1e12;

/// A Go duration that is not negative.
pub fn go(text: &str) -> Option<Duration> {
    let mut rest = text.strip_prefix('+').unwrap_or(text);
    if rest == "0" {
        return Some(Duration::ZERO);
    }
    let mut seconds = 0.0;
    while !rest.is_empty() || seconds == 0.0 && text.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..digits].parse().ok()?;
        let tail = &rest[digits..];
        let end = tail.find(|c: char| c.is_ascii_digit() || c == '.').unwrap_or(tail.len());
        let (_, unit) = UNITS.iter().find(|(name, _)| *name == &tail[..end])?;
        seconds += number * unit;
        rest = &tail[end..];
    }
    (seconds <= LONGEST).then(|| Duration::from_nanos((seconds * 1e9).round() as u64))
}

/// Up to four parts of whole numbers with `h`, `m`, `s` or `ms`.
pub fn gep_2257(text: &str) -> Option<Duration> {
    let mut parts = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).filter(|n| (1..=5).contains(n))?;
        let tail = &rest[digits..];
        let end = tail.find(|c: char| c.is_ascii_digit()).unwrap_or(tail.len());
        if !["h", "m", "s", "ms"].contains(&&tail[..end]) {
            return None;
        }
        parts += 1;
        rest = &tail[end..];
    }
    (1..=4).contains(&parts).then(|| go(text)).flatten()
}

/// As a message shows it.
pub fn shown(duration: Duration) -> String {
    match duration.as_secs_f64() {
        seconds if seconds < 1.0 => format!("{} ms", seconds * 1000.0),
        seconds => format!("{seconds} s"),
    }
}

/// A limit in ms, and where it stands: one of 0 is none.
pub fn limit(set: Option<&Set<Duration>>) -> Option<(u64, Span)> {
    let set = set?;
    set.is().filter(|d| !d.is_zero()).map(|d| (millis(*d), set.at))
}

pub fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_durations() {
        let ms = |text: &str| go(text).map(millis);
        assert_eq!(
            (ms("2s"), ms("1h30m"), ms("1.5s"), ms("250ms")),
            (Some(2000), Some(5_400_000), Some(1500), Some(250))
        );
        assert_eq!((ms("0"), ms("0s")), (Some(0), Some(0)));
        for wrong in ["", "2", "s", "-1s", "1 s", "1x", "1..5s", "9e9h"] {
            assert_eq!(ms(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_gateway_api_has_no_decimals() {
        let ms = |text: &str| gep_2257(text).map(millis);
        assert_eq!((ms("1m30s"), ms("0s"), ms("300ms")), (Some(90_000), Some(0), Some(300)));
        for wrong in ["", "1.5s", "10", "1us", "123456s", "1h1m1s1ms1s"] {
            assert_eq!(ms(wrong), None, "{wrong}");
        }
    }
}
