//! What a program's start costs a device: instructions, system calls and memory until there is a device, and what stays
//! allocated after everything is destroyed (`memory.c`).
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{env, fs};

use crate::loader::Loader;
use crate::stage::{Contents, Libraries, Stage};

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/memory.c");

/// The drivers of a library with fixed ones have to be these: the program runs in the folder of the only driver.
const FIXED: &str = "cargo xtask build --fixed-drivers ./libnull0.so";

/// What is found on the machine: one driver, and layers that nobody asks for, as many as on a desktop with a few.
const STAGES: [(&str, Contents); 2] = [
    ("one driver", Contents::ONE_DRIVER),
    ("one driver, ten layers", Contents { explicit_layers: 8, implicit_layers: 2, ..Contents::ONE_DRIVER }),
];

/// Measures our library and Debian's with manifests, and ours with fixed drivers where there is such a library, as a table.
///
/// # Errors
/// With what to do about it, in words for a person.
pub fn report() -> Result<String, String> {
    let libraries = Libraries::compile()?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let program = compile(folder.path())?;
    let ours = Loader::ours()?;
    let mut loaders = vec![("ours", ours.file)];
    loaders.extend(Loader::distribution().map(|loader| ("Debian's", loader.file)));
    let fixed = fixed();
    if fixed.exists() {
        loaders.push(("fixed drivers", fixed));
    }
    let mut text = format!(
        "{:40} {:>12} {:>6} {:>9} {:>9} {:>9} {:>9}\n",
        "", "instructions", "calls", "resident", "dirty", "heap", "left"
    );
    for (title, contents) in STAGES {
        let stage = Stage::new(&libraries, contents).map_err(|error| error.to_string())?;
        for (name, file) in &loaders {
            row(&mut text, &format!("{title}: {name}"), &stage, &program, file)?;
        }
    }
    if loaders.len() < 3 {
        let _ = writeln!(text, "fixed drivers: `{FIXED}` builds the library that is measured");
    }
    Ok(text)
}

fn fixed() -> PathBuf {
    let target = env::var_os("CARGO_TARGET_DIR")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target"), PathBuf::from);
    target.join("fixed-drivers/release/libvulkan.so.1")
}

fn compile(folder: &Path) -> Result<PathBuf, String> {
    let program = folder.join("memory");
    let status = Command::new("cc")
        .args(["-std=c11", "-O2", "-D_GNU_SOURCE", "-o"])
        .arg(&program)
        .arg(PROGRAM)
        .status();
    if status.is_ok_and(|status| status.success()) {
        return Ok(program);
    }
    Err(format!("{PROGRAM} does not compile: install the packages gcc and libvulkan-dev"))
}

fn row(text: &mut String, title: &str, stage: &Stage, program: &Path, library: &Path) -> Result<(), String> {
    let words = [program.as_os_str(), library.as_os_str()];
    let run = |tool: &[&str]| {
        let mut command = Command::new(tool.first().copied().unwrap_or("env"));
        stage.surround(&mut command);
        command.current_dir(stage.record("")).args(tool.iter().skip(1)).args(words).output()
    };
    let said = said(run(&[]).map_err(|error| error.to_string())?)
        .map_err(|error| format!("{title}: {error}; a library with fixed drivers is built with `{FIXED}`"))?;
    let numbers = |when: &str| -> Vec<i64> {
        let line = said.lines().find_map(|line| line.strip_prefix(when)).unwrap_or_default();
        line.split_whitespace().filter_map(|number| number.parse().ok()).collect()
    };
    let (device, after) = (numbers("device"), numbers("after"));
    let ([resident, dirty, heap], [_, _, left]) = (&device[..], &after[..]) else {
        return Err(format!("{title}: {said}"));
    };
    let kibibytes = |bytes: &i64| format!("{:.1} KiB", *bytes as f64 / 1024.0);
    let _ = writeln!(
        text,
        "{title:40} {:>12} {:>6} {:>9} {:>9} {:>9} {:>9}",
        instructions(
            stage,
            run(&["valgrind", "--tool=callgrind", "--callgrind-out-file=callgrind.out"]).ok()
        ),
        calls(stage, run(&["strace", "-f", "-c", "-o", "strace.out"]).ok()),
        kibibytes(resident),
        kibibytes(dirty),
        kibibytes(heap),
        kibibytes(left),
    );
    Ok(())
}

fn said(output: Output) -> Result<String, String> {
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// All instructions of the process, the dynamic linker's and the driver's among them.
fn instructions(stage: &Stage, output: Option<Output>) -> String {
    let record =
        output.and_then(|_| fs::read_to_string(stage.record("callgrind.out")).ok()).unwrap_or_default();
    let total =
        record.lines().find_map(|line| line.strip_prefix("totals: ").or(line.strip_prefix("summary: ")));
    total.map_or("-".to_owned(), |total| total.trim().to_owned())
}

/// All system calls of the process.
fn calls(stage: &Stage, output: Option<Output>) -> String {
    let record = output.and_then(|_| fs::read_to_string(stage.record("strace.out")).ok()).unwrap_or_default();
    let total = record.lines().find(|line| line.trim_end().ends_with(" total"));
    let count = total.and_then(|line| line.split_whitespace().nth(3).map(str::to_owned));
    count.unwrap_or_else(|| "-".to_owned())
}
