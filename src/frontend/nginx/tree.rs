//! Directives of one file as a flat tree with byte ranges: nothing here recurses, whatever the input nests.

use std::borrow::Cow;
use std::ops::Range;

use super::lex::{Kind, Lexer, Token, Wrong};

/// Deeper than any configuration that was written by hand.
const DEEPEST: usize = 100;
/// Larger lists are generated (redirect maps), and nothing in them sends a request.
const MOST_DIRECTIVES: usize = 300_000;

/// The position of a directive among those of its file.
pub type Index = usize;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// Ends with `;`.
    None,
    Block,
    /// A block of another language, jumped over.
    Foreign,
}

#[derive(Debug, Clone)]
pub struct Directive {
    pub name: Token,
    /// Positions among the words of the file.
    args: Range<u32>,
    pub body: Body,
    /// From the name's first byte to the last of `;` or `}`.
    pub start: u32,
    pub end: u32,
    /// The first directive behind this one and all that stands in it.
    after: u32,
}

/// The directives of a file in the order in which they are written, and its comments.
#[derive(Debug, Default)]
pub struct Tree {
    directives: Vec<Directive>,
    words: Vec<Token>,
    pub comments: Vec<Token>,
}

impl Tree {
    pub fn get(&self, index: Index) -> &Directive {
        &self.directives[index]
    }

    /// The first directive that begins at that byte or behind it.
    pub fn first_from(&self, byte: u32) -> Option<Index> {
        let first = self.directives.partition_point(|d| d.start < byte);
        (first < self.directives.len()).then_some(first)
    }

    pub fn len(&self) -> usize {
        self.directives.len()
    }

    pub fn is_empty(&self) -> bool {
        self.directives.is_empty()
    }

    pub fn args(&self, index: Index) -> &[Token] {
        let args = &self.directives[index].args;
        &self.words[args.start as usize..args.end as usize]
    }

    pub fn name<'t>(&self, index: Index, text: &'t str) -> Cow<'t, str> {
        self.directives[index].name.value(text)
    }

    /// The directives of the file itself, outside of every block.
    pub fn top(&self) -> Children<'_> {
        Children { tree: self, at: 0, end: self.directives.len() }
    }

    /// The directives directly inside a block.
    pub fn children(&self, of: Index) -> Children<'_> {
        Children { tree: self, at: of + 1, end: self.directives[of].after as usize }
    }
}

pub struct Children<'a> {
    tree: &'a Tree,
    at: usize,
    end: usize,
}

impl Iterator for Children<'_> {
    type Item = Index;

    fn next(&mut self) -> Option<Index> {
        if self.at >= self.end {
            return None;
        }
        let now = self.at;
        self.at = self.tree.directives[now].after as usize;
        Some(now)
    }
}

/// Reads a whole file. What was understood before a mistake is handed over with it.
pub fn parse(text: &str) -> (Tree, Option<Wrong>) {
    let mut building = Building { tree: Tree::default(), open: Vec::new(), words: Vec::new() };
    let mut lexer = Lexer::new(text);
    let wrong = loop {
        match building.step(&mut lexer, text) {
            Ok(true) => {}
            Ok(false) => break None,
            Err(wrong) => break Some(wrong),
        }
    };
    building.close_all(text.len() as u32);
    (building.tree, wrong)
}

struct Building {
    tree: Tree,
    open: Vec<Index>,
    /// The directive that is being read: its name and arguments so far.
    words: Vec<Token>,
}

impl Building {
    /// One token further; `false` at the end of the file.
    fn step(&mut self, lexer: &mut Lexer<'_>, text: &str) -> Result<bool, Wrong> {
        let Some(token) = lexer.token()? else {
            return self.at_end(text).map(|()| false);
        };
        match token.kind {
            Kind::Word | Kind::Quoted => self.words.push(token),
            Kind::Comment => self.tree.comments.push(token),
            Kind::Semicolon => self.finish(Body::None, token)?,
            Kind::Open => self.open(lexer, token, text)?,
            Kind::Close => self.close(token)?,
        }
        Ok(true)
    }

    fn at_end(&self, text: &str) -> Result<(), Wrong> {
        if let Some(first) = self.words.first() {
            let name = shortened(&first.value(text));
            return Err(Wrong::new(first.start as usize, format!("the file ends before `{name}` does: no `;`")));
        }
        match self.open.last() {
            Some(open) => {
                let directive = &self.tree.directives[*open];
                let name = shortened(&directive.name.value(text));
                Err(Wrong::new(directive.start as usize, format!("the block `{name}` is never closed")))
            }
            None => Ok(()),
        }
    }

    fn finish(&mut self, body: Body, by: Token) -> Result<(), Wrong> {
        let Some(name) = self.words.first().copied() else {
            return Err(Wrong::new(by.start as usize, "nothing stands before this `;` or `{`"));
        };
        if self.tree.directives.len() >= MOST_DIRECTIVES {
            return Err(Wrong::new(name.start as usize, format!("more than {MOST_DIRECTIVES} directives")));
        }
        let from = self.tree.words.len() as u32;
        self.tree.words.extend(self.words.drain(..).skip(1));
        let args = from..self.tree.words.len() as u32;
        let after = self.tree.directives.len() as u32 + 1;
        self.tree.directives.push(Directive { name, args, body, start: name.start, end: by.end, after });
        Ok(())
    }

    fn open(&mut self, lexer: &mut Lexer<'_>, by: Token, text: &str) -> Result<(), Wrong> {
        self.finish(Body::Block, by)?;
        let index = self.tree.directives.len() - 1;
        let foreign = self.tree.name(index, text).ends_with("_by_lua_block");
        if foreign {
            let end = lexer.skip_lua()?;
            let directive = &mut self.tree.directives[index];
            (directive.body, directive.end) = (Body::Foreign, end);
            return Ok(());
        }
        if self.open.len() >= DEEPEST {
            return Err(Wrong::new(by.start as usize, format!("blocks are nested more than {DEEPEST} deep")));
        }
        self.open.push(index);
        Ok(())
    }

    fn close(&mut self, by: Token) -> Result<(), Wrong> {
        if !self.words.is_empty() {
            return Err(Wrong::new(by.start as usize, "a `;` is missing before this `}`"));
        }
        let Some(index) = self.open.pop() else {
            return Err(Wrong::new(by.start as usize, "this `}` closes nothing"));
        };
        self.end_block(index, by.end);
        Ok(())
    }

    fn end_block(&mut self, index: Index, end: u32) {
        let after = self.tree.directives.len() as u32;
        let directive = &mut self.tree.directives[index];
        (directive.end, directive.after) = (end, after);
    }

    fn close_all(&mut self, end: u32) {
        while let Some(index) = self.open.pop() {
            self.end_block(index, end);
        }
    }
}

/// A name as a message may hold it.
fn shortened(name: &str) -> String {
    const LONGEST: usize = 40;
    let shown: String = name.chars().take(LONGEST).collect();
    if shown.len() < name.len() { format!("{shown}…") } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names with their arguments, nested in brackets.
    fn shown(text: &str) -> String {
        let (tree, wrong) = parse(text);
        assert_eq!(wrong, None, "{text}");
        fn list(tree: &Tree, text: &str, children: Children<'_>) -> String {
            let one = |i: Index| {
                let args: Vec<_> = tree.args(i).iter().map(|a| a.value(text)).collect();
                let head = [vec![tree.name(i, text)], args].concat().join(" ");
                match tree.get(i).body {
                    Body::None => head,
                    Body::Block => format!("{head} [{}]", list(tree, text, tree.children(i))),
                    Body::Foreign => format!("{head} lua"),
                }
            };
            children.map(one).collect::<Vec<_>>().join(", ")
        }
        list(&tree, text, tree.top())
    }

    #[test]
    fn blocks_and_directives() {
        let text = "events {}\nhttp { upstream u { server a; server b backup; } server { listen 80; location / { a b; } } } c;";
        assert_eq!(
            shown(text),
            "events [], http [upstream u [server a, server b backup], server [listen 80, location / [a b]]], c"
        );
    }

    #[test]
    fn lua_is_no_configuration() {
        let text = "location / { content_by_lua_block { if x then y({z = '}'}) end; } proxy_pass http://u; }";
        assert_eq!(shown(text), "location / [content_by_lua_block lua, proxy_pass http://u]");
    }

    #[test]
    fn ranges_cover_the_whole_directive() {
        let text = "http { # c\n server { a; } }";
        let (tree, _) = parse(text);
        let range = |i: Index| &text[tree.get(i).start as usize..tree.get(i).end as usize];
        assert_eq!((range(1), range(2)), ("server { a; }", "a;"));
        assert_eq!(tree.comments[0].raw(text), "# c");
    }

    #[test]
    fn mistakes_are_one_line_with_a_place() {
        for (text, at, words) in [
            ("http { a b }", 11, "a `;` is missing"),
            ("a; }", 3, "closes nothing"),
            ("http { a; ", 0, "`http` is never closed"),
            ("a; b c", 3, "before `b` does"),
            ("{ a; }", 0, "nothing stands before"),
            ("a; ;", 3, "nothing stands before"),
        ] {
            let (_, wrong) = parse(text);
            let wrong = wrong.expect(text);
            assert_eq!(wrong.at, at, "{text}");
            assert!(wrong.message.contains(words), "{text}: {}", wrong.message);
            assert!(!wrong.message.contains('\n'));
        }
        let (tree, wrong) = parse("http { server { listen 80; } a } ");
        assert!(wrong.is_some() && tree.len() == 3);
    }

    #[test]
    fn what_is_too_deep_or_too_long_is_said() {
        let deep = "a {".repeat(50_000);
        assert!(parse(&deep).1.is_some_and(|w| w.message.contains("nested")));
        let long = "a;".repeat(MOST_DIRECTIVES + 1);
        assert!(parse(&long).1.is_some_and(|w| w.message.contains("directives")));
    }
}
