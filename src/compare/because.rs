//! Why an operation's number changed: what happened to the layers on its path.

use std::collections::BTreeMap;

use super::saved::{Bound, Dependency, Layer, Operation, Saved};
use super::{Change, Step};

/// What a layer is called by, before and after: lines move, so they do not count.
type Key<'a> = (&'a str, &'a str, &'a str);
/// Service, operation, dependency, and the ordinal among equals.
type Pair<'a> = (&'a str, &'a str, &'a str, usize);

/// One side of the comparison.
struct Side<'a> {
    layers: BTreeMap<&'a str, &'a Layer>,
    pairs: BTreeMap<Pair<'a>, (&'a Operation, &'a Dependency)>,
}

impl<'a> Side<'a> {
    fn new(report: &'a Saved) -> Side<'a> {
        let layers = report.layers.iter().map(|l| (l.id.as_str(), l)).collect();
        let mut pairs = BTreeMap::new();
        for operation in &report.operations {
            for dependency in &operation.dependencies {
                let name = (operation.service.as_str(), operation.name.as_str(), dependency.name.as_str());
                let equals = pairs.range((name.0, name.1, name.2, 0)..=(name.0, name.1, name.2, usize::MAX)).count();
                pairs.insert((name.0, name.1, name.2, equals), (operation, dependency));
            }
        }
        Side { layers, pairs }
    }

    /// The layers of a path, outermost first.
    fn path(&self, dependency: &'a Dependency) -> Vec<&'a Layer> {
        dependency.layers.iter().filter_map(|id| self.layers.get(id.as_str()).copied()).collect()
    }

    fn has(&self, key: Key<'_>) -> bool {
        self.layers.values().any(|l| self::key(l) == key)
    }
}

fn key(layer: &Layer) -> Key<'_> {
    (layer.path.as_str(), layer.function.as_str(), layer.kind.as_str())
}

/// Every pair whose attempts differ.
pub fn operations<'a>(base: &'a Saved, head: &'a Saved) -> Vec<Change<'a>> {
    let (before, after) = (Side::new(base), Side::new(head));
    let mut names: Vec<Pair<'a>> = before.pairs.keys().chain(after.pairs.keys()).copied().collect();
    names.sort_unstable();
    names.dedup();
    names.into_iter().filter_map(|name| change(&before, &after, name)).collect()
}

fn change<'a>(before: &Side<'a>, after: &Side<'a>, name: Pair<'a>) -> Option<Change<'a>> {
    let (old, new) = (before.pairs.get(&name), after.pairs.get(&name));
    let (old_attempts, new_attempts) = (old.map(|(_, d)| &d.attempts), new.map(|(_, d)| &d.attempts));
    if old_attempts == new_attempts {
        return None;
    }
    let (operation, _) = new.or(old)?;
    let layers = match (new, old) {
        (Some((_, dependency)), _) => after.path(dependency),
        (None, Some((_, dependency))) => before.path(dependency),
        (None, None) => return None,
    };
    let because = match (old, new) {
        (Some((_, old)), Some((_, new))) => reasons(before, after, old, new),
        (None, _) => vec!["it did not call this before".to_string()],
        (_, None) => vec!["it no longer calls this".to_string()],
    };
    let step = |l: &'a Layer| Step { function: &l.function, path: &l.path, line: l.line, attempts: &l.attempts };
    Some(Change {
        operation: name.1,
        service: name.0,
        dependency: name.2,
        path: &operation.path,
        line: operation.line,
        before: old_attempts,
        after: new_attempts,
        because,
        layers: layers.into_iter().map(step).collect(),
    })
}

fn reasons(before: &Side<'_>, after: &Side<'_>, old: &Dependency, new: &Dependency) -> Vec<String> {
    let (was, is) = (before.path(old), after.path(new));
    let mut reasons = Vec::new();
    let mut left: Vec<&Layer> = was.clone();
    for layer in &is {
        match left.iter().position(|l| key(l) == key(layer)) {
            Some(at) => reasons.extend(other_number(left.remove(at), layer)),
            None if before.has(key(layer)) => reasons.push(format!("its path leads through {} now", named(layer))),
            None => reasons.push(format!("{} was added", named(layer))),
        }
    }
    for layer in left {
        let gone = if after.has(key(layer)) { "is no longer on its path" } else { "was removed" };
        reasons.push(format!("{} {gone}", named(layer)));
    }
    if old.calls != new.calls {
        reasons.push(format!("calls went from {} to {}", old.calls.words(), new.calls.words()));
    }
    if reasons.is_empty() && old.worst != new.worst {
        reasons.push(format!("it is worst when the dependency {} now, and was when it {}", new.worst, old.worst));
    }
    if reasons.is_empty() {
        reasons.push("the layers are the same, and repeat other failures than before".to_string());
    }
    reasons
}

fn other_number(was: &Layer, is: &Layer) -> Option<String> {
    let (old, new) = (&was.attempts, &is.attempts);
    (old != new).then(|| format!("{} went from {} to {}", place(is), old.words(), attempts(new)))
}

fn named(layer: &Layer) -> String {
    format!("{} with {}", place(layer), attempts(&layer.attempts))
}

fn attempts(bound: &Bound) -> String {
    match bound.kind.as_str() {
        "unbounded" => "attempts without limit".to_string(),
        "unknown" => "an unknown number of attempts".to_string(),
        _ if bound.value == Some(1) => "1 attempt".to_string(),
        _ => format!("{} attempts", bound.words()),
    }
}

fn place(layer: &Layer) -> String {
    let what = match layer.kind.as_str() {
        "loop" => "the loop in",
        "recursion" => "the recursion in",
        "combinator" => "the retry in",
        "helper" => "the retry helper in",
        "client" => "the retries of the client in",
        "middleware" => "the retry middleware in",
        "proxy" => "the proxy's retries at",
        "mesh" => "the mesh's retries at",
        "queue" => "the redelivery to",
        "driver" => "the retries of the driver in",
        "hedge" => "the hedging of",
        "failover" => "the failover of",
        "reconnect" => "the reconnecting in",
        _ => "the layer at",
    };
    format!("{what} `{}` ({}:{})", layer.function, layer.path, layer.line)
}
