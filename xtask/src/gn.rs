//! `cargo xtask gn`: the sources of Fuchsia's library as lists for GN, which needs every file by name. They are the files that the compiler
//! read for `cargo xtask fuchsia-abi`, so that the lists need no manual care.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;

use crate::Failure;
use crate::fuchsia_abi::TARGETS;
use crate::workspace::{root, target_folder};

/// Prints the lists.
pub(crate) fn run(_: &[String]) -> Result<(), Failure> {
    let mut rules = String::new();
    for target in TARGETS {
        // Cargo's list of the library's sources.
        let file = target_folder().join(target).join("release/libvulkan_fuchsia.d");
        rules += &fs::read_to_string(&file)
            .map_err(|error| format!("{}: {error}; `cargo xtask fuchsia-abi` makes it", file.display()))?;
    }
    print!("{}", lists(&rules, &format!("{}/", root().canonicalize()?.display())));
    Ok(())
}

/// Returns a list for each crate, called after its folder, from Makefile rules with all of their files.
fn lists(rules: &str, root: &str) -> String {
    let mut crates: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for path in rules.split_whitespace().filter_map(|path| path.strip_prefix(root)) {
        if let Some((folder, _)) = path.split_once("/src/") {
            crates.entry(folder.replace(['-', '/'], "_")).or_default().insert(path);
        }
    }
    let mut text = String::from("# Made by `cargo xtask gn`.\n");
    for (name, paths) in crates {
        let _ = writeln!(text, "\n{name}_sources = [");
        for path in paths {
            let _ = writeln!(text, "  \"../../{path}\",");
        }
        text += "]\n";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::lists;

    #[test]
    fn each_crate_has_a_list_of_its_sources_and_nothing_else_is_in_one() {
        let rule = "/a/target/libvulkan.so: /a/platform-x/cdylib/build.rs /a/platform-x/cdylib/src/lib.rs \
                    /a/loader-core/src/two.rs /a/loader-core/src/lib.rs /registry/libc/src/lib.rs\n";
        let expected = "# Made by `cargo xtask gn`.\n\n\
                        loader_core_sources = [\n  \"../../loader-core/src/lib.rs\",\n  \"../../loader-core/src/two.rs\",\n]\n\n\
                        platform_x_cdylib_sources = [\n  \"../../platform-x/cdylib/src/lib.rs\",\n]\n";
        assert_eq!(lists(rule, "/a/"), expected);
    }
}
