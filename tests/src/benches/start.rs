//! The cost of a program's start with Mesa's drivers, one of which has a device (`start.c`).
use std::fmt::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::Instant;
use std::{fs, mem};

use crate::benches::loader::Loader;

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/start.c");

/// The folder of Mesa's manifests in Debian's package.
const MANIFESTS: &str = "/usr/share/vulkan/icd.d";
const WITH_DEVICE: &str = "lvp_icd.x86_64.json";

const NUMBERS: [u32; 3] = [1, 4, 12];

/// How often each is started. Those that are compared take turns.
const STARTS: usize = 15;

struct Kind {
    name: &'static str,
    library: PathBuf,
}

/// What a start takes, in microseconds.
#[derive(Clone, Copy, Default)]
struct Cost {
    processor: f64,
    wall: f64,
}

const DONE: [&str; 3] = ["extensions", "devices", "device"];

/// Measures our library and Debian's. Returns a table of processor time and wall time.
///
/// # Errors
/// If something could not be measured or written, with the remedy, as a message for a person.
pub fn report() -> Result<String, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let program = compile(folder.path())?;
    let (ours, theirs) = (Loader::ours()?.file, Loader::distribution());
    let theirs = theirs.ok_or("the package libvulkan1 is not installed")?.file;
    let kinds = [Kind { name: "vkload", library: ours }, Kind { name: "Debian", library: theirs }];
    let manifests = install(folder.path())?;
    let mut text = format!("{:30} {:>8}", "processor time / wall time, ms", "drivers");
    for kind in &kinds {
        let _ = write!(text, " {:>20}", kind.name);
    }
    text.push('\n');
    for what in DONE {
        for number in NUMBERS {
            eprintln!("measuring {what} with {number} drivers");
            let files = manifests.get(..number as usize).ok_or("too few drivers")?.join(":");
            let times = times(
                &kinds,
                |kind, what| {
                    let mut command = Command::new(&program);
                    command.env_clear().env("HOME", folder.path()).env("VK_DRIVER_FILES", &files);
                    command.arg(&kind.library).arg(what).stdin(Stdio::null());
                    cost(&mut command).map_err(|error| format!("{}, {what}: {error}", kind.name))
                },
                what,
            )?;
            let _ = write!(text, "{what:30} {number:>8}");
            for cost in times {
                let _ = write!(text, " {:>10.2} / {:>7.2}", cost.processor / 1e3, cost.wall / 1e3);
            }
            text.push('\n');
        }
    }
    Ok(text)
}

/// Returns the median costs of each kind. They take turns.
fn times(
    kinds: &[Kind; 2],
    start: impl Fn(&Kind, &str) -> Result<Cost, String>,
    what: &str,
) -> Result<[Cost; 2], String> {
    let mut times: [Vec<Cost>; 2] = Default::default();
    for kind in kinds {
        // Brings files into memory.
        start(kind, what)?;
    }
    for _ in 0..STARTS {
        for (times, kind) in times.iter_mut().zip(kinds) {
            times.push(start(kind, what)?);
        }
    }
    let median = |times: &[Cost], part: fn(&Cost) -> f64| {
        let mut times: Vec<f64> = times.iter().map(part).collect();
        times.sort_by(f64::total_cmp);
        times.get(STARTS / 2).copied().unwrap_or_default()
    };
    Ok(times.map(|times| Cost {
        processor: median(&times, |cost| cost.processor),
        wall: median(&times, |cost| cost.wall),
    }))
}

fn compile(folder: &Path) -> Result<PathBuf, String> {
    let program = folder.join("start");
    let status = Command::new("cc").args(["-std=c11", "-O2", "-o"]).arg(&program).arg(PROGRAM).status();
    if status.is_ok_and(|status| status.success()) {
        return Ok(program);
    }
    Err(format!("{PROGRAM} does not compile: install the packages gcc and libvulkan-dev"))
}

/// Installs drivers in the folder: Mesa's, and copies of those without a device until the number is reached. Returns their manifests,
/// beginning with the driver that has a device.
fn install(folder: &Path) -> Result<Vec<String>, String> {
    let problem = |error: std::io::Error| format!("{MANIFESTS}: {error} (install mesa-vulkan-drivers)");
    let mut found: Vec<PathBuf> =
        fs::read_dir(MANIFESTS).map_err(problem)?.flatten().map(|entry| entry.path()).collect();
    found.sort_by_key(|path| (!path.ends_with(WITH_DEVICE), path.clone()));
    if !found.first().is_some_and(|first| first.ends_with(WITH_DEVICE)) || found.len() < 2 {
        return Err(format!(
            "{MANIFESTS} has no {WITH_DEVICE}, or nothing else: install mesa-vulkan-drivers"
        ));
    }
    let without_device = found.split_off(1);
    let sources = found.into_iter().chain(without_device.into_iter().cycle());
    let most = NUMBERS.into_iter().max().unwrap_or_default() as usize;
    let copy = |(number, source): (usize, PathBuf)| {
        let text = fs::read_to_string(&source).map_err(problem)?;
        let mut manifest: serde_json::Value =
            serde_json::from_str(&text).map_err(|error| format!("{}: {error}", source.display()))?;
        let library = manifest.pointer_mut("/ICD/library_path").ok_or("a manifest without a library")?;
        // A copy, not a link: the dynamic linker takes two links for one library.
        let own = folder.join(format!("libdriver{number}.so"));
        fs::copy(library.as_str().unwrap_or_default(), &own).map_err(problem)?;
        *library = own.display().to_string().into();
        let place = folder.join(format!("driver{number:02}.json"));
        fs::write(&place, manifest.to_string()).map_err(problem)?;
        Ok(place.display().to_string())
    };
    sources.take(most).enumerate().map(copy).collect()
}

/// Runs a program, and returns how long processors worked for it, and how long it took.
fn cost(command: &mut Command) -> Result<Cost, String> {
    let start = Instant::now();
    let child = command.spawn().map_err(|error| error.to_string())?;
    let process = libc::pid_t::try_from(child.id()).map_err(|error| error.to_string())?;
    let mut status = 0;
    // SAFETY: the structure consists of numbers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { mem::zeroed() };
    // SAFETY: the child is this process's and no other code waits for it; both places are writable.
    if unsafe { libc::wait4(process, &raw mut status, 0, &raw mut usage) } != process {
        return Err(std::io::Error::last_os_error().to_string());
    }
    let wall = start.elapsed().as_secs_f64() * 1e6;
    if !ExitStatus::from_raw(status).success() {
        return Err(format!("the program failed: {}", ExitStatus::from_raw(status)));
    }
    let microseconds = |time: libc::timeval| time.tv_sec as f64 * 1e6 + time.tv_usec as f64;
    Ok(Cost { processor: microseconds(usage.ru_utime) + microseconds(usage.ru_stime), wall })
}
