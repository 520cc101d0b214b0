//! Remarks about settings of meshes and gateways, and what a word that nobody knows was meant to be.

use crate::fact::{Facts, Remark, RemarkKind};
use crate::frontend::field::{At, Given, Set};
use crate::name::Name;
use crate::source::Span;

/// Says something about a setting of one object.
pub struct Said<'f> {
    pub facts: &'f mut Facts,
    /// `VirtualService catalog`.
    pub object: String,
    /// Whose settings they are, for messages: `Istio`.
    pub system: &'static str,
}

impl Said<'_> {
    pub fn say(&mut self, is: RemarkKind, at: Span, setting: &str, message: String, help: &str) {
        let context = Name::from(format!("{}.{setting}", self.object));
        self.facts.remarks.push(Remark { is, at, context, message, help: help.to_owned() });
    }

    pub fn dead(&mut self, at: Span, setting: &str, message: String, help: &str) {
        self.say(RemarkKind::Dead, at, setting, message, help);
    }

    pub fn rejected(&mut self, at: Span, setting: &str, message: String, help: &str) {
        self.say(RemarkKind::Rejected, at, setting, message, help);
    }

    /// A value that the system does not take.
    pub fn refused<T>(&mut self, set: Option<&Set<T>>, setting: &str, wants: &str) {
        if let Some(Set { value: Given::Wrong(text), at }) = set {
            let field = setting.rsplit('.').next().unwrap_or(setting);
            let message = format!("{} refuses `{field}: {text}`: it is no {wants}", self.system);
            self.rejected(*at, setting, message, &format!("write a {wants}"));
        }
    }

    /// Fields of a retry policy that are none, but nearly: the system leaves them out.
    pub fn misspelt(&mut self, policy: At<'_>, setting: &str, known: &[&str]) {
        for (key, at) in policy.keys().filter(|(key, _)| !known.contains(key)) {
            let Some(meant) = nearby(key, known) else { continue };
            let message = format!("`{key}` is no field of {setting}, so {} leaves it out", self.system);
            self.dead(at, &format!("{setting}.{key}"), message, &format!("did you mean `{meant}`?"));
        }
    }
}

/// The known word that a written one was surely meant to be: the same but for case, or for up to two letters.
pub fn nearby<'k>(written: &str, known: &[&'k str]) -> Option<&'k str> {
    let plain = |word: &str| word.to_ascii_lowercase().replace(['_', '-'], "");
    let lower = plain(written);
    let most = if lower.len() < 5 { 1 } else { 2 };
    if lower.len() > 64 {
        return None;
    }
    let near = known.iter().map(|word| (distance(&lower, &plain(word)), *word));
    near.filter(|(far, _)| *far <= most).min_by_key(|(far, _)| *far).map(|(_, word)| word)
}

/// Letters to change, add, take away or swap with their neighbour.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let same = usize::from(a[i - 1] != b[j - 1]);
            let mut least = (last[j - 1] + same).min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_nearby_is_found_and_another_is_not() {
        let known = ["attempts", "perTryTimeout", "retryOn", "5xx"];
        assert_eq!(nearby("retryon", &known), Some("retryOn"));
        assert_eq!(nearby("retry_on", &known), Some("retryOn"));
        assert_eq!(nearby("attempt", &known), Some("attempts"));
        assert_eq!(nearby("perTryTimout", &known), Some("perTryTimeout"));
        assert_eq!(nearby("5XX", &known), Some("5xx"));
        assert_eq!(nearby("name", &known), None);
        assert_eq!(nearby("backoff", &known), None);
    }
}
