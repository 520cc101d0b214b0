//! Locations: which of them answers a request, in the order in which nginx asks them.
//!
//! nginx takes an exact path first, then the longest prefix, which is final with `^~`, then the first pattern that fits,
//! then the prefix again. As a list in which the first that fits answers, that is: exact paths, final prefixes by length
//! (each behind the plain ones that are longer and begin with it), patterns, prefixes by length.

use std::cell::OnceCell;

use regex::{Regex, RegexBuilder};

use super::conf::{Conf, NodeId};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Exact,
    Prefix,
    /// `^~`.
    Final,
    Pattern,
    PatternAnyCase,
    /// `@name`: reached by name only.
    Named,
}

#[derive(Debug, Clone)]
pub struct Location {
    pub node: NodeId,
    pub kind: Kind,
    pub path: String,
    /// A pattern inside another location: it is asked only where that one was picked.
    pub nested: bool,
    pub internal: bool,
}

impl Location {
    /// The pattern as a regular expression says it.
    pub fn pattern(&self) -> String {
        match self.kind {
            Kind::PatternAnyCase => format!("(?i){}", self.path),
            _ => self.path.clone(),
        }
    }
}

/// The locations of a server, in the order of the text.
pub struct Locations {
    pub all: Vec<Location>,
    order: Vec<usize>,
    /// What patterns compile to; `None` where one cannot be followed.
    compiled: Vec<OnceCell<Option<Regex>>>,
}

/// Internal redirects of a server with more locations are not followed.
const MOST_LOCATIONS: usize = 5_000;
/// Patterns behind that are not asked.
const MOST_PATTERNS: usize = 200;

impl Locations {
    /// Nested ones too.
    pub fn of_server(conf: &Conf, server: NodeId) -> Locations {
        let mut found = Vec::new();
        let mut open: Vec<NodeId> = conf.named(server, "location").iter().rev().copied().collect();
        while let Some(id) = open.pop() {
            found.extend(location(conf, id, conf.node(id).parent != server));
            open.extend(conf.named(id, "location").iter().rev());
        }
        let compiled = found.iter().map(|_| OnceCell::new()).collect();
        Locations { order: order(&found), all: found, compiled }
    }

    /// Positions in the order in which they are asked. Named ones are not among them.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// The location that an internal redirect to a path, or to `@name`, reaches. `None` where none fits or a pattern cannot
    /// be followed.
    pub fn reached(&self, uri: &str) -> Option<usize> {
        if self.all.len() > MOST_LOCATIONS {
            return None;
        }
        if uri.starts_with('@') {
            return self.all.iter().position(|l| l.kind == Kind::Named && l.path == uri);
        }
        let path = uri.split(['?', '#']).next().unwrap_or(uri);
        let mut patterns = 0;
        let fits = |i: &usize| {
            let location = &self.all[*i];
            match location.kind {
                Kind::Exact => location.path == path,
                Kind::Prefix | Kind::Final => path.starts_with(&location.path),
                Kind::Named => false,
                Kind::Pattern | Kind::PatternAnyCase => {
                    patterns += 1;
                    !location.nested && patterns <= MOST_PATTERNS && self.matches(*i, path)
                }
            }
        };
        self.order.iter().copied().find(fits)
    }

    fn matches(&self, location: usize, path: &str) -> bool {
        let compiled = self.compiled[location].get_or_init(|| {
            let pattern = self.all[location].pattern();
            RegexBuilder::new(&pattern).size_limit(PATTERN_LIMIT).build().ok()
        });
        compiled.as_ref().is_some_and(|pattern| pattern.is_match(path))
    }
}

fn location(conf: &Conf, id: NodeId, inside: bool) -> Option<Location> {
    let node = conf.node(id);
    let (sign, path) = match node.args.len() {
        1 => glued(node.arg(0)),
        2 => (node.arg(0), node.arg(1)),
        _ => return None,
    };
    let kind = match sign {
        "=" => Kind::Exact,
        "^~" => Kind::Final,
        "~" => Kind::Pattern,
        "~*" => Kind::PatternAnyCase,
        "" if path.starts_with('@') => Kind::Named,
        "" => Kind::Prefix,
        _ => return None,
    };
    let internal = !conf.named(id, "internal").is_empty();
    let nested = inside && matches!(kind, Kind::Pattern | Kind::PatternAnyCase);
    Some(Location { node: id, kind, path: path.to_owned(), nested, internal })
}

/// The sign may be written without a space: `=/path`, `~\.php$`.
fn glued(text: &str) -> (&str, &str) {
    let sign = ["^~", "~*", "~", "="].into_iter().find(|sign| text.starts_with(sign)).unwrap_or("");
    text.split_at(sign.len())
}

fn order(all: &[Location]) -> Vec<usize> {
    let of = |kinds: &[Kind]| -> Vec<usize> { (0..all.len()).filter(|i| kinds.contains(&all[*i].kind)).collect() };
    let mut prefixes = of(&[Kind::Prefix, Kind::Final]);
    prefixes.sort_by_key(|i| std::cmp::Reverse(all[*i].path.len()));
    let finals: Vec<&str> = of(&[Kind::Final]).iter().map(|i| all[*i].path.as_str()).collect();
    let begins_final = |i: &usize| finals.iter().any(|f| all[*i].path.starts_with(f));
    let (early, late): (Vec<usize>, Vec<usize>) = prefixes.into_iter().partition(begins_final);
    let mut patterns = of(&[Kind::Pattern, Kind::PatternAnyCase]);
    patterns.sort_by_key(|i| !all[*i].nested);
    [of(&[Kind::Exact]), early, patterns, late].concat()
}

const PATTERN_LIMIT: usize = 64 * 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::nginx::conf::Doc;
    use crate::frontend::nginx::tree;
    use crate::source::FileId;

    fn locations(text: &str) -> Locations {
        let text = format!("server {{ {text} }}");
        let (tree, wrong) = tree::parse(&text);
        assert_eq!(wrong, None);
        let conf = Conf::read(&[Doc { file: FileId(0), path: "n.conf", text: &text, tree }], &[0]);
        Locations::of_server(&conf, 1)
    }

    #[test]
    fn the_order_of_asking() {
        let all = locations(
            "location / { } location /a { location /a/long { } location ~ \\.js$ { } } location ^~ /s { } location /s/t { } \
             location ~* \\.PNG$ { } location = /a { } location @n { } location ~\\.x$ { }",
        );
        let asked: Vec<&str> = all.order().iter().map(|i| all.all[*i].path.as_str()).collect();
        assert_eq!(asked, ["/a", "/s/t", "/s", "\\.js$", "\\.PNG$", "\\.x$", "/a/long", "/a", "/"]);
        assert_eq!(all.all.iter().filter(|l| l.nested).count(), 1);
    }

    #[test]
    fn internal_redirects() {
        let all = locations(
            "location / { } location = /e { } location ~ \\.php$ { } location @n { } location ^~ /f { } location ~ (?=x) { }",
        );
        let to = |uri: &str| all.reached(uri).map(|i| all.all[i].path.as_str());
        assert_eq!(to("/e"), Some("/e"));
        assert_eq!(to("/index.php?$args"), Some("\\.php$"));
        assert_eq!(to("/f/x.php"), Some("/f"));
        assert_eq!(to("/50x.html"), Some("/"));
        assert_eq!((to("@n"), to("@m"), to("http://a/")), (Some("@n"), None, None));
    }
}
