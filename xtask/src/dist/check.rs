//! `--release --check`: runs this processor's portable tool in an empty folder, and in one that contains only lavapipe and its libraries.

use std::env::consts::ARCH;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::output::{emptied, folder};
use super::release::VERSION;
use crate::Failure;
use crate::command::{Run, command};
use crate::workspace::read;

/// Runs the tool that `dist --release` has made in two folders, as `/`. Only root may do so.
pub(super) fn run() -> Result<(), Failure> {
    let tool = folder().join(format!("release/vkload-{VERSION}-{ARCH}"));
    let empty = root_with(&tool, &[])?;
    expect(&empty, "doctor", &["no program can load Vulkan", "this static program has found none"])?;
    let driver = root_with(&tool, &files_of_driver()?)?;
    expect(&driver, "info", &["llvmpipe"])?;
    // Nothing can load Vulkan without a loader, but the driver works, tried in a process of its own.
    expect(&driver, "doctor --json", &["no program can load Vulkan", "llvmpipe"])
}

/// Returns a folder with the tool and these files. It has no `/proc`, no `/dev` and no `/tmp`.
fn root_with(tool: &Path, files: &[String]) -> Result<PathBuf, Failure> {
    let root = emptied("chroot")?;
    let copy = |from: &Path, to: &str| -> Result<(), Failure> {
        let to = root.join(to.trim_start_matches('/'));
        fs::create_dir_all(to.parent().unwrap_or(&root))?;
        fs::copy(from, &to).map_err(|error| format!("{}: {error}", from.display()))?;
        Ok(())
    };
    copy(tool, "vkload")?;
    files.iter().try_for_each(|file| copy(Path::new(file), file))?;
    Ok(root)
}

/// Libraries of glibc that programs for versions before 2.34 need. Every glibc has them.
const FOR_OLD_PROGRAMS: [&str; 2] = ["libdl.so.2", "libpthread.so.0"];

/// Returns the driver, its manifest, the libraries that it needs, and the rest of glibc.
fn files_of_driver() -> Result<Vec<String>, Failure> {
    let manifest = format!("/usr/share/vulkan/icd.d/lvp_icd.{ARCH}.json");
    let text = read(Path::new(&manifest)).map_err(|error| format!("{error}; Debian: mesa-vulkan-drivers"))?;
    let content: Value = serde_json::from_slice(&text)?;
    let library = content["ICD"]["library_path"].as_str().ok_or("lavapipe's manifest names no library")?;
    let needed = command("ldd").arg(library).read()?;
    let mut files: Vec<String> =
        needed.split_whitespace().filter(|word| word.starts_with('/')).map(str::to_owned).collect();
    let glibc =
        files.iter().find_map(|file| file.strip_suffix("libc.so.6")).ok_or("the driver is not for glibc")?;
    let rest = FOR_OLD_PROGRAMS.map(|name| format!("{glibc}{name}"));
    files.extend(rest.into_iter().chain([manifest, library.to_owned()]));
    Ok(files)
}

/// Fails if the tool's output with `root` as `/` lacks one of these texts.
fn expect(root: &Path, arguments: &str, texts: &[&str]) -> Result<(), Failure> {
    let mut tool = Command::new("chroot");
    tool.arg(root).arg("/vkload").args(arguments.split_whitespace());
    let output = tool.output()?;
    let output = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    println!("== {}, vkload {arguments}\n{output}", root.display());
    match texts.iter().find(|text| !output.contains(**text)) {
        Some(text) => Err(format!("vkload {arguments} does not say \"{text}\"").into()),
        None => Ok(()),
    }
}
