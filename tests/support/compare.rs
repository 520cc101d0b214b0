//! A report against what its input says should be in it. Works on the JSON, because that is what people build on.

use serde_json::Value;
use toml::Table;

use super::marks::{Kind, Mark};
use super::names::{milliseconds, same_bound, same_dependency, same_operation, says, shown, size};

/// Off by default: compared only where a mark or `only` names them.
pub const OFF: [&str; 11] =
    ["RL110", "RL111", "RL114", "RL204", "RL205", "RL305", "RL311", "RL501", "RL502", "RL903", "RL904"];
/// Lines that a place may be away from its mark in files that are not Rust: a setting and its block are both fair.
const NEAR_CONFIG: u64 = 3;
const NO_LOOP_OF_ITS_OWN: [&str; 8] =
    ["reconnect", "failover", "client", "middleware", "proxy", "mesh", "queue", "driver"];

/// What is expected besides the marks.
#[derive(Debug, Default, Clone)]
pub struct Expect {
    /// The codes that are compared; without it all that are on by default.
    pub only: Option<Vec<String>>,
    /// Compared whatever `only` says.
    pub also: Vec<String>,
    /// `RL109` or `RL109 src/lib.rs`: may be reported without a mark.
    pub tolerate: Vec<String>,
    pub operations: Vec<Table>,
    pub layers: Vec<Table>,
}

struct Comparison<'a> {
    expect: &'a Expect,
    marks: &'a [Mark],
    report: &'a Value,
    wrong: Vec<String>,
}

/// Everything that is not as expected, one line each.
pub fn compare(expect: &Expect, marks: &[Mark], report: &Value) -> Vec<String> {
    let mut comparison = Comparison { expect, marks, report, wrong: Vec::new() };
    comparison.findings();
    comparison.facts();
    for want in &expect.operations {
        comparison.operation(want);
    }
    for want in &expect.layers {
        comparison.layer(&want.iter().map(|(k, v)| (k.as_str(), plain(v))).collect::<Vec<_>>());
    }
    comparison.wrong
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn plain(value: &toml::Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_string)
}

fn near(file: &str) -> u64 {
    if file.ends_with(".rs") { 0 } else { NEAR_CONFIG }
}

fn spots(finding: &Value) -> Vec<(&str, u64)> {
    let all = std::iter::once(finding).chain(list(finding, "related"));
    all.map(|p| (text(p, "path"), p["line"].as_u64().unwrap_or(0))).collect()
}

fn hits(mark: &Mark, finding: &Value) -> bool {
    let Kind::Finding { code, place, .. } = &mark.kind else { return false };
    let spots = spots(finding);
    let spots = match place {
        Some(n) => spots.get(n - 1..*n).unwrap_or_default(),
        None => &spots,
    };
    let there = |(file, line): &(&str, u64)| {
        *file == mark.file && mark.line.is_none_or(|l| l.abs_diff(*line) <= near(&mark.file))
    };
    text(finding, "code") == code && spots.iter().any(there)
}

impl<'a> Comparison<'a> {
    fn watched(&self, code: &str) -> bool {
        let named = self.marks.iter().any(|m| m.code() == Some(code)) || self.expect.also.iter().any(|c| c == code);
        named || self.expect.only.as_ref().map_or(!OFF.contains(&code), |only| only.iter().any(|c| c == code))
    }

    fn tolerated(&self, finding: &Value) -> bool {
        self.expect.tolerate.iter().any(|entry| {
            let (code, file) = entry.split_once(' ').unwrap_or((entry, ""));
            code == text(finding, "code") && (file.is_empty() || spots(finding).iter().any(|(f, _)| *f == file))
        })
    }

    fn findings(&mut self) {
        let reported = list(self.report, "findings").iter();
        let seen: Vec<&Value> =
            reported.filter(|f| self.watched(text(f, "code")) && f["suppressed"].is_null()).collect();
        for mark in self.marks.iter().filter(|m| m.code().is_some()) {
            self.meet(mark, &seen);
        }
        for finding in seen {
            if !self.marks.iter().any(|m| hits(m, finding)) && !self.tolerated(finding) {
                let (code, path, message) = (text(finding, "code"), text(finding, "path"), text(finding, "message"));
                self.wrong.push(format!("not expected {code} at {path}:{}: {message}", finding["line"]));
            }
        }
    }

    fn meet(&mut self, mark: &Mark, seen: &[&Value]) {
        let Kind::Finding { code, text: words, .. } = &mark.kind else { return };
        let there: Vec<&&Value> = seen.iter().filter(|f| hits(mark, f)).collect();
        let Some(first) = there.first() else {
            let same = seen.iter().filter(|f| text(f, "code") == code);
            let others: Vec<String> = same.map(|f| format!("{}:{}", text(f, "path"), f["line"])).collect();
            let others =
                if others.is_empty() { String::new() } else { format!(" (reported at {})", others.join(", ")) };
            self.wrong.push(format!("missing {code} at {}{others}", mark.place()));
            return;
        };
        if !there.iter().any(|f| says(words, text(f, "message"))) {
            self.wrong.push(format!("{code} at {} does not say `{words}`: {}", mark.place(), text(first, "message")));
        }
    }

    fn facts(&mut self) {
        for mark in self.marks {
            let Kind::Fact { what, words } = &mark.kind else { continue };
            match what.as_str() {
                "layer" => self.layer_mark(mark, words),
                "not-a-retry" => self.not_a_retry(mark, words),
                _ => self.call_site(mark, what, words),
            }
        }
    }

    fn not_a_retry(&mut self, mark: &Mark, words: &[String]) {
        let here = |l: &&Value| {
            text(l, "path") == mark.file
                && l["line"].as_u64() == mark.line
                && !NO_LOOP_OF_ITS_OWN.contains(&text(l, "kind"))
        };
        if let Some(layer) = list(self.report, "layers").iter().find(here) {
            let kind = text(layer, "kind");
            self.wrong.push(format!("{} is no retry ({}), reported as {kind}", mark.place(), words.join(" ")));
        }
    }

    /// A number of the remote call on this line.
    fn call_site(&mut self, mark: &Mark, what: &str, words: &[String]) {
        let want = words.first().map_or("", String::as_str);
        let (key, want) = match what {
            "time" => ("time_ms", milliseconds(want)),
            "deadline" => ("deadline_ms", milliseconds(want)),
            _ => (what, want.to_string()),
        };
        let reach = near(&mark.file).max(1);
        let sites = list(self.report, "call_sites").iter().filter(|c| {
            let line = c["line"].as_u64().unwrap_or(0);
            text(c, "path") == mark.file && mark.line.is_some_and(|l| l.abs_diff(line) <= reach)
        });
        let here: Vec<&Value> = sites.map(|c| &c[key]).collect();
        if !here.iter().any(|b| same_bound(&want, b)) {
            let reported = shown(here);
            self.wrong.push(format!("{what} of the call at {}: expected {want}, reported {reported}", mark.place()));
        }
    }

    fn layer_mark(&mut self, mark: &Mark, words: &[String]) {
        let mut want = vec![("file", mark.file.clone()), ("line", mark.line.unwrap_or(0).to_string())];
        if let Some(kind) = words.first().filter(|k| *k != "retry") {
            want.push(("kind", kind.clone()));
        }
        for pair in words[1.min(words.len())..].chunks_exact(2) {
            want.push((pair[0].as_str(), pair[1].clone()));
        }
        self.layer(&want);
    }

    fn layer(&mut self, want: &[(&str, String)]) {
        let file = want.iter().find(|(k, _)| *k == "file").map_or("", |(_, v)| v.as_str());
        let layers = list(self.report, "layers");
        if layers.iter().any(|l| want.iter().all(|(key, value)| fits(l, file, key, value))) {
            return;
        }
        let has = layers.iter().map(|l| {
            let (kind, path) = (text(l, "kind"), text(l, "path"));
            format!("{kind} at {path}:{} attempts {}", l["line"], shown([&l["attempts"]]))
        });
        let has = has.collect::<Vec<_>>().join("; ");
        self.wrong.push(format!("no layer like {want:?}; reported: {}", if has.is_empty() { "none" } else { &has }));
    }

    fn operation(&mut self, want: &Table) {
        let wanted = |key: &str| want.get(key).map(plain);
        let (operation, dependency) = (wanted("operation"), wanted("dependency"));
        let pairs =
            list(self.report, "operations").iter().flat_map(|o| list(o, "dependencies").iter().map(move |d| (o, d)));
        let pairs: Vec<(&Value, &Value)> = pairs.collect();
        let name = [operation.clone(), dependency.clone()].into_iter().flatten().collect::<Vec<_>>().join(" -> ");
        let fitting = pairs.iter().filter(|(o, d)| {
            same_operation(operation.as_deref(), text(o, "name"))
                && same_dependency(dependency.as_deref(), text(d, "name"))
        });
        // Of equals the first, as `max` of the reference does.
        let worst = fitting.fold(None, |best: Option<&(&Value, &Value)>, pair| match best {
            Some(b) if size(&b.1["attempts"]) >= size(&pair.1["attempts"]) => Some(b),
            _ => Some(pair),
        });
        let Some((_, dependency)) = worst else {
            let have: Vec<String> =
                pairs.iter().map(|(o, d)| format!("{} -> {}", text(o, "name"), text(d, "name"))).collect();
            self.wrong.push(format!("no operation {name}; reported: {}", have.join(", ")));
            return;
        };
        self.numbers(&name, want, dependency);
    }

    fn numbers(&mut self, name: &str, want: &Table, dependency: &Value) {
        for key in ["attempts", "amplification", "effective"] {
            if let Some(number) = want.get(key).map(plain).filter(|n| !same_bound(n, &dependency[key])) {
                let reported = shown([&dependency[key]]);
                self.wrong.push(format!("{name}: expected {key} {number}, reported {reported}"));
            }
        }
        if let Some(worst) = want.get("scenario").map(plain).filter(|s| dependency["worst"] != **s) {
            self.wrong.push(format!("{name}: expected scenario {worst}, reported {}", dependency["worst"]));
        }
        for (scenario, number) in want.get("scenarios").and_then(|v| v.as_table()).into_iter().flatten() {
            let at = list(dependency, "scenarios").iter().find(|s| s["scenario"] == **scenario);
            let reported = at.map_or(&Value::Null, |s| &s["attempts"]);
            if !same_bound(&plain(number), reported) {
                let reported = shown([reported]);
                self.wrong.push(format!("{name}: expected {number} attempts under {scenario}, reported {reported}"));
            }
        }
        for gap in want.get("gaps").and_then(|v| v.as_array()).into_iter().flatten().map(plain) {
            if !list(dependency, "gaps").iter().any(|g| *g == *gap) {
                self.wrong.push(format!("{name}: expected the gap `{gap}`, reported {}", dependency["gaps"]));
            }
        }
        if let Some(replays) = want.get("replays").map(plain).filter(|n| !same_bound(n, &dependency["replays"])) {
            let reported = shown([&dependency["replays"]]);
            self.wrong.push(format!("{name}: expected replays {replays}, reported {reported}"));
        }
        if let Some(want) = want.get("sustained").and_then(|v| v.as_float().or(v.as_integer().map(|n| n as f64))) {
            let reported = &dependency["sustained"];
            let value = reported["value"].as_f64().or(reported.as_f64());
            if value.is_none_or(|v| (v - want).abs() > 0.05) {
                self.wrong.push(format!("{name}: expected sustained {want}, reported {reported}"));
            }
        }
    }
}

fn fits(layer: &Value, file: &str, key: &str, value: &str) -> bool {
    let as_text = |v: &Value| v.as_str().map_or_else(|| v.to_string(), str::to_string);
    match key {
        "file" => text(layer, "path") == value,
        "line" => {
            let line = layer["line"].as_u64().unwrap_or(0);
            value.parse::<u64>().is_ok_and(|v| v.abs_diff(line) <= near(file))
        }
        "attempts" => same_bound(value, &layer["attempts"]),
        "backoff" | "shape" => layer["backoff"]["shape"] == value,
        "jitter" | "base_ms" | "cap_ms" | "factor" => as_text(&layer["backoff"][key]) == value,
        _ => as_text(&layer[key]) == value,
    }
}
