//! Words of an HAProxy configuration, line by line, by the rules of HAProxy's own reader: quotes may begin and end anywhere
//! in a word, a backslash keeps the next byte, and a `#` outside of quotes ends the line even inside a word.
//!
//! Variables of the environment are kept as [`variable`] writes them. HAProxy itself replaces them inside double quotes and
//! in addresses alone; elsewhere a mark is taken for that of a tool which fills in the file beforehand.

use crate::effect::variable;

/// Why a file cannot be read, at this byte; one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    pub at: u32,
    pub message: String,
}

/// A word, with the range in which it stands, quotes included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    pub start: u32,
    pub end: u32,
    pub value: String,
    /// A part of it is read from the environment.
    pub open: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Line {
    pub words: Vec<Word>,
    /// From its `#` to the end of the line.
    pub comment: Option<(u32, u32)>,
}

/// All lines that hold something, and the first mistake.
pub fn lines(text: &str) -> (Vec<Line>, Option<Wrong>) {
    let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let (mut found, mut wrong) = (Vec::new(), None);
    while at < text.len() {
        let end = text[at..].find('\n').map_or(text.len(), |n| at + n);
        match line(text, at, end) {
            Ok(line) if line.words.is_empty() && line.comment.is_none() => {}
            Ok(line) => found.push(line),
            Err(mistake) => wrong = wrong.or(Some(mistake)),
        }
        at = end + 1;
    }
    (found, wrong)
}

fn line(text: &str, from: usize, end: usize) -> Result<Line, Wrong> {
    let mut line = Line::default();
    let mut at = from;
    loop {
        at += text[at..end].len() - text[at..end].trim_start().len();
        match text[at..end].chars().next() {
            None => return Ok(line),
            Some('#') => {
                line.comment = Some((at as u32, text[..end].trim_end().len().max(at) as u32));
                return Ok(line);
            }
            Some(_) => {
                let word = Reader { text: &text[..end], at, word: String::new(), open: false }.word()?;
                at = word.end as usize;
                line.words.push(word);
            }
        }
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    word: String,
    open: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Single(usize),
    Double(usize),
}

impl Reader<'_> {
    fn word(mut self) -> Result<Word, Wrong> {
        let start = self.at;
        let mut quote = Quote::None;
        while let Some(c) = self.text[self.at..].chars().next() {
            match (c, quote) {
                ('#', Quote::None) => break,
                (c, Quote::None) if c.is_whitespace() => break,
                ('\'', Quote::None) => quote = Quote::Single(self.at),
                ('"', Quote::None) => quote = Quote::Double(self.at),
                ('\'', Quote::Single(_)) | ('"', Quote::Double(_)) => quote = Quote::None,
                ('\\', Quote::None | Quote::Double(_)) => {
                    self.escape();
                    continue;
                }
                ('$', Quote::None | Quote::Double(_)) if self.environment() => continue,
                (c, _) => self.word.push(c),
            }
            self.at += c.len_utf8();
        }
        match quote {
            Quote::None => Ok(Word { start: start as u32, end: self.at as u32, value: self.word, open: self.open }),
            Quote::Single(at) | Quote::Double(at) => {
                Err(Wrong { at: at as u32, message: "a quote that does not end on its line".to_owned() })
            }
        }
    }

    /// A backslash and what it keeps.
    fn escape(&mut self) {
        self.at += 1;
        let Some(kept) = self.text[self.at..].chars().next() else { return self.word.push('\\') };
        self.at += kept.len_utf8();
        match kept {
            ' ' | '#' | '\\' | '"' | '\'' | '$' => self.word.push(kept),
            'n' => self.word.push('\n'),
            'r' => self.word.push('\r'),
            't' => self.word.push('\t'),
            other => self.word.extend(['\\', other]),
        }
    }

    /// `$NAME`, `${NAME}` and `${NAME-default}`; whether there was one.
    fn environment(&mut self) -> bool {
        let behind = &self.text[self.at + 1..];
        let (inner, used) = match behind.strip_prefix('{') {
            Some(inner) => match inner.find('}') {
                Some(end) => (&inner[..end], end + 3),
                None => return false,
            },
            None => {
                let end = behind.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(behind.len());
                (&behind[..end], end + 1)
            }
        };
        let (name, default) = match inner.split_once('-') {
            Some((name, default)) => (name, Some(default.trim_start_matches('-'))),
            None => (inner.trim_end_matches("[*]"), None),
        };
        // `${NAME:-x}` is a shell's way.
        let name = name.trim_end_matches(':');
        let plain = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        if !plain || name.starts_with(|c: char| c.is_ascii_digit()) {
            return false;
        }
        match default {
            Some(default) => self.word.push_str(&variable::or_default(name, default)),
            None => self.word.push_str(&variable::variable(name)),
        }
        self.open = true;
        self.at += used;
        true
    }
}

/// Milliseconds of a time as HAProxy reads it: a number alone is milliseconds already. `Err`: what stands behind it.
pub fn time(text: &str) -> Result<u64, &str> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 = text[..digits].parse().map_err(|_| text)?;
    let unit = match &text[digits..] {
        // What is less than a millisecond is one.
        "us" => return Ok(number.div_ceil(1000)),
        "" | "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        other => return Err(other),
    };
    Ok(number.saturating_mul(unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let (lines, wrong) = lines(text);
        assert_eq!(wrong, None, "{text}");
        lines.into_iter().flat_map(|l| l.words).map(|w| w.value).collect()
    }

    #[test]
    fn quotes_and_escapes() {
        assert_eq!(words("  acl a path_beg /x\t/y\r\n"), ["acl", "a", "path_beg", "/x", "/y"]);
        assert_eq!(words(r#"a "b c"d 'e "f"' g\ h \#i"#), ["a", "b cd", "e \"f\"", "g h", "#i"]);
        assert_eq!(words("retries 3#x y"), ["retries", "3"]);
        assert_eq!(words(r"path_reg ^/a\.b$"), ["path_reg", r"^/a\.b$"]);
    }

    #[test]
    fn variables_of_the_environment() {
        assert_eq!(words(r#""$HOST:${PORT-80}" '$X' ${A:-b} \$c"#), ["{$HOST}:{$PORT:-80}", "$X", "{$A:-b}", "$c"]);
        assert_eq!(words("^/a$ $1 ${ ${}"), ["^/a$", "$1", "${", "${}"]);
    }

    #[test]
    fn comments_and_mistakes_have_places() {
        let text = "a # b\n\n#c";
        let (found, _) = lines(text);
        let comments: Vec<&str> =
            found.iter().filter_map(|l| l.comment).map(|(a, b)| &text[a as usize..b as usize]).collect();
        assert_eq!(comments, ["# b", "#c"]);
        let (found, wrong) = lines("a\nb 'c\nd");
        assert_eq!((found.len(), wrong.map(|w| w.at)), (2, Some(4)));
    }

    #[test]
    fn a_number_alone_is_milliseconds() {
        assert_eq!(
            [time("500"), time("5s"), time("1m"), time("1500us"), time("2ms")],
            [Ok(500), Ok(5_000), Ok(60_000), Ok(2), Ok(2)]
        );
        assert_eq!((time("3sec"), time("x"), time("")), (Err("sec"), Err("x"), Err("")));
        assert_eq!(time("18446744073709551615d"), Ok(u64::MAX));
    }
}
