//! Compares our library with the distribution's: `cargo bench -p vkload-benches -- [--json] [--no-scaling] [NAME]`.
use std::env;
use std::process::ExitCode;

use vkload_benches::child::{CHILD, Task};
use vkload_benches::driver;
use vkload_benches::loader::Loader;
use vkload_benches::measure::{self, Tools};
use vkload_benches::memory;
use vkload_benches::report::Report;
use vkload_benches::scaling;

const USAGE: &str = "\
usage: cargo bench -p vkload-benches -- [--json] [--no-scaling | --driver | --memory] [NAME]
  --json        prints JSON instead of tables
  --no-scaling  leaves out how costs grow, which takes most of the time
  --driver      measures a driver made with the driver runtime beside lavapipe, both without a loader
  --memory      measures a whole program's start and end: instructions, system calls, memory, what stays allocated
  NAME          measures only operations whose names hold it, and series of what grows";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if arguments.first().is_some_and(|word| word == CHILD) {
        let Some(task) = Task::parse(&arguments) else { return ExitCode::from(2) };
        task.run();
        return ExitCode::SUCCESS;
    }
    let (mut as_json, mut grow, mut of_driver, mut only) = (false, true, false, String::new());
    let mut of_memory = false;
    for argument in arguments {
        match argument.as_str() {
            "--json" => as_json = true,
            "--no-scaling" => grow = false,
            "--driver" => of_driver = true,
            "--memory" => of_memory = true,
            "--bench" => {} // from cargo
            name if !name.starts_with('-') => name.clone_into(&mut only),
            _ => {
                eprintln!("{USAGE}");
                return ExitCode::from(2);
            }
        }
    }
    let measured = if of_memory {
        memory::report().map(|text| print!("{text}"))
    } else if of_driver {
        driver::report(&only).map(|text| print!("{text}"))
    } else {
        loaders(grow, as_json, &only)
    };
    if let Err(error) = measured {
        eprintln!("{error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn loaders(grow: bool, as_json: bool, only: &str) -> Result<(), String> {
    match report(grow, only)? {
        report if as_json => println!("{:#}", report.json()),
        report => print!("{}", report.text()),
    }
    Ok(())
}

fn report(grow: bool, only: &str) -> Result<Report, String> {
    let tools = Tools::find();
    let loaders: Vec<_> = [Loader::ours()?].into_iter().chain(Loader::distribution()).collect();
    let rows = measure::operations(&loaders, tools, only)?;
    let series = if grow { scaling::series(&loaders, tools, only)? } else { Vec::new() };
    Ok(Report { loaders, tools, rows, series })
}
