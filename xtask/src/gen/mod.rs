//! `cargo xtask gen`: from `vk.xml` to the committed tables.
//!
//! The registry is read into a [`model`], put in the order that numbers the commands ([`order`]), checked for unhandled handles ([`audit`],
//! by [`handles`] against [`handled`]), and written out by [`commands`], [`extensions`], [`structures`], [`exports`],
//! [`features`], [`properties`], [`formats`], [`recorded`], [`types`], [`defaults`] and [`dependencies`].

use std::fs;
use std::path::Path;

use crate::Failure;
use crate::workspace::root;

mod audit;
mod commands;
mod defaults;
mod dependencies;
mod enumerations;
mod exports;
mod extensions;
mod features;
mod formats;
mod generated;
mod handled;
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

use generated::Generated;

/// Runs the task: `--registry PATH` gives the path of `vk.xml`, `--check` compares instead of writing, and `--handles` prints the treatment
/// of every handle.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let mut registry = None;
    let (mut check, mut handles) = (false, false);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--registry" => registry = rest.next(),
            "--check" => check = true,
            "--handles" => handles = true,
            other => return Err(format!("gen does not know `{other}`").into()),
        }
    }
    let path = registry.ok_or("gen needs --registry PATH, the vk.xml to read")?;
    let text = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    if handles {
        print_handles(&text)?;
    }
    let files = generate(&text)?;
    if check { compare(root(), &files) } else { write(root(), &files) }
}

fn print_handles(text: &str) -> Result<(), Failure> {
    let document = roxmltree::Document::parse(text)?;
    let registry = order::number(model::Registry::read(document.root_element())?);
    audit::print(document.root_element(), &registry)
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
    let registry = order::number(model::Registry::read(document.root_element())?);
    audit::check(document.root_element(), &registry)?;
    let mut files = commands::files(document.root_element(), &registry)?;
    files.extend(extensions::files(&registry));
    files.push(structures::file(document.root_element())?);
    files.push(audit::file(&registry));
    files.push(audit::types_file());
    files.extend(exports::files(&registry)?);
    files.extend(features::files(document.root_element(), &registry)?);
    files.extend(properties::files(document.root_element(), &registry)?);
    files.extend(formats::files(document.root_element())?);
    files.extend(defaults::files(document.root_element(), &registry)?);
    files.push(dependencies::file(document.root_element(), &registry)?);
    files.extend(recorded::files(document.root_element(), &registry)?);
    files.extend(types::files(document.root_element(), &registry)?);
    Ok(files)
}

fn write(root: &Path, files: &[Generated]) -> Result<(), Failure> {
    for file in files {
        let path = root.join(&file.path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&path, &file.text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

fn compare(root: &Path, files: &[Generated]) -> Result<(), Failure> {
    let stale: Vec<String> = files
        .iter()
        .filter(|file| fs::read_to_string(root.join(&file.path)).ok().as_ref() != Some(&file.text))
        .map(|file| file.path.display().to_string())
        .collect();
    if stale.is_empty() {
        return Ok(());
    }
    Err(format!("not what the registry gives; run `cargo xtask gen`: {}", stale.join(", ")).into())
}
