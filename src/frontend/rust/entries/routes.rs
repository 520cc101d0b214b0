//! Routers: which function answers which path, with the prefixes under which routers are nested.
//!
//! Routers are values that are built in chains, kept in locals and returned by functions. A route is found where it is
//! added; its prefix is that of the nests whose router argument holds it: by place in the text, through the initialiser
//! of a local, or through the function that returns the router.

use rustc_hash::FxHashMap;

use super::super::program::{BodyId, BodyTypes, FnId, Program, Target};
use super::super::tree::{At, ExprId, ExprKind, Lit, MacroArgs, PatId, RustFile, Stmt};
use super::{Finder, FoundEntry};
use crate::fact::OperationKind;
use crate::model::Entry;
use crate::name::{Name, last_segment};

/// Routers nested deeper, or reached in more ways, are cut off: nobody writes them.
const DEPTH: usize = 16;
const WAYS: usize = 64;

/// A handler at a path of its router.
struct Route {
    body: BodyId,
    at: At,
    method: Option<Name>,
    /// `None`: whatever has no handler of its own.
    path: Option<String>,
    handler: FnId,
}

/// A router put under a prefix.
struct Nest {
    body: BodyId,
    at: At,
    prefix: String,
    /// Where the nested router is built in the same body.
    inner: At,
    /// The function that returns it, or the handler itself.
    leads: Option<FnId>,
}

#[derive(Default)]
pub struct Routes {
    routes: Vec<Route>,
    nests: Vec<Nest>,
    /// Handlers that no path leads to.
    handed: Vec<(FnId, OperationKind)>,
    /// Positions in `nests` by body, and by the function that the nested router comes from.
    in_body: FxHashMap<BodyId, Vec<usize>>,
    by_function: FxHashMap<FnId, Vec<usize>>,
}

impl Routes {
    pub(super) fn collect(find: &Finder) -> Routes {
        let mut all = Routes::default();
        if find.rules.is_empty() {
            return all;
        }
        for (body, types) in find.looked_at() {
            let at = Body { program: find.program, tree: find.program.tree_of(body), id: body, types };
            let mut calls: Vec<ExprId> = types.targets.keys().copied().collect();
            calls.sort_unstable();
            calls.into_iter().for_each(|call| all.call(find, &at, call));
        }
        for (position, nest) in all.nests.iter().enumerate() {
            all.in_body.entry(nest.body).or_default().push(position);
            if let Some(id) = nest.leads {
                all.by_function.entry(id).or_default().push(position);
            }
        }
        all
    }

    fn call(&mut self, find: &Finder, body: &Body, call: ExprId) {
        let (Some(path), Some(args)) = (body.foreign(call), body.args(call)) else { return };
        let arg = |n: u16| args.get(n as usize).copied();
        for rule in &find.rules {
            match rule {
                Entry::Route { method, path: at, handler } if method == path => {
                    let route = arg(*at).and_then(|e| body.text(e));
                    self.handlers(find, body, call, route.map(|r| body.scope(find, call) + &r), arg(*handler));
                }
                Entry::Fallback { method, handler } if method == path => {
                    self.handlers(find, body, call, None, arg(*handler));
                }
                Entry::Resource { function, path: at, methods } if methods.contains(path) => {
                    let head = body.head(call, |p| p == function);
                    let route = head.and_then(|h| body.text(*body.args(h)?.get(*at as usize)?));
                    let before = self.routes.len();
                    self.handlers(find, body, call, route, arg(0));
                    let verb = verb_of(last_segment(path));
                    self.routes[before..].iter_mut().for_each(|r| r.method = r.method.take().or_else(|| verb.clone()));
                }
                Entry::Nest { method, path: at, router } if method == path => {
                    let prefix = at.map_or(Some(String::new()), |at| arg(at).and_then(|e| body.text(e)));
                    self.nest(body, call, prefix, arg(*router));
                }
                Entry::Handler { call: method, handler, kind } if method == path => {
                    let handler = arg(*handler).and_then(|e| body.function(body.root(body.built(e))));
                    self.handed.extend(handler.map(|h| (h, super::kind_named(kind))));
                }
                Entry::Scope { methods, .. } if methods.contains(path) && args.len() == 1 => {
                    self.nest(body, call, Some(body.scope(find, call)), arg(0));
                }
                _ => {}
            }
        }
    }

    fn handlers(&mut self, find: &Finder, body: &Body, call: ExprId, path: Option<String>, given: Option<ExprId>) {
        let Some(given) = given else { return };
        for (method, handler) in body.paired(find, given) {
            let Some(handler) = body.function(handler) else { continue };
            self.routes.push(Route { body: body.id, at: body.at(call), method, path: path.clone(), handler });
        }
    }

    fn nest(&mut self, body: &Body, call: ExprId, prefix: Option<String>, router: Option<ExprId>) {
        let (Some(prefix), Some(router)) = (prefix, router) else { return };
        let built = body.built(router);
        let nest = Nest {
            body: body.id,
            at: body.at(call),
            prefix: prefix.trim_end_matches('/').to_owned(),
            inner: body.at(built),
            leads: body.function(body.root(built)),
        };
        self.nests.push(nest);
    }

    pub(super) fn entries(&self, find: &Finder) -> Vec<FoundEntry> {
        let mut found = Vec::new();
        for route in &self.routes {
            for prefix in self.prefixes(route.body, route.at, DEPTH) {
                found.push(match &route.path {
                    Some(path) => {
                        let path = if path == "/" && !prefix.is_empty() { "" } else { path };
                        find.http(route.handler, OperationKind::Http, route.method.clone(), &format!("{prefix}{path}"))
                    }
                    None => find.entry(route.handler, OperationKind::Http, format!("{prefix}/*")),
                });
            }
        }
        found
    }

    /// Functions that are handed over without a path.
    pub(super) fn handed_over(&self, find: &Finder) -> Vec<FoundEntry> {
        let start = |(handler, kind): &(FnId, OperationKind)| {
            find.entry(*handler, *kind, find.program.def(*handler).path.to_string())
        };
        self.handed.iter().map(start).collect()
    }

    /// The prefixes of what a function returns, or of a handler that is handed to a router by itself.
    pub(super) fn prefixes_of(&self, id: FnId) -> Vec<String> {
        self.through_function(id, DEPTH)
    }

    fn through_function(&self, id: FnId, depth: usize) -> Vec<String> {
        let nests = self.by_function.get(&id).map_or(&[][..], |n| n);
        let mut all = Vec::new();
        for nest in nests.iter().map(|n| &self.nests[*n]) {
            if depth == 0 || all.len() > WAYS {
                break;
            }
            let outer = self.prefixes(nest.body, nest.at, depth - 1);
            all.extend(outer.into_iter().map(|o| format!("{o}{}", nest.prefix)));
        }
        if all.is_empty() {
            all.push(String::new());
        }
        all
    }

    fn prefixes(&self, body: BodyId, at: At, depth: usize) -> Vec<String> {
        let holds = |n: &&Nest| n.inner.start <= at.start && at.end <= n.inner.end && n.at != at;
        let here = self.in_body.get(&body).map_or(&[][..], |n| n);
        let innermost = here.iter().map(|n| &self.nests[*n]).filter(holds).min_by_key(|n| n.inner.end - n.inner.start);
        match (innermost, body) {
            _ if depth == 0 => vec![String::new()],
            (Some(nest), _) => {
                let outer = self.prefixes(body, nest.at, depth - 1);
                outer.into_iter().map(|o| format!("{o}{}", nest.prefix)).collect()
            }
            (None, BodyId::Fn(id)) => self.through_function(id, depth - 1),
            (None, BodyId::Const(_)) => vec![String::new()],
        }
    }
}

/// A body with what is known about it.
struct Body<'a> {
    program: &'a Program,
    tree: &'a RustFile,
    id: BodyId,
    types: &'a BodyTypes,
}

impl<'a> Body<'a> {
    fn at(&self, id: ExprId) -> At {
        self.tree.expr(id).at
    }

    fn foreign(&self, call: ExprId) -> Option<&'a Name> {
        match self.types.targets.get(&call)? {
            Target::Foreign(path) => Some(path),
            _ => None,
        }
    }

    fn args(&self, call: ExprId) -> Option<&'a [ExprId]> {
        match &self.tree.expr(call).kind {
            ExprKind::Call { args, .. } => Some(args),
            ExprKind::Method { args, .. } => Some(args),
            _ => None,
        }
    }

    fn receiver(&self, call: ExprId) -> Option<ExprId> {
        match &self.tree.expr(call).kind {
            ExprKind::Method { receiver: inner, .. }
            | ExprKind::Ref(inner)
            | ExprKind::Try(inner)
            | ExprKind::Await(inner) => Some(*inner),
            _ => None,
        }
    }

    /// The calls of a chain, from its end to its beginning.
    fn chain(&self, end: ExprId) -> impl Iterator<Item = ExprId> {
        std::iter::successors(Some(end), |e| self.receiver(*e))
    }

    /// The beginning of a chain.
    fn root(&self, end: ExprId) -> ExprId {
        self.chain(end).last().unwrap_or(end)
    }

    fn head(&self, end: ExprId, is: impl Fn(&Name) -> bool) -> Option<ExprId> {
        self.chain(end).find(|e| self.foreign(*e).is_some_and(&is))
    }

    /// The prefix of the scope that a chain begins with.
    fn scope(&self, find: &Finder, end: ExprId) -> String {
        let of = |rule: &&Entry| {
            let Entry::Scope { function, path, .. } = rule else { return None };
            let head = self.head(end, |p| p == function)?;
            self.text(*self.args(head)?.get(*path as usize)?)
        };
        find.rules.iter().find_map(of).unwrap_or_default().trim_end_matches('/').to_owned()
    }

    /// Methods with their handlers in `get(a).post(b)` and `web::get().to(a)`; a handler alone answers any method.
    fn paired(&self, find: &Finder, given: ExprId) -> Vec<(Option<Name>, ExprId)> {
        let mut all = Vec::new();
        let given = self.built(given);
        for rule in &find.rules {
            let Entry::MethodRouter { functions, handler, to } = rule else { continue };
            let taken: Vec<ExprId> = match to {
                Some(to) => self.chain(given).filter(|e| self.foreign(*e) == Some(to)).collect(),
                None => {
                    self.chain(given).filter(|e| self.foreign(*e).is_some_and(|p| functions.contains_key(p))).collect()
                }
            };
            for call in taken {
                let Some(handler) = self.args(call).and_then(|a| a.get(*handler as usize)) else { continue };
                let named = self.chain(call).find_map(|e| functions.get(self.foreign(e)?));
                all.push((named.filter(|m| **m != "ANY").cloned(), *handler));
            }
        }
        if all.is_empty() {
            all.push((None, given));
        }
        all
    }

    /// The function that an expression names or calls.
    fn function(&self, id: ExprId) -> Option<FnId> {
        match self.types.targets.get(&id)? {
            Target::Fns(ids, None) if ids.len() == 1 => ids.first().copied(),
            _ => None,
        }
    }

    /// The expression that makes a value: a local's initialiser instead of its name.
    fn built(&self, id: ExprId) -> ExprId {
        let mut now = id;
        for _ in 0..DEPTH {
            match self.types.locals.get(&self.root(now)).and_then(|pat| self.initialiser(*pat)) {
                Some(value) => now = value,
                None => break,
            }
        }
        now
    }

    fn initialiser(&self, of: PatId) -> Option<ExprId> {
        let lets = self.tree.exprs.iter().filter_map(|e| match &e.kind {
            ExprKind::Block(block) => Some(&block.stmts),
            _ => None,
        });
        lets.flatten().find_map(|stmt| match stmt {
            Stmt::Let { pat, value, .. } if *pat == of => *value,
            _ => None,
        })
    }

    /// Text that is constant but for holes: a literal, a constant, `format!`.
    fn text(&self, id: ExprId) -> Option<String> {
        let id = self.root(id);
        if let Some(constant) = self.types.consts.get(&id) {
            let def = &self.program.consts[constant.0 as usize];
            return literal(self.program.tree(def.file), def.value?);
        }
        literal(self.tree, id)
    }
}

fn literal(tree: &RustFile, id: ExprId) -> Option<String> {
    match &tree.expr(id).kind {
        ExprKind::Lit(Lit::Str(text)) => Some(text.to_string()),
        ExprKind::Macro(call) => match &call.args {
            MacroArgs::Format { text, .. } => Some(text.to_string()),
            _ => None,
        },
        _ => None,
    }
}

/// The HTTP method that a router's own method is named after (`Router::with_path("x").get(handler)`).
fn verb_of(name: &str) -> Option<Name> {
    let known = ["get", "post", "put", "patch", "delete", "head", "options"];
    known.contains(&name).then(|| Name::from(name.to_ascii_uppercase()))
}

/// Parameters of a path as `{}`: `/orders/{id}`, `/orders/:id`, `/orders/<id>`, `/files/{*rest}`.
pub(super) fn with_holes(path: &str) -> String {
    let segment = |s: &str| match s.chars().next() {
        Some(':' | '<' | '*') => "{}".to_owned(),
        _ => braces(s),
    };
    path.split('/').map(segment).collect::<Vec<_>>().join("/")
}

/// Every `{..}` of a segment, with braces inside it (`{id:[0-9]{4}}`), as `{}`.
fn braces(segment: &str) -> String {
    let mut depth = 0usize;
    let mut text = String::new();
    for c in segment.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    text.push_str("{}");
                }
            }
            _ if depth == 0 => text.push(c),
            _ => {}
        }
    }
    text
}
