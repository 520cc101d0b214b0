//! Every model of `rules/models` has a fixture that shows it and a source for each of its numbers.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use retrylint::model::load::{built_in_texts, from_text};
use retrylint::model::{Model, Scalar};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn models() -> Vec<(String, Model)> {
    let parsed = built_in_texts().into_iter().map(|(path, text)| match from_text(path, text) {
        Ok(model) => (path.trim_end_matches(".yaml").to_owned(), model),
        Err(error) => panic!("{error}"),
    });
    parsed.collect()
}

#[test]
fn every_model_has_a_fixture_and_every_fixture_a_model() {
    // One that says nothing about calls only explains, and has nothing to show.
    let shows = |model: &Model| model.describes_calls() || !model.entries.is_empty();
    let named: BTreeSet<String> = models().into_iter().filter(|(_, m)| shows(m)).map(|(name, _)| name).collect();
    let folder = root().join("fixtures/rust/models");
    let shown: BTreeSet<String> = std::fs::read_dir(&folder)
        .expect("the fixtures of models are there")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    assert_eq!(named, shown);
    for name in &named {
        let text = std::fs::read_to_string(folder.join(name).join("src/lib.rs")).unwrap_or_default();
        assert!(
            text.contains("//=") || text.contains("//~") || name == "tower",
            "fixtures/rust/models/{name} shows nothing"
        );
        assert!(folder.join(name).join("Cargo.toml").is_file(), "fixtures/rust/models/{name} has no Cargo.toml");
    }
}

#[test]
fn the_fixture_of_a_model_uses_its_crate_in_a_version_it_holds_for() {
    for (name, model) in models() {
        if !model.describes_calls() && model.entries.is_empty() {
            continue;
        }
        let manifest = root().join("fixtures/rust/models").join(&name).join("Cargo.toml");
        let text = std::fs::read_to_string(manifest).expect("a fixture has a Cargo.toml");
        if &*model.krate == "std" || model.krate.contains('*') {
            continue;
        }
        let line = text.lines().find_map(|l| l.strip_prefix(&format!("{} = ", model.krate)));
        let line = line.unwrap_or_else(|| panic!("{name}: Cargo.toml does not name {}", model.krate));
        let version = line.split('"').nth(1).expect("a version in quotes");
        assert!(retrylint::model::load::holds_for(&model.versions, version), "{name}: {version}");
    }
}

/// `crate-version/path:LINE`, or in words where only the documentation was read.
#[test]
fn sources_name_a_file_and_a_line() {
    for (name, model) in models() {
        let mut sources: Vec<&str> = model.sources.iter().map(|s| &**s).collect();
        for ty in model.types.values() {
            let numbers = ty.fields.values().filter(|f| matches!(f.default, Some(Scalar::Int(_) | Scalar::Float(_))));
            for field in numbers {
                sources.push(field.source.as_deref().unwrap_or_default());
            }
            sources.extend(ty.retries.iter().filter_map(|r| r.source.as_deref()));
        }
        for source in sources {
            let line = source.rsplit_once(':').is_some_and(|(_, n)| n.parse::<u32>().is_ok_and(|n| n > 0));
            assert!(line || source.starts_with("the documented interface"), "{name}: `{source}` is no source");
        }
    }
}

/// Aliases may lead into another crate's model, which only all of them together can tell.
#[test]
fn aliases_lead_to_something_described() {
    let models = models();
    let described = |wanted: &str| {
        let fits = |path: &str| match wanted.strip_suffix('*') {
            Some(module) => path.starts_with(module),
            None => path == wanted,
        };
        models.iter().any(|(_, m)| {
            let mut paths = m.types.keys().chain(m.functions.keys()).chain(m.traits.keys());
            paths.any(|path| fits(path))
        })
    };
    for (name, model) in &models {
        for (alias, to) in &model.aliases {
            assert!(described(to), "{name}: {alias} leads to {to}, which no model describes");
        }
    }
}
