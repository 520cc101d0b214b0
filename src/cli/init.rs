//! `init`: writes a first `retrylint.toml` into the working directory.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::Path;

use super::args::Init;
use super::look::look;
use super::{CLEAN, Error, config, output};
use crate::report::starter;

pub fn run(init: &Init) -> Result<u8, Error> {
    let path = Path::new(config::NAME);
    if !init.force && path.symlink_metadata().is_ok() {
        return Err(there());
    }
    let done = look(Path::new(""), &init.shared, &init.paths, !init.shared.quiet)?;
    let written = starter::starter(&done.run.view(done.ms));
    write(path, &written.text, init.force)?;
    output::to_stdout(&format!("wrote {}: {}\n", config::NAME, written.summary))?;
    Ok(CLEAN)
}

fn there() -> Error {
    Error(format!("{}: there is one already; --force writes over it", config::NAME))
}

/// A new file, never through a link that lies in its place.
fn write(path: &Path, text: &str, force: bool) -> Result<(), Error> {
    let failed = |e: std::io::Error| Error(format!("{}: {}", path.display(), config::reason(&e)));
    if force && path.symlink_metadata().is_ok() {
        std::fs::remove_file(path).map_err(failed)?;
    }
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    let mut file = file.map_err(|e| if e.kind() == ErrorKind::AlreadyExists { there() } else { failed(e) })?;
    file.write_all(text.as_bytes()).map_err(failed)
}
