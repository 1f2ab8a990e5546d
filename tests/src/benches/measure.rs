//! One figure of each kind, for one operation and one loader.
use std::env;
use std::process::Command;

use crate::benches::child::Task;
use crate::benches::instructions::Count;
use crate::benches::loader::Loader;
use crate::benches::operation::{OPERATIONS, Operation};
use crate::benches::stage::{Contents, Libraries, Stage};
use crate::benches::system_calls::SystemCalls;
use crate::benches::{instructions, system_calls};

/// How long one sample of a time measurement is meant to take, in nanoseconds.
const SAMPLE: f64 = 2e6;
const SAMPLES: u32 = 5;
/// How many processes a loader gets, taking turns with the other loader's.
const TURNS: usize = 5;

#[derive(Clone, Copy, Debug)]
pub struct Tools {
    pub instructions: bool,
    pub system_calls: bool,
}

/// The cost of one operation with one loader.
#[derive(Clone, Debug, Default)]
pub struct Cost {
    pub instructions: Option<f64>,
    /// The dynamic linker's share of them.
    pub linker: Option<f64>,
    /// System calls of a call, by name.
    pub system_calls: Option<SystemCalls>,
    /// The shortest time of a call, in nanoseconds.
    pub shortest: f64,
    /// The median time of a call, in nanoseconds.
    pub median: f64,
}

/// An operation's costs, for each loader in the order given.
#[derive(Clone, Debug)]
pub struct Row {
    pub operation: Operation,
    pub costs: Vec<Cost>,
}

impl Tools {
    pub fn find() -> Self {
        Self { instructions: instructions::available(), system_calls: system_calls::available() }
    }
}

impl Cost {
    pub(crate) fn count(&mut self, count: Count) {
        (self.instructions, self.linker) = (Some(count.all), Some(count.linker));
    }

    pub fn all_system_calls(&self) -> Option<f64> {
        self.system_calls.as_ref().map(|calls| calls.values().fold(0.0, |sum, count| sum + count))
    }
}

/// Measures the operations whose names hold `only`, with one manifest, one driver and one instance.
///
/// # Errors
/// With what to do about it, in words for a person.
pub fn operations(loaders: &[Loader], tools: Tools, only: &str) -> Result<Vec<Row>, String> {
    let libraries = Libraries::compile()?;
    let mut rows = Vec::new();
    for operation in OPERATIONS.into_iter().filter(|operation| operation.name.contains(only)) {
        eprintln!("measuring {}", operation.title);
        let stage = Stage::new(&libraries, Contents::of(operation)).map_err(|error| error.to_string())?;
        let tasks: Vec<_> = loaders.iter().map(|loader| task(loader, operation)).collect();
        let mut costs = times(&stage, &tasks)?;
        for (cost, task) in costs.iter_mut().zip(&tasks) {
            count(&stage, task, tools, cost)?;
        }
        rows.push(Row { operation, costs });
    }
    Ok(rows)
}

pub(crate) fn task(loader: &Loader, operation: Operation) -> Task {
    Task {
        library: loader.file.display().to_string(),
        operation: operation.name.to_owned(),
        calls: operation.calls,
        samples: 0,
        instances: operation.instances,
        threads: 1,
    }
}

fn count(stage: &Stage, task: &Task, tools: Tools, cost: &mut Cost) -> Result<(), String> {
    if tools.instructions {
        cost.count(instructions::later_call(stage, task)?);
    }
    if tools.system_calls {
        cost.system_calls = Some(system_calls::per_call(stage, task)?);
    }
    Ok(())
}

/// Times of all tasks, whose processes take turns so that what else the machine does falls on each of them alike.
pub(crate) fn times(stage: &Stage, tasks: &[Task]) -> Result<Vec<Cost>, String> {
    let mut samples = vec![Vec::new(); tasks.len()];
    let mut sized = Vec::new();
    for task in tasks {
        let first = run(stage, &Task { samples: 1, calls: task.calls.max(1), ..task.clone() })?;
        let nanoseconds = first.into_iter().fold(1.0, f64::max);
        let calls = (SAMPLE / nanoseconds).clamp(1.0, 1e6) as u32;
        sized.push(Task { calls, samples: SAMPLES, ..task.clone() });
    }
    for _ in 0..TURNS {
        for (samples, task) in samples.iter_mut().zip(&sized) {
            samples.extend(run(stage, task)?);
        }
    }
    let cost = |mut samples: Vec<f64>| {
        samples.sort_by(f64::total_cmp);
        Cost { shortest: samples[0], median: samples[samples.len() / 2], ..Cost::default() }
    };
    Ok(samples.into_iter().map(cost).collect())
}

fn run(stage: &Stage, task: &Task) -> Result<Vec<f64>, String> {
    let samples: Vec<f64> = lines(stage, task)?.iter().filter_map(|line| line.parse().ok()).collect();
    if samples.is_empty() { Err(format!("{}: no times", task.operation)) } else { Ok(samples) }
}

/// Runs one process and gives the lines that it prints.
pub(crate) fn lines(stage: &Stage, task: &Task) -> Result<Vec<String>, String> {
    let program = env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    stage.surround(&mut command);
    let output = command.args(task.arguments()).output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("{}: {}", task.operation, String::from_utf8_lossy(&output.stderr)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}
