//! Lines that HAProxy does not take as they are written: words it does not know, settings that nothing is left for, options
//! after which no connection is used again.

use std::collections::BTreeMap;

use super::conf::{Kind, Section, Statement};
use super::lex;
use super::rules::rules;
use super::settings::{Count, Settings};
use super::unit::{Proxy, Unit};
use crate::fact::{Facts, Remark, RemarkKind};
use crate::name::{Name, nearest};
use crate::source::Span;

pub fn remarks(unit: &Unit, facts: &mut Facts) {
    let mut found: Vec<Remark> = Vec::new();
    let sections = unit.proxies.iter().map(|p| &p.section).chain(unit.defaults.iter().map(|(section, _)| section));
    for section in sections {
        section.lines.iter().filter_map(|line| refused(section, line)).for_each(|remark| found.push(remark));
        found.extend(replaced(section));
    }
    let homes = Homes::of(unit);
    found.extend(dead(unit, &homes));
    found.extend(closing(unit, &homes));
    found.sort_by_key(|r| (r.at, r.is as u8));
    found.dedup_by_key(|r| (r.at, r.is as u8));
    facts.remarks.extend(found);
}

fn say(is: RemarkKind, section: &Section, line: Span, setting: &str, message: String, help: &str) -> Remark {
    let context = Name::from(format!("{} {}.{setting}", section.head.word(0), section.name));
    Remark { is, at: line, context, message, help: help.to_owned() }
}

fn shown(line: &Statement) -> String {
    let words: Vec<&str> = line.words.iter().take(4).map(|w| w.value.as_str()).collect();
    words.join(" ")
}

/// What `haproxy -c` does not let through, or reads as something else.
fn refused(section: &Section, line: &Statement) -> Option<Remark> {
    let rejected = |at: Span, setting: &str, message: String, help: &str| {
        Some(say(RemarkKind::Rejected, section, at, setting, message, help))
    };
    if line.words.iter().any(|w| w.open) {
        return None;
    }
    match line.word(0) {
        "retry-on" if section.kind == Kind::Frontend => {
            let message = "HAProxy refuses `retry-on` in a frontend: only what has servers repeats requests".to_owned();
            rejected(line.at, "retry-on", message, "move it to the backend, or to its defaults")
        }
        "retry-on" => listed(section, line),
        "timeout" => time(section, line),
        "option" => mistyped(line.word(1), &rules().known.options).and_then(|near| {
            let message = format!("HAProxy refuses `option {}`: it has no option of that name", line.word(1));
            rejected(line.at, "option", message, &format!("write `option {near}`"))
        }),
        "http-request" => mistyped(line.word(1), &rules().known.actions).and_then(|near| {
            let message = format!("HAProxy refuses `http-request {}`: it has no action of that name", line.word(1));
            rejected(line.at, "http-request", message, &format!("write `{near}`"))
        }),
        other => mistyped(other, &rules().known.settings).and_then(|near| {
            let message = format!("HAProxy refuses `{}`: it has no setting of that name", shown(line));
            rejected(line.at, &near, message, &format!("write `{near}`"))
        }),
    }
}

/// The word that was meant, where one is near and none of the kind is written so.
fn mistyped(word: &str, known: &[Name]) -> Option<Name> {
    if known.iter().any(|k| **k == *word) {
        return None;
    }
    nearest(word, known.iter().map(|k| k.as_str())).map(Name::new)
}

fn listed(section: &Section, line: &Statement) -> Option<Remark> {
    let words = line.from(1);
    let rejected =
        |at: Span, message: String, help: &str| Some(say(RemarkKind::Rejected, section, at, "retry-on", message, help));
    if words.is_empty() {
        let message = "HAProxy refuses `retry-on` without a word".to_owned();
        return rejected(line.at, message, "list what is to be tried again, such as `conn-failure 503`");
    }
    let unknown = words.iter().position(|w| rules().repeats(&w.value).is_none());
    if let Some(at) = unknown {
        let word = words[at].value.as_str();
        let near = nearest(word, rules().words().map(|w| w.as_str()));
        let message = format!("HAProxy refuses `{word}` in `retry-on`: it has no word of that name");
        let help = match near {
            Some(near) => format!("write `{near}`"),
            None => "write single codes such as `503`, or words such as `empty-response`".to_owned(),
        };
        return rejected(line.at_word(at + 1), message, &help);
    }
    if words.len() > 1 && words.iter().any(|w| w.value == "none") {
        let message = "HAProxy refuses `none` beside other words in `retry-on`".to_owned();
        return rejected(line.at, message, "take `none` out, or the others");
    }
    None
}

fn time(section: &Section, line: &Statement) -> Option<Remark> {
    let (name, written) = (line.word(1), line.word(2));
    let rejected = |at: Span, message: String, help: &str| {
        Some(say(RemarkKind::Rejected, section, at, &format!("timeout {name}"), message, help))
    };
    if let Some(near) = mistyped(name, &rules().known.times) {
        let message = format!("HAProxy refuses `timeout {name}`: it has no timeout of that name");
        return rejected(line.at, message, &format!("write `timeout {near}`"));
    }
    let known = rules().known.times.iter().any(|k| **k == *name);
    if !known || written.is_empty() {
        return None;
    }
    let units = "us, ms, s, m, h and d are units; a number alone is milliseconds";
    if line.words.len() > 3 && matches!(line.word(3), "us" | "ms" | "s" | "m" | "h" | "d") {
        let message =
            format!("HAProxy refuses `timeout {name} {written} {}`: a unit follows its number at once", line.word(3));
        return rejected(line.at, message, &format!("write `{written}{}`", line.word(3)));
    }
    let wrong = lex::time(written).err().filter(|_| written.starts_with(|c: char| c.is_ascii_digit()))?;
    let message = format!("HAProxy does not take `timeout {name} {written}`: `{wrong}` is no unit");
    rejected(line.at, message, units)
}

/// A setting that a later line of the same section takes the place of.
fn replaced(section: &Section) -> Vec<Remark> {
    let mut found = Vec::new();
    for setting in ["retries", "retry-on"] {
        let mut lines = section.lines.iter().filter(|l| l.word(0) == setting).peekable();
        while let Some(line) = lines.next() {
            if let Some(later) = lines.peek() {
                let message =
                    format!("`{}` does nothing: `{}` in the same section takes its place", shown(line), shown(later));
                found.push(say(
                    RemarkKind::Dead,
                    section,
                    line.at,
                    setting,
                    message,
                    "keep one line, with all that is meant",
                ));
            }
        }
    }
    found
}

/// What becomes of a setting wherever it holds: why it does nothing, `None` as soon as it does something.
type Fates = BTreeMap<Span, Option<(&'static str, String, &'static str)>>;

fn dead(unit: &Unit, homes: &Homes<'_>) -> Vec<Remark> {
    let mut fates = Fates::new();
    for proxy in unit.proxies.iter().filter(|p| p.section.kind.has_servers()) {
        judge(&proxy.settings, &mut fates);
    }
    for (_, settings) in &unit.defaults {
        numberless(settings, &mut fates);
    }
    let mut found: Vec<Remark> = Vec::new();
    for (at, why) in fates {
        let Some((setting, message, help)) = why else { continue };
        found.extend(homes.holding(at).map(|s| say(RemarkKind::Dead, s, at, setting, message, help)));
    }
    let frontends = unit.proxies.iter().filter(|p| p.section.kind == Kind::Frontend);
    found.extend(frontends.flat_map(|p| without_servers(&p.section)));
    found
}

fn judge(settings: &Settings, fates: &mut Fates) {
    numberless(settings, fates);
    let words = settings.words();
    if let Some(retries) = settings.retries.as_ref().filter(|r| !matches!(r.value, Count::Wrong(_))) {
        let why = (words == ["none"] && retries.value != Count::Is(0)).then(|| {
            ("retries", "`retries` does nothing beside `retry-on none`: 1 attempt".to_owned(), "take one of them out")
        });
        fate(fates, retries.at, why);
    }
    let Some(list) = &settings.retry_on else { return };
    let connects = words.iter().any(|w| matches!(*w, "conn-failure" | "all-retryable-errors" | "none"));
    let known = words.iter().all(|w| rules().repeats(w).is_some());
    let why = match settings.retries() {
        Some(0) if words != ["none"] => {
            Some("`retry-on` does nothing: `retries` is 0, so there is 1 attempt".to_owned())
        }
        _ if settings.tcp && !connects && known => {
            Some("`retry-on` repeats nothing in `mode tcp`: only `conn-failure` can be told there".to_owned())
        }
        _ => None,
    };
    fate(fates, list.at, why.map(|message| ("retry-on", message, "take it out, or what stands in its way")));
}

/// `retries three` is no mistake to HAProxy: it reads 0.
fn numberless(settings: &Settings, fates: &mut Fates) {
    let Some(retries) = &settings.retries else { return };
    if let Count::Wrong(text) = &retries.value {
        let message = format!("HAProxy reads `retries {text}` as 0: 1 attempt");
        fate(fates, retries.at, Some(("retries", message, "write a number of 0 or more")));
    }
}

fn fate(fates: &mut Fates, at: Span, why: Option<(&'static str, String, &'static str)>) {
    fates.entry(at).and_modify(|known| *known = known.take().filter(|_| why.is_some())).or_insert(why);
}

/// The sections by where they begin, to find the one that a line stands in.
struct Homes<'u>(BTreeMap<Span, &'u Section>);

impl<'u> Homes<'u> {
    fn of(unit: &'u Unit) -> Homes<'u> {
        let all = unit.proxies.iter().map(|p| &p.section).chain(unit.defaults.iter().map(|(s, _)| s));
        Homes(all.map(|s| (s.head.at, s)).collect())
    }

    fn holding(&self, at: Span) -> Option<&'u Section> {
        self.0.range(..=at).next_back().map(|(_, section)| *section)
    }
}

/// Settings of servers in a section that has none.
fn without_servers(section: &Section) -> impl Iterator<Item = Remark> {
    section.lines.iter().filter_map(move |line| {
        let setting = match (line.word(0), line.word(1)) {
            ("retries", _) => "retries",
            ("option", "redispatch") => "option redispatch",
            ("timeout", "server") => "timeout server",
            ("timeout", "connect") => "timeout connect",
            _ => return None,
        };
        let message = format!("`{setting}` does nothing in a frontend: it has no servers");
        Some(say(RemarkKind::Dead, section, line.at, setting, message, "move it to the backend, or to its defaults"))
    })
}

/// One for each option that holds for a server of HTTP.
fn closing(unit: &Unit, homes: &Homes<'_>) -> Vec<Remark> {
    let uses = |p: &&Proxy| !p.settings.tcp && p.servers.as_ref().is_some_and(|s| !s.is_empty());
    let said = |p: &Proxy| {
        let option = p.settings.closing.as_ref()?;
        let section = homes.holding(option.at)?;
        let message = format!("every request to a server opens a new connection: `option {}`", option.value);
        let help = "take it out: HAProxy keeps connections to servers, and uses them again where it is safe";
        Some(say(RemarkKind::NoReuse, section, option.at, &option.value, message, help))
    };
    unit.proxies.iter().filter(uses).filter_map(said).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_of_haproxy_is_taken_for_a_mistyped_one() {
        let settings = "acl bind balance cookie redirect reqdeny reqirep reqrep rspirep resolvers errorfile errorloc maxconn filter \
            server stats source stick stick-table use-server http-request http-response http-check tcp-request monitor-uri \
            default-server default_backend rate-limit grace dispatch capture compression fullconn hash-type id load-server-state-from-file";
        let options = "httplog tcplog dontlognull forwardfor originalto httpchk tcp-check abortonclose accept-invalid-http-request \
            allbackups checkcache clitcpka contstats dontlog-normal http-buffer-request http-ignore-probes http-no-delay \
            http-pretend-keepalive http-use-proxy-header http-use-htx http-tunnel http_proxy httpclose forceclose independent-streams \
            ldap-check log-health-checks log-separate-errors logasap mysql-check persist pgsql-check prefer-last-server redis-check \
            smtpchk socket-stats splice-auto splice-request srvtcpka tcp-smart-accept tcpka transparent h1-case-adjust-bogus-client \
            http-restrict-req-hdr-names http-drop-request-trailers idle-close-on-response use-small-buffers";
        let actions = "add-acl add-header allow auth cache-use capture del-header deny do-resolve early-hint lua.x redirect reject \
            replace-header replace-path return set-header set-log-level set-map set-method set-nice set-path set-query set-src \
            set-timeout set-uri set-var silent-drop strict-mode tarpit track-sc0 unset-var use-service wait-for-body wait-for-handshake";
        let known = &rules().known;
        for (words, near) in [(settings, &known.settings), (options, &known.options), (actions, &known.actions)] {
            for word in words.split_whitespace() {
                assert_eq!(mistyped(word, near), None, "{word}");
            }
        }
        assert!(mistyped("retires", &known.settings).is_some() && mistyped("redispach", &known.options).is_some());
    }
}
