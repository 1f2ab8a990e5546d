//! A call chain for programs. Names do not change between releases; new ones may come.

use serde_json::{Value, json};

use super::model::{Driver, Layer, Model};
use crate::view::DriverView;

pub(super) fn render(model: &Model) -> Value {
    json!({
        "format": 1,
        "layers": model.layers.iter().map(layer).collect::<Vec<_>>(),
        "drivers": model.drivers.iter().map(driver).collect::<Vec<_>>(),
        "skipped": model.skipped.iter().map(skipped).collect::<Vec<_>>(),
        "refused": model.refused,
    })
}

fn layer(Layer { view, why, problem }: &Layer) -> Value {
    json!({
        "name": view.name,
        "because": view.because(),
        "why": why,
        "manifest": view.manifest,
        "library": view.library,
        "problem": problem,
    })
}

fn driver(Driver { view, why, problem, devices }: &Driver) -> Value {
    json!({
        "manifest": view.manifest,
        "library": view.library,
        "apiVersion": view.api_version,
        "because": view.found_by,
        "why": why,
        "problem": problem,
        "devices": devices,
    })
}

fn skipped(driver: &DriverView) -> Value {
    json!({ "manifest": driver.manifest, "library": driver.library, "reason": driver.remark })
}
