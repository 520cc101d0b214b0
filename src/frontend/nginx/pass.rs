//! Where a location passes requests on to, and what becomes of their path.

use super::conf::{Conf, Node, NodeId};
use super::location::Kind;
use super::rules::{Protocol, rules};
use super::server::{Upstream, Upstreams};
use super::variable::{self, Text};
use crate::effect::Passes;
use crate::name::Name;

/// A directive that passes on.
#[derive(Debug)]
pub struct Pass {
    /// The directive.
    pub node: NodeId,
    /// The block whose settings hold for it.
    pub block: NodeId,
    pub protocol: &'static Protocol,
    /// Alternatives; one of them gets the request.
    pub goals: Vec<Goal>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Goal {
    pub to: To,
    pub passes: Passes,
}

#[derive(Debug, Clone, PartialEq)]
pub enum To {
    /// A position among the upstreams.
    Upstream(usize),
    Address(String),
    /// Not constant: the variable of the environment that it is read from, if it is one.
    Open(Option<String>),
}

/// The passes of a location or of a server of `stream`: its own, and those of the conditions in it, which take its place.
pub fn of_block(conf: &Conf, block: NodeId, kind: Kind, path: &str, upstreams: &Upstreams) -> Vec<Pass> {
    let conditions = ["if", "limit_except"].into_iter().flat_map(|name| conf.named(block, name));
    let blocks = std::iter::once(block).chain(conditions.copied());
    let mut found = Vec::new();
    for inside in blocks {
        let passing = |protocol: &'static Protocol| Some((protocol, *conf.named(inside, &protocol.directive).first()?));
        for (protocol, node) in rules().protocols.iter().filter_map(passing) {
            let place = Place { conf, block: inside, kind, path, upstreams, plain: inside == block };
            found.push(Pass { node, block: inside, protocol, goals: place.goals(node, protocol) });
        }
    }
    found
}

struct Place<'a> {
    conf: &'a Conf,
    block: NodeId,
    kind: Kind,
    path: &'a str,
    upstreams: &'a Upstreams,
    /// Not inside a condition.
    plain: bool,
}

impl Place<'_> {
    fn goals(&self, node: NodeId, protocol: &Protocol) -> Vec<Goal> {
        let written = self.conf.node(node).arg(0);
        let mut goals: Vec<Goal> = Vec::new();
        for text in variable::values(self.conf, self.block, written) {
            let split = Split::of(&text.known);
            let goal = Goal { to: self.to(&split, &text, protocol), passes: self.passes(&split, &text, written) };
            if !goals.contains(&goal) {
                goals.push(goal);
            }
        }
        goals
    }

    fn to(&self, split: &Split<'_>, text: &Text, protocol: &Protocol) -> To {
        let host = split.host();
        let mut named = self.upstreams.named(host).iter().copied();
        if let Some(found) = named.find(|i| self.reaches(&self.upstreams.all[*i])) {
            return To::Upstream(found);
        }
        if host.is_empty() || host.contains("{}") {
            return To::Open(text.open.iter().find(|name| is_environment(name)).cloned());
        }
        match protocol.system.as_str() {
            "http" if !split.authority.starts_with("unix:") => {
                let secure = matches!(split.scheme, "https" | "grpcs");
                let scheme = if secure { "https" } else { "http" };
                To::Address(format!("{scheme}://{}", split.authority))
            }
            _ => To::Address(split.authority.to_owned()),
        }
    }

    /// Upstreams of `http` and of `stream` do not see each other.
    fn reaches(&self, upstream: &Upstream) -> bool {
        let of = |id: NodeId| self.ancestors(id).find(|n| matches!(n.name.as_str(), "http" | "stream"));
        match (of(self.block), of(upstream.node)) {
            (Some(here), Some(there)) => here.name == there.name,
            _ => true,
        }
    }

    fn ancestors(&self, from: NodeId) -> impl Iterator<Item = &Node> {
        let up = |id: &NodeId| (*id != 0).then(|| self.conf.node(*id).parent);
        std::iter::successors(Some(from), up).map(|id| self.conf.node(id))
    }

    fn passes(&self, split: &Split<'_>, text: &Text, written: &str) -> Passes {
        let rewrites = self.conf.named(self.block, "rewrite");
        let ending = |id: &NodeId| self.conf.node(*id).arg(2) == "break";
        match rewrites {
            [] => {}
            [one] if ending(one) => return rewritten(self.conf.node(*one)),
            _ => return Passes::Unknown,
        }
        let Some(uri) = split.uri else { return Passes::Same };
        if written.contains('$') {
            return with_variables(uri, text);
        }
        match self.kind {
            Kind::Prefix | Kind::Final if self.plain => {
                Passes::Prefix { from: Name::new(self.path), to: Name::new(uri) }
            }
            Kind::Exact if self.plain => Passes::Fixed(Name::new(uri)),
            _ => Passes::Unknown,
        }
    }
}

/// A variable that a template puts in before nginx reads the file: nginx's own are lower case.
fn is_environment(name: &str) -> bool {
    let upper = |b: u8| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_';
    name.starts_with(|c: char| c.is_ascii_uppercase()) && name.bytes().all(upper)
}

/// An address as a directive holds it.
struct Split<'t> {
    scheme: &'t str,
    authority: &'t str,
    uri: Option<&'t str>,
}

impl<'t> Split<'t> {
    fn of(text: &'t str) -> Split<'t> {
        let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
        if let Some(socket) = rest.strip_prefix("unix:") {
            let end = socket.find(':').map_or(rest.len(), |colon| "unix:".len() + colon);
            let uri = rest.get(end + 1..).filter(|uri| !uri.is_empty());
            return Split { scheme, authority: &rest[..end], uri };
        }
        // A variable behind the address holds the path: `http://api:80$request_uri`.
        let slash = rest.find('/').unwrap_or(rest.len());
        let variable =
            rest.find("{}").filter(|at| *at > 0 && !rest[..*at].ends_with([':', '.', '-', '_'])).unwrap_or(rest.len());
        let cut = slash.min(variable);
        Split { scheme, authority: &rest[..cut], uri: (cut < rest.len()).then(|| &rest[cut..]) }
    }

    fn host(&self) -> &'t str {
        if self.authority.starts_with("unix:") {
            return self.authority;
        }
        let from = self.authority.rfind(']').unwrap_or(0);
        let end = self.authority[from..].rfind(':').map_or(self.authority.len(), |colon| from + colon);
        &self.authority[..end]
    }
}

/// With variables in the directive its path is sent as it is.
fn with_variables(uri: &str, text: &Text) -> Passes {
    let whole = text.open.iter().any(|name| matches!(name.as_str(), "request_uri" | "uri" | "document_uri"));
    // What is asked for behind a `?` changes no path.
    let query = text.open.iter().any(|name| name == "is_args").then(|| uri.find("{}")).flatten();
    let constant = uri[..query.unwrap_or(uri.len())].split('?').next().unwrap_or_default();
    match () {
        () if uri.starts_with("{}") && whole => Passes::Same,
        () if !constant.contains("{}") => Passes::Fixed(Name::new(constant)),
        () => Passes::Unknown,
    }
}

/// `rewrite ^/api/(.*)$ /$1 break` takes `/api/` away; what it does to other paths is not followed.
fn rewritten(rewrite: &Node) -> Passes {
    let replacement = rewrite.arg(1).split('?').next().unwrap_or_default();
    let pattern = rewrite.arg(0);
    if !replacement.contains('$') {
        let always = matches!(pattern, "^" | ".*" | "^.*$" | "^(.*)$" | "^/" | "(.*)");
        return if always { Passes::Fixed(Name::new(replacement)) } else { Passes::Unknown };
    }
    let inner = pattern.strip_prefix('^').unwrap_or_default();
    let inner = inner.strip_suffix('$').unwrap_or(inner);
    let prefix = |rest: &str| -> Option<(String, &'static str)> {
        let from = inner.strip_suffix(rest)?;
        let plain = !from.contains(['(', '[', '*', '+', '?', '\\', '.', '|', '{']);
        plain.then(|| (from.to_owned(), if rest.starts_with("(/") { "/" } else { "" }))
    };
    let to = replacement.strip_suffix("$1").filter(|to| !to.contains('$'));
    match (prefix("(.*)").or_else(|| prefix("(/.*)")), to) {
        (Some((from, slash)), Some(to)) => {
            Passes::Prefix { from: Name::from(format!("{from}{slash}")), to: Name::from(format!("{to}{slash}")) }
        }
        _ => Passes::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::nginx::conf::Doc;
    use crate::frontend::nginx::{location, server, tree};
    use crate::source::FileId;

    fn goals(text: &str) -> Vec<Goal> {
        let text = format!("http {{ upstream back {{ server a; }} server {{ {text} }} }}");
        let (tree, wrong) = tree::parse(&text);
        assert_eq!(wrong, None);
        let conf = Conf::read(&[Doc { file: FileId(0), path: "n.conf", text: &text, tree }], &[0]);
        let upstreams = Upstreams::of(&conf);
        let first = location::Locations::of_server(&conf, server::servers(&conf)[0].node).all.remove(0);
        let passes = of_block(&conf, first.node, first.kind, &first.path, &upstreams);
        passes.into_iter().flat_map(|p| p.goals).collect()
    }

    fn one(text: &str) -> (To, Passes) {
        let mut all = goals(text);
        assert_eq!(all.len(), 1, "{text}: {all:?}");
        let goal = all.remove(0);
        (goal.to, goal.passes)
    }

    fn prefix(from: &str, to: &str) -> Passes {
        Passes::Prefix { from: from.into(), to: to.into() }
    }

    #[test]
    fn goals_of_each_protocol() {
        let address = |text: &str| To::Address(text.to_owned());
        assert_eq!(one("location / { proxy_pass http://Back; }").0, To::Upstream(0));
        assert_eq!(one("location / { fastcgi_pass back; }").0, To::Upstream(0));
        assert_eq!(one("location / { proxy_pass https://api.x/; }").0, address("https://api.x"));
        assert_eq!(one("location / { grpc_pass grpc://api:50051; }").0, address("http://api:50051"));
        assert_eq!(one("location / { grpc_pass api:50051; }").0, address("http://api:50051"));
        assert_eq!(one("location / { fastcgi_pass unix:/run/php.sock; }").0, address("unix:/run/php.sock"));
        assert_eq!(
            one("location / { proxy_pass http://unix:/run/a.sock:/x/; }"),
            (address("unix:/run/a.sock"), prefix("/", "/x/"))
        );
        assert_eq!(one("location / { uwsgi_pass app:3031; }").0, address("app:3031"));
    }

    #[test]
    fn variables() {
        assert_eq!(one("set $u back; location / { proxy_pass http://$u; }"), (To::Upstream(0), Passes::Same));
        assert_eq!(one("location / { proxy_pass http://${HOST}:${PORT}; }").0, To::Open(Some("HOST".into())));
        assert_eq!(one("location / { proxy_pass http://$host$request_uri; }").0, To::Open(None));
        let (to, passes) = one("set $a http://api:3000; location / { proxy_pass $a$request_uri; }");
        assert_eq!((to, passes), (To::Address("http://api:3000".into()), Passes::Same));
        assert_eq!(one("location / { proxy_pass http://api/x$is_args$args; }").1, Passes::Fixed("/x".into()));
        assert_eq!(goals("set $a b; if ($c) { set $a back; } location / { proxy_pass http://$a; }").len(), 2);
    }

    #[test]
    fn what_becomes_of_the_path() {
        let passes = |text: &str| one(text).1;
        assert_eq!(passes("location /api { proxy_pass http://back; }"), Passes::Same);
        assert_eq!(passes("location /api/ { proxy_pass http://back/; }"), prefix("/api/", "/"));
        assert_eq!(passes("location = /a { proxy_pass http://back/b; }"), Passes::Fixed("/b".into()));
        assert_eq!(passes("location ~ ^/a { proxy_pass http://back; }"), Passes::Same);
        let rewrite =
            |rule: &str| passes(&format!("location /api {{ rewrite {rule} break; proxy_pass http://back; }}"));
        assert_eq!(rewrite("^/api/(.*)$ /$1"), prefix("/api/", "/"));
        assert_eq!(rewrite("^/api(/.*) /v2$1"), prefix("/api/", "/v2/"));
        assert_eq!(rewrite("^ /fixed?x"), Passes::Fixed("/fixed".into()));
        assert_eq!(rewrite("^/a|b/(.*) /$1"), Passes::Unknown);
        assert_eq!(passes("location / { rewrite a b last; proxy_pass http://back; }"), Passes::Unknown);
    }

    #[test]
    fn a_condition_takes_the_place() {
        let all = goals("location / { if ($a) { proxy_pass http://x; } proxy_pass http://back; }");
        assert_eq!(all.len(), 2);
    }
}
