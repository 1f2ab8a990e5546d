//! `vkload devices`: the devices in the order in which programs see them, and why.

use std::path::Path;
use std::process::ExitCode;

use serde_json::json;
use vkload_core::memory::Escaped;

use crate::command::Command;
use crate::escape;
use crate::facts::{self, Gpu, SettingsSupport, Variables, own_variables};
use crate::lossless;
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

pub(crate) fn print(no_probe: bool, json: bool) -> ExitCode {
    let gpus = facts::gpus_with_power();
    let holders = gpus.iter().map(|(gpu, _)| facts::holders(Path::new("/"), gpu)).collect();
    let report = Report { gpus, holders, seen: None };
    let report = if no_probe { Ok(report) } else { report.probed() };
    output::answer(report.map(|report| {
        let output = if json { report.json() } else { report.text() };
        let is_empty = report.seen.map_or(report.gpus.is_empty(), |seen| seen.devices.is_empty());
        (output, !is_empty)
    }))
}

/// The devices that programs see, and the GPUs of the machine.
#[derive(Default)]
struct Report {
    gpus: Vec<Powered>,
    /// For each GPU the programs that have it open, each with its process number.
    holders: Vec<Vec<(u32, String)>>,
    /// The result of the loader that programs get, unless nothing was tried.
    seen: Option<Seen>,
}

struct Seen {
    loader: String,
    /// In the order in which programs see them.
    devices: Vec<Tried>,
    /// For each device the variables that put it first, if any do.
    selections: Vec<Option<String>>,
    /// The reason for the order, or for the lack of devices.
    reason: String,
    remedies: String,
}

impl Report {
    /// Adds the result of the loader that programs get.
    fn probed(self) -> Result<Self, String> {
        let variables = own_variables();
        let planned = Planned::in_use()?;
        planned.check_rights()?;
        let loader = facts::loader_of(&variables, None);
        let subject =
            loader.as_ref().map_or(Subject::Own, |loader| Subject::Loader { library: loader.path.clone() });
        let settings = Settings::own();
        let attempt = |changes: &Changes| try_out(&subject, &settings, changes).devices;
        let trial = try_out(&subject, &settings, &Changes::new());
        let support =
            loader.as_ref().and_then(|loader| SettingsSupport::of(&lossless::path(&loader.real_path)));
        let reason = if trial.devices.is_empty() {
            format!("{} {trial}", subject.name())
        } else {
            reason(&planned, &variables, &trial.devices, support, &attempt)
        };
        let layers = LayerView::active_by_default(&planned.layers);
        let off = layers.into_iter().find(|layer| layer.name == MESA_LAYER).and_then(|layer| layer.disable);
        let off = off.map(|(name, _)| name);
        let selections = selections(&trial.devices, off.as_deref(), &variables, &attempt);
        let remedies = remedies(&trial.devices, &selections, support);
        let loader = subject.name().to_owned();
        Ok(Self { seen: Some(Seen { loader, devices: trial.devices, selections, reason, remedies }), ..self })
    }

    fn text(&self) -> String {
        let mut out = String::new();
        let Some(seen) = &self.seen else {
            section(&mut out, "GPUs", &kernel_table(self.gpus.iter()));
            out.push_str(&self.awake());
            return out.trim_start().to_owned();
        };
        if seen.devices.is_empty() {
            out.push_str(&format!("Programs see no device: {}. `vkload doctor` says why.\n", seen.reason));
            section(&mut out, "GPUs", &kernel_table(self.gpus.iter()));
            return out;
        }
        out.push_str(&format!("Devices in the order in which programs see them ({})\n", seen.loader));
        out.push_str(&device_table(&seen.devices, &self.gpus).render());
        let unseen = kernel_table(self.gpus.iter().filter(|gpu| !seen.has(&gpu.0)));
        if !unseen.is_empty() {
            section(&mut out, "GPUs that programs do not see", &unseen);
        }
        out.push_str(&format!("\nThis order: {}.\n", seen.reason));
        out.push_str(&seen.remedies);
        out.push_str(&self.awake());
        out
    }

    /// Returns which programs keep GPUs awake, if the machine has several, and how to prevent it: one driver wakes all its GPUs.
    fn awake(&self) -> String {
        let mut table = Table::new(&["GPU", "PROGRAM", "PROCESS"]);
        for ((gpu, _), holders) in self.gpus.iter().zip(&self.holders) {
            for (process, program) in holders {
                let name = format!("{} ({})", gpu.name(), gpu.address);
                table.row([&name, &escape::line(program), &process.to_string()]);
            }
        }
        let mut out = String::new();
        if self.gpus.len() > 1 && !table.is_empty() {
            section(&mut out, "Programs that keep a GPU awake", &table);
            if !self.gpus.windows(2).all(|pair| pair[0].0.driver == pair[1].0.driver) {
                out.push_str(
                    "\nTo leave a GPU asleep: vkload settings --only-gpu integrated [--program PROGRAM]\n",
                );
            }
        }
        out
    }

    fn json(&self) -> String {
        let holder = |(process, name): &(u32, String)| json!({ "name": name, "process": process });
        let gpu = |((gpu, power), holders): (&Powered, &Vec<(u32, String)>)| {
            json!({
                "name": gpu.name(),
                "vendorId": gpu.vendor,
                "deviceId": gpu.device,
                "bus": gpu.address,
                "kernelDriver": gpu.driver,
                "power": some(power),
                "isSeen": self.seen.as_ref().map(|seen| seen.has(gpu)),
                "programs": holders.iter().map(holder).collect::<Vec<_>>(),
            })
        };
        let device = |(tried, select): (&Tried, &Option<String>)| {
            let gpu = self.gpus.iter().find(|gpu| is_of(&gpu.0, tried));
            json!({
                "name": tried.device.name,
                "kind": tried.device.kind,
                "driver": some(&tried.device.driver),
                "deviceUuid": some(&tried.device.uuid),
                "select": select,
                "bus": bus(tried, gpu),
                "kernelDriver": gpu.and_then(|gpu| gpu.0.driver.as_deref()),
                "power": gpu.and_then(|gpu| some(&gpu.1)),
            })
        };
        let seen = self.seen.as_ref();
        let object = json!({
            "format": 1,
            "loader": seen.map(|seen| &seen.loader),
            "devices": seen.map(|seen| seen.devices.iter().zip(&seen.selections).map(device).collect::<Vec<_>>()),
            "reason": seen.map(|seen| &seen.reason),
            "gpus": self.gpus.iter().zip(&self.holders).map(gpu).collect::<Vec<_>>(),
        });
        escape::json(&object)
    }
}

impl Seen {
    fn has(&self, gpu: &Gpu) -> bool {
        self.devices.iter().any(|tried| is_of(gpu, tried))
    }
}

fn some(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

/// Returns a device's address on its bus, if it has one.
fn bus<'a>(tried: &'a Tried, gpu: Option<&'a Powered>) -> Option<&'a str> {
    some(&tried.device.bus).or_else(|| gpu.map(|(gpu, _)| gpu.address.as_str()))
}

fn device_table(devices: &[Tried], gpus: &[Powered]) -> Table {
    let mut table = Table::new(&["", "DEVICE", "KIND", "DRIVER", "BUS", "KERNEL DRIVER", "POWER"]);
    for (index, tried) in devices.iter().enumerate() {
        let gpu = gpus.iter().find(|gpu| is_of(&gpu.0, tried));
        let device = &tried.device;
        table.row([
            &(index + 1).to_string(),
            &device.name,
            &device.kind,
            some(&device.driver).unwrap_or("-"),
            bus(tried, gpu).unwrap_or("-"),
            gpu.and_then(|(gpu, _)| gpu.driver.as_deref()).unwrap_or("-"),
            gpu.and_then(|(_, power)| some(power)).unwrap_or("-"),
        ]);
    }
    table
}

fn kernel_table<'a>(gpus: impl Iterator<Item = &'a Powered>) -> Table {
    let mut table = Table::new(&["GPU", "BUS", "KERNEL DRIVER", "POWER"]);
    for (gpu, power) in gpus {
        let name = format!("{} [{:04x}:{:04x}]", gpu.name(), gpu.vendor, gpu.device);
        table.row([&name, &gpu.address, gpu.driver.as_deref().unwrap_or("-"), some(power).unwrap_or("-")]);
    }
    table
}

/// Returns whether a driver's device is this GPU: by its address, or else by the numbers of its maker.
fn is_of(gpu: &Gpu, tried: &Tried) -> bool {
    tried.device.is(gpu) && (!tried.device.bus.is_empty() || tried.device.device == gpu.device)
}

/// Returns what decides about the order, to follow "this order: ".
fn reason(
    planned: &Planned,
    variables: &Variables,
    devices: &[Tried],
    support: Option<SettingsSupport>,
    attempt: &dyn Fn(&Changes) -> Vec<Tried>,
) -> String {
    let set = |name: &str| variables.get(name).filter(|value| !value.is_empty());
    let settings = &planned.settings.plan;
    let chosen = settings.file.choose(None).and_then(|index| settings.file.objects.get(index));
    let listed = chosen.is_some_and(|object| object.devices.is_some());
    if listed && support.is_none_or(|support| support.devices) {
        return format!("the settings file {} lists the devices", Escaped(&settings.path));
    }
    if let Some(value) = set(SELECT) {
        let value = escape::line(value);
        let without = attempt(&Changes::from([(SELECT.to_owned(), None)]));
        let is_same = without.iter().map(|it| &it.device).eq(devices.iter().map(|it| &it.device));
        return match is_same {
            true => format!("{SELECT}={value} changes nothing here: it is the same without it"),
            false => format!("{SELECT}={value} names the first one; the others are in the usual order"),
        };
    }
    if set(DISABLE_SELECT).is_some() {
        return format!("the drivers' order, since {DISABLE_SELECT} is set");
    }
    let layers = LayerView::active_by_default(&planned.layers);
    if layers.iter().any(|layer| layer.name == MESA_LAYER) {
        return format!("the layer {MESA_LAYER} puts one first; the others are in the loader's order");
    }
    if devices.is_sorted_by_key(key) {
        return "discrete before integrated, virtual and software devices; among these, by bus address"
            .to_owned();
    }
    "decided by the drivers or a layer".to_owned()
}

fn key(tried: &Tried) -> (usize, bool, String) {
    let kinds = ["discrete", "integrated", "virtual", "other", "cpu"];
    let rank = kinds.iter().position(|kind| *kind == tried.device.kind).unwrap_or(3);
    (rank, tried.device.bus.is_empty(), tried.device.bus.clone())
}

/// Returns for each device the variables that put it first, as trials show: the values that mean this device and no other, then the same
/// without the layer that sorts again below the loader.
fn selections(
    devices: &[Tried],
    off: Option<&str>,
    variables: &Variables,
    attempt: &dyn Fn(&Changes) -> Vec<Tried>,
) -> Vec<Option<String>> {
    let unsorted = variables.get(DISABLE_SELECT).is_some_and(|value| !value.is_empty());
    let way = |tried: &Tried, off: Option<&str>, value: String| {
        let set = |name: &str, value: &str| (name.to_owned(), Some(value.to_owned()));
        let mut changes = Changes::from([set(SELECT, &value)]);
        changes.extend(off.map(|name| set(name, "1")));
        changes.extend(unsorted.then(|| set(DISABLE_SELECT, "")));
        let is_first = attempt(&changes).first().is_some_and(|first| first.device == tried.device);
        let words =
            changes.iter().map(|(name, value)| format!("{name}={}", value.as_deref().unwrap_or_default()));
        is_first.then(|| words.collect::<Vec<_>>().join(" "))
    };
    let of = |tried: &Tried| {
        let ways = [None].into_iter().chain(off.map(Some));
        ways.flat_map(|off| values(devices, tried).into_iter().map(move |value| (off, value)))
            .find_map(|(off, value)| way(tried, off, value))
    };
    let others: Vec<_> = devices.iter().skip(1).map(of).collect();
    // What puts others first has an effect, so it also works for the first.
    let first = devices.first().map(|first| of(first).filter(|_| others.iter().any(Option::is_some)));
    first.into_iter().chain(others).collect()
}

/// Returns the values of `VK_LOADER_DEVICE_SELECT` that mean this device and no other, the simplest first.
fn values(devices: &[Tried], tried: &Tried) -> Vec<String> {
    let ids = |tried: &Tried| format!("{:04x}:{:04x}", tried.device.vendor, tried.device.device);
    let ways: [&dyn Fn(&Tried) -> String; 3] =
        [&ids, &|tried| tried.device.bus.clone(), &|tried| tried.device.uuid.clone()];
    let is_one = |way: &&dyn Fn(&Tried) -> String| {
        let value = way(tried);
        let count = devices.iter().filter(|other| way(other) == value).count();
        (!value.is_empty() && count == 1).then_some(value)
    };
    ways.iter().filter_map(is_one).collect()
}

/// Returns how to change the order.
fn remedies(devices: &[Tried], selections: &[Option<String>], support: Option<SettingsSupport>) -> String {
    let [_, others @ ..] = devices else { return String::new() };
    let Some(other) = others.first() else { return String::new() };
    let mut out = String::new();
    let choose = Command::new("vkload settings --device {}", &[&name_or_uuid(devices, other)]);
    if support.is_none_or(|support| support.devices) {
        out.push_str(&format!("  {choose}                    (only device 2)\n"));
        out.push_str(&format!("  {choose} --program PROGRAM  (for one program)\n"));
    }
    for (number, select) in (1..).zip(selections) {
        if let Some(select) = select {
            out.push_str(&format!("  {select} PROGRAM  (device {number} first, for one run)\n"));
        }
    }
    if out.is_empty()
        && let Some(value) = values(devices, other).first()
    {
        out = format!("  {SELECT}={value} vkload exec PROGRAM  (device 2 first, on vkload's loader)\n");
    }
    if out.is_empty() { out } else { format!("\nTo change it\n{out}") }
}

/// Returns what `vkload settings --device` finds this device by: its name, unless another one's contains it.
fn name_or_uuid<'a>(devices: &[Tried], tried: &'a Tried) -> &'a str {
    let name = tried.device.name.to_lowercase();
    let is_shared =
        devices.iter().filter(|other| other.device.name.to_lowercase().contains(&name)).count() > 1;
    if is_shared && !tried.device.uuid.is_empty() { &tried.device.uuid } else { &tried.device.name }
}

#[cfg(test)]
mod tests;
