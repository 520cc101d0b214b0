//! Sockets and servers: `bind`, the address of an old head line, `server`, `server-template`, `default-server`.

use super::conf::{Section, Statement};
use crate::effect::variable;
use crate::fact::Listen;
use crate::name::Name;
use crate::source::Span;

/// Where a section takes requests.
#[derive(Debug, Default)]
pub struct Sockets {
    pub listens: Vec<Listen>,
    /// Reached over a network; a port may still be somebody's to fill in.
    pub public: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// With its port if one is written; variables of the environment as they are written. Empty: the address is found while
    /// a request is handled.
    pub address: Name,
    /// As it is where nobody sets the variables in it.
    pub usual: Name,
    pub open: bool,
    /// The port is written.
    pub port: bool,
    pub at: Span,
}

impl Server {
    pub fn is_local(&self) -> bool {
        self.usual.starts_with("127.") || ["localhost", "::1", "[::1]"].iter().any(|l| self.usual == *l)
    }
}

/// More of one section are not looked at.
const MOST: usize = 256;
/// More ports of one range are not either.
const MOST_PORTS: u16 = 64;

pub fn sockets(section: &Section) -> Sockets {
    let mut found = Sockets::default();
    // `v6only`: it takes nothing that is sent to an address of the older kind, which is what others name.
    let only_new = |l: &&Statement| l.words.iter().any(|w| w.value == "v6only");
    found.public = section.lines.iter().any(|l| l.word(0) == "bind" && only_new(&l));
    let bound = section.lines.iter().filter(|l| l.word(0) == "bind" && !only_new(l)).map(|l| l.word(1));
    // `listen web :80`, as it was written once.
    let head = Some(section.head.word(2)).filter(|a| a.contains(':'));
    for address in bound.chain(head).flat_map(|list| list.split(',')).take(MOST) {
        let elsewhere = ["unix@", "abns@", "abnsz@", "fd@", "sockpair@", "/", "rhttp@", "rev@"];
        if address.is_empty() || elsewhere.iter().any(|e| address.starts_with(e)) {
            continue;
        }
        found.public = true;
        let address = address.rsplit('@').next().unwrap_or(address);
        let address = variable::defaults(address);
        let Some((host, ports)) = address.rsplit_once(':') else { continue };
        let host = Some(host).filter(|h| !matches!(*h, "" | "*" | "0.0.0.0" | "::" | "[::]") && !h.contains('{'));
        found.listens.extend(range(ports).map(|port| Listen { host: host.map(Name::new), port }));
    }
    found
}

fn range(ports: &str) -> impl Iterator<Item = u16> {
    let (first, last) = ports.split_once('-').unwrap_or((ports, ports));
    let ends = first.parse::<u16>().ok().zip(last.parse::<u16>().ok());
    ends.into_iter().flat_map(|(first, last)| first..=last.min(first.saturating_add(MOST_PORTS)))
}

/// What a line says of a server besides its address.
#[derive(Clone, Copy, Default)]
struct Role {
    out: bool,
    backup: bool,
}

impl Role {
    fn read(self, line: &Statement, from: usize) -> Role {
        let mut role = self;
        let words = line.from(from);
        for (i, word) in words.iter().enumerate() {
            match word.value.as_str() {
                "disabled" => role.out = true,
                "enabled" => role.out = false,
                "backup" => role.backup = true,
                "no-backup" => role.backup = false,
                "weight" => role.out |= words.get(i + 1).is_some_and(|w| w.value == "0"),
                _ => {}
            }
        }
        role
    }
}

/// The servers that are asked: all that are in use, backups only where there is no other. `None`: the section has no
/// server at all.
pub fn asked(section: &Section) -> Option<Vec<Server>> {
    let mut usual = Role::default();
    let mut found: Vec<(Role, Server)> = Vec::new();
    for line in &section.lines {
        match line.word(0) {
            "default-server" => usual = usual.read(line, 1),
            "server" if found.len() < MOST => found.push((usual.read(line, 3), server(line, line.word(2)))),
            "server-template" if found.len() < MOST => found.push((usual.read(line, 4), server(line, line.word(3)))),
            "dispatch" => found.push((Role::default(), server(line, line.word(1)))),
            _ => {}
        }
    }
    if found.is_empty() {
        return None;
    }
    let used: Vec<(Role, Server)> = found.into_iter().filter(|(role, _)| !role.out).collect();
    let backup = used.iter().all(|(role, _)| role.backup);
    Some(used.into_iter().filter(|(role, _)| role.backup == backup).map(|(_, server)| server).collect())
}

fn server(line: &Statement, written: &str) -> Server {
    let plain = ["ipv4@", "ipv6@", "tcp@", "tcp4@", "tcp6@", "udp@", "quic4@"];
    let address = plain.iter().find_map(|p| written.strip_prefix(p)).unwrap_or(written);
    let (host, port) = address.rsplit_once(':').unwrap_or((address, ""));
    let dynamic = matches!(host, "0.0.0.0" | "*" | "" | "::" | "[::]");
    // A port with a sign is counted from that of the client's connection.
    let port = Some(port).filter(|p| !p.is_empty() && !p.starts_with(['+', '-']) && *p != "0");
    let shown = match port {
        _ if dynamic => String::new(),
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    };
    let usual = Name::from(variable::defaults(&shown));
    Server { usual, open: shown.contains("{$"), port: port.is_some(), address: Name::from(shown), at: line.at }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::haproxy::{conf, lex};
    use crate::source::FileId;

    fn section(text: &str) -> Section {
        conf::sections(FileId(0), lex::lines(text).0).remove(0)
    }

    #[test]
    fn sockets_of_every_form() {
        let text = "listen l 10.0.0.1:1\n bind :80,*:81 ssl\n bind ipv4@127.0.0.1:82-83\n bind [::]:84 v4v6\n bind \"*:$PORT\"\n \
                    bind unix@/run/x\n bind /run/y";
        let found = sockets(&section(text));
        let shown: Vec<(Option<&str>, u16)> = found.listens.iter().map(|l| (l.host.as_deref(), l.port)).collect();
        let local = Some("127.0.0.1");
        assert_eq!(shown, [(None, 80), (None, 81), (local, 82), (local, 83), (None, 84), (Some("10.0.0.1"), 1)]);
        assert!(found.public && !sockets(&section("frontend f\n bind /run/x")).public);
        assert_eq!(sockets(&section("frontend f\n bind :\"${PORT-8080}\"")).listens[0].port, 8080);
    }

    #[test]
    fn servers_that_are_asked() {
        let asked = |text: &str| -> Option<Vec<String>> {
            let found = super::asked(&section(&format!("backend b\n{text}")));
            found.map(|all| all.into_iter().map(|s| s.address.to_string()).collect())
        };
        let some = |all: &[&str]| Some(all.iter().map(|s| s.to_string()).collect::<Vec<_>>());
        assert_eq!(
            asked(" server a 1.1.1.1:1\n server b b:2 backup\n server c c disabled\n server d d:4 weight 0"),
            some(&["1.1.1.1:1"])
        );
        assert_eq!(asked(" server b b:2 backup"), some(&["b:2"]));
        assert_eq!(asked(" default-server disabled\n server b b:2\n server c c:3 enabled"), some(&["c:3"]));
        assert_eq!(asked(" server-template w 5 web.svc:80 check"), some(&["web.svc:80"]));
        assert_eq!(asked(" server a 0.0.0.0:0\n server b b:+1"), some(&["", "b"]));
        assert_eq!(asked(" server a a:1 disabled"), some(&[]));
        assert_eq!(asked(" mode http"), None);
    }
}
