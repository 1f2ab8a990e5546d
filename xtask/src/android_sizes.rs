//! `cargo xtask android-sizes`: writes the sizes of what `ndk-build.sh` has built to the page that states them, and prints them.

use std::fs;
use std::path::Path;

use crate::Failure;
use crate::aar;
use crate::android_abi::LIBRARIES;
use crate::android_options::ABIS;
use crate::build::root;

/// The page with the sizes.
const PAGE: &str = "docs/android-apk.md";

/// The head of the table on it.
const HEAD: &str = "| ABI | `libvkload.so` | `libvkload_jni.so` | `libvkload_cutils.so` | `libvkload_hardware.so` | `libvkload_sync.so` |\n\
                    |---|---|---|---|---|---|\n";

/// The sentence about the AAR.
const SENTENCE: (&str, &str) = ("The AAR has ", " MB.");

/// Writes the sizes of the last build of all ABIs.
pub(crate) fn run(_: &[String]) -> Result<(), Failure> {
    let mut rows = String::new();
    for (abi, _) in ABIS {
        let brought = LIBRARIES.iter().filter(|library| library.is_brought);
        let sizes = brought.map(|library| size(&library.installed(abi))).collect::<Result<Vec<_>, _>>()?;
        rows += &row(abi, &sizes);
    }
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

fn size(file: &Path) -> Result<u64, Failure> {
    let metadata = fs::metadata(file);
    Ok(metadata.map_err(|error| format!("{}: {error}; ./ndk-build.sh makes it", file.display()))?.len())
}

/// A line of the table, in thousands of bytes.
fn row(abi: &str, sizes: &[u64]) -> String {
    let cells = sizes.iter().map(|size| format!(" {} kB |", size.saturating_add(500) / 1000));
    format!("| {abi} |{}\n", cells.collect::<String>())
}

/// In millions of bytes, with one digit after the point.
fn megabytes(bytes: u64) -> String {
    let tenths = bytes.saturating_add(50_000) / 100_000;
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// The page with these rows in its table, and this size of the AAR; `None` if it has no place for them.
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
        let rows = row("arm64-v8a", &[690_499, 9_500]) + &row("x86", &[1, 999]);
        assert_eq!(rows, "| arm64-v8a | 690 kB | 10 kB |\n| x86 | 0 kB | 1 kB |\n");
        let expected = format!("Before.\n\n{HEAD}{rows}\nThe AAR has 5.3 MB. More.\n");
        assert_eq!(with_sizes(&page, &rows, 5_250_000).unwrap(), expected);
        assert_eq!(with_sizes(&expected, &rows, 5_250_000).unwrap(), expected);
        assert_eq!(with_sizes("Another page.", &rows, 1), None);
    }

    /// Otherwise the chore would fail at the end of a long build.
    #[test]
    fn the_page_has_a_place_for_sizes() {
        let page = fs::read_to_string(root().join(PAGE)).unwrap();
        assert!(with_sizes(&page, "| x86 | 1 kB | 2 kB |\n", 1).is_some());
    }
}
