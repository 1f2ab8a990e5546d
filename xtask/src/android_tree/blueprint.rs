//! As much of Soong's build files as ours use: modules with strings and lists of strings.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::Failure;

#[derive(Debug)]
pub(super) struct Module {
    pub(super) name: String,
    /// Its root source file, relative to the root of the tree.
    pub(super) source: PathBuf,
    kind: &'static str,
    crate_name: String,
    edition: String,
    features: Vec<String>,
    needs: Vec<String>,
    crates: Vec<String>,
}

/// Module types, and the compiler's crate types for them.
const KINDS: &[(&str, &str)] = &[("rust_library_rlib", "rlib"), ("rust_ffi_static", "staticlib")];

/// Returns the modules with code in Rust of a build file that lies in `folder`.
pub(super) fn modules(text: &str, folder: &Path) -> Vec<Module> {
    let edition =
        block(text, "rust_defaults").map(|defaults| string(defaults, "edition")).unwrap_or_default();
    let read = |block: &str| {
        let (_, kind) = KINDS.iter().find(|(name, _)| block.starts_with(&format!("{name} {{")))?;
        let own = string(block, "edition");
        Some(Module {
            name: string(block, "name"),
            source: folder.join(string(block, "srcs")),
            kind,
            crate_name: string(block, "crate_name"),
            edition: if own.is_empty() { edition.clone() } else { own },
            features: strings(block, "features"),
            needs: strings(block, "rustlibs"),
            crates: Vec::new(),
        })
    };
    blocks(text).filter_map(read).collect()
}

/// Returns the modules in an order in which each comes after those that it needs.
pub(super) fn sorted(mut modules: Vec<Module>) -> Result<Vec<Module>, Failure> {
    let mut done: Vec<Module> = Vec::new();
    while !modules.is_empty() {
        let is_ready =
            |module: &Module| module.needs.iter().all(|need| done.iter().any(|it| it.name == *need));
        let Some(next) = modules.iter().position(is_ready) else {
            let left: Vec<_> = modules.iter().map(|module| module.name.as_str()).collect();
            return Err(format!("these need modules that are not there: {}", left.join(", ")).into());
        };
        let mut module = modules.remove(next);
        let crates = done.iter().filter(|it| module.needs.contains(&it.name));
        module.crates = crates.map(|it| it.crate_name.clone()).collect();
        done.push(module);
    }
    Ok(done)
}

pub(super) fn flags(text: &str) -> Vec<String> {
    block(text, "rust_defaults").map(|defaults| strings(defaults, "flags")).unwrap_or_default()
}

impl Module {
    /// Returns the compiler arguments for it, with its dependencies in the folder `made`.
    pub(super) fn arguments(&self, made: &Path) -> Vec<OsString> {
        let mut arguments: Vec<OsString> =
            ["--crate-name", &self.crate_name, "--crate-type", self.kind, "--edition", &self.edition]
                .map(OsString::from)
                .into();
        arguments.extend(self.features.iter().map(|feature| format!("--cfg=feature=\"{feature}\"").into()));
        // The compiler has a crate of the name `libc` of its own.
        let needed = |name| format!("--extern={name}={}", made.join(format!("lib{name}.rlib")).display());
        arguments.extend(self.crates.iter().map(|name| needed(name).into()));
        arguments.push(self.source.clone().into());
        arguments
    }

    /// Returns the folder in `crates` that has its sources, if it is one of them.
    pub(super) fn folder_of_crate(&self) -> Option<&str> {
        self.source.strip_prefix("crates").ok()?.iter().next()?.to_str()
    }
}

/// Returns each module's text, from its type on.
fn blocks(text: &str) -> impl Iterator<Item = &str> {
    text.split("\n}\n").map(|block| {
        // In front of it may be comments.
        let begin = block.find(" {\n").and_then(|end| block.get(..end)?.rfind('\n'));
        begin.and_then(|begin| block.get(begin + 1..)).unwrap_or(block)
    })
}

fn block<'a>(text: &'a str, kind: &str) -> Option<&'a str> {
    blocks(text).find(|block| block.starts_with(&format!("{kind} {{")))
}

/// Returns the first string of a property, or nothing.
fn string(block: &str, property: &str) -> String {
    strings(block, property).into_iter().next().unwrap_or_default()
}

/// Returns the strings of a property, which is a string or a list.
fn strings(block: &str, property: &str) -> Vec<String> {
    let Some((_, rest)) = block.split_once(&format!("\n    {property}: ")) else { return vec![] };
    let end = if rest.starts_with('[') { ']' } else { '\n' };
    let value = rest.split(end).next().unwrap_or_default();
    value.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"// A file.

rust_defaults {
    name: "all",
    edition: "2024",
    flags: [
        "-Cpanic=abort",
        "-Copt-level=s",
    ],
}

// Of two modules.
rust_ffi_static {
    name: "libtop",
    crate_name: "top",
    srcs: ["top/src/lib.rs"],
    rustlibs: ["libbase"],
}

rust_library_rlib {
    name: "libbase",
    crate_name: "base_crate",
    edition: "2018",
    srcs: ["base-1.0/src/lib.rs"],
    features: ["alloc"],
}
"#;

    #[test]
    fn modules_are_read_with_what_the_compiler_must_know() {
        assert_eq!(flags(TEXT), ["-Cpanic=abort", "-Copt-level=s"]);
        let modules = sorted(modules(TEXT, Path::new("crates"))).unwrap();
        let [base, top] = &modules[..] else { panic!("{modules:?}") };
        assert_eq!((base.folder_of_crate(), top.kind), (Some("base-1.0"), "staticlib"));
        let words = |module: &Module| -> Vec<String> {
            module.arguments(Path::new("made")).into_iter().map(|it| it.into_string().unwrap()).collect()
        };
        assert_eq!(words(base)[4..6], ["--edition", "2018"]);
        assert!(words(base).contains(&"--cfg=feature=\"alloc\"".to_owned()));
        assert_eq!(
            words(top)[4..],
            ["--edition", "2024", "--extern=base_crate=made/libbase_crate.rlib", "crates/top/src/lib.rs"]
        );
    }

    #[test]
    fn a_module_that_is_missing_is_an_error() {
        let text = TEXT.replace("name: \"libbase\"", "name: \"libother\"");
        let error = sorted(modules(&text, Path::new(""))).unwrap_err().to_string();
        assert_eq!(error, "these need modules that are not there: libtop");
    }
}
