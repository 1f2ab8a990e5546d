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

/// Returns the files that git knows or could add, by a pattern, in order.
fn tracked(pattern: &str) -> Result<Vec<String>, Failure> {
    let arguments = ["ls-files", "--cached", "--others", "--exclude-standard", pattern];
    let output = Command::new("git").current_dir(root()).args(arguments).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let files = String::from_utf8(output.stdout)?;
    let mut files: Vec<_> =
        files.lines().map(str::to_owned).filter(|file| root().join(file).exists()).collect();
    files.sort();
    Ok(files)
}
