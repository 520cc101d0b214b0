//! How frameworks are handed the functions with which operations begin.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::name::Name;

/// How a function of the tree becomes an operation.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Entry {
    /// `#[get("/path")]`: attribute path, the HTTP method (absent: `method = "GET"` inside), the path is the first string.
    Attribute {
        path: Name,
        #[serde(default)]
        method: Option<Name>,
        kind: Name,
    },
    /// `Router::route("/path", get(handler))`: the method's path, argument of the path, argument of the handler.
    Route { method: Name, path: u16, handler: u16 },
    /// `axum::routing::get(handler)`: a function that pairs a method with the handler argument; chained calls likewise.
    MethodRouter {
        functions: BTreeMap<Name, Name>,
        handler: u16,
        /// The handler is an argument of this method further down the chain (`web::get().to(handler)`).
        #[serde(default)]
        to: Option<Name>,
    },
    /// `web::resource("/path").route(..).to(handler)`: a function that begins a chain with a path, and the chain's
    /// methods that take a route or a handler as their first argument. One that is named after an HTTP method is for it.
    Resource { function: Name, path: u16, methods: Vec<Name> },
    /// `Router::fallback(handler)`: answers whatever path has no handler of its own.
    Fallback { method: Name, handler: u16 },
    /// `TcpListener::bind("0.0.0.0:8080")`: the path of what opens a socket, and the argument that holds the address.
    Listen { path: Name, address: u16 },
    /// `Router::nest("/prefix", router)`; without `path` a plain `merge`.
    Nest {
        method: Name,
        #[serde(default)]
        path: Option<u16>,
        router: u16,
    },
    /// `web::scope("/prefix").service(..)`: a function that begins a chain with a prefix for what its methods take.
    Scope { function: Name, path: u16, methods: Vec<Name> },
    /// A trait whose every method, or the one named, is an operation. `traits` is a pattern for its path
    /// (`*_server::*`, `sidekiq::Worker`); without it the trait is one of the tree that has the attribute
    /// (`tarpc::service`), or what a macro makes of one by adding `suffix` to its name.
    Service {
        attribute: Name,
        kind: Name,
        #[serde(default)]
        traits: Option<Name>,
        #[serde(default)]
        method: Option<Name>,
        #[serde(default)]
        suffix: Option<Name>,
    },
    /// `#[Object] impl Query`: an attribute of an impl whose every function is an operation.
    Impl { attribute: Name, kind: Name },
    /// `service_fn(handler)`: a call that hands over a function with which an operation begins.
    Handler { call: Name, handler: u16, kind: Name },
}
