//! Reading a small crate.

use super::*;

const FILES: &[(&str, &str)] = &[
    (
        "lib.rs",
        "mod lower; mod upper; pub use upper::Thing; macro_rules! later { () => { crate::upper::X } }",
    ),
    (
        "lower.rs",
        "use crate::{Thing as Other, std};\n#[cfg(test)]\npub(crate) mod tests;\n#[cfg(test)]\nuse crate::upper;",
    ),
    ("lower/tests.rs", "use crate::upper::X;"),
    (
        "upper/mod.rs",
        "mod part; pub(super) use part::Thing;\n/// [`crate::lower::A`]\nfn f() { vec![crate::lower::a()]; part }",
    ),
    ("upper/part.rs", "use super::super::lower::*; pub struct Thing(pub(in crate::upper) u8);"),
];

#[test]
fn imports_are_found_through_reexports_and_macros_but_not_those_of_tests() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in FILES {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }
    let sources = Sources::read(folder.path()).unwrap();
    assert_eq!(sources.top_level().into_iter().collect::<Vec<_>>(), ["lower", "upper"]);
    let uses = sources.uses();
    let lines = |from, to| uses[&(from, to)].iter().map(String::as_str).collect::<Vec<_>>();
    assert_eq!(lines("lower", "upper"), ["lower.rs:1"]);
    assert_eq!(lines("upper", "lower"), ["upper/mod.rs:3", "upper/part.rs:1"]);
    let imports: BTreeSet<_> = sources.imports().collect();
    let expected =
        [("lower.rs", "upper/part.rs"), ("upper/mod.rs", "lower.rs"), ("upper/part.rs", "lower.rs")];
    assert_eq!(imports, expected.into());
}
