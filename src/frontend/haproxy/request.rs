//! What `http-request` rules do to a request before it reaches a server: its path, its method, and whether it may be repeated.

use super::acl::{Acls, Asks, Condition};
use super::conf::{Section, Statement};
use crate::effect::{Methods, Passes};
use crate::name::Name;

/// What the rules of a frontend and a backend make of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Changes {
    pub passes: Passes,
    /// The method that every request gets.
    pub method: Option<Name>,
    pub guard: Guard,
}

/// Which requests `disable-l7-retry` keeps from being repeated once they were sent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Guard {
    pub all: bool,
    pub methods: Option<Methods>,
    /// Some are kept out, and which is not known.
    pub open: bool,
}

impl Guard {
    /// Something is kept out.
    pub fn is_there(&self) -> bool {
        self.all || self.methods.is_some() || self.open
    }

    fn add(&mut self, condition: &Condition) {
        match condition.is_constant() {
            Some(true) => self.all = true,
            Some(false) => {}
            None => match kept_out(condition) {
                Some(methods) => self.methods = Some(both(self.methods.take(), methods)),
                None => self.open = true,
            },
        }
    }
}

/// The methods of which a condition speaks, if it speaks of nothing else.
fn kept_out(condition: &Condition) -> Option<Methods> {
    let mut all: Option<Methods> = None;
    for terms in &condition.any {
        let [term] = terms.as_slice() else { return None };
        let Asks::Methods(methods) = &term.asks else { return None };
        let methods = if term.negated { Methods::AllBut(methods.clone()) } else { Methods::These(methods.clone()) };
        all = Some(both(all, methods));
    }
    all
}

/// Methods of the one set or the other.
fn both(one: Option<Methods>, other: Methods) -> Methods {
    let Some(one) = one else { return other };
    let without = |all: Vec<Name>, less: &Methods| all.into_iter().filter(|m| !less.has(m)).collect();
    match (one, other) {
        (Methods::These(mut a), Methods::These(b)) => {
            a.extend(b);
            Methods::These(a)
        }
        (Methods::AllBut(a), other) => Methods::AllBut(without(a, &other)),
        (one, Methods::AllBut(b)) => Methods::AllBut(without(b, &one)),
    }
}

/// What the rules of a section do, one after another.
pub fn changes(section: &Section, acls: &Acls) -> Changes {
    let mut changes = Changes { passes: Passes::Same, method: None, guard: Guard::default() };
    for line in section.lines.iter().filter(|l| l.word(0) == "http-request") {
        let condition = acls.condition(line.from(2));
        if condition.is_constant() != Some(false) {
            changes.apply(line, &condition);
        }
    }
    // Ways of older versions to change the first line of a request.
    if section.lines.iter().any(|l| matches!(l.word(0), "reqrep" | "reqirep")) {
        changes.passes = Passes::Unknown;
    }
    changes
}

impl Changes {
    /// These, and then those of the section that is reached.
    pub fn then(&self, other: &Changes) -> Changes {
        let passes = match (&self.passes, &other.passes) {
            (Passes::Same, passes) | (passes, Passes::Same) => passes.clone(),
            _ => Passes::Unknown,
        };
        let (one, two) = (self.guard.clone(), other.guard.clone());
        let methods = match two.methods {
            Some(methods) => Some(both(one.methods, methods)),
            None => one.methods,
        };
        let guard = Guard { all: one.all || two.all, methods, open: one.open || two.open };
        Changes { passes, method: other.method.clone().or_else(|| self.method.clone()), guard }
    }

    fn apply(&mut self, line: &Statement, condition: &Condition) {
        let always = condition.is_constant() == Some(true);
        match line.word(1) {
            "disable-l7-retry" => self.guard.add(condition),
            "set-method" if always => self.method = Some(Name::from(line.word(2).to_ascii_uppercase())),
            "set-path" | "set-uri" | "replace-path" | "replace-uri" | "set-pathq" | "replace-pathq" => {
                let own = if always { rewritten(line) } else { Passes::Unknown };
                self.passes = match self.passes {
                    Passes::Same => own,
                    _ => Passes::Unknown,
                };
            }
            _ => {}
        }
    }
}

fn rewritten(line: &Statement) -> Passes {
    let (first, second) = (line.word(2), line.word(3));
    match line.word(1) {
        "replace-path" => replaced(first, second),
        "set-path" => match first.strip_suffix("%[path]") {
            Some(before) if !before.contains('%') => {
                Passes::Prefix { from: Name::new("/"), to: Name::from(format!("{}/", before.trim_end_matches('/'))) }
            }
            _ if !first.contains('%') => Passes::Fixed(Name::new(first)),
            _ => match substituted(first) {
                Some((pattern, to)) => begins(pattern, to).unwrap_or(Passes::Unknown),
                None => Passes::Unknown,
            },
        },
        _ => Passes::Unknown,
    }
}

/// `%[path,regsub(^/api/,/)]`.
fn substituted(format: &str) -> Option<(&str, &str)> {
    format.strip_prefix("%[path,regsub(")?.strip_suffix(")]")?.split_once(',')
}

/// A pattern that is the beginning of a path alone.
fn begins(pattern: &str, to: &str) -> Option<Passes> {
    let from = pattern.strip_prefix('^')?;
    let plain = !from.contains(['(', '[', '*', '+', '?', '\\', '.', '|', '{', '$']) && !from.is_empty();
    (plain && !to.contains(',')).then(|| Passes::Prefix { from: Name::new(from), to: Name::new(to) })
}

/// `replace-path ^/api/(.*) /\1` takes `/api/` away. What matches anywhere takes the place of the whole path.
fn replaced(pattern: &str, to: &str) -> Passes {
    let inner = pattern.strip_prefix('^').unwrap_or(pattern);
    let inner = inner.strip_suffix('$').unwrap_or(inner);
    let group = ["(.*)", "(/.*)"].into_iter().find_map(|group| Some((inner.strip_suffix(group)?, group)));
    let (Some((from, group)), Some(to)) = (group, to.strip_suffix(r"\1")) else { return Passes::Unknown };
    let (from, to) = match group {
        "(/.*)" => (format!("{from}/"), format!("{to}/")),
        // `(.*) /x\1`: the whole path, which begins with a slash.
        _ if from.is_empty() => ("/".to_owned(), format!("{to}/")),
        _ => (from.to_owned(), to.to_owned()),
    };
    match begins(&format!("^{from}"), &to) {
        Some(passes) if !to.contains('\\') => passes,
        _ => Passes::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::haproxy::{conf, lex};
    use crate::source::FileId;

    fn of(rules: &str) -> Changes {
        let text = format!("backend b\n acl post method POST PATCH\n{rules}");
        let section = conf::sections(FileId(0), lex::lines(&text).0).remove(0);
        changes(&section, &Acls::of(&section))
    }

    fn prefix(from: &str, to: &str) -> Passes {
        Passes::Prefix { from: from.into(), to: to.into() }
    }

    #[test]
    fn what_becomes_of_the_path() {
        let passes = |rule: &str| of(&format!(" http-request {rule}")).passes;
        assert_eq!(passes("set-header a b"), Passes::Same);
        assert_eq!(passes("set-path /x"), Passes::Fixed("/x".into()));
        assert_eq!(passes("set-path /v1%[path]"), prefix("/", "/v1/"));
        assert_eq!(passes("set-path %[path,regsub(^/api/,/)]"), prefix("/api/", "/"));
        assert_eq!(passes(r"replace-path ^/api/(.*)$ /\1"), prefix("/api/", "/"));
        assert_eq!(passes(r"replace-path /api(/.*) \1"), prefix("/api/", "/"));
        assert_eq!(passes(r"replace-path (.*) /x\1"), prefix("/", "/x/"));
        for open in
            [r"replace-path ^/[a-z]+/(.*) /\1", "set-path /x if { src 1.1.1.1 }", "set-uri /x", "set-path %[url]"]
        {
            assert_eq!(passes(open), Passes::Unknown, "{open}");
        }
    }

    #[test]
    fn who_is_kept_out() {
        let guard = |rules: &[&str]| {
            of(&rules.iter().map(|r| format!(" http-request disable-l7-retry {r}\n")).collect::<String>()).guard
        };
        let these = |all: &[&str]| Some(Methods::These(all.iter().map(|m| Name::new(m)).collect()));
        assert!(guard(&[""]).all && !guard(&[]).is_there());
        assert_eq!(guard(&["if METH_POST"]).methods, these(&["POST"]));
        assert_eq!(guard(&["if METH_PUT || post"]).methods, these(&["PUT", "POST", "PATCH"]));
        assert_eq!(guard(&["unless METH_GET"]).methods, Some(Methods::AllBut(vec!["GET".into(), "HEAD".into()])));
        assert_eq!(
            guard(&["unless METH_GET", "if { method HEAD }"]).methods,
            Some(Methods::AllBut(vec!["GET".into()]))
        );
        let unsure = guard(&["if METH_PUT"]);
        assert_eq!(of("").then(&Changes { guard: unsure.clone(), ..of("") }).guard, unsure);
        assert!(guard(&["if { path_beg /a }"]).open && guard(&["if post { src 1.1.1.1 }"]).open);
    }
}
