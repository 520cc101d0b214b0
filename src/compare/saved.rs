//! The part of a saved JSON report that a comparison reads. Fields that it does not know are none of its business.

use serde::{Deserialize, Serialize};

/// The version of the report's schema that is understood.
const VERSION: u32 = 1;

#[derive(Debug, Default, Deserialize)]
pub struct Saved {
    pub schema_version: u32,
    pub findings: Vec<Found>,
    pub layers: Vec<Layer>,
    pub operations: Vec<Operation>,
    /// Reports of versions that did not write them have none.
    #[serde(default)]
    pub statements: Vec<Statement>,
}

#[derive(Debug, Deserialize, Serialize)]
pub struct Found {
    pub code: String,
    pub name: String,
    pub level: String,
    pub message: String,
    pub path: String,
    pub line: u32,
    pub related: Vec<Related>,
    pub help: String,
    pub fingerprint: String,
    pub suppressed: Option<Suppressed>,
}

#[derive(Debug, Deserialize, Serialize)]
pub struct Related {
    pub path: String,
    pub line: u32,
    pub message: String,
}

#[derive(Debug, Deserialize, Serialize)]
pub struct Suppressed {
    pub reason: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct Layer {
    pub id: String,
    pub path: String,
    pub line: u32,
    pub kind: String,
    pub function: String,
    pub attempts: Bound,
}

#[derive(Debug, Deserialize)]
pub struct Operation {
    pub name: String,
    pub service: String,
    pub path: String,
    pub line: u32,
    pub dependencies: Vec<Dependency>,
}

#[derive(Debug, Deserialize)]
pub struct Dependency {
    pub name: String,
    pub calls: Bound,
    pub attempts: Bound,
    pub worst: String,
    pub layers: Vec<String>,
}

#[derive(Debug, Deserialize, Serialize)]
pub struct Statement {
    pub path: String,
    pub line: u32,
    pub says: String,
    pub reason: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
pub struct Bound {
    pub kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<u64>,
}

impl Saved {
    /// Reads a report; the error is one line without the file's name.
    pub fn parse(text: &str) -> Result<Saved, String> {
        let saved: Saved = serde_json::from_str(text)
            .map_err(|e| format!("no report of retrylint as `--format json` writes it: {e}"))?;
        match saved.schema_version {
            VERSION => Ok(saved),
            other => Err(format!("a report of schema version {other}, this version reads {VERSION}")),
        }
    }
}

impl Found {
    /// The higher the worse.
    pub fn severity(&self) -> u8 {
        match self.level.as_str() {
            "error" => 3,
            "warn" => 2,
            _ => 1,
        }
    }
}

impl Bound {
    /// What a pair that was not there counts as.
    pub fn once() -> Bound {
        Bound { kind: "exactly".into(), value: Some(1) }
    }

    /// For sorting: the larger the number, the worse.
    pub fn size(&self) -> u64 {
        match (self.kind.as_str(), self.value) {
            ("unbounded", _) => u64::MAX,
            (_, Some(value)) => value,
            _ => 2,
        }
    }

    /// `3`, `at most 3`, `no limit`, `unknown`.
    pub fn words(&self) -> String {
        match (self.kind.as_str(), self.value) {
            ("unbounded", _) => "no limit".into(),
            ("at-most", Some(n)) => format!("at most {n}"),
            ("at-least", Some(n)) => format!("at least {n}"),
            (_, Some(n)) => n.to_string(),
            _ => "unknown".into(),
        }
    }
}
