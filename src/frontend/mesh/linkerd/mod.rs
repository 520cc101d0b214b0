//! Linkerd: annotations of services and routes, and service profiles.

mod annotated;
mod profile;
pub mod rules;

pub use annotated::Annotated;
pub use profile::{is_profile, tables};
pub use rules::rules;

use super::object::{self, Object};
use super::plan::{Does, Pass, Route, Table, To};
use crate::effect::{Deadline, DeadlineKind, Form};
use crate::fact::{Callers, Mesh};
use crate::name::Name;
use crate::source::Span;
use crate::value::Value;

/// What a service says of all requests to it, where no route and no profile says more.
pub fn table(object: Object<'_>, annotated: &Annotated) -> Table {
    let host = object.resolve(object.name);
    let layer = annotated.layer(false);
    let own = annotated.limits(layer.is_some());
    let at = object.at();
    let mut pass = Pass { to: vec![to(&host, object.name, at)], layer, total: own.total, ..Pass::default() };
    pass.per_try = [connect(at)].into_iter().chain(own.per_try).collect();
    let route = Route { at, matches: Vec::new(), does: Does::Pass(Box::new(pass)), way_in: true };
    shell(object, &host, vec![route])
}

fn shell(object: Object<'_>, host: &Name, routes: Vec<Route>) -> Table {
    Table {
        file: object.root.file(),
        object: Name::from(object.shown()),
        namespace: object.namespace.map(Name::new),
        service: Name::new(object::shown(host)),
        names: object::names(host),
        callers: Callers::MayHave(Some(Mesh::Linkerd)),
        form: Form::Mesh,
        answers: rules().answers(),
        routes,
    }
}

fn to(host: &Name, named: &str, at: Span) -> To {
    To { named: Name::new(named), address: Some(object::address(host)), at, inbound: None }
}

fn connect(at: Span) -> Deadline {
    Deadline::default_of(DeadlineKind::Connect, Value::Number(rules().connect_ms()), at)
}
