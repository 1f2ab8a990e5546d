//! The cost of a program's start: instructions, system calls and memory until a device exists, and the memory still allocated after
//! everything is destroyed (`memory.c`).
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::{fs, io};

use crate::benches::loader::Loader;
use crate::benches::stage::{Contents, Libraries, Stage};
use crate::target_folder;

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/memory.c");

/// The build of the library with a fixed driver.
const FIXED: &str = "cargo xtask build --fixed-drivers /tmp/vkload-benches/libnull0.so";

/// The folder of that driver.
const FIXED_FOLDER: &str = "/tmp/vkload-benches";

/// The C library counts freed blocks that a thread keeps for later as allocated. This setting makes it keep none, so that the heap size is
/// the memory really allocated.
const WITHOUT_SPARE_BLOCKS: (&str, &str) = ("GLIBC_TUNABLES", "glibc.malloc.tcache_count=0");

/// The drivers and layers on the machine, and the objects that the program creates.
struct Case {
    title: &'static str,
    contents: Contents,
    instances: u32,
    devices: u32,
}

/// Each differs from the first in one number. Ten inactive layers are as many as on a typical desktop.
const CASES: [Case; 6] = [
    case("1 driver, 1 instance, 1 device", Contents::ONE_DRIVER, 1, 1),
    case("4 drivers", Contents { manifests: 4, drivers: 4, ..Contents::ONE_DRIVER }, 1, 1),
    case("16 drivers", Contents { manifests: 16, drivers: 16, ..Contents::ONE_DRIVER }, 1, 1),
    case("256 instances", Contents::ONE_DRIVER, 256, 1),
    case("1,000 devices", Contents::ONE_DRIVER, 1, 1000),
    case("ten layers", Contents { explicit_layers: 8, implicit_layers: 2, ..Contents::ONE_DRIVER }, 1, 1),
];

const fn case(title: &'static str, contents: Contents, instances: u32, devices: u32) -> Case {
    Case { title, contents, instances, devices }
}

/// Measures our library and Debian's with manifests, and ours with fixed drivers if that library was built. Returns a table.
///
/// # Errors
/// If something could not be measured, with the remedy, as a message for a person.
pub fn report() -> Result<String, String> {
    let libraries = Libraries::compile()?;
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let program = compile(folder.path())?;
    let theirs = Loader::distribution().ok_or("the package libvulkan1 is not installed")?;
    let fixed = fixed();
    if !fixed.exists() {
        return Err(format!("{} is missing: run `{FIXED}` first", fixed.display()));
    }
    let loaders = [("ours", Loader::ours()?.file), ("Debian's", theirs.file), ("fixed drivers", fixed)];
    let mut text = format!(
        "{:46} {:>12} {:>6} {:>9} {:>9} {:>9} {:>9}\n",
        "", "instructions", "calls", "resident", "dirty", "heap", "left"
    );
    for case in CASES {
        eprintln!("measuring {}", case.title);
        let stage = Stage::new(&libraries, case.contents).map_err(|error| error.to_string())?;
        copy_fixed_driver(&stage).map_err(|error| format!("{FIXED_FOLDER}: {error}"))?;
        for (name, file) in &loaders {
            // A library with fixed drivers has one.
            if *name != "fixed drivers" || case.contents.drivers == 1 {
                row(&mut text, &format!("{}: {name}", case.title), &stage, &program, (file, &case))?;
            }
        }
    }
    Ok(text)
}

fn copy_fixed_driver(stage: &Stage) -> io::Result<()> {
    fs::create_dir_all(FIXED_FOLDER)?;
    fs::copy(stage.record("libnull0.so"), Path::new(FIXED_FOLDER).join("libnull0.so")).map(|_| ())
}

fn fixed() -> PathBuf {
    target_folder().join("fixed-drivers/release/libvulkan.so.1")
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

fn row(
    text: &mut String,
    title: &str,
    stage: &Stage,
    program: &Path,
    (library, case): (&Path, &Case),
) -> Result<(), String> {
    let numbers = [case.instances, case.devices].map(|number| number.to_string());
    let run = |tool: &[&str]| {
        let mut command = Command::new(tool.first().copied().unwrap_or("env"));
        stage.surround(&mut command);
        let (variable, value) = WITHOUT_SPARE_BLOCKS;
        command.env(variable, value).current_dir(stage.record("")).args(tool.iter().skip(1));
        let output = command.arg(program).arg(library).args(&numbers).output();
        output.map_err(|error| error.to_string()).and_then(said).map_err(|error| format!("{title}: {error}"))
    };
    let said = run(&[])?;
    let printed = |when: &str| -> Vec<i64> {
        let line = said.lines().find_map(|line| line.strip_prefix(when)).unwrap_or_default();
        line.split_whitespace().filter_map(|number| number.parse().ok()).collect()
    };
    let (device, after) = (printed("device"), printed("after"));
    let ([resident, dirty, heap], [_, _, left]) = (&device[..], &after[..]) else {
        return Err(format!("{title}: {said}"));
    };
    let kibibytes = |bytes: &i64| format!("{:.1} KiB", *bytes as f64 / 1024.0);
    let _ = writeln!(
        text,
        "{title:46} {:>12} {:>6} {:>9} {:>9} {:>9} {:>9}",
        instructions(stage, || run(&["valgrind", "--tool=callgrind", "--callgrind-out-file=callgrind.out"]))?,
        calls(stage, || run(&["strace", "-f", "-c", "-o", "strace.out"]))?,
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

/// Returns all instructions of the process, the dynamic linker's and the driver's among them.
fn instructions(stage: &Stage, run: impl Fn() -> Result<String, String>) -> Result<String, String> {
    run().map_err(|error| format!("{error} (valgrind has to be installed)"))?;
    let record = fs::read_to_string(stage.record("callgrind.out")).map_err(|error| error.to_string())?;
    let total =
        record.lines().find_map(|line| line.strip_prefix("totals: ").or(line.strip_prefix("summary: ")));
    total.map(|total| total.trim().to_owned()).ok_or_else(|| "callgrind counted nothing".to_owned())
}

/// Returns all system calls of the process.
fn calls(stage: &Stage, run: impl Fn() -> Result<String, String>) -> Result<String, String> {
    run().map_err(|error| format!("{error} (strace has to be installed, and has to be allowed to trace)"))?;
    let record = fs::read_to_string(stage.record("strace.out")).map_err(|error| error.to_string())?;
    let total = record.lines().find(|line| line.trim_end().ends_with(" total"));
    let count = total.and_then(|line| line.split_whitespace().nth(3).map(str::to_owned));
    count.ok_or_else(|| "strace counted nothing".to_owned())
}
