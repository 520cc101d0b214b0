//! Settings that nginx does not take as they are written: tries that no server is left for, connections that are kept and
//! not reused, requests that are sent again on idle connections.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use super::idle;
use super::location::{Kind, Locations};
use super::next::Next;
use super::pass::{self, Pass, To};
use super::server::{self, Upstream};
use super::unit::Unit;
use crate::fact::{Facts, Remark, RemarkKind};
use crate::name::Name;
use crate::source::Span;
use crate::value::Value;

pub fn remarks(unit: &Unit<'_>, facts: &mut Facts) {
    let passes = passes(unit);
    let mut found = dead_tries(unit, &passes);
    found.extend(replayed(unit, &passes));
    found.extend(not_reused(unit, &passes));
    let mut seen = FxHashSet::default();
    facts.remarks.extend(found.into_iter().filter(|r| seen.insert((r.is, r.at))));
}

/// Every pass of every location of `http`.
fn passes(unit: &Unit<'_>) -> Vec<Pass> {
    let of_server = |(server, locations): (usize, &Locations)| {
        let all: Vec<Pass> = locations
            .all
            .iter()
            .filter(|_| !unit.servers[server].stream)
            .flat_map(|l| pass::of_block(&unit.conf, l.node, l.kind, &l.path, &unit.upstreams))
            .collect();
        all
    };
    let streams = unit.servers.iter().filter(|s| s.stream);
    let streams = streams.flat_map(|s| pass::of_block(&unit.conf, s.node, Kind::Prefix, "", &unit.upstreams));
    unit.locations.iter().enumerate().flat_map(of_server).chain(streams).collect()
}

fn upstreams<'u>(unit: &'u Unit<'_>, pass: &'u Pass) -> impl Iterator<Item = &'u Upstream> {
    pass.goals.iter().filter_map(|g| match g.to {
        To::Upstream(at) => Some(&unit.upstreams.all[at]),
        _ => None,
    })
}

/// What becomes of a number of tries wherever it holds.
struct Tries {
    wanted: u64,
    /// The largest number of servers, with their name; `None` as soon as a number is not known.
    servers: Option<(u64, String)>,
    off: bool,
    context: Name,
    setting: String,
}

fn dead_tries(unit: &Unit<'_>, passes: &[Pass]) -> Vec<Remark> {
    let mut by_place: BTreeMap<Span, Tries> = BTreeMap::new();
    for pass in passes {
        let next = Next::read(&unit.conf, pass.block, pass.protocol, unit.version);
        let Some(tries) = &next.tries else { continue };
        let (Some(at), Value::Number(wanted)) = (tries.origin.at, &tries.value) else { continue };
        let servers = servers(unit, pass);
        let setting = format!("{}next_upstream_tries", pass.protocol.prefix);
        let entry = by_place.entry(at).or_insert_with(|| Tries {
            wanted: *wanted,
            servers: Some((0, String::new())),
            off: true,
            context: context(unit, pass, &setting),
            setting,
        });
        entry.off &= next.off;
        entry.servers = match (entry.servers.take(), servers) {
            (Some(known), Some(new)) => Some(if new.0 > known.0 { new } else { known }),
            _ => None,
        };
    }
    by_place.into_iter().filter_map(|(at, tries)| dead(at, &tries)).collect()
}

fn dead(at: Span, tries: &Tries) -> Option<Remark> {
    let Tries { wanted, setting, .. } = tries;
    let (message, help) = match &tries.servers {
        _ if tries.off => {
            let switch = setting.trim_end_matches("_tries");
            let message = format!("`{setting} {wanted}` has no effect beside `{switch} off`");
            (message, "remove it, or the `off`".to_owned())
        }
        Some((1, name)) if *wanted > 1 => {
            let message = format!("`{setting} {wanted}` has no effect: {name} is 1 server, and there is no next one");
            (message, format!("remove it, or give {name} more servers"))
        }
        Some((servers, name)) if *servers > 0 && wanted > servers => {
            let message = format!(
                "`{setting} {wanted}` allows more attempts than {name} has servers: {servers}, each asked once"
            );
            (message, format!("write {servers} or less, or give {name} more servers"))
        }
        _ => return None,
    };
    Some(Remark { is: RemarkKind::Dead, at, context: tries.context.clone(), message, help })
}

/// The largest number of servers that a pass can reach, with their name; `None` if a name may stand for several addresses or
/// code decides.
fn servers(unit: &Unit<'_>, pass: &Pass) -> Option<(u64, String)> {
    let mut most = (0, String::new());
    for goal in &pass.goals {
        let found = match &goal.to {
            To::Upstream(at) => {
                let upstream = &unit.upstreams.all[*at];
                let asked = upstream.asked();
                let known = !upstream.scripted && asked.iter().all(|p| p.single);
                known.then(|| (asked.len() as u64, format!("`{}`", upstream.name)))?
            }
            To::Address(address) => {
                let authority = address.split_once("://").map_or(address.as_str(), |(_, rest)| rest);
                server::is_address(authority).then(|| (1, format!("`{authority}`")))?
            }
            To::Open(_) => return None,
        };
        most = if found.0 > most.0 { found } else { most };
    }
    Some(most)
}

fn replayed(unit: &Unit<'_>, passes: &[Pass]) -> Vec<Remark> {
    let mut found = Vec::new();
    for pass in passes.iter().filter(|p| !in_stream(unit, p)) {
        let next = Next::read(&unit.conf, pass.block, pass.protocol, unit.version);
        for upstream in upstreams(unit, pass) {
            let Some((n, at)) = idle::replays(unit, pass, upstream, &next) else { continue };
            let head = unit.conf.node(upstream.node).at;
            let name = &upstream.name;
            found.push(Remark {
                is: RemarkKind::Replays,
                at: at.unwrap_or(head),
                context: Name::from(format!("upstream {name}.keepalive")),
                message: format!(
                    "one request can be sent up to {n} times more to `{name}`, once for each idle connection that turns out \
                     to be closed; `{}next_upstream_tries` does not count these",
                    pass.protocol.prefix
                ),
                help: format!("`{}next_upstream off` or `keepalive 0` ends it for `{name}`", pass.protocol.prefix),
            });
        }
    }
    found
}

/// Only a server of `stream` passes on outside of a location.
fn in_stream(unit: &Unit<'_>, pass: &Pass) -> bool {
    unit.conf.node(pass.block).name == "server"
}

/// Of HTTP alone: the other protocols keep connections only where somebody asks for it.
fn not_reused(unit: &Unit<'_>, passes: &[Pass]) -> Vec<Remark> {
    let http = passes.iter().filter(|p| *p.protocol.prefix == *"proxy_" && !in_stream(unit, p));
    http.flat_map(|pass| upstreams(unit, pass).filter_map(|upstream| closed(unit, pass, upstream))).collect()
}

fn closed(unit: &Unit<'_>, pass: &Pass, upstream: &Upstream) -> Option<Remark> {
    let name = &upstream.name;
    let head = unit.conf.node(upstream.node).at;
    let said = |at: Span, why: &str, help: String| Remark {
        is: RemarkKind::NoReuse,
        at,
        context: Name::from(format!("upstream {name}")),
        message: format!("every request to `{name}` opens a new connection: {why}"),
        help,
    };
    let version = idle::http_version(unit, pass.block).filter(|(version, _)| *version == "1.0");
    let header = idle::connection_header(unit, pass.block).filter(|(value, _)| value.eq_ignore_ascii_case("close"));
    let one = || said(head, "it is HTTP/1.0", "`proxy_http_version 1.1;`".to_owned());
    let close = || said(head, "it says `Connection: close`", "`proxy_set_header Connection \"\";`".to_owned());
    // What is written holds in every version.
    if let Some((_, Some(at))) = version {
        return Some(Remark { at, ..one() });
    }
    if let Some((_, Some(at))) = header {
        return Some(Remark { at, ..close() });
    }
    let (kept, written) = idle::kept(unit, upstream)?;
    if kept == 0 {
        let help = format!("`keepalive` in `upstream {name}`, with HTTP/1.1 and an empty Connection header");
        // Whoever writes 0 means it.
        return written.is_none().then(|| said(head, "the upstream keeps none", help));
    }
    let remark = version.map(|_| one()).or(header.map(|_| close()))?;
    Some(Remark { at: written.unwrap_or(head), ..remark })
}

/// The blocks around a setting, as a path of keys.
fn context(unit: &Unit<'_>, pass: &Pass, setting: &str) -> Name {
    let mut parts = vec![setting.to_owned()];
    let mut at = pass.block;
    while at != 0 {
        let node = unit.conf.node(at);
        parts.push(format!("{} {}", node.name, node.args.join(" ")).trim_end().to_owned());
        at = node.parent;
    }
    parts.reverse();
    Name::from(parts.join("."))
}
