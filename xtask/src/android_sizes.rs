//! `cargo xtask android-sizes`: writes the page's facts about the libraries that `ndk-build.sh` has built: their sizes, the number of
//! exported functions, and their dependencies. Prints them as well.

use std::fs;
use std::path::Path;

use crate::Failure;
use crate::aar;
use crate::android_abi::{LIBRARIES, Library};
use crate::android_options::ABIS;
use crate::elf::Facts;
use crate::workspace::root;

const PAGE: &str = "docs/android-apk.md";

/// The head of the table on it.
const HEAD: &str = "| ABI | `libvkload.so` | `libvkload_jni.so` | `libvkload_cutils.so` | `libvkload_hardware.so` | `libvkload_sync.so` |\n\
                    |---|---|---|---|---|---|\n";

const SENTENCE: (&str, &str) = ("The AAR has ", " MB.");

/// Writes the figures of the last build of all ABIs.
pub(crate) fn run(_: &[String]) -> Result<(), Failure> {
    let brought: Vec<&Library> = LIBRARIES.iter().filter(|library| library.is_brought).collect();
    let mut rows = String::new();
    let mut facts = Vec::new();
    for (abi, _) in ABIS {
        let files: Vec<_> = brought.iter().map(|library| library.installed(abi)).collect();
        let sizes = files.iter().map(|file| size(file)).collect::<Result<Vec<_>, _>>()?;
        rows += &row(abi, sizes.into_iter().map(kilobytes));
        facts.push(files.iter().map(|file| Facts::of(file)).collect::<Result<Vec<_>, _>>()?);
    }
    rows += &row("functions", same(&facts, |of| of.exports.len().to_string())?);
    rows += &row("needs", same(&facts, needs)?);
    let aar = size(&aar::path(ABIS))?;
    let path = root().join(PAGE);
    let page = fs::read_to_string(&path)?;
    let written = with_sizes(&page, &rows, aar).ok_or_else(|| format!("{PAGE} has no table of sizes"))?;
    if written != page {
        fs::write(path, written)?;
    }
    print!("android-sizes: these are in {PAGE}:\n{HEAD}{rows}AAR: {} MB\n", megabytes(aar));
    Ok(())
}

/// Returns a fact about each library, which must be the same for every ABI.
fn same(facts: &[Vec<Facts>], what: fn(&Facts) -> String) -> Result<Vec<String>, Failure> {
    let mut all = facts.iter().map(|of_abi| of_abi.iter().map(what).collect::<Vec<_>>());
    let first = all.next().unwrap_or_default();
    match all.find(|other| *other != first) {
        Some(other) => Err(format!("the libraries of two ABIs differ: {first:?}, {other:?}").into()),
        None => Ok(first),
    }
}

/// Returns the names of the libraries that one needs.
fn needs(facts: &Facts) -> String {
    let names: Vec<_> = facts.needed.iter().map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "nothing".into() } else { names.join(", ") }
}

fn size(file: &Path) -> Result<u64, Failure> {
    let metadata = fs::metadata(file);
    Ok(metadata.map_err(|error| format!("{}: {error}; ./ndk-build.sh makes it", file.display()))?.len())
}

/// Returns a line of the table.
fn row(head: &str, cells: impl IntoIterator<Item = String>) -> String {
    format!("| {head} |{}\n", cells.into_iter().map(|cell| format!(" {cell} |")).collect::<String>())
}

/// Formats a size in thousands of bytes.
fn kilobytes(bytes: u64) -> String {
    format!("{} kB", bytes.saturating_add(500) / 1000)
}

/// Formats a size in millions of bytes, with one digit after the point.
fn megabytes(bytes: u64) -> String {
    let tenths = bytes.saturating_add(50_000) / 100_000;
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// Returns the page with these rows in its table, and this size of the AAR; `None` if it has no place for them.
fn with_sizes(page: &str, rows: &str, aar: u64) -> Option<String> {
    let (before, rest) = page.split_once(HEAD)?;
    let end = rest.find("\n\n")?;
    let (between, after) = rest.get(end..)?.split_once(SENTENCE.0)?;
    let (_, after) = after.split_once(SENTENCE.1)?;
    let rows = rows.trim_end();
    Some([before, HEAD, rows, between, SENTENCE.0, &megabytes(aar), SENTENCE.1, after].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sizes_of_a_build_replace_those_of_another() {
        let page = format!("Before.\n\n{HEAD}| x86 | 1 kB | 2 kB |\n\nThe AAR has 0.1 MB. More.\n");
        let sizes = |abi, sizes: [u64; 2]| row(abi, sizes.map(kilobytes));
        let rows = sizes("arm64-v8a", [690_499, 9_500]) + &sizes("x86", [1, 999]);
        assert_eq!(rows, "| arm64-v8a | 690 kB | 10 kB |\n| x86 | 0 kB | 1 kB |\n");
        let expected = format!("Before.\n\n{HEAD}{rows}\nThe AAR has 5.3 MB. More.\n");
        assert_eq!(with_sizes(&page, &rows, 5_250_000).unwrap(), expected);
        assert_eq!(with_sizes(&expected, &rows, 5_250_000).unwrap(), expected);
        assert_eq!(with_sizes("Another page.", &rows, 1), None);
    }

    /// Otherwise the task would fail at the end of a long build.
    #[test]
    fn the_page_has_a_place_for_sizes() {
        let page = fs::read_to_string(root().join(PAGE)).unwrap();
        assert!(with_sizes(&page, "| x86 | 1 kB | 2 kB |\n", 1).is_some());
    }

    #[test]
    fn what_libraries_of_two_abis_need_is_said_once_or_is_an_error() {
        let one = Facts { needed: vec!["libc.so".into(), "libdl.so".into()], ..Facts::default() };
        let facts = [vec![one.clone(), Facts::default()], vec![one, Facts::default()]];
        assert_eq!(same(&facts, needs).unwrap(), ["`libc.so`, `libdl.so`", "nothing"]);
        let [first, mut other] = facts;
        other[1].needed.push("libm.so".into());
        assert!(same(&[first, other], needs).is_err());
    }

    /// Checks that each stand-in function is named, except those that record nothing.
    #[test]
    fn the_page_names_what_the_stand_ins_have() {
        let page = fs::read_to_string(root().join(PAGE)).unwrap();
        for library in LIBRARIES.iter().filter(|library| library.is_stand_in()) {
            let start = format!("| `{}` | `{}` |", library.file, library.soname);
            let line = page.lines().find(|line| line.starts_with(&start)).expect(library.file);
            let named = library.others.iter().filter(|name| !name.starts_with("atrace_"));
            let missing: Vec<_> = named.filter(|name| !line.contains(&format!("`{name}`"))).collect();
            assert!(missing.is_empty(), "{line}: {missing:?}");
        }
    }
}
