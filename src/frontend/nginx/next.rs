//! When a request is passed on to the next server, and how often: the `*_next_upstream` settings that hold at a place.

use super::conf::{Conf, NodeId};
use super::rules::{Protocol, rules};
use super::variable;
use crate::class::Endings;
use crate::name::Name;
use crate::source::Span;
use crate::value::{Origin, OriginKind, Value};

/// A number of a setting, with the place where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Number {
    pub value: Value,
    pub origin: Origin,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Next {
    /// The list, if somebody wrote it.
    pub list: Option<Span>,
    pub off: bool,
    /// After which endings of a try the next server is asked.
    pub again: Endings,
    /// The same for a request that may do harm twice.
    pub unsafe_again: Endings,
    /// The list takes such requests in.
    pub non_idempotent: bool,
    /// Attempts in all; `None`: no limit but the number of servers.
    pub tries: Option<Number>,
    /// No attempt begins later than that, in milliseconds.
    pub limit: Option<Number>,
}

impl Next {
    /// The settings that hold in a block.
    pub fn read(conf: &Conf, block: NodeId, protocol: &Protocol, version: Option<&str>) -> Next {
        let setting = |name: &str| conf.setting(block, &format!("{}{name}", protocol.prefix));
        let list = setting("next_upstream");
        let default = rules().default("next_upstream", version).map_or("", |(words, _)| words);
        let words: Vec<&str> = match list {
            Some(list) => list.args.iter().map(String::as_str).collect(),
            None => default.split(' ').collect(),
        };
        let off = words.contains(&"off");
        let passed = words.iter().filter_map(|word| rules().passed_on(word)).fold(Endings::NONE, |all, one| all | one);
        let again = if off { Endings::NONE } else { passed };
        let buffers = setting("request_buffering").is_none_or(|b| b.arg(0) != "off");
        let non_idempotent = !off && buffers && words.contains(&"non_idempotent");
        let unsafe_again = if non_idempotent { again } else { again & rules().not_repeated.but_after() };
        let positive = |n: &Number| n.value != Value::Number(0);
        Next {
            list: list.map(|l| l.at),
            off,
            again,
            unsafe_again,
            non_idempotent,
            tries: setting("next_upstream_tries").map(|n| number(n.arg(0), n.at, |t| t.parse().ok())).filter(positive),
            limit: setting("next_upstream_timeout").map(|n| number(n.arg(0), n.at, variable::time)).filter(positive),
        }
    }

    /// Somebody wrote when or how often to go on.
    pub fn is_written(&self) -> bool {
        self.list.is_some() || self.tries.is_some()
    }
}

/// A number as it is written; a variable in its place is a template's.
pub fn number(text: &str, at: Span, read: impl Fn(&str) -> Option<u64>) -> Number {
    let value = match read(text) {
        Some(n) => Value::Number(n),
        None => Value::unknown(&format!("`{text}` is no number yet")),
    };
    Number { value, origin: Origin { kind: OriginKind::Config, at: Some(at), source: None } }
}

/// A time that holds in a block, written or by default, in milliseconds, with the place where it is written.
pub fn time(conf: &Conf, block: NodeId, protocol: &Protocol, setting: &str) -> (Value, Option<Span>) {
    match conf.setting(block, &format!("{}{setting}", protocol.prefix)) {
        Some(node) => {
            let number = number(node.arg(0), node.at, variable::time);
            (number.value, Some(node.at))
        }
        None => {
            let default = rules().default(setting, None).and_then(|(value, _)| variable::time(value));
            (default.map_or(Value::unknown("no default is known"), Value::Number), None)
        }
    }
}

/// `nginx (source)` for a layer that nobody wrote.
pub fn default_layer(protocol: &Protocol) -> Name {
    Name::from(format!("nginx ({})", protocol.source))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::{Ending, FailureClass};
    use crate::frontend::nginx::conf::Doc;
    use crate::frontend::nginx::tree;
    use crate::source::FileId;

    fn next(text: &str) -> Next {
        let text = format!("http {{ {text} }} }}");
        let (tree, wrong) = tree::parse(&text);
        assert_eq!(wrong, None);
        let conf = Conf::read(&[Doc { file: FileId(0), path: "n.conf", text: &text, tree }], &[0]);
        let location = conf.nodes.iter().position(|n| n.name == "location").expect("a location");
        Next::read(&conf, location, &rules().protocols[0], None)
    }

    const CLOSED: Ending = Ending::Error(FailureClass::Reset);
    const GATEWAY: Ending = Ending::Status(FailureClass::Gateway);

    #[test]
    fn the_default_knows_no_answers() {
        let next = next("location / { a;");
        assert!(next.again.has(CLOSED) && !next.again.has(GATEWAY) && next.list.is_none() && next.tries.is_none());
        assert!(next.unsafe_again.has(Ending::Error(FailureClass::Connect)) && !next.unsafe_again.has(CLOSED));
    }

    #[test]
    fn a_list_replaces_and_numbers_are_inherited() {
        let outer = "proxy_next_upstream error http_502; proxy_next_upstream_tries 2; proxy_next_upstream_timeout 1s;";
        let next_in = |inner: &str| next(&format!("{outer} location / {{ {inner}"));
        let inherited = next_in("a;");
        assert!(inherited.again.has(GATEWAY) && !inherited.again.has(Ending::Error(FailureClass::Timeout)));
        assert_eq!(inherited.tries.map(|t| t.value), Some(Value::Number(2)));
        assert_eq!(inherited.limit.map(|t| t.value), Some(Value::Number(1000)));
        let own = next_in("proxy_next_upstream timeout non_idempotent; proxy_next_upstream_tries 0;");
        assert!(!own.again.has(GATEWAY) && own.non_idempotent && own.tries.is_none());
        assert_eq!(own.again, own.unsafe_again);
        assert!(next_in("proxy_next_upstream off;").again.is_empty());
        let streamed = next_in("proxy_next_upstream error non_idempotent; proxy_request_buffering off;");
        assert!(!streamed.non_idempotent && !streamed.unsafe_again.has(CLOSED));
    }

    #[test]
    fn a_number_that_a_template_leaves_open() {
        let next = next("location / { proxy_next_upstream_tries ${TRIES};");
        assert!(matches!(next.tries.map(|t| t.value), Some(Value::Unknown(_))));
    }
}
