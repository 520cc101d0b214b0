//! Names of the analysed program: cheap to copy, compared by text.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// An identifier or a path, shared between everything that mentions it.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(Arc<str>);

impl Name {
    pub fn new(text: &str) -> Name {
        Name(Arc::from(text))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Deref for Name {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Name {
        Name::new(text)
    }
}

impl From<String> for Name {
    fn from(text: String) -> Name {
        Name(Arc::from(text))
    }
}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        &*self.0 == other
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        &*self.0 == *other
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl<'de> serde::Deserialize<'de> for Name {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Name, D::Error> {
        String::deserialize(from).map(Name::from)
    }
}

impl serde::Serialize for Name {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self)
    }
}

/// A path's last segment and what stands before it. By bytes: the search for a text in a text does far too much for this.
pub fn split_last(path: &str) -> Option<(&str, &str)> {
    let at = path.as_bytes().windows(2).rposition(|pair| pair == b"::")?;
    Some((&path[..at], &path[at + 2..]))
}

/// A path's last segment.
pub fn last_segment(path: &str) -> &str {
    split_last(path).map_or(path, |(_, last)| last)
}

/// The candidate that `word` was probably meant to be, for "did you mean" in errors.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let all = candidates.into_iter().map(|c| (distance(&word, &c.to_lowercase()), c));
    let (far, best) = all.min()?;
    (far <= 1 + word.chars().count() / 4).then_some(best)
}

/// Single-character edits between two words.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let change = corner + usize::from(ca != *cb);
            corner = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{last_segment, nearest, split_last};

    #[test]
    fn segments_of_paths() {
        assert_eq!(split_last("a::b::c"), Some(("a::b", "c")));
        assert_eq!((split_last("abc"), split_last("::a"), split_last("a::")), (None, Some(("", "a")), Some(("a", ""))));
        assert_eq!((last_segment("a::bé"), last_segment("a"), last_segment("")), ("bé", "a", ""));
    }

    #[test]
    fn the_nearest_name() {
        let names = ["fixed-backoff", "no-backoff", "RL101"];
        assert_eq!(nearest("fixed-backof", names), Some("fixed-backoff"));
        assert_eq!(nearest("rl101", names), Some("RL101"));
        assert_eq!(nearest("something-else", names), None);
    }
}
