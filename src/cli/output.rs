//! Streams and files. A closed pipe is a reader that has seen enough, never an error.

use std::io::{ErrorKind, Write};
use std::path::Path;

use super::{Error, config};
use crate::report::sanitise;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    Done,
    /// The reader left.
    Closed,
}

pub fn to_stdout(text: &str) -> Result<Written, Error> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(Written::Done),
        Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(Written::Closed),
        Err(e) => Err(Error(format!("standard output: {}", config::reason(&e)))),
    }
}

pub fn to_file(path: &Path, text: &str) -> Result<(), Error> {
    std::fs::write(path, text).map_err(|e| Error(format!("{}: {}", path.display(), config::reason(&e))))
}

/// One line on standard error. Nothing can be done if nobody reads it.
pub fn complain(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", sanitise::line(line));
}
