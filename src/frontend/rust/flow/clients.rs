//! Clients that reach a call in a way that is not followed (a framework's state, a generic, a map): what is built in the
//! tree stands in for them if that is not in doubt.

use std::rc::Rc;

use super::remote::first_object;
use super::{Flow, Used, World};
use crate::effect::Confidence;
use crate::frontend::rust::program::{Target, Ty};
use crate::frontend::rust::tree::{ExprId, ExprKind};
use crate::frontend::rust::val::{Object, Val};
use crate::frontend::rust::values::inner_type;
use crate::model::Role;
use crate::name::{Name, split_last};

/// What the tree says about the clients of one family (`reqwest`, `reqwest::blocking`).
pub(super) enum Built {
    /// Nobody builds one here: it comes from outside.
    Nowhere,
    /// Every one that is built here is like this one, as far as deadlines go.
    Like(Rc<Object>),
    /// They differ.
    Differently,
}

impl World<'_> {
    /// Clients built in the tree whose type stands beside `owner` (the type of a client or request).
    pub(super) fn built(&self, owner: &str) -> Built {
        let family = split_last(owner).map_or("", |(family, _)| family);
        let all = self.clients.get_or_init(|| self.find_clients());
        let here: Vec<&Rc<Object>> =
            all.iter().filter(|o| split_last(&o.what).is_some_and(|(f, _)| f == family)).collect();
        let ends = |o: &Rc<Object>| ["timeout", "read_timeout", "attempt_timeout"].iter().any(|f| is_set(o, f));
        match here.split_first() {
            None => Built::Nowhere,
            Some((only, [])) => Built::Like(Rc::clone(only)),
            // Of several with a deadline each the call ends whichever it is; their numbers are not told apart.
            Some((first, rest)) if ends(first) && rest.iter().all(|o| ends(o)) => Built::Like(Rc::clone(first)),
            Some(_) => Built::Differently,
        }
    }

    fn find_clients(&self) -> Vec<Rc<Object>> {
        let mut found: Vec<Rc<Object>> = Vec::new();
        let mut bodies: Vec<_> = self.bodies.iter().collect();
        bodies.sort_by_key(|(id, _)| **id);
        for (body, types) in bodies {
            let mut calls: Vec<_> = types.targets.iter().collect();
            calls.sort_by_key(|(e, _)| **e);
            for (e, target) in calls {
                let Target::Foreign(path) = target else { continue };
                if !self.makes_client(path) {
                    continue;
                }
                let Some(object) = first_object(&self.values.eval(*body, *e)) else { continue };
                let known = found.iter().any(|o| o.built_at == object.built_at);
                if object.built_at.is_some() && !known && self.is_client(&object.what) {
                    found.push(object);
                }
            }
        }
        found
    }

    /// A call that begins or finishes a client, by the type that its model says it returns.
    fn makes_client(&self, path: &str) -> bool {
        let Some(model) = self.models.function(path).filter(|f| f.does.is_none()) else { return false };
        match model.returns.as_deref() {
            Some("Self") => split_last(path).is_some_and(|(owner, _)| self.is_client(owner)),
            Some(text) => self.is_client(inner_type(text)),
            None => false,
        }
    }

    fn is_client(&self, what: &str) -> bool {
        self.models.type_model(&self.models.canonical(what)).is_some_and(|m| m.role == Role::Client)
    }
}

impl Flow<'_> {
    /// How the code names a client: `AppState.db`, a local's or a static's name.
    pub(super) fn client_name(&self, e: ExprId) -> Option<Name> {
        let mut open = e;
        loop {
            match &self.tree.expr(open).kind {
                ExprKind::Field { base, name } => {
                    let owner = match self.types.types.get(base) {
                        Some(Ty::Adt(id, _)) => self.world.program.adt(*id).name.clone(),
                        _ => return Some(name.clone()),
                    };
                    return Some(Name::from(format!("{owner}.{name}")));
                }
                ExprKind::Ref(inner) | ExprKind::Unary(_, inner) | ExprKind::Await(inner) | ExprKind::Try(inner) => {
                    open = *inner
                }
                ExprKind::Method { receiver, .. } => open = *receiver,
                ExprKind::Path(path) => return path.last().map(|s| s.name.clone()),
                _ => return None,
            }
        }
    }

    /// Whether an expression begins with the function's receiver.
    fn of_self(&self, e: ExprId) -> bool {
        let mut open = e;
        loop {
            match &self.tree.expr(open).kind {
                ExprKind::Field { base: inner, .. }
                | ExprKind::Ref(inner)
                | ExprKind::Unary(_, inner)
                | ExprKind::Await(inner)
                | ExprKind::Try(inner)
                | ExprKind::Method { receiver: inner, .. } => open = *inner,
                ExprKind::Path(path) => return path.single().is_some_and(|name| name == "self"),
                _ => return false,
            }
        }
    }

    /// Notes through what a call goes, for what is said of clients and pools.
    pub(super) fn note_used(&mut self, e: ExprId, holder: ExprId, client: Option<&Rc<Object>>, followed: Confidence) {
        self.notes.used.push(Used {
            client: client.cloned(),
            held: self.foreign_type(holder).map(|held| self.world.models.canonical(&held)),
            by: self.body,
            call: self.at(e),
            followed,
            kept: self.of_self(holder),
        });
    }
}

fn is_set(object: &Object, field: &str) -> bool {
    object.fields.get(field).is_some_and(|f| f.value != Val::Nothing)
}
