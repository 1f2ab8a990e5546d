//! `vkload faults`: which failures of Vulkan calls a program survives. Runs it once for each.

mod log;
mod output;
mod validation;

use std::collections::BTreeMap;
use std::ffi::CString;
use std::fs::{self, File};
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde::Serialize;
use vkload_core::registry::{CommandId, find};
use vkload_fault_rules::{failures, result_name};

use crate::arguments::FaultsArguments;
use crate::command::Command;
use crate::diagnosis::subject::Target;
use crate::facts::{Variables, own_variables};
use crate::faults_layer;
use crate::lossless;
use crate::output::{answer, clear_progress, progress};
use crate::own_library::{make_private, private_folder};
use crate::planned::Planned;
use crate::program_run::{Ended, Program, Run, file_name};
use log::Log;
use validation::Validation;

/// How long the first run may take, and how long each other one may at least.
const FIRST: Duration = Duration::from_secs(300);
const LEAST: Duration = Duration::from_secs(10);

struct Report {
    program: Vec<String>,
    /// How it ends without a failure.
    without: Ended,
    /// Whether the validation layer checked it.
    is_validated: bool,
    trials: Vec<Trial>,
    /// The numbers of calls of commands that have more of them than were tried.
    more_calls: Vec<Calls>,
}

struct Failure {
    command: String,
    /// The number of the call of this command, from 1.
    call: u32,
    result: String,
}

impl Failure {
    fn rule(&self) -> String {
        format!("fails={}@{}:{}", self.command, self.call, self.result)
    }
}

/// A run in which a call failed.
struct Trial {
    failure: Failure,
    outcome: Outcome,
    run: Run,
    /// The objects that are left beyond those without the failure: the command that created them, and how many.
    left: BTreeMap<String, u32>,
    /// The rules of Vulkan that the program broke, beyond those without the failure.
    broken: Vec<String>,
}

/// The effect of a failure on the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Outcome {
    /// It ends as without the failure.
    Survives,
    /// It ends itself in another way.
    GivesUp,
    /// It aborts itself, as `assert` does.
    Aborts,
    Crashes,
    Hangs,
    /// It did not make the call in this run.
    NotReached,
}

impl Trial {
    /// Returns whether the program has a mistake.
    fn is_bad(&self) -> bool {
        matches!(self.outcome, Outcome::Crashes | Outcome::Hangs)
            || !self.left.is_empty()
            || !self.broken.is_empty()
    }
}

pub(crate) fn print(options: &FaultsArguments) -> ExitCode {
    let report = report(options);
    clear_progress();
    answer(report.map(|report| {
        let is_bad = report.trials.iter().any(Trial::is_bad);
        (output::render(&report, options.json), !is_bad)
    }))
}

/// The parts that all runs share.
struct Runner<'a> {
    options: &'a FaultsArguments,
    variables: Variables,
    layer: PathBuf,
    folder: Folder,
    validation: Option<Validation>,
}

struct Observed {
    run: Run,
    log: Log,
    broken: Vec<String>,
}

fn report(options: &FaultsArguments) -> Result<Report, String> {
    let only: Vec<CommandId> = options.command.iter().map(|name| command(name)).collect::<Result<_, _>>()?;
    let variables = own_variables();
    let folder = Folder::new()?;
    let is_validated = has_validation(options, &variables)?;
    let validation = is_validated.then(|| Validation::new(&folder.path)).transpose()?;
    let layer = faults_layer::find(options.faults_layer.as_deref())?;
    let runner = Runner { options, variables, layer, folder, validation };

    progress("the run without a failure");
    let start = Instant::now();
    let timeout = options.timeout.map(Duration::from_secs);
    let first = runner.run("", timeout.unwrap_or(FIRST))?;
    let limit = timeout.unwrap_or_else(|| (start.elapsed() * 3).max(LEAST));
    let words: Vec<String> = options.program.iter().map(lossless::of).collect();
    let name = file_name(&words);
    if first.run.ended.failed() {
        let hint = match first.run.ended {
            Ended::TimedOut(_) => "; --runs-for 10 ends each run after 10 seconds",
            _ if is_validated => "; --no-validation leaves out the validation layer",
            _ => "",
        };
        return Err(format!("{name} {} even if no call fails{hint}", first.run.ended.words()));
    }
    if first.log.calls.is_empty() {
        return Err(format!(
            "{name} makes no Vulkan call that could fail, or it does not use the system's loader; {}",
            Command::new("vkload doctor", &[]).then_line(&words)
        ));
    }
    let (planned, more_calls) = plan(&first.log, options.calls, &only)?;
    let mut trials = Vec::new();
    let count = planned.len();
    for (number, failure) in planned.into_iter().enumerate() {
        let Failure { command, call, result } = &failure;
        progress(&format!("run {} of {count}: {command}, call {call}, {result}", number + 1));
        let observed = runner.run(&failure.rule(), limit)?;
        trials.push(trial(&first, failure, observed));
    }
    Ok(Report { program: words, without: first.run.ended, is_validated, trials, more_calls })
}

/// Returns whether the validation layer is installed and wanted.
fn has_validation(options: &FaultsArguments, variables: &Variables) -> Result<bool, String> {
    let name = options.program.first().map(Path::new);
    let Target { executable, bits, .. } = Target::program(name, usize::BITS)?;
    let planned = Planned::for_program(variables, executable.as_deref(), bits)?;
    let is_installed = planned.layers.layers.iter().any(|layer| layer.name() == validation::NAME.as_bytes());
    Ok(is_installed && !options.no_validation)
}

fn command(name: &str) -> Result<CommandId, String> {
    let known = CString::new(name).ok().and_then(|name| find(&name));
    let known = known.filter(|command| failures(*command).next().is_some());
    known.map(CommandId::canonical).ok_or_else(|| format!("{name} is not a command that can fail"))
}

/// A command, and how often it was called.
type Calls = (String, u32);

/// Returns the calls to fail, in the order in which the commands were first called, and the commands with more calls than that.
fn plan(log: &Log, most: u32, only: &[CommandId]) -> Result<(Vec<Failure>, Vec<Calls>), String> {
    let (mut planned, mut more) = (Vec::new(), Vec::new());
    for (name, count) in &log.calls {
        let Ok(command) = command(name) else { continue };
        if !only.is_empty() && !only.contains(&command) {
            continue;
        }
        for call in 1..=most.min(*count) {
            let failure = |result| Failure { command: name.clone(), call, result: result_name(result) };
            planned.extend(failures(command).map(failure));
        }
        if *count > most {
            more.push((name.clone(), *count));
        }
    }
    if planned.is_empty() {
        return Err("the program does not call any of these commands".to_owned());
    }
    Ok((planned, more))
}

fn trial(first: &Observed, failure: Failure, observed: Observed) -> Trial {
    let Observed { run, log, broken } = observed;
    let outcome = match run.ended {
        Ended::TimedOut(_) => Outcome::Hangs,
        Ended::Signal(libc::SIGABRT) if !has_damaged_memory(&run.printed) => Outcome::Aborts,
        Ended::Signal(_) => Outcome::Crashes,
        Ended::Exited(code) if code > 128 => Outcome::Crashes,
        _ if !log.has_fault => Outcome::NotReached,
        ended if ended == first.run.ended => Outcome::Survives,
        _ => Outcome::GivesUp,
    };
    let before = |command: &String| first.log.left.get(command).copied().unwrap_or(0);
    let left = log.left.iter().filter_map(|(command, count)| {
        let more = count.saturating_sub(before(command));
        (more > 0).then(|| (command.clone(), more))
    });
    let left = left.collect();
    let broken = broken.into_iter().filter(|rule| !first.broken.contains(rule)).collect();
    Trial { failure, outcome, run, left, broken }
}

/// Returns whether the C library has aborted the program because its heap or its stack was damaged.
fn has_damaged_memory(printed: &[String]) -> bool {
    const MESSAGES: [&str; 5] = ["free(): ", "alloc(): ", "corrupted ", "double free", "stack smashing"];
    printed.iter().any(|line| MESSAGES.iter().any(|message| line.contains(message)))
}

impl Runner<'_> {
    fn run(&self, rules: &str, limit: Duration) -> Result<Observed, String> {
        let log = self.folder.path.join("log");
        let _ = fs::remove_file(&log);
        let faults = format!("{rules} \"log={}\"", log.display());
        let others: &[&str] = if self.validation.is_some() { &[validation::NAME] } else { &[] };
        let mut changes = faults_layer::changes(&self.layer, faults.trim(), &self.variables, others)?;
        changes.extend(self.validation.iter().flat_map(Validation::changes));
        let runs_for = self.options.runs_for.map(Duration::from_secs);
        let (limit, keeps_running) = (runs_for.unwrap_or(limit), runs_for.is_some());
        let run = Program { words: &self.options.program, limit, keeps_running }.run(&changes)?;
        let log = Log::parse(&fs::read_to_string(&log).unwrap_or_default());
        let broken = self.validation.as_ref().map(Validation::take).unwrap_or_default();
        Ok(Observed { run, log, broken })
    }
}

/// A folder for the files of the runs, which goes with this value, and a lock on it.
struct Folder {
    path: PathBuf,
    _lock: Option<File>,
}

impl Folder {
    /// Also removes folders that were left behind, as by SIGKILL.
    fn new() -> Result<Self, String> {
        let all = private_folder()?;
        for entry in fs::read_dir(&all).into_iter().flatten().flatten() {
            if entry.file_name().as_bytes().starts_with(b"faults-")
                && let Some(file) = lock(&entry.path())
            {
                drop(Self { path: entry.path(), _lock: Some(file) });
            }
        }
        let folder = all.join(format!("faults-{}", std::process::id()));
        make_private(&folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
        let lock = lock(&folder);
        Ok(Self { path: folder, _lock: lock })
    }
}

/// Returns the locked folder, unless another process holds the lock.
fn lock(folder: &Path) -> Option<File> {
    let file = File::open(folder).ok()?;
    // SAFETY: the descriptor is open.
    (unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } == 0).then_some(file)
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}
