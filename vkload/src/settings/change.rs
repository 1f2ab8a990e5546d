//! Changes to the settings file.

use std::collections::BTreeSet;
use std::path::Path;

use super::edited_file::{self, EditedFile};
use super::history;
use crate::arguments::SettingsArguments;
use crate::diagnosis::subject::Target;
use crate::facts::{self, SettingsSupport, Variables, own_variables};
use crate::layers::index_of;
use crate::lossless;
use crate::planned::Planned;
use crate::probe::parent::{Settings, try_out};
use crate::probe::{Attempt, Subject, Tried, try_all};
use crate::settings_edit::{self, Json, NamedDevice};
use crate::switches;
use crate::view::{Device, DriverView};

pub(super) fn undo(options: &SettingsArguments) -> Result<(String, bool), String> {
    let path = edited_file::path(options.file.as_deref())?;
    let state = if history::undo(&path)? { "as before" } else { "removed: it did not exist before" };
    Ok((format!("{} is {state}.\n", path.display()), true))
}

/// Writes the change, and returns it, and whether programs get all of it.
pub(super) fn changed(options: &SettingsArguments) -> Result<(String, bool), String> {
    let variables = own_variables();
    let target = Target::program(options.program.as_deref(), usize::BITS)?;
    let program = target.executable.as_deref();
    let edited = EditedFile::find(options.file.as_deref())?;
    let mut file = edited.start.clone();
    let key = program.map(|program| program.display().to_string());
    let settings = settings_edit::settings_of(&mut file, key.as_deref())
        .ok_or_else(|| format!("{} has no settings that could be changed", edited.path.display()))?;
    let remarks = edit(settings, options, &variables, program)?;

    let mut out = String::new();
    let after = file.render();
    let differences =
        differences(&edited.before.as_ref().map(|_| edited.start.render()).unwrap_or_default(), &after);
    if differences.is_empty() {
        return Ok((format!("{} says so already.\n", edited.path.display()), true));
    }
    let state = if edited.before.is_none() { " (new)" } else { "" };
    out.push_str(&format!("Changes to {}{state}\n{differences}", edited.path.display()));
    if !options.dry_run {
        history::write(&edited.path, edited.before.as_deref(), &after)?;
    }
    out.push_str(if options.dry_run {
        "\nNothing is written.\n"
    } else {
        "\nWritten. `vkload settings --undo` restores the file.\n"
    });
    let mut notes = ignored(options, &variables, program, &edited.path);
    if !options.dry_run {
        let other = edited_file::in_use()?;
        let other = other.filter(|used| used.canonicalize().ok() != edited.path.canonicalize().ok());
        notes.extend(other.map(|used| format!("programs do not get this file: they get {}", used.display())));
    }
    let is_fine = notes.is_empty();
    notes.extend(remarks);
    notes.extend(
        edited
            .copied_from
            .map(|used| format!("the content of {}, which you cannot write to, is copied", used.display())),
    );
    if !options.device.is_empty() {
        notes.push("loaders also compare the driver's version: after an update of the driver, programs get no device until you run this again".to_owned());
    }
    if target.program != target.executable {
        let interpreter = program.unwrap_or(Path::new("")).display();
        notes.push(format!(
            "the program is a script: the settings apply to every program that {interpreter} runs"
        ));
    }
    if !notes.is_empty() {
        out.push_str("\nNotes\n");
        notes.iter().for_each(|note| out.push_str(&format!("  {note}\n")));
    }
    Ok((out, is_fine))
}

fn edit(
    settings: &mut Json,
    options: &SettingsArguments,
    variables: &Variables,
    program: Option<&Path>,
) -> Result<Option<String>, String> {
    let planned = Planned::for_program(variables, program, usize::BITS)?;
    // A list of layers may hide others.
    let changes = switches::without_setting(&planned, variables, Some("layers"))?;
    let all = switches::plan(variables, &changes, program, usize::BITS)?;
    let layer = |name: &String| {
        let index = index_of(&all, name)?;
        all.layers.layers.get(index).ok_or_else(|| format!("no layer {name}"))
    };
    for (name, control) in &options.layer {
        settings_edit::set_control(settings, layer(name)?, control);
    }
    if !options.order.is_empty() {
        let order = options.order.iter().map(layer).collect::<Result<Vec<_>, _>>()?;
        if options.order.iter().collect::<BTreeSet<_>>().len() != order.len() {
            return Err("--order names a layer twice".to_owned());
        }
        settings_edit::set_order(settings, &order);
    }
    let mut remark = None;
    if options.only_hardware {
        let (drivers, _) = drivers_of(&planned, variables, program, &|tried| tried.device.kind != "cpu")?;
        settings_edit::set_drivers(settings, &drivers);
    }
    if !options.only_gpu.is_empty() {
        let is_meant = |tried: &Tried| {
            options.only_gpu.iter().any(|given| tried.device.kind == *given || is_called(tried, given))
        };
        let (drivers, others) = drivers_of(&planned, variables, program, &is_meant)?;
        settings_edit::set_drivers(settings, &drivers);
        let others = others.join(", ");
        remark = (!others.is_empty()).then(|| {
            format!("the drivers also serve {others}, which programs still wake; no setting of a loader prevents that")
        });
    }
    if !options.driver.is_empty() {
        let drivers =
            options.driver.iter().map(|driver| manifest(driver.as_path())).collect::<Result<Vec<_>, _>>()?;
        settings_edit::set_drivers(settings, &drivers);
    }
    if !options.device.is_empty() {
        let devices = devices(&planned, variables)?;
        let chosen =
            options.device.iter().map(|name| device(&devices, name)).collect::<Result<Vec<_>, _>>()?;
        settings_edit::set_devices(settings, &chosen);
    }
    Ok(remark)
}

fn manifest(driver: &Path) -> Result<String, String> {
    let path = driver.canonicalize().map_err(|error| format!("{}: {error}", driver.display()))?;
    Ok(lossless::of(path))
}

/// Returns the manifests of drivers that have a device which is meant, and the names of their other devices.
fn drivers_of(
    planned: &Planned,
    variables: &Variables,
    program: Option<&Path>,
    is_meant: &dyn Fn(&Tried) -> bool,
) -> Result<(Vec<String>, Vec<String>), String> {
    let changes = switches::without_setting(planned, variables, Some("additional_drivers"))?;
    let all = switches::plan(variables, &changes, program, usize::BITS)?;
    all.check_rights()?;
    let used: Vec<_> = DriverView::all(&all.drivers).into_iter().filter(|driver| driver.used).collect();
    let attempt = |driver: &DriverView| {
        Attempt::of(&driver.manifest, Subject::Driver { library: driver.library.clone() })
    };
    let attempts: Vec<_> = used.iter().map(attempt).collect();
    let trials = try_all(&attempts, &Settings::own(), &|_| {});
    let wanted: Vec<_> = trials.into_iter().filter(|(_, trial)| trial.devices.iter().any(is_meant)).collect();
    if wanted.is_empty() {
        return Err(
            "no driver has such a GPU here: programs would get no device; `vkload devices` lists the devices"
                .to_owned(),
        );
    }
    let others = wanted.iter().flat_map(|(_, trial)| &trial.devices).filter(|tried| !is_meant(tried));
    let all = || wanted.iter().flat_map(|(_, trial)| &trial.devices).map(|tried| &tried.device);
    let others = others.map(|tried| tried.device.name_among(all()).into_owned()).collect();
    Ok((wanted.into_iter().map(|(manifest, _)| manifest).collect(), others))
}

/// Returns whether this is a part of the device's name, its UUID (also as nvidia-smi prints it), or its address (also without the domain).
fn is_called(tried: &Tried, given: &str) -> bool {
    let Device { name, uuid, bus, .. } = &tried.device;
    let given = given.to_lowercase();
    let digits = |text: &str| text.replace('-', "");
    let by_uuid = digits(given.strip_prefix("gpu-").unwrap_or(&given)) == digits(uuid);
    let by_address = [bus.as_str(), bus.strip_prefix("0000:").unwrap_or(bus)].contains(&given.as_str());
    !given.is_empty() && (by_uuid || by_address || name.to_lowercase().contains(&given))
}

/// Returns all devices, even those that the settings file hides.
fn devices(planned: &Planned, variables: &Variables) -> Result<Vec<Tried>, String> {
    let changes = switches::without_setting(planned, variables, Some("device_configurations"))?;
    planned.check_rights()?;
    let trial = try_out(&Subject::Own, &Settings::own(), &changes);
    if trial.devices.is_empty() {
        return Err("no device is found; `vkload doctor` says why".to_owned());
    }
    Ok(trial.devices)
}

fn device(all: &[Tried], given: &str) -> Result<NamedDevice, String> {
    let meant: Vec<_> = all.iter().filter(|tried| is_called(tried, given)).collect();
    let list = |devices: &mut dyn Iterator<Item = &Tried>| {
        let name = |tried: &Tried| {
            let name = tried.device.name_among(all.iter().map(|one| &one.device));
            format!("{name} ({})", tried.device.uuid)
        };
        devices.map(name).collect::<Vec<_>>().join(", ")
    };
    let [Tried { device, driver_uuid, .. }, rest @ ..] = &meant[..] else {
        return Err(format!("no device {given}; the devices are {}", list(&mut all.iter())));
    };
    if rest.iter().any(|other| other.device.uuid != device.uuid) {
        return Err(format!("{given} may be {}; name its address or UUID", list(&mut meant.iter().copied())));
    }
    let uuid = u128::from_str_radix(&device.uuid.replace('-', ""), 16).map_err(|_| {
        format!("{} has no UUID, by which settings name devices: its driver is too old", device.name)
    })?;
    let (name, driver_version) = (device.name.clone(), device.driver_version);
    Ok(NamedDevice { name, uuid: uuid.to_be_bytes(), driver_uuid: *driver_uuid, driver_version })
}

/// Returns the parts of the change that the loader of programs does not read.
fn ignored(
    options: &SettingsArguments,
    variables: &Variables,
    program: Option<&Path>,
    path: &Path,
) -> Vec<String> {
    let Some(loader) = facts::loader_of(variables, program) else { return Vec::new() };
    let Some(support) = SettingsSupport::of(&lossless::path(&loader.real_path)) else { return Vec::new() };
    if !support.layers {
        return vec![format!(
            "{} reads no settings file, so programs that use this loader do not notice it",
            loader.real_path
        )];
    }
    let devices = !options.device.is_empty();
    let drivers = options.only_hardware || !options.driver.is_empty() || !options.only_gpu.is_empty();
    let in_configuration = path.to_string_lossy().contains("/.config/");
    let parts = [
        (program.is_some() && !support.programs, "settings of single programs (app_keys)"),
        (drivers && !support.drivers, "additional_drivers, so programs still load all drivers"),
        (devices && !support.devices, "device_configurations, so programs still see all devices"),
        (in_configuration && !support.configuration_folder, "settings files in the folder of configuration"),
    ];
    let ignored = parts.iter().filter(|(is_ignored, _)| *is_ignored);
    ignored.map(|(_, part)| format!("{} ignores {part}", loader.real_path)).collect()
}

/// Returns the lines that differ, with a sign in front. Empty if none do.
fn differences(before: &str, after: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (before.lines().collect(), after.lines().collect());
    let start = old.iter().zip(&new).take_while(|(one, other)| one == other).count();
    let rest = || old.iter().skip(start).rev().zip(new.iter().skip(start).rev());
    let end = rest().take_while(|(one, other)| one == other).count();
    let middle = |lines: &[&str], sign: &str| {
        let middle = lines.get(start..lines.len() - end).unwrap_or_default();
        middle.iter().map(|line| format!("  {sign} {line}\n")).collect::<String>()
    };
    middle(&old, "-") + &middle(&new, "+")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_known_by_a_part_of_its_name_its_uuid_or_its_address() {
        let device = |name: &str, digit: char| {
            let (uuid, bus) = (String::from(digit).repeat(32), format!("0000:0{digit}:00.0"));
            Tried { device: Device { name: name.into(), uuid, bus, ..Device::default() }, ..Tried::default() }
        };
        let devices = [device("NVIDIA One", '1'), device("NVIDIA Two", '2')];
        let chosen = |name: &str| super::device(&devices, name).map(|device| device.uuid);
        assert_eq!(chosen("two"), Ok([0x22; 16]));
        for given in ["1".repeat(32), format!("GPU-{}-{}", "1".repeat(8), "1".repeat(24)), "01:00.0".into()] {
            assert_eq!(chosen(&given), Ok([0x11; 16]), "{given}");
        }
        assert!(chosen("nvidia").unwrap_err().contains("name its address or UUID"));
        assert!(chosen("").is_err() && chosen("05:00.0").is_err());
        let twins = [device("NVIDIA One", '1'), device("NVIDIA One", '2')];
        let both = super::device(&twins, "one").unwrap_err();
        assert!(both.contains("NVIDIA One at 0000:01:00.0") && both.contains("at 0000:02:00.0"), "{both}");
        assert!(chosen("amd").unwrap_err().contains("NVIDIA One"));
    }
}
