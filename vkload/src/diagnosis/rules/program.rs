//! The program's requests that fail.

use super::super::asked::{Asked, Kind, Missing};
use super::super::case::Case;
use super::super::finding::{Finding, Id, Severity};
use super::variables::VALIDATION;
use crate::command::Step;
use crate::view::Device;

/// Returns the result of starting the program, if Vulkan works without it.
fn asked(case: &Case) -> Option<&Asked> {
    case.trials.asked.as_ref().filter(|_| case.works() == Some(true))
}

/// A program that continues does not need the missing part.
fn severity(asked: &Asked) -> Severity {
    if asked.failure.is_some() { Severity::Error } else { Severity::Note }
}

/// Reports layers and extensions that are missing.
pub(super) fn missing(case: &Case) -> Vec<Finding> {
    let Some(asked) = asked(case) else { return Vec::new() };
    asked.missing.iter().map(|missing| one(case, asked, missing)).collect()
}

fn one(case: &Case, asked: &Asked, missing: &Missing) -> Finding {
    let name = missing.name.as_str();
    let finding = |id, what: String| Finding::new(case, id, "", what).with_severity(severity(asked));
    let update = case.update_driver();
    match missing.kind {
        Kind::Layer if name == VALIDATION => {
            let install = case.facts.packages.validation();
            finding(
                Id::ProgramLayer,
                format!("the program asks for the layer {name}, which is not installed"),
            )
            .step(install.map_or_else(|| "Install the validation layers".into(), Step::from))
        }
        Kind::Layer => finding(
            Id::ProgramLayer,
            format!("the program asks for the layer {name}, which is not installed"),
        )
        .step(format!("Install what brings {name}")),
        Kind::InstanceExtension => {
            let what =
                format!("the program asks for the instance extension {name}, which no driver here has");
            finding(Id::ProgramExtension, what).step(update)
        }
        Kind::DeviceExtension => {
            let devices: Vec<_> = case.devices().iter().map(|device| device.name.as_str()).collect();
            let what = format!(
                "the program asks for the device extension {name}, which its device lacks ({})",
                devices.join(", ")
            );
            let finding = finding(Id::ProgramExtension, what).step(update);
            finding.with_steps((devices.len() > 1).then_some("Or choose another device in the program"))
        }
    }
}

/// Reports that the program asks for a newer version than any device has, and fails.
pub(super) fn version(case: &Case) -> Option<Finding> {
    let (asked, [major, minor]) = asked(case).and_then(|asked| Some((asked, asked.version?)))?;
    let number = |device: &&Device| {
        let mut numbers = device.api_version.split('.').map(|number| number.parse().unwrap_or(0));
        [numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)]
    };
    let devices = case.devices();
    let newest = devices.iter().max_by_key(|device| number(device))?;
    if asked.failure.is_none() || number(newest) >= [major, minor] {
        return None;
    }
    let what = format!(
        "the program asks for Vulkan {major}.{minor}, and the newest that a device here has is {} ({})",
        newest.api_version, newest.name
    );
    Some(Finding::new(case, Id::ProgramVersion, "", what).step(case.update_driver()))
}

/// Reports that the program fails, though it gets all that it asks for.
pub(super) fn fails(case: &Case) -> Option<Finding> {
    let asked = asked(case).filter(|asked| asked.missing.is_empty())?;
    let failure = asked.failure.as_ref().filter(|_| version(case).is_none())?;
    let said = asked.printed.last().map(|line| format!("; its last line: {line}")).unwrap_or_default();
    let what = match asked.version {
        Some(_) => format!("the program {failure}, although Vulkan met all its requests{said}"),
        None => format!("the program {failure} before it uses Vulkan{said}"),
    };
    Some(Finding::new(case, Id::ProgramFails, "", what))
}
