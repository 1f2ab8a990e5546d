//! Environment variables that were set, perhaps long ago.

use vkload_core::discovery::{DriverDecision, LayerNote, Note, Origin, SearchResult, Searched, SkipReason};
use vkload_core::platform::FileError;
use vkload_core::platform::variables::ALL;

use super::super::case::Case;
use super::super::finding::{Evidence, Finding, Id, Severity};
use crate::command::{Command, Step};
use crate::facts::LibraryState;
use crate::lossless;
use crate::view::{Device, DriverView};

/// The validation layer, and the layers that it replaced.
pub(super) const VALIDATION: &str = "VK_LAYER_KHRONOS_validation";
const VALIDATION_BEFORE: &str = "VK_LAYER_LUNARG_standard_validation VK_LAYER_LUNARG_core_validation \
    VK_LAYER_LUNARG_parameter_validation VK_LAYER_LUNARG_object_tracker VK_LAYER_GOOGLE_threading \
    VK_LAYER_GOOGLE_unique_objects";

/// Reports the variable or the file that keeps the loader from every driver. Trials show it if something was tried.
pub(super) fn replacing(case: &Case) -> Option<Finding> {
    let other_width = |driver: &DriverView| {
        let state = case.library(&driver.manifest).map(|library| &library.state);
        matches!(state, Some(LibraryState::WrongClass { .. }))
    };
    if case.works() == Some(true) || case.drivers.iter().any(|driver| driver.used && !other_width(driver)) {
        return None;
    }
    let planned = &case.planned.drivers;
    let skipped = planned.drivers.iter().find_map(|driver| match driver.decision {
        DriverDecision::Skip(SkipReason::NotSelected { by } | SkipReason::Disabled { by }) => Some(by),
        _ => None,
    });
    let by_note = planned.notes.iter().find_map(|note| match note {
        Note::ReplacedByNothing { name, .. } => Some(*name),
        _ => None,
    });
    let hides = |name| {
        let lacks_usual = case
            .variable(name)
            .is_some_and(|it| !it.split(':').any(|it| it.trim_end_matches('/') == "/usr/share"));
        lacks_usual && case.drivers.is_empty() && !case.facts.manifests.is_empty()
    };
    let searched = planned.searched.iter().find_map(|one| match one.origin {
        Origin::Replacing(name) => Some(name),
        Origin::Variable(name) if name == c"XDG_DATA_DIRS" && hides("XDG_DATA_DIRS") => Some(name),
        _ => None,
    });
    let by_settings = planned.searched.iter().any(|one| matches!(one.origin, Origin::Settings));
    let why = case.drivers.iter().find(|driver| !driver.remark.is_empty());
    let effect = match why.and_then(|driver| driver.remark.split(';').next()) {
        Some(why) => format!("by that the loader finds no driver ({why})"),
        None => format!("by that the loader finds no driver for {}-bit programs", case.target.bits),
    };
    let Some(by) = skipped.or(searched).or(by_note) else {
        let path = lossless::text(&case.planned.settings.plan.path);
        let is_proven = case.trials.causes.iter().any(|cause| cause.settings.is_some());
        let what = format!("this settings file limits the drivers, and {effect}");
        let finding = Finding::new(case, Id::DriversReplaced, &path, what).with_severity(Severity::Error);
        return (by_settings && !is_proven).then(|| finding.step(case.remove(&path)));
    };
    let name = by.to_string_lossy();
    let value = case.facts.variables.get(&*name).map(String::as_str).unwrap_or_default();
    let is_lost = |one: &&Searched| {
        matches!(one.origin, Origin::Replacing(_))
            && matches!(one.result, SearchResult::Failed(FileError::NotFound))
    };
    let lost = planned.searched.iter().find(is_lost).map(|one| lossless::text(&one.path));
    let lost = lost.filter(|lost| lost != value).map(|lost| format!(" ({lost} does not exist)"));
    let what = format!("is \"{value}\", and {effect}{}", lost.unwrap_or_default());
    let finding = Finding::new(case, Id::DriversReplaced, &name, what).with_severity(Severity::Error);
    Some(finding.step(match &*name {
        "XDG_DATA_DIRS" => Command::export(&name, &format!("{value}:/usr/local/share:/usr/share")),
        _ => Command::unset(&name),
    }))
}

/// Variables by which a program chooses among devices: by a part of the name, the UUID or the position.
const CHOOSING: &[(&str, &str, &str)] = &[
    ("DXVK_FILTER_DEVICE_NAME", "name", "programs on DXVK"),
    ("DXVK_FILTER_DEVICE_UUID", "UUID", "programs on DXVK"),
    ("VKD3D_FILTER_DEVICE_NAME", "name", "programs on VKD3D-Proton"),
    ("VKD3D_VULKAN_DEVICE", "number", "programs on VKD3D-Proton"),
    ("WGPU_ADAPTER_NAME", "name", "programs on wgpu"),
    ("GGML_VK_VISIBLE_DEVICES", "number", "programs on ggml"),
];

/// Reports variables that choose a device which is not here.
pub(super) fn choosing(case: &Case) -> Vec<Finding> {
    let listed = case.trials.program.iter().flat_map(|program| &program.devices);
    let devices: Vec<&Device> = listed.map(|tried| &tried.device).collect();
    let is_wgpu = |name: &str| name.starts_with("WGPU_");
    let of_uuid = |device: &&Device| device.uuid.to_ascii_lowercase().replace('-', "");
    let of = |(name, by, programs): &(&str, &str, &str)| {
        let value = case.variable(name).filter(|_| !devices.is_empty())?;
        let is_number = |it: &str| it.trim().parse().is_ok_and(|at: usize| at < devices.len());
        let is_chosen = match *by {
            "UUID" => devices.iter().any(|device| of_uuid(device).contains(&value.to_ascii_lowercase())),
            "number" => value.split([',', ' ']).filter(|it| !it.is_empty()).all(is_number),
            _ if is_wgpu(name) => {
                let wanted = value.to_ascii_lowercase();
                devices.iter().any(|device| device.name.to_ascii_lowercase().contains(&wanted))
            }
            _ => devices.iter().any(|device| device.name.contains(value)),
        };
        // Drivers of Vulkan 1.0 report no UUID.
        if is_chosen || (*by == "UUID" && devices.iter().any(|device| device.uuid.is_empty())) {
            return None;
        }
        let that = if *by == "name" { "that in its name".to_owned() } else { format!("that {by}") };
        let what = format!("is \"{value}\", and no device here has {that}: {programs} find no device");
        Some(Finding::new(case, Id::DevicesChosen, name, what).step(Command::unset(name)))
    };
    CHOOSING.iter().filter_map(of).collect()
}

/// Variables that only a layer reads, the beginning of its name, packages that have it, and its Flatpak extension.
const OF_LAYERS: &[(&str, &str, &str, &str)] = &[
    ("MESA_VK_DEVICE_SELECT", "VK_LAYER_MESA_device_select", MESAS, ""),
    ("VK_LAYER_MESA_OVERLAY_CONFIG", "VK_LAYER_MESA_overlay", MESAS, ""),
    ("ENABLE_VKBASALT", "VK_LAYER_VKBASALT_post_processing", "vkbasalt", "vkBasalt"),
    ("ENABLE_VULKAN_RENDERDOC_CAPTURE", "VK_LAYER_RENDERDOC_Capture", "renderdoc", ""),
    ("ENABLE_GAMESCOPE_WSI", "VK_LAYER_FROG_gamescope_wsi", "gamescope", "gamescope"),
    ("OBS_VKCAPTURE", "VK_LAYER_OBS_vkcapture", "obs-vkcapture", "OBSVkCapture"),
    ("MANGOHUD", "VK_LAYER_MANGOHUD_overlay", "mangohud", "MangoHud"),
];
const MESAS: &str = "mesa-vulkan-drivers; on Arch vulkan-mesa-layers";

/// Reports variables whose layer is not installed.
pub(super) fn without_layer(case: &Case) -> Vec<Finding> {
    let has = |layer: &str| {
        case.planned.layers.layers.iter().any(|found| found.name().starts_with(layer.as_bytes()))
    };
    let of = |(name, layer, packages, extension): &(&str, &str, &str, &str)| {
        let value = case.variable(name).filter(|value| *value != "0" && !has(layer))?;
        let what = format!(
            "is \"{value}\", and no loader finds the layer that reads it ({layer}): it has no effect on Vulkan"
        );
        let finding = Finding::new(case, Id::VariableWithoutLayer, name, what);
        let flatpak = case.facts.environment.flatpak.as_ref().filter(|_| !extension.is_empty());
        let step = match flatpak {
            Some(flatpak) => {
                Step::from(flatpak.install(&format!("VulkanLayer.{extension}"))).and_say("; or ")
            }
            None => Step::say(format!("Install the package of the layer ({packages}), or ")),
        };
        Some(finding.step(step.run(Command::unset(name))))
    };
    OF_LAYERS.iter().filter_map(of).collect()
}

/// Returns whether the variable has a list. A comma separates the elements of those that begin with `VK_LOADER_`, a colon the others.
fn is_list(name: &str) -> bool {
    const ENDS: [&str; 9] =
        ["_DIRS", "_FILENAMES", "_FILES", "_LAYERS", "_PATH", "S_ALLOW", "S_DISABLE", "S_ENABLE", "S_SELECT"];
    let is_loaders = ALL.iter().any(|variable| variable.name.to_bytes() == name.as_bytes());
    name == "LD_LIBRARY_PATH" || (is_loaders && ENDS.iter().any(|end| name.ends_with(end)))
}

/// Returns the mistake in the value of a list, and the corrected value.
fn slip(name: &str, value: &str, home: &str) -> Option<(String, String)> {
    let (trimmed, separator) = (value.trim(), if name.starts_with("VK_LOADER_") { ',' } else { ':' });
    let is_wrong =
        |it: char| ";,:".contains(it) && it != separator || (it == ' ' && name.ends_with("_LAYERS"));
    if let Some(found) = trimmed.chars().find(|it| is_wrong(*it)) {
        let shown = if found == ' ' { "a blank".to_owned() } else { format!("\"{found}\"") };
        let what = format!(
            "is \"{value}\", which is read as one name: elements are separated by \"{separator}\" here, not by {shown}"
        );
        return Some((what, trimmed.replace(found, &separator.to_string())));
    }
    if trimmed.starts_with("~/") || trimmed.contains(":~/") {
        let what = format!("is \"{value}\": no shell has replaced the ~ with your home folder");
        return Some((what, trimmed.replace("~/", &format!("{home}/"))));
    }
    let is_quoted = trimmed.len() > 1 && trimmed.starts_with(['"', '\'']) && trimmed.ends_with(['"', '\'']);
    let what = || format!("is {value}, and the quotation marks are part of the value");
    is_quoted.then(|| (what(), trimmed.replace(['"', '\''], "")))
}

/// Reports lists whose elements are separated by the wrong character, values that no shell has expanded, and layers that are not found.
pub(super) fn separators(case: &Case) -> Vec<Finding> {
    let slip = |name: &String| {
        let (what, correct) = slip(name, case.variable(name)?, &case.facts.user.home)?;
        let is_needed = ["_FILES", "_FILENAMES", "INSTANCE_LAYERS"].iter().any(|end| name.ends_with(end));
        let severity = if is_needed { case.blame() } else { Severity::Warning };
        let finding = Finding::new(case, Id::WrongSeparator, name, what).with_severity(severity);
        Some(finding.step(Command::export(name, &correct)))
    };
    let mut all: Vec<Finding> =
        case.facts.variables.keys().filter(|name| is_list(name)).filter_map(slip).collect();
    for note in &case.planned.layers.notes {
        let LayerNote::NotFound { by, name, skipped, hidden_by } = note else { continue };
        let by = by.to_string_lossy();
        let name = lossless::text(name);
        if all.iter().any(|said| said.about == by) {
            continue;
        }
        let close = case
            .planned
            .layers
            .layers
            .iter()
            .map(|layer| lossless::text(layer.name()))
            .find(|known| is_close(known, &name));
        let hidden = case.facts.explicit_layers.iter().find(|(known, _)| *known == name && skipped.is_none());
        if let (Some((_, manifest)), Some(path)) = (hidden, case.variable("VK_LAYER_PATH")) {
            let what =
                format!("is \"{path}\", which hides {manifest} with the layer {name}, which {by} names");
            all.push(
                Finding::new(case, Id::SearchFolders, "VK_LAYER_PATH", what)
                    .with_severity(Severity::Warning)
                    .step(Command::new("export VK_ADD_LAYER_PATH={}; unset VK_LAYER_PATH", &[&path])),
            );
            continue;
        }
        let what = match skipped {
            Some(_) => format!("names the layer {name}, which cannot be used"),
            None if VALIDATION_BEFORE.split(' ').any(|old| old == name) => {
                format!("names the layer {name}, which {VALIDATION} replaced in 2019")
            }
            None => match hidden_by {
                Some(limit) => format!("names the layer {name}, which is not found, since {limit}"),
                None => format!("names the layer {name}, which is not installed"),
            },
        };
        let finding = Finding::new(case, Id::LayerNotFound, &by, what);
        all.push(match (close, skipped, name.as_str()) {
            (Some(close), None, _) => {
                let step = Step::say(format!("Did you mean {close}? "));
                finding.step(step.run(Command::export(&by, &close)))
            }
            (_, None, old) if VALIDATION_BEFORE.split(' ').any(|it| it == old) => {
                finding.step(Command::export(&by, &VALIDATION))
            }
            (_, None, VALIDATION) => {
                let install = case.facts.packages.validation();
                finding.step(install.map_or_else(|| "Install the validation layers".into(), Step::from))
            }
            _ => finding.step(Command::unset(&by)),
        });
    }
    all
}

/// Returns whether two names differ so little that one is probably a misspelling of the other.
fn is_close(known: &str, given: &str) -> bool {
    known != given
        && strsim::damerau_levenshtein(&known.to_ascii_uppercase(), &given.to_ascii_uppercase())
            <= 1 + given.len() / 10
}

/// Names of variables that are probably meant to be others.
pub(super) fn misspelt(case: &Case) -> Vec<Finding> {
    let known: Vec<&str> = ALL
        .iter()
        .filter_map(|variable| variable.name.to_str().ok())
        .filter(|name| name.starts_with("VK_"))
        .collect();
    let mut all = Vec::new();
    for (name, value) in &case.facts.variables {
        let upper = name.to_ascii_uppercase();
        // `OCL_ICD_FILENAMES` is OpenCL's.
        let concerns =
            ["VK_", "VULKAN_", "ICD_FILE", "DRIVER_FILES"].iter().any(|start| upper.starts_with(start));
        if !concerns || known.contains(&name.as_str()) {
            continue;
        }
        let distance = |known: &&&str| strsim::damerau_levenshtein(known, &upper);
        let Some(meant) = known
            .iter()
            .min_by_key(distance)
            .filter(|meant| distance(meant) <= 1 + upper.len() / 5 || upper.contains(&meant[3..]))
        else {
            continue;
        };
        let what = format!("is not a variable that a Vulkan loader reads; did you mean {meant}?");
        let evidence = if case.fails() { Evidence::Known } else { Evidence::Chosen };
        all.push(
            Finding::new(case, Id::MisspeltVariable, name, what)
                .evidence(evidence)
                .step(Command::unset(name).and_then("; ", Command::export(meant, value))),
        );
    }
    all
}

/// Reports variables that name folders without a manifest instead of the usual ones.
pub(super) fn folders(case: &Case) -> Vec<Finding> {
    let of = |name: &&str| {
        let value = case.variable(name)?;
        let failed = case.planned.layers.searched.iter().find(|one| {
            matches!(one.origin, Origin::Replacing(by) if by.to_str() == Ok(*name))
                && matches!(one.result, SearchResult::Failed(_) | SearchResult::Folder { manifests: 0 })
        })?;
        let folder = lossless::text(&failed.path);
        let folder = if folder == value { "there".to_owned() } else { format!("in {folder}") };
        let what = format!("is \"{value}\", and no manifest is {folder}: layers elsewhere are not found");
        let finding = Finding::new(case, Id::SearchFolders, name, what).with_severity(Severity::Warning);
        Some(finding.step(Command::unset(name)))
    };
    ["VK_LAYER_PATH", "VK_IMPLICIT_LAYER_PATH"].iter().filter_map(of).collect()
}
