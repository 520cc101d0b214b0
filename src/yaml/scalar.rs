//! What a scalar says. Types are the reader's: the same `0.25s` is a duration to one format and a name to another.

use std::time::Duration;

use granit_parser::ScalarStyle;

/// How a scalar is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Literal,
    Folded,
}

impl From<ScalarStyle> for Style {
    fn from(style: ScalarStyle) -> Style {
        match style {
            ScalarStyle::Plain => Style::Plain,
            ScalarStyle::SingleQuoted => Style::SingleQuoted,
            ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
            ScalarStyle::Literal => Style::Literal,
            ScalarStyle::Folded => Style::Folded,
        }
    }
}

/// The key that takes another mapping's entries in.
pub(super) const MERGE: &str = "<<";

pub(super) fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

/// `true` and `false`; written plainly also the words that loaders of configs take for them.
pub(super) fn boolean(text: &str, style: Style) -> Option<bool> {
    let lower = text.to_ascii_lowercase();
    let cased = text == lower || text == text.to_ascii_uppercase() || capitalised(text);
    match lower.as_str() {
        "true" if cased => Some(true),
        "false" if cased => Some(false),
        "yes" | "y" | "on" if cased && style == Style::Plain => Some(true),
        "no" | "n" | "off" if cased && style == Style::Plain => Some(false),
        _ => None,
    }
}

fn capitalised(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_uppercase()) && chars.all(|c| c.is_ascii_lowercase())
}

/// A whole number, quoted too: decimal, `0x`, `0o`, and plain with a leading zero octal, as config loaders have it.
pub(super) fn integer(text: &str, style: Style) -> Option<i128> {
    let text = text.trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let octal = digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|b| matches!(b, b'0'..=b'7'));
    let n = match () {
        () if digits.starts_with("0x") => i128::from_str_radix(&digits[2..], 16).ok()?,
        () if digits.starts_with("0o") => i128::from_str_radix(&digits[2..], 8).ok()?,
        () if octal && style == Style::Plain => i128::from_str_radix(digits, 8).ok()?,
        () => digits.parse().ok().or_else(|| whole(float(digits)?))?,
    };
    Some(if negative { -n } else { n })
}

/// `3.0` and `1e3` are whole numbers to a protobuf loader.
fn whole(number: f64) -> Option<i128> {
    let exact = number.fract() == 0.0 && number.abs() < 9_007_199_254_740_992.0;
    exact.then_some(number as i128)
}

pub(super) fn float(text: &str) -> Option<f64> {
    let text = text.trim();
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    match unsigned {
        ".inf" | ".Inf" | ".INF" => Some(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY }),
        ".nan" | ".NaN" | ".NAN" => Some(f64::NAN),
        _ if unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') => text.parse().ok(),
        _ => None,
    }
}

/// The longest time that protobuf's JSON form can say, in seconds.
const LONGEST_SECONDS: u64 = 315_576_000_000;

/// A duration as protobuf writes it in JSON: seconds with up to nine decimals and an `s`. Negative ones are refused: they
/// mean nothing where a config has a duration.
pub fn proto_duration(text: &str) -> Option<Duration> {
    let number = text.strip_suffix('s')?;
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || fraction.len() > 9 {
        return None;
    }
    let seconds: u64 = whole.parse().ok().filter(|s| *s <= LONGEST_SECONDS)?;
    let nanos: u32 = format!("{fraction:0<9}").parse().ok()?;
    Some(Duration::new(seconds, nanos))
}

/// Is `written` the protobuf field `field` (in snake_case), as it stands there or in lowerCamelCase?
pub fn same_field(field: &str, written: &str) -> bool {
    if field == written {
        return true;
    }
    let mut upper = false;
    let mut written = written.bytes();
    for byte in field.bytes() {
        if byte == b'_' {
            upper = true;
            continue;
        }
        let byte = if std::mem::take(&mut upper) { byte.to_ascii_uppercase() } else { byte };
        if written.next() != Some(byte) {
            return false;
        }
    }
    written.next().is_none()
}
