//! The text of `retrylint.toml` into [`Settings`]. No I/O, and every refusal has its place: a key that is spelled wrong
//! and silently ignored would make a limit look as if it held.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::Deserialize;
use toml::Spanned;

use super::{Allow, Dependency, Edge, Environment, Limits, Mesh, OperationSetting, Service, Settings};
use crate::source::SourceFile;

/// What is wrong with the file, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsError {
    pub path: String,
    pub line: u32,
    pub column: u32,
    pub message: String,
}

impl SettingsError {
    pub fn at(path: &str, text: &str, offset: usize, message: impl Into<String>) -> SettingsError {
        let place = SourceFile::new(path, text).line_column(u32::try_from(offset).unwrap_or(u32::MAX));
        SettingsError { path: path.to_string(), line: place.line, column: place.column, message: message.into() }
    }
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.path, self.line, self.column, self.message)
    }
}

impl std::error::Error for SettingsError {}

/// Reads settings; unknown keys, wrong types and impossible values are errors at their place.
pub fn parse(path: &str, text: &str) -> Result<Settings, SettingsError> {
    let raw: Raw = toml::from_str(text).map_err(|e| {
        let at = e.span().map_or(0, |s| s.start);
        SettingsError::at(path, text, at, one_line(e.message()))
    })?;
    raw.settings(path).map_err(|(at, message)| SettingsError::at(path, text, at, message))
}

fn one_line(message: &str) -> String {
    let words: Vec<&str> = message.split_whitespace().collect();
    words.join(" ").replace("unknown field", "unknown key")
}

/// A refusal before its line is known: byte offset and words.
type Refusal = (usize, String);

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Raw {
    models: Vec<String>,
    limits: RawLimits,
    lints: HashMap<Spanned<String>, Spanned<String>>,
    paths: RawPaths,
    versions: BTreeMap<String, String>,
    service: Vec<RawService>,
    edge: Vec<RawEdge>,
    dependency: Vec<RawDependency>,
    operation: Vec<RawOperation>,
    mesh: Option<RawMesh>,
    environment: Vec<RawEnvironment>,
    allow: Vec<Spanned<RawAllow>>,
    values: BTreeMap<String, u64>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct RawLimits {
    attempts: Option<Spanned<u64>>,
    timeout: Option<Spanned<String>>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct RawPaths {
    exclude: Vec<String>,
    tests: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawService {
    name: String,
    package: Option<String>,
    config: Option<String>,
    #[serde(default)]
    hosts: Vec<String>,
    sidecar: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEdge {
    from: String,
    to: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawDependency {
    name: String,
    #[serde(default)]
    hosts: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawOperation {
    name: String,
    owner: Option<String>,
    deadline: Option<Spanned<String>>,
    attempts: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawMesh {
    kind: String,
    #[serde(default)]
    namespaces: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEnvironment {
    name: String,
    #[serde(default)]
    files: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAllow {
    code: String,
    path: String,
    reason: Option<String>,
}

impl Raw {
    fn settings(self, path: &str) -> Result<Settings, Refusal> {
        let lint_places = self.lints.keys().map(|k| (k.get_ref().clone(), k.span().start as u32)).collect();
        let lints = self.lints.into_iter().map(|(k, v)| level(&v).map(|()| (k.into_inner(), v.into_inner())));
        Ok(Settings {
            file: path.to_string(),
            models: self.models,
            limits: self.limits.limits()?,
            lints: lints.collect::<Result<_, _>>()?,
            lint_places,
            exclude: self.paths.exclude,
            tests: self.paths.tests,
            services: self.service.into_iter().map(RawService::service).collect(),
            edges: self.edge.into_iter().map(|e| Edge { from: e.from, to: e.to }).collect(),
            dependencies: self.dependency.into_iter().map(|d| Dependency { name: d.name, hosts: d.hosts }).collect(),
            operations: self.operation.into_iter().map(RawOperation::operation).collect::<Result<_, _>>()?,
            allow: self.allow.into_iter().map(allow).collect(),
            values: self.values,
            versions: self.versions,
            mesh: self.mesh.map(|m| Mesh { kind: m.kind, namespaces: m.namespaces }),
            environments: self.environment.into_iter().map(|e| Environment { name: e.name, files: e.files }).collect(),
        })
    }
}

impl RawLimits {
    fn limits(self) -> Result<Limits, Refusal> {
        let standard = Limits::default();
        if let Some(zero) = self.attempts.as_ref().filter(|a| *a.get_ref() == 0) {
            return Err((zero.span().start, "`attempts` is 0; an operation is at least one attempt".into()));
        }
        Ok(Limits {
            attempts: self.attempts.map_or(standard.attempts, Spanned::into_inner),
            timeout_ms: self.timeout.as_ref().map(duration).transpose()?.unwrap_or(standard.timeout_ms),
        })
    }
}

impl RawService {
    fn service(self) -> Service {
        let RawService { name, package, config, hosts, sidecar } = self;
        Service { name, package, config, hosts, sidecar }
    }
}

impl RawOperation {
    fn operation(self) -> Result<OperationSetting, Refusal> {
        let deadline_ms = self.deadline.as_ref().map(duration).transpose()?;
        Ok(OperationSetting { name: self.name, owner: self.owner, deadline_ms, attempts: self.attempts })
    }
}

fn allow(raw: Spanned<RawAllow>) -> Allow {
    let at = raw.span().start as u32;
    let RawAllow { code, path, reason } = raw.into_inner();
    Allow { code, path, reason, at }
}

fn level(word: &Spanned<String>) -> Result<(), Refusal> {
    match word.get_ref().as_str() {
        "error" | "warn" | "note" | "off" => Ok(()),
        other => {
            Err((word.span().start, format!("unknown level `{other}`, expected `error`, `warn`, `note` or `off`")))
        }
    }
}

fn duration(text: &Spanned<String>) -> Result<u64, Refusal> {
    milliseconds(text.get_ref()).ok_or_else(|| {
        (text.span().start, format!("`{}` is no duration; write it as `500ms`, `2s`, `1.5s` or `1m`", text.get_ref()))
    })
}

/// `500ms`, `2s`, `1.5s`, `1m`, `1h` in milliseconds.
fn milliseconds(text: &str) -> Option<u64> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, unit) = text.split_at(split);
    let factor = match unit.trim() {
        "ms" => 1.0,
        "s" => 1_000.0,
        "m" | "min" => 60_000.0,
        "h" => 3_600_000.0,
        _ => return None,
    };
    let number: f64 = number.parse().ok()?;
    Some((number * factor).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVERY_KEY: &str = r#"
models = ["retrylint/models/*.yaml"]
[limits]
attempts = 12
timeout = "1.5s"
[lints]
fixed-backoff = "off"
RL110 = "warn"
[paths]
exclude = ["vendor/**"]
tests = true
[versions]
nginx = "1.22"
[[service]]
name = "payments"
package = "services/payments"
config = "gateway/envoy.yaml"
hosts = ["payments"]
sidecar = "istio"
[[edge]]
from = "orders"
to = "payments"
[[dependency]]
name = "payments-db"
hosts = ["db.internal:5432"]
[[operation]]
name = "POST /checkout"
owner = "sdk::Client::checkout"
deadline = "2s"
attempts = 3
[mesh]
kind = "istio"
namespaces = ["shop"]
[[environment]]
name = "prod"
files = ["deploy/prod/**"]
[[allow]]
code = "RL310"
path = "grpc/service_config.json"
reason = "generated"
[values]
"MAX_RETRIES" = 3
"#;

    fn refused(text: &str) -> String {
        parse("retrylint.toml", text).expect_err("must be refused").to_string()
    }

    #[test]
    fn every_documented_key_is_accepted() {
        let text = EVERY_KEY;
        let settings = parse("retrylint.toml", text).expect("all keys are known");
        assert_eq!(settings.limits.attempts, 12);
        assert_eq!(settings.limits.timeout_ms, 1500);
        assert_eq!(settings.lints["fixed-backoff"], "off");
        assert_eq!(settings.operations[0].deadline_ms, Some(2000));
        assert_eq!(settings.services[0].sidecar.as_deref(), Some("istio"));
        assert_eq!(settings.values["MAX_RETRIES"], 3);
        assert_eq!(&text[settings.allow[0].at as usize..][..9], "[[allow]]");
        assert_eq!(&text[settings.lint_places["RL110"] as usize..][..5], "RL110");
    }

    #[test]
    fn an_empty_file_is_the_defaults() {
        let settings = parse("retrylint.toml", "").expect("empty is fine");
        assert_eq!((settings.limits.attempts, settings.limits.timeout_ms), (10, 60_000));
    }

    #[test]
    fn refusals_name_their_place() {
        assert!(refused("[limits]\nattemps = 3\n").starts_with("retrylint.toml:2:1: unknown key `attemps`"));
        assert!(refused("[limit]\nattempts = 3\n").starts_with("retrylint.toml:1:2: unknown key `limit`"));
        assert!(refused("[lints]\nfixed-backoff = \"of\"\n").starts_with("retrylint.toml:2:17: unknown level `of`"));
        assert!(refused("[limits]\ntimeout = \"soon\"\n").starts_with("retrylint.toml:2:11: `soon` is no duration"));
        assert!(refused("[limits]\nattempts = 0\n").starts_with("retrylint.toml:2:12: `attempts` is 0"));
        assert!(refused("[limits\n").starts_with("retrylint.toml:1:8: "));
        assert!(refused("[values]\nA = -1\n").starts_with("retrylint.toml:2:5: "));
    }

    #[test]
    fn durations() {
        let all = ["500ms", "2s", "1.5s", "1m", "1h", "2", "x", "1.2.3s"].map(milliseconds);
        assert_eq!(all, [Some(500), Some(2000), Some(1500), Some(60_000), Some(3_600_000), None, None, None]);
    }
}
