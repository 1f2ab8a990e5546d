//! `cargo xtask tools TRIPLE`: prints the tools and flags for a target as shell variables, for `packaging/common.sh`.

use std::process::Command;

use crate::Failure;
use crate::target::{Binutils, Target};

pub(crate) fn run(triple: &str) -> Result<(), Failure> {
    let target = Target::named(triple)?;
    let mut cargo = Command::new("cargo");
    target.set_linker(&mut cargo)?;
    for (variable, linker) in cargo.get_envs() {
        println!("export {}='{}'", variable.display(), linker.unwrap_or_default().display());
    }
    for tool in ["ar", "ld", "nm", "objcopy", "strip"] {
        let program = Binutils(Some(target)).command(tool)?;
        println!("{}='{}'", tool.to_uppercase(), program.get_program().display());
    }
    println!("target_flags='{}'\ngnu_type='{}'", target.flags()?.join("\n"), target.tools);
    Ok(())
}
