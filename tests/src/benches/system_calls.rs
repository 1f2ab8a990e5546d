//! Counting system calls with strace.
use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::process::{Command, Stdio};

use crate::benches::child::Task;
use crate::benches::stage::Stage;

/// How often each system call is made, by name.
pub(crate) type SystemCalls = BTreeMap<String, f64>;

/// Returns whether strace is installed and may trace.
pub(crate) fn available() -> bool {
    let mut command = Command::new("strace");
    command.args(["-qq", "-o", "/dev/null", "true"]).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Returns the system calls of one call, by name.
///
/// # Errors
/// If strace or the program failed, with strace's output.
pub(crate) fn per_call(stage: &Stage, task: &Task) -> Result<SystemCalls, String> {
    let once = total(stage, task)?;
    let twice = total(stage, &Task { calls: task.calls * 2, ..task.clone() })?;
    let per_call = |(name, count): (String, u64)| {
        let before = once.get(&name).copied().unwrap_or(0);
        (name, (count as f64 - before as f64) / f64::from(task.calls))
    };
    Ok(twice.into_iter().map(per_call).filter(|(_, count)| *count >= 0.05).collect())
}

/// Returns the system calls of a whole process, by name.
///
/// # Errors
/// As for [`per_call`].
pub(crate) fn total(stage: &Stage, task: &Task) -> Result<BTreeMap<String, u64>, String> {
    let record = stage.record("strace.out");
    let program = env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new("strace");
    stage.surround(&mut command);
    command.args(["-f", "-c", "-o"]).arg(&record).arg("--").arg(&program);
    let output = command.args(Task { samples: 0, ..task.clone() }.arguments()).output();
    let output = output.map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("{}: {}", task.operation, String::from_utf8_lossy(&output.stderr)));
    }
    let text = fs::read_to_string(&record).map_err(|error| error.to_string())?;
    Ok(parse(&text))
}

/// Reads strace's summary: share, seconds, microseconds per call, calls, errors if any, name.
fn parse(summary: &str) -> BTreeMap<String, u64> {
    let row = |line: &str| {
        let words: Vec<_> = line.split_whitespace().collect();
        let name = (*words.last()?).to_owned();
        let calls = words.get(3)?.parse().ok()?;
        (words.len() >= 5 && name != "total").then_some((name, calls))
    };
    summary.lines().filter_map(row).collect()
}
