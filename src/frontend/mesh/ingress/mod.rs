//! Ingresses of Kubernetes that the controller on nginx answers for: hosts and paths to services, with its retries.

pub mod rules;
mod settings;

use super::object::{self, Object};
use super::plan::{Does, Match, Pass, Route, Table, To};
use super::said::Said;
use crate::effect::{Confidence, Form, Passes};
use crate::fact::{Callers, Facts, PathRule};
use crate::frontend::field::At;
use crate::frontend::nginx::rules::rules as nginx;
use crate::name::Name;
use rules::rules;
use settings::Settings;

const GROUP: &str = "networking.k8s.io";
/// Keys by which the ConfigMap of the controller is known.
const SHARED: [&str; 3] = ["proxy-next-upstream", "proxy-next-upstream-tries", "retry-non-idempotent"];

pub fn tables(objects: &[Object<'_>], facts: &mut Facts) -> Vec<Table> {
    let shared = shared(objects);
    let mut found = Vec::new();
    for object in objects.iter().filter(|o| o.is(GROUP, "Ingress")) {
        let Some(confidence) = answers_for(*object, objects) else { continue };
        let mut settings = Settings { object: *object, shared, grpc: false };
        settings.grpc = settings.text("backend-protocol").is_some_and(|p| p.starts_with("GRPC"));
        settings.remarks(&mut Said { facts, object: object.shown(), system: "ingress-nginx" });
        // A canary takes a share of the requests of another Ingress, whose settings hold.
        if !settings.is_on("canary") {
            found.extend(of_hosts(&settings, objects, confidence));
        }
    }
    found
}

/// The ConfigMap of the controller, where the tree shows one; of several none is known to be it.
fn shared<'t>(objects: &[Object<'t>]) -> Option<At<'t>> {
    let data = |o: &Object<'t>| o.root.field("data").filter(|d| SHARED.iter().any(|key| d.has(key)));
    let mut maps = objects.iter().filter(|o| o.group.is_empty() && o.kind == "ConfigMap").filter_map(data);
    let first = maps.next();
    first.filter(|_| maps.next().is_none())
}

/// How sure it is that this controller answers for an Ingress: another one on nginx often has a class of the same name.
fn answers_for(object: Object<'_>, objects: &[Object<'_>]) -> Option<Confidence> {
    if object.annotations().any(|(key, _)| key.starts_with(rules().prefix.as_str())) {
        return Some(Confidence::High);
    }
    let written = object.spec.and_then(|s| s.str_of("ingress_class_name"));
    let class = written.or_else(|| object.annotation("kubernetes.io/ingress.class").and_then(At::str))?;
    let is_class = |o: &&Object<'_>| o.is(GROUP, "IngressClass") && o.name == class;
    if let Some(known) = objects.iter().find(is_class) {
        let controller = known.spec.and_then(|s| s.str_of("controller"));
        return controller.filter(|c| *c == rules().controller.as_str()).map(|_| Confidence::High);
    }
    let foreign = |o: &Object<'_>| o.annotations().any(|(key, _)| key.starts_with(rules().other_prefix.as_str()));
    (class == "nginx" && !objects.iter().any(foreign)).then_some(Confidence::Medium)
}

/// One table for each host, with the rules that name it in one.
fn of_hosts(settings: &Settings<'_>, objects: &[Object<'_>], confidence: Confidence) -> Vec<Table> {
    let mut hosts: Vec<(Option<&str>, Vec<Route>)> = Vec::new();
    for rule in settings.object.list("rules") {
        let host = rule.str_of("host").filter(|h| !h.is_empty());
        let paths = rule.field("http").into_iter().flat_map(|h| h.list("paths").collect::<Vec<_>>());
        let routes = paths.filter_map(|path| route(settings, objects, path, confidence));
        match hosts.iter_mut().find(|(known, _)| *known == host) {
            Some((_, all)) => all.extend(routes),
            None => hosts.push((host, routes.collect())),
        }
    }
    let rest = settings.object.spec.and_then(|s| s.field("default_backend"));
    if let Some(pass) = rest.and_then(|backend| pass(settings, objects, backend, Passes::Same, confidence)) {
        let at = rest.map_or(settings.object.at(), At::span);
        hosts.push((None, vec![Route { at, matches: Vec::new(), does: Does::Pass(Box::new(pass)), way_in: true }]));
    }
    let filled = hosts.into_iter().filter(|(_, routes)| !routes.is_empty());
    filled.map(|(host, routes)| table(settings.object, host, routes)).collect()
}

fn table(object: Object<'_>, host: Option<&str>, routes: Vec<Route>) -> Table {
    let of = |text: &str| Name::from(text.to_ascii_lowercase());
    let shown = host.map_or_else(|| object.shown(), |h| format!("{} {h}", object.shown()));
    Table {
        file: object.root.file(),
        object: Name::from(shown),
        namespace: object.namespace.map(Name::new),
        service: host.map_or_else(|| Name::new(object.name), of),
        names: host.map(of).into_iter().collect(),
        callers: Callers::Everybody,
        form: Form::Proxy,
        answers: nginx()
            .answers
            .iter()
            .map(|a| (a.after(), crate::class::Endings::one(crate::class::Ending::Status(a.class()))))
            .collect(),
        routes,
    }
}

fn route(settings: &Settings<'_>, objects: &[Object<'_>], at: At<'_>, confidence: Confidence) -> Option<Route> {
    let path = at.str_of("path").unwrap_or("/");
    let rewrite = settings.text("rewrite-target");
    let pattern = rewrite.is_some() || settings.is_on("use-regex");
    let exact = at.str_of("path_type") == Some("Exact");
    let rule = match path {
        _ if pattern => PathRule::Pattern(Name::from(format!("^(?:{path})"))),
        "/" if !exact => PathRule::Any,
        _ if exact => PathRule::Exact(Name::new(path)),
        _ => PathRule::Prefix(Name::new(path)),
    };
    let passes = match rewrite {
        None => Passes::Same,
        Some(to) if to.contains('$') => Passes::Unknown,
        Some(to) => Passes::Fixed(Name::new(to)),
    };
    let whole_segments = at.str_of("path_type") == Some("Prefix");
    let pass = pass(settings, objects, at.field("backend")?, passes, confidence)?;
    let matches = vec![Match { path: rule, whole_segments, methods: Vec::new(), perhaps: false }];
    Some(Route { at: at.span(), matches, does: Does::Pass(Box::new(pass)), way_in: true })
}

fn pass(
    settings: &Settings<'_>,
    objects: &[Object<'_>],
    backend: At<'_>,
    passes: Passes,
    confidence: Confidence,
) -> Option<Pass> {
    let to = to(settings.object, objects, backend.field("service")?)?;
    let head = settings.object.at();
    let mut layer = settings.layer(head);
    if let Some(layer) = &mut layer {
        layer.seen.confidence = confidence;
    }
    Some(Pass {
        to: vec![to],
        grpc: settings.grpc,
        passes: Some(passes),
        per_try: settings.per_try(head),
        layer,
        ..Pass::default()
    })
}

/// A service with its port; a port by name is looked up in the service.
fn to(object: Object<'_>, objects: &[Object<'_>], service: At<'_>) -> Option<To> {
    let named = service.field("name").and_then(At::name)?;
    let host = object.resolve(&named);
    let number = service.at(&["port", "number"]).and_then(At::str).and_then(|p| p.parse::<u16>().ok());
    let by_name = || object::port(objects, &named, object.namespace, service.at(&["port", "name"])?.str()?);
    let address = match number.or_else(by_name) {
        Some(port) => Name::from(format!("{host}:{port}")),
        None => object::address(&host),
    };
    Some(To { named, address: Some(address), at: service.span(), inbound: None })
}
