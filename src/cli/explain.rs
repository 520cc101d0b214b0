//! `explain`: a lint's page, a library's defaults with the lines that prove them, or an operation's number.

use std::path::Path;

use super::args::Explain;
use super::look::look;
use super::{CLEAN, Error, config, models, output, terminal};
use crate::lint;
use crate::model::{Means, Model, Models, Scalar};
use crate::name::nearest;
use crate::report::human::{self, Filter};
use crate::report::sanitise;

pub fn run(explain: &Explain) -> Result<u8, Error> {
    let settings = config::load(Path::new(""), explain.shared.config.as_deref(), &explain.paths)?.settings;
    let models = models::all(&settings)?;
    let text = match explain.what.as_deref() {
        None => list(&models),
        Some(word) => match (lint::by_name(word), find_models(&models, word)) {
            (Some(lint), _) => lint.page.to_string(),
            (None, found) if !found.is_empty() => found.iter().map(|m| model(m)).collect::<Vec<_>>().join("\n"),
            _ => operation(explain, word, &models)?,
        },
    };
    output::to_stdout(&text)?;
    Ok(CLEAN)
}

/// The models of a crate by its name on the registry or in code, of a family by the name of a member
/// (`aws-sdk-s3`), of a crate whose types another hands on (`kube-client`), and of a part of the one asked for (`pingora-core`).
fn find_models<'a>(models: &'a Models, word: &str) -> Vec<&'a Model> {
    let code = word.replace('-', "_");
    let is = |m: &&Model| match m.krate.split_once('*') {
        Some((head, tail)) => word.starts_with(head) && word.ends_with(tail),
        None => m.krate.replace('-', "_") == code,
    };
    let named: Vec<&Model> = models.models.iter().filter(is).collect();
    let hands_on = |m: &&Model| {
        let paths = m.aliases.keys().chain(m.types.keys()).chain(m.functions.keys());
        let mut roots = paths.filter_map(|path| path.split("::").next());
        roots.any(|root| root == code)
    };
    if !named.is_empty() {
        return named;
    }
    let part = |m: &&Model| m.krate.starts_with(&format!("{word}-")) || m.krate.ends_with(&format!("-{word}"));
    models.models.iter().filter(|m| hands_on(m) || part(m)).collect()
}

fn list(models: &Models) -> String {
    let mut out = String::from("Lints (retrylint explain LINT):\n");
    for lint in lint::ALL {
        out.push_str(&format!("  {}  {:<24} {:<5}  {}\n", lint.code, lint.name, lint.level.name(), lint.summary));
    }
    out.push_str("\nLibraries (retrylint explain LIBRARY):\n");
    for model in &models.models {
        let (krate, versions) = (model.krate.as_str(), model.versions.as_str());
        out.push_str(&format!("  {krate:<20} {versions:<14} {}\n", model.about));
    }
    out.push_str("\nOperations (retrylint explain OPERATION [PATH]): those that `retrylint audit` lists.\n");
    out
}

/// Defaults with the source line of each.
fn model(model: &Model) -> String {
    let mut out = format!("{} {}\n{}\n", model.krate, model.versions, model.about);
    for (path, kind) in &model.types {
        let retries = kind.retries.as_ref().and_then(|r| r.source.as_ref());
        if kind.fields.is_empty() && retries.is_none() {
            continue;
        }
        out.push_str(&format!("\n{path}\n"));
        for (name, field) in &kind.fields {
            let value = field.default.as_ref().map_or("not set".to_string(), scalar);
            let means = match field.means {
                Some(Means::Attempts) => " attempts",
                Some(Means::Retries) => " retries",
                None => "",
            };
            let source = field.source.as_ref().map(|s| format!("  {s}")).unwrap_or_default();
            out.push_str(&format!("  {name} = {value}{means}{source}\n"));
        }
        if let Some(source) = retries {
            out.push_str(&format!("  retries: {source}\n"));
        }
    }
    for (head, lines) in [("Sources", &model.sources), ("Measured", &model.measured), ("Notes", &model.notes)] {
        if !lines.is_empty() {
            out.push_str(&format!("\n{head}:\n"));
            lines.iter().for_each(|l| out.push_str(&format!("  {l}\n")));
        }
    }
    out
}

fn scalar(value: &Scalar) -> String {
    match value {
        Scalar::Bool(b) => b.to_string(),
        Scalar::Int(n) => n.to_string(),
        Scalar::Float(x) => x.to_string(),
        Scalar::Text(t) => t.to_string(),
    }
}

fn operation(explain: &Explain, word: &str, models: &Models) -> Result<String, Error> {
    let done = look(Path::new(""), &explain.shared, &explain.paths, !explain.shared.quiet)?;
    let filter = Filter { operation: Some(word.to_string()), dependency: None };
    let view = done.run.view(done.ms);
    human::why(&view, terminal::style(explain.shared.color), &filter).ok_or_else(|| {
        let lints = lint::ALL.iter().flat_map(|l| [l.name, l.code]);
        let libraries = models.models.iter().map(|m| m.krate.as_str());
        let operations = done.run.facts.operations.iter().map(|o| o.name.as_str());
        let meant = nearest(word, lints.chain(libraries).chain(operations));
        let meant = meant.map(|n| format!("; did you mean `{}`?", sanitise::line(n))).unwrap_or_default();
        Error(format!("`{word}` is no lint, no library that is modelled and no operation found here{meant}"))
    })
}
