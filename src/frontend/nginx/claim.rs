//! Which files are nginx configurations. A name says little (`.conf` is everybody's), so the content decides: blocks that
//! nginx has, in nginx's form, with statements in them that nginx knows.
//!
//! Templates of other languages are recognised and said to be such: their text is no configuration before somebody has
//! rendered it. Templates of `envsubst` are configurations in which some words are not known.

use super::lex::{Kind, Wrong};
use super::tree::{self, Body, Index, Tree};
use crate::frontend::template::language;

#[derive(Debug)]
pub enum Claim {
    /// Another format, or a fragment that only an `include` gives a meaning.
    No,
    Config(Tree),
    /// Looks like nginx and is to be rendered first; the words name the language.
    Template(&'static str),
    Broken(Wrong),
}

/// Endings of file names that may hold a configuration or a template of one.
const ENDINGS: &[&str] = &[
    ".conf",
    ".conf.template",
    ".conf.tmpl",
    ".conf.tpl",
    ".conf.j2",
    ".conf.jinja2",
    ".conf.erb",
    ".conf.ctmpl",
    ".conf.in",
    ".conf.dist",
    ".conf.example",
    ".conf.sample",
    ".nginx",
    ".vhost",
    ".template",
    ".tmpl",
];
/// Folders in which files without an ending are configurations.
const FOLDERS: &[&str] = &["nginx", "conf.d", "conf", "snippets"];
/// Folders in which every file is one, whatever its name: they are named after hosts.
const SITES: &[&str] = &["sites-available", "sites-enabled"];

/// Whether a file is worth looking into, by its path alone.
pub fn may_be(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let mut parts = lower.rsplit('/');
    let name = parts.next().unwrap_or_default();
    let folder = parts.next().unwrap_or_default();
    let plain = !name.contains('.') && FOLDERS.contains(&folder);
    plain || SITES.contains(&folder) || ENDINGS.iter().any(|e| name.ends_with(e))
}

/// Whether a file may be a configuration, or a part of one that another includes: cheap.
pub fn may_hold(path: &str, text: &str) -> bool {
    may_be(path) && STATEMENTS.iter().chain(WORDS).any(|word| text.contains(word))
}

/// What a file is, by its content.
pub fn claim(text: &str) -> Claim {
    if !text.contains('{') {
        return Claim::No;
    }
    let (tree, wrong) = tree::parse(text);
    let language = match wrong {
        Some(_) => language(text),
        None => statements(&tree, text).find_map(language),
    };
    let ours = is_nginx(&tree, text);
    match (language, wrong) {
        (Some(language), _) if ours || begins_like_nginx(text) => Claim::Template(language),
        (None, Some(wrong)) if ours => Claim::Broken(wrong),
        (None, None) if ours => Claim::Config(tree),
        _ => Claim::No,
    }
}

/// The texts of all statements that are no blocks: what stands in Lua or in a comment is no template's mark.
fn statements<'t>(tree: &'t Tree, text: &'t str) -> impl Iterator<Item = &'t str> {
    let plain = (0..tree.len()).map(|i| tree.get(i)).filter(|d| d.body == Body::None);
    plain.filter_map(|d| text.get(d.start as usize..d.end as usize))
}

/// Blocks with the number of arguments they have in nginx.
const BLOCKS: &[(&str, usize, usize)] =
    &[("http", 0, 0), ("events", 0, 0), ("stream", 0, 0), ("server", 0, 0), ("upstream", 1, 1), ("location", 1, 2)];
/// Statements that other formats do not have.
const STATEMENTS: &[&str] = &[
    "access_log",
    "add_header",
    "client_max_body_size",
    "default_type",
    "fastcgi_param",
    "fastcgi_pass",
    "grpc_pass",
    "log_format",
    "memcached_pass",
    "proxy_pass",
    "proxy_set_header",
    "scgi_pass",
    "server_name",
    "ssl_certificate",
    "try_files",
    "uwsgi_pass",
    "worker_connections",
    "worker_processes",
];
/// What else a configuration of nginx can consist of, with a block or without.
const WORDS: &[&str] = &["listen", "upstream", "location", "worker_", "include", "proxy_", "server "];
/// Statements that mean nginx directly inside one of its blocks.
const INSIDE: &[&str] = &["listen", "server", "root", "return", "rewrite", "include", "alias", "index", "deny"];

fn is_nginx(tree: &Tree, text: &str) -> bool {
    let mut block = false;
    let mut statement = false;
    for index in 0..tree.len() {
        let name = tree.name(index, text);
        if tree.get(index).body == Body::Block {
            block |= is_block(tree, index, &name);
            statement |= is_block(tree, index, &name) && holds_statement(tree, index, text);
        } else {
            statement |= STATEMENTS.contains(&&*name);
        }
        if block && statement {
            return true;
        }
    }
    false
}

fn is_block(tree: &Tree, index: Index, name: &str) -> bool {
    let args = tree.args(index).len();
    BLOCKS.iter().any(|(known, least, most)| *known == name && (*least..=*most).contains(&args))
}

fn holds_statement(tree: &Tree, block: Index, text: &str) -> bool {
    let plain = |i: &Index| tree.get(*i).body == Body::None && tree.get(*i).name.kind == Kind::Word;
    tree.children(block).filter(plain).any(|i| INSIDE.contains(&&*tree.name(i, text)))
}

/// For templates that stop being readable in their first lines: a line that opens one of nginx's blocks, and one that
/// holds one of its statements.
fn begins_like_nginx(text: &str) -> bool {
    let first = |line: &str| line.split_whitespace().next().unwrap_or_default().to_owned();
    let opens = |line: &str| line.trim_end().ends_with('{') && BLOCKS.iter().any(|(name, ..)| first(line) == *name);
    let states = |line: &str| {
        let name = first(line);
        let ends = line.trim_end().ends_with(';');
        STATEMENTS.contains(&name.as_str()) || (ends && INSIDE.contains(&name.as_str()))
    };
    text.lines().any(opens) && text.lines().any(states)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn what(text: &str) -> &'static str {
        match claim(text) {
            Claim::No => "no",
            Claim::Config(_) => "config",
            Claim::Template(language) => language,
            Claim::Broken(_) => "broken",
        }
    }

    #[test]
    fn names_that_are_looked_into() {
        for path in ["nginx.conf", "a/default.conf", "sites-available/a.com", "nginx/proxy_params", "x.conf.j2"] {
            assert!(may_be(path), "{path}");
        }
        for path in ["src/lib.rs", "nginx/README.md", "nginx/entry.sh", "conf/app.yaml", "nginx/x.go", "Caddyfile"] {
            assert!(!may_be(path), "{path}");
        }
    }

    #[test]
    fn configurations() {
        assert_eq!(what("http { server { listen 80; } }"), "config");
        assert_eq!(what("server {\n  listen 80;\n  location / { proxy_pass http://app; }\n}"), "config");
        assert_eq!(what("upstream a { server b:80; }"), "config");
        assert_eq!(what("server { listen ${PORT}; location / { proxy_pass http://${HOST}; } }"), "config");
        let json = r#"http { log_format j '{"a":{"b":"$c"}}'; server { listen 80; } }"#;
        assert_eq!(what(json), "config");
    }

    #[test]
    fn other_formats_are_left_alone() {
        for text in [
            "akka { http { server { port = 80 } } }",
            "server default {\n listen {\n  type = auth\n }\n}",
            "zone \"a\" { type master; file \"a.db\"; };\nserver 10.0.0.1 { keys k; };",
            "subnet 10.0.0.0 netmask 255.0.0.0 { range 10.0.0.1 10.0.0.9; }",
            "input { beats { port => 5044 } }\noutput { stdout { } }",
            "<VirtualHost *:80>\n  ProxyPass / http://app/\n</VirtualHost>",
            "listen { ip *; port 6667; };\nclass clients { pingfreq 90; };",
            "backend default { .host = \"a\"; .port = \"80\"; }",
            "[server]\nlisten = {80}",
            "port 6379\nbind 127.0.0.1",
            "proxy_set_header Host $host;",
        ] {
            assert_eq!(what(text), "no", "{text}");
        }
    }

    #[test]
    fn templates_are_no_mistakes() {
        assert_eq!(what("server {\n listen {{ port }};\n server_name a;\n}"), "double braces");
        assert_eq!(what("{{ range .Servers }}\nserver {\n listen 80;\n server_name a;\n}\n{{ end }}"), "double braces");
        assert_eq!(what("server {\n{% if tls %}\n listen 443;\n{% endif %}\n root /a;\n}"), "Jinja");
        assert_eq!(what("server {\n listen <%= @port %>;\n}"), "ERB");
        assert_eq!(what("server { listen 80; root \"{{ root }}\"; }"), "double braces");
    }

    #[test]
    fn what_is_broken_is_claimed() {
        assert_eq!(what("server {\n listen 80;\n location / { proxy_pass http://a }\n}"), "broken");
        assert_eq!(what("server {\n listen 80;\n"), "broken");
    }
}
