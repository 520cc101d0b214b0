//! The rules by which a frontend picks what answers, in the order in which they are asked, and the virtual hosts that they
//! make.

use rustc_hash::FxHashMap;

use super::acl::{Acls, Asks, Condition, Term};
use super::conf::{Section, Statement};
use super::settings::Settings;
use crate::fact::PathRule;
use crate::name::Name;
use crate::source::Span;

/// What a rule leads to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Goal {
    Backend(String),
    /// The servers of the section itself.
    Own,
    /// HAProxy answers by itself.
    Answer,
    /// Made of the request; the text that says how.
    Picked(String),
}

#[derive(Debug, Clone)]
pub struct Rule {
    /// Empty: any.
    pub hosts: Vec<Name>,
    pub methods: Vec<Name>,
    pub paths: Vec<PathRule>,
    /// Something else is asked too.
    pub perhaps: bool,
    pub goal: Goal,
    pub at: Span,
}

/// More of one section are not followed.
const MOST: usize = 5_000;

/// The rules of a section, up to the first that always fits.
pub fn rules(section: &Section, settings: &Settings, acls: &Acls) -> Vec<Rule> {
    let mut found = Vec::new();
    let answers = section.lines.iter().filter(|l| answers(l));
    for line in answers.chain(section.lines.iter().filter(|l| l.word(0) == "use_backend")) {
        let goal = match line.word(0) {
            "use_backend" => goal(line.word(1)),
            _ => Goal::Answer,
        };
        let condition = condition(line, acls);
        let certain = goal != Goal::Answer;
        let made = condition.any.iter().map(|terms| rule(terms, goal.clone(), line.at));
        // An answer that may be given or not takes nothing away.
        found.extend(made.filter(|r| certain || !r.perhaps));
        if condition.is_constant() == Some(true) || found.len() > MOST {
            return found;
        }
    }
    let last = match &settings.default_backend {
        Some(set) => Some((goal(&set.value), set.at)),
        None => section.kind.has_servers().then_some((Goal::Own, section.head.at)),
    };
    found.extend(last.map(|(goal, at)| rule(&[], goal, at)));
    found
}

/// Lines by which a request is answered without a server.
fn answers(line: &Statement) -> bool {
    match line.word(0) {
        "http-request" => matches!(line.word(1), "deny" | "reject" | "tarpit" | "return" | "redirect" | "silent-drop"),
        "redirect" => true,
        "monitor-uri" => true,
        _ => false,
    }
}

fn condition(line: &Statement, acls: &Acls) -> Condition {
    if line.word(0) == "monitor-uri" {
        let asks = Asks::Paths(vec![PathRule::Exact(Name::new(line.word(1)))]);
        return Condition { any: vec![vec![Term { asks, negated: false }]] };
    }
    acls.condition(&line.words)
}

fn goal(name: &str) -> Goal {
    if name.contains("%[") { Goal::Picked(name.to_owned()) } else { Goal::Backend(name.to_owned()) }
}

fn rule(terms: &[Term], goal: Goal, at: Span) -> Rule {
    let mut rule = Rule { hosts: Vec::new(), methods: Vec::new(), paths: Vec::new(), perhaps: false, goal, at };
    for term in terms {
        match &term.asks {
            _ if term.negated => rule.perhaps = true,
            Asks::Paths(paths) if rule.paths.is_empty() && !paths.is_empty() => rule.paths = paths.clone(),
            Asks::Hosts(hosts) if rule.hosts.is_empty() && !hosts.is_empty() => rule.hosts = hosts.clone(),
            Asks::Methods(methods) if rule.methods.is_empty() && !methods.is_empty() => rule.methods = methods.clone(),
            // Two lists of one kind must both fit.
            _ => rule.perhaps = true,
        }
    }
    rule
}

/// The rules that a request for each host is asked, the last for all others: positions among the rules.
pub fn by_host(rules: &[Rule]) -> Vec<(Option<Name>, Vec<usize>)> {
    let general: Vec<usize> = (0..rules.len()).filter(|i| rules[*i].hosts.is_empty()).collect();
    let mut order: Vec<&Name> = Vec::new();
    let mut named: FxHashMap<&Name, Vec<usize>> = FxHashMap::default();
    for (i, rule) in rules.iter().enumerate() {
        for host in &rule.hosts {
            let own = named.entry(host).or_insert_with(|| {
                order.push(host);
                Vec::new()
            });
            own.push(i);
        }
    }
    let mut all = Vec::new();
    let mut left = MOST;
    for host in order {
        let mut both: Vec<usize> = named[host].iter().chain(&general).copied().collect();
        both.sort_unstable();
        let Some(rest) = left.checked_sub(both.len()) else { break };
        left = rest;
        all.push((Some(host.clone()), both));
    }
    all.push((None, general));
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::haproxy::{conf, lex};
    use crate::source::FileId;

    fn of(text: &str) -> Vec<Rule> {
        let section = conf::sections(FileId(0), lex::lines(text).0).remove(0);
        let settings = Settings::read(&section, Settings::default());
        rules(&section, &settings, &Acls::of(&section))
    }

    fn goals(text: &str) -> Vec<String> {
        let shown = |r: Rule| match r.goal {
            Goal::Backend(name) | Goal::Picked(name) => name,
            other => format!("{other:?}"),
        };
        of(text).into_iter().map(shown).collect()
    }

    #[test]
    fn rules_stand_in_the_order_of_asking() {
        let text = "frontend f\n default_backend d\n use_backend a if { path_beg /a } { src 1.1.1.1 }\n use_backend b if { path /b }\n \
                    http-request return status 200 if { path /ping }\n http-request deny if { src 2.2.2.2 }";
        assert_eq!(goals(text), ["Answer", "a", "b", "d"]);
        assert_eq!(of(text).iter().map(|r| r.perhaps).collect::<Vec<_>>(), [false, true, false, false]);
        assert_eq!(goals("listen l\n server s a:1\n use_backend %[path,map(x)]"), ["%[path,map(x)]"]);
        assert_eq!(goals("listen l\n server s a:1\n monitor-uri /up"), ["Answer", "Own"]);
        assert_eq!(
            goals("frontend f\n bind :80\n redirect scheme https if !{ ssl_fc }\n default_backend d"),
            ["Answer"]
        );
        assert_eq!(
            goals("frontend f\n bind :80\n bind :443 ssl\n redirect scheme https if !{ ssl_fc }\n default_backend d"),
            ["d"]
        );
    }

    #[test]
    fn hosts_have_their_own_and_the_general_rules() {
        let text = "frontend f\n use_backend a if { hdr(host) a.x }\n use_backend p if { path_beg /p }\n use_backend b if { hdr(host) b.x a.x }\n default_backend d";
        let rules = of(text);
        let all = by_host(&rules);
        let shown: Vec<(Option<&str>, &[usize])> = all.iter().map(|(h, r)| (h.as_deref(), r.as_slice())).collect();
        assert_eq!(shown, [(Some("a.x"), &[0, 1, 2, 3][..]), (Some("b.x"), &[1, 2, 3][..]), (None, &[1, 3][..])]);
    }
}
