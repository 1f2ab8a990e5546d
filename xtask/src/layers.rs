//! `cargo xtask layers`: the top-level modules of each crate have an order, and a module may use only those below it. Reads the sources,
//! prints the order, and fails on an upward use.
//!
//! A crate's manifest has its order, the uppermost module first: `order` in `[package.metadata.modules]`. Modules in an inner list may use
//! each other.
//!
//! A use is a path that begins with `crate`, or with as many `super` as the module is deep. The sources are as rustfmt writes them: an item
//! ends at its first line's indentation.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::slice;

use serde_json::Value;

use crate::Failure;
use crate::workspace::{files, metadata, root};

/// Fails if a module uses one above it or is not listed.
pub(crate) fn run() -> Result<(), Failure> {
    let mut wrong = 0;
    let metadata = metadata(&["--no-deps"])?;
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let manifest = Path::new(package["manifest_path"].as_str().unwrap_or_default());
        let folder = manifest.parent().unwrap_or(root());
        println!("{}", folder.strip_prefix(root()).unwrap_or(folder).display());
        let sources = Sources::read(&folder.join("src"))?;
        for fault in faults(&layers(&package["metadata"]["modules"]["order"]), &sources) {
            println!("  {fault}");
            wrong += 1;
        }
    }
    if wrong == 0 { Ok(()) } else { Err(format!("{wrong} things are wrong with the layers").into()) }
}

/// Returns the modules of each layer of a manifest's list.
fn layers(order: &Value) -> Vec<Vec<&str>> {
    let modules = |layer| Value::as_array(layer).map_or(slice::from_ref(layer), Vec::as_slice).iter();
    let layers = order.as_array().into_iter().flatten();
    layers.map(|layer| modules(layer).filter_map(Value::as_str).collect()).collect()
}

/// Prints the order, and returns the faults in it.
fn faults(order: &[Vec<&str>], Sources { modules, uses }: &Sources) -> Vec<String> {
    let listed: Vec<&str> = order.iter().flatten().copied().collect();
    let unlisted = modules.iter().filter(|it| modules.len() > 1 && !listed.contains(&it.as_str()));
    let absent = listed.iter().filter(|it| !modules.contains(**it));
    let mut faults: Vec<_> = unlisted
        .map(|it| format!("{it} is not in the order of the crate's manifest"))
        .chain(absent.map(|it| format!("module {it} does not exist")))
        .collect();
    for (index, layer) in order.iter().enumerate() {
        for module in layer {
            let used = |other: &&&str| uses.contains_key(&((*module).to_owned(), (**other).to_owned()));
            let below: Vec<_> = order[index..].iter().flatten().filter(used).copied().collect();
            println!("  {module:12} {}", below.join(" "));
            for upper in order[..index].iter().flatten().filter(used) {
                let lines = &uses[&((*module).to_owned(), (*upper).to_owned())];
                faults.extend(lines.iter().map(|line| format!("{module} -> {upper}: {line}")));
            }
        }
    }
    faults
}

/// The sources of a crate, without tests.
#[derive(Default)]
struct Sources {
    modules: BTreeSet<String>,
    /// The files and lines in which a top-level module uses another one.
    uses: BTreeMap<(String, String), BTreeSet<String>>,
}

impl Sources {
    fn read(folder: &Path) -> Result<Self, Failure> {
        let mut texts = BTreeMap::new();
        let (mut tests, mut exports) = (Vec::new(), BTreeMap::new());
        for (name, path) in files(folder)? {
            let Some(stem) = name.strip_suffix(".rs") else { continue };
            let names = stem.split('/').filter(|name| !["lib", "main", "mod"].contains(name));
            let module: Vec<_> = names.map(str::to_owned).collect();
            let text = without_tests(&fs::read_to_string(path)?, &module, &mut tests);
            if module.is_empty() {
                exports.extend(text.split(';').filter_map(exported).flatten());
            } else {
                texts.insert(module, (name, text));
            }
        }
        texts.retain(|module, _| !tests.iter().any(|test| module.starts_with(test)));
        let modules: BTreeSet<String> = texts.keys().map(|module| module[0].clone()).collect();
        let mut uses = BTreeMap::<_, BTreeSet<_>>::new();
        for (module, (file, text)) in texts {
            for (line, name) in mentions(&text, module.len()) {
                let name =
                    if modules.contains(name) { Some(name) } else { exports.get(name).map(String::as_str) };
                if let Some(used) = name.filter(|name| modules.contains(*name) && **name != module[0]) {
                    let lines: &mut BTreeSet<_> =
                        uses.entry((module[0].clone(), used.to_owned())).or_default();
                    lines.insert(format!("{file}:{line}"));
                }
            }
        }
        Ok(Self { modules, uses })
    }
}

/// Returns the text with its lines, but without comments and items for tests, and adds the names of modules for tests to `tests`.
fn without_tests(text: &str, module: &[String], tests: &mut Vec<Vec<String>>) -> String {
    let mut skipped: Option<usize> = None;
    let mut kept = String::new();
    for line in text.lines() {
        let code = line.split("//").next().unwrap_or_default().trim_end();
        let item = code.trim_start();
        let indentation = code.len() - item.len();
        match skipped {
            None if item == "#[cfg(test)]" => skipped = Some(indentation),
            None => kept += code,
            Some(of_item) if indentation == of_item && !item.starts_with("#[") => {
                if let Some((_, name)) = item.split_once("mod ").filter(|_| item.ends_with(';')) {
                    tests.push([module, &[name.trim_end_matches(';').to_owned()]].concat());
                }
                if item.ends_with([';', '}', ',']) {
                    skipped = None;
                }
            }
            Some(_) => {}
        }
        kept.push('\n');
    }
    kept
}

/// Returns the names in a `use` of the crate's root, each with the module that it comes from.
fn exported(statement: &str) -> Option<impl Iterator<Item = (String, String)>> {
    let (_, path) = statement.split_once("use ")?;
    let mut names = path.split(|letter: char| !letter.is_alphanumeric() && letter != '_').map(str::to_owned);
    let module = names.find(|name| !["", "crate", "self"].contains(&name.as_str()))?;
    Some(names.filter(|name| !name.is_empty()).map(move |name| (name, module.clone())))
}

/// Returns the names in the crate's root that the text of a module at this depth mentions, and the lines that do so.
fn mentions(text: &str, depth: usize) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for root in ["crate::".to_owned(), "super::".repeat(depth)] {
        for (at, _) in text.match_indices(&root) {
            let (before, rest) = (&text[..at], &text[at + root.len()..]);
            // A macro's path belongs to its users, and `pub(in crate::a)` imports nothing.
            if !before.ends_with(['$', ':']) && !before.ends_with("in ") {
                let line = before.matches('\n').count() + 1;
                found.extend(first_names(rest).into_iter().map(|name| (line, name)));
            }
        }
    }
    found
}

/// Returns the first name of each path in a tree of paths: `{a::b, c::{d, e}}` has `a` and `c`.
fn first_names(tree: &str) -> Vec<&str> {
    let (mut names, mut depth, mut is_first) = (Vec::new(), 0, true);
    for (at, letter) in tree.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' => is_first = depth == 1,
            _ if letter.is_whitespace() || !is_first => {}
            _ => {
                let end = tree[at..].find(|letter: char| !letter.is_alphanumeric() && letter != '_');
                names.push(&tree[at..at + end.unwrap_or(tree.len() - at)]);
                is_first = false;
            }
        }
        if depth == 0 && !is_first {
            break;
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: &[(&str, &str)] = &[
        (
            "lib.rs",
            "mod lower;\nmod upper;\npub use upper::Thing;\nmacro_rules! later { () => { $crate::upper::X } }",
        ),
        (
            "lower.rs",
            "use crate::{\n    Thing as Other,\n    std,\n};\n#[cfg(test)]\npub(crate) mod tests;\n#[cfg(test)]\nfn f() {\n    crate::upper::X\n}",
        ),
        ("lower/tests.rs", "use crate::upper::X;"),
        ("upper/mod.rs", "mod part;\n/// [`crate::lower::A`]\nfn f() {\n    vec![crate::lower::a()]\n}"),
        ("upper/part.rs", "use super::super::lower::*;\npub struct Thing(pub(in crate::upper) u8);"),
    ];

    #[test]
    fn uses_are_found_through_reexports_and_macros_but_not_those_of_tests() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in FILES {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let sources = Sources::read(folder.path()).unwrap();
        assert_eq!(sources.modules, ["lower", "upper"].map(str::to_owned).into());
        let found: Vec<_> =
            sources.uses.iter().map(|((from, to), lines)| (from.as_str(), to.as_str(), lines)).collect();
        let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<BTreeSet<_>>();
        let of_upper = lines(&["upper/mod.rs:4", "upper/part.rs:1"]);
        assert_eq!(found, [("lower", "upper", &lines(&["lower.rs:1"])), ("upper", "lower", &of_upper)]);
        assert_eq!(faults(&[vec!["upper"], vec!["lower"]], &sources), ["lower -> upper: lower.rs:1"]);
    }
}
