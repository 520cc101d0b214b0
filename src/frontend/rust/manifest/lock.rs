//! Cargo.lock: which versions packages have. It is the longest file of most trees, so only what is asked for is kept.

use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde::de::IgnoredAny;

#[derive(Default)]
pub struct Lock {
    by_name: FxHashMap<String, Vec<Locked>>,
}

#[derive(Deserialize)]
struct Written {
    #[serde(default)]
    package: Vec<Locked>,
}

#[derive(Deserialize)]
pub struct Locked {
    name: String,
    pub version: Option<String>,
    /// `name`, or `name version` where there are several.
    #[serde(default)]
    pub dependencies: Vec<String>,
}

impl Lock {
    /// An error where it is no TOML; TOML that is no lock file locks nothing.
    pub fn read(text: &str) -> Result<Lock, toml::de::Error> {
        let mut lock = Lock::default();
        let written = match toml::from_str::<Written>(text) {
            Ok(written) => written,
            Err(_) => {
                toml::from_str::<IgnoredAny>(text)?;
                return Ok(lock);
            }
        };
        for package in written.package {
            lock.by_name.entry(package.name.clone()).or_default().push(package);
        }
        Ok(lock)
    }

    /// The packages of a name, in the order of the file.
    pub fn named(&self, name: &str) -> &[Locked] {
        self.by_name.get(name).map(Vec::as_slice).unwrap_or_default()
    }
}
