//! `cargo xtask gen`: from `vk.xml` to the committed tables.
//!
//! The registry is read into a [`model`], put in the order that numbers the commands ([`order`]), checked for unhandled handles ([`audit`],
//! by [`handles`] against `handled.tsv`), and written out by [`commands`], [`extensions`], [`structures`], [`exports`],
//! [`features`], [`properties`], [`formats`], [`recorded`], [`types`], [`defaults`] and [`dependencies`].

use std::fs;
use std::path::PathBuf;

use clap::Args;

use crate::Failure;
use crate::workspace::{read, root};

mod audit;
mod commands;
mod defaults;
mod definitions;
mod dependencies;
mod enumerations;
mod exports;
mod extensions;
mod features;
mod formats;
mod generated;
mod handles;
mod layout;
mod model;
mod naming;
mod order;
mod properties;
mod recorded;
mod signatures;
mod structures;
mod types;

use definitions::Definitions;
use generated::Generated;

#[derive(Args)]
pub(crate) struct Options {
    /// The vk.xml to read
    #[arg(long, value_name = "PATH")]
    registry: PathBuf,
    /// Compare instead of writing
    #[arg(long)]
    check: bool,
}

pub(crate) fn run(options: &Options) -> Result<(), Failure> {
    let files = generate(&String::from_utf8(read(&options.registry)?)?)?;
    if options.check { compare(&files) } else { write(&files) }
}

/// Returns the registry that `VK_XML` names, or that `test.sh` checks the generated files against. Without one, the test that
/// asks has nothing to read, and says so.
#[cfg(test)]
fn registry_beside_the_repository() -> Option<String> {
    let path = std::env::var("VK_XML").unwrap_or_else(|_| "../shared/registry/vk-1.4.366.xml".to_owned());
    let path = root().join(path);
    fs::read_to_string(&path).inspect_err(|error| eprintln!("{}: {error}: not tested", path.display())).ok()
}

fn generate(text: &str) -> Result<Vec<Generated>, Failure> {
    let document = roxmltree::Document::parse(text)?;
    let root = document.root_element();
    let registry = order::number(model::Registry::read(root)?);
    let definitions = Definitions::read(root)?;
    audit::check(&definitions, &registry)?;
    let mut files = commands::files(&definitions, &registry)?;
    files.extend(extensions::files(&registry));
    files.push(structures::file(&definitions)?);
    files.push(audit::file(&registry)?);
    files.push(audit::types_file());
    files.extend(exports::files(&registry)?);
    files.extend(features::files(&definitions, &registry)?);
    files.extend(properties::files(&definitions, &registry)?);
    files.extend(formats::files(root, &definitions)?);
    files.extend(defaults::files(&definitions, &registry)?);
    files.push(dependencies::file(root, &registry)?);
    files.extend(recorded::files(root, &definitions, &registry)?);
    files.extend(types::files(&definitions, &registry)?);
    Ok(files)
}

fn write(files: &[Generated]) -> Result<(), Failure> {
    for file in files {
        fs::write(root().join(&file.path), &file.text)
            .map_err(|error| format!("{}: {error}", file.path.display()))?;
    }
    Ok(())
}

fn compare(files: &[Generated]) -> Result<(), Failure> {
    let is_stale =
        |file: &&Generated| fs::read_to_string(root().join(&file.path)).ok().as_ref() != Some(&file.text);
    let stale: Vec<_> = files.iter().filter(is_stale).map(|file| file.path.display().to_string()).collect();
    if stale.is_empty() {
        return Ok(());
    }
    Err(format!("not what the registry gives; run `cargo xtask gen`: {}", stale.join(", ")).into())
}
