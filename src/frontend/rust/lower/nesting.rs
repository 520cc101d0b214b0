//! How much stack a text can make the parser use, estimated from bytes before anything is parsed.
//!
//! syn recurses over its input and a full stack ends the process, so the answer must never be too small. Strings and
//! comments are skipped exactly as the lexer does; everything else that may nest is counted as if it did: brackets,
//! `<`, runs of prefix tokens (`&&&`, `return return`, `|| ||`), and chains (`a.b.c`), which recurse when dropped.

/// Stack of one bracket or `<`, in bytes, as measured in a release build with room to spare.
const LEVEL: u64 = 8 * 1024;
/// Stack of a token that may open a sub-expression without a bracket.
const PREFIX: u64 = 3 * 1024;
/// Stack of any other token: chains parse in a loop but are dropped link by link.
const LINK: u64 = 160;
/// Numbers are multiplied out digit by digit, which is quadratic.
const LONGEST_NUMBER: usize = 4096;

/// Words that may stand before a whole expression, type or pattern. A `match` is told apart by length first: every word of
/// every file comes here.
fn is_keyword(word: &[u8]) -> bool {
    matches!(
        word,
        b"as"
            | b"async"
            | b"await"
            | b"box"
            | b"break"
            | b"const"
            | b"do"
            | b"dyn"
            | b"else"
            | b"extern"
            | b"fn"
            | b"for"
            | b"if"
            | b"impl"
            | b"in"
            | b"let"
            | b"loop"
            | b"match"
            | b"move"
            | b"mut"
            | b"raw"
            | b"ref"
            | b"return"
            | b"static"
            | b"try"
            | b"union"
            | b"unsafe"
            | b"where"
            | b"while"
            | b"yield"
    )
}

/// Bytes of words and numbers.
const WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        table[byte] = b == b'_' || b >= 0x80 || b.is_ascii_alphanumeric();
        byte += 1;
    }
    table
};

#[derive(Debug, PartialEq, Eq, Clone)]
pub struct Nesting {
    /// Bytes of stack that parsing and dropping may take in a release build.
    pub stack: u64,
    /// Where the estimate was highest.
    pub at: usize,
    pub long_number: Option<usize>,
    /// The bytes that make comments documentation: the third of `///`, `//!`, `/**`, `/*!`.
    pub docs: Vec<usize>,
}

/// One bracket that is open, or the file itself.
#[derive(Default)]
struct Level {
    /// Since the last separator.
    links: u64,
    /// Since the last `;` or `}`: commas may stand inside of what these nest (`|a, b| |c, d| x`).
    sticky: u64,
    angles: u64,
}

impl Level {
    fn cost(&self) -> u64 {
        self.links + self.sticky + self.angles * LEVEL
    }
}

struct Scan<'t> {
    bytes: &'t [u8],
    at: usize,
    levels: Vec<Level>,
    total: u64,
    /// The last byte that is no space and in no comment.
    before: u8,
    after_keyword: bool,
    found: Nesting,
}

pub fn estimate(text: &str) -> Nesting {
    let found = Nesting { stack: 0, at: 0, long_number: None, docs: Vec::new() };
    let levels = vec![Level::default()];
    let mut scan = Scan { bytes: text.as_bytes(), at: 0, levels, total: 0, before: b';', after_keyword: false, found };
    while scan.at < scan.bytes.len() {
        scan.step();
    }
    scan.found
}

impl Scan<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn step(&mut self) {
        match self.peek(0) {
            b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
            b'/' if self.peek(1) == b'/' => self.line_comment(),
            b'/' if self.peek(1) == b'*' => self.block_comment(),
            b'"' => self.string(),
            b'\'' => self.quote(),
            b if WORD[usize::from(b)] => self.word(),
            b => self.punctuation(b),
        }
    }

    fn line_comment(&mut self) {
        if matches!((self.peek(2), self.peek(3)), (b'/', after) if after != b'/') || self.peek(2) == b'!' {
            self.found.docs.push(self.at + 2);
        }
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
    }

    fn block_comment(&mut self) {
        if matches!((self.peek(2), self.peek(3)), (b'*', after) if !matches!(after, b'*' | b'/'))
            || self.peek(2) == b'!'
        {
            self.found.docs.push(self.at + 2);
        }
        let mut depth = 0;
        while self.at < self.bytes.len() {
            match (self.peek(0), self.peek(1)) {
                (b'/', b'*') => (depth, self.at) = (depth + 1, self.at + 2),
                (b'*', b'/') => (depth, self.at) = (depth - 1, self.at + 2),
                _ => self.at += 1,
            }
            if depth == 0 {
                return;
            }
        }
    }

    fn string(&mut self) {
        self.at += 1;
        while self.at < self.bytes.len() && self.peek(0) != b'"' {
            self.at += if self.peek(0) == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
        self.literal();
    }

    /// At the first `#` or the quote.
    fn raw_string(&mut self) {
        let hashes = self.bytes[self.at..].iter().take_while(|b| **b == b'#').count();
        if self.peek(hashes) != b'"' {
            return;
        }
        self.at += hashes + 1;
        while self.at < self.bytes.len() {
            let closed = self.peek(0) == b'"' && (1..=hashes).all(|i| self.peek(i) == b'#');
            self.at += 1;
            if closed {
                self.at += hashes;
                break;
            }
        }
        self.literal();
    }

    /// A character or a lifetime.
    fn quote(&mut self) {
        self.at += 1;
        if self.peek(0) == b'\\' {
            self.at += 2;
            while self.at < self.bytes.len() && !matches!(self.peek(0), b'\'' | b'\n') {
                self.at += 1;
            }
            self.at += 1;
        } else {
            let mut width = 1;
            while self.peek(width) & 0xc0 == 0x80 {
                width += 1;
            }
            // A lifetime's name is read as a word by the next step.
            if self.peek(width) == b'\'' {
                self.at += width + 1;
            }
        }
        self.literal();
    }

    fn literal(&mut self) {
        self.before = b'"';
        self.after_keyword = false;
        self.add(LINK, false);
    }

    fn word(&mut self) {
        let from = self.at;
        let rest = &self.bytes[from..];
        self.at += rest.iter().position(|b| !WORD[usize::from(*b)]).unwrap_or(rest.len());
        let word = &self.bytes[from..self.at];
        if word[0].is_ascii_digit() && word.len() > LONGEST_NUMBER {
            self.found.long_number.get_or_insert(from);
        }
        if matches!(word, b"r" | b"br" | b"cr") && matches!(self.peek(0), b'"' | b'#') {
            return self.raw_string();
        }
        if self.before == b'}' && word != b"else" && word != b"as" {
            self.separate(true);
        }
        let keyword = is_keyword(word);
        self.before = b'a';
        self.after_keyword = keyword;
        self.add(if keyword { PREFIX } else { LINK }, keyword);
    }

    fn punctuation(&mut self, byte: u8) {
        match byte {
            b'(' | b'[' | b'{' => self.open(),
            b')' | b']' | b'}' => self.close(byte),
            b';' => self.separate(true),
            b',' => self.separate(false),
            b'#' if self.before == b'}' => self.separate(true),
            b'<' if self.peek(1) == b'=' => self.add(PREFIX, false),
            b'<' if self.shift() => self.at += 1,
            b'<' => self.angle(),
            b'>' => self.close_angle(),
            b'.' | b'?' | b'+' | b'/' | b'%' | b'^' => self.add(LINK, false),
            b'|' => {
                let operand = matches!(self.before, b'a' | b'"' | b')' | b']' | b'}');
                self.add(PREFIX, self.after_keyword || !operand);
            }
            _ => self.add(PREFIX, false),
        }
        self.before = byte;
        self.after_keyword = false;
        self.at += 1;
    }

    /// `<< 3`: no type begins with a digit.
    fn shift(&self) -> bool {
        let mut next = 2;
        while self.peek(next) == b' ' {
            next += 1;
        }
        self.peek(1) == b'<' && self.peek(next).is_ascii_digit()
    }

    fn add(&mut self, cost: u64, sticky: bool) {
        let level = self.levels.last_mut().expect("the file's own level is never popped");
        let field = if sticky { &mut level.sticky } else { &mut level.links };
        *field += cost;
        self.total += cost;
        self.note();
    }

    fn note(&mut self) {
        if self.total > self.found.stack {
            self.found.stack = self.total;
            self.found.at = self.at.min(self.bytes.len());
        }
    }

    fn open(&mut self) {
        self.add(LINK, false);
        self.levels.push(Level::default());
        self.total += LEVEL;
        self.note();
    }

    fn close(&mut self, byte: u8) {
        if self.levels.len() > 1 {
            let gone = self.levels.pop().map_or(0, |l| l.cost());
            self.total -= gone + LEVEL;
        }
        // What follows a `}` decides whether the statement goes on; `{}` after `{}` does not.
        if byte == b'}' && self.peek(1) == b'}' {
            self.separate(true);
        }
    }

    fn angle(&mut self) {
        if let Some(level) = self.levels.last_mut() {
            level.angles += 1;
            self.total += LEVEL;
        }
        self.note();
    }

    fn close_angle(&mut self) {
        let arrow = matches!(self.before, b'-' | b'=');
        match self.levels.last_mut() {
            Some(level) if level.angles > 0 && !arrow => {
                level.angles -= 1;
                self.total -= LEVEL;
            }
            _ => self.add(LINK, false),
        }
    }

    /// A `,` ends a chain unless it stands between `<` and `>`; `;` and the end of a block end everything.
    fn separate(&mut self, statement: bool) {
        let Some(level) = self.levels.last_mut() else {
            return;
        };
        if statement {
            self.total -= level.cost();
            *level = Level::default();
        } else if level.angles == 0 {
            self.total -= level.links;
            level.links = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LEVEL, PREFIX, estimate};

    #[test]
    fn hidden_brackets_do_not_count() {
        let plain = estimate("fn f() { g(1) }").stack;
        for text in [
            "fn f() { g(\"((((((((((((((((((((((((((\") }",
            "fn f() { g(r#\"\"(((((((((((((((((((((((((\"#) }",
            "fn f() { g('(') } // ((((((((((((((((((((",
            "fn f() { g('\\'') } /* /* (((((((((( */ ((((((( */",
        ] {
            assert!(estimate(text).stack <= plain + 200, "{text}");
        }
    }

    #[test]
    fn closing_brackets_in_strings_hide_nothing() {
        let text = "f(\")\", f(')', f(r\")\", f(b')', f(/*)*/1)))))";
        assert!(estimate(text).stack >= 5 * LEVEL);
    }

    #[test]
    fn documentation_is_told_from_other_comments() {
        let text = "/// a\n//! b\n//// c\n// d\n/** e */ /*! f */ /*** g */ /**/ /* h */ \"/// i\"";
        assert_eq!(estimate(text).docs, [2, 8, 26, 35]);
    }

    #[test]
    fn everything_that_nests_counts() {
        for unit in ["(", "V<", "V<A, ", "f(a, ", "{", "[", "m!(", "mod a {"] {
            assert!(estimate(&unit.repeat(1000)).stack >= 1000 * LEVEL, "{unit}");
        }
        for unit in [
            "&",
            "!",
            "-",
            "*const ",
            "return ",
            "|| ",
            "|a, b| ",
            "move |a, b| ",
            "a = ",
            "a::<b, c> = ",
            "a::",
            "-> ",
            "x @ ",
            "if ",
        ] {
            assert!(estimate(&unit.repeat(1000)).stack >= 1000 * PREFIX, "{unit}");
        }
        for unit in [".b()", "?", "+ a", "else if a {} ", "[0]", "as u8 "] {
            assert!(estimate(&unit.repeat(1000)).stack >= 1000 * 100, "{unit}");
        }
    }

    #[test]
    fn many_items_are_not_deep() {
        let item = "pub fn f(a: &str) -> Option<u8> { let x = a.b(1 << 3)?; x + 1 }\n#[a] impl A { fn f() {} }\n";
        assert_eq!(estimate(&item.repeat(5)).stack, estimate(&item.repeat(500)).stack);
    }

    #[test]
    fn long_numbers_are_named() {
        assert_eq!(estimate(&format!("x = 1{};", "0".repeat(5000))).long_number, Some(4));
    }
}
