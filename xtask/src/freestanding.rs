//! Code that must be absent from a library built without the standard library and without an unwinder.

use crate::elf::Facts;

/// Returns the traces of an unwinder. Neither the library's callers nor its callees have one.
pub(crate) fn unwinder(facts: &Facts) -> Vec<String> {
    let mut found = Vec::new();
    for name in facts.exports.keys().chain(&facts.imports) {
        if name.starts_with("_Unwind_") || name == "rust_eh_personality" {
            found.push(format!("{name} is exported or imported, but neither side has an unwinder"));
        }
    }
    if facts.sections.iter().any(|name| name == ".gcc_except_table") {
        found.push(
            "it has landing pads (.gcc_except_table), so it was not built with panic = \"abort\"".into(),
        );
    }
    found
}

/// Returns the traces of Rust's standard library.
pub(crate) fn standard_library(facts: &Facts) -> Vec<String> {
    // How symbols begin that are mangled the old way, and how the new one names the crate in them.
    let is_of_std =
        |name: &&String| name.starts_with("_ZN3std") || name.starts_with("_R") && name.contains("_3std");
    facts.symbols.iter().filter(is_of_std).map(|name| format!("{name} is of the standard library")).collect()
}
