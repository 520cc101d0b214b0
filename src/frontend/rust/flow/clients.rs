//! Clients that reach a call in a way that is not followed (a framework's state, a generic, a map): what is built in the
//! tree stands in for them if that is not in doubt.

use std::rc::Rc;

use super::World;
use super::remote::first_object;
use crate::frontend::rust::program::Target;
use crate::frontend::rust::val::{Object, Val};
use crate::frontend::rust::values::inner_type;
use crate::model::Role;
use crate::name::split_last;

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

fn is_set(object: &Object, field: &str) -> bool {
    object.fields.get(field).is_some_and(|f| f.value != Val::Nothing)
}
