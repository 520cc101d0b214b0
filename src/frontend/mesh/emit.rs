//! Plans to facts: a place for every route, an entrance that is found by name for every table, an operation for every way
//! in that passes something on.

use super::plan::{Does, Layer, Match, Pass, Route, Table, To};
use crate::class::Ending;
use crate::effect::{Effect, Judged, Key, Passes, PlaceId, Remote, Repeat, RepeatKind, Safety, Stop, Target};
use crate::fact::{self, ByName, Entrance, Facts, Operation, OperationKind, PathRule, Place, Request, VirtualHost};
use crate::name::Name;
use crate::source::Span;

pub fn table(table: &Table, facts: &mut Facts) {
    let mut routes = Vec::new();
    for (i, route) in table.routes.iter().enumerate() {
        let name = match table.routes.len() {
            1 => table.object.clone(),
            _ => Name::from(format!("{} rule {}", table.object, i + 1)),
        };
        let body = body(table, route, &name, facts);
        let place = facts.add_place(Place {
            name,
            at: route.at,
            params: Vec::new(),
            body,
            package: table.service.clone(),
            service: table.service.clone(),
            takes_request: true,
        });
        routes.extend(rules(route, place));
        operations(table, route, place, facts);
    }
    let hosts = vec![VirtualHost { names: table.names.clone(), routes }];
    let entrance = Entrance { file: table.file, listens: Vec::new(), hosts };
    facts.by_name.push(ByName { entrance, callers: table.callers });
}

fn body(table: &Table, route: &Route, function: &Name, facts: &mut Facts) -> Effect {
    let pass = match &route.does {
        Does::Pass(pass) => pass,
        Does::Answer(class) => return Effect::End(class.map_or(Ending::Ok, Ending::Status)),
        Does::Unknown => return Effect::Nothing,
    };
    let mut main = tries(table, pass, function, facts);
    for limit in &pass.total {
        main = Effect::Within(limit.clone(), Box::new(main));
    }
    let copy = |to: &To| {
        let sent = Effect::Remote(remote(pass, to));
        let limited = pass.total.iter().fold(sent, |body, limit| Effect::Within(limit.clone(), Box::new(body)));
        Effect::Spawn(Box::new(limited))
    };
    let mut steps: Vec<Effect> = pass.mirrors.iter().map(copy).collect();
    steps.push(Effect::Map(table.answers.clone(), Box::new(main)));
    if steps.len() == 1 { steps.remove(0) } else { Effect::Seq(steps) }
}

fn tries(table: &Table, pass: &Pass, function: &Name, facts: &mut Facts) -> Effect {
    let mut targets: Vec<Effect> = pass.to.iter().flat_map(|to| arrivals(table, pass, to, function, facts)).collect();
    let mut one = match targets.len() {
        0 => return Effect::Nothing,
        1 => targets.remove(0),
        _ => Effect::Branch(targets, Judged::Other),
    };
    for limit in &pass.per_try {
        one = Effect::Within(limit.clone(), Box::new(one));
    }
    match &pass.layer {
        Some(layer) => Effect::Repeat(Box::new(repeat(table, layer, one, function, facts))),
        None => one,
    }
}

/// A request may end at the receiver's machine, or pass the proxy there, which has a policy of its own.
fn arrivals(table: &Table, pass: &Pass, to: &To, function: &Name, facts: &mut Facts) -> Vec<Effect> {
    let mut found = vec![Effect::Remote(remote(pass, to))];
    if let Some(inbound) = &to.inbound {
        let body = Effect::Remote(remote(pass, to));
        let function = Name::from(format!("{function}, at {}", to.named));
        let repeat = repeat(table, &inbound.layer, body, &function, facts);
        found.push(Effect::Map(inbound.answers.clone(), Box::new(Effect::Repeat(Box::new(repeat)))));
    }
    found
}

fn repeat(table: &Table, layer: &Layer, body: Effect, function: &Name, facts: &mut Facts) -> Repeat {
    let (count, origin) = layer.attempts.clone();
    let mut repeat = Repeat::new(facts.new_loop(), RepeatKind::Retry, table.form, function.clone(), layer.at, body);
    repeat.default_of = layer.default_of.clone();
    repeat.stops = vec![Stop::Count(count, origin)];
    repeat.stops.extend(layer.elapsed.clone().map(|(limit, origin)| Stop::Elapsed(limit, origin)));
    repeat.again = layer.again;
    repeat.takes_unsafe = layer.takes_unsafe;
    repeat.by_method = layer.by_method.clone();
    repeat.budget = layer.budget;
    repeat.wait = layer.wait.clone();
    repeat.seen = layer.seen.clone();
    repeat.per_try_ms = layer.per_try_ms;
    repeat
}

fn remote(pass: &Pass, to: &To) -> Remote {
    Remote {
        system: Name::new("http"),
        verb: None,
        safety: Safety::Unknown,
        target: Target {
            named: Some(to.named.clone()),
            servers: to.address.iter().cloned().collect(),
            passes: Some(pass.passes.clone().unwrap_or(Passes::Same)),
            past_mesh: true,
            ..Target::default()
        },
        client: None,
        key: Key::None,
        connect_only: false,
        replays: None,
        at: to.at,
    }
}

fn rules(route: &Route, place: PlaceId) -> Vec<fact::Route> {
    let of = |m: &Match, path: PathRule| fact::Route { methods: m.methods.clone(), path, perhaps: m.perhaps, place };
    if route.matches.is_empty() {
        return vec![fact::Route { methods: Vec::new(), path: PathRule::Any, perhaps: false, place }];
    }
    let one = |m: &Match| match &m.path {
        PathRule::Prefix(p) if m.whole_segments && **p != *"/" => {
            let bare = p.trim_end_matches('/');
            vec![of(m, PathRule::Exact(Name::new(bare))), of(m, PathRule::Prefix(Name::from(format!("{bare}/"))))]
        }
        path => vec![of(m, path.clone())],
    };
    route.matches.iter().flat_map(one).collect()
}

/// One for every way in, each with its own method.
fn operations(table: &Table, route: &Route, place: PlaceId, facts: &mut Facts) {
    let Does::Pass(pass) = &route.does else { return };
    if !route.way_in {
        return;
    }
    let mut made: Vec<Operation> = Vec::new();
    let any = [Match { path: PathRule::Any, whole_segments: false, methods: Vec::new(), perhaps: false }];
    let matches = if route.matches.is_empty() { &any[..] } else { &route.matches };
    for found in matches {
        let name = label(table, found);
        if made.iter().all(|o| o.name != name) {
            made.push(operation(table, pass.grpc, found, place, route.at, name));
        }
    }
    facts.operations.extend(made);
}

fn operation(table: &Table, grpc: bool, found: &Match, place: PlaceId, at: Span, name: Name) -> Operation {
    let path = match &found.path {
        PathRule::Any => Some(Name::new("/{*}")),
        PathRule::Exact(p) => Some(p.clone()),
        PathRule::Prefix(p) => Some(Name::from(format!("{p}{{*}}"))),
        PathRule::Pattern(_) => None,
    };
    let method = match found.methods.as_slice() {
        [method] => Some(method.clone()),
        _ => None,
    };
    Operation {
        name,
        kind: if grpc { OperationKind::Grpc } else { OperationKind::Http },
        place,
        at,
        service: table.service.clone(),
        request: Request { method, path },
        unless_called: true,
    }
}

/// The path with the method in front; where any path will do, the name that is called stands before it.
fn label(table: &Table, found: &Match) -> Name {
    let any = || format!("{}/", table.service);
    let path = match &found.path {
        PathRule::Any => any(),
        PathRule::Prefix(p) if **p == *"/" => any(),
        PathRule::Exact(p) | PathRule::Prefix(p) => p.to_string(),
        PathRule::Pattern(p) => p.strip_prefix("^(?:").and_then(|p| p.strip_suffix(")$")).unwrap_or(p).to_owned(),
    };
    match found.methods.as_slice() {
        [method] => Name::from(format!("{method} {path}")),
        _ => Name::from(path),
    }
}
