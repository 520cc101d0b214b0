//! A name for a finding that survives edits around it: code, package or config path, enclosing function, dependency, and
//! the ordinal among equals. No line, no local name, no message.

use std::collections::HashMap;

use crate::lint::{Context, Finding};
use crate::source::FileId;

/// Findings must be sorted: the ordinal is their order.
pub fn fingerprint(context: &Context<'_>, findings: &mut [Finding]) {
    let packages = packages(context);
    let mut seen: HashMap<String, u64> = HashMap::new();
    for finding in findings {
        let owner = packages.get(&finding.at.file).copied().unwrap_or_else(|| context.sources.path(finding.at));
        let dependency = finding.dependency.as_deref().unwrap_or_default();
        let identity = [finding.code, owner, &finding.context, dependency].join("\u{1f}");
        let ordinal = seen.entry(identity.clone()).or_default();
        finding.fingerprint = format!("{:016x}", fnv(&format!("{identity}\u{1f}{ordinal}")));
        *ordinal += 1;
    }
}

fn packages<'a>(context: &Context<'a>) -> HashMap<FileId, &'a str> {
    let mut packages = HashMap::new();
    for place in &context.facts.places {
        packages.entry(place.at.file).or_insert(place.package.as_str());
    }
    packages
}

/// FNV-1a. Stands in people's baselines, so it may never change; the standard library promises nothing about its hasher.
fn fnv(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_hash_is_fnv_1a() {
        assert_eq!(super::fnv(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(super::fnv("a"), 0xaf63_dc4c_8601_ec8c);
    }
}
