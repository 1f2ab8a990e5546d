//! The report for programs, as `docs/schemas/info.schema.json` describes it.

use serde_json::{Value, json};

use super::report::{Layer, Report};

pub(crate) fn render(report: &Report) -> Value {
    json!({
        "format": 1,
        "vkload": env!("CARGO_PKG_VERSION"),
        "loader": report.loader,
        "vulkan": report.vulkan,
        "drivers": report.drivers,
        "layers": report.layers.iter().map(layer).collect::<Vec<_>>(),
        "instanceExtensions": report.extensions,
        "devices": report.devices,
        "searched": report.searched,
        "notes": report.notes,
        "problem": report.problem,
    })
}

fn layer(layer: &Layer) -> Value {
    let Layer { view, about, .. } = layer;
    json!({
        "name": view.name,
        "apiVersion": layer.api_version,
        "implementationVersion": layer.implementation_version,
        "description": layer.description,
        "manifest": view.manifest,
        "library": view.library,
        "implicit": view.implicit,
        "active": view.is_active(),
        "outcome": view.outcome,
        "remark": view.remark,
        "instanceExtensions": layer.instance_extensions,
        "deviceExtensions": layer.device_extensions,
        "introduction": about.introduction,
        "url": about.url,
        "platforms": about.platforms,
        "status": about.status,
        "features": about.settings,
    })
}
