//! One try towards something remote: what is sent, where it goes, through which client.

use super::Confidence;
use crate::name::Name;
use crate::source::Span;

/// One try towards something remote.
#[derive(Clone, PartialEq, Debug)]
pub struct Remote {
    /// `http`, `grpc`, `postgres`, `redis`, `aws` ...
    pub system: Name,
    /// GET, POST, SELECT, INSERT, a method's name; `None` if not known.
    pub verb: Option<Name>,
    pub safety: Safety,
    pub target: Target,
    /// The client it goes through, if one is built in the tree.
    pub client: Option<Client>,
    pub key: Key,
    /// Only dials: the one failure it has is that of connecting, or to hang.
    pub connect_only: bool,
    /// How many more times one request can be sent because connections that were kept open turn out to be closed. Kept
    /// apart from attempts and never multiplied in.
    pub replays: Option<u64>,
    pub at: Span,
}

/// Whether sending it twice can do harm.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Safety {
    /// GET, PUT, DELETE, a read, an upsert.
    Repeatable,
    /// POST, PATCH, publish, INSERT.
    Unsafe,
    Unknown,
}

/// Where the address comes from; the name of the dependency is made of it (semantics.md, Which dependency).
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Target {
    /// The address as far as it is constant: `http://payments:8080/charge`, with `{}` for what is not and `{$NAME}` for
    /// what is read from the environment ([`super::variable`]).
    pub address: Option<Name>,
    /// How the code names the client: `AppState.db`, `url`.
    pub via: Option<Name>,
    /// The receiver's type and method for an unknown remote: `Bus::publish`.
    pub method: Option<Name>,
    /// An unbound parameter that holds the address.
    pub param: Option<u16>,
    /// What a config calls what it passes on to: an upstream, a cluster, a backend.
    pub named: Option<Name>,
    /// The addresses of the servers that stand behind that name (`10.0.0.1:80`, `payments:8080`): one of them answers.
    pub servers: Vec<Name>,
    /// The gRPC service that is asked, as its protocol names it: `shop.Stock`.
    pub rpc: Option<Name>,
    /// A hop that hands on the request that came in: what becomes of its path. `None`: the call makes a request of its own.
    pub passes: Option<Passes>,
    /// The proxy of a mesh makes the call: no other one takes it up.
    pub past_mesh: bool,
}

/// The path of a request that a hop hands on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Passes {
    /// As it came.
    Same,
    /// What it begins with is replaced: `/api/` by `/`.
    Prefix { from: Name, to: Name },
    /// Always this one.
    Fixed(Name),
    /// Changed in a way that could not be followed.
    Unknown,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Client {
    /// The type's path, such as `reqwest::Client`.
    pub what: Name,
    /// Where it is built; `None` if it comes from outside the tree.
    pub built_at: Option<Span>,
    /// A connect timeout is set.
    pub connect_timeout: bool,
    /// High: followed to where it is built, or surely from outside. Medium: the only one that is built here stands in for
    /// it. Low: several that differ are built, and which of them this one is could not be followed.
    pub followed: Confidence,
}

/// An idempotency key on the request.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Key {
    None,
    /// Set once outside the loop, or by the client library, or stated in a comment.
    Once,
    /// Made anew by the code around the call; the span is where. Whoever runs that code again sends another key.
    Fresh(Span),
}
