//! A call chain for programs. Names do not change between releases; new ones may come.

use serde_json::{Value, json};

use super::model::{Device, Driver, Layer, Model, Skipped};

/// The number of this format. A change that could break a program raises it.
const FORMAT: u32 = 1;

/// Returns the chain as one object.
pub(super) fn render(model: &Model) -> Value {
    json!({
        "format": FORMAT,
        "chain": chain(model),
        "layers": model.layers.iter().map(layer).collect::<Vec<_>>(),
        "drivers": model.drivers.iter().map(driver).collect::<Vec<_>>(),
        "devices": devices(&model.devices),
        "skipped": model.skipped.iter().map(skipped).collect::<Vec<_>>(),
        "refused": model.refused,
    })
}

/// Returns everything in one list as it was before drivers were listed as alternatives: for programs that read that.
fn chain(model: &Model) -> Vec<Value> {
    let link = |name: &str, because: &str, library: &str| json!({ "name": name, "because": because, "library": library });
    let mut links = vec![link(&model.application, "", ""), link("loader", "", &model.loader)];
    links.extend(model.layers.iter().map(|layer| link(&layer.name, &layer.because, &layer.library)));
    links.push(link("loader", "", &model.loader));
    links.extend(model.drivers.iter().map(|driver| link(&driver.manifest, &driver.because, &driver.library)));
    links
}

fn layer(layer: &Layer) -> Value {
    json!({
        "name": layer.name,
        "because": layer.because,
        "why": layer.why,
        "manifest": layer.manifest,
        "library": layer.library,
        "problem": layer.problem,
    })
}

fn driver(driver: &Driver) -> Value {
    json!({
        "manifest": driver.manifest,
        "library": driver.library,
        "apiVersion": driver.api_version,
        "because": driver.because,
        "why": driver.why,
        "problem": driver.problem,
        "devices": driver.devices.as_deref().map(devices),
    })
}

fn devices(devices: &[Device]) -> Vec<Value> {
    let device = |it: &Device| json!({ "name": it.name, "kind": it.kind, "apiVersion": it.api_version, "problem": it.problem });
    devices.iter().map(device).collect()
}

fn skipped(driver: &Skipped) -> Value {
    json!({ "manifest": driver.manifest, "library": driver.library, "reason": driver.reason })
}
