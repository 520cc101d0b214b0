//! Finding what a model says about a path: exact paths by hash, patterns with `*` after them.

use std::sync::RwLock;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{FnModel, Model, Models, TypeModel};
use crate::name::{Name, split_last};

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
    functions_tried: RwLock<FxHashMap<Name, Option<Known>>>,
    /// Crates with a model, as code names them.
    crates: FxHashSet<String>,
}

/// Where the model of a function stands.
#[derive(Debug, Clone)]
enum Known {
    Function(Place),
    /// Of a type or a trait, with the method's name in it.
    Method(Place, Name),
    TraitMethod(Place, Name),
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
        let at = self.type_place(path)?;
        self.models[at.0].types.get(&at.1)
    }

    fn type_place(&self, path: &str) -> Option<Place> {
        match self.lookup.types.get_key_value(path) {
            Some((path, at)) => Some((*at, path.clone())),
            None => tried(&self.lookup.types_tried, &self.lookup.type_patterns, path),
        }
    }

    /// A method of a type, of what it derefs to, or its `*` method.
    pub fn method(&self, type_path: &str, name: &str) -> Option<&FnModel> {
        let (at, name) = self.method_place(type_path, name)?;
        self.models[at.0].types.get(&at.1)?.methods.get(&name)
    }

    /// The type that has the method, and under which name.
    fn method_place(&self, type_path: &str, name: &str) -> Option<(Place, Name)> {
        let mut path = type_path;
        let mut any = None;
        for _ in 0..STEPS {
            let Some(at) = self.type_place(path) else {
                break;
            };
            let Some((_, model)) = self.models[at.0].types.get_key_value(&at.1) else {
                break;
            };
            let found = |name: &str| model.methods.get_key_value(name).map(|(name, _)| (at.clone(), name.clone()));
            if let Some(found) = found(name) {
                return Some(found);
            }
            any = any.or_else(|| found("*"));
            match &model.derefs_to {
                Some(next) => path = next,
                None => break,
            }
        }
        any
    }

    /// A free function by path, or an associated one through its type. Every call of the program is asked for by several
    /// passes, and most are of nobody's model: what was found is kept, and so is that nothing was.
    pub fn function(&self, path: &str) -> Option<&FnModel> {
        let known = self.lookup.functions_tried.read().ok().and_then(|known| known.get(path).cloned());
        let known = known.unwrap_or_else(|| {
            let found = self.find_function(path);
            if let Ok(mut known) = self.lookup.functions_tried.write() {
                known.insert(Name::new(path), found.clone());
            }
            found
        });
        match known? {
            Known::Function((at, path)) => self.models[at].functions.get(&path),
            Known::Method((at, path), name) => self.models[at].types.get(&path)?.methods.get(&name),
            Known::TraitMethod((at, path), name) => self.models[at].traits.get(&path)?.methods.get(&name),
        }
    }

    fn find_function(&self, path: &str) -> Option<Known> {
        if let Some((path, at)) = self.lookup.functions.get_key_value(path) {
            return Some(Known::Function((*at, path.clone())));
        }
        if let Some((of, name)) = split_last(path) {
            if let Some((at, name)) = self.method_place(of, name) {
                return Some(Known::Method(at, name));
            }
            // A trait's method by the trait's path (`backon::Retryable::retry`).
            let of_traits = self.lookup.trait_methods.get(name).into_iter().flatten();
            if let Some(at) = of_traits.into_iter().find(|(_, path)| *path == of) {
                return Some(Known::TraitMethod(at.clone(), Name::new(name)));
            }
        }
        let patterns = &self.lookup.function_patterns;
        patterns.iter().find(|(_, pattern)| path_matches(pattern, path)).cloned().map(Known::Function)
    }

    /// Whether any model speaks for the crate a path begins with.
    pub fn is_modelled(&self, path: &str) -> bool {
        let krate = path.split("::").next().unwrap_or(path);
        self.lookup.crates.contains(krate)
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
        if model.describes_calls() {
            self.crates.insert(model.krate.replace('-', "_"));
        }
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
