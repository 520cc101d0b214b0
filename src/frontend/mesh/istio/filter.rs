//! EnvoyFilters that lay a retry policy over routes which Istio made.

use crate::effect::{Deadline, DeadlineKind, Form};
use crate::fact::Facts;
use crate::frontend::envoy::patch::{self, Patch};
use crate::frontend::field::At;
use crate::frontend::mesh::conditions;
use crate::frontend::mesh::object::Object;
use crate::frontend::mesh::plan::{Does, Layer, Pass, Table};
use crate::frontend::mesh::said::Said;
use crate::frontend::mesh::time::limit;
use crate::name::Name;
use crate::value::Value;

/// Its filters hold for every namespace.
const ROOT: &str = "istio-system";

/// One patch of a route.
struct Filter {
    /// Of gateways alone, of sidecars alone, or of both.
    form: Option<Form>,
    /// The virtual host that it asks for, without its port.
    host: Option<Name>,
    namespace: Option<Name>,
    patch: Patch,
}

/// What picks workloads holds for some callers and not for others, and is left out.
pub fn apply(objects: &[Object<'_>], tables: &mut [Table], facts: &mut Facts) {
    for object in objects.iter().filter(|o| o.is(super::GROUP, "EnvoyFilter")) {
        let picks = object.spec.is_some_and(|s| s.has("workload_selector") || s.has("target_refs"));
        for filter in object.list("config_patches").filter_map(|at| filter(*object, at)) {
            let mut said = Said { facts, object: object.shown(), system: "Envoy" };
            for (word, at) in &filter.patch.unknown {
                let message = format!("Envoy does not know `{word}` in a retry policy");
                said.dead(*at, "retry_policy", message, "name a condition and a field that Envoy knows");
            }
            if !picks {
                tables.iter_mut().filter(|t| filter.holds(t)).for_each(|t| filter.lay_over(t));
            }
        }
    }
}

/// A patch that is merged into routes, if it brings a policy.
fn filter(object: Object<'_>, at: At<'_>) -> Option<Filter> {
    let to_routes = at.str_of("apply_to") == Some("HTTP_ROUTE");
    let merges = at.at(&["patch", "operation"]).and_then(At::str) == Some("MERGE");
    let asked = at.field("match");
    let form = match asked.and_then(|m| m.str_of("context")).unwrap_or("ANY") {
        "SIDECAR_OUTBOUND" => Some(Form::Mesh),
        "GATEWAY" => Some(Form::Proxy),
        "ANY" => None,
        _ => return None,
    };
    let host = asked.and_then(|m| m.at(&["route_configuration", "vhost", "name"])).and_then(At::str);
    let host = host.map(|h| Name::new(h.rsplit_once(':').map_or(h, |(host, _)| host)));
    // A route by its name is one of several, and which one is not followed.
    let one = asked.and_then(|m| m.at(&["route_configuration", "vhost", "route", "name"])).is_some();
    let patch = patch::patch(at.at(&["patch", "value", "route"])?)?;
    let namespace = object.namespace.filter(|n| *n != ROOT).map(Name::new);
    (to_routes && merges && !one).then_some(Filter { form, host, namespace, patch })
}

impl Filter {
    fn holds(&self, table: &Table) -> bool {
        let host = self.host.as_ref().is_none_or(|h| table.names.contains(h));
        let form = self.form.is_none_or(|f| f == table.form);
        let near = match (&self.namespace, &table.namespace) {
            (Some(own), Some(other)) => own == other,
            _ => true,
        };
        host && form && near
    }

    fn lay_over(&self, table: &mut Table) {
        for route in &mut table.routes {
            if let Does::Pass(pass) = &mut route.does {
                self.change(pass);
            }
        }
    }

    /// What the patch says counts, and of the policy below what it does not say.
    fn change(&self, pass: &mut Pass) {
        let patch = &self.patch;
        let below = pass.layer.take();
        if below.is_none() && (patch.attempts.is_none() || patch.again.is_none()) {
            return;
        }
        let mut layer = below.unwrap_or_else(|| Layer { seen: conditions::seen(None), ..Layer::new(patch.at) });
        layer.at = patch.at;
        layer.default_of = None;
        if let Some(attempts) = &patch.attempts {
            layer.attempts = attempts.clone();
        }
        layer.again = patch.again.unwrap_or(layer.again);
        if let Some(wait) = &patch.wait {
            layer.wait = wait.clone();
        }
        if let Some((ms, at)) = limit(patch.per_try.as_ref()) {
            pass.per_try.retain(|d| d.kind != DeadlineKind::Total);
            pass.per_try.push(Deadline::new(DeadlineKind::Total, Value::Number(ms), at));
            layer.per_try_ms = Some(ms);
        }
        pass.layer = Some(layer);
    }
}
