//! `cargo xtask gen`: from `vk.xml` to the committed tables.
//!
//! The registry is read into a [`model`], put in the order that numbers the commands ([`order`]), checked for unhandled handles ([`audit`],
//! by [`handles`] against `handled.tsv`), and written out by [`commands`], [`extensions`], [`structures`], [`exports`],
//! [`features`], [`properties`], [`formats`], [`recorded`], [`types`], [`defaults`] and [`dependencies`].

use std::fs;

use crate::Failure;
use crate::workspace::root;

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

/// Runs the task: `--registry PATH` gives the path of `vk.xml`, and `--check` compares instead of writing.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let (path, check) = match arguments {
        [option, path] if option == "--registry" => (path, false),
        [option, path, check] | [check, option, path] if option == "--registry" && check == "--check" => {
            (path, true)
        }
        _ => return Err("gen needs --registry PATH, the vk.xml to read, and takes --check".into()),
    };
    let text = fs::read_to_string(path).map_err(|error| format!("{path}: {error}"))?;
    let files = generate(&text)?;
    if check { compare(&files) } else { write(&files) }
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
    let mut files = commands::files(root, &definitions, &registry)?;
    files.extend(extensions::files(&registry));
    files.push(structures::file(root, &definitions)?);
    files.push(audit::file(&registry)?);
    files.push(audit::types_file());
    files.extend(exports::files(&registry)?);
    files.extend(features::files(&definitions, &registry)?);
    files.extend(properties::files(&definitions, &registry)?);
    files.extend(formats::files(root, &definitions)?);
    files.extend(defaults::files(root, &definitions, &registry)?);
    files.push(dependencies::file(root, &registry)?);
    files.extend(recorded::files(root, &registry)?);
    files.extend(types::files(root, &definitions, &registry)?);
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
