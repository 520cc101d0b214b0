//! What a model must fulfil besides its types: words that mean something, numbers with sources, paths that lead somewhere.

use super::load::ending_name;
use super::{Does, FnModel, Model, RetryModel, Scalar, SetTo, TypeModel};

/// A mistake, and the word of the file that it stands at.
pub struct Wrong {
    pub at: String,
    pub reason: String,
}

type Checked = Result<(), Wrong>;

fn wrong(at: &str, reason: String) -> Checked {
    Err(Wrong { at: at.to_owned(), reason })
}

const FORMS: [&str; 4] = ["client", "middleware", "combinator", "driver"];
const SHAPES: [&str; 6] = ["exponential", "fixed", "linear", "fibonacci", "custom", "none"];
const JITTERS: [&str; 5] = ["none", "full", "equal", "decorrelated", "some"];
const SAFETIES: [&str; 2] = ["repeatable", "unsafe"];
/// Roots that a canonical path cannot have: they mean a place in the tree that is read.
const RELATIVE: [&str; 4] = ["crate", "self", "super", ""];

pub fn model(model: &Model) -> Checked {
    if semver::VersionReq::parse(&model.versions).is_err() {
        return wrong("versions:", format!("`{}` is no version requirement", model.versions));
    }
    if model.sources.is_empty() || model.sources.iter().any(|s| s.trim().is_empty()) {
        return wrong("sources:", "a model needs the source lines that prove it".to_owned());
    }
    for (path, ty) in &model.types {
        canonical(path)?;
        type_model(path, ty)?;
    }
    for (path, function) in &model.functions {
        canonical(path)?;
        function_model(path, path, function)?;
    }
    for (path, of) in &model.traits {
        canonical(path)?;
        of.methods.iter().try_for_each(|(name, f)| function_model(path, name, f))?;
    }
    for (alias, to) in &model.aliases {
        canonical(alias)?;
        canonical(to)?;
        if !leads_somewhere(model, to) {
            return wrong(alias, format!("the alias `{alias}` leads nowhere: this model does not describe `{to}`"));
        }
    }
    Ok(())
}

fn canonical(path: &str) -> Checked {
    let root = path.split("::").next().unwrap_or_default();
    let odd = |c: char| !c.is_alphanumeric() && !matches!(c, '_' | ':' | '*');
    if RELATIVE.contains(&root) || path.contains(odd) || path.split("::").any(str::is_empty) {
        return wrong(path, format!("`{path}` is no canonical path"));
    }
    Ok(())
}

/// A module alias fits if anything stands below it; a path, if it is described. What belongs to another crate's model
/// cannot be looked up here.
fn leads_somewhere(model: &Model, to: &str) -> bool {
    let root = |path: &str| path.split("::").next().unwrap_or_default().to_owned();
    let paths = || model.types.keys().chain(model.functions.keys()).chain(model.traits.keys());
    if root(to) != *model.krate.replace('-', "_") && !paths().any(|p| root(p) == root(to)) {
        return true;
    }
    match to.strip_suffix('*') {
        Some(module) => paths().any(|p| p.starts_with(module)),
        None => paths().any(|p| **p == *to),
    }
}

fn type_model(path: &str, ty: &TypeModel) -> Checked {
    for (name, field) in &ty.fields {
        if name == "attempts" && field.means.is_none() {
            let reason = format!("the count `{name}` of `{path}` does not say what it means: attempts or retries");
            return wrong(&format!("{name}:"), reason);
        }
        let number = matches!(field.default, Some(Scalar::Int(_) | Scalar::Float(_)));
        if number && !sourced(field.source.as_deref()) {
            return wrong(name, format!("the default of `{name}` of `{path}` has no source"));
        }
    }
    for (told, classes) in &ty.tells {
        classes.iter().try_for_each(|class| class_name(told, class))?;
    }
    ty.constants.iter().try_for_each(|(constant, class)| class_name(constant, class))?;
    if let Some(retries) = &ty.retries {
        retry_model(path, retries)?;
    }
    if let Some(to) = &ty.derefs_to {
        canonical(to)?;
    }
    ty.methods.iter().try_for_each(|(name, f)| function_model(path, name, f))
}

fn class_name(at: &str, name: &str) -> Checked {
    match ending_name(name) {
        Some(_) => Ok(()),
        None => wrong(at, format!("`{name}` is no class of failure")),
    }
}

fn sourced(source: Option<&str>) -> bool {
    source.is_some_and(|s| !s.trim().is_empty())
}

fn one_of(at: &str, what: &str, word: Option<&str>, allowed: &[&str]) -> Checked {
    match word {
        Some(word) if !allowed.contains(&word) => wrong(at, format!("`{word}` is no {what}: {}", allowed.join(", "))),
        _ => Ok(()),
    }
}

fn retry_model(path: &str, retries: &RetryModel) -> Checked {
    one_of(path, "form of a layer", Some(&retries.form), &FORMS)?;
    one_of(path, "shape of a delay", retries.shape.as_deref(), &SHAPES)?;
    one_of(path, "jitter", retries.jitter.as_deref(), &JITTERS)?;
    one_of(path, "jitter", retries.jitter_when_on.as_deref(), &JITTERS)?;
    retries.retries_on.iter().try_for_each(|name| class_name(path, name))?;
    match sourced(retries.source.as_deref()) {
        true => Ok(()),
        false => wrong(path, format!("the retry of `{path}` has no source")),
    }
}

fn function_model(path: &str, name: &str, function: &FnModel) -> Checked {
    one_of(path, "jitter", function.jitter.as_deref(), &JITTERS)?;
    let numbers = function.sets.values().any(|s| matches!(s, SetTo::Value(Scalar::Int(_) | Scalar::Float(_))));
    let mut ends = false;
    match &function.does {
        Some(Does::Remote(remote)) => {
            one_of(path, "safety", remote.safety.as_deref(), &SAFETIES)?;
            ends = remote.ends_after_ms.is_some();
        }
        Some(Does::Retry(call)) => call.retries_on.iter().try_for_each(|name| class_name(path, name))?,
        _ => {}
    }
    if (numbers || ends) && !sourced(function.source.as_deref()) {
        return wrong(name, format!("a number of `{name}` of `{path}` has no source"));
    }
    Ok(())
}
