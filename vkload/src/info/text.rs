//! The report for people.

use std::fmt::Write;

use super::report::{Driver, Report};
use crate::escape;
use crate::searched::SearchPath;
use crate::table::{Table, section};
use crate::view::Device;

/// Returns the main results as text; `verbose` adds the search paths and extensions.
pub(crate) fn render(report: &Report, verbose: bool) -> String {
    let mut out = match (report.loader.as_str(), report.vulkan.as_str()) {
        ("", _) => "Nothing was tried.\n".to_owned(),
        (loader, "") => format!("Loader: {}\n", escape::line(loader)),
        (loader, vulkan) => format!("Vulkan {vulkan}\nLoader: {}\n", escape::line(loader)),
    };
    section(&mut out, "Drivers", &drivers(report, verbose));
    section(&mut out, "Layers", &layers(report, verbose));
    let about_layers = about_layers(report);
    if verbose && !about_layers.is_empty() {
        section(&mut out, "About layers", &about_layers);
    }
    section(&mut out, "Devices", &devices(&report.devices));
    if verbose || report.problem.is_some() {
        section(&mut out, "Searched", &SearchPath::table(&report.searched));
    }
    if verbose {
        section(&mut out, "Instance extensions", &extensions(report));
    }
    for note in &report.notes {
        let _ = write!(out, "\nNote: {}\n", escape::line(note));
    }
    if let Some(problem) = &report.problem {
        let _ = write!(out, "\nNo program can use Vulkan here: {}\n", escape::line(&problem.reason));
        problem.advice.iter().for_each(|step| out.extend(["  -> ", step, "\n"]));
    }
    out
}

fn drivers(report: &Report, verbose: bool) -> Table {
    let mut table = Table::new(&["MANIFEST", "LIBRARY", "VULKAN", "USED"]);
    for driver in &report.drivers {
        let (view, used) = (&driver.view, used(driver, !report.devices.is_empty()));
        table.row([&view.manifest, &view.library, &view.api_version, &used]);
    }
    if !verbose {
        table.remove(1);
    }
    table
}

/// Returns whether the driver is used, and why not. A driver without a device is harmless while another one works: distributions
/// install drivers for many.
fn used(driver: &Driver, works: bool) -> String {
    match (driver.view.used, driver.view.remark.as_str()) {
        (true, "") => format!("yes, devices: {}", driver.devices),
        (true, remark) => format!("yes, devices: {}; {remark}", driver.devices),
        (false, _) if works && driver.view.outcome == "no-devices" => "no: it has no device here".to_owned(),
        (false, remark) => format!("no: {remark}"),
    }
}

fn layers(report: &Report, verbose: bool) -> Table {
    let mut table = Table::new(&["NAME", "VULKAN", "ACTIVE", "MANIFEST", "DESCRIPTION"]);
    for layer in &report.layers {
        let view = &layer.view;
        let active = match (view.is_active(), view.remark.as_str()) {
            (true, "") => "yes".to_owned(),
            (true, problem) => format!("yes, but {problem}"),
            (false, reason) => format!("no: {reason}"),
        };
        table.row([view.title(), &layer.api_version, &active, &view.manifest, &layer.description]);
    }
    if !verbose {
        table.remove(4);
        table.remove(3);
    }
    table
}

/// Returns the layers' own information, except their descriptions.
fn about_layers(report: &Report) -> Table {
    let mut table = Table::new(&["NAME", "STATUS", "PLATFORMS", "URL", "INTRODUCTION"]);
    for layer in &report.layers {
        let (about, platforms) = (&layer.about, layer.about.platforms.join(" "));
        let introduction = about.introduction.split_whitespace().collect::<Vec<_>>().join(" ");
        if ![&about.status, &platforms, &about.url, &introduction].iter().all(|cell| cell.is_empty()) {
            table.row([&layer.view.name, &about.status, &platforms, &about.url, &introduction]);
        }
    }
    table
}

fn devices(devices: &[Device]) -> Table {
    let mut table = Table::new(&["NAME", "KIND", "VULKAN", "VENDOR:DEVICE", "DRIVER"]);
    for device in devices {
        let id = format!("{:04x}:{:04x}", device.vendor, device.device);
        let driver = [device.driver.as_str(), &device.driver_info].join(" ");
        table.row([&device.name_among(devices), &device.kind, &device.api_version, &id, driver.trim()]);
    }
    table
}

fn extensions(report: &Report) -> Table {
    let mut table = Table::new(&["NAME", "VERSION"]);
    for extension in &report.extensions {
        table.row([&extension.name, &extension.version.to_string()]);
    }
    table
}
