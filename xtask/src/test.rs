//! `cargo xtask test [--compile | --doc | PART...]`: compiles the tests of the workspace once, and runs their programs side by side.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::Value;

use crate::Failure;
use crate::command::Run as _;
use crate::toolchain::cargo;
use crate::workspace::root;

/// The selection with which everything of the host is compiled: an example and a program of `vkload` need the features.
const SELECTION: &str = "--workspace --features vkload/vulkanalia,vkload/portable";

/// The programs that take longest, the longest first. They start first, so that none of them is left at the end.
const LONGEST: &[&str] = &[
    "tests/programs",
    "tests/differential",
    "jni/java",
    "vkload/worlds",
    "vkload/commands",
    "vkload/attacks",
    "tests/counts",
    "platform-android/apk/apk",
    "tests/layers",
    "driver-runtime/null-driver/icd/loaders",
    "tests/instances",
    "tests/growth",
    "tests/drivers",
    "layers/runtime/count_calls",
    "layers/runtime/log_present",
];

struct Program {
    /// The folder of its package in the repository, and cargo's name for it.
    name: String,
    file: PathBuf,
}

/// The end of a program: its name, its output if it failed, and how long it took.
type End = (String, Result<(), String>, Duration);

#[derive(Args)]
pub(crate) struct Options {
    /// Only compile the programs
    #[arg(long)]
    compile: bool,
    /// Run the examples in documentation instead
    #[arg(long)]
    doc: bool,
    /// Run the programs with one of these in their names, and pass on the words that begin with "--"
    #[arg(value_name = "PART", allow_hyphen_values = true)]
    parts: Vec<String>,
}

pub(crate) fn run(Options { compile: only, doc, parts }: &Options) -> Result<(), Failure> {
    if *doc {
        return cargo(&format!("test --quiet {SELECTION} --doc")).finish();
    }
    let mut programs = compile()?;
    if *only {
        return Ok(());
    }
    let (options, parts): (Vec<_>, Vec<_>) = parts.iter().partition(|word| word.starts_with("--"));
    programs.retain(|program| parts.is_empty() || parts.iter().any(|part| program.name.contains(*part)));
    programs.sort_by_key(|program| {
        LONGEST.iter().position(|name| *name == program.name).unwrap_or(LONGEST.len())
    });
    let count = programs.len();
    let mut failed = Vec::new();
    for (name, end, time) in side_by_side(programs, &options) {
        println!("{:4} s  {name}", time.as_secs());
        if let Err(output) = end {
            println!("{output}\ntest: {name} failed");
            failed.push(name);
        }
    }
    println!("test: {} of {count} programs passed", count - failed.len());
    if failed.is_empty() {
        return Ok(());
    }
    Err(format!("`cargo xtask test {}` runs the failed programs again", failed.join(" ")).into())
}

/// Compiles all programs, and reads their paths from cargo's messages.
fn compile() -> Result<Vec<Program>, Failure> {
    let mut cargo =
        cargo(&format!("test --quiet {SELECTION} --no-run --message-format json-render-diagnostics"));
    let output = cargo.stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err("the tests do not compile".into());
    }
    let messages = output.stdout.split(|byte| *byte == b'\n');
    let messages = messages.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    Ok(messages.filter_map(|message| Program::of(&message)).collect())
}

/// Runs the programs, one more at a time than there are processors: many wait for the processes that they start.
fn side_by_side(programs: Vec<Program>, options: &[&String]) -> impl Iterator<Item = End> {
    let at_a_time = thread::available_parallelism().map_or(2, usize::from) + 1;
    let waiting = Arc::new(Mutex::new(programs.into_iter()));
    let (sender, ends) = mpsc::channel();
    for _ in 0..at_a_time {
        let (waiting, sender) = (waiting.clone(), sender.clone());
        let options: Vec<String> = options.iter().map(ToString::to_string).collect();
        thread::spawn(move || {
            let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
            while let Some(program) = next() {
                let began = Instant::now();
                let end = output_of_failure(program.command().args(&options));
                let _ = sender.send((program.name, end, began.elapsed()));
            }
        });
    }
    ends.into_iter()
}

fn output_of_failure(command: &mut Command) -> Result<(), String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    let text = || String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned();
    if output.status.success() { Ok(()) } else { Err(format!("{}\n{}", text(), output.status)) }
}

impl Program {
    /// Returns the program that cargo reports in this message, if any.
    fn of(message: &Value) -> Option<Self> {
        if message["profile"]["test"] != true {
            return None;
        }
        let folder = Path::new(message["manifest_path"].as_str()?).parent()?.strip_prefix(root()).ok()?;
        let name = folder.join(message["target"]["name"].as_str()?).to_str()?.to_owned();
        Some(Self { name, file: message["executable"].as_str()?.into() })
    }

    fn command(&self) -> Command {
        let folder = root().join(Path::new(&self.name).parent().unwrap_or(Path::new("")));
        let mut command = Command::new(&self.file);
        command.current_dir(&folder).env("CARGO_MANIFEST_DIR", &folder);
        // Cargo puts its output folder there for this task, and programs would find a loader in it.
        command.env_remove("LD_LIBRARY_PATH");
        command
    }
}
