//! Which methods a location refuses before it passes anything on.

use regex::RegexBuilder;

use super::conf::{Conf, Node, NodeId};
use super::rules::rules;
use crate::name::Name;

const PATTERN_LIMIT: usize = 64 * 1024;

/// Those of the methods that are not repeated by themselves that never get through to a block.
pub fn refused(conf: &Conf, block: NodeId) -> Vec<Name> {
    let asked = |method: &&Name| is_refused(conf, block, method);
    rules().not_repeated.methods.iter().filter(asked).cloned().collect()
}

fn is_refused(conf: &Conf, block: NodeId, method: &str) -> bool {
    let mut at = block;
    loop {
        let limits = conf.named(at, "limit_except").iter().any(|id| limited(conf, *id, method));
        let returns = conf.named(at, "if").iter().any(|id| turned_away(conf, *id, method));
        if limits || returns {
            return true;
        }
        if at == 0 {
            return false;
        }
        at = conf.node(at).parent;
    }
}

/// `limit_except GET { deny all; }`.
fn limited(conf: &Conf, id: NodeId, method: &str) -> bool {
    let excepted = conf.node(id).args.iter().any(|a| a.eq_ignore_ascii_case(method));
    let denies = conf.named(id, "deny").iter().any(|deny| conf.node(*deny).arg(0) == "all");
    !excepted && denies && conf.named(id, "allow").is_empty()
}

/// `if ($request_method !~ ^(GET|HEAD)$) { return 405; }`.
fn turned_away(conf: &Conf, id: NodeId, method: &str) -> bool {
    let answer = conf.named(id, "return").first().map(|r| conf.node(*r).arg(0).to_owned());
    let refuses = answer.and_then(|status| status.parse::<u16>().ok()).is_some_and(|status| status >= 400);
    refuses && fits(conf.node(id), method).unwrap_or(false)
}

/// Whether a condition on the method holds; `None` for any other condition.
fn fits(condition: &Node, method: &str) -> Option<bool> {
    let joined = condition.args.join(" ");
    let inner = joined.strip_prefix('(')?.strip_suffix(')')?.trim();
    let mut words = inner.splitn(3, ' ');
    if words.next()? != "$request_method" {
        return None;
    }
    let (operator, value) = (words.next()?, words.next()?.trim());
    let pattern = |any_case: bool| {
        let built = RegexBuilder::new(value).case_insensitive(any_case).size_limit(PATTERN_LIMIT).build();
        built.ok().map(|p| p.is_match(method))
    };
    match operator {
        "=" => Some(value == method),
        "!=" => Some(value != method),
        "~" => pattern(false),
        "~*" => pattern(true),
        "!~" => pattern(false).map(|m| !m),
        "!~*" => pattern(true).map(|m| !m),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frontend::nginx::conf::Doc;
    use crate::frontend::nginx::tree;
    use crate::source::FileId;

    fn refuses_post(text: &str) -> bool {
        let text = format!("server {{ {text} }} }}");
        let (tree, wrong) = tree::parse(&text);
        assert_eq!(wrong, None);
        let conf = Conf::read(&[Doc { file: FileId(0), path: "n.conf", text: &text, tree }], &[0]);
        let location = conf.nodes.iter().position(|n| n.name == "location").expect("a location");
        refused(&conf, location).iter().any(|m| *m == "POST")
    }

    #[test]
    fn methods_that_never_get_through() {
        assert!(refuses_post("location / { limit_except GET { deny all; }"));
        assert!(!refuses_post("location / { limit_except GET POST { deny all; }"));
        assert!(!refuses_post("location / { limit_except GET { allow 10.0.0.0/8; deny all; }"));
        assert!(refuses_post("if ($request_method !~ ^(GET|HEAD)$ ) { return 405; } location / { a;"));
        assert!(refuses_post("location / { if ($request_method = \"POST\") { return 444; }"));
        assert!(!refuses_post("location / { if ($request_method = OPTIONS) { return 204; }"));
        assert!(!refuses_post("location / { if ($request_method = POST) { return 200; }"));
        assert!(!refuses_post("location / { if ($http_x = POST) { return 405; }"));
    }
}
