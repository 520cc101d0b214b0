//! RL201: a server that never answers keeps its caller for ever.

use std::collections::BTreeMap;

use super::layers::Enclosing;
use super::{Context, Finding, Level, Lint, Related, words};
use crate::analysis::WithoutTimeout;
use crate::name::Name;
use crate::source::Span;

pub static LINT: Lint = Lint {
    code: "RL201",
    name: "missing-timeout",
    summary: "nothing ends a remote call that is never answered",
    level: Level::Error,
    page: include_str!("../../rules/lints/RL201-missing-timeout.md"),
    check,
};

fn check(ctx: &Context<'_>) -> Vec<Finding> {
    let enclosing = Enclosing::new(ctx);
    let mut clients: BTreeMap<Key, Vec<&WithoutTimeout>> = BTreeMap::new();
    for entry in &ctx.analysis.without_timeout {
        clients.entry(key(entry, &enclosing)).or_default().push(entry);
    }
    clients.values().map(|calls| finding(ctx, calls, &enclosing)).collect()
}

/// What one finding stands for: a client by where it is built; one that is handed over by the package that uses it and
/// the library that it is of, since a package seldom has two.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    Built(Span),
    HandedOver(Name, Name),
}

fn key(entry: &WithoutTimeout, enclosing: &Enclosing<'_>) -> Key {
    let library = entry.what.split("::").next().unwrap_or_default();
    match enclosing.package(entry.at) {
        Some(package) if entry.handed_over => Key::HandedOver(package, Name::new(library)),
        _ => Key::Built(entry.at),
    }
}

/// What a proxy's configuration leaves open.
fn of_config(first: &WithoutTimeout, enclosing: &Enclosing<'_>) -> Finding {
    let place = enclosing.name(first.at);
    let connect = match first.connect_timeout {
        true => "the connect timeout ends only the connect",
        false => "nothing ends the connect either",
    };
    let message = format!("nothing ends a request of `{place}` that is never answered; {connect}");
    let help = "set a timeout for a server that does not answer: `timeout server` and `timeout connect` of HAProxy, \
                `timeout` of a route of Envoy";
    let mut finding = LINT.finding(first.at, first.confidence, message, help.to_owned());
    finding.context = place;
    finding
}

fn finding(ctx: &Context<'_>, calls: &[&WithoutTimeout], enclosing: &Enclosing<'_>) -> Finding {
    let first = calls[0];
    if !ctx.sources.path(first.at).ends_with(".rs") {
        return of_config(first, enclosing);
    }
    let built = first.at != first.call;
    let what = &first.what;
    let hang = match (built, calls.len()) {
        (false, 1) => format!("nothing ends this call of `{what}` if it is never answered"),
        (false, n) => format!(
            "nothing ends this call of `{what}` if it is never answered, nor {} more of its package through clients \
             handed over",
            n - 1
        ),
        (true, 1) => format!(
            "`{what}` has no timeout: nothing ends the call at {} if it is never answered",
            words::place(ctx, first.call)
        ),
        (true, n) => {
            format!("`{what}` has no timeout: nothing ends the {n} calls through it if they are never answered")
        }
    };
    let connect = match first.connect_timeout {
        true => "its connect timeout ends only the connect",
        false => "nothing ends the connect either",
    };
    let help = match built {
        true => "set a timeout where the client is built, or put each call in `tokio::time::timeout`",
        false => {
            "put the call in `tokio::time::timeout(Duration::from_secs(10), ..)`, or set a timeout on the request or its client"
        }
    };
    let mut finding = LINT.finding(first.at, first.confidence, format!("{hang}; {connect}"), help.to_owned());
    finding.context = enclosing.name(first.at);
    let related = calls.iter().filter(|c| c.call != first.at).take(5);
    finding.related = related.map(|c| Related { at: c.call, message: "this call can hang".to_owned() }).collect();
    finding
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::Analysis;
    use crate::effect::Confidence;
    use crate::lint::testing::{at, run};

    fn entry(client: u32, call: u32, connect_timeout: bool) -> WithoutTimeout {
        WithoutTimeout {
            at: at(client),
            call: at(call),
            what: Name::new("reqwest::Client"),
            connect_timeout,
            confidence: Confidence::High,
            handed_over: false,
        }
    }

    fn check(without_timeout: Vec<WithoutTimeout>) -> Vec<Finding> {
        run(Analysis { without_timeout, ..Analysis::default() }, super::check)
    }

    #[test]
    fn one_finding_per_client_names_its_calls() {
        let found = check(vec![entry(3, 8, true), entry(3, 9, true)]);
        assert_eq!((found.len(), found[0].at), (1, at(3)));
        assert_eq!(found[0].related.len(), 2);
        assert!(found[0].message.contains("2 calls"), "{}", found[0].message);
        assert!(found[0].message.contains("connect timeout ends only the connect"), "{}", found[0].message);
    }

    #[test]
    fn a_bare_call_says_that_the_connect_has_no_end_either() {
        let found = check(vec![entry(8, 8, false)]);
        assert!(found[0].message.ends_with("nothing ends the connect either"), "{}", found[0].message);
        assert!(found[0].related.is_empty());
    }

    #[test]
    fn nothing_hangs_nothing_is_said() {
        assert!(check(Vec::new()).is_empty());
    }
}
