//! Servers and upstreams: where requests come in, and the lists of addresses they may be passed on to.

use rustc_hash::FxHashMap;

use super::conf::{Conf, NodeId};
use super::variable;
use crate::name::Name;
use crate::source::Span;

/// A socket as a server names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Socket {
    /// `None` is every address of the machine.
    pub host: Option<Name>,
    pub port: u16,
    pub default: bool,
    pub udp: bool,
}

/// A `server` block.
#[derive(Debug)]
pub struct Server {
    pub node: NodeId,
    pub sockets: Vec<Socket>,
    /// Lower case, as [`crate::fact::VirtualHost`] takes them.
    pub names: Vec<Name>,
    /// Of `stream`: it passes bytes on and knows no requests.
    pub stream: bool,
    /// Requests come in from outside; a port may still be a template's to fill in. A socket in the file system is reached
    /// from the same machine alone.
    pub public: bool,
}

/// A `server` line of an upstream.
#[derive(Debug, Clone)]
pub struct Peer {
    /// With the port that is meant where none is written; `{}` for what is not constant.
    pub address: Name,
    /// The name of a variable of the environment that the address is read from.
    pub env: Option<String>,
    pub down: bool,
    /// It is an address, so there is exactly one of it; a name may mean several.
    pub single: bool,
}

/// An `upstream` block.
#[derive(Debug)]
pub struct Upstream {
    pub node: NodeId,
    pub name: String,
    pub peers: Vec<Peer>,
    /// Connections that are kept, with the place that says so.
    pub keepalive: Option<(u64, Span)>,
    /// Code decides which server is asked, and how often.
    pub scripted: bool,
}

/// All upstreams, in the order of the text.
pub struct Upstreams {
    pub all: Vec<Upstream>,
    by_name: FxHashMap<String, Vec<usize>>,
}

impl Upstreams {
    pub fn of(conf: &Conf) -> Upstreams {
        let found = (1..conf.nodes.len()).filter(|id| conf.node(*id).name == "upstream");
        let all: Vec<Upstream> = found.map(|id| upstream(conf, id)).collect();
        let mut by_name: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for (i, upstream) in all.iter().enumerate() {
            by_name.entry(upstream.name.to_ascii_lowercase()).or_default().push(i);
        }
        Upstreams { all, by_name }
    }

    /// Positions of those with that name; `http` and `stream` may each have one.
    pub fn named(&self, name: &str) -> &[usize] {
        self.by_name.get(&name.to_ascii_lowercase()).map_or(&[], Vec::as_slice)
    }
}

fn upstream(conf: &Conf, node: NodeId) -> Upstream {
    let peers = conf.named(node, "server").iter().map(|id| peer(conf, *id)).collect();
    let keepalive = conf.named(node, "keepalive").first().and_then(|id| {
        let keeps = conf.node(*id);
        Some((keeps.arg(0).parse().ok()?, keeps.at))
    });
    let scripted = conf.children(node).any(|id| conf.node(id).name.starts_with("balancer_by_lua"));
    Upstream { node, name: conf.node(node).arg(0).to_owned(), peers, keepalive, scripted }
}

fn peer(conf: &Conf, id: NodeId) -> Peer {
    let line = conf.node(id);
    let text = variable::values(conf, line.parent, line.arg(0)).remove(0);
    let address = with_port(&text.known, 80);
    let single = text.open.is_empty() && is_address(&address);
    let down = line.args.iter().any(|a| a == "down");
    Peer { address: Name::from(address), env: text.open.first().cloned(), down, single }
}

/// `127.0.0.1` gets the port that is meant; `unix:/run/x` has none.
pub fn with_port(address: &str, port: u16) -> String {
    let from = address.rfind(']').unwrap_or(0);
    match address.starts_with("unix:") || address[from..].contains(':') {
        true => address.to_owned(),
        false => format!("{address}:{port}"),
    }
}

/// An IP address or a socket's path, with a port or without: never several.
pub fn is_address(text: &str) -> bool {
    let host = text.rsplit_once(':').map_or(text, |(host, _)| host);
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    text.starts_with("unix:") || text.starts_with('[') || (host.contains('.') && host.split('.').all(digits))
}

/// More sockets of one server are not looked at.
const MOST_SOCKETS: usize = 64;

/// All servers, in the order of the text.
pub fn servers(conf: &Conf) -> Vec<Server> {
    let all = (1..conf.nodes.len()).filter(|id| is_server(conf, *id));
    all.map(|node| server(conf, node)).collect()
}

/// A block of that name outside of an upstream. What passes on directly, outside of any location, is of `stream`.
fn is_server(conf: &Conf, id: NodeId) -> bool {
    let node = conf.node(id);
    let around = conf.node(node.parent).name.as_str();
    node.name == "server" && node.args.is_empty() && matches!(around, "" | "http" | "stream")
}

fn server(conf: &Conf, node: NodeId) -> Server {
    let around = conf.node(conf.node(node).parent).name.as_str();
    let stream = around == "stream" || (around.is_empty() && !conf.named(node, "proxy_pass").is_empty());
    let listens = conf.named(node, "listen");
    let mut sockets: Vec<Socket> = listens.iter().take(MOST_SOCKETS).flat_map(|id| socket(conf, *id)).collect();
    if listens.is_empty() && !stream {
        sockets.push(Socket { host: None, port: 80, default: false, udp: false });
    }
    let local = |id: &NodeId| conf.node(*id).arg(0).starts_with("unix:");
    let public = listens.is_empty() || !listens.iter().all(local);
    let names = conf.named(node, "server_name").iter().flat_map(|id| &conf.node(*id).args);
    Server { node, sockets, names: names.flat_map(|name| host_names(name)).collect(), stream, public }
}

fn socket(conf: &Conf, id: NodeId) -> Option<Socket> {
    let line = conf.node(id);
    let address = line.arg(0);
    if address.starts_with("unix:") || address.contains('$') {
        return None;
    }
    let from = address.rfind(']').unwrap_or(0);
    let (host, port) = match address[from..].rfind(':') {
        Some(colon) => (&address[..from + colon], &address[from + colon + 1..]),
        None if address.bytes().all(|b| b.is_ascii_digit()) => ("", address),
        None => (address, "80"),
    };
    let every = matches!(host, "" | "*" | "0.0.0.0" | "[::]");
    let has = |word: &str| line.args.iter().any(|a| a == word);
    Some(Socket {
        host: (!every).then(|| Name::from(host.to_ascii_lowercase())),
        port: port.parse().ok()?,
        default: has("default_server") || has("default"),
        udp: has("udp"),
    })
}

/// `.shop` is the host and all below it. A name that no host can have (`_`, a pattern) stays as it is and fits none.
fn host_names(name: &str) -> Vec<Name> {
    let name = name.to_ascii_lowercase();
    match name.strip_prefix('.') {
        Some(host) => vec![Name::new(host), Name::from(format!("*.{host}"))],
        None if name.is_empty() || name == "*" => vec![Name::new("_")],
        None => vec![Name::from(name)],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::nginx::conf::Doc;
    use crate::frontend::nginx::tree;
    use crate::source::FileId;

    fn conf(text: &str) -> Conf {
        let (tree, wrong) = tree::parse(text);
        assert_eq!(wrong, None);
        Conf::read(&[Doc { file: FileId(0), path: "n.conf", text, tree }], &[0])
    }

    #[test]
    fn sockets_and_names() {
        let all = servers(&conf(
            "server { listen 80 default_server; listen [::]:80; listen 127.0.0.1:81; listen [::1]:82; listen a; listen ${P}; \
             listen unix:/x; server_name A.b .c *.d _; }",
        ));
        let shown: Vec<String> =
            all[0].sockets.iter().map(|s| format!("{}:{}", s.host.as_deref().unwrap_or("*"), s.port)).collect();
        assert_eq!(shown, ["*:80", "*:80", "127.0.0.1:81", "[::1]:82", "a:80"]);
        assert!(all[0].sockets[0].default && !all[0].sockets[1].default);
        assert!(all[0].public);
        assert!(!servers(&conf("server { listen unix:/x; }"))[0].public);
        assert!(servers(&conf("server { listen ${PORT}; }"))[0].public);
        let names: Vec<&str> = all[0].names.iter().map(|n| n.as_str()).collect();
        assert_eq!(names, ["a.b", "c", "*.c", "*.d", "_"]);
    }

    #[test]
    fn what_is_a_server() {
        let text = "http { upstream u { server a; } server { } } stream { server { listen 1; proxy_pass u; } } mail { server { } }";
        let all = servers(&conf(text));
        assert_eq!(all.iter().map(|s| s.stream).collect::<Vec<_>>(), [false, true]);
        assert_eq!(all[0].sockets[0].port, 80);
        assert!(servers(&conf("server { listen 1; proxy_pass u; }"))[0].stream);
    }

    #[test]
    fn peers() {
        let text = "upstream u { keepalive 8; server a weight=2; server 10.0.0.1:81 down; server [::1] backup; server ${H}:1; \
                    server unix:/x; } upstream l { server 0.0.0.1; balancer_by_lua_block { } }";
        let all = Upstreams::of(&conf(text)).all;
        let shown: Vec<(&str, bool, bool)> =
            all[0].peers.iter().map(|p| (p.address.as_str(), p.down, p.single)).collect();
        let wanted = [
            ("a:80", false, false),
            ("10.0.0.1:81", true, true),
            ("[::1]:80", false, true),
            ("{}:1", false, false),
            ("unix:/x", false, true),
        ];
        assert_eq!(shown, wanted);
        assert_eq!(all[0].peers[3].env.as_deref(), Some("H"));
        assert_eq!(all[0].keepalive.map(|(n, _)| n), Some(8));
        assert!(all[1].scripted && !all[0].scripted);
    }
}
