//! Which versions of a crate a tree uses, for models that hold for some of them only.

use semver::{Version, VersionReq};

use crate::model::Model;

/// Whether the model holds for a version that the manifests lock or ask for; if none names the crate, it does.
pub fn fits(model: &Model, manifests: &[&str]) -> bool {
    let Ok(range) = VersionReq::parse(&model.versions) else { return true };
    let locked: Vec<Version> = manifests.iter().flat_map(|text| locked(text, &model.krate)).collect();
    if !locked.is_empty() {
        return locked.iter().any(|v| range.matches(v));
    }
    let asked: Vec<Version> = manifests.iter().flat_map(|text| asked(text, &model.krate)).collect();
    asked.is_empty() || asked.iter().any(|v| range.matches(v))
}

/// Versions of the crate in the text of a Cargo.lock.
fn locked(text: &str, krate: &str) -> Vec<Version> {
    let Ok(table) = text.parse::<toml::Table>() else { return Vec::new() };
    let packages = table.get("package").and_then(|p| p.as_array()).into_iter().flatten();
    let of = |p: &toml::Value| Version::parse(p.get("version")?.as_str()?).ok();
    packages.filter(|p| p.get("name").and_then(|n| n.as_str()) == Some(krate)).filter_map(of).collect()
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
