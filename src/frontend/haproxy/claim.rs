//! Which files are HAProxy configurations: by a line that opens one of its sections, in its form, and a line inside that
//! only HAProxy has in that form. A name says little: `.cfg` is everybody's.

use super::conf::{self, Kind, Section, Statement};
use super::lex::{self, Wrong};
use crate::frontend::template;
use crate::source::FileId;

pub enum Claim {
    /// Another format.
    No,
    /// Its sections, and where its comments stand.
    Config(Vec<Section>, Vec<(u32, u32)>),
    /// To be rendered first; the words name the language.
    Template(&'static str),
    Broken(Wrong),
}

/// Endings of file names that may hold a configuration or a template of one.
const ENDINGS: &[&str] = &[".cfg", ".conf", ".tmpl", ".template", ".tpl"];
/// Behind `.cfg` and `.conf`, for tools that fill in files.
const TEMPLATES: &[&str] = &[".j2", ".jinja2", ".erb", ".ctmpl", ".in", ".dist", ".example", ".sample"];

/// Whether a file is worth looking into, by its path alone.
pub fn may_be(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    let plain = TEMPLATES.iter().find_map(|end| name.strip_suffix(end)).unwrap_or(&name);
    ENDINGS.iter().any(|end| plain.ends_with(end)) || (name.contains("haproxy") && !name.contains('.'))
}

const SECTIONS: &[&str] = &["frontend ", "backend ", "listen ", "defaults"];
const WORDS: &[&str] = &["server ", "default_backend", "use_backend", "timeout ", "bind ", "retries", "balance "];

/// Whether a file may be a configuration: cheap.
pub fn may_hold(path: &str, text: &str) -> bool {
    may_be(path) && SECTIONS.iter().any(|word| text.contains(word)) && WORDS.iter().any(|word| text.contains(word))
}

/// What a file is, by its content.
pub fn claim(file: FileId, text: &str) -> Claim {
    let (lines, wrong) = lex::lines(text);
    let comments = lines.iter().filter_map(|l| l.comment).collect();
    let sections = conf::sections(file, lines);
    if !sections.iter().any(is_ours) {
        return Claim::No;
    }
    match (template::language(text), wrong) {
        (Some(language), _) => Claim::Template(language),
        (None, Some(wrong)) => Claim::Broken(wrong),
        (None, None) => Claim::Config(sections, comments),
    }
}

fn is_ours(section: &Section) -> bool {
    let head = &section.head.words;
    let form = match section.kind {
        Kind::Frontend | Kind::Backend | Kind::Listen => {
            head.len() >= 2 && head.iter().skip(1).all(|w| is_name(w.value.as_str()))
        }
        Kind::Defaults => head.len() <= 4 && head.iter().all(|w| is_name(w.value.as_str())),
        Kind::Global | Kind::Other => false,
    };
    form && section.lines.iter().any(is_statement)
}

/// HAProxy's names hold letters, digits and a few signs; an address may stand behind one.
fn is_name(word: &str) -> bool {
    let sign = |c: char| c.is_alphanumeric() || "-_.:*,[]${}/@".contains(c);
    !word.is_empty() && word.chars().all(sign) && !word.ends_with('{')
}

const TIMES: &[&str] = &["client", "server", "connect", "queue", "http-request", "http-keep-alive", "tunnel", "check"];

fn is_statement(statement: &Statement) -> bool {
    let last = statement.words.last().map_or("", |w| w.value.as_str());
    if last.ends_with([';', '{', '=']) || statement.word(1) == "=" {
        return false;
    }
    match (statement.word(0), statement.words.len()) {
        ("server", 3..) => !statement.word(1).contains(':'),
        ("bind" | "default_backend", 2..) | ("use_backend", 4..) => true,
        ("mode", 2) => matches!(statement.word(1), "http" | "tcp"),
        ("timeout", 3..) => TIMES.contains(&statement.word(1)),
        ("balance", 2..) => statement.word(1).starts_with(|c: char| c.is_ascii_alphabetic()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn what(text: &str) -> &'static str {
        match claim(FileId(0), text) {
            Claim::No => "no",
            Claim::Config(..) => "config",
            Claim::Template(language) => language,
            Claim::Broken(_) => "broken",
        }
    }

    #[test]
    fn configurations() {
        assert_eq!(what("defaults\n timeout client 3s"), "config");
        assert_eq!(what("backend b\n server s 127.0.0.1:80"), "config");
        assert_eq!(what("listen stats :1936\n mode http"), "config");
        assert_eq!(what("frontend \"f_${ZONE}\"\n bind :80"), "config");
        assert_eq!(what("frontend f\n bind :80\n http-request set-header X 'a"), "broken");
        assert_eq!(what("frontend f\n bind :{{ port }}\n"), "double braces");
    }

    #[test]
    fn other_formats_are_left_alone() {
        for text in [
            "backend default {\n .host = \"a\";\n}",
            "[global]\nworkgroup = x\n[defaults]\nserver a b",
            "listen = *\nserver 10.8.0.0 255.255.255.0",
            "upstream a {\n server b:80 weight=1;\n}\nserver {\n listen 80;\n}",
            "server 0.pool.ntp.org iburst\nlisten on",
            "global\n log 127.0.0.1 local0\n maxconn 4000",
            "defaults:\n  timeout client: 3s",
            "backend storage\n  path /var/lib\n",
        ] {
            assert_eq!(what(text), "no", "{text}");
        }
        assert!(may_be("etc/haproxy.cfg.j2") && may_be("docker/haproxy") && !may_be("src/haproxy.rs"));
    }
}
