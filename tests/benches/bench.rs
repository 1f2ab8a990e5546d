//! Compares our library with the distribution's: `cargo bench -p vkload-tests -- [OPTION...] [NAME]`.
use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use vkload_tests::benches::driver;
use vkload_tests::benches::loader::Loader;
use vkload_tests::benches::measure::{self, Tools};
use vkload_tests::benches::memory;
use vkload_tests::benches::report::Report;
use vkload_tests::benches::{child, curves, scaling, start};

const USAGE: &str = "\
usage: cargo bench -p vkload-tests -- [--json] [--no-scaling | --curves FOLDER | --driver | --memory | --start] [NAME]
  --json           prints JSON instead of tables
  --no-scaling     leaves out how costs grow, which takes most of the time
  --curves FOLDER  measures only how costs grow, and writes pictures, and data to tests/benches/results; fails if a cost grows faster than linearly
  --driver         measures a driver made with the driver runtime beside lavapipe, both without a loader
  --memory         measures a whole program's start and end: instructions, system calls, memory, what stays allocated
  --start          measures whole starts with 1, 4 and 12 of Mesa's drivers
  NAME             measures only operations whose names hold it, and series of what grows";

#[derive(Default)]
struct Options {
    as_json: bool,
    without_scaling: bool,
    driver: bool,
    memory: bool,
    start: bool,
    curves: Option<PathBuf>,
    only: String,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let Some(code) = child::run(&arguments) {
        return code;
    }
    let Some(options) = Options::parse(arguments) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let measured = if let Some(folder) = &options.curves {
        curves::write(folder, &options.only)
    } else if options.memory {
        memory::report().map(|text| print!("{text}"))
    } else if options.start {
        start::report().map(|text| print!("{text}"))
    } else if options.driver {
        driver::report(&options.only).map(|text| print!("{text}"))
    } else {
        loaders(!options.without_scaling, options.as_json, &options.only)
    };
    if let Err(error) = measured {
        eprintln!("{error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

impl Options {
    fn parse(arguments: Vec<String>) -> Option<Self> {
        let mut options = Self::default();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--json" => options.as_json = true,
                "--no-scaling" => options.without_scaling = true,
                "--driver" => options.driver = true,
                "--memory" => options.memory = true,
                "--start" => options.start = true,
                "--curves" => options.curves = Some(from_root(&arguments.next()?)),
                "--bench" => {} // from cargo
                name if !name.starts_with('-') => name.clone_into(&mut options.only),
                _ => return None,
            }
        }
        Some(options)
    }
}

/// Returns a path relative to the folder in which cargo was called: cargo runs benches in the folder of their package.
fn from_root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

fn loaders(grow: bool, as_json: bool, only: &str) -> Result<(), String> {
    let report = report(grow, only)?;
    if as_json {
        println!("{:#}", report.json());
    } else {
        print!("{}", report.text());
    }
    match &report.left_out()[..] {
        [] => Ok(()),
        notes => Err(notes.join("\n")),
    }
}

fn report(grow: bool, only: &str) -> Result<Report, String> {
    let tools = Tools::find();
    let others = Loader::distribution().into_iter().chain(Loader::chromium());
    let loaders: Vec<_> = [Loader::ours()?].into_iter().chain(others).collect();
    let rows = measure::operations(&loaders, tools, only)?;
    let series = if grow { scaling::series(&loaders, tools, only)? } else { Vec::new() };
    Ok(Report { loaders, tools, rows, series })
}
