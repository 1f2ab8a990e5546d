//! `cargo xtask book`: the pages made from rules, the links of all pages, and the book of `docs`.

mod links;
mod render;
mod rules;

use std::fs;
use std::process::Command;

use crate::Failure;
use crate::workspace::root;

/// Writes the pages made from rules, checks links and summary, and builds the book. With `--check`, fails if a page is
/// not current, and builds nothing.
pub(crate) fn run(arguments: &[String]) -> Result<(), Failure> {
    let check = match arguments {
        [] => false,
        [only] if only == "--check" => true,
        _ => return Err("expects nothing, or --check".into()),
    };
    let sets = rules::read()?;
    let mut problems = rules::problems(&sets)?;
    for (name, text) in render::pages(&sets) {
        let file = root().join(rules::FOLDER).join(&name);
        let is_current = fs::read_to_string(&file).is_ok_and(|current| current == text);
        if check && !is_current {
            problems.push(format!("{}/{name} is not current: run `cargo xtask book`", rules::FOLDER));
        } else if !is_current {
            fs::write(file, text)?;
        }
    }
    problems.extend(links::problems()?);
    if !problems.is_empty() {
        problems.iter().for_each(|problem| println!("{problem}"));
        return Err(format!("{} problems", problems.len()).into());
    }
    if check { Ok(()) } else { build() }
}

/// Builds the HTML, if mdBook is installed.
fn build() -> Result<(), Failure> {
    match Command::new("mdbook").arg("build").current_dir(root()).status() {
        Ok(status) if status.success() => {
            println!("target/book/index.html");
            Ok(())
        }
        Ok(status) => Err(format!("mdbook failed: {status}").into()),
        Err(_) => {
            println!("the pages are written; for HTML, install mdBook: cargo install mdbook --locked");
            Ok(())
        }
    }
}
