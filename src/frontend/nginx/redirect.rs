//! Where a request goes inside the server: fallbacks after an error, files that are not there, subrequests.

use super::conf::{Conf, NodeId};
use super::location::Locations;
use super::pass::Pass;
use super::rules::rules;
use crate::class::{Endings, FailureClass};
use crate::source::Span;

/// An `error_page` line, for the statuses that it takes over.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorPage {
    pub codes: Vec<u16>,
    pub answers: Answers,
    pub uri: String,
    pub at: Span,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answers {
    /// Without `=`: the status stays, whatever the page says.
    AsItWas,
    /// `=`: what the page says.
    AsThePage,
    /// `=200`.
    With(u16),
}

/// The error pages that hold in a block.
pub fn error_pages(conf: &Conf, block: NodeId) -> Vec<ErrorPage> {
    conf.holding(block, "error_page").iter().filter_map(|id| error_page(conf, *id)).collect()
}

fn error_page(conf: &Conf, id: NodeId) -> Option<ErrorPage> {
    let node = conf.node(id);
    let (uri, rest) = node.args.split_last()?;
    let codes = rest.iter().filter_map(|word| word.parse().ok()).collect();
    let answers = match rest.iter().find_map(|word| word.strip_prefix('=')) {
        None => Answers::AsItWas,
        Some(code) => code.parse().map_or(Answers::AsThePage, Answers::With),
    };
    Some(ErrorPage { codes, answers, uri: uri.clone(), at: node.at })
}

impl ErrorPage {
    /// The endings of the attempts that it takes over, by the status that the client would get. Statuses that a server sent
    /// are taken over only if they are intercepted.
    pub fn takes(&self, intercepts: bool) -> Vec<(FailureClass, Endings)> {
        let mut all: Vec<(FailureClass, Endings)> = Vec::new();
        for code in &self.codes {
            let Some(class) = FailureClass::of_status(*code) else { continue };
            let own = rules().answers.iter().filter(|a| a.status == *code);
            let errors = own.fold(Endings::NONE, |all, a| all | a.after());
            let sent = if intercepts { Endings::statuses_of([class]) } else { Endings::NONE };
            if !(errors | sent).is_empty() {
                all.push((class, errors | sent));
            }
        }
        all
    }
}

/// Whether statuses that servers send are looked at.
pub fn intercepts(conf: &Conf, pass: &Pass) -> bool {
    let setting = format!("{}intercept_errors", pass.protocol.prefix);
    conf.setting(pass.block, &setting).is_some_and(|s| s.arg(0) == "on")
}

/// Whether the errors of an error page have error pages of their own.
pub fn is_recursive(conf: &Conf, block: NodeId) -> bool {
    conf.setting(block, "recursive_error_pages").is_some_and(|s| s.arg(0) == "on")
}

/// Where a location sends a request that it has no file for, or that it rewrites: a location of the same server.
pub fn onward(conf: &Conf, all: &Locations, block: NodeId) -> Option<(usize, Span)> {
    if let Some(try_files) = conf.named(block, "try_files").first() {
        let node = conf.node(*try_files);
        return Some((all.reached(&constant(node.args.last()?)?)?, node.at));
    }
    let rewrites = conf.named(block, "rewrite").iter().map(|id| conf.node(*id));
    let mut last = rewrites.filter(|r| !matches!(r.arg(2), "break" | "redirect" | "permanent"));
    let rewrite = last.next()?;
    let to = rewrite.arg(1);
    let inside = !to.starts_with("http://") && !to.starts_with("https://");
    let uri = constant(to).filter(|_| inside && last.next().is_none())?;
    Some((all.reached(&uri)?, rewrite.at))
}

/// A target as far as it is constant before its query.
fn constant(uri: &str) -> Option<String> {
    let path = uri.split('?').next().unwrap_or(uri);
    (path.starts_with(['/', '@']) && !path.contains('$')).then(|| path.to_owned())
}

/// The locations that are asked besides: `auth_request`, `mirror`.
pub fn subrequests(conf: &Conf, all: &Locations, block: NodeId, directive: &str) -> Vec<(usize, Span)> {
    let asked = conf.holding(block, directive).iter().map(|id| conf.node(*id)).filter(|n| n.arg(0) != "off");
    asked.filter_map(|n| Some((all.reached(&constant(n.arg(0))?)?, n.at))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::class::Ending;
    use crate::frontend::nginx::conf::Doc;
    use crate::frontend::nginx::tree;
    use crate::source::FileId;

    fn conf(text: &str) -> (Conf, Locations) {
        let text = format!("server {{ {text} }}");
        let (tree, wrong) = tree::parse(&text);
        assert_eq!(wrong, None);
        let conf = Conf::read(&[Doc { file: FileId(0), path: "n.conf", text: &text, tree }], &[0]);
        let locations = Locations::of_server(&conf, 1);
        (conf, locations)
    }

    #[test]
    fn error_pages_and_what_they_take() {
        let (conf, all) =
            conf("error_page 404 /404.html; location / { error_page 502 504 = @f; error_page 500 =200 /x; }");
        let pages = error_pages(&conf, all.all[0].node);
        assert_eq!(pages.len(), 2, "a level replaces the list as a whole");
        assert_eq!((pages[0].answers, pages[1].answers), (Answers::AsThePage, Answers::With(200)));
        let takes = pages[0].takes(false);
        assert_eq!(takes.len(), 2);
        assert!(takes[0].1.has(Ending::Error(FailureClass::Reset)) && !takes[0].1.meets(Endings::STATUSES));
        assert!(pages[0].takes(true)[0].1.has(Ending::Status(FailureClass::Gateway)));
        assert!(pages[1].takes(false).is_empty() && pages[1].takes(true).len() == 1);
    }

    #[test]
    fn onward_inside_the_server() {
        let to = |text: &str| {
            let (conf, all) = conf(text);
            onward(&conf, &all, all.all[0].node).map(|(i, _)| all.all[i].path.clone())
        };
        assert_eq!(to("location / { try_files $uri $uri/ @app; } location @app { }").as_deref(), Some("@app"));
        assert_eq!(to("location / { try_files $uri /i.php?$a; } location ~ \\.php$ { }").as_deref(), Some("\\.php$"));
        assert_eq!(to("location / { try_files $uri =404; }"), None);
        assert_eq!(to("location /a { rewrite ^ /b/c last; } location /b { }").as_deref(), Some("/b"));
        assert_eq!(to("location /a { rewrite ^ https://x/b; } location /b { }"), None);
        assert_eq!(to("location /a { rewrite ^/a/(.*) /$1 last; } location /b { }"), None);
    }
}
