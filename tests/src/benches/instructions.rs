//! Counts instructions with valgrind's callgrind: the loader's, and the C library's on its behalf. The measuring program, drivers, layers
//! and landing pads do not count.
use std::collections::HashMap;
use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::benches::child::Task;
use crate::benches::stage::Stage;

/// The bytes of ENDBR64, where an indirect jump may land.
const LANDING_PAD: [u8; 4] = [0xf3, 0x0f, 0x1e, 0xfa];

/// Instructions of a whole run, by object file and by address in it.
type Costs = HashMap<String, HashMap<u64, u64>>;

/// Returns whether callgrind is installed.
pub(crate) fn available() -> bool {
    let mut command = Command::new("valgrind");
    command
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Count {
    pub(crate) all: f64,
    /// The dynamic linker's instructions, which a loader causes but cannot change.
    pub(crate) linker: f64,
}

/// Returns the instructions of one call: the difference between a run with the calls of `task` and one with twice as many, divided by the
/// number of calls.
///
/// # Errors
/// If callgrind or the program failed, with callgrind's output.
pub(crate) fn per_call(stage: &Stage, task: &Task) -> Result<f64, String> {
    Ok(later_call(stage, task)?.all)
}

/// Does the same, including the dynamic linker's share.
///
/// # Errors
/// As for [`per_call`].
pub(crate) fn later_call(stage: &Stage, task: &Task) -> Result<Count, String> {
    difference(stage, task, [task.calls, task.calls * 2])
}

/// Instructions of the first call of a process, which has to search.
///
/// # Errors
/// As for [`per_call`].
pub(crate) fn first_call(stage: &Stage, task: &Task) -> Result<Count, String> {
    difference(stage, task, [0, 1])
}

fn difference(stage: &Stage, task: &Task, [fewer, more]: [u32; 2]) -> Result<Count, String> {
    let run = |calls| total(stage, &Task { calls, ..task.clone() });
    let (before, after) = (run(fewer)?, run(more)?);
    let calls = f64::from(more - fewer);
    let count =
        Count { all: (after.all - before.all) / calls, linker: (after.linker - before.linker) / calls };
    // A call takes at least an instruction: none means that nothing was measured.
    if count.all > 0.0 {
        return Ok(count);
    }
    Err(format!("{}: callgrind counted no instructions of {}", task.operation, task.library))
}

/// Instructions of a whole process.
///
/// # Errors
/// As for [`per_call`].
pub(crate) fn total(stage: &Stage, task: &Task) -> Result<Count, String> {
    let record = stage.record("callgrind.out");
    let program = env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new("valgrind");
    stage.surround(&mut command);
    command
        .args(["--tool=callgrind", "--dump-instr=yes", "--compress-strings=no", "--compress-pos=no"])
        .arg(format!("--callgrind-out-file={}", record.display()))
        .arg(&program)
        .args(Task { samples: 0, ..task.clone() }.arguments());
    let output = command.output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("{}: {}", task.operation, String::from_utf8_lossy(&output.stderr)));
    }
    let text = fs::read_to_string(&record).map_err(|error| error.to_string())?;
    let costs = parse(&text);
    let mut count = Count { all: 0.0, linker: 0.0 };
    for (object, addresses) in &costs {
        if Path::new(object) == program || Stage::is_not_the_loaders(object) {
            continue;
        }
        let instructions = without_landing_pads(object, addresses) as f64;
        count.all += instructions;
        if object.contains("/ld-") {
            count.linker += instructions;
        }
    }
    Ok(count)
}

/// Parses callgrind's format: `ob=FILE` begins an object's lines, `ADDRESS LINE COST` is an instruction's own cost, and the line after
/// `calls=` is the cost of the callee, which is counted in the callee's own lines.
fn parse(text: &str) -> Costs {
    let mut costs = Costs::new();
    let mut object = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("ob=") {
            name.clone_into(&mut object);
        } else if line.starts_with("calls=") {
            lines.next();
        } else if let Some((address, cost)) = cost_line(line) {
            *costs.entry(object.clone()).or_default().entry(address).or_default() += cost;
        }
    }
    costs
}

fn cost_line(line: &str) -> Option<(u64, u64)> {
    let mut words = line.strip_prefix("0x")?.split(' ');
    let address = u64::from_str_radix(words.next()?, 16).ok()?;
    Some((address, words.nth(1)?.parse().ok()?))
}

fn without_landing_pads(object: &str, addresses: &HashMap<u64, u64>) -> u64 {
    let total: u64 = addresses.values().sum();
    let Ok(file) = fs::read(object) else { return total };
    let is_pad =
        |address: u64| offset(&file, address).and_then(|at| file.get(at..at + 4)) == Some(&LANDING_PAD[..]);
    let pads: u64 = addresses.iter().filter(|(address, _)| is_pad(**address)).map(|(_, cost)| cost).sum();
    total - pads
}

/// Returns the file offset of a virtual address in a 64-bit ELF file, from its loadable segments.
fn offset(file: &[u8], address: u64) -> Option<usize> {
    let number = |at: usize, size: usize| {
        let bytes = file.get(at..at + size)?;
        Some(bytes.iter().rev().fold(0_u64, |value, byte| value << 8 | u64::from(*byte)))
    };
    let at = |place: u64| usize::try_from(place).ok();
    let (table, size, count) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
    for index in 0..count {
        let header = at(table + index * size)?;
        let (kind, start, virtual_start, length) =
            (number(header, 4)?, number(header + 8, 8)?, number(header + 16, 8)?, number(header + 32, 8)?);
        if kind == 1 && (virtual_start..virtual_start + length).contains(&address) {
            return at(address - virtual_start + start);
        }
    }
    None
}
