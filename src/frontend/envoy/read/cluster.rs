//! Clusters: the servers behind a name, and the brakes that all of its callers share.

use crate::frontend::envoy::config::{Budget, Cluster, Server, Set};
use crate::frontend::field::At;
use crate::name::Name;

pub fn cluster(at: At<'_>) -> Cluster {
    let threshold = at.field("circuit_breakers").and_then(|c| c.list("thresholds").find(of_default_priority));
    Cluster {
        file: at.file(),
        name: at.name_of("name"),
        servers: servers(at),
        // The first kind is also the one of a cluster that names none.
        is_static: at.str_of("type").is_none_or(|t| t == "STATIC" || t == "static"),
        aggregate: aggregate(at),
        connect_timeout: at.duration("connect_timeout"),
        max_requests_per_connection: max_requests(at),
        max_retries: threshold.and_then(|t| t.count("max_retries")),
        budget: threshold.and_then(budget),
    }
}

fn of_default_priority(threshold: &At<'_>) -> bool {
    threshold.str_of("priority").is_none_or(|p| p == "DEFAULT" || p == "0")
}

fn budget(threshold: At<'_>) -> Option<Budget> {
    let at = threshold.field("retry_budget")?;
    Some(Budget {
        at: threshold.entry_span("retry_budget").unwrap_or(at.span()),
        percent: at.field("budget_percent").and_then(|p| p.float("value")),
        min_concurrency: at.count("min_retry_concurrency"),
    })
}

fn servers(at: At<'_>) -> Vec<Server> {
    let localities = at.field("load_assignment").into_iter().flat_map(|l| l.list("endpoints"));
    let endpoints = localities.flat_map(|l| l.list("lb_endpoints")).filter_map(|e| e.at(&["endpoint", "address"]));
    // As clusters named their servers before version 3.
    endpoints.chain(at.list("hosts")).filter_map(server).collect()
}

fn server(address: At<'_>) -> Option<Server> {
    let internal = address.at(&["envoy_internal_address", "server_listener_name"]);
    if let Some(name) = internal.and_then(At::name) {
        return Some(Server::Internal(name));
    }
    let socket = address.field("socket_address")?;
    let host = socket.str_of("address")?;
    let port = socket.str_of("port_value").unwrap_or_default();
    let host = if host.contains(':') && !host.starts_with('[') { format!("[{host}]") } else { host.to_string() };
    let known = |text: &str| !crate::frontend::field::filled_in_later(text);
    if !known(&host) || !known(port) {
        return None;
    }
    Some(Server::Address(Name::from(if port.is_empty() { host } else { format!("{host}:{port}") })))
}

fn aggregate(at: At<'_>) -> Vec<Set<Name>> {
    let Some(config) = at.at(&["cluster_type", "typed_config"]).filter(|c| c.has("clusters")) else {
        return Vec::new();
    };
    config.list("clusters").filter_map(|c| Some(c.set(c.name()?))).collect()
}

/// In the options of its protocol, or where it stood before them.
fn max_requests(at: At<'_>) -> Option<Set<u64>> {
    let options = at.field("typed_extension_protocol_options");
    let common = options.into_iter().flat_map(At::entries).find_map(|(_, o)| o.field("common_http_protocol_options"));
    let old = at.field("common_http_protocol_options");
    let found = [common, old].into_iter().flatten().find_map(|c| c.count("max_requests_per_connection"));
    found.or_else(|| at.count("max_requests_per_connection"))
}
