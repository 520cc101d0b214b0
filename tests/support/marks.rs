//! Marks in comments: what a file says about its own analysis. `//~ RL103` a finding, `//= attempts 9` a number.

use std::path::Path;

/// One expectation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    pub kind: Kind,
    pub file: String,
    /// `None`: anywhere in the file.
    pub line: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    Finding {
        code: String,
        /// What the message must hold; a number as a whole number.
        text: String,
        /// The place on the finding's path, 1 being the primary one.
        place: Option<usize>,
    },
    /// `attempts`, `effective`, `time`, `deadline`, `layer`, `not-a-retry`.
    Fact { what: String, words: Vec<String> },
}

impl Mark {
    pub fn code(&self) -> Option<&str> {
        match &self.kind {
            Kind::Finding { code, .. } => Some(code),
            Kind::Fact { .. } => None,
        }
    }

    /// Where it stands, for messages.
    pub fn place(&self) -> String {
        match self.line {
            Some(line) => format!("{}:{line}", self.file),
            None => self.file.clone(),
        }
    }
}

/// The sign of comments in a kind of file.
pub fn sign(path: &str) -> Option<&'static str> {
    match Path::new(path).extension()?.to_str()? {
        "rs" => Some("//"),
        "yaml" | "yml" | "conf" | "cfg" | "toml" => Some("#"),
        _ => None,
    }
}

/// A mark of a file that has no comments, as a table with `file`, `mark` and perhaps `line`.
pub fn of_table(table: &toml::Table) -> Result<Mark, String> {
    let text = |key: &str| table.get(key).and_then(|v| v.as_str()).ok_or(format!("a mark without `{key}`"));
    let line = table.get("line").and_then(|v| v.as_integer()).and_then(|l| u64::try_from(l).ok());
    parse(text("mark")?, text("file")?, line)
}

/// The marks of a file, and its text with them blanked out.
pub fn take(path: &str, text: &str) -> Result<(Vec<Mark>, String), String> {
    let Some(sign) = sign(path) else { return Ok((Vec::new(), text.to_string())) };
    let (mut marks, mut bare) = (Vec::new(), Vec::new());
    for (n, line) in text.split('\n').enumerate() {
        let (texts, rest) = split(line, sign);
        for mark in texts {
            marks.push(parse(mark, path, Some(n as u64 + 1))?);
        }
        bare.push(rest);
    }
    Ok((marks, bare.join("\n")))
}

fn split<'a>(line: &'a str, sign: &str) -> (Vec<&'a str>, &'a str) {
    let starts: Vec<usize> =
        line.match_indices(sign).map(|(i, _)| i).filter(|i| line[i + sign.len()..].starts_with(['~', '='])).collect();
    let Some(first) = starts.first() else { return (Vec::new(), line) };
    let ends = starts.iter().skip(1).copied().chain([line.len()]);
    let parts = starts.iter().zip(ends).map(|(from, to)| line[from + sign.len()..to].trim());
    (parts.filter(|p| !p.is_empty()).collect(), line[..*first].trim_end())
}

/// One mark without its comment sign: `~^ RL301 81`, `= attempts 9`.
pub fn parse(text: &str, file: &str, line: Option<u64>) -> Result<Mark, String> {
    let wrong = || format!("{file}:{}: unknown mark `{text}`", line.unwrap_or(0));
    if let Some(fact) = text.strip_prefix('=') {
        let mut words = fact.split_whitespace().map(str::to_string);
        let what = words.next().ok_or_else(wrong)?;
        if !["attempts", "effective", "time", "deadline", "layer", "not-a-retry"].contains(&what.as_str()) {
            return Err(wrong());
        }
        let kind = Kind::Fact { what, words: words.collect() };
        return Ok(Mark { kind, file: file.to_string(), line });
    }
    let rest = text.strip_prefix('~').ok_or_else(wrong)?;
    let (place, rest) = match rest.strip_prefix('>') {
        Some(rest) => {
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            (Some(rest[..digits].parse().map_err(|_| wrong())?), &rest[digits..])
        }
        None => (None, rest),
    };
    let up = rest.len() - rest.trim_start_matches('^').len();
    let rest = rest[up..].strip_prefix(char::is_whitespace).ok_or_else(wrong)?.trim_start();
    let (code, text) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let code = match code {
        "problem" => "RL901",
        code if is_code(code) => code,
        _ => return Err(wrong()),
    };
    let kind = Kind::Finding { code: code.to_string(), text: text.trim().to_string(), place };
    Ok(Mark { kind, file: file.to_string(), line: line.map(|l| l.saturating_sub(up as u64)) })
}

fn is_code(word: &str) -> bool {
    word.len() == 5 && word.starts_with("RL") && word[2..].bytes().all(|b| b.is_ascii_digit())
}
