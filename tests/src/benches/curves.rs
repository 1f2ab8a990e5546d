//! How costs grow, as a picture and a file of data for each of [`CURVES`], and whether nothing of ours grows faster than its
//! number.
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::thread;

use serde_json::{Value, json};

use crate::benches::instructions;
use crate::benches::loader::Loader;
use crate::benches::picture::{self, Line, Picture};
use crate::benches::scaling::{self, CURVES, Curve, Plan, Series, UNDRAWN};
use crate::benches::stage::Libraries;

/// How the loaders are called in pictures and data.
const NAMES: [&str; 2] = ["vkload", "Debian"];

/// Measures the curves whose names hold `only`, and writes `NAME.svg` for each into a folder, and its data beside these benches.
///
/// # Errors
/// If something could not be measured or written, or if a cost of our library grows faster than linearly, as a message for a person. In the
/// latter case the files are written nevertheless.
pub fn write(folder: &Path, only: &str) -> Result<(), String> {
    if !instructions::available() {
        return Err("curves count instructions: install the package valgrind".into());
    }
    let theirs = Loader::distribution()
        .ok_or("curves compare with Debian's loader: install the package libvulkan1".to_owned())?;
    let loaders = [Loader::ours()?, theirs];
    let libraries = Libraries::compile()?;
    let wanted: Vec<_> = CURVES.iter().filter(|curve| curve.name.contains(only)).collect();
    if wanted.is_empty() {
        let names = CURVES.map(|curve| curve.name).join(", ");
        return Err(format!("no curve's name holds {only}; there are {names}"));
    }
    let mut steep = String::new();
    for curve in wanted {
        let series = scaling::of_curve(&libraries, &loaders, curve)?;
        let data = data(curve, &series, &loaders);
        picture::write(folder, curve.name, &picture(curve, &series), &data)
            .map_err(|error| format!("{}: {error}", curve.name))?;
        for series in &series {
            print(curve, series);
            if !series.is_linear(0) {
                let _ = write!(steep, "\n{}, {}", curve.name, series.plan.line);
            }
        }
    }
    if steep.is_empty() { Ok(()) } else { Err(format!("these costs grow faster than linearly:{steep}")) }
}

fn unit(series: &[Series]) -> &'static str {
    match series.iter().all(Series::in_instructions) {
        true => "instructions",
        false => "nanoseconds, median",
    }
}

fn print(curve: &Curve, series: &Series) {
    for (place, name) in NAMES.iter().enumerate() {
        let costs: String = series.costs(place).iter().map(|cost| format!("{cost:>14.0}")).collect();
        let steepest = series.steepest(place);
        println!("{:26} {:22} {name:8}{costs}  {steepest:5.2}", curve.name, series.plan.line);
    }
}

fn picture(curve: &Curve, series: &[Series]) -> String {
    let mut lines = Vec::new();
    for (loader, name) in NAMES.iter().enumerate() {
        for (place, series) in series.iter().enumerate() {
            let name = format!("{name}, {}", series.plan.line);
            lines.push(Line { name, loader, place, costs: series.costs(loader) });
        }
    }
    let first = &series[0].plan;
    let (noun, numbers) = (first.growing.noun(), first.numbers);
    Picture { title: curve.title, unit: unit(series), noun, numbers, lines }.svg()
}

fn data(curve: &Curve, series: &[Series], loaders: &[Loader]) -> Value {
    let versions = [concat!("vkload ", env!("CARGO_PKG_VERSION")).to_owned()];
    let versions = versions.into_iter().chain([debian(&loaders[1])]);
    let loaders = NAMES
        .iter()
        .zip(versions)
        .zip(loaders)
        .map(|((name, version), loader)| json!({"name": name, "version": version, "bytes": loader.size}));
    let lines = series.iter().flat_map(|series| {
        NAMES.iter().enumerate().map(move |(place, name)| {
            json!({
                "loader": name,
                "line": series.plan.line,
                "operation": series.plan.operation,
                "costs": rounded(series.costs(place)),
                "without_dynamic_linker": rounded(series.own_costs(place)),
                "steepest": (series.steepest(place) * 100.0).round() / 100.0,
            })
        })
    });
    json!({
        "title": curve.title,
        "command": format!("cargo bench -p vkload-tests -- --curves FOLDER {}", curve.name),
        "machine": std::env::consts::ARCH,
        "unit": unit(series),
        "growing": series[0].plan.growing.noun(),
        "numbers": series[0].plan.numbers,
        "loaders": loaders.collect::<Vec<_>>(),
        "lines": lines.collect::<Vec<_>>(),
    })
}

fn rounded(costs: Vec<f64>) -> Vec<u64> {
    costs.into_iter().map(|cost| cost.round() as u64).collect()
}

/// Returns the version of the package, or else of the file, whose name has it as a suffix.
fn debian(loader: &Loader) -> String {
    let query = Command::new("dpkg-query").args(["--show", "--showformat=${Version}", "libvulkan1"]).output();
    match query {
        Ok(output) if output.status.success() => {
            format!("libvulkan1 {}", String::from_utf8_lossy(&output.stdout))
        }
        _ => loader.file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
    }
}

/// The measurements of [`check`]: of the curves, the series in which a search or a chain would grow.
const CHECKED: [(&str, &str, &[u32]); 7] = [
    ("manifests-usable", "first call", &[60, 600]),
    ("manifests-missing", "first call", &[10, 100]),
    ("manifests-layers", "first call", &[30, 300]),
    ("drivers", "later call", &[4, 32]),
    ("layers", "instance", &[4, 32]),
    ("instances", "one more instance", &[10, 100]),
    ("settings", "first call", &[1000, 10_000]),
];

/// Returns whether nothing of ours grows faster than linearly, in a few seconds: two points of some curves, in instructions.
///
/// # Errors
/// If something could not be measured or grows faster, as a message for a person.
pub fn check() -> Result<(), String> {
    if !instructions::available() {
        return Err("growth is measured in instructions: install the package valgrind".into());
    }
    let (loaders, libraries) = ([Loader::ours()?], Libraries::compile()?);
    let (loaders, libraries) = (&loaders, &libraries);
    let one = move |(name, line, numbers): (&str, &str, &'static [u32])| {
        let mut plans =
            CURVES.iter().chain([&UNDRAWN]).filter(|curve| curve.name == name).flat_map(Curve::plans);
        let plan = plans.find(|plan| plan.line == line).ok_or("no such curve")?;
        let series = scaling::counted(libraries, loaders, Plan { numbers, ..plan })?;
        if series.is_linear(0) {
            return Ok(());
        }
        let costs = series.own_costs(0);
        Err(format!("{name}, {line}: {costs:.0?} instructions with {numbers:?} {}", plan.growing.noun()))
    };
    let results: Vec<Result<(), String>> = thread::scope(|scope| {
        let started: Vec<_> = CHECKED.into_iter().map(|checked| scope.spawn(move || one(checked))).collect();
        let ended = started.into_iter().map(|thread| thread.join());
        ended.map(|result| result.unwrap_or_else(|_| Err("a measurement panicked".into()))).collect()
    });
    let failed: Vec<_> = results.into_iter().filter_map(Result::err).collect();
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}
