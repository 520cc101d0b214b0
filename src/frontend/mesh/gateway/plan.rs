//! What the implementation that reads a route does with a request.

use super::config::{Backend, HttpRoute, Match, Retry, Rewrite, Rule, TrafficPolicy};
use super::rules::rules;
use super::{Parents, Reader};
use crate::class::{Endings, FailureClass};
use crate::effect::{Deadline, DeadlineKind, Form, Passes};
use crate::fact::{Callers, Mesh, PathRule};
use crate::frontend::envoy::rules::rules as envoy;
use crate::frontend::mesh::conditions;
use crate::frontend::mesh::istio::plan::Istio;
use crate::frontend::mesh::istio::rules::rules as istio_rules;
use crate::frontend::mesh::linkerd;
use crate::frontend::mesh::object::{self, Object};
use crate::frontend::mesh::plan::{self, Does, Layer, Pass, Table, To};
use crate::frontend::mesh::time::limit;
use crate::frontend::mesh::time::millis;
use crate::name::Name;
use crate::source::Span;
use crate::value::Value;

/// All that has a say in a route.
pub struct Planner<'p> {
    pub object: Object<'p>,
    pub route: &'p HttpRoute,
    pub parents: &'p Parents,
    pub istio: &'p Istio,
    /// Envoy Gateway's policy that is nearest to the route.
    pub policy: Option<&'p TrafficPolicy>,
    /// Annotations of the route, or of the services that it goes to.
    pub linkerd: Option<&'p linkerd::Annotated>,
}

impl Planner<'_> {
    pub fn table(&self) -> Table {
        let service = match self.parents.names.first() {
            Some(name) if !name.contains('*') => Name::new(object::shown(name)),
            _ => self.parents.service.clone().unwrap_or_else(|| Name::new(self.object.name)),
        };
        let (callers, form) = match (self.parents.of_services, self.parents.reader) {
            (false, _) => (Callers::Everybody, Form::Proxy),
            (true, Reader::Istio) => (Callers::MayHave(Some(Mesh::Istio)), Form::Mesh),
            (true, Reader::Linkerd) => (Callers::MayHave(Some(Mesh::Linkerd)), Form::Mesh),
            (true, _) => (Callers::MayHave(None), Form::Mesh),
        };
        Table {
            file: self.object.root.file(),
            object: Name::from(self.object.shown()),
            namespace: self.object.namespace.map(Name::new),
            service,
            names: self.parents.names.clone(),
            callers,
            form,
            answers: match self.parents.reader {
                Reader::Linkerd => linkerd::rules().answers(),
                Reader::EnvoyGateway => envoy().answers(),
                Reader::Istio | Reader::Unknown => istio_rules().answers(),
            },
            routes: self.route.rules.iter().map(|rule| self.rule(rule)).collect(),
        }
    }

    fn rule(&self, rule: &Rule) -> plan::Route {
        let does = match () {
            () if rule.redirects => Does::Answer(None),
            () if rule.backends.is_empty() => Does::Answer(FailureClass::of_status(500)),
            () => Does::Pass(Box::new(self.pass(rule))),
        };
        plan::Route { at: rule.at, matches: rule.matches.iter().map(matching).collect(), does, way_in: true }
    }

    fn pass(&self, rule: &Rule) -> Pass {
        let mut pass = Pass {
            to: rule.backends.iter().filter_map(|b| self.to(b)).collect(),
            mirrors: rule.mirrors.iter().filter_map(|b| self.to(b)).collect(),
            grpc: self.route.grpc,
            passes: Some(passes(rule)),
            layer: self.layer(rule),
            ..Pass::default()
        };
        self.limits(rule, &mut pass);
        pass
    }

    fn to(&self, backend: &Backend) -> Option<To> {
        let name = backend.name.is()?;
        let namespace = backend.namespace.as_deref().or(self.object.namespace);
        let host = match namespace.filter(|_| backend.service) {
            Some(namespace) => object::service(name, namespace),
            None => name.to_ascii_lowercase(),
        };
        let address = match backend.port {
            Some(port) => Name::from(format!("{host}:{port}")),
            None => Name::new(&host),
        };
        let address = backend.service.then_some(address);
        Some(To { named: name.clone(), address, at: backend.name.at, inbound: self.istio.inbound(&host) })
    }

    /// What repeats a request: what the route says, else what its implementation does by itself.
    fn layer(&self, rule: &Rule) -> Option<Layer> {
        match (self.parents.reader, &rule.retry) {
            (Reader::Linkerd, _) => self.linkerd.and_then(|l| l.layer(self.route.grpc)),
            (Reader::EnvoyGateway, None) => self.policy_layer(),
            (Reader::Istio, None) => self.istio.default_layer(rule.at),
            (_, Some(retry)) => self.written(retry),
            (Reader::Unknown, None) => None,
        }
    }

    fn written(&self, retry: &Retry) -> Option<Layer> {
        let implied = || match self.parents.reader {
            Reader::Istio => Some((istio_rules().retries.value, &istio_rules().retries.source)),
            Reader::EnvoyGateway => Some((rules().envoy_gateway.retries.value, &rules().envoy_gateway.retries.source)),
            Reader::Linkerd | Reader::Unknown => None,
        };
        let attempts = conditions::attempts(retry.attempts.as_ref(), "attempts", retry.at, implied())?;
        let codes = retry.codes.as_ref().and_then(|c| c.is());
        let permanent = codes.is_some_and(|c| conditions::of([], c, false).permanent);
        Some(Layer {
            attempts,
            again: self.again(codes.map(Vec::as_slice)),
            wait: conditions::backoff(retry.backoff.as_ref(), None, retry.at),
            seen: conditions::seen(retry.codes.as_ref().filter(|_| permanent).map(|c| c.at)),
            ..Layer::new(retry.at)
        })
    }

    /// Codes, and what the implementation repeats besides.
    fn again(&self, codes: Option<&[u16]>) -> Endings {
        let own = conditions::of([], codes.unwrap_or_default(), self.route.grpc).again;
        match self.parents.reader {
            Reader::EnvoyGateway => rules().envoy_gateway.again(None, codes, self.route.grpc),
            Reader::Istio => own | istio_rules().retry_on(Some("1.24"), self.route.grpc).0,
            Reader::Linkerd | Reader::Unknown => own | rules().connection_errors(),
        }
    }

    fn policy_layer(&self) -> Option<Layer> {
        let policy = self.policy?;
        let retry = policy.retry.as_ref()?;
        let eg = &rules().envoy_gateway;
        let implied = Some((eg.retries.value, &eg.retries.source));
        let attempts = conditions::attempts(retry.num_retries.as_ref(), "numRetries", retry.at, implied)?;
        let triggers = retry.triggers.as_ref().and_then(|t| t.is());
        let codes = retry.codes.as_ref().and_then(|c| c.is()).map(Vec::as_slice);
        // A `retryOn` takes the default list of codes away.
        let codes = if retry.listed { Some(codes.unwrap_or_default()) } else { None };
        let per_try = limit(retry.timeout.as_ref());
        Some(Layer {
            attempts,
            again: eg.again(triggers.map(Vec::as_slice), codes, self.route.grpc),
            wait: conditions::backoff(retry.base_interval.as_ref(), retry.max_interval.as_ref(), retry.at),
            seen: conditions::seen(None),
            budget: policy.brake.as_ref().map(super::budget),
            per_try_ms: per_try.map(|(ms, _)| ms),
            ..Layer::new(retry.at)
        })
    }

    fn limits(&self, rule: &Rule, pass: &mut Pass) {
        let total = |(ms, at): (u64, Span)| Deadline::new(DeadlineKind::Total, Value::Number(ms), at);
        let request = limit(rule.request.as_ref());
        let each = limit(rule.backend_request.as_ref());
        let connect = |ms: u64| Deadline::default_of(DeadlineKind::Connect, Value::Number(ms), rule.at);
        match self.parents.reader {
            Reader::Linkerd => {
                pass.per_try.extend(each.map(total));
                let own = self.linkerd.map(|l| l.limits(pass.layer.is_some())).unwrap_or_default();
                pass.per_try.extend(own.per_try);
                pass.total = if own.total.is_empty() { request.map(total).into_iter().collect() } else { own.total };
            }
            Reader::Istio | Reader::EnvoyGateway if rule.retry.is_none() => {
                pass.total.extend(each.or(request).map(total));
            }
            _ => {
                let fits = |(ms, _): &(u64, Span)| request.is_none_or(|(all, _)| *ms < all);
                let tries = each.filter(|e| fits(e) || self.parents.reader == Reader::Unknown);
                pass.per_try.extend(tries.map(total));
                pass.total.extend(request.map(total));
                if let Some(layer) = &mut pass.layer {
                    layer.per_try_ms = tries.map(|(ms, _)| ms);
                }
            }
        }
        match self.parents.reader {
            Reader::EnvoyGateway => self.envoy_gateway_limits(rule, pass),
            Reader::Istio => pass.per_try.insert(0, connect(millis(istio_rules().connect_timeout()))),
            Reader::Linkerd | Reader::Unknown => {}
        }
    }

    fn envoy_gateway_limits(&self, rule: &Rule, pass: &mut Pass) {
        let eg = &rules().envoy_gateway;
        let policy = self.policy;
        let set = policy.and_then(|p| limit(p.connect_timeout.as_ref()));
        let connect = match set {
            Some((ms, at)) => Deadline::new(DeadlineKind::Connect, Value::Number(ms), at),
            None => Deadline::default_of(DeadlineKind::Connect, Value::Number(eg.connect_ms()), rule.at),
        };
        pass.per_try.insert(0, connect);
        let per_try = policy.and_then(|p| limit(p.retry.as_ref()?.timeout.as_ref()));
        let off = [&rule.request, &rule.backend_request].iter().any(|s| s.is_some());
        if pass.total.is_empty() && !off {
            pass.total.extend(self.request_limit(rule));
        }
        if let Some(tries) = per_try.filter(|_| rule.retry.is_none()) {
            pass.limit_tries(tries);
        }
    }

    fn request_limit(&self, rule: &Rule) -> Option<Deadline> {
        let set = self.policy.and_then(|p| p.request_timeout.as_ref());
        Some(match set {
            Some(set) => {
                let (ms, at) = limit(Some(set))?;
                Deadline::new(DeadlineKind::Total, Value::Number(ms), at)
            }
            None => {
                let ms = rules().envoy_gateway.request_ms();
                Deadline::default_of(DeadlineKind::Total, Value::Number(ms), rule.at)
            }
        })
    }
}

fn matching(found: &Match) -> plan::Match {
    plan::Match {
        path: found.path.clone(),
        whole_segments: true,
        methods: found.methods.clone(),
        perhaps: found.perhaps,
    }
}

fn passes(rule: &Rule) -> Passes {
    match (&rule.rewrite, rule.matches.as_slice()) {
        (Rewrite::None, _) => Passes::Same,
        (Rewrite::Whole(path), _) => Passes::Fixed(path.clone()),
        (Rewrite::Prefix(to), [one]) => match &one.path {
            PathRule::Prefix(from) => Passes::Prefix { from: from.clone(), to: to.clone() },
            _ => Passes::Unknown,
        },
        (Rewrite::Prefix(_), _) => Passes::Unknown,
    }
}
