//! The rules of routers: Host(`shop.example`) && PathPrefix(`/api`), as far as hosts, paths and methods go.

use crate::fact::PathRule;
use crate::frontend::mesh::plan::Match;
use crate::name::Name;

/// Longer ones are not read.
const LONGEST: usize = 8 * 1024;

/// Hosts and matches; anything that could not be read makes the matches perhaps.
#[derive(Default)]
pub struct Rule {
    /// In lower case; empty for any.
    pub hosts: Vec<Name>,
    pub matches: Vec<Match>,
}

pub fn read(text: &str) -> Rule {
    let mut rule = Rule::default();
    if text.len() > LONGEST {
        return Rule { matches: vec![any(true)], ..rule };
    }
    let mut every_host = false;
    for alternative in split(text, "||") {
        let (hosts, matches) = all_of(alternative);
        every_host |= hosts.is_empty();
        hosts
            .into_iter()
            .filter(|h| !rule.hosts.contains(h))
            .collect::<Vec<_>>()
            .into_iter()
            .for_each(|h| rule.hosts.push(h));
        rule.matches.extend(matches);
    }
    if every_host {
        rule.hosts.clear();
    }
    rule
}

fn any(perhaps: bool) -> Match {
    Match { path: PathRule::Any, whole_segments: false, methods: Vec::new(), perhaps }
}

/// Matchers that all must hold.
fn all_of(text: &str) -> (Vec<Name>, Vec<Match>) {
    let (mut hosts, mut paths, mut methods, mut perhaps) = (Vec::new(), Vec::new(), Vec::new(), false);
    for part in split(text, "&&") {
        let Some((name, values)) = matcher(part.trim()) else {
            perhaps = true;
            continue;
        };
        let of = |kind: fn(Name) -> PathRule| values.iter().map(|v| kind(Name::new(v))).collect::<Vec<_>>();
        match name {
            "Host" => hosts.extend(values.iter().map(|v| Name::from(v.to_ascii_lowercase()))),
            "Path" => paths.extend(of(PathRule::Exact)),
            "PathPrefix" => {
                paths.extend(
                    values.iter().map(|v| if *v == "/" { PathRule::Any } else { PathRule::Prefix(Name::new(v)) }),
                );
            }
            "PathRegexp" => paths.extend(of(PathRule::Pattern)),
            "Method" => methods.extend(values.iter().map(|v| Name::from(v.to_ascii_uppercase()))),
            _ => perhaps = true,
        }
    }
    if paths.is_empty() {
        paths.push(PathRule::Any);
    }
    let one = |path| Match { path, whole_segments: false, methods: methods.clone(), perhaps };
    (hosts, paths.into_iter().map(one).collect())
}

/// Name and values of Name(`a`, `b`).
fn matcher(text: &str) -> Option<(&str, Vec<&str>)> {
    let (name, rest) = text.split_once('(')?;
    let values = rest.strip_suffix(')')?;
    let plain = |v: &str| !v.contains(['(', ')']);
    let quoted = |v| {
        let v: &str = str::trim(v);
        ['`', '"', '\''].iter().find_map(|q| v.strip_prefix(*q)?.strip_suffix(*q))
    };
    let known = name.chars().all(|c| c.is_ascii_alphabetic());
    let pattern = name.ends_with("Regexp");
    let list: Option<Vec<&str>> =
        if pattern { quoted(values).map(|v| vec![v]) } else { values.split(',').map(quoted).collect() };
    list.filter(|l| known && (pattern || l.iter().all(|v| plain(v)))).map(|l| (name, l))
}

/// Parts between an operator that stands outside of quotes and parentheses.
fn split<'t>(text: &'t str, operator: &str) -> Vec<&'t str> {
    let (mut parts, mut from, mut depth, mut quote) = (Vec::new(), 0, 0usize, None);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(q), _) if q == c => quote = None,
            (Some(_), _) => {}
            (None, '`' | '"' | '\'') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            (None, _) if depth == 0 && at >= from && text[at..].starts_with(operator) => {
                parts.push(&text[from..at]);
                from = at + operator.len();
            }
            _ => {}
        }
    }
    parts.push(&text[from.min(text.len())..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_paths_and_methods() {
        let rule = read("Host(`Shop.example`) && (PathPrefix(`/a`))");
        assert_eq!((rule.hosts.len(), rule.matches[0].perhaps), (1, true));
        let rule = read("Host(`a`, `b`) && PathPrefix(`/api`) && Method(`POST`) || Path(`/x`) && Host(`c`)");
        assert_eq!(rule.hosts, [Name::new("a"), Name::new("b"), Name::new("c")]);
        assert_eq!(rule.matches[0].path, PathRule::Prefix(Name::new("/api")));
        assert_eq!(rule.matches[0].methods, [Name::new("POST")]);
        assert_eq!(rule.matches[1].path, PathRule::Exact(Name::new("/x")));
        assert!(rule.matches.iter().all(|m| !m.perhaps));
    }

    #[test]
    fn what_is_not_read_is_perhaps() {
        for text in ["", "!Host(`a`)", "Header(`x`, `y`)", "Host(`a", "))((", "Host(`a`) && ClientIP(`10.0.0.0/8`)"] {
            assert!(read(text).matches.iter().all(|m| m.perhaps), "{text}");
        }
        assert!(read("Path(`/a`) || Host(`b`)").hosts.is_empty());
    }
}
