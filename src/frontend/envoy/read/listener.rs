//! Listeners and the network filters that pass on: HTTP connection managers and TCP proxies.

use super::{policy, route};
use crate::frontend::envoy::config::{Ask, Filter, FilterKind, Listener, Listens, Manager, Range, Routes, TcpProxy};
use crate::frontend::field::At;
use crate::name::Name;
use crate::yaml::Kind;

pub fn listener(at: At<'_>) -> Listener {
    let chains = at.list("filter_chains").chain(at.field("default_filter_chain"));
    Listener { name: at.name_of("name"), listens: listens(at), filters: chains.flat_map(chain).collect() }
}

fn listens(at: At<'_>) -> Listens {
    if at.has("internal_listener") {
        return Listens::Internal;
    }
    let Some(socket) = at.at(&["address", "socket_address"]) else { return Listens::Elsewhere };
    let Some(port) = socket.str_of("port_value").and_then(|p| p.parse().ok()) else { return Listens::Elsewhere };
    let host = socket.str_of("address").filter(|h| !matches!(*h, "0.0.0.0" | "::" | "[::]" | ""));
    Listens::Socket(host.map(|h| Name::from(h.to_lowercase())), port)
}

fn chain(at: At<'_>) -> Vec<Filter> {
    let names = at.field("filter_chain_match").into_iter().flat_map(|m| m.list("server_names"));
    let names: Vec<Name> = names.filter_map(|n| n.str()).map(|n| Name::from(n.to_lowercase())).collect();
    let found = at.list("filters").filter_map(filter);
    found.map(|what| Filter { server_names: names.clone(), what }).collect()
}

fn filter(at: At<'_>) -> Option<FilterKind> {
    let config = at.field("typed_config").or_else(|| at.field("config"))?;
    let kind = config.type_name().or_else(|| at.str_of("name")?.rsplit('.').next())?;
    match kind {
        "HttpConnectionManager" | "http_connection_manager" => Some(FilterKind::Http(Box::new(manager(config)))),
        "TcpProxy" | "tcp_proxy" => Some(FilterKind::Tcp(Box::new(tcp_proxy(config)))),
        _ => None,
    }
}

fn manager(at: At<'_>) -> Manager {
    let routes = match (at.field("route_config"), at.field("rds")) {
        (Some(table), _) => Routes::Inline(route::table(table)),
        (None, Some(rds)) => Routes::Named(rds.name_of("route_config_name")),
        (None, None) => Routes::Unknown,
    };
    let ranges = at.field("internal_address_config").map(|config| {
        let mut set = config.set(config.list("cidr_ranges").filter_map(range).collect());
        set.at = at.entry_span("internal_address_config").unwrap_or(set.at);
        set
    });
    Manager {
        routes,
        stream_idle_timeout: at.duration("stream_idle_timeout"),
        internal_ranges: ranges,
        asks: at.list("http_filters").filter_map(ask).collect(),
    }
}

fn range(at: At<'_>) -> Option<Range> {
    let length = at.count("prefix_len").and_then(|c| c.is().copied()).unwrap_or(0);
    Some(Range { prefix: at.field("address_prefix")?.name()?, length })
}

/// An authorisation filter, if the cluster that it asks is known.
fn ask(at: At<'_>) -> Option<Ask> {
    let config = at.field("typed_config").or_else(|| at.field("config"))?;
    let kind = config.type_name().or_else(|| at.str_of("name")?.rsplit('.').next())?;
    let switched_off = at.flag("disabled") || config.flag("disabled");
    if !matches!(kind, "ExtAuthz" | "ext_authz") || switched_off || config.kind() != Kind::Mapping {
        return None;
    }
    let http = config.at(&["http_service", "server_uri"]);
    let grpc = config.field("grpc_service");
    let cluster = match (http, grpc) {
        (Some(uri), _) => uri.text("cluster"),
        (None, Some(service)) => service.field("envoy_grpc").and_then(|g| g.text("cluster_name")),
        (None, None) => None,
    };
    Some(Ask {
        filter: at.name_of("name"),
        cluster: cluster?,
        timeout: http.or(grpc).and_then(|s| s.duration("timeout")),
        grpc: http.is_none(),
        may_fail: config.flag("failure_mode_allow"),
    })
}

fn tcp_proxy(at: At<'_>) -> TcpProxy {
    TcpProxy {
        at: at.span(),
        to: route::to(at),
        max_connect_attempts: at.count("max_connect_attempts"),
        back_off: policy::back_off(at, "backoff_options"),
        idle_timeout: at.duration("idle_timeout"),
    }
}
