//! `vkload replay`: what another machine decided, decided again from its recording.

use std::path::Path;
use std::process::ExitCode;

use serde::Deserialize as _;
use serde_json::Value;
use vkload_core::discovery::Policy;

use crate::arguments::{Format, ReplayArguments, Show};
use crate::chain::Model;
use crate::diagnosis;
use crate::doctor;
use crate::info::gather::plan_only;
use crate::info::layers::LayerProblem;
use crate::info::report::{Problem, Report};
use crate::planned::Planned;
use crate::recording::{self, Recording};
use crate::view::Device;
use crate::{chain, escape, info, lossless, output, paths};

/// Prints the decisions that follow from the recording.
pub(crate) fn print(options: &ReplayArguments) -> ExitCode {
    match replay(options) {
        Ok(output) => output::print_escaped(&output, ExitCode::SUCCESS),
        Err(problem) => output::fail(&problem),
    }
}

/// A recorded machine, with the decisions made again.
pub(crate) struct Machine {
    pub(crate) policy: Policy,
    pub(crate) planned: Planned,
    /// The output of `vkload info` on that machine.
    pub(crate) recorded: Value,
    /// The whole object, if the doctor recorded it.
    pub(crate) seen: Option<Value>,
}

pub(crate) fn load(file: &Path) -> Result<Machine, String> {
    let Recording { policy, snapshot, report: recorded, seen } = recording::read(file)?;
    let planned = Planned::new(&policy, snapshot, &|_, questions| {
        Err(format!(
            "{}: this version of the loader would ask more than was recorded: {:?}",
            file.display(),
            questions.first()
        ))
    })?;
    Ok(Machine { policy, planned, recorded, seen })
}

fn replay(options: &ReplayArguments) -> Result<String, String> {
    let (file, format) = (&options.file, chain::format(options.format, options.json));
    let json = format == Format::Json;
    let can_draw = matches!(options.show, Show::Chain)
        || (format == Format::Html && matches!(options.show, Show::Doctor));
    if matches!(format, Format::Svg | Format::Html) && !can_draw {
        return Err("`--format svg` works with `--show chain`; `--format html` with `--show chain` or `--show doctor`".into());
    }
    let Machine { planned, recorded, seen, .. } = load(file)?;
    Ok(match options.show {
        Show::Paths => escape::lines(&paths::render(&planned, json)),
        Show::Chain => {
            let model = match seen {
                Some(seen) => doctor::picture(&diagnosis::recorded(planned, seen)?)?,
                None => picture(&planned, &recorded)?,
            };
            chain::render(&model, format)
        }
        Show::Doctor => {
            let seen = seen.ok_or_else(|| {
                format!("{}: it does not hold the machine as the doctor sees it; make one with `vkload doctor --record FILE`", file.display())
            })?;
            let case = diagnosis::recorded(planned, seen)?;
            doctor::told(case, output::Format::chosen(json, format == Format::Html)).0
        }
        Show::Info => {
            let report = report(&planned, &recorded)?;
            escape::lines(&info::render(&report, options.verbose, json))
        }
    })
}

/// Returns the call chain, with the results of opening layers and drivers on the recorded machine.
fn picture(planned: &Planned, recorded: &Value) -> Result<Model, String> {
    let mut model = chain::picture(planned, &[])?;
    let report = report(planned, recorded)?;
    for layer in &mut model.layers {
        let seen = report.layers.get(layer.view.index).map(|seen| &seen.view);
        layer.problem =
            seen.filter(|seen| !seen.is_active()).map(|seen| seen.remark.clone()).unwrap_or_default();
    }
    let mut devices: Vec<_> = report.devices.into_iter().map(chained).collect();
    // A recording has the devices of all drivers in one list, and how many each driver has.
    let only_one = report.drivers.iter().filter(|driver| driver.devices > 0).count() == 1;
    let is_usual = !devices.is_empty();
    for driver in &mut model.drivers {
        let Some(seen) = report.drivers.get(driver.view.index) else { continue };
        if seen.view.outcome == "no-devices" && is_usual {
            driver.devices = Some(Vec::new());
        } else if !seen.view.used {
            driver.problem.clone_from(&seen.view.remark);
        } else if only_one && seen.devices > 0 {
            driver.devices = Some(std::mem::take(&mut devices));
        }
    }
    model.devices = devices;
    Ok(model)
}

fn chained(device: Device) -> chain::Device {
    chain::Device {
        name: device.name,
        kind: device.kind.into_owned(),
        api_version: device.api_version,
        ..chain::Device::default()
    }
}

/// Returns the plan, with the results of opening drivers on the recorded machine.
pub(crate) fn report(planned: &Planned, recorded: &Value) -> Result<Report, String> {
    let list = |name: &str| recorded[name].as_array().into_iter().flatten();
    let fault = |index: usize| {
        let layer = planned.layers.layers.get(index)?;
        let (path, name) = (lossless::text(&layer.path), lossless::text(layer.name()));
        let mut all = list("layers");
        let seen = all.find(|seen| seen["manifest"] == path.as_str() && seen["name"] == name.as_str())?;
        let fault = || LayerProblem { id: text(&seen["outcome"]).into(), text: text(&seen["remark"]) };
        (seen["outcome"] != "active").then(fault)
    };
    let mut report = plan_only(planned, &fault).map_err(|_| "memory ran out")?;
    report.vulkan = text(&recorded["vulkan"]);
    report.devices = list("devices").map(|seen| Device::deserialize(seen).unwrap_or_default()).collect();
    for driver in report.drivers.iter_mut().filter(|driver| driver.view.used) {
        let view = &mut driver.view;
        let Some(seen) = list("drivers").find(|seen| seen["manifest"] == view.manifest.as_str()) else {
            continue;
        };
        view.used = seen["used"] == true;
        view.outcome = text(&seen["outcome"]).into();
        view.remark = text(&seen["remark"]);
        driver.devices = seen["devices"].as_u64().and_then(|count| count.try_into().ok()).unwrap_or(0);
    }
    report.problem =
        Some(&recorded["problem"]).filter(|problem| problem.is_object()).map(|problem| Problem {
            reason: text(&problem["reason"]),
            advice: problem["advice"].as_array().into_iter().flatten().map(text).collect(),
        });
    Ok(report)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
