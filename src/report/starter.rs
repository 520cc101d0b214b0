//! The first `retrylint.toml`: what was found, as entries to take up. A line of prose begins with `# `, an entry that is left
//! out with `#` alone, so that taking one up is taking one character away.

use std::collections::{BTreeMap, BTreeSet};

use super::{View, json, sanitise, words};
use crate::analysis::Row;
use crate::name::Name;
use crate::settings::Limits;

/// Entries of one kind; more of them nobody reads.
const MOST: usize = 100;

/// The file's text, and a line that says what stands in it.
pub struct Starter {
    pub text: String,
    pub summary: String,
}

pub fn starter(view: &View<'_>) -> Starter {
    let limits = Limits::default();
    let (services, hosts, operations) = (services(view), hosts(view), operations(view));
    let mut text = format!(
        "# What no file says, for retrylint. Written by `retrylint init`: every entry below is a suggestion that is left out\n\
         # until the `#` before it is taken away. Every key is optional.\n\n\
         [limits]\nattempts = {}              # the amplification above which retry-amplification (RL301) speaks\n\
         timeout = {}           # the longest that a limit of time may be (RL205)\n\n\
         # Levels of lints, by name or code: error, warn, note or off.\n#[lints]\n#fixed-backoff = \"off\"\n",
        limits.attempts,
        quoted(&format!("{}s", limits.timeout_ms / 1000)),
    );
    let parts = [
        (
            "Services that were found. Give one the names under which others call it, where no file says them.",
            &services,
        ),
        (
            "Hosts that are called and that nothing here defines. Give one a name, or name the service that answers there.",
            &hosts,
        ),
        (
            "Operations, the worst first: the layer that is meant to retry, the time that a caller waits, and a limit of its own.",
            &operations,
        ),
    ];
    for (head, entries) in parts {
        text.push_str(&section(head, entries));
    }
    let summary = format!(
        "{}, {}, {}",
        words::count(services.len(), "service"),
        words::count(hosts.len(), "host"),
        words::count(operations.len(), "operation")
    );
    Starter { text, summary }
}

fn section(head: &str, entries: &[String]) -> String {
    if entries.is_empty() {
        return String::new();
    }
    let mut out = format!("\n# {head}\n");
    entries.iter().take(MOST).for_each(|entry| out.push_str(&format!("\n{entry}")));
    if entries.len() > MOST {
        out.push_str(&format!("\n# {} more are left out.\n", entries.len() - MOST));
    }
    out
}

/// Each service with the package that it is.
fn services(view: &View<'_>) -> Vec<String> {
    let mut found: BTreeMap<&Name, &Name> = BTreeMap::new();
    for handler in &view.facts.handlers {
        found.entry(&handler.service).or_insert(&handler.package);
    }
    for operation in &view.facts.operations {
        let place = view.facts.places.get(operation.place.0 as usize);
        found.entry(&operation.service).or_insert(place.map_or(&operation.service, |place| &place.package));
    }
    let entry = |(service, package): (&Name, &Name)| {
        format!(
            "#[[service]]\n#name = {}\n#package = {}\n#hosts = [{}]\n",
            quoted(service),
            quoted(package),
            quoted(service)
        )
    };
    found.into_iter().map(entry).collect()
}

fn hosts(view: &View<'_>) -> Vec<String> {
    let mut found: BTreeMap<&Name, String> = BTreeMap::new();
    for (at, host) in &view.analysis.unresolved {
        found.entry(host).or_insert_with(|| json::id(view.sources, *at));
    }
    let entry = |(host, at): (&Name, String)| {
        let (name, at) = (quoted(host), sanitise::line(&at).into_owned());
        format!("# called at {at}\n#[[dependency]]\n#name = {name}\n#hosts = [{name}]\n")
    };
    found.into_iter().map(entry).collect()
}

/// Each name once, with its worst row.
fn operations(view: &View<'_>) -> Vec<String> {
    let mut rows: Vec<&Row> = view.analysis.rows.iter().collect();
    rows.sort_by_key(|row| std::cmp::Reverse((words::size(&row.amplification), words::size(&row.attempts))));
    let mut seen = BTreeSet::new();
    let mut out = Vec::new();
    for row in rows {
        let Some(operation) = view.facts.operations.get(row.operation) else { continue };
        if !seen.insert(&operation.name) {
            continue;
        }
        let owner = row.keep.as_ref().map_or("the path of a function, or the file of a layer", |keep| &keep.function);
        let said = format!("{}: {} to {}", operation.service, words::attempts(&row.attempts), row.dependency);
        out.push(format!(
            "# {}\n#[[operation]]\n#name = {}\n#owner = {}\n#deadline = \"2s\"\n#attempts = {}\n",
            sanitise::line(&said),
            quoted(&operation.name),
            quoted(owner),
            Limits::default().attempts
        ));
    }
    out
}

/// A string of TOML on one line.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            // What a terminal or an editor would obey.
            c if sanitise::line(c.encode_utf8(&mut [0; 4])).len() != c.len_utf8() => {
                out.push_str(&format!("\\U{:08X}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests_data::{empty, many, shop};
    use crate::settings::parse;

    /// Every entry taken up.
    fn taken_up(text: &str) -> String {
        let entry =
            |line: &str| line.strip_prefix('#').filter(|rest| !rest.starts_with(' ')).unwrap_or(line).to_string();
        text.lines().map(entry).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn it_is_good_settings_as_it_is_and_taken_up() {
        let mut data = shop();
        data.analysis.unresolved = vec![(data.analysis.layers[0].at, Name::new("stock.internal:8080"))];
        let written = starter(&data.view());
        assert_eq!(written.summary, "1 service, 1 host, 1 operation");
        let plain = parse("retrylint.toml", &written.text).expect("good settings");
        assert!(plain.services.is_empty() && plain.operations.is_empty());
        let all = parse("retrylint.toml", &taken_up(&written.text)).expect("good settings");
        assert_eq!(all.services[0].name, "a");
        assert_eq!(all.dependencies[0].hosts, ["stock.internal:8080"]);
        assert_eq!(all.operations[0].owner.as_deref(), Some("a::checkout"));
        assert_eq!(all.limits.attempts, Limits::default().attempts);
    }

    #[test]
    fn names_cannot_leave_their_string() {
        let mut data = shop();
        let hostile = "a\"\nmodels = [\"x\"]\n[limits]\\\u{1b}\u{202e}#";
        data.facts.operations[0].name = Name::new(hostile);
        data.facts.operations[0].service = Name::new(hostile);
        let text = starter(&data.view()).text;
        assert!(parse("retrylint.toml", &text).expect("good settings").models.is_empty(), "{text}");
        let all = parse("retrylint.toml", &taken_up(&text)).expect("good settings");
        assert_eq!((all.operations[0].name.as_str(), all.models.len()), (hostile, 0));
        assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}'));
    }

    #[test]
    fn a_large_or_an_empty_tree() {
        let names = |text: &str| text.matches("#[[operation]]").count();
        let mut data = many(300);
        let operation = data.facts.operations[0].clone();
        for i in 1..300 {
            data.analysis.rows[i].operation = i;
            data.facts
                .operations
                .push(crate::fact::Operation { name: Name::from(format!("GET /{i}")), ..operation.clone() });
        }
        let text = starter(&data.view()).text;
        assert_eq!(names(&text), MOST);
        assert!(text.contains("# 200 more are left out."));
        assert_eq!(names(&starter(&empty().view()).text), 0);
    }
}
