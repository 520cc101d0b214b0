//! Clients that are built for each request (RL401), and pools with less room than their server lets in (RL402).
//!
//! A client is built for each request where the function that builds it is entered for each, by a handler or in a loop, and
//! sends through what it has built. A builder that is given something of the request (a proxy, an identity) has a reason,
//! and so may one inside a closure: it may run once for all.

use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::flow::{Used, first_object};
use super::pats;
use super::program::{BodyId, CrateId, CrateKind, FnId, Owner, Target};
use super::tree::{At, ExprId, ExprKind, Receiver, RustFile};
use super::val::{Object, Val};
use super::values::Values;
use crate::effect::{Arg, Callee, Confidence, Effect, PlaceId};
use crate::fact::{Facts, OperationKind, Remark, RemarkKind};
use crate::model::{Role, Scalar, SetTo};
use crate::name::split_last;
use crate::source::Span;
use crate::value::Value;

/// What is asked of the program once its operations are known.
pub struct Reuse<'a> {
    pub values: &'a Values<'a>,
    pub used: &'a [Used],
    pub places: &'a FxHashMap<FnId, PlaceId>,
    pub facts: &'a Facts,
}

impl Reuse<'_> {
    pub fn remarks(&self) -> Vec<Remark> {
        let served = self.served();
        let mut found: Vec<Remark> = self.used.iter().filter_map(|u| self.per_request(u, &served)).collect();
        found.extend(self.too_small(&served));
        found.sort_by(|a, b| (a.at, &a.message).cmp(&(b.at, &b.message)));
        found.dedup_by_key(|r| (r.at, r.is));
        found
    }

    /// Places that a request, a message or a job reaches.
    fn served(&self) -> FxHashSet<PlaceId> {
        let starts = |kind| {
            matches!(kind, OperationKind::Http | OperationKind::Grpc | OperationKind::Queue | OperationKind::Job)
        };
        let mut open: Vec<PlaceId> = self.facts.operations.iter().filter(|o| starts(o.kind)).map(|o| o.place).collect();
        let mut seen = FxHashSet::default();
        while let Some(place) = open.pop() {
            if seen.insert(place) {
                called(&self.facts.places[place.0 as usize].body, &mut open);
            }
        }
        seen
    }

    fn per_request(&self, used: &Used, served: &FxHashSet<PlaceId>) -> Option<Remark> {
        let client = used.client.as_deref()?;
        let (BodyId::Fn(by), Some(built_at), Some(built_in)) = (used.by, client.built_at, client.built_in) else {
            return None;
        };
        if used.followed != Confidence::High || used.kept || !self.counts(by) {
            return None;
        }
        let what = self.pool_type(client)?;
        let here = match built_in == used.by {
            true => built_at,
            false => self.by_helper(used.by, built_in, built_at)?,
        };
        let (tree, built) = (self.values.program.tree_of(built_in), self.built(built_in, built_at)?);
        if in_closure(tree, built_at, (here == built_at).then_some(used.call)) {
            return None;
        }
        let again = self.repeated(used.by, here, used.call) || self.asked_again(by, served);
        (again && !self.varies(built_in, built)).then(|| self.client_remark(&what, by, built_at))
    }

    fn client_remark(&self, what: &str, by: FnId, built_at: Span) -> Remark {
        let context = self.values.program.def(by).path.clone();
        Remark {
            is: RemarkKind::ClientPerRequest,
            at: built_at,
            message: format!("a `{what}` is built each time that `{context}` sends something, so no connection is reused"),
            context,
            help: "build it once, keep it in the state that requests share, and pass it on: a clone shares the connections"
                .to_owned(),
        }
    }

    fn counts(&self, id: FnId) -> bool {
        let def = self.values.program.def(id);
        !def.test && self.values.program.crates[def.krate.0 as usize].kind != CrateKind::Other
    }

    /// The pooled type of the library that the client is of.
    fn pool_type(&self, client: &Object) -> Option<String> {
        let root = client.what.split("::").next()?;
        let blocking = client.what.contains("::blocking::");
        let types = self.values.models.models.iter().flat_map(|m| &m.types);
        let fits = |path: &str| path.split("::").next() == Some(root) && path.contains("::blocking::") == blocking;
        let mut all = types.filter(|(path, model)| model.pooled && fits(path));
        all.next().map(|(path, _)| path.to_string())
    }

    /// The call that began the client, if it makes a client or a builder out of nothing: one that wraps what is there
    /// shares its connections.
    fn built(&self, body: BodyId, at: Span) -> Option<ExprId> {
        let types = self.values.bodies.get(&body)?;
        let mut calls: Vec<_> = types.targets.iter().filter(|(e, _)| self.values.span(body, **e) == at).collect();
        calls.sort_by_key(|(e, _)| **e);
        calls.into_iter().find_map(|(e, target)| {
            let Target::Foreign(path) = target else { return None };
            let model = self.values.model_of(path)?;
            let makes = model.returns.as_deref().map_or("Self", super::values::inner_type);
            let owner = split_last(path).map_or("", |(owner, _)| owner);
            let made = self.values.models.canonical(if makes == "Self" { owner } else { makes });
            let role = self.values.models.type_model(&made)?.role;
            let fresh = model.carries_arg.is_none() && matches!(role, Role::Client | Role::Builder | Role::Pool);
            fresh.then_some(*e)
        })
    }

    /// Where a function calls the helper that builds the client and gives it back.
    fn by_helper(&self, by: BodyId, helper: BodyId, built_at: Span) -> Option<Span> {
        let BodyId::Fn(helper) = helper else { return None };
        let calls = self.values.bodies.get(&by)?.targets.iter();
        let mut calls: Vec<ExprId> =
            calls.filter(|(_, t)| matches!(t, Target::Fns(ids, _) if ids[..] == [helper])).map(|(e, _)| *e).collect();
        calls.sort();
        let gives = |e: &ExprId| first_object(&self.values.eval(by, *e)).is_some_and(|o| o.built_at == Some(built_at));
        calls.into_iter().find(gives).map(|e| self.values.span(by, e))
    }

    /// Built and used within one turn of a loop.
    fn repeated(&self, body: BodyId, built: Span, call: Span) -> bool {
        self.values.program.tree_of(body).exprs.iter().any(|e| {
            let turn = match &e.kind {
                ExprKind::Loop { body, .. } | ExprKind::While { body, .. } | ExprKind::For { body, .. } => *body,
                _ => return false,
            };
            let at = self.values.span(body, turn);
            within(at, built) && within(at, call)
        })
    }

    /// A handler or what it calls, or a public method of a library on something that lives on between its calls.
    fn asked_again(&self, by: FnId, served: &FxHashSet<PlaceId>) -> bool {
        let Some(place) = self.places.get(&by) else { return false };
        if served.contains(place) {
            return true;
        }
        let def = self.values.program.def(by);
        let lives_on = matches!(self.values.program.function(by).receiver, Some(Receiver::Ref | Receiver::Mut));
        let api = self.facts.operations.iter().any(|o| o.place == *place && o.kind == OperationKind::Api);
        api && lives_on && matches!(def.owner, Owner::Inherent(_))
    }

    /// Whether something that is not constant goes into the client while it is built.
    fn varies(&self, body: BodyId, built: ExprId) -> bool {
        let tree = self.values.program.tree_of(body);
        let at = tree.expr(built).at;
        let mut given: Vec<ExprId> = Vec::new();
        for e in &tree.exprs {
            match &e.kind {
                ExprKind::Method { receiver, args, .. } if pats::root(tree, *receiver) == pats::root(tree, built) => {
                    let client = e.at.start == at.start && args.iter().all(|a| tree.expr(*a).at.start > at.end);
                    given.extend(args.iter().filter(|_| client && self.builds(body, *receiver)));
                }
                _ => {}
            }
        }
        if let ExprKind::Call { args, .. } = &tree.expr(built).kind {
            given.extend(args);
        }
        let constant = |e: &ExprId| {
            let locals = pats::mentions(tree, &self.values.bodies[&body], *e);
            locals.is_empty()
                || matches!(self.values.eval(body, *e), Val::Int(..) | Val::Duration(..) | Val::Bool(_) | Val::Text(_))
        };
        !given.iter().all(constant)
    }

    /// A step of a builder, in contrast to what is asked of the client.
    fn builds(&self, body: BodyId, e: ExprId) -> bool {
        let object = first_object(&self.values.eval(body, e));
        object.is_some_and(|o| self.values.models.type_model(&o.what).is_some_and(|m| m.role == Role::Builder))
    }

    /// Pools that the handlers of a server use, with fewer connections than the server lets requests in. Where a crate
    /// builds several pools it is not known which one a handler has.
    fn too_small(&self, served: &FxHashSet<PlaceId>) -> Vec<Remark> {
        let limits = self.limits();
        let mut found = Vec::new();
        for used in self.used {
            let BodyId::Fn(by) = used.by else { continue };
            let krate = self.values.program.def(by).krate;
            let Some([limit]) = limits.get(&krate).map(Vec::as_slice) else { continue };
            let reached = self.places.get(&by).is_some_and(|p| served.contains(p));
            if !reached || !used.held.as_ref().is_some_and(|held| self.is_pool(held)) {
                continue;
            }
            let pools = self.pools(krate);
            let [pool] = &pools[..] else { continue };
            let (Some((room, default)), Some(at)) = (self.room(pool), pool.built_at) else { continue };
            if room < *limit {
                found.push(self.pool_remark(by, at, room, default, *limit));
            }
        }
        found
    }

    fn is_pool(&self, what: &str) -> bool {
        self.values.models.type_model(what).is_some_and(|m| m.role == Role::Pool)
    }

    /// Every pool that a crate builds.
    fn pools(&self, krate: CrateId) -> Vec<Rc<Object>> {
        let mut found: Vec<Rc<Object>> = Vec::new();
        for (body, types) in self.values.bodies {
            let BodyId::Fn(id) = *body else { continue };
            if self.values.program.def(id).krate != krate || !self.counts(id) {
                continue;
            }
            for (call, target) in types.targets.iter() {
                let Target::Foreign(path) = target else { continue };
                let returns = self.values.model_of(path).and_then(|m| m.returns.as_deref());
                let makes = returns.is_some_and(|r| self.is_pool(super::values::inner_type(r)));
                let pool = makes.then(|| first_object(&self.values.eval(*body, *call))).flatten();
                let new = |o: &Rc<Object>| o.built_at.is_some() && found.iter().all(|f| f.built_at != o.built_at);
                found.extend(pool.filter(new));
            }
        }
        found
    }

    fn pool_remark(&self, by: FnId, at: Span, room: u64, default: bool, limit: u64) -> Remark {
        let whose = if default { " (the library's default)" } else { "" };
        Remark {
            is: RemarkKind::PoolTooSmall,
            at,
            message: format!(
                "this pool has room for {room} connections{whose}, and its server lets {limit} requests in at once: the others wait"
            ),
            context: self.values.program.def(by).path.clone(),
            help: "give the pool as many connections as requests use at once, or let fewer in".to_owned(),
        }
    }

    /// The connections that a pool holds, and whether nobody wrote the number.
    fn room(&self, pool: &Object) -> Option<(u64, bool)> {
        match pool.fields.get("max_open") {
            Some(field) => match self.values.as_count(&field.value).0 {
                Value::Number(n) => Some((n, false)),
                _ => None,
            },
            None => match self.values.models.type_model(&pool.what)?.fields.get("max_open")?.default {
                Some(Scalar::Int(n)) => Some((n, true)),
                _ => None,
            },
        }
    }

    /// How many requests the servers of a crate let in at once, where a layer says so.
    fn limits(&self) -> FxHashMap<CrateId, Vec<u64>> {
        let mut found: FxHashMap<CrateId, Vec<u64>> = FxHashMap::default();
        for (body, types) in self.values.bodies {
            let BodyId::Fn(id) = *body else { continue };
            if !self.counts(id) {
                continue;
            }
            for (call, target) in types.targets.iter() {
                let Target::Foreign(path) = target else { continue };
                found.entry(self.values.program.def(id).krate).or_default().extend(self.limit(*body, *call, path));
            }
        }
        found.values_mut().for_each(|all| {
            all.sort_unstable();
            all.dedup();
        });
        found
    }

    /// A layer put around a server, with the number of requests that it lets in.
    fn limit(&self, body: BodyId, call: ExprId, path: &str) -> Option<u64> {
        let (owner, _) = split_last(path)?;
        let server = self.values.models.type_model(&self.values.models.canonical(owner))?.role == Role::Server;
        let pushed = self.values.model_of(path)?.sets.values().find_map(|s| match s {
            SetTo::Push(n) => Some(*n),
            _ => None,
        })?;
        let ExprKind::Method { args, .. } = &self.values.program.tree_of(body).expr(call).kind else { return None };
        let layer = first_object(&self.values.eval(body, *args.get(usize::from(pushed)).filter(|_| server)?))?;
        self.values.as_count(&layer.fields.get("concurrency")?.value).0.number()
    }
}

fn called(effect: &Effect, onto: &mut Vec<PlaceId>) {
    crate::effect::walk(effect, &mut |e| {
        let Effect::Call(call) = e else { return };
        match &call.callee {
            Callee::Place(place) => onto.push(*place),
            Callee::AnyOf(_, places) => onto.extend(places),
            Callee::Param(_) | Callee::Unknown(_) => {}
        }
        onto.extend(call.args.iter().filter_map(|a| match a {
            Arg::Place(place) => Some(*place),
            _ => None,
        }));
    });
}

fn within(outer: Span, inner: Span) -> bool {
    outer.file == inner.file && outer.start <= inner.start && inner.end <= outer.end
}

/// Whether a span stands in a closure that does not hold the other.
fn in_closure(tree: &RustFile, at: Span, call: Option<Span>) -> bool {
    let holds = |outer: At, s: Span| outer.start <= s.start && s.end <= outer.end;
    tree.exprs
        .iter()
        .any(|e| matches!(e.kind, ExprKind::Closure { .. }) && holds(e.at, at) && !call.is_some_and(|c| holds(e.at, c)))
}
