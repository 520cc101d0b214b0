//! Finding what a model says about a path: exact paths by hash, patterns with `*` after them.

use std::sync::RwLock;

use rustc_hash::FxHashMap;

use super::{FnModel, Model, Models, TypeModel};
use crate::name::Name;

/// Where a piece of a model stands; models are never changed once they are indexed.
type Place = (usize, Name);

/// Built once by [`Models::new`].
#[derive(Debug, Default)]
pub struct Lookup {
    aliases: FxHashMap<Name, Name>,
    /// `from::*` → `to::*`, longest first, both without the `*`.
    module_aliases: Vec<(Name, Name)>,
    types: FxHashMap<Name, usize>,
    type_patterns: Vec<Place>,
    functions: FxHashMap<Name, usize>,
    function_patterns: Vec<Place>,
    trait_methods: FxHashMap<Name, Vec<Place>>,
    types_tried: Tried,
    functions_tried: Tried,
}

/// Patterns are tried once per path; the same paths are asked for all the time.
type Tried = RwLock<FxHashMap<Name, Option<Place>>>;

/// A chain of `derefs_to` or aliases longer than this is a mistake in a model.
const STEPS: usize = 8;

impl Models {
    pub fn new(models: Vec<Model>) -> Models {
        let mut lookup = Lookup::default();
        for (at, model) in models.iter().enumerate() {
            lookup.add(at, model);
        }
        lookup.module_aliases.sort_by_key(|(from, _)| std::cmp::Reverse(from.len()));
        Models { models, lookup }
    }

    /// The spelling that models use for a path.
    pub fn canonical(&self, path: &str) -> Name {
        let mut now = Name::new(path);
        for _ in 0..STEPS {
            match self.lookup.alias(&now) {
                Some(next) if next != now => now = next,
                _ => break,
            }
        }
        now
    }

    pub fn type_model(&self, path: &str) -> Option<&TypeModel> {
        if let Some(at) = self.lookup.types.get(path) {
            return self.models[*at].types.get(path);
        }
        let found = tried(&self.lookup.types_tried, &self.lookup.type_patterns, path)?;
        self.models[found.0].types.get(&found.1)
    }

    /// A method of a type, of what it derefs to, or its `*` method.
    pub fn method(&self, type_path: &str, name: &str) -> Option<&FnModel> {
        let mut path = Name::new(type_path);
        let mut any = None;
        for _ in 0..STEPS {
            let Some(model) = self.type_model(&path) else {
                break;
            };
            if let Some(found) = model.methods.get(name) {
                return Some(found);
            }
            any = any.or_else(|| model.methods.get("*"));
            match &model.derefs_to {
                Some(next) => path = next.clone(),
                None => break,
            }
        }
        any
    }

    /// A free function by path, or an associated one through its type.
    pub fn function(&self, path: &str) -> Option<&FnModel> {
        if let Some(at) = self.lookup.functions.get(path) {
            return self.models[*at].functions.get(path);
        }
        if let Some((type_path, name)) = path.rsplit_once("::")
            && let Some(found) = self.method(type_path, name)
        {
            return Some(found);
        }
        if let Some(found) = self.trait_function(path) {
            return Some(found);
        }
        let found = tried(&self.lookup.functions_tried, &self.lookup.function_patterns, path)?;
        self.models[found.0].functions.get(&found.1)
    }

    /// A trait's method by the trait's path (`backon::Retryable::retry`).
    fn trait_function(&self, path: &str) -> Option<&FnModel> {
        let (of, name) = path.rsplit_once("::")?;
        self.trait_methods(name).find(|(path, _)| ***path == *of).map(|(_, model)| model)
    }

    /// Whether any model speaks for the crate a path begins with.
    pub fn is_modelled(&self, path: &str) -> bool {
        let krate = path.split("::").next().unwrap_or(path);
        self.models.iter().any(|m| m.krate.replace('-', "_") == krate)
    }

    /// Traits of models that add a method of that name, with the method.
    pub fn trait_methods(&self, name: &str) -> impl Iterator<Item = (&Name, &FnModel)> {
        let found = self.lookup.trait_methods.get(name).map_or(&[][..], |f| f);
        let name = Name::new(name);
        found.iter().filter_map(move |(at, path)| {
            let (path, model) = self.models[*at].traits.get_key_value(path)?;
            Some((path, model.methods.get(&name)?))
        })
    }

    /// Every type text that models give as a result.
    pub fn returned_types(&self) -> impl Iterator<Item = &Name> {
        self.models.iter().flat_map(|m| {
            let methods = m.types.values().flat_map(|t| t.methods.values());
            let traits = m.traits.values().flat_map(|t| t.methods.values());
            methods.chain(traits).chain(m.functions.values()).filter_map(|f| f.returns.as_ref())
        })
    }
}

/// The first pattern that fits a path.
fn tried(known: &Tried, patterns: &[Place], path: &str) -> Option<Place> {
    if let Some(found) = known.read().ok().and_then(|k| k.get(path).cloned()) {
        return found;
    }
    let found = patterns.iter().find(|(_, pattern)| path_matches(pattern, path)).cloned();
    if let Ok(mut known) = known.write() {
        known.insert(Name::new(path), found.clone());
    }
    found
}

impl Lookup {
    fn add(&mut self, at: usize, model: &Model) {
        for (from, to) in &model.aliases {
            match (from.strip_suffix('*'), to.strip_suffix('*')) {
                (Some(from), Some(to)) => self.module_aliases.push((from.into(), to.into())),
                _ => {
                    self.aliases.insert(from.clone(), to.clone());
                }
            }
        }
        for path in model.types.keys() {
            if path.contains('*') {
                self.type_patterns.push((at, path.clone()));
            } else {
                self.types.insert(path.clone(), at);
            }
        }
        for path in model.functions.keys() {
            if path.contains('*') {
                self.function_patterns.push((at, path.clone()));
            } else {
                self.functions.insert(path.clone(), at);
            }
        }
        for (path, model) in &model.traits {
            for name in model.methods.keys() {
                self.trait_methods.entry(name.clone()).or_default().push((at, path.clone()));
            }
        }
    }

    /// One step: the whole path, else the longest of its beginnings that is an alias, else a module.
    fn alias(&self, path: &str) -> Option<Name> {
        if self.aliases.is_empty() && self.module_aliases.is_empty() {
            return None;
        }
        if let Some(to) = self.aliases.get(path) {
            return Some(to.clone());
        }
        for (at, _) in path.rmatch_indices("::") {
            if let Some(to) = self.aliases.get(&path[..at]) {
                return Some(Name::from(format!("{to}{}", &path[at..])));
            }
        }
        let (from, to) = self.module_aliases.iter().find(|(from, _)| path.starts_with(from.as_str()))?;
        Some(Name::from(format!("{to}{}", &path[from.len()..])))
    }
}

/// `*` stands for one segment or for part of one. A pattern that begins with a `*` segment part may be shorter than the
/// path: generated code stands at any depth, so its last segments decide, and its stars stand for one and the same word
/// (`ledger_client::LedgerClient`): a crate that is merely called `some_client` is not generated.
pub fn path_matches(pattern: &str, path: &str) -> bool {
    if pattern.starts_with('*') && !same_word(pattern, path) {
        return false;
    }
    let mut wanted = pattern.rsplit("::");
    let mut given = path.rsplit("::");
    loop {
        match (wanted.next(), given.next()) {
            (None, None) => return true,
            (None, Some(_)) => return pattern.starts_with('*'),
            (Some(_), None) => return false,
            (Some(w), Some(g)) if segment_matches(w, g) => {}
            _ => return false,
        }
    }
}

/// What the stars of the segments stand for, in whichever case, is the same and not empty.
fn same_word(pattern: &str, path: &str) -> bool {
    let mut word: Option<String> = None;
    pattern.rsplit("::").zip(path.rsplit("::")).all(|(wanted, given)| {
        let Some((head, tail)) = wanted.split_once('*') else {
            return true;
        };
        let Some(middle) = given.strip_prefix(head).and_then(|g| g.strip_suffix(tail)) else {
            return false;
        };
        let plain: String = middle.chars().filter(|c| *c != '_').flat_map(char::to_lowercase).collect();
        !plain.is_empty() && *word.get_or_insert_with(|| plain.clone()) == plain
    })
}

/// At most two stars matter in practice; each is tried from the left once.
fn segment_matches(pattern: &str, text: &str) -> bool {
    let Some((head, rest)) = pattern.split_once('*') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(head) else {
        return false;
    };
    let mut parts = rest.split('*').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return text.ends_with(part);
        }
        match text.find(part) {
            Some(at) => text = &text[at + part.len()..],
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn models() -> Models {
        let text = r#"{"crate": "web", "versions": "*", "about": "", "sources": [],
            "aliases": {"web::async_impl::*": "web::*", "web::client::Client": "web::Client"},
            "types": {
                "web::Client": {"methods": {"new": {"returns": "Self"}, "get": {"returns": "web::Request"}}},
                "wrap::Client": {"derefs_to": "web::Client", "methods": {"*": {}}},
                "*_client::*Client": {"methods": {"*": {"async": true}}}},
            "functions": {"web::get": {"async": true}},
            "traits": {"back::Retryable": {"methods": {"retry": {}}}}}"#;
        Models::new(vec![serde_json::from_str(text).expect("the model above is well formed")])
    }

    #[test]
    fn aliases_are_followed_for_types_members_and_modules() {
        let models = models();
        assert_eq!(models.canonical("web::client::Client::new"), "web::Client::new");
        assert_eq!(models.canonical("web::async_impl::client::Client"), "web::Client");
        assert_eq!(models.canonical("web::Other"), "web::Other");
    }

    #[test]
    fn methods_go_through_deref_before_the_star() {
        let models = models();
        assert!(models.method("wrap::Client", "get").is_some_and(|m| m.returns.is_some()));
        assert!(models.method("wrap::Client", "other").is_some_and(|m| m.returns.is_none()));
        assert!(models.method("web::Client", "other").is_none());
        assert!(models.function("web::Client::new").is_some());
        assert!(models.function("web::get").is_some());
        assert!(models.function("web::put").is_none());
        assert_eq!(models.trait_methods("retry").count(), 1);
    }

    #[test]
    fn patterns_match_segments() {
        assert!(path_matches("aws_sdk_*::Client", "aws_sdk_s3::Client"));
        assert!(!path_matches("aws_sdk_*::Client", "my::aws_sdk_s3::Client"));
        assert!(path_matches("*_client::*Client", "pb::ledger_client::LedgerClient"));
        assert!(!path_matches("*_client::*Client", "pb::ledger_server::LedgerClient"));
        assert!(path_matches("*_client::*Client", "pb::node_ctl_client::NodeCtlClient"));
        assert!(!path_matches("*_client::*Client", "cache_client::Client"));
        assert!(!path_matches("*_client::*Client", "cache_client::RawClient"));
        let models = models();
        assert!(models.method("pb::ledger_client::LedgerClient", "get_height").is_some());
    }
}
