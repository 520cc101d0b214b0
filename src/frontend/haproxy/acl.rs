//! Conditions: what `if` and `unless` ask of a request, as far as it is something that a request of this tree is known by.
//!
//! A condition is a list of alternatives, each a list of terms that must all hold. What is not understood is [`Asks::Open`]:
//! it may hold or not.

use rustc_hash::FxHashMap;

use super::conf::Section;
use super::lex::Word;
use crate::fact::PathRule;
use crate::name::Name;

/// What a term asks for; of a list any may fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asks {
    Paths(Vec<PathRule>),
    /// As [`crate::fact::VirtualHost`] takes them.
    Hosts(Vec<Name>),
    Methods(Vec<Name>),
    /// TLS on the client's side.
    Secure,
    Always,
    Never,
    Open,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    pub asks: Asks,
    pub negated: bool,
}

/// Alternatives of terms that must all hold; none at all: it always holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Condition {
    pub any: Vec<Vec<Term>>,
}

impl Condition {
    pub fn always() -> Condition {
        Condition { any: vec![Vec::new()] }
    }

    /// Whether it holds whatever comes in.
    pub fn is_constant(&self) -> Option<bool> {
        if self.any.iter().any(Vec::is_empty) {
            return Some(true);
        }
        self.any.is_empty().then_some(false)
    }
}

/// More lines of one name, and more alternatives of one condition, are not followed.
const MOST: usize = 200;

/// The named conditions of a section.
#[derive(Debug, Default)]
pub struct Acls {
    named: FxHashMap<String, Asks>,
    /// Whether all its sockets use TLS, or none; `None` if they differ.
    secure: Option<bool>,
}

impl Acls {
    pub fn of(section: &Section) -> Acls {
        let mut named: FxHashMap<String, Asks> = FxHashMap::default();
        for line in section.lines.iter().filter(|l| l.word(0) == "acl") {
            let asks = asks(line.from(2));
            let known = named.remove(line.word(1));
            let both = known.map_or(asks.clone(), |known| joined(known, asks));
            named.insert(line.word(1).to_owned(), both);
        }
        let mut binds =
            section.lines.iter().filter(|l| l.word(0) == "bind").map(|l| l.words.iter().any(|w| w.value == "ssl"));
        let first = binds.next();
        let secure = first.filter(|first| binds.all(|b| b == *first));
        Acls { named, secure }
    }

    /// What stands behind an action: `if ...`, `unless ...`, or nothing.
    pub fn condition(&self, words: &[Word]) -> Condition {
        let Some(at) = words.iter().position(|w| matches!(w.value.as_str(), "if" | "unless")) else {
            return Condition::always();
        };
        let any = self.alternatives(&words[at + 1..]);
        if words[at].value == "if" {
            return self.without_constants(any);
        }
        // Not (a and b) is known only where there is one term; not (a or b) is a list of terms.
        let single = any.iter().all(|terms| terms.len() == 1);
        let turned = |t: &Term| Term { negated: !t.negated, ..t.clone() };
        let open = || vec![Term { asks: Asks::Open, negated: false }];
        let all = if single { any.iter().flatten().map(turned).collect() } else { open() };
        self.without_constants(vec![all])
    }

    fn alternatives(&self, words: &[Word]) -> Vec<Vec<Term>> {
        let mut any = vec![Vec::new()];
        let mut negated = false;
        let mut rest = words.iter();
        while let Some(word) = rest.next() {
            let text = word.value.as_str();
            if matches!(text, "or" | "||") {
                any.push(Vec::new());
                continue;
            }
            let bare = text.trim_start_matches('!');
            negated ^= (text.len() - bare.len()) % 2 == 1;
            if bare.is_empty() {
                continue;
            }
            let asks = match bare {
                "{" => {
                    let inner: Vec<Word> = rest.by_ref().take_while(|w| w.value != "}").cloned().collect();
                    asks(&inner)
                }
                name => self.named.get(name).cloned().unwrap_or_else(|| predefined(name)),
            };
            if let Some(terms) = any.last_mut() {
                terms.push(Term { asks, negated });
            }
            negated = false;
        }
        any.truncate(MOST);
        any
    }

    /// Terms that hold always leave, and so do alternatives that never hold.
    fn without_constants(&self, any: Vec<Vec<Term>>) -> Condition {
        let constant = |term: &Term| {
            let is = match &term.asks {
                Asks::Always => Some(true),
                Asks::Never => Some(false),
                Asks::Secure => self.secure,
                _ => None,
            };
            is.map(|is| is != term.negated)
        };
        let possible = any.into_iter().filter(|terms| !terms.iter().any(|t| constant(t) == Some(false)));
        let any = possible.map(|terms| terms.into_iter().filter(|t| constant(t).is_none()).collect());
        Condition { any: any.collect() }
    }
}

fn joined(one: Asks, other: Asks) -> Asks {
    match (one, other) {
        (Asks::Paths(mut a), Asks::Paths(b)) if a.len() < MOST => {
            a.extend(b);
            Asks::Paths(a)
        }
        (Asks::Hosts(mut a), Asks::Hosts(b)) if a.len() < MOST => {
            a.extend(b);
            Asks::Hosts(a)
        }
        (Asks::Methods(mut a), Asks::Methods(b)) if a.len() < MOST => {
            a.extend(b);
            Asks::Methods(a)
        }
        _ => Asks::Open,
    }
}

fn predefined(name: &str) -> Asks {
    let methods = |all: &[&str]| Asks::Methods(all.iter().map(|m| Name::new(m)).collect());
    match name {
        "TRUE" | "HTTP" => Asks::Always,
        "FALSE" => Asks::Never,
        "METH_GET" => methods(&["GET", "HEAD"]),
        name => match name.strip_prefix("METH_") {
            Some(method) => methods(&[method]),
            None => Asks::Open,
        },
    }
}

/// How the values of a test are compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Compared {
    Whole,
    Begin,
    End,
    Pattern,
    /// Any part between signs; the words of a domain.
    Part,
}

/// A test as `acl` lines and braces hold it: what is looked at, flags, values.
fn asks(words: &[Word]) -> Asks {
    let Some(first) = words.first() else { return Asks::Open };
    let (fetched, compared) = fetch(&first.value);
    let (mut compared, mut any_case) = (compared, false);
    let mut rest = words[1..].iter();
    let mut values: Vec<&str> = Vec::new();
    while let Some(word) = rest.next() {
        match word.value.as_str() {
            "-i" if values.is_empty() => any_case = true,
            "--" if values.is_empty() => {}
            "-m" if values.is_empty() => match rest.next().and_then(|w| way(&w.value)) {
                Some(way) => compared = way,
                None => return Asks::Open,
            },
            flag if values.is_empty() && flag.len() == 2 && flag.starts_with('-') => return Asks::Open,
            value => values.push(value),
        }
    }
    values.truncate(MOST);
    match fetched {
        Fetched::Path => Asks::Paths(values.iter().filter_map(|v| path(v, compared, any_case)).collect()),
        Fetched::Host => hosts(&values, compared),
        Fetched::Method if compared == Compared::Whole => {
            Asks::Methods(values.iter().map(|v| Name::from(v.to_ascii_uppercase())).collect())
        }
        Fetched::Secure if values.is_empty() => Asks::Secure,
        Fetched::Constant(true) if values.is_empty() => Asks::Always,
        Fetched::Constant(false) if values.is_empty() => Asks::Never,
        _ => Asks::Open,
    }
}

#[derive(Clone, Copy)]
enum Fetched {
    Path,
    Host,
    Method,
    Secure,
    Constant(bool),
    Other,
}

/// What a word such as `path_beg` or `req.hdr(host),lower` looks at, and how it compares.
fn fetch(word: &str) -> (Fetched, Compared) {
    let (sample, converters) = word.split_once(',').unwrap_or((word, ""));
    let harmless = converters.split(',').all(|c| matches!(c, "" | "lower" | "url_dec" | "host_only" | "field(1,:)"))
        || converters == "field(1,:)";
    let (name, argument) = match sample.split_once('(') {
        Some((name, rest)) => (name, rest.trim_end_matches(')')),
        None => (sample, ""),
    };
    let (bare, ending) = match name.rsplit_once('_').and_then(|(bare, end)| Some((bare, way(end)?))) {
        Some((bare, way)) => (bare, way),
        None => (name, Compared::Whole),
    };
    let of_host = argument.split(',').next().is_some_and(|h| h.trim().eq_ignore_ascii_case("host"));
    let fetched = match bare {
        _ if !harmless => Fetched::Other,
        "path" | "url" | "capture.req.uri" => Fetched::Path,
        "hdr" | "req.hdr" | "req.fhdr" | "fhdr" if of_host => Fetched::Host,
        "ssl_fc_sni" | "req_ssl_sni" | "req.ssl_sni" => Fetched::Host,
        "method" => Fetched::Method,
        "ssl_fc" => Fetched::Secure,
        "always_true" => Fetched::Constant(true),
        "always_false" => Fetched::Constant(false),
        _ => Fetched::Other,
    };
    (fetched, ending)
}

fn way(word: &str) -> Option<Compared> {
    Some(match word {
        "str" => Compared::Whole,
        "beg" => Compared::Begin,
        "end" => Compared::End,
        "reg" => Compared::Pattern,
        "dom" | "dir" | "sub" => Compared::Part,
        _ => return None,
    })
}

fn path(value: &str, compared: Compared, any_case: bool) -> Option<PathRule> {
    let text = |text: String| Name::from(if any_case { format!("(?i){text}") } else { text });
    Some(match compared {
        Compared::Whole => PathRule::Exact(Name::new(value)),
        Compared::Begin => PathRule::Prefix(Name::new(value)),
        Compared::End => PathRule::Pattern(text(format!("{}$", escaped(value)))),
        Compared::Pattern => PathRule::Pattern(text(value.to_owned())),
        Compared::Part => PathRule::Pattern(text(escaped(value))),
    })
}

/// A text as a pattern that means itself.
fn escaped(text: &str) -> String {
    let special = |c: char| r"\.+*?()|[]{}^$".contains(c);
    text.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
}

fn hosts(values: &[&str], compared: Compared) -> Asks {
    let bare = |v: &str| {
        let port = v.rsplit_once(':').filter(|(_, port)| port.bytes().all(|b| b.is_ascii_digit()));
        port.map_or(v, |(host, _)| host).to_ascii_lowercase()
    };
    let names = values.iter().map(|v| bare(v));
    match compared {
        Compared::Whole => Asks::Hosts(names.map(Name::from).collect()),
        Compared::End => {
            let both = |name: String| match name.starts_with('.') {
                true => vec![Name::from(format!("*{name}"))],
                false => vec![Name::from(format!("*.{name}")), Name::from(name)],
            };
            Asks::Hosts(names.flat_map(both).collect())
        }
        Compared::Begin | Compared::Pattern | Compared::Part => Asks::Open,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::haproxy::{conf, lex};
    use crate::source::FileId;

    const ACLS: &str = "frontend f\n bind :80\n acl api path_beg /api /v1\n acl api path /health\n acl shop hdr(host) -i Shop.example:80\n \
                        acl post method POST\n acl mixed path /a\n acl mixed src 10.0.0.0/8\n acl list path -f /x\n";

    fn condition(text: &str) -> Condition {
        let text = format!("{ACLS} x {text}");
        let section = conf::sections(FileId(0), lex::lines(&text).0).remove(0);
        let last = section.lines.last().expect("a line").clone();
        Acls::of(&section).condition(last.from(1))
    }

    fn one(text: &str) -> Vec<Asks> {
        let mut any = condition(text).any;
        assert_eq!(any.len(), 1, "{text}: {any:?}");
        any.remove(0).into_iter().map(|t| if t.negated { Asks::Open } else { t.asks }).collect()
    }

    fn names(all: &[&str]) -> Vec<Name> {
        all.iter().map(|n| Name::new(n)).collect()
    }

    #[test]
    fn names_and_braces() {
        let api = ["/api", "/v1"].map(|p| PathRule::Prefix(p.into()));
        let api = Asks::Paths(api.into_iter().chain([PathRule::Exact("/health".into())]).collect());
        assert_eq!(one("if api"), [api]);
        assert_eq!(one("if shop post"), [Asks::Hosts(names(&["shop.example"])), Asks::Methods(names(&["POST"]))]);
        assert_eq!(one("if { path_end .js }"), [Asks::Paths(vec![PathRule::Pattern(r"\.js$".into())])]);
        assert_eq!(one("if { req.hdr(Host),lower -m end .a }"), [Asks::Hosts(names(&["*.a"]))]);
        assert_eq!(one("if METH_GET"), [Asks::Methods(names(&["GET", "HEAD"]))]);
        for open in ["if mixed", "if list", "if { src 10.0.0.1 }", "if unknown", "if !api", "if { hdr_beg(host) a }"] {
            assert_eq!(one(open), [Asks::Open], "{open}");
        }
    }

    #[test]
    fn alternatives_and_constants() {
        assert_eq!(condition("if api or shop || post").any.len(), 3);
        assert_eq!(condition("").is_constant(), Some(true));
        assert_eq!(condition("if TRUE").is_constant(), Some(true));
        assert_eq!(condition("if { ssl_fc }").is_constant(), Some(false));
        assert_eq!(condition("unless { ssl_fc }").is_constant(), Some(true));
        assert_eq!(condition("if !{ ssl_fc } api").any[0].len(), 1);
        let turned = condition("unless post or api").any;
        assert!(turned[0].len() == 2 && turned[0].iter().all(|t| t.negated));
        assert_eq!(condition("unless post api").any, [[Term { asks: Asks::Open, negated: false }]]);
    }
}
