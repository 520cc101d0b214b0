//! `completions` and `man`: what packagers install beside the binary.

use clap::CommandFactory;

use super::args::{Cli, Completions, Man};
use super::{CLEAN, Error, output};

pub fn completions(arguments: &Completions) -> Result<u8, Error> {
    let mut text = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "retrylint", &mut text);
    print(text)
}

/// The page of the program, or of one command.
pub fn man(arguments: &Man) -> Result<u8, Error> {
    let mut all = Cli::command();
    all.build();
    let page = match &arguments.command {
        None => all,
        Some(name) => {
            let known = all.get_subcommands().map(|c| c.get_name().to_string()).collect::<Vec<_>>().join(", ");
            let found = all.find_subcommand(name).cloned();
            found.ok_or_else(|| Error(format!("there is no command `{name}`; there are {known}")))?
        }
    };
    let mut text = Vec::new();
    let written = clap_mangen::Man::new(page).render(&mut text);
    written.map_err(|e| Error(format!("the manual page: {e}")))?;
    print(text)
}

fn print(text: Vec<u8>) -> Result<u8, Error> {
    output::to_stdout(&String::from_utf8_lossy(&text))?;
    Ok(CLEAN)
}
