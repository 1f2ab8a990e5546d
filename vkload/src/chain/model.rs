//! A call chain as plain data, and how it follows from the plans.

use std::collections::BTreeMap;
use std::ffi::{CStr, CString};

use serde::Serialize;
use vkload_core::discovery::LayerRequest;
use vkload_core::manifest::Version;

use crate::lossless;
use crate::planned::Planned;
use crate::probe::Trial;
use crate::view::{DriverView, LayerView};

/// The path of a program's call, from the program down. Empty texts are unknown.
#[derive(Debug, Default)]
pub(crate) struct Model {
    /// The program, or `application`.
    pub(crate) application: String,
    /// The loader's library, if it is known which one the program gets.
    pub(crate) loader: String,
    /// The layers in the order of calls: the first one is closest to the application.
    pub(crate) layers: Vec<Layer>,
    /// The drivers, of which each call reaches the one that has its device.
    pub(crate) drivers: Vec<Driver>,
    /// Drivers that were found and are not used.
    pub(crate) skipped: Vec<DriverView>,
    /// Layers that the application asks for and cannot have: the name, a colon, and why.
    pub(crate) refused: Vec<String>,
}

#[derive(Debug, Default)]
pub(crate) struct Layer {
    pub(crate) view: LayerView,
    /// Why it is active, for people.
    pub(crate) why: String,
    /// The problem. Empty if none was found, or if the loader was not tried.
    pub(crate) problem: String,
}

#[derive(Debug, Default)]
pub(crate) struct Driver {
    pub(crate) view: DriverView,
    /// Why it was found, for people.
    pub(crate) why: String,
    /// The problem. Empty if none was found, or if the driver was not tried.
    pub(crate) problem: String,
    /// Its devices. `None` if they are not known. An empty list is usual for a driver for other hardware.
    pub(crate) devices: Option<Vec<Device>>,
}

impl Driver {
    pub(crate) fn devices(&self) -> &[Device] {
        self.devices.as_deref().unwrap_or_default()
    }
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Device {
    pub(crate) name: String,
    /// `discrete`, `integrated`, `virtual`, `cpu` or `other`.
    pub(crate) kind: String,
    /// The version of Vulkan that it has.
    pub(crate) api_version: String,
    /// The problem. Empty if none was found, or if the layer was not tried.
    pub(crate) problem: String,
}

impl Model {
    pub(crate) fn knows_devices(&self) -> bool {
        self.drivers.iter().any(|driver| !driver.devices().is_empty())
    }

    /// Adds the problems of the layers that were tried, by their positions in the plan. A layer is shown as refused if the program enables
    /// it and therefore cannot run without it.
    pub(crate) fn add_problems(
        &mut self,
        tried: &BTreeMap<usize, Trial>,
        planned: &Planned,
        enabled: &[CString],
    ) -> Result<(), String> {
        for layer in &mut self.layers {
            layer.problem =
                tried.get(&layer.view.index).and_then(Trial::problem_of_layer).unwrap_or_default();
        }
        for name in enabled {
            let Some(index) = planned.layers.usable(name.to_bytes()) else { continue };
            let libraries = planned.layers.libraries(index).map_err(|_| "memory ran out")?;
            let is_broken = |index: usize| tried.get(&index).is_some_and(Trial::is_unusable);
            let broken = self.layers.iter().filter(|layer| libraries.contains(&layer.view.index));
            let broken = broken.filter(|layer| is_broken(layer.view.index));
            self.refused.extend(broken.map(|layer| format!("{}: {}", layer.view.name, layer.problem)));
        }
        Ok(())
    }
}

/// Returns the call chain of a program that enables these layers. Devices are unknown, since no library is opened. Fails if memory runs
/// out.
pub(crate) fn picture(planned: &Planned, enabled: &[CString]) -> Result<Model, String> {
    let names: Vec<&CStr> = enabled.iter().map(CString::as_c_str).collect();
    let request = LayerRequest { enabled: &names, api_version: Version::default() };
    let active = planned.layers.activate(&request).map_err(|_| "memory ran out")?;
    let refused = active.refused.iter().map(|refused| {
        let name = names.get(refused.name).map(|name| lossless::text(name.to_bytes())).unwrap_or_default();
        format!("{name}: {}", refused.because.explain(&planned.layers))
    });
    let layer = |view: LayerView| Layer { why: view.why(planned), view, problem: String::new() };
    // A meta-layer consists of its components, which precede it.
    let views =
        LayerView::active(&planned.layers, &active).into_iter().filter(|view| !view.library.is_empty());
    let driver = |view: DriverView| Driver { why: view.why_found(planned), view, ..Driver::default() };
    let (used, skipped): (Vec<_>, Vec<_>) =
        DriverView::all(&planned.drivers).into_iter().partition(|view| view.used);
    Ok(Model {
        application: "application".into(),
        layers: views.map(layer).collect(),
        drivers: used.into_iter().map(driver).collect(),
        skipped,
        refused: refused.collect(),
        ..Model::default()
    })
}
