//! The report for programs, as `docs/schemas/info.schema.json` describes it.

use serde_json::{Value, json};

use crate::searched::Place;

use super::report::{Device, Driver, Extension, Layer, Report};

/// The format's number, which a change that programs would notice raises.
const FORMAT: u32 = 1;

/// Returns the report as one object.
pub(crate) fn render(report: &Report) -> Value {
    json!({
        "format": FORMAT,
        "vkload": env!("CARGO_PKG_VERSION"),
        "vulkan": report.vulkan,
        "drivers": report.drivers.iter().map(driver).collect::<Vec<_>>(),
        "layers": report.layers.iter().map(layer).collect::<Vec<_>>(),
        "instanceExtensions": extensions(&report.extensions),
        "devices": report.devices.iter().map(device).collect::<Vec<_>>(),
        "searched": report.searched.iter().map(Place::json).collect::<Vec<_>>(),
        "notes": report.notes,
        "problem": report.problem.as_ref().map(|problem| json!({
            "reason": problem.reason,
            "advice": problem.advice,
        })),
        "builtInDriver": report.built_in.as_ref().map(|built_in| json!({
            "device": built_in.device.as_ref().map(device),
            "bytesCopied": built_in.bytes,
            "failure": built_in.failure,
        })),
    })
}

fn driver(driver: &Driver) -> Value {
    json!({
        "manifest": driver.manifest,
        "library": driver.library,
        "apiVersion": driver.api_version,
        "portability": driver.portability,
        "foundBy": driver.found_by,
        "used": driver.used,
        "outcome": driver.outcome,
        "devices": driver.devices,
        "remark": driver.remark,
    })
}

fn layer(layer: &Layer) -> Value {
    json!({
        "name": layer.name,
        "apiVersion": layer.api_version,
        "implementationVersion": layer.implementation_version,
        "description": layer.description,
        "manifest": layer.manifest,
        "library": layer.library,
        "implicit": layer.implicit,
        "active": layer.active,
        "outcome": layer.outcome,
        "remark": layer.remark,
        "instanceExtensions": extensions(&layer.instance_extensions),
        "deviceExtensions": extensions(&layer.device_extensions),
        "introduction": layer.about.introduction,
        "url": layer.about.url,
        "platforms": layer.about.platforms,
        "status": layer.about.status,
        "features": layer.about.settings,
    })
}

fn extensions(list: &[Extension]) -> Vec<Value> {
    list.iter().map(|extension| json!({ "name": extension.name, "version": extension.version })).collect()
}

fn device(device: &Device) -> Value {
    json!({
        "name": device.name,
        "kind": device.kind,
        "apiVersion": device.api_version,
        "vendorId": device.vendor,
        "deviceId": device.device,
        "deviceUuid": device.uuid,
        "driverName": device.driver,
        "driverInfo": device.driver_info,
        "driverVersion": device.driver_version,
    })
}
