//! `vkload replay`: what another machine decided, decided again from its recording.

use std::path::Path;
use std::process::ExitCode;

use loader_core::memory::Shown;
use serde_json::Value;

use crate::arguments::Show;
use crate::info::gather::plan_only;
use crate::info::report::{Device, Problem, Report};
use crate::planned::Planned;
use crate::recording::{self, Recording};
use crate::{chain, info, output, paths};

/// Prints what the recording leads to.
pub(crate) fn print(file: &Path, show: Show, verbose: bool, json: bool) -> ExitCode {
    match replay(file, show, verbose, json) {
        Ok(output) => output::print(&output, ExitCode::SUCCESS),
        Err(problem) => output::fail(&problem),
    }
}

fn replay(file: &Path, show: Show, verbose: bool, json: bool) -> Result<String, String> {
    let Recording { policy, snapshot, report: recorded } = recording::read(file)?;
    let planned = Planned::new(&policy, snapshot, &|_, questions| {
        Err(format!(
            "{}: this version of the loader would ask more than was recorded: {:?}",
            file.display(),
            questions.first()
        ))
    })?;
    Ok(match show {
        Show::Paths => paths::render(&planned, json),
        Show::Chain => chain::render(&planned, &[], json)?.0,
        Show::Info => {
            let report = report(&planned, &recorded)?;
            info::render(&report, verbose, json)
        }
    })
}

/// The plan, with what was learnt by opening drivers on the machine itself.
fn report(planned: &Planned, recorded: &Value) -> Result<Report, String> {
    let list = |name: &str| recorded[name].as_array().into_iter().flatten();
    let broken = |place: usize| {
        let path =
            planned.layers.layers.get(place).map(|layer| Shown(&layer.path).to_string()).unwrap_or_default();
        list("layers").any(|seen| seen["manifest"] == path.as_str() && seen["outcome"] == "does-not-open")
    };
    let mut report = plan_only(planned, &broken).map_err(|_| "memory ran out")?;
    report.vulkan = text(&recorded["vulkan"]);
    report.devices = list("devices").map(device).collect();
    for driver in report.drivers.iter_mut().filter(|driver| driver.used) {
        let Some(seen) = list("drivers").find(|seen| seen["manifest"] == driver.manifest.as_str()) else {
            continue;
        };
        driver.used = seen["used"] == true;
        driver.outcome = text(&seen["outcome"]).into();
        driver.remark = text(&seen["remark"]);
        driver.devices = seen["devices"].as_u64().and_then(|count| count.try_into().ok()).unwrap_or(0);
    }
    report.problem =
        Some(&recorded["problem"]).filter(|problem| problem.is_object()).map(|problem| Problem {
            reason: text(&problem["reason"]),
            advice: problem["advice"].as_array().into_iter().flatten().map(text).collect(),
        });
    Ok(report)
}

fn device(seen: &Value) -> Device {
    let number = |name: &str| seen[name].as_u64().and_then(|number| number.try_into().ok()).unwrap_or(0);
    Device {
        name: text(&seen["name"]),
        kind: text(&seen["kind"]).into(),
        api_version: text(&seen["apiVersion"]),
        driver: text(&seen["driverName"]),
        driver_info: text(&seen["driverInfo"]),
        driver_version: number("driverVersion"),
        vendor: number("vendorId"),
        device: number("deviceId"),
        uuid: text(&seen["deviceUuid"]),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
