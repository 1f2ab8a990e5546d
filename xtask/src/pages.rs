//! `cargo xtask pages FOLDER`: writes the manual pages of `vkload` and the completions of shells into a folder.

#[path = "../../vkload/src/arguments.rs"]
mod arguments;

use std::fs;
use std::path::Path;

use clap_complete::Shell;

use crate::Failure;

pub(crate) fn run(folder: &Path) -> Result<(), Failure> {
    fs::create_dir_all(folder)?;
    let mut command = arguments::described();
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        clap_complete::generate_to(shell, &mut command, "vkload", folder)?;
    }
    Ok(clap_mangen::generate_to(command, folder)?)
}
