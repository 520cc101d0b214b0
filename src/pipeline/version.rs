//! Which versions of a crate a tree uses, for models that hold for some of them only.

use semver::{Version, VersionReq};
use serde::Deserialize;

use crate::model::Model;

/// The manifests of a tree, those of them that lock versions read once: they are long, and several models ask.
pub struct Manifests<'t> {
    texts: Vec<&'t str>,
    locked: Vec<Locked>,
}

/// What is read of a Cargo.lock.
#[derive(Deserialize)]
struct Lock {
    package: Vec<Locked>,
}

#[derive(Deserialize)]
struct Locked {
    name: String,
    version: Option<String>,
}

impl<'t> Manifests<'t> {
    pub fn new(texts: Vec<&'t str>) -> Manifests<'t> {
        let locks = texts.iter().filter(|text| text.contains("[[package]]"));
        let locks = locks.filter_map(|text| toml::from_str::<Lock>(text).ok());
        Manifests { locked: locks.flat_map(|l| l.package).collect(), texts }
    }

    /// Whether the model holds for a version that the manifests lock or ask for; if none names the crate, it does.
    pub fn fit(&self, model: &Model) -> bool {
        let Ok(range) = VersionReq::parse(&model.versions) else { return true };
        let locked = self.locked.iter().filter(|l| model.krate == *l.name);
        let locked: Vec<Version> = locked.filter_map(|l| Version::parse(l.version.as_ref()?).ok()).collect();
        if !locked.is_empty() {
            return locked.iter().any(|v| range.matches(v));
        }
        let asked: Vec<Version> = self.texts.iter().flat_map(|text| asked(text, &model.krate)).collect();
        asked.is_empty() || asked.iter().any(|v| range.matches(v))
    }
}

/// Versions that a Cargo.toml asks for, in any of its dependency tables, filled up to three numbers.
fn asked(text: &str, krate: &str) -> Vec<Version> {
    if !text.contains(krate) {
        return Vec::new();
    }
    let Ok(table) = text.parse::<toml::Table>() else { return Vec::new() };
    let mut tables: Vec<&toml::Value> = Vec::new();
    for (key, value) in &table {
        match key.as_str() {
            "dependencies" | "dev-dependencies" | "build-dependencies" => tables.push(value),
            "workspace" => tables.extend(value.get("dependencies")),
            _ => {}
        }
    }
    tables.into_iter().filter_map(|t| requirement(t.get(krate)?)).collect()
}

fn requirement(value: &toml::Value) -> Option<Version> {
    let text = value.as_str().or_else(|| value.get("version")?.as_str())?;
    let bare = text.trim_start_matches(['^', '=', '~', '>', ' ']).split(',').next()?.trim();
    let mut numbers = bare.split('.').map(|n| n.parse::<u64>().unwrap_or(0));
    let mut next = || numbers.next().unwrap_or(0);
    Some(Version::new(next(), next(), next()))
}
