//! A service config as plain data, with the place of each setting. Nothing is judged here.

use crate::name::Name;
use crate::source::{FileId, Span};
use crate::yaml::{Entry, Kind, Node, Tree, proto_duration};

/// What is written, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct Set<T> {
    /// `Err`: the text that is not of its kind.
    pub value: Result<T, String>,
    /// The whole entry, its key included.
    pub at: Span,
}

impl<T> Set<T> {
    pub fn is(&self) -> Option<&T> {
        self.value.as_ref().ok()
    }
}

#[derive(Debug, Clone)]
pub struct Config {
    pub methods: Vec<MethodConfig>,
    pub throttling: Option<Throttling>,
    /// Keys at the top, for what is near to a known one.
    pub keys: Vec<(Name, Span)>,
}

#[derive(Debug, Clone)]
pub struct MethodConfig {
    pub names: Vec<Method>,
    /// Milliseconds for all attempts together.
    pub timeout: Option<Set<u64>>,
    pub retry: Option<Policy>,
    pub hedging: Option<Policy>,
    pub keys: Vec<(Name, Span)>,
    pub at: Span,
}

/// A name: both empty is every method of every service.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Method {
    pub service: Name,
    /// Empty is every method of the service.
    pub method: Name,
    pub at: Span,
}

/// A retry policy or a hedging policy.
#[derive(Debug, Clone)]
pub struct Policy {
    pub at: Span,
    pub max_attempts: Option<Set<u64>>,
    pub initial_backoff: Option<Set<u64>>,
    pub max_backoff: Option<Set<u64>>,
    pub multiplier: Option<Set<f64>>,
    pub hedging_delay: Option<Set<u64>>,
    /// Codes that are tried again; of hedging those that do not end it.
    pub codes: Option<Set<Vec<(Name, Span)>>>,
    pub keys: Vec<(Name, Span)>,
}

#[derive(Debug, Clone)]
pub struct Throttling {
    pub at: Span,
    pub max_tokens: Option<Set<u64>>,
    pub token_ratio: Option<Set<f64>>,
}

/// The configs of a file: the whole, or those of a list with choices by client, as DNS holds it.
pub fn configs(file: FileId, tree: &Tree<'_>) -> Vec<Config> {
    let mut found = Vec::new();
    for root in tree.documents() {
        let wrapped = root.items().filter_map(|item| item.get("serviceConfig"));
        let all = wrapped.chain(root.get("serviceConfig")).chain((root.kind() == Kind::Mapping).then_some(root));
        found.extend(all.filter_map(|node| config(file, node)));
    }
    found
}

fn config(file: FileId, node: Node<'_>) -> Option<Config> {
    let list = node.get("methodConfig").filter(|list| list.kind() == Kind::Sequence)?;
    let reader = Reader { file };
    let methods: Vec<MethodConfig> =
        list.items().filter(|m| m.kind() == Kind::Mapping).map(|m| reader.method_config(m)).collect();
    let throttling = node.get("retryThrottling").filter(|t| t.kind() == Kind::Mapping).map(|t| Throttling {
        at: reader.entry(node, "retryThrottling"),
        max_tokens: reader.set(t, "maxTokens", count),
        token_ratio: reader.set(t, "tokenRatio", ratio),
    });
    // Some other format may use the word; every entry of this one says what it is for.
    let ours = list.items().any(|m| m.get("name").is_some_and(|n| n.kind() == Kind::Sequence));
    ours.then(|| Config { methods, throttling, keys: reader.keys(node) })
}

#[derive(Clone, Copy)]
struct Reader {
    file: FileId,
}

impl Reader {
    fn span(self, range: std::ops::Range<u32>) -> Span {
        Span::new(self.file, range.start, range.end)
    }

    /// The entry of a field. Clients of Go take a name whatever its case.
    fn field<'t>(self, node: Node<'t>, key: &str) -> Option<Entry<'t>> {
        let any_case = || node.own_entries().find(|e| e.key.as_str().is_some_and(|k| k.eq_ignore_ascii_case(key)));
        node.entry(key).or_else(any_case)
    }

    /// Where an entry stands, its key included; the node where it has none of that name.
    fn entry(self, node: Node<'_>, key: &str) -> Span {
        self.span(self.field(node, key).map_or_else(|| node.range(), |e| e.range()))
    }

    fn keys(self, node: Node<'_>) -> Vec<(Name, Span)> {
        node.own_entries().filter_map(|e| Some((Name::new(e.key.as_str()?), self.span(e.range())))).collect()
    }

    fn set<T>(self, node: Node<'_>, key: &str, read: impl Fn(Node<'_>) -> Option<T>) -> Option<Set<T>> {
        let entry = self.field(node, key).filter(|e| !e.value.is_null())?;
        let value = read(entry.value).ok_or_else(|| entry.value.as_str().unwrap_or("a list or an object").to_owned());
        Some(Set { value, at: self.span(entry.range()) })
    }

    fn method_config(self, node: Node<'_>) -> MethodConfig {
        let name = |n: Node<'_>, key: &str| Name::new(n.get(key).and_then(|v| v.as_str()).unwrap_or_default());
        let method =
            |n: Node<'_>| Method { service: name(n, "service"), method: name(n, "method"), at: self.span(n.range()) };
        let names = node.get("name").into_iter().flat_map(|list| list.items());
        let policy = |key: &str, codes: &str| {
            let inner = self.field(node, key)?.value;
            if inner.kind() != Kind::Mapping {
                return None;
            }
            Some(self.policy(inner, self.entry(node, key), codes))
        };
        MethodConfig {
            names: names.filter(|n| n.kind() == Kind::Mapping).map(method).collect(),
            timeout: self.set(node, "timeout", millis),
            retry: policy("retryPolicy", "retryableStatusCodes"),
            hedging: policy("hedgingPolicy", "nonFatalStatusCodes"),
            keys: self.keys(node),
            at: self.span(node.range()),
        }
    }

    fn policy(self, node: Node<'_>, at: Span, codes: &str) -> Policy {
        let listed = |list: Node<'_>| {
            let code = |n: Node<'_>| Some((Name::new(n.as_str()?), self.span(n.range())));
            (list.kind() == Kind::Sequence).then(|| list.items().filter_map(code).collect())
        };
        Policy {
            at,
            max_attempts: self.set(node, "maxAttempts", count),
            initial_backoff: self.set(node, "initialBackoff", millis),
            max_backoff: self.set(node, "maxBackoff", millis),
            multiplier: self.set(node, "backoffMultiplier", ratio),
            hedging_delay: self.set(node, "hedgingDelay", millis),
            codes: self.set(node, codes, listed),
            keys: self.keys(node),
        }
    }
}

/// A whole number, also as a text, as JSON of protobuf allows it.
fn count(node: Node<'_>) -> Option<u64> {
    let whole = |n: f64| (n >= 0.0 && n.fract() == 0.0 && n < 1e18).then_some(n as u64);
    node.as_count().or_else(|| node.as_float().and_then(whole)).or_else(|| node.as_str()?.parse().ok())
}

fn ratio(node: Node<'_>) -> Option<f64> {
    node.as_float()
}

/// What is above nothing is a millisecond at least.
fn millis(node: Node<'_>) -> Option<u64> {
    let duration = node.as_str().and_then(proto_duration)?;
    let whole = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    Some(if duration.is_zero() { 0 } else { whole.max(1) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml;

    #[test]
    fn policies_with_their_places() {
        let text = r#"{"methodConfig":[{"name":[{"service":"a.B","method":"C"},{}],"timeout":"1.5s",
            "retryPolicy":{"maxAttempts":4,"initialBackoff":"0.1s","maxBackoff":"100ms","backoffMultiplier":1.3,"retryableStatusCodes":["UNAVAILABLE",14]}}],
            "retryThrottling":{"maxTokens":"10","tokenRatio":0.1}}"#;
        let tree = yaml::read(text);
        let found = configs(FileId(0), &tree).remove(0);
        let method = &found.methods[0];
        assert_eq!((method.names[0].service.as_str(), method.names[0].method.as_str()), ("a.B", "C"));
        assert!(method.names[1].service.is_empty());
        assert_eq!(method.timeout.as_ref().and_then(Set::is), Some(&1500));
        let policy = method.retry.as_ref().expect("a policy");
        assert_eq!(policy.max_attempts.as_ref().and_then(Set::is), Some(&4));
        assert_eq!(policy.max_backoff.as_ref().map(|m| &m.value), Some(&Err("100ms".to_owned())));
        assert_eq!(policy.codes.as_ref().and_then(Set::is).map(Vec::len), Some(2));
        assert_eq!(found.throttling.and_then(|t| t.max_tokens).as_ref().and_then(Set::is), Some(&10));
        let at = policy.max_attempts.as_ref().expect("attempts").at;
        assert_eq!(&text[at.start as usize..at.end as usize], r#""maxAttempts":4"#);
    }

    #[test]
    fn wrapped_configs_and_others() {
        let count = |text: &str| configs(FileId(0), &yaml::read(text)).len();
        assert_eq!(
            count(r#"[{"percentage":50,"serviceConfig":{"methodConfig":[{"name":[{}]}]}},{"serviceConfig":{}}]"#),
            1
        );
        assert_eq!(count(r#"{"methodConfig":{"name":"x"}}"#), 0);
        assert_eq!(count(r#"{"methodConfig":["name"]}"#), 0);
    }
}
