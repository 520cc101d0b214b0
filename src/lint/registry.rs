//! The list of all lints in the order of their codes, and look-ups in it. Apart from `mod.rs`, so that adding a lint
//! touches one line here and nothing that another lint reads.

use super::{
    Lint, rl101, rl102, rl103, rl104, rl105, rl106, rl107, rl108, rl109, rl110, rl111, rl112, rl113, rl114, rl115,
    rl201, rl202, rl203, rl205, rl301, rl302, rl303, rl304, rl305, rl306, rl307, rl308, rl309, rl310, rl311, rl312,
    rl401, rl402, rl403, rl404, rl901, rl902, rl903, rl904,
};

/// Every lint, by code.
pub static ALL: &[&Lint] = &[
    &rl101::LINT,
    &rl102::LINT,
    &rl103::LINT,
    &rl104::LINT,
    &rl105::LINT,
    &rl106::LINT,
    &rl107::LINT,
    &rl108::LINT,
    &rl109::LINT,
    &rl110::LINT,
    &rl111::LINT,
    &rl112::LINT,
    &rl113::LINT,
    &rl114::LINT,
    &rl115::LINT,
    &rl201::LINT,
    &rl202::LINT,
    &rl203::LINT,
    &rl205::LINT,
    &rl301::LINT,
    &rl302::LINT,
    &rl303::LINT,
    &rl304::LINT,
    &rl305::LINT,
    &rl306::LINT,
    &rl307::LINT,
    &rl308::LINT,
    &rl309::LINT,
    &rl310::LINT,
    &rl311::LINT,
    &rl312::LINT,
    &rl401::LINT,
    &rl402::LINT,
    &rl403::LINT,
    &rl404::LINT,
    &rl901::LINT,
    &rl902::LINT,
    &rl903::LINT,
    &rl904::LINT,
];

/// The lint with this code or name; capitals do not matter.
pub fn by_name(text: &str) -> Option<&'static Lint> {
    ALL.iter().copied().find(|l| l.code.eq_ignore_ascii_case(text) || l.name.eq_ignore_ascii_case(text))
}

/// The code or name that the text was probably meant to be; `None` where nothing is near.
pub fn nearest(text: &str) -> Option<&'static str> {
    // Long input is no typing mistake, and the distance costs its length.
    if text.len() > 64 {
        return None;
    }
    let words = ALL.iter().flat_map(|l| [l.name, l.code]);
    let near = words.map(|w| (distance(&text.to_ascii_lowercase(), &w.to_ascii_lowercase()), w));
    near.min_by_key(|(d, _)| *d).filter(|(d, w)| *d <= w.len() / 3).map(|(_, w)| w)
}

/// How many letters have to be changed, added or left out.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, cb) in b.iter().enumerate() {
            let changed = diagonal + usize::from(ca != *cb);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_in_the_order_of_codes_without_repeats() {
        assert!(ALL.windows(2).all(|w| w[0].code < w[1].code));
        let names: std::collections::BTreeSet<_> = ALL.iter().map(|l| l.name).collect();
        assert_eq!(names.len(), ALL.len());
    }

    #[test]
    fn a_lint_is_found_by_code_and_by_name() {
        assert_eq!(by_name("RL301").map(|l| l.name), Some("retry-amplification"));
        assert_eq!(by_name("rl301").map(|l| l.name), Some("retry-amplification"));
        assert_eq!(by_name("fixed-backoff").map(|l| l.code), Some("RL103"));
        assert!(by_name("fixed").is_none());
    }

    #[test]
    fn a_mistyped_name_has_a_suggestion_and_nonsense_has_none() {
        assert_eq!(nearest("fixed-backof"), Some("fixed-backoff"));
        assert_eq!(nearest("missing_timeout"), Some("missing-timeout"));
        assert_eq!(nearest("RL3O1"), Some("RL301"));
        assert_eq!(nearest("colour-of-the-door"), None);
        assert_eq!(nearest(""), None);
        assert_eq!(nearest(&"x".repeat(100_000)), None);
    }

    #[test]
    fn distance_counts_single_letters() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", "abc"), 0);
    }
}
