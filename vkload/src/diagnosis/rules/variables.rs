//! Environment variables that were set, perhaps long ago.

use vkload_core::discovery::{DriverDecision, LayerNote, Note, Origin, SearchResult, SkipReason};
use vkload_core::platform::FileError;
use vkload_core::platform::variables::ALL;

use super::super::case::{Case, file_name};
use super::super::finding::{Evidence, Finding, Id, Severity};
use crate::command::{Command, Step};
use crate::facts::LibraryState;
use crate::lossless;
use crate::view::DriverView;

/// The validation layer, and the layers that it replaced.
pub(super) const VALIDATION: &str = "VK_LAYER_KHRONOS_validation";
const VALIDATION_BEFORE: &[&str] = &[
    "VK_LAYER_LUNARG_standard_validation",
    "VK_LAYER_LUNARG_core_validation",
    "VK_LAYER_LUNARG_parameter_validation",
    "VK_LAYER_LUNARG_object_tracker",
    "VK_LAYER_GOOGLE_threading",
    "VK_LAYER_GOOGLE_unique_objects",
];

/// Returns a finding with the steps to unset the variable. If it does no harm, it was probably set on purpose.
fn finding(case: &Case, severity: Severity, id: Id, name: &str, what: String) -> Finding {
    let finding = Finding::new(case, id, name, what).with_severity(severity);
    if severity == Severity::Note {
        return finding;
    }
    finding.step(Command::unset(name))
}

/// Variables that replace the search for drivers.
pub(super) fn replacing(case: &Case) -> Option<Finding> {
    let replaced = |origin: &Origin| match origin {
        Origin::Replacing(name) => {
            name.to_str().ok().filter(|name| name.ends_with("_FILES") || name.ends_with("_FILENAMES"))
        }
        _ => None,
    };
    let by_note = case.planned.drivers.notes.iter().find_map(|note| match note {
        Note::ReplacedByNothing { name, .. } => name.to_str().ok(),
        _ => None,
    });
    let searched = &case.planned.drivers.searched;
    let name = searched.iter().find_map(|one| replaced(&one.origin)).or(by_note)?;
    let value = case.facts.variables.get(name).map(String::as_str).unwrap_or_default();
    let used: Vec<&DriverView> = case.drivers.iter().filter(|driver| driver.used).collect();
    if value.is_empty() {
        let what = "is set to nothing, so the loader searches for no driver".to_owned();
        return Some(finding(case, Severity::Error, Id::DriversReplaced, name, what));
    }
    let gone = |driver: &&DriverView| {
        matches!(
            case.candidate(driver).map(|it| it.decision),
            Some(DriverDecision::Skip(SkipReason::Unreadable(FileError::NotFound)))
        )
    };
    let absent: Vec<&str> = case.drivers.iter().filter(gone).map(|driver| driver.manifest.as_str()).collect();
    let folders = searched
        .iter()
        .filter(|one| matches!(one.result, SearchResult::Failed(_) | SearchResult::Folder { manifests: 0 }));
    let empty: Vec<String> = folders.map(|one| lossless::text(&one.path)).collect();
    let narrow = narrow(case, &used);
    let what = match (absent.first(), empty.first()) {
        (Some(path), _) => format!("{}: it replaces the search for drivers", absence(value, path)),
        (None, Some(path)) => format!("{}: it replaces the search for drivers", emptiness(value, path)),
        (None, None) => {
            let only = used.iter().map(|driver| file_name(&driver.manifest)).collect::<Vec<_>>().join(", ");
            let only = if only.is_empty() { "what it names" } else { &only };
            format!("so programs get no driver but {only}{narrow}")
        }
    };
    let and = if absent.is_empty() && empty.is_empty() { "" } else { "and " };
    let is_wrong = !and.is_empty() || !narrow.is_empty();
    // Trials show whether another choice does harm.
    let severity = match case.works() {
        Some(true) if !and.is_empty() => Severity::Warning,
        Some(true) => Severity::Note,
        _ if is_wrong => Severity::Error,
        _ => Severity::Note,
    };
    Some(finding(case, severity, Id::DriversReplaced, name, format!("is \"{value}\", {and}{what}")))
}

/// Reports that a manifest that the variable names does not exist.
fn absence(value: &str, path: &str) -> String {
    if value == path { "this file does not exist".to_owned() } else { format!("{path} does not exist") }
}

fn emptiness(value: &str, path: &str) -> String {
    if value == path { "no manifest is there".to_owned() } else { format!("no manifest is in {path}") }
}

/// Reports that all of these drivers are for programs of another width.
fn narrow(case: &Case, used: &[&DriverView]) -> String {
    let bits = |driver: &&DriverView| match case.library(&driver.manifest).map(|library| &library.state) {
        Some(LibraryState::WrongClass { bits }) => Some(*bits),
        _ => None,
    };
    let all: Option<Vec<_>> = used.iter().map(bits).collect();
    let first = all.and_then(|all| all.first().copied());
    first.map(|bits| format!(", which is for {bits}-bit programs")).unwrap_or_default()
}

/// The variables that leave out drivers by patterns.
const FILTERS: [&str; 2] = ["VK_LOADER_DRIVERS_SELECT", "VK_LOADER_DRIVERS_DISABLE"];

/// Variables that leave drivers out, or devices.
pub(super) fn filters(case: &Case) -> Vec<Finding> {
    let mut all = Vec::new();
    for name in FILTERS {
        let Some(value) = case.variable(name) else { continue };
        let out: Vec<&str> = case
            .drivers
            .iter()
            .filter(|driver| is_left_out(case, driver, name))
            .map(|driver| file_name(&driver.manifest))
            .collect();
        if out.is_empty() {
            if name.ends_with("DISABLE") {
                let what = format!(
                    "is \"{value}\", which matches no driver: it is compared with the names of manifests, such as radeon_icd.x86_64.json"
                );
                let finding = finding(case, Severity::Note, Id::DriversFiltered, name, what);
                all.push(finding.evidence(Evidence::Likely));
            }
            continue;
        }
        let none_left = !case.drivers.iter().any(|driver| driver.used);
        let severity = if none_left { Severity::Error } else { Severity::Note };
        let what = format!(
            "is \"{value}\", which leaves out {}{}",
            out.join(", "),
            if none_left { ", and no driver remains" } else { "" }
        );
        all.push(finding(case, severity, Id::DriversFiltered, name, what));
    }
    all
}

fn is_left_out(case: &Case, driver: &DriverView, name: &str) -> bool {
    match case.candidate(driver).map(|candidate| candidate.decision) {
        Some(DriverDecision::Skip(SkipReason::NotSelected { by } | SkipReason::Disabled { by })) => {
            by.to_str() == Ok(name)
        }
        _ => false,
    }
}

/// Variables that hide devices, by name, with their effects.
const HIDING: &[(&str, &str)] = &[
    ("VK_LOADER_DEVICE_ID_FILTER", "only devices with these numbers are listed"),
    ("VK_LOADER_VENDOR_ID_FILTER", "only devices of these vendors are listed"),
    ("VK_LOADER_DRIVER_ID_FILTER", "only devices of these drivers are listed"),
    ("__VK_LAYER_NV_optimus", "NVIDIA's layer lists only some devices"),
    ("AMD_VULKAN_ICD", "AMD's layer lists the devices of this driver only"),
    ("MESA_VK_DEVICE_SELECT", "Mesa's layer puts this device first, or lists no other"),
    ("MESA_VK_DEVICE_SELECT_FORCE_DEFAULT_DEVICE", "Mesa's layer lists the first device only"),
    ("DRI_PRIME", "Mesa's layer puts this device first"),
    ("VK_LOADER_DEVICE_SELECT", "this device comes first"),
    ("VK_LOADER_X_SOFTWARE_DEVICES_LAST", "software devices are listed only if no other device is there"),
];

/// Reports variables that choose devices. Trials show whether they hide any.
pub(super) fn hiding(case: &Case) -> Vec<Finding> {
    let of = |(name, effect): &(&str, &str)| {
        let value = case.variable(name).filter(|value| *value != "0")?;
        let what = format!("is \"{value}\": {effect}");
        Some(finding(case, Severity::Note, Id::DevicesChosen, name, what).evidence(Evidence::Likely))
    };
    HIDING.iter().filter_map(of).collect()
}

/// Reports a name by which DXVK chooses devices, if no device has it.
pub(super) fn of_dxvk(case: &Case) -> Vec<Finding> {
    let name = "DXVK_FILTER_DEVICE_NAME";
    let devices = case.devices();
    let Some(value) = case.variable(name).filter(|_| !devices.is_empty()) else { return Vec::new() };
    if devices.iter().any(|device| device.name.contains(value)) {
        return Vec::new();
    }
    let what =
        format!("is \"{value}\", and no device here has that in its name: programs on DXVK find no device");
    vec![finding(case, Severity::Warning, Id::DevicesChosen, name, what)]
}

/// Lists, and what separates their elements.
const LISTS: &[(&str, char, &str)] = &[
    ("VK_DRIVER_FILES", ':', "manifests"),
    ("VK_ICD_FILENAMES", ':', "manifests"),
    ("VK_ADD_DRIVER_FILES", ':', "manifests"),
    ("VK_LAYER_PATH", ':', "folders"),
    ("VK_ADD_LAYER_PATH", ':', "folders"),
    ("VK_IMPLICIT_LAYER_PATH", ':', "folders"),
    ("VK_ADD_IMPLICIT_LAYER_PATH", ':', "folders"),
    ("VK_INSTANCE_LAYERS", ':', "layers"),
    ("XDG_DATA_DIRS", ':', "folders"),
    ("XDG_CONFIG_DIRS", ':', "folders"),
    ("LD_LIBRARY_PATH", ':', "folders"),
    ("VK_LOADER_LAYERS_ENABLE", ',', "patterns"),
    ("VK_LOADER_LAYERS_DISABLE", ',', "patterns"),
    ("VK_LOADER_LAYERS_ALLOW", ',', "patterns"),
    ("VK_LOADER_DRIVERS_SELECT", ',', "patterns"),
    ("VK_LOADER_DRIVERS_DISABLE", ',', "patterns"),
];

/// Lists whose elements are separated by the wrong character, and values that no shell has expanded.
pub(super) fn separators(case: &Case) -> Vec<Finding> {
    let mut all = Vec::new();
    for (name, separator, elements) in LISTS {
        let Some(value) = case.variable(name) else { continue };
        let trimmed = value.trim();
        let wrong: &[char] = if *separator == ':' { &[';', ','] } else { &[';', ':'] };
        let found = trimmed.chars().find(|it| wrong.contains(it) || (*it == ' ' && *elements == "layers"));
        let (what, correct) = if let Some(found) = found {
            let shown = if found == ' ' { "a blank".to_owned() } else { format!("\"{found}\"") };
            let correct = trimmed.replace(found, &separator.to_string());
            (
                format!(
                    "is \"{value}\", which is read as one name: {elements} are separated by \"{separator}\" here, not by {shown}"
                ),
                correct,
            )
        } else if trimmed.starts_with("~/") || trimmed.contains(":~/") {
            (
                format!("is \"{value}\": no shell has replaced the ~ with your home folder"),
                trimmed.replace("~/", &format!("{}/", case.facts.user.home)),
            )
        } else if trimmed.len() > 1 && trimmed.starts_with(['"', '\'']) && trimmed.ends_with(['"', '\'']) {
            (
                format!("is {value}, and the quotation marks are part of the value"),
                trimmed.replace(['"', '\''], ""),
            )
        } else {
            continue;
        };
        let is_needed = *elements == "manifests" || *elements == "layers";
        let severity = if is_needed { case.blame() } else { Severity::Warning };
        let command = Command::export(name, &correct);
        all.push(Finding::new(case, Id::WrongSeparator, name, what).with_severity(severity).step(command));
    }
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
            None if VALIDATION_BEFORE.contains(&name.as_str()) => {
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
            (_, None, old) if VALIDATION_BEFORE.contains(&old) => {
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

/// Names of variables that others read: not ours, and not misspelt either.
const OTHERS: &[&str] = &[
    "VK_LAYER_SETTINGS_PATH",
    "VK_KHRONOS_VALIDATION_",
    "VK_LUNARG_",
    "VK_VALIDATION_",
    "VK_SDK_PATH",
    "VULKAN_SDK",
    "VK_LAYER_",
    "VK_EXT_",
    "VK_SCREENSHOT_",
    "VK_APIDUMP_",
    "VK_MONITOR_",
    "VK_PROFILES",
    "VK_KHRONOS_PROFILES_",
    "VK_GFXRECON",
    "VK_LOADER_SETTINGS",
    "VK_CONFIG",
    "VK_HDR",
    "VK_NV_",
    "VK_AMD",
    "VK_MEMORY_",
    "VK_WSI",
];

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
        if !concerns || known.contains(&name.as_str()) || OTHERS.iter().any(|start| name.starts_with(start)) {
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

/// Reports variables that replace the system's search folders.
pub(super) fn folders(case: &Case) -> Vec<Finding> {
    let mut all = Vec::new();
    let found_none = !case.drivers.iter().any(|driver| driver.used);
    for (name, usual) in [("XDG_DATA_DIRS", "/usr/share")] {
        let Some(value) = case.variable(name) else { continue };
        let hidden = |manifest: &&String| {
            manifest.starts_with(usual) && !case.drivers.iter().any(|driver| driver.manifest == **manifest)
        };
        let hides = found_none || case.facts.manifests.iter().any(|manifest| hidden(&manifest));
        if !hides || value.split(':').any(|folder| folder.trim_end_matches('/') == usual) {
            continue;
        }
        let what =
            format!("is \"{value}\", which lacks {usual}, so the manifests in {usual}/vulkan are not found");
        let severity = if found_none { Severity::Error } else { case.blame() };
        let finding = Finding::new(case, Id::SearchFolders, name, what).with_severity(severity);
        all.push(finding.step(Command::export(name, &format!("{value}:/usr/local/share:{usual}"))));
    }
    for name in ["VK_LAYER_PATH", "VK_IMPLICIT_LAYER_PATH"] {
        let Some(value) = case.variable(name) else { continue };
        let failed = case.planned.layers.searched.iter().find(|one| {
            matches!(one.origin, Origin::Replacing(by) if by.to_str() == Ok(name))
                && matches!(one.result, SearchResult::Failed(_) | SearchResult::Folder { manifests: 0 })
        });
        if let Some(folder) = failed {
            let what = format!(
                "is \"{value}\", and {}: layers elsewhere are not found",
                emptiness(value, &lossless::text(&folder.path))
            );
            all.push(finding(case, Severity::Warning, Id::SearchFolders, name, what));
        }
    }
    all
}
