//! Writes the manual pages and the completions of shells for `vkload` into a folder: `vkload-pages FOLDER`.

#[path = "../../src/arguments.rs"]
mod arguments;

use std::io;
use std::path::PathBuf;

use clap_complete::Shell;

fn main() -> io::Result<()> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from).ok_or(io::ErrorKind::InvalidInput)?;
    std::fs::create_dir_all(&folder)?;
    let mut command = arguments::described();
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut command, "vkload", &folder)?;
    }
    clap_mangen::generate_to(command, &folder)
}
