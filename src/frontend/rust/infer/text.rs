//! Types as text, as models and the std table write them: `Result<reqwest::Response, reqwest::Error>`, `fn(T) -> U`.
//! A single capital letter is a parameter, `Self` the receiver's type.

use super::super::names::types::foreign;
use super::super::program::Ty;
use crate::model::Models;
use crate::name::Name;

pub struct Parser<'a> {
    text: &'a str,
    models: Option<&'a Models>,
    depth: u32,
}

/// The type that a text stands for; what does not parse is unknown.
pub fn parse(text: &str, models: Option<&Models>) -> Ty {
    Parser::new(text, models).ty()
}

impl<'a> Parser<'a> {
    pub fn new(text: &'a str, models: Option<&'a Models>) -> Parser<'a> {
        Parser { text, models, depth: 0 }
    }

    fn skip(&mut self) {
        self.text = self.text.trim_start();
    }

    pub fn eat(&mut self, token: &str) -> bool {
        self.skip();
        match self.text.strip_prefix(token) {
            Some(rest) => {
                self.text = rest;
                true
            }
            None => false,
        }
    }

    fn word(&mut self) -> &'a str {
        self.skip();
        let end = self.text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(self.text.len());
        let (word, rest) = self.text.split_at(end);
        self.text = rest;
        word
    }

    /// A path: `tokio::time::timeout`.
    pub fn path(&mut self) -> String {
        let mut path = self.word().to_owned();
        while self.eat("::") {
            path.push_str("::");
            path.push_str(self.word());
        }
        path
    }

    pub fn list(&mut self, end: &str) -> Vec<Ty> {
        let mut all = Vec::new();
        while !self.eat(end) {
            let before = self.text.len();
            all.push(self.ty());
            self.eat(",");
            if self.text.len() == before {
                break;
            }
        }
        all
    }

    pub fn result(&mut self) -> Ty {
        if self.eat("->") { self.ty() } else { Ty::Tuple(Vec::new()) }
    }

    pub fn ty(&mut self) -> Ty {
        self.depth += 1;
        let found = if self.depth > 32 { Ty::Unknown } else { self.any() };
        self.depth -= 1;
        found
    }

    fn any(&mut self) -> Ty {
        while self.eat("&") || self.eat("mut ") || self.eat("dyn ") || self.eat("impl ") {}
        if self.eat("'") {
            self.word();
            return self.any();
        }
        if self.eat("(") {
            let mut parts = self.list(")");
            return if parts.len() == 1 { parts.swap_remove(0) } else { Ty::Tuple(parts) };
        }
        if self.eat("[") {
            let inner = self.ty();
            while !self.eat("]") && !self.text.is_empty() {
                self.text = &self.text[self.text.chars().next().map_or(0, char::len_utf8)..];
            }
            return Ty::Foreign("Vec".into(), vec![inner]);
        }
        if self.eat("fn(") || self.eat("Fn(") || self.eat("FnMut(") || self.eat("FnOnce(") {
            let params = self.list(")");
            return Ty::Fn(params, Box::new(self.result()));
        }
        if self.eat("!") {
            return Ty::Never;
        }
        let path = self.path();
        let args = if self.eat("<") { self.list(">") } else { Vec::new() };
        named(&path, args, self.models)
    }
}

fn named(path: &str, args: Vec<Ty>, models: Option<&Models>) -> Ty {
    let mut letters = path.chars();
    let parameter = matches!((letters.next(), letters.next()), (Some('A'..='Z'), None));
    match path {
        "" | "_" => Ty::Unknown,
        "Self" => Ty::Param("Self".into()),
        _ if parameter => Ty::Param(Name::new(path)),
        _ => foreign(models, path, args),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_models_parse() {
        let Ty::Foreign(head, args) = parse("Result<Option<reqwest::Response>, reqwest::Error>", None) else {
            panic!("a result is a foreign type")
        };
        assert_eq!(head, "Result");
        assert_eq!(args[1], Ty::Foreign("reqwest::Error".into(), vec![]));
        assert_eq!(parse("Arc<T>", None), Ty::Param("T".into()));
        assert_eq!(parse("(A, B)", None), Ty::Tuple(vec![Ty::Param("A".into()), Ty::Param("B".into())]));
        assert_eq!(parse("&'a [u8; 4]", None), parse("Vec<u8>", None));
    }

    #[test]
    fn garbage_ends() {
        for text in ["<<<", "Vec<", "(", "[u8", "fn(", "a::::b<,>", "&&&&", "é<é"] {
            parse(text, None);
        }
        parse(&"Vec<".repeat(10_000), None);
    }
}
