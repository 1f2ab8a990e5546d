//! The comparable values, by subject.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use vkload_core::discovery::{Answer, Question, Root};

use super::Side;
use crate::diagnosis::case::Case;
use crate::diagnosis::trials::Trials;
use crate::diagnosis::{self, Diagnosis};
use crate::info::gather::report;
use crate::info::report::Report;
use crate::lossless;
use crate::planned::Planned;
use crate::probe::{Ending, Subject, Trial};
use crate::replay::Machine;
use crate::view::Device;
use crate::view::DriverView;

/// The names of subjects, which do not change, and their titles, in the order of the answer: the result first, then what leads to it.
pub(super) const SUBJECTS: &[(&str, &str)] = &[
    ("findings", "What the doctor says"),
    ("trials", "Results of the trials"),
    ("devices", "Devices"),
    ("drivers", "Drivers"),
    ("layers", "Layers"),
    ("variables", "Variables"),
    ("settings", "Settings file"),
    ("search", "How the loader searches"),
    ("target", "Program"),
    ("loaders", "Loaders"),
    ("libraries", "Libraries of drivers and layers"),
    ("gpus", "Graphics devices on the bus"),
    ("nodes", "Device files"),
    ("nvidia", "NVIDIA's driver"),
    ("manifests", "Manifests in the usual folders"),
    ("strays", "Files that are not manifests"),
    ("system", "System"),
    ("place", "Containers and the like"),
    ("user", "User"),
    ("packages", "Packages"),
];

type Entries = BTreeMap<String, String>;

/// Returns all values of one recording.
pub(super) fn side(machine: Machine) -> Result<Side, String> {
    let Machine { policy, planned, seen } = machine;
    let answer = diagnosis::answer(diagnosis::recorded(planned, seen)?);
    let (report, planned) = (report(&answer), &answer.case.planned);
    let mut side = Side::from([
        ("variables", variables(planned)),
        ("settings", settings(planned)),
        (
            "drivers",
            report
                .drivers
                .iter()
                .map(|driver| &driver.view)
                .map(|driver| (driver.manifest.clone(), outcome(driver)))
                .collect(),
        ),
        ("layers", layers(planned, &report)),
        ("devices", devices(&report.devices)),
    ]);
    let built_in = policy.roots.iter().filter_map(|root| match root {
        Root::BuiltIn { name, path } => Some(((*name).to_owned(), lossless::text(path))),
        Root::Variable { .. } => None,
    });
    let width = ("pointer width".to_owned(), policy.pointer_width.to_string());
    side.insert("search", built_in.chain([width]).collect());
    of_machine(&mut side, &answer);
    Ok(side)
}

fn of_machine(side: &mut Side, answer: &Diagnosis) {
    let Case { facts, target, trials, .. } = &answer.case;
    // More variables than the loader asks for concern the doctor.
    side.entry("variables").or_default().extend(facts.variables.clone());
    side.insert("trials", of_trials(trials));
    side.insert("target", flat(target));
    let all = serde_json::to_value(facts).unwrap_or_default();
    for (subject, _) in SUBJECTS {
        if let (Some(fact), false) = (all.get(*subject), side.contains_key(subject)) {
            side.insert(subject, flat(fact));
        }
    }
    side.insert("manifests", each(&facts.manifests));
    side.insert("packages", each(&facts.packages.installed));
    let mut findings = Entries::from([("answer".to_owned(), answer.headline())]);
    for finding in &answer.findings {
        let of = format!("{} {}", finding.id.name(), finding.about);
        findings.insert(of.trim_end().to_owned(), format!("{}: {}", finding.severity.name(), finding.what));
    }
    side.insert("findings", findings);
}

/// Returns the variables that the loader asked for and that are set.
fn variables(planned: &Planned) -> Entries {
    let records = planned.settings.snapshot.records().iter().chain(planned.snapshot.records());
    let set = records.filter_map(|record| match (&record.question, &record.answer) {
        (Question::Variable(name, _), Answer::Value(Some(value))) => {
            Some((name.as_c_str().to_string_lossy().into_owned(), lossless::text(value)))
        }
        _ => None,
    });
    set.collect()
}

fn settings(planned: &Planned) -> Entries {
    let plan = &planned.settings.plan;
    let mut entries = Entries::new();
    if !plan.path.is_empty() {
        entries.insert("file".to_owned(), lossless::text(&plan.path));
    }
    if let Some(reason) = &plan.unusable {
        entries.insert("not used".to_owned(), reason.to_string());
    }
    if let Some(settings) = plan.in_force() {
        entries.insert("content".to_owned(), lossless::text(&settings.written));
    }
    entries
}

fn outcome(driver: &DriverView) -> String {
    match (driver.used, &*driver.outcome) {
        (true, _) => "used".to_owned(),
        // The doctor and `vkload info` have other words for it.
        (false, "no-devices") => "finds no device".to_owned(),
        (false, _) => format!("not used: {}", driver.remark),
    }
}

fn layers(planned: &Planned, report: &Report) -> Entries {
    let mut entries = Entries::new();
    for view in report.layers.iter().map(|layer| &layer.view) {
        let (state, why) = match view.is_active() {
            true if view.library.is_empty() => ("active", String::new()),
            true => ("active", view.why(planned)),
            false => ("not active", view.remark.clone()),
        };
        insert(&mut entries, view.title(), format!("{state}, {}: {why}", view.manifest));
    }
    entries
}

fn devices(devices: &[Device]) -> Entries {
    let mut entries = Entries::new();
    for device in devices {
        let Device { kind, api_version, driver, driver_info, .. } = device;
        insert(
            &mut entries,
            &device.name_among(devices),
            format!("{kind}, Vulkan {api_version}, {driver} {driver_info}"),
        );
    }
    entries
}

/// Inserts under this name, with a number appended if the name is taken.
fn insert(entries: &mut Entries, name: &str, value: String) {
    let mut free = name.to_owned();
    for number in 2.. {
        if !entries.contains_key(&free) {
            break;
        }
        free = format!("{name} ({number})");
    }
    entries.insert(free, value);
}

fn of_trials(trials: &Trials) -> Entries {
    let mut entries = Entries::new();
    let mut add = |of: &str, trial: &Trial| {
        let file = if trial.file.is_empty() { String::new() } else { format!("{}: ", trial.file) };
        let has_devices = !matches!(trial.of, Subject::Layer { .. } | Subject::DeviceFile { .. });
        let ended = match (&trial.ending, trial.usable().count()) {
            (Ending::Finished, 1) => "1 device works".to_owned(),
            (Ending::Finished, count) if has_devices => format!("{count} devices work"),
            _ => trial.to_string(),
        };
        let failure = trial.devices.iter().filter_map(|tried| {
            let (stage, ending) = tried.failure.as_ref()?;
            Some(format!(", {}: {}", tried.device.name, ending.tell(*stage)))
        });
        let failures: String = failure.collect();
        insert(&mut entries, of, format!("{file}{ended}{failures}"));
    };
    let of_loader = [("the loader that programs get", &trials.program), ("vkload's own loader", &trials.own)];
    of_loader.iter().for_each(|(of, trial)| trial.iter().for_each(|trial| add(of, trial)));
    trials.drivers.iter().for_each(|(manifest, trial)| add(manifest, trial));
    trials.layers.iter().for_each(|(name, trial)| add(name, trial));
    trials.files.iter().for_each(|(path, trial)| add(path, trial));
    let culprits: Vec<_> = trials.culprits().map(String::as_str).collect();
    if !culprits.is_empty() {
        entries.insert("layers to blame".to_owned(), culprits.join(", "));
    }
    entries
}

/// Each name of its own, since lists of many differ somewhere.
fn each(names: &[String]) -> Entries {
    names.iter().map(|name| (name.clone(), String::new())).collect()
}

/// Fields that identify the elements of a list.
const IDENTITIES: &[&str] = &["manifest", "path", "place", "name", "library"];

/// Returns all values in a fact, each with its path in words. Leaves out unknown, empty and false values.
fn flat(fact: &impl Serialize) -> Entries {
    let mut entries = Entries::new();
    let fact = serde_json::to_value(fact).unwrap_or_default();
    flatten(&fact, "", &mut entries);
    entries
}

fn flatten(value: &Value, way: &str, entries: &mut Entries) {
    let further = |step: &str| format!("{way} {step}").trim_start().to_owned();
    match value {
        Value::Null | Value::Bool(false) => {}
        Value::String(text) if text.is_empty() => {}
        Value::Object(fields) => {
            for (name, field) in fields {
                match (name.as_str(), field.as_u64()) {
                    ("vendor" | "device", Some(number)) => {
                        insert(entries, &further(name), format!("{number:#06x}"));
                    }
                    ("mode", Some(number)) => insert(entries, &further(name), format!("{number:o}")),
                    _ => flatten(field, &further(&words(name)), entries),
                }
            }
        }
        Value::Array(elements) if elements.iter().any(Value::is_object) => {
            for element in elements {
                element_of(element, way, entries);
            }
        }
        Value::Array(elements) if elements.is_empty() => {}
        Value::Array(elements) => {
            let elements: Vec<String> = elements.iter().map(scalar).collect();
            insert(entries, way, elements.join(", "));
        }
        _ => insert(entries, way, scalar(value)),
    }
}

/// Adds an element of a list as one entry, so that an element on one side only is one difference.
fn element_of(element: &Value, way: &str, entries: &mut Entries) {
    let identity = IDENTITIES.iter().find(|name| element[**name].is_string());
    let step = identity.and_then(|name| element[*name].as_str()).unwrap_or_default();
    let mut fields = Entries::new();
    let mut rest = element.clone();
    if let (Some(identity), Some(object)) = (identity, rest.as_object_mut()) {
        object.remove(*identity);
    }
    flatten(&rest, "", &mut fields);
    let fields: Vec<String> = fields.into_iter().map(|(of, value)| format!("{of} {value}")).collect();
    insert(entries, format!("{way} {step}").trim(), fields.join(", "));
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Bool(true) => "yes".to_owned(),
        other => other.to_string(),
    }
}

/// Returns the words in a name such as `realPath`.
fn words(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            words.push(' ');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}
