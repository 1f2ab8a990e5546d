//! `cargo xtask dist`: makes the installation, as a tree of files, as Debian packages, or as the downloads of a release.
//!
//! Two runs give equal bytes, regardless of the source folder: no path of this machine and no time gets into a file.

mod archive;
mod built;
mod check;
mod deb;
pub(crate) mod debian;
mod dependencies;
mod options;
pub(crate) mod output;
mod plugins;
mod release;
mod tree;

use built::Built;
use options::Options;
use output::emptied;
use tree::Tree;

use crate::Failure;

/// Builds everything and installs it under `--destdir`, or with `--deb` or `--release` packs it.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    if let Some((option, arguments)) = arguments.split_first()
        && option == "--release"
    {
        return release::run(arguments);
    }
    let options = Options::parse(arguments)?;
    let built = Built::build(&options)?;
    if options.deb {
        return debian::pack(&built, &options);
    }
    let destination = match &options.destination {
        Some(folder) => folder.clone(),
        None => emptied("tree")?,
    };
    let tree = Tree::new(&destination);
    tree.install(&built, &options)?;
    println!("{}: installed for {}", destination.display(), options.prefix.display());
    Ok(())
}
