//! What an address means where it is used: the sockets and names of the tree that claim it, the nearest ones.
//!
//! A bare name means something first among the hosts of the system in which the asker runs, else in the nearest common
//! folder; a loopback address means the machine or the container that asks. A name with a dot leads to what claims it
//! anywhere. Several at the same distance are alternatives.

use globset::{Glob, GlobMatcher};
use rustc_hash::FxHashMap;

use super::address::Address;
use super::by_names::{self, ByNames};
use super::routes::is_named;
use super::running::Running;
use crate::fact::{Callers, Facts, Host, Sidecar};
use crate::settings::Settings;
use crate::source::{FileId, Sources};

/// What claims an address, as alternatives: entrances of proxies, hosts of a described system; indices into the facts' lists.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Claims<'a> {
    pub entrances: Vec<usize>,
    pub hosts: Vec<usize>,
    /// The folder of the one package whose own code takes requests there.
    pub package: Option<&'a str>,
}

impl Claims<'_> {
    pub fn is_empty(&self) -> bool {
        self.entrances.is_empty() && self.hosts.is_empty() && self.package.is_none()
    }
}

/// Who asks: what stands in a file, and the hosts that are known to run it.
#[derive(Debug, Clone, Copy)]
pub struct Asker<'h> {
    pub file: FileId,
    pub homes: &'h [usize],
}

pub struct Nearby<'a> {
    facts: &'a Facts,
    /// Per file: its folder's parts.
    folders: Vec<Vec<&'a str>>,
    /// Per file: the environment of the settings that it belongs to.
    environments: Vec<Option<usize>>,
    by_port: FxHashMap<u16, Vec<usize>>,
    by_name: FxHashMap<&'a str, Vec<usize>>,
    by_published: FxHashMap<u16, Vec<usize>>,
    routes: ByNames<'a>,
}

impl<'a> Nearby<'a> {
    pub fn new(facts: &'a Facts, settings: &Settings, sources: &'a Sources) -> Nearby<'a> {
        let folder =
            |path: &'a str| path.rsplit_once('/').map_or(Vec::new(), |(folder, _)| folder.split('/').collect());
        let mut nearby = Nearby {
            facts,
            folders: sources.iter().map(|(_, file)| folder(&file.path)).collect(),
            environments: environments(settings, sources),
            by_port: FxHashMap::default(),
            by_name: FxHashMap::default(),
            by_published: FxHashMap::default(),
            routes: ByNames::new(&facts.by_name),
        };
        for (i, entrance) in facts.entrances.iter().enumerate() {
            entrance.listens.iter().for_each(|listen| once(nearby.by_port.entry(listen.port).or_default(), i));
        }
        for (i, host) in facts.hosts.iter().enumerate() {
            host.names.iter().for_each(|name| once(nearby.by_name.entry(name).or_default(), i));
            host.published.iter().for_each(|(port, _)| once(nearby.by_published.entry(*port).or_default(), i));
        }
        nearby
    }

    /// What an address means to the one that asks.
    pub fn claims(&self, asker: Asker<'_>, running: &Running<'a>, address: &Address) -> Claims<'a> {
        let Some(host) = address.host.as_deref() else { return Claims::default() };
        let port = address.port.or(address.usual);
        let hosts = self.hosts_named(asker, host, port);
        if !hosts.is_empty() {
            return Claims { hosts, ..Claims::default() };
        }
        let Some(port) = port else { return Claims::default() };
        let at_port = self.by_port.get(&port).map_or(&[][..], Vec::as_slice);
        let mut entrances: Vec<usize> = at_port.iter().copied().filter(|i| self.listens_at(*i, host, port)).collect();
        entrances.retain(|i| self.sees(asker, self.facts.entrances[*i].file));
        if host.contains('.') && !is_local(host) {
            return Claims { entrances, ..Claims::default() };
        }
        let mut hosts = Vec::new();
        if is_local(host) {
            entrances.retain(|i| shares_machine(asker, running.hosts_of(self.facts.entrances[*i].file)));
            hosts = self.publishing(asker, port);
        }
        if entrances.is_empty() && hosts.is_empty() {
            let package = if is_local(host) { self.listening(asker, running, port) } else { None };
            return Claims { package, ..Claims::default() };
        }
        let file = |(of_host, i): &(bool, usize)| match of_host {
            true => self.facts.hosts[*i].file,
            false => self.facts.entrances[*i].file,
        };
        let all: Vec<(bool, usize)> =
            entrances.into_iter().map(|i| (false, i)).chain(hosts.into_iter().map(|i| (true, i))).collect();
        let (hosts, entrances): (Vec<_>, Vec<_>) =
            self.nearest(asker.file, &all, file).into_iter().partition(|(of_host, _)| *of_host);
        let index = |all: Vec<(bool, usize)>| all.into_iter().map(|(_, i)| i).collect();
        Claims { entrances: index(entrances), hosts: index(hosts), package: None }
    }

    /// The routes that a mesh or a gateway has for a name, as indices: those that somebody wrote before those that nobody did.
    pub fn by_name(&self, asker: Asker<'_>, sidecar: Sidecar, name: &str) -> Vec<usize> {
        let named = self.routes.named(name);
        let file = |i: &usize| self.facts.by_name[*i].entrance.file;
        let takes = |i: &usize| by_names::takes(self.facts.by_name[*i].callers, sidecar) && self.sees(asker, file(i));
        let (written, defaults): (Vec<usize>, Vec<usize>) =
            named.into_iter().filter(takes).partition(|i| !matches!(self.facts.by_name[*i].callers, Callers::Has(_)));
        let all = if written.is_empty() { defaults } else { written };
        self.nearest(asker.file, &all, file)
    }

    /// The package that listens there, if there is one nearest: which of several runs on a machine nobody says.
    fn listening(&self, asker: Asker<'_>, running: &Running<'a>, port: u16) -> Option<&'a str> {
        if !asker.homes.is_empty() {
            return None;
        }
        match self.nearest(asker.file, &running.listening(port), |(_, file)| *file)[..] {
            [(package, _)] => Some(package),
            _ => None,
        }
    }

    /// Hosts whose ports are open on the machine, for what runs on it and in no container.
    fn publishing(&self, asker: Asker<'_>, port: u16) -> Vec<usize> {
        if !asker.homes.is_empty() {
            return Vec::new();
        }
        let all = self.by_published.get(&port).map_or(&[][..], Vec::as_slice);
        all.iter().copied().filter(|i| self.sees(asker, self.facts.hosts[*i].file)).collect()
    }

    fn hosts_named(&self, asker: Asker<'_>, name: &str, port: Option<u16>) -> Vec<usize> {
        let exact = self.by_name.get(name).map_or(&[][..], Vec::as_slice);
        let any_namespace = if exact.is_empty() { in_any_namespace(name) } else { None };
        let all = any_namespace.and_then(|n| self.by_name.get(n.as_str())).map_or(exact, Vec::as_slice);
        let seen: Vec<usize> = all.iter().copied().filter(|i| self.sees(asker, self.host(*i).file)).collect();
        let at_home = |i: &usize| asker.homes.iter().any(|home| self.host(*home).system == self.host(*i).system);
        let mut found: Vec<usize> = seen.iter().copied().filter(at_home).collect();
        if found.is_empty() {
            found = self.nearest(asker.file, &seen, |i| self.host(*i).file);
        }
        // Of several containers behind one name the one that the port leads to.
        let lists = |i: &usize| self.host(*i).ports.iter().any(|(outside, _)| Some(*outside) == port);
        let listed: Vec<&str> = found.iter().filter(|i| lists(i)).map(|i| self.host(*i).system.as_str()).collect();
        found.retain(|i| lists(i) || !listed.contains(&self.host(*i).system.as_str()));
        found
    }

    fn host(&self, host: usize) -> &'a Host {
        &self.facts.hosts[host]
    }

    /// Files of one environment see their own and those of none.
    fn sees(&self, asker: Asker<'_>, file: FileId) -> bool {
        let of = |file: FileId| self.environments.get(file.0 as usize).copied().flatten();
        let homes = asker.homes.iter().map(|home| of(self.host(*home).file));
        let mine: Vec<Option<usize>> = std::iter::once(of(asker.file)).chain(homes).collect();
        let (own, theirs) = (mine.iter().flatten(), of(file));
        theirs.is_none_or(|theirs| own.clone().next().is_none() || own.clone().any(|e| *e == theirs))
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
    fn nearest<T: Copy>(&self, from: FileId, all: &[T], file: impl Fn(&T) -> FileId) -> Vec<T> {
        let shared = |i: &T| self.shared(from, file(i));
        let most = all.iter().map(shared).max();
        all.iter().copied().filter(|i| Some(shared(i)) == most).collect()
    }

    fn shared(&self, a: FileId, b: FileId) -> usize {
        let folder = |file: FileId| self.folders.get(file.0 as usize).map_or(&[][..], Vec::as_slice);
        folder(a).iter().zip(folder(b)).take_while(|(a, b)| a == b).count()
    }
}

fn once(list: &mut Vec<usize>, i: usize) {
    if list.last() != Some(&i) {
        list.push(i);
    }
}

/// What runs in a container that is described elsewhere is on another machine.
fn shares_machine(asker: Asker<'_>, hosts: &[usize]) -> bool {
    hosts.is_empty() || hosts.iter().any(|h| asker.homes.contains(h))
}

/// `payments.shop.svc.cluster.local` as a manifest without a namespace claims it: `payments.*.svc`.
pub(super) fn in_any_namespace(name: &str) -> Option<String> {
    let mut parts = name.splitn(4, '.');
    let (service, _namespace, svc) = (parts.next()?, parts.next()?, parts.next()?);
    let rest = parts.next();
    (svc == "svc" && rest.is_none_or(|r| r == "cluster.local")).then(|| format!("{service}.*.svc"))
}

/// Per file: the first environment of the settings that lists it. Empty if there are none.
fn environments(settings: &Settings, sources: &Sources) -> Vec<Option<usize>> {
    if settings.environments.is_empty() {
        return Vec::new();
    }
    let globs = |files: &Vec<String>| -> Vec<GlobMatcher> {
        let glob = |text: &String| Glob::new(text.trim_start_matches("./")).ok().map(|g| g.compile_matcher());
        files.iter().filter_map(glob).collect()
    };
    let all: Vec<Vec<GlobMatcher>> = settings.environments.iter().map(|e| globs(&e.files)).collect();
    let of = |path: &str| all.iter().position(|globs| globs.iter().any(|g| g.is_match(path)));
    sources.iter().map(|(_, file)| of(&file.path)).collect()
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

    fn host(file: u32, system: &str, name: &str) -> Host {
        Host {
            file: FileId(file),
            at: Span::default(),
            system: system.into(),
            names: vec![name.into()],
            ports: Vec::new(),
            published: vec![(9000, 8080)],
            runs: Vec::new(),
            parts: Vec::new(),
            env: Vec::new(),
            sidecar: Sidecar::default(),
            namespace: None,
        }
    }

    fn claim(nearby: &Nearby<'_>, file: u32, homes: &[usize], text: &str) -> (Vec<usize>, Vec<usize>) {
        let asker = Asker { file: FileId(file), homes };
        let found = nearby.claims(asker, &Running::default(), &Address::parse(text));
        (found.entrances, found.hosts)
    }

    #[test]
    fn a_local_address_means_the_nearest() {
        let sources = sources(&["app/a.rs", "dev/e.yaml", "dev/n.conf", "prod/e.yaml", "prod/n.conf"]);
        let entrances = vec![listening(2, None, 81, &[]), listening(4, Some("127.0.0.1"), 81, &[])];
        let facts = Facts { entrances, ..Facts::default() };
        let nearby = Nearby::new(&facts, &Settings::default(), &sources);
        assert_eq!(claim(&nearby, 1, &[], "127.0.0.1:81"), (vec![0], vec![]));
        assert_eq!(claim(&nearby, 3, &[], "127.0.0.1:81"), (vec![1], vec![]));
        assert_eq!(claim(&nearby, 0, &[], "127.0.0.1:81"), (vec![0, 1], vec![]));
        assert_eq!(claim(&nearby, 0, &[], "10.0.0.1:81"), (vec![], vec![]));
    }

    #[test]
    fn names_lead_to_who_answers_to_them() {
        let sources = sources(&["a/compose.yaml", "a/x.rs", "b/compose.yaml", "b/n.conf"]);
        let entrances = vec![listening(3, None, 80, &["shop.internal", "*.api.internal"])];
        let hosts = vec![host(0, "a", "payments"), host(2, "b", "payments"), host(2, "b", "db.*.svc")];
        let facts = Facts { entrances, hosts, ..Facts::default() };
        let nearby = Nearby::new(&facts, &Settings::default(), &sources);
        let claims = |text: &str| claim(&nearby, 1, &[], text);
        assert_eq!(claims("http://payments:8080/x"), (vec![], vec![0]));
        assert_eq!(claims("http://shop.internal/x"), (vec![0], vec![]));
        assert_eq!(claims("http://v1.api.internal/x"), (vec![0], vec![]));
        assert_eq!(claims("https://shop.internal/x"), (vec![], vec![]));
        assert_eq!(claims("http://elsewhere.internal/x"), (vec![], vec![]));
        assert_eq!(claims("http://db.shop.svc.cluster.local"), (vec![], vec![2]));
        assert_eq!(claims("http://db.shop.svc.elsewhere"), (vec![], vec![]));
    }

    #[test]
    fn where_it_runs_counts_before_where_it_stands() {
        let sources = sources(&["a/compose.yaml", "a/x.rs", "b/compose.yaml", "c/y.rs"]);
        let hosts = vec![host(0, "a", "payments"), host(2, "b", "payments"), host(2, "b", "orders")];
        let facts = Facts { hosts, ..Facts::default() };
        let nearby = Nearby::new(&facts, &Settings::default(), &sources);
        assert_eq!(claim(&nearby, 1, &[2], "http://payments/x"), (vec![], vec![1]));
        assert_eq!(claim(&nearby, 3, &[], "http://payments/x"), (vec![], vec![0, 1]));
        // A published port is the machine's, not the container's.
        assert_eq!(claim(&nearby, 1, &[], "http://localhost:9000/x"), (vec![], vec![0]));
        assert_eq!(claim(&nearby, 1, &[2], "http://localhost:9000/x"), (vec![], vec![]));
    }

    #[test]
    fn a_port_that_code_opens_is_claimed_if_only_one_package_is_nearest() {
        let manifest = "[package]\nname = \"x\"\n";
        let file = |path: &str| SourceFile::new(path, if path.ends_with(".toml") { manifest } else { "" });
        let paths = ["a/Cargo.toml", "a/m.rs", "b/c/Cargo.toml", "b/c/m.rs", "b/d/Cargo.toml", "b/d/m.rs", "b/e.rs"];
        let sources = Sources::new(paths.iter().map(|p| file(p)).collect());
        let socket = |file| crate::fact::Socket { at: Span::new(FileId(file), 0, 0), port: 81 };
        let mut facts = Facts { sockets: vec![socket(1), socket(3)], ..Facts::default() };
        let listening = |facts: &Facts, from: u32, homes: &[usize], text: &str| {
            let (nearby, running) = (Nearby::new(facts, &Settings::default(), &sources), Running::new(facts, &sources));
            let asker = Asker { file: FileId(from), homes };
            nearby.claims(asker, &running, &Address::parse(text)).package.map(str::to_owned)
        };
        assert_eq!(listening(&facts, 6, &[], "http://localhost:81/x").as_deref(), Some("b/c"));
        assert_eq!(listening(&facts, 6, &[], "http://x:81/x"), None);
        assert_eq!(listening(&facts, 6, &[], "http://localhost:82/x"), None);
        facts.sockets.push(socket(5));
        assert_eq!(listening(&facts, 6, &[], "http://localhost:81/x"), None);
        facts.hosts.push(Host { runs: vec![crate::fact::Runs::Folder("b/d".into())], ..host(6, "b", "d") });
        assert_eq!(listening(&facts, 6, &[], "http://localhost:81/x").as_deref(), Some("b/c"));
        assert_eq!(listening(&facts, 6, &[0], "http://localhost:81/x"), None);
    }

    #[test]
    fn environments_do_not_see_each_other() {
        let sources = sources(&["deploy/dev/c.yaml", "deploy/prod/c.yaml", "deploy/prod/e.yaml", "src/x.rs"]);
        let hosts = vec![host(0, "dev", "payments"), host(1, "prod", "payments")];
        let facts = Facts { hosts, ..Facts::default() };
        let text = "[[environment]]\nname = \"dev\"\nfiles = [\"deploy/dev/**\"]\n";
        let settings = crate::settings::parse("retrylint.toml", text).expect("settings");
        let nearby = Nearby::new(&facts, &settings, &sources);
        assert_eq!(claim(&nearby, 3, &[], "http://payments/x"), (vec![], vec![0, 1]));
        assert_eq!(claim(&nearby, 0, &[], "http://payments/x"), (vec![], vec![0]));
        let text = text.to_owned() + "[[environment]]\nname = \"prod\"\nfiles = [\"deploy/prod/**\"]\n";
        let settings = crate::settings::parse("retrylint.toml", &text).expect("settings");
        let nearby = Nearby::new(&facts, &settings, &sources);
        assert_eq!(claim(&nearby, 3, &[1], "http://payments/x"), (vec![], vec![1]));
        assert_eq!(claim(&nearby, 2, &[], "http://payments/x"), (vec![], vec![1]));
    }
}
