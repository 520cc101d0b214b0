//! Settings as labels write them, `http.middlewares.again.retry.attempts`: files and objects are laid out into the same form,
//! so that one reader serves all three.

use crate::frontend::field::{At, Given, Set, filled_in_later};
use crate::name::Name;
use crate::source::Span;
use crate::yaml::Kind;

/// Nested deeper nothing is read.
const DEEPEST: usize = 12;
/// More are no configuration.
const MOST: usize = 20_000;

/// One value. Keys are in lower case, as Traefik compares them.
#[derive(Clone, Debug)]
pub struct Setting {
    pub key: String,
    pub text: Name,
    pub at: Span,
}

/// All settings under a node, behind a prefix.
pub fn flat(at: At<'_>, prefix: &str) -> Vec<Setting> {
    let mut found = Vec::new();
    lay_out(at, prefix.to_owned(), 0, &mut found);
    found
}

fn lay_out(at: At<'_>, key: String, depth: usize, found: &mut Vec<Setting>) {
    if depth > DEEPEST || found.len() > MOST {
        return;
    }
    let below =
        |name: &str| if key.is_empty() { name.to_lowercase() } else { format!("{key}.{}", name.to_lowercase()) };
    match at.kind() {
        Kind::Mapping => at.entries().for_each(|(name, value)| lay_out(value, below(name), depth + 1, found)),
        Kind::Sequence if at.items().all(|item| item.str().is_some()) => {
            let texts: Vec<&str> = at.items().filter_map(At::str).collect();
            found.push(Setting { key, text: Name::from(texts.join(",")), at: at.span() });
        }
        Kind::Sequence => {
            for (i, item) in at.items().enumerate() {
                lay_out(item, format!("{key}[{i}]"), depth + 1, found);
            }
        }
        _ => found.extend(at.name().map(|text| Setting { key, text, at: at.span() })),
    }
}

/// Settings of one thing, keys as they follow its name.
#[derive(Clone, Debug, Default)]
pub struct Group {
    pub all: Vec<Setting>,
}

impl Group {
    pub fn get(&self, key: &str) -> Option<&Setting> {
        self.all.iter().find(|s| s.key == key)
    }

    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key).map(|s| s.text.as_str())
    }

    pub fn is_on(&self, key: &str) -> bool {
        self.text(key).is_some_and(|t| t.eq_ignore_ascii_case("true"))
    }

    /// A value with its place; one that is filled in later is neither right nor wrong.
    pub fn set<T>(&self, key: &str, read: impl Fn(&str) -> Option<T>) -> Option<Set<T>> {
        let setting = self.get(key)?;
        let value = match read(setting.text.trim()) {
            Some(value) => Given::Is(value),
            None if filled_in_later(&setting.text) => Given::Later(setting.text.clone()),
            None => Given::Wrong(setting.text.clone()),
        };
        Some(Set { value, at: setting.at })
    }

    pub fn list(&self, key: &str) -> impl Iterator<Item = &str> {
        self.text(key).into_iter().flat_map(|t| t.split(',')).map(str::trim).filter(|t| !t.is_empty())
    }

    /// The part behind a prefix.
    pub fn under(&self, prefix: &str) -> Group {
        let cut = |s: &Setting| Some(Setting { key: s.key.strip_prefix(prefix)?.to_owned(), ..s.clone() });
        Group { all: self.all.iter().filter_map(cut).collect() }
    }
}

/// Settings `http.<kind>.<name>.<rest>`, by name, in the order in which the names come.
pub fn groups(settings: &[Setting], kind: &str) -> Vec<(String, Group)> {
    let prefix = format!("http.{kind}.");
    let mut found: Vec<(String, Group)> = Vec::new();
    for setting in settings {
        let Some((name, rest)) = setting.key.strip_prefix(&prefix).and_then(|k| k.split_once('.')) else { continue };
        let own = Setting { key: rest.to_owned(), ..setting.clone() };
        match found.iter_mut().find(|(known, _)| known == name) {
            Some((_, group)) => group.all.push(own),
            None => found.push((name.to_owned(), Group { all: vec![own] })),
        }
    }
    found
}

/// Traefik's durations: Go's, and a bare number of seconds.
pub fn duration(text: &str) -> Option<std::time::Duration> {
    let seconds = || text.parse::<u64>().ok().map(std::time::Duration::from_secs);
    seconds().or_else(|| crate::frontend::mesh::time::go(text))
}
