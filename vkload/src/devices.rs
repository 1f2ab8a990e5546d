//! `vkload devices`: the devices in the order in which programs see them, and why.

use std::path::Path;
use std::process::ExitCode;

use crate::facts::{self, Gpu, SettingsSupport, Variables, own_variables};
use crate::output;
use crate::planned::Planned;
use crate::probe::parent::{Settings, try_out};
use crate::probe::{Subject, Tried};
use crate::switches::Changes;
use crate::table::{Table, section};
use crate::view::LayerView;

/// The variables that decide about the order.
const SELECT: &str = "VK_LOADER_DEVICE_SELECT";
const DISABLE_SELECT: &str = "VK_LOADER_DISABLE_SELECT";
/// Mesa's layer that puts a device first.
const MESA_LAYER: &str = "VK_LAYER_MESA_device_select";

/// A GPU, and whether it slept before drivers were asked.
type Powered = (Gpu, String);

/// Prints the devices.
pub(crate) fn print(no_probe: bool) -> ExitCode {
    let gpus = facts::gpus_with_power();
    if no_probe {
        let mut out = String::new();
        section(&mut out, "GPUs", kernel_table(gpus.iter()));
        let code = if gpus.is_empty() { ExitCode::FAILURE } else { ExitCode::SUCCESS };
        return output::print(out.trim_start(), code);
    }
    match report(&gpus) {
        Ok((text, code)) => output::print(&text, code),
        Err(problem) => output::fail(&problem),
    }
}

fn report(gpus: &[Powered]) -> Result<(String, ExitCode), String> {
    let variables = own_variables();
    let planned = Planned::here()?;
    let loader = facts::loader_of(&variables, None);
    let subject =
        loader.as_ref().map_or(Subject::Own, |loader| Subject::Loader { library: loader.path.clone() });
    let trial = try_out(&subject, &Settings::own(), &Changes::new());
    if trial.devices.is_empty() {
        let mut out =
            format!("Programs see no device: {} {trial}. `vkload doctor` says why.\n", subject.name());
        section(&mut out, "GPUs", kernel_table(gpus.iter()));
        return Ok((out, ExitCode::FAILURE));
    }
    let support = loader.as_ref().and_then(|loader| SettingsSupport::of(Path::new(&loader.real_path)));
    let mut out = format!("Devices in the order in which programs see them ({})\n", subject.name());
    out.push_str(&device_table(&trial.devices, gpus).render());
    let unseen = |gpu: &&Powered| !trial.devices.iter().any(|tried| is_of(&gpu.0, tried));
    if let Some(table) = kernel_table(gpus.iter().filter(unseen)) {
        section(&mut out, "GPUs that programs do not see", Some(table));
    }
    out.push_str(&format!("\nThis order: {}.\n", reason(&planned, &variables, &trial.devices, support)));
    out.push_str(&remedies(&trial.devices, support));
    Ok((out, ExitCode::SUCCESS))
}

fn device_table(devices: &[Tried], gpus: &[Powered]) -> Table {
    let mut table = Table::new(&["", "DEVICE", "KIND", "DRIVER", "BUS", "KERNEL DRIVER", "POWER"]);
    for (index, tried) in devices.iter().enumerate() {
        let gpu = gpus.iter().find(|gpu| is_of(&gpu.0, tried));
        let bus = match (gpu, tried.bus.as_str()) {
            (Some((gpu, _)), "") => gpu.address.as_str(),
            (_, bus) => bus,
        };
        let kernel = gpu.and_then(|gpu| gpu.0.driver.as_deref());
        let power = gpu.map(|gpu| gpu.1.as_str());
        let known = |text: Option<&str>| text.filter(|text| !text.is_empty()).unwrap_or("-").to_owned();
        let device = &tried.device;
        table.row([
            &(index + 1).to_string(),
            &device.name,
            &device.kind,
            &known(Some(&device.driver)),
            &known(Some(bus)),
            &known(kernel),
            &known(power),
        ]);
    }
    table
}

fn kernel_table<'a>(gpus: impl Iterator<Item = &'a Powered>) -> Option<Table> {
    let mut table = Table::new(&["GPU", "BUS", "KERNEL DRIVER", "POWER"]);
    let mut is_empty = true;
    for (gpu, power) in gpus {
        let name = format!("{} [{:04x}:{:04x}]", gpu.name(), gpu.vendor, gpu.device);
        let power = if power.is_empty() { "-" } else { power };
        table.row([&name, &gpu.address, gpu.driver.as_deref().unwrap_or("-"), power]);
        is_empty = false;
    }
    (!is_empty).then_some(table)
}

/// Returns whether a driver's device is this GPU: by its address, or else by the numbers of its maker.
fn is_of(gpu: &Gpu, tried: &Tried) -> bool {
    if tried.bus.is_empty() {
        (gpu.vendor, gpu.device) == (tried.device.vendor, tried.device.device) && tried.device.kind != "cpu"
    } else {
        gpu.address == tried.bus
    }
}

/// Returns what decides about the order, to follow "this order: ".
fn reason(
    planned: &Planned,
    variables: &Variables,
    devices: &[Tried],
    support: Option<SettingsSupport>,
) -> String {
    let set = |name: &str| variables.get(name).filter(|value| !value.is_empty());
    let settings = &planned.settings.plan;
    let chosen = settings.file.choose(None).and_then(|index| settings.file.objects.get(index));
    let listed = chosen.is_some_and(|object| object.devices.is_some());
    if listed && support.is_none_or(|support| support.devices) {
        let path = loader_core::memory::Shown(&settings.path).to_string();
        return format!("the settings file {path} lists the devices");
    }
    if let Some(value) = set(SELECT) {
        return format!("{SELECT}={value} names the first one; the others are in the usual order");
    }
    if set(DISABLE_SELECT).is_some() {
        return format!("that of the drivers, since {DISABLE_SELECT} is set");
    }
    let layers = LayerView::active_by_default(&planned.layers);
    if layers.iter().any(|layer| layer.name == MESA_LAYER) {
        return format!("the layer {MESA_LAYER} puts one first; the others are in the loader's order");
    }
    if devices.is_sorted_by_key(key) {
        return "discrete before integrated, virtual and software devices; among these, by bus address"
            .to_owned();
    }
    "that of the drivers, or of a layer".to_owned()
}

fn key(tried: &Tried) -> (usize, bool, String) {
    let kinds = ["discrete", "integrated", "virtual", "other", "cpu"];
    let rank = kinds.iter().position(|kind| *kind == tried.device.kind).unwrap_or(3);
    (rank, tried.bus.is_empty(), tried.bus.clone())
}

/// Returns how to change the order.
fn remedies(devices: &[Tried], support: Option<SettingsSupport>) -> String {
    let [_, others @ ..] = devices else { return String::new() };
    let Some(other) = others.first().map(|tried| &tried.device) else { return String::new() };
    let mut out = String::from("\nTo change it\n");
    let name = output::quoted(&other.name);
    if support.is_none_or(|support| support.devices) {
        out.push_str(&format!("  vkload settings --device {name}                    (only this device)\n"));
        out.push_str(&format!("  vkload settings --device {name} --program PROGRAM  (for one program)\n"));
    }
    let (vendor, device) = (other.vendor, other.device);
    out.push_str(&format!(
        "  {SELECT}={vendor:04x}:{device:04x} PROGRAM  (this device first, for one run)\n"
    ));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::info::report::Device;

    fn tried(kind: &'static str, bus: &str) -> Tried {
        let device = Device { kind: kind.into(), vendor: 0x10de, device: 0x2684, ..Device::default() };
        Tried { device, bus: bus.to_owned(), ..Tried::default() }
    }

    #[test]
    fn a_gpu_is_recognized_by_its_address_or_its_numbers() {
        let address = "0000:01:00.0".to_owned();
        let gpu = Gpu { address, vendor: 0x10de, device: 0x2684, ..Gpu::default() };
        assert!(is_of(&gpu, &tried("discrete", "0000:01:00.0")) && is_of(&gpu, &tried("discrete", "")));
        assert!(!is_of(&gpu, &tried("discrete", "0000:02:00.0")) && !is_of(&gpu, &tried("cpu", "")));
    }

    #[test]
    fn the_usual_order_is_recognized() {
        let order = [tried("discrete", "0000:01:00.0"), tried("discrete", "0000:02:00.0"), tried("cpu", "")];
        let reason = |devices: &[Tried]| super::reason(&Planned::default(), &Variables::new(), devices, None);
        assert!(reason(&order).starts_with("discrete before"));
        assert!(reason(&[order[2].clone(), order[0].clone()]).contains("drivers"));
    }
}
