//! What Istio's proxies do with a request: routes that somebody wrote, and the policy that stands where nobody did.

use super::config::{Action, Destination, Match, MeshConfig, Retries, Route, Traffic, VirtualService};
use super::rules::{conditions_of, rules};
use crate::class::FailureClass;
use crate::effect::{Budget, Deadline, DeadlineKind, Form, Passes, Share, Wait};
use crate::fact::{Callers, Mesh, PathRule};
use crate::frontend::field::{Given, Set};
use crate::frontend::mesh::conditions;
use crate::frontend::mesh::object::{self, Object};
use crate::frontend::mesh::plan::{self, Does, Inbound, Layer, Pass, Table, To};
use crate::frontend::mesh::time::{limit, millis};
use crate::name::Name;
use crate::source::{FileId, Span};
use crate::value::{Attempts, Origin, OriginKind, Value};

/// One installation, as far as the tree and the settings show it.
#[derive(Default)]
pub struct Istio {
    pub version: Option<Name>,
    pub mesh: MeshConfig,
    pub traffic: Vec<Traffic>,
    /// Names of hosts beside which a proxy surely stands, and where they are described.
    pub receivers: Vec<(Name, Span)>,
}

fn default_origin(at: Span, setting: &str, source: &Name) -> Origin {
    let source = Name::from(format!("{} {setting} ({source})", rules().proxy));
    Origin { kind: OriginKind::LibraryDefault, at: Some(at), source: Some(source) }
}

impl Istio {
    pub fn table(&self, object: Object<'_>, service: &VirtualService) -> Table {
        let hosts: Vec<Name> = service.hosts.iter().map(|h| object.resolve(h)).collect();
        let in_mesh = service.gateways.is_empty() || service.gateways.iter().any(|g| *g == "mesh");
        let first = service.hosts.first().filter(|h| **h != *"*");
        Table {
            file: object.root.file(),
            object: Name::from(object.shown()),
            namespace: object.namespace.map(Name::new),
            service: Name::new(first.map_or(object.name, |h| object::shown(h))),
            names: hosts.iter().flat_map(|h| object::names(h)).collect(),
            callers: if in_mesh { Callers::MayHave(Some(Mesh::Istio)) } else { Callers::Everybody },
            form: if in_mesh { Form::Mesh } else { Form::Proxy },
            answers: rules().answers(),
            routes: service.http.iter().map(|route| self.route(object, route)).collect(),
        }
    }

    /// What the proxy beside a caller does with requests for a service about which nobody wrote anything.
    pub fn default_table(&self, file: FileId, at: Span, host: &Name) -> Option<Table> {
        let to =
            To { named: Name::new(object::shown(host)), address: Some(host.clone()), at, inbound: self.inbound(host) };
        let layer = self.default_layer(at);
        if layer.is_none() && to.inbound.is_none() {
            return None;
        }
        let shown = to.named.clone();
        let pass = Pass { per_try: vec![self.connect(host, None, at)], to: vec![to], layer, ..Pass::default() };
        Some(Table {
            file,
            object: Name::from(format!("Istio's default towards {shown}")),
            namespace: None,
            service: shown,
            names: object::names(host),
            callers: Callers::Has(Mesh::Istio),
            form: Form::Mesh,
            answers: rules().answers(),
            routes: vec![plan::Route { at, matches: Vec::new(), does: Does::Pass(Box::new(pass)), way_in: false }],
        })
    }

    fn route(&self, object: Object<'_>, route: &Route) -> plan::Route {
        let does = match &route.action {
            Action::Destinations(all) if all.is_empty() => Does::Unknown,
            Action::Destinations(all) => Does::Pass(Box::new(self.pass(object, route, all))),
            Action::Answer(status) => Does::Answer(status.and_then(FailureClass::of_status)),
            Action::Delegate => Does::Unknown,
        };
        plan::Route { at: route.at, matches: route.matches.iter().map(matching).collect(), does, way_in: true }
    }

    fn pass(&self, object: Object<'_>, route: &Route, all: &[Destination]) -> Pass {
        let host = |d: &Destination| d.host.is().map(|h| object.resolve(h));
        let subset = all.first().and_then(|d| d.subset.as_ref());
        let first = all.first().and_then(host).unwrap_or_else(|| Name::new(""));
        let total = limit(route.timeout.as_ref());
        let mut layer = self.layer(route);
        let per_try = effective_per_try(route).filter(|_| layer.is_some());
        if let Some(layer) = &mut layer {
            layer.budget = self.budget(&first, subset);
            layer.per_try_ms = per_try.map(|(ms, _)| ms);
            let written = route.retries.as_ref().and_then(|r| limit(r.per_try_timeout.as_ref()));
            layer.seen.dead_per_try = per_try.is_none() && written.is_some();
        }
        let tries = per_try.map(|(ms, at)| Deadline::new(DeadlineKind::Total, Value::Number(ms), at));
        Pass {
            to: all.iter().filter_map(|d| self.to(object, d)).collect(),
            mirrors: route.mirrors.iter().filter_map(|d| self.to(object, d)).collect(),
            grpc: false,
            passes: Some(passes(route)),
            per_try: [self.connect(&first, subset, route.at)].into_iter().chain(tries).collect(),
            layer,
            total: total
                .map(|(ms, at)| Deadline::new(DeadlineKind::Total, Value::Number(ms), at))
                .into_iter()
                .collect(),
        }
    }

    fn to(&self, object: Object<'_>, destination: &Destination) -> Option<To> {
        let written = destination.host.is()?;
        let host = object.resolve(written);
        let address = Some(match destination.port {
            Some(port) => Name::from(format!("{host}:{port}")),
            None => object::address(&host),
        });
        let named = Name::new(object::shown(written));
        Some(To { named, address, at: destination.host.at, inbound: self.inbound(&host) })
    }

    /// The policy of a route: its own, else the mesh's, else the one that stands in no text.
    fn layer(&self, route: &Route) -> Option<Layer> {
        match &route.retries {
            Some(retries) => self.written(retries, route.at),
            None => self.default_layer(route.at),
        }
    }

    pub fn default_layer(&self, at: Span) -> Option<Layer> {
        if let Some(retries) = &self.mesh.outbound {
            return self.written(retries, retries.at);
        }
        let (again, source) = rules().retry_on(self.version.as_deref(), false);
        Some(Layer { again, ..nobodys(at, "retries", source) })
    }

    /// `None` where the policy switches retries off: with 0 attempts, and with none written.
    fn written(&self, retries: &Retries, at: Span) -> Option<Layer> {
        let set = retries.attempts.as_ref()?;
        let origin = Origin { kind: OriginKind::Config, at: Some(set.at), source: None };
        let count = match &set.value {
            Given::Is(0) => return None,
            Given::Is(n) => Value::Number(Attempts::from_retries(*n).total()),
            Given::Later(text) => Value::unknown(&format!("`attempts` is filled in later: {text}")),
            Given::Wrong(_) => return None,
        };
        let listed = retries.retry_on.as_ref().and_then(|r| Some((r.is()?, r.at)));
        let found =
            listed.filter(|(text, _)| !text.trim().is_empty()).map(|(text, at)| (conditions_of(text, false), at));
        let permanent = found.as_ref().filter(|(f, _)| f.permanent).map(|(_, at)| *at);
        let again = match &found {
            Some((found, _)) => found.again,
            None => rules().retry_on(self.version.as_deref(), false).0,
        };
        Some(Layer {
            attempts: (count, origin),
            again,
            wait: wait(retries.backoff.as_ref(), at),
            seen: conditions::seen(permanent),
            ..Layer::new(retries.at)
        })
    }

    /// The rule for a part of a host, else the one for all of it.
    fn rule<T>(&self, host: &str, subset: Option<&Name>, of: impl Fn(&Traffic) -> Option<T>) -> Option<T> {
        let find = |part: Option<&Name>| {
            let mine = self.traffic.iter().filter(|t| *t.host == *host && t.subset.as_ref() == part);
            mine.filter_map(&of).next()
        };
        subset.and_then(|_| find(subset)).or_else(|| find(None))
    }

    /// What limits the retries to a host over all requests.
    pub fn budget(&self, host: &str, subset: Option<&Name>) -> Option<Budget> {
        let ratio = |t: &Traffic| {
            let (at, percent) = t.budget?;
            let percent = percent.unwrap_or(crate::frontend::envoy::rules::rules().defaults.budget_percent.value);
            Some(Budget { share: Share::Ratio(percent / 100.0), at: Some(at) })
        };
        let cap = |t: &Traffic| {
            let set = t.max_retries.as_ref()?;
            let most = *set.is().filter(|n| **n > 0)?;
            Some(Budget { share: Share::Concurrent(most), at: Some(set.at) })
        };
        self.rule(host, subset, ratio).or_else(|| self.rule(host, subset, cap))
    }

    fn connect(&self, host: &str, subset: Option<&Name>, at: Span) -> Deadline {
        match self.rule(host, subset, |t| limit(t.connect_timeout.as_ref())) {
            Some((ms, at)) => Deadline::new(DeadlineKind::Connect, Value::Number(ms), at),
            None => Deadline::default_of(DeadlineKind::Connect, Value::Number(millis(rules().connect_timeout())), at),
        }
    }

    /// The policy of the proxy beside the receiver.
    pub fn inbound(&self, host: &str) -> Option<Inbound> {
        let (_, at) = self.receivers.iter().find(|(name, _)| **name == *host)?;
        let layer = match &self.mesh.inbound {
            Some(retries) => self.written(retries, retries.at)?,
            None => {
                let (again, source) = rules().inbound(self.version.as_deref())?;
                Layer { again, ..nobodys(*at, "inbound retries", source) }
            }
        };
        Some(Inbound { layer, answers: rules().answers() })
    }
}

/// A policy that stands in no text.
fn nobodys(at: Span, setting: &str, source: &Name) -> Layer {
    let total = Attempts::from_retries(rules().retries.value).total();
    Layer {
        attempts: (Value::Number(total), default_origin(at, setting, &rules().retries.source)),
        wait: wait(None, at),
        default_of: Some(Name::from(format!("{} ({source})", rules().proxy))),
        seen: conditions::seen(None),
        ..Layer::new(at)
    }
}

fn wait(backoff: Option<&Set<std::time::Duration>>, at: Span) -> Wait {
    let written = backoff.and_then(|b| Some((millis(*b.is()?), b.at)));
    let source = &crate::frontend::envoy::rules::rules().defaults.base_interval.source;
    conditions::wait(written, None, default_origin(at, "backoff", source))
}

/// The limit for one try, where it takes effect: one that is not below the limit for all is ignored.
fn effective_per_try(route: &Route) -> Option<(u64, Span)> {
    let per_try = limit(route.retries.as_ref()?.per_try_timeout.as_ref())?;
    limit(route.timeout.as_ref()).is_none_or(|(total, _)| per_try.0 < total).then_some(per_try)
}

fn matching(found: &Match) -> plan::Match {
    plan::Match {
        path: found.path.clone(),
        whole_segments: false,
        methods: found.methods.clone(),
        perhaps: found.perhaps,
    }
}

/// What becomes of the path: of several matches with one rewrite it is not known.
fn passes(route: &Route) -> Passes {
    let Some(rewrite) = &route.rewrite else { return Passes::Same };
    match (rewrite.is(), route.matches.as_slice()) {
        (Some(to), [one]) => match &one.path {
            PathRule::Prefix(from) => Passes::Prefix { from: from.clone(), to: to.clone() },
            PathRule::Exact(_) | PathRule::Any => Passes::Fixed(to.clone()),
            PathRule::Pattern(_) => Passes::Unknown,
        },
        (Some(to), []) => Passes::Fixed(to.clone()),
        _ => Passes::Unknown,
    }
}
