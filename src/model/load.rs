//! Reading models: the built-in ones of `rules/models`, compiled into the binary, and those that users write.
//!
//! A model is data that numbers hang on, so a mistake in one is an error with its place and never a guess: unknown keys,
//! classes, aliases that lead nowhere, counts that do not say what they mean, numbers without a source.

use std::fmt;

use include_dir::{Dir, include_dir};
use rustc_hash::FxHashMap;
use serde_yaml::with::singleton_map_recursive;

use super::{Model, check};
use crate::class::{Ending, Endings, FailureClass};
use crate::name::Name;

static BUILT_IN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/rules/models");

/// Why a model cannot be used, in one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadError {
    pub file: String,
    /// From 1; 1 too where no line can be told.
    pub line: usize,
    pub reason: String,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.reason)
    }
}

impl std::error::Error for LoadError {}

/// The texts of the built-in models by file name, sorted.
pub fn built_in_texts() -> Vec<(&'static str, &'static str)> {
    let mut all: Vec<_> = BUILT_IN
        .files()
        .filter_map(|f| Some((f.path().to_str()?, f.contents_utf8()?)))
        .filter(|(path, _)| path.ends_with(".yaml"))
        .collect();
    all.sort_unstable();
    all
}

/// All built-in models.
pub fn built_in() -> Result<Vec<Model>, LoadError> {
    built_in_for(|_| true)
}

/// Crates that others hand on under names of their own, so that code uses them without a line in its manifest.
const HANDED_ON: [&str; 8] = ["std", "futures", "http", "log", "rand", "retry-policies", "tokio", "tower"];

/// The built-in models of crates that `used` names (as on the registry); the rest is not even parsed. Models of the
/// standard library, of crates that others hand on and of families of crates (`aws-sdk-*`) are always there.
pub fn built_in_for(used: impl Fn(&str) -> bool) -> Result<Vec<Model>, LoadError> {
    let wanted = |text: &str| match crate_line(text) {
        Some(krate) => HANDED_ON.contains(&krate) || krate.contains('*') || used(krate),
        None => true,
    };
    built_in_texts().into_iter().filter(|(_, text)| wanted(text)).map(|(path, text)| parse(path, text)).collect()
}

/// The crate a model is about, without parsing it: `crate:` stands at the beginning of a line.
fn crate_line(text: &str) -> Option<&str> {
    let value = text.lines().find_map(|line| line.strip_prefix("crate:"))?;
    Some(value.split(" #").next().unwrap_or(value).trim().trim_matches(['"', '\'']))
}

/// A model that a user wrote, or that a test looks at.
pub fn from_text(path: &str, text: &str) -> Result<Model, LoadError> {
    parse(path, text).and_then(|model| {
        check::model(&model).map_err(|wrong| LoadError {
            file: path.to_owned(),
            line: line_of(text, &wrong.at),
            reason: wrong.reason,
        })?;
        Ok(model)
    })
}

/// Without the checks: those of the built-in models are a test's work, not every run's.
fn parse(path: &str, text: &str) -> Result<Model, LoadError> {
    let read = singleton_map_recursive::deserialize(serde_yaml::Deserializer::from_str(text));
    read.map_err(|e: serde_yaml::Error| LoadError {
        file: path.to_owned(),
        line: e.location().map_or(1, |l| l.line()),
        reason: e.to_string().replace('\n', " "),
    })
}

/// The line on which a key or value of a model first stands.
fn line_of(text: &str, key: &str) -> usize {
    text.lines().position(|line| line.contains(key)).map_or(1, |at| at + 1)
}

/// The models that hold for the versions in use (code name or registry name → versions from Cargo.lock, or requirements
/// as written). A crate whose version is not known keeps all its models, the newest first.
pub fn for_versions(mut models: Vec<Model>, versions: &FxHashMap<Name, Vec<Name>>) -> Vec<Model> {
    models.retain(|model| {
        let code_name = model.krate.replace('-', "_");
        let known = versions.get(&*model.krate).or_else(|| versions.get(code_name.as_str()));
        known.is_none_or(|all| all.is_empty() || all.iter().any(|v| holds_for(&model.versions, v)))
    });
    models
}

/// Whether a version, which may be shortened (`0.27`) or have an operator in front, meets a requirement. What is no
/// version at all is taken to meet it.
pub fn holds_for(requirement: &str, version: &str) -> bool {
    let digits = version.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = digits.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(digits.len());
    let mut parts = digits[..end].split('.').map(|p| p.parse::<u64>().unwrap_or(0));
    let mut next = || parts.next().unwrap_or(0);
    let (major, minor, patch) = (next(), next(), next());
    match semver::VersionReq::parse(requirement) {
        Ok(wanted) if !digits.is_empty() => wanted.matches(&semver::Version::new(major, minor, patch)),
        _ => true,
    }
}

/// The endings that names of models stand for: a class is its answer and its error, `status:NAME` and `error:NAME` one
/// side, `statuses`, `errors`, `all` (failures) whole sides, `ok` success. Unknown names are none; the checks refuse them.
pub fn endings(names: &[Name]) -> Endings {
    names.iter().fold(Endings::NONE, |all, name| all | ending_name(name).unwrap_or(Endings::NONE))
}

/// What one name stands for, if it stands for anything.
pub fn ending_name(name: &str) -> Option<Endings> {
    let class = |name: &str| FailureClass::from_name(name);
    Some(match name {
        "ok" => Endings::OK,
        "all" => Endings::FAILURES,
        "errors" => Endings::ERRORS,
        "statuses" => Endings::STATUSES,
        _ => match name.split_once(':') {
            Some(("status", side)) => Endings::one(Ending::Status(class(side)?)),
            Some(("error", side)) => Endings::one(Ending::Error(class(side)?)),
            Some(_) => return None,
            None => Endings::of_classes([class(name)?]),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "crate: x\nversions: \"*\"\nabout: a\nsources: [x-1.0.0/src/lib.rs:1]\n";

    fn fails(body: &str) -> String {
        from_text("x.yaml", &format!("{HEAD}{body}")).expect_err("the model is wrong").to_string()
    }

    #[test]
    fn every_built_in_model_loads_and_holds() {
        let mut wrong = Vec::new();
        for (path, text) in built_in_texts() {
            match from_text(path, text) {
                Ok(model) => assert_eq!(crate_line(text), Some(&*model.krate), "{path}"),
                Err(error) => wrong.push(error.to_string()),
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(built_in_texts().len() > 10);
    }

    #[test]
    fn errors_name_the_file_the_line_and_the_reason() {
        assert!(fails("functionz: {}\n").starts_with("x.yaml:5: "), "{}", fails("functionz: {}\n"));
        let means = fails("types:\n  x::P:\n    fields:\n      attempts: {default: 3, source: \"x-1.0.0/a.rs:1\"}\n");
        assert_eq!(means, "x.yaml:8: the count `attempts` of `x::P` does not say what it means: attempts or retries");
        assert!(fails("aliases: {x::A: x::B}\n").contains("leads nowhere"));
        assert!(fails("types: {x::E: {tells: {is_slow: [slow]}}}\n").contains("`slow`"));
        assert!(fails("types: {x::E: {role: driver}}\n").contains("driver"));
        assert!(fails("types: {x::E: {fields: {cap: {default: 5}}}}\n").contains("no source"));
        assert!(fails("types: {crate::E: {}}\n").contains("canonical"));
        assert!(from_text("x.yaml", "crate: [").is_err());
        assert!(from_text("x.yaml", "").is_err());
    }

    #[test]
    fn effects_are_written_as_maps_with_one_key() {
        let body =
            "functions:\n  x::wait: {async: true, does: {sleep: {duration: {arg: 0}}}}\n  x::go: {does: local}\n";
        let model = from_text("x.yaml", &format!("{HEAD}{body}")).expect("the model is right");
        let does = |path: &str| format!("{:?}", model.functions[path].does);
        assert_eq!(does("x::wait"), "Some(Sleep { duration: Arg(0) })");
        assert_eq!(does("x::go"), "Some(Local)");
    }

    #[test]
    fn names_of_endings() {
        let named = |names: &[&str]| endings(&names.iter().map(|n| Name::new(n)).collect::<Vec<_>>());
        assert_eq!(named(&["timeout"]), Endings::of_classes([FailureClass::Timeout]));
        assert_eq!(named(&["status:throttled"]), Endings::one(Ending::Status(FailureClass::Throttled)));
        assert_eq!(named(&["errors", "statuses"]), named(&["all"]));
        assert_eq!(ending_name("error:slow"), None);
    }

    #[test]
    fn versions_choose_among_models() {
        assert!(holds_for(">=0.27, <1", "0.27"));
        assert!(!holds_for(">=0.27, <1", "1.0.2"));
        assert!(holds_for(">=1", "^1.2"));
        assert!(holds_for(">=1", "1.0.0-rc.0"));
        assert!(holds_for(">=1", "workspace"));
        let models: Vec<_> = built_in().expect("the built-in models parse");
        let versions = FxHashMap::from_iter([(Name::new("ureq"), vec![Name::new("2.12.1")])]);
        let kept: Vec<_> = for_versions(models, &versions).into_iter().filter(|m| m.krate == "ureq").collect();
        assert_eq!(kept.len(), 1);
        assert!(kept[0].types.contains_key("ureq::AgentBuilder"));
    }

    #[test]
    fn only_what_is_used_is_parsed() {
        let models = built_in_for(|name| name == "backon").expect("the built-in models parse");
        assert!(models.iter().any(|m| m.krate == "backon") && models.iter().any(|m| m.krate == "std"));
        assert!(!models.iter().any(|m| m.krate == "reqwest"));
    }
}
