//! Connections that are kept open towards servers: whether they are reused, and how often one request can be sent again on
//! them.
//!
//! An idle connection that the server has closed fails when it is used, and nginx gives such a try back: with one server and
//! n idle connections a request can be sent n times more. With several servers each is still asked only once.

use super::conf::{Conf, NodeId};
use super::next::Next;
use super::pass::Pass;
use super::rules::rules;
use super::server::Upstream;
use super::unit::Unit;
use crate::class::{Ending, FailureClass};
use crate::source::Span;

/// A setting that holds: its value, and where it is written.
type Held<'a> = (&'a str, Option<Span>);

/// Idle connections that an upstream keeps; `None` if the version decides and is not known.
pub fn kept(unit: &Unit<'_>, upstream: &Upstream) -> Option<(u64, Option<Span>)> {
    match upstream.keepalive {
        Some((n, at)) => Some((n, Some(at))),
        None => rules().default("keepalive", unit.version).and_then(|(n, _)| Some((n.parse().ok()?, None))),
    }
}

/// How often a request can be sent again on connections that turn out to be closed, and where that is decided.
pub fn replays(unit: &Unit<'_>, pass: &Pass, upstream: &Upstream, next: &Next) -> Option<(u64, Option<Span>)> {
    let closed = next.again.has(Ending::Error(FailureClass::Reset));
    let (n, at) = kept(unit, upstream)?;
    let reused = reuses(unit, pass) == Some(true);
    (closed && reused && n > 0 && upstream.asked().len() == 1 && !upstream.scripted).then_some((n, at))
}

/// Whether connections are left open after a request; `None` if the version decides and is not known.
pub fn reuses(unit: &Unit<'_>, pass: &Pass) -> Option<bool> {
    match pass.protocol.prefix.as_str() {
        "proxy_" => {
            let version = http_version(unit, pass.block)?;
            let header = connection_header(unit, pass.block)?;
            Some(version.0 != "1.0" && !header.0.eq_ignore_ascii_case("close"))
        }
        "grpc_" | "memcached_" => Some(true),
        "fastcgi_" => Some(unit.conf.setting(pass.block, "fastcgi_keep_conn").is_some_and(|s| s.arg(0) == "on")),
        _ => Some(false),
    }
}

pub fn http_version<'u>(unit: &'u Unit<'_>, block: NodeId) -> Option<Held<'u>> {
    match unit.conf.setting(block, "proxy_http_version") {
        Some(node) => Some((node.arg(0), Some(node.at))),
        None => rules().default("http_version", unit.version).map(|(value, _)| (value, None)),
    }
}

/// What is said to the server about the connection.
pub fn connection_header<'u>(unit: &'u Unit<'_>, block: NodeId) -> Option<Held<'u>> {
    match header(&unit.conf, block) {
        Some(id) => Some((unit.conf.node(id).arg(1), Some(unit.conf.node(id).at))),
        None => rules().default("connection_header", unit.version).map(|(value, _)| (value, None)),
    }
}

fn header(conf: &Conf, block: NodeId) -> Option<NodeId> {
    let all = conf.holding(block, "proxy_set_header").iter();
    all.copied().find(|id| conf.node(*id).arg(0).eq_ignore_ascii_case("connection"))
}
