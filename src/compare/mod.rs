//! What a change does: two reports held against each other. Findings are matched by fingerprint, operations by name.

mod because;
pub mod saved;

use std::collections::BTreeMap;

use serde::Serialize;

use saved::{Bound, Found, Saved, Statement};

/// Everything that differs. Findings that somebody accepted are among `accepted` alone.
#[derive(Debug, Serialize)]
pub struct Diff<'a> {
    pub new: Vec<&'a Found>,
    pub fixed: Vec<&'a Found>,
    /// The same finding at another place.
    pub moved: Vec<Pair<'a>>,
    /// The same finding with another level or other words: mostly another number.
    pub changed: Vec<Pair<'a>>,
    /// Accepted now, and before reported or not there.
    pub accepted: Vec<&'a Found>,
    /// `retrylint:` comments that were not there before.
    pub statements: Vec<&'a Statement>,
    /// The largest number after the change first.
    pub operations: Vec<Change<'a>>,
}

#[derive(Debug, Clone, Copy, Serialize)]
pub struct Pair<'a> {
    pub before: &'a Found,
    pub after: &'a Found,
}

/// An operation and a dependency whose attempts changed; `None` where the pair is not there.
#[derive(Debug, Serialize)]
pub struct Change<'a> {
    pub operation: &'a str,
    pub service: &'a str,
    pub dependency: &'a str,
    pub path: &'a str,
    pub line: u32,
    pub before: Option<&'a Bound>,
    pub after: Option<&'a Bound>,
    pub because: Vec<String>,
    /// The layers of the path that it has now, outermost first; of the old one where it is gone.
    pub layers: Vec<Step<'a>>,
}

/// One layer of a path.
#[derive(Debug, Serialize)]
pub struct Step<'a> {
    pub function: &'a str,
    pub path: &'a str,
    pub line: u32,
    pub attempts: &'a Bound,
}

impl Change<'_> {
    /// Whether more attempts are possible than before, or a new pair repeats anything.
    pub fn is_worse(&self) -> bool {
        let once = Bound::once();
        self.after.is_some_and(|after| after.size() > self.before.unwrap_or(&once).size())
    }
}

/// Holds `head` against `base`.
pub fn compare<'a>(base: &'a Saved, head: &'a Saved) -> Diff<'a> {
    let before = by_fingerprint(base);
    let after = by_fingerprint(head);
    let mut diff = Diff {
        new: Vec::new(),
        fixed: Vec::new(),
        moved: Vec::new(),
        changed: Vec::new(),
        accepted: Vec::new(),
        statements: statements(base, head),
        operations: because::operations(base, head),
    };
    for (fingerprint, after) in &after {
        let before = before.get(fingerprint).map_or(&[][..], Vec::as_slice);
        for (i, after) in after.iter().enumerate() {
            diff.place(before.get(i).copied(), after);
        }
    }
    for (fingerprint, before) in &before {
        let still = after.get(fingerprint).map_or(0, Vec::len);
        diff.fixed.extend(before.iter().skip(still).filter(|f| f.suppressed.is_none()));
    }
    diff.sort();
    diff
}

impl<'a> Diff<'a> {
    fn place(&mut self, before: Option<&'a Found>, after: &'a Found) {
        let reported = before.filter(|b| b.suppressed.is_none());
        match (before, reported, after.suppressed.is_some()) {
            (Some(_), None, true) => {}
            (_, _, true) => self.accepted.push(after),
            (_, None, false) => self.new.push(after),
            (_, Some(before), false) => {
                let pair = Pair { before, after };
                if (&before.message, &before.level) != (&after.message, &after.level) {
                    self.changed.push(pair);
                } else if (&before.path, before.line) != (&after.path, after.line) {
                    self.moved.push(pair);
                }
            }
        }
    }

    fn sort(&mut self) {
        fn worst_first(found: &mut [&Found]) {
            found.sort_by_key(|f| (std::cmp::Reverse(f.severity()), &f.path, f.line, &f.code, &f.message));
        }
        worst_first(&mut self.new);
        worst_first(&mut self.fixed);
        worst_first(&mut self.accepted);
        for pairs in [&mut self.moved, &mut self.changed] {
            pairs.sort_by_key(|p| (std::cmp::Reverse(p.after.severity()), &p.after.path, p.after.line, &p.after.code));
        }
        self.operations.sort_by_key(|c| {
            let size = std::cmp::Reverse(c.after.map_or(0, Bound::size));
            (!c.is_worse(), size, c.operation, c.dependency, c.service)
        });
    }
}

/// Equal fingerprints in the order in which they stand.
fn by_fingerprint(report: &Saved) -> BTreeMap<&str, Vec<&Found>> {
    let mut found: BTreeMap<&str, Vec<&Found>> = BTreeMap::new();
    for finding in &report.findings {
        found.entry(&finding.fingerprint).or_default().push(finding);
    }
    found
}

/// Comments of `head` beyond those that say the same in the same file of `base`.
fn statements<'a>(base: &'a Saved, head: &'a Saved) -> Vec<&'a Statement> {
    let mut known: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for said in &base.statements {
        *known.entry((&said.path, &said.says)).or_default() += 1;
    }
    let mut new = Vec::new();
    for said in &head.statements {
        match known.get_mut(&(said.path.as_str(), said.says.as_str())) {
            Some(left) if *left > 0 => *left -= 1,
            _ => new.push(said),
        }
    }
    new
}

#[cfg(test)]
mod tests;
