//! What an address means where it is used: the sockets and names of the tree that claim it, the nearest ones.
//!
//! A loopback address or a bare name means something only nearby: it leads to what claims it in the nearest common folder.
//! A name with a dot leads to what claims it anywhere. Several at the same distance are alternatives.

use rustc_hash::FxHashMap;

use super::address::Address;
use super::routes::is_named;
use crate::fact::Facts;
use crate::source::{FileId, Sources};

/// What claims an address: entrances of proxies, or hosts of a described system; indices into the facts' lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claims {
    Entrances(Vec<usize>),
    Hosts(Vec<usize>),
    Nothing,
}

pub struct Nearby<'a> {
    facts: &'a Facts,
    /// Per file: its folder's parts.
    folders: Vec<Vec<&'a str>>,
    by_port: FxHashMap<u16, Vec<usize>>,
    by_name: FxHashMap<&'a str, Vec<usize>>,
}

impl<'a> Nearby<'a> {
    pub fn new(facts: &'a Facts, sources: &'a Sources) -> Nearby<'a> {
        let folder =
            |path: &'a str| path.rsplit_once('/').map_or(Vec::new(), |(folder, _)| folder.split('/').collect());
        let mut nearby = Nearby {
            facts,
            folders: sources.iter().map(|(_, file)| folder(&file.path)).collect(),
            by_port: FxHashMap::default(),
            by_name: FxHashMap::default(),
        };
        for (i, entrance) in facts.entrances.iter().enumerate() {
            for listen in &entrance.listens {
                let at_port = nearby.by_port.entry(listen.port).or_default();
                if at_port.last() != Some(&i) {
                    at_port.push(i);
                }
            }
        }
        for (i, host) in facts.hosts.iter().enumerate() {
            for name in &host.names {
                nearby.by_name.entry(name).or_default().push(i);
            }
        }
        nearby
    }

    /// What an address means to something in that file.
    pub fn claims(&self, from: FileId, address: &Address) -> Claims {
        let Some(host) = address.host.as_deref() else { return Claims::Nothing };
        let hosts = self.by_name.get(host).map_or(&[][..], Vec::as_slice);
        let hosts = self.nearest(from, hosts, |i| self.facts.hosts[i].file);
        if !hosts.is_empty() {
            return Claims::Hosts(hosts);
        }
        let Some(port) = address.port.or(address.usual) else { return Claims::Nothing };
        let at_port = self.by_port.get(&port).map_or(&[][..], Vec::as_slice);
        let fitting: Vec<usize> = at_port.iter().copied().filter(|i| self.listens_at(*i, host, port)).collect();
        let far = host.contains('.') && !is_local(host);
        let found = if far { fitting } else { self.nearest(from, &fitting, |i| self.facts.entrances[i].file) };
        if found.is_empty() { Claims::Nothing } else { Claims::Entrances(found) }
    }

    /// Whether an entrance can be what stands at that host and port.
    fn listens_at(&self, entrance: usize, host: &str, port: u16) -> bool {
        let entrance = &self.facts.entrances[entrance];
        let named = entrance.hosts.iter().any(|h| is_named(h, host));
        entrance.listens.iter().filter(|l| l.port == port).any(|listen| match listen.host.as_deref() {
            None => named || is_local(host),
            Some(own) => own == host || named || (is_local(own) && is_local(host)),
        })
    }

    /// Those whose file shares the most folders with the one that asks.
    fn nearest(&self, from: FileId, all: &[usize], file: impl Fn(usize) -> FileId) -> Vec<usize> {
        let shared = |i: &usize| self.shared(from, file(*i));
        let most = all.iter().map(shared).max();
        all.iter().copied().filter(|i| Some(shared(i)) == most).collect()
    }

    fn shared(&self, a: FileId, b: FileId) -> usize {
        let folder = |file: FileId| self.folders.get(file.0 as usize).map_or(&[][..], Vec::as_slice);
        folder(a).iter().zip(folder(b)).take_while(|(a, b)| a == b).count()
    }
}

/// Loopback and unspecified addresses: the machine, or the container, that asks.
pub fn is_local(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    bare == "localhost" || bare == "0.0.0.0" || bare == "::" || bare == "::1" || bare.starts_with("127.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::{Entrance, Host, Listen, VirtualHost};
    use crate::source::{SourceFile, Span};

    fn sources(paths: &[&str]) -> Sources {
        Sources::new(paths.iter().map(|p| SourceFile::new(*p, "")).collect())
    }

    fn listening(file: u32, host: Option<&str>, port: u16, names: &[&str]) -> Entrance {
        let names = names.iter().map(|n| (*n).into()).collect();
        let listens = vec![Listen { host: host.map(Into::into), port }];
        Entrance { file: FileId(file), listens, hosts: vec![VirtualHost { names, routes: Vec::new() }] }
    }

    fn host(file: u32, name: &str) -> Host {
        let (ports, runs, env) = Default::default();
        Host { file: FileId(file), at: Span::default(), names: vec![name.into()], ports, runs, env }
    }

    #[test]
    fn a_local_address_means_the_nearest() {
        let sources = sources(&["app/a.rs", "dev/e.yaml", "dev/n.conf", "prod/e.yaml", "prod/n.conf"]);
        let entrances = vec![listening(2, None, 81, &[]), listening(4, Some("127.0.0.1"), 81, &[])];
        let facts = Facts { entrances, ..Facts::default() };
        let nearby = Nearby::new(&facts, &sources);
        let local = Address::parse("127.0.0.1:81");
        assert_eq!(nearby.claims(FileId(1), &local), Claims::Entrances(vec![0]));
        assert_eq!(nearby.claims(FileId(3), &local), Claims::Entrances(vec![1]));
        assert_eq!(nearby.claims(FileId(0), &local), Claims::Entrances(vec![0, 1]));
        assert_eq!(nearby.claims(FileId(0), &Address::parse("10.0.0.1:81")), Claims::Nothing);
    }

    #[test]
    fn names_lead_to_who_answers_to_them() {
        let sources = sources(&["a/compose.yaml", "a/x.rs", "b/compose.yaml", "b/n.conf"]);
        let entrances = vec![listening(3, None, 80, &["shop.internal", "*.api.internal"])];
        let hosts = vec![host(0, "payments"), host(2, "payments")];
        let facts = Facts { entrances, hosts, ..Facts::default() };
        let nearby = Nearby::new(&facts, &sources);
        let claims = |text: &str| nearby.claims(FileId(1), &Address::parse(text));
        assert_eq!(claims("http://payments:8080/x"), Claims::Hosts(vec![0]));
        assert_eq!(claims("http://shop.internal/x"), Claims::Entrances(vec![0]));
        assert_eq!(claims("http://v1.api.internal/x"), Claims::Entrances(vec![0]));
        assert_eq!(claims("https://shop.internal/x"), Claims::Nothing);
        assert_eq!(claims("http://elsewhere.internal/x"), Claims::Nothing);
    }
}
