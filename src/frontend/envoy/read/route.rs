//! Route configurations: virtual hosts, what their routes match, and where they go.

use super::policy;
use crate::frontend::envoy::config::{Action, Match, Pass, Path, Rewrite, Route, Set, Table, To, VirtualHost};
use crate::frontend::field::At;
use crate::name::Name;

pub fn table(at: At<'_>) -> Table {
    Table {
        name: at.str_of("name").map(Name::new),
        hosts: at.list("virtual_hosts").map(host).collect(),
        mirrors: policy::mirrors(at),
    }
}

/// A virtual host that comes alone.
pub fn table_of_host(at: At<'_>) -> Table {
    Table { name: None, hosts: vec![host(at)], mirrors: Vec::new() }
}

fn host(at: At<'_>) -> VirtualHost {
    VirtualHost {
        name: at.name_of("name"),
        domains: at.list("domains").filter_map(|d| d.str()).map(|d| Name::from(d.to_lowercase())).collect(),
        routes: at.list("routes").map(route).collect(),
        policy: policy::policy(at),
        hedge: policy::hedge(at),
        mirrors: policy::mirrors(at),
    }
}

fn route(at: At<'_>) -> Route {
    Route {
        at: at.span(),
        matching: at.field("match").map(matching).unwrap_or_default(),
        action: action(at),
        without: at.field("typed_per_filter_config").map(switched_off).unwrap_or_default(),
    }
}

/// The filters that a route does without.
fn switched_off(at: At<'_>) -> Vec<Name> {
    let off = |config: At<'_>| config.flag("disabled");
    at.entries().filter(|(_, config)| off(*config)).map(|(name, _)| Name::new(name)).collect()
}

fn matching(at: At<'_>) -> Match {
    let headers: Vec<At<'_>> = at.list("headers").collect();
    let mut methods: Vec<Name> = headers.iter().filter_map(|h| policy::methods(*h)).flatten().collect();
    let others = headers.iter().any(|h| policy::methods(*h).is_none());
    if at.has("connect_matcher") {
        methods = vec![Name::new("CONNECT")];
    }
    let asks = ["query_parameters", "runtime_fraction", "tls_context", "dynamic_metadata", "filter_state", "cookies"];
    Match { path: path(at), methods, perhaps: others || asks.iter().any(|f| at.has(f)), grpc: at.has("grpc") }
}

fn path(at: At<'_>) -> Path {
    let named = |field: &str| at.str_of(field).map(Name::new);
    let regex = at.at(&["safe_regex", "regex"]).or_else(|| at.field("regex")).and_then(At::name);
    // Case that does not matter is not followed.
    let cased = at.field("case_sensitive").and_then(|f| f.str()) != Some("false");
    let found = named("prefix").map(Path::Prefix).or_else(|| named("path").map(Path::Exact));
    let found =
        found.or_else(|| named("path_separated_prefix").map(Path::Segments)).or_else(|| regex.map(Path::Pattern));
    match found {
        Some(Path::Prefix(all)) if all == "/" || all.is_empty() => Path::Any,
        Some(found) if cased => found,
        Some(_) => Path::Unknown,
        None if at.has("path_match_policy") => Path::Unknown,
        None => Path::Any,
    }
}

fn action(at: At<'_>) -> Action {
    if let Some(pass) = at.field("route") {
        return Action::Pass(Box::new(passing(at, pass)));
    }
    if at.has("redirect") {
        return Action::Answer(301);
    }
    match at.field("direct_response") {
        Some(direct) => Action::Answer(direct.str_of("status").and_then(|s| s.parse().ok()).unwrap_or(200)),
        None => Action::Unknown,
    }
}

fn passing(route: At<'_>, at: At<'_>) -> Pass {
    Pass {
        at: route.entry_span("route").unwrap_or(at.span()),
        to: to(at),
        timeout: at.duration("timeout"),
        idle_timeout: at.duration("idle_timeout"),
        max_stream_duration: at.field("max_stream_duration").and_then(|m| m.duration("max_stream_duration")),
        policy: policy::policy(at),
        hedge: policy::hedge(at),
        mirrors: policy::mirrors(at),
        rewrite: rewrite(at),
    }
}

/// The clusters that a route or a TCP proxy names.
pub fn to(at: At<'_>) -> To {
    let weighted = at.field("weighted_clusters").into_iter().flat_map(|w| w.list("clusters"));
    let weighted = weighted.filter(|c| c.count("weight").is_none_or(|w| w.is() != Some(&0)));
    let weighted: Vec<At<'_>> = weighted.collect();
    let clusters: Vec<Set<Name>> =
        at.text("cluster").into_iter().chain(weighted.iter().filter_map(|c| c.text("name"))).collect();
    let headers = weighted.iter().filter_map(|c| c.text("cluster_header"));
    let header = at.text("cluster_header").into_iter().chain(headers).next();
    let plugin = at.text("cluster_specifier_plugin").or_else(|| {
        let inline = at.field("inline_cluster_specifier_plugin")?;
        Some(inline.set(Name::new("inline_cluster_specifier_plugin")))
    });
    To { clusters, decided_by: header.or(plugin) }
}

fn rewrite(at: At<'_>) -> Rewrite {
    match at.str_of("prefix_rewrite") {
        Some(text) if text.contains('%') => Rewrite::Unknown,
        Some(text) => Rewrite::Matched(Name::new(text)),
        None if ["regex_rewrite", "path_rewrite_policy", "path_rewrite"].iter().any(|f| at.has(f)) => Rewrite::Unknown,
        None => Rewrite::None,
    }
}
