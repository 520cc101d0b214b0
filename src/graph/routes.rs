//! Which routes of a proxy answer a request. Where a path is only known in part a route may fit or not: then it is one of
//! several alternatives, and the asking ends at the first that surely fits.

use regex::Regex;

use super::address::paths_fit;
use crate::fact::{Entrance, PathRule, Request, Route, VirtualHost};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fit {
    Surely,
    Perhaps,
    No,
}

/// Patterns are foreign text: what they compile to is kept small.
const PATTERN_LIMIT: usize = 64 * 1024;

/// The routes that can answer. `host` is what the request asks for, if that is known.
pub fn answering<'e>(entrance: &'e Entrance, host: Option<&str>, request: &Request) -> Vec<&'e Route> {
    let mut found = Vec::new();
    for virtual_host in virtual_hosts(entrance, host) {
        for route in &virtual_host.routes {
            match fits(route, request) {
                Fit::Surely => {
                    found.push(route);
                    break;
                }
                Fit::Perhaps => found.push(route),
                Fit::No => {}
            }
        }
    }
    found
}

/// The virtual host that a request's host picks; all of them where the host is not known and none takes any.
fn virtual_hosts<'e>(entrance: &'e Entrance, host: Option<&str>) -> Vec<&'e VirtualHost> {
    let hosts = &entrance.hosts;
    let takes_any = |h: &&VirtualHost| h.names.is_empty() || h.names.iter().any(|n| *n == "*");
    if let Some(host) = host {
        let exact = hosts.iter().find(|h| h.names.iter().any(|n| **n == *host));
        if let Some(named) = exact.or_else(|| hosts.iter().find(|h| is_named(h, host))) {
            return vec![named];
        }
    }
    match hosts.iter().find(takes_any) {
        Some(any) => vec![any],
        None => hosts.iter().collect(),
    }
}

/// Whether one of its names, a wildcard among them, means that host. `*` alone is no name.
pub fn is_named(virtual_host: &VirtualHost, host: &str) -> bool {
    virtual_host.names.iter().any(|name| {
        let wild = |rest: &str| !rest.is_empty() && host.len() > rest.len() && host.ends_with(rest);
        match name.strip_prefix('*') {
            Some(rest) => wild(rest),
            None => **name == *host,
        }
    })
}

fn fits(route: &Route, request: &Request) -> Fit {
    let method = match &request.method {
        _ if route.methods.is_empty() => Fit::Surely,
        Some(method) if route.methods.iter().any(|m| m == method) => Fit::Surely,
        Some(_) => Fit::No,
        None => Fit::Perhaps,
    };
    let path = path_fits(&route.path, request.path.as_deref());
    match (method, path) {
        (Fit::No, _) | (_, Fit::No) => Fit::No,
        (Fit::Surely, Fit::Surely) if !route.perhaps => Fit::Surely,
        _ => Fit::Perhaps,
    }
}

fn path_fits(rule: &PathRule, asked: Option<&str>) -> Fit {
    match (rule, asked) {
        (PathRule::Any, _) => Fit::Surely,
        (PathRule::Prefix(prefix), _) if **prefix == *"/" => Fit::Surely,
        (_, None) => Fit::Perhaps,
        (PathRule::Exact(path), Some(asked)) if !asked.contains('{') => sure(**path == *asked),
        (PathRule::Exact(path), Some(asked)) => perhaps(paths_fit(asked, path) || open_end(asked, path)),
        (PathRule::Prefix(prefix), Some(asked)) => prefix_fits(prefix, asked),
        (PathRule::Pattern(pattern), Some(asked)) => pattern_fits(pattern, asked),
    }
}

fn sure(yes: bool) -> Fit {
    if yes { Fit::Surely } else { Fit::No }
}

fn perhaps(yes: bool) -> Fit {
    if yes { Fit::Perhaps } else { Fit::No }
}

/// The part of a path before what is not known.
fn known(asked: &str) -> &str {
    &asked[..asked.find('{').unwrap_or(asked.len())]
}

/// `/api/{*}` can be any path below `/api/`.
fn open_end(asked: &str, path: &str) -> bool {
    asked.ends_with("{*}") && path.starts_with(known(asked))
}

fn prefix_fits(prefix: &str, asked: &str) -> Fit {
    let begins = known(asked);
    if begins.starts_with(prefix) {
        return Fit::Surely;
    }
    // What is not known may be anything that the prefix wants there.
    perhaps(begins.len() < asked.len() && prefix.starts_with(begins))
}

fn pattern_fits(pattern: &str, asked: &str) -> Fit {
    let compiled = regex::RegexBuilder::new(pattern).size_limit(PATTERN_LIMIT).build();
    match compiled {
        Ok(regex) if !asked.contains('{') => sure(Regex::is_match(&regex, asked)),
        _ => Fit::Perhaps,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::PlaceId;
    use crate::source::FileId;

    fn route(place: u32, path: PathRule) -> Route {
        Route { methods: Vec::new(), path, perhaps: false, place: PlaceId(place) }
    }

    fn entrance(hosts: &[(&[&str], u32)]) -> Entrance {
        let host = |(names, first): &(&[&str], u32)| VirtualHost {
            names: names.iter().map(|n| (*n).into()).collect(),
            routes: vec![
                route(*first, PathRule::Exact("/checkout".into())),
                route(first + 1, PathRule::Pattern("^/img/[0-9]+$".into())),
                route(first + 2, PathRule::Prefix("/api/".into())),
                route(first + 3, PathRule::Prefix("/".into())),
            ],
        };
        Entrance { file: FileId(0), listens: Vec::new(), hosts: hosts.iter().map(host).collect() }
    }

    fn asked(entrance: &Entrance, host: Option<&str>, path: Option<&str>) -> Vec<u32> {
        let request = Request { method: None, path: path.map(Into::into) };
        answering(entrance, host, &request).iter().map(|r| r.place.0).collect()
    }

    #[test]
    fn the_first_that_surely_fits_answers() {
        let one = entrance(&[(&[], 0)]);
        assert_eq!(asked(&one, None, Some("/checkout")), [0]);
        assert_eq!(asked(&one, None, Some("/img/7")), [1]);
        assert_eq!(asked(&one, None, Some("/api/x")), [2]);
        assert_eq!(asked(&one, None, Some("/other")), [3]);
    }

    #[test]
    fn what_is_not_known_leaves_alternatives() {
        let one = entrance(&[(&[], 0)]);
        assert_eq!(asked(&one, None, None), [0, 1, 2, 3]);
        assert_eq!(asked(&one, None, Some("/api/{}")), [1, 2]);
        assert_eq!(asked(&one, None, Some("/{*}")), [0, 1, 2, 3]);
    }

    #[test]
    fn hosts_are_picked_by_name_then_by_wildcard_then_any() {
        let many = entrance(&[(&["*"], 0), (&["*.shop.internal"], 10), (&["a.shop.internal"], 20)]);
        assert_eq!(asked(&many, Some("a.shop.internal"), Some("/checkout")), [20]);
        assert_eq!(asked(&many, Some("b.shop.internal"), Some("/checkout")), [10]);
        assert_eq!(asked(&many, Some("elsewhere"), Some("/checkout")), [0]);
        let named = entrance(&[(&["a"], 0), (&["b"], 10)]);
        assert_eq!(asked(&named, None, Some("/checkout")), [0, 10]);
    }

    #[test]
    fn hostile_patterns_are_only_perhaps() {
        assert_eq!(path_fits(&PathRule::Pattern("(a{1000}){1000}".into()), Some("/a")), Fit::Perhaps);
        assert_eq!(path_fits(&PathRule::Pattern("(?=x)".into()), Some("/a")), Fit::Perhaps);
    }
}
