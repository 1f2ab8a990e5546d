//! The comparable values, by subject.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use vkload_core::discovery::{Answer, Question, Root};

use super::Side;
use crate::diagnosis;
use crate::diagnosis::case::Case;
use crate::diagnosis::trials::Trials;
use crate::info::gather::report;
use crate::info::report::Report;
use crate::lossless;
use crate::planned::Planned;
use crate::probe::{Ending, Subject};
use crate::replay::Machine;
use crate::view::{Device, DriverView};

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
    let Case { facts, target, trials, planned, .. } = &answer.case;
    let report = report(&answer);
    let all = json!(facts);
    let mut side: Side = SUBJECTS.iter().map(|(subject, _)| (*subject, flat(&all[*subject]))).collect();
    let drivers = report.drivers.iter().map(|it| (it.view.manifest.clone(), outcome(&it.view)));
    let search = policy.roots.iter().filter_map(|root| match root {
        Root::BuiltIn { name, path } => Some(((*name).to_owned(), lossless::text(path))),
        Root::Variable { .. } => None,
    });
    let width = ("pointer width".to_owned(), policy.pointer_width.to_string());
    let findings = answer.findings.iter().map(|finding| {
        let of = format!("{} {}", finding.id.name(), finding.about);
        (of.trim_end().to_owned(), format!("{}: {}", finding.severity.name(), finding.what))
    });
    let headline = ("answer".to_owned(), answer.headline());
    side.extend([
        ("findings", [headline].into_iter().chain(findings).collect()),
        ("trials", of_trials(trials)),
        ("devices", devices(&report.devices)),
        ("drivers", drivers.collect()),
        ("layers", layers(planned, &report)),
        // More variables than the loader asks for concern the doctor.
        ("variables", variables(planned).chain(facts.variables.clone()).collect()),
        ("settings", settings(planned)),
        ("search", search.chain([width]).collect()),
        ("target", flat(&json!(target))),
        ("manifests", each(&facts.manifests)),
        ("packages", each(&facts.packages.installed)),
    ]);
    Ok(side)
}

/// Returns the variables that the loader asked for and that are set.
fn variables(planned: &Planned) -> impl Iterator<Item = (String, String)> {
    let records = planned.settings.snapshot.records().iter().chain(planned.snapshot.records());
    records.filter_map(|record| match (&record.question, &record.answer) {
        (Question::Variable(name, _), Answer::Value(Some(value))) => {
            Some((name.as_c_str().to_string_lossy().into_owned(), lossless::text(value)))
        }
        _ => None,
    })
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
    let mut names = [name.to_owned()].into_iter().chain((2..).map(|number| format!("{name} ({number})")));
    let free = names.find(|name| !entries.contains_key(name));
    entries.extend(free.map(|name| (name, value)));
}

fn of_trials(trials: &Trials) -> Entries {
    let mut entries = Entries::new();
    let of_loader = [("the loader that programs get", &trials.program), ("vkload's own loader", &trials.own)];
    let of_loader = of_loader.into_iter().flat_map(|(of, trial)| trial.iter().map(move |trial| (of, trial)));
    let of_files = [&trials.drivers, &trials.layers, &trials.files].into_iter().flatten();
    for (of, trial) in of_loader.chain(of_files.map(|(of, trial)| (of.as_str(), trial))) {
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
        insert(&mut entries, of, format!("{file}{ended}{}", failure.collect::<String>()));
    }
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
fn flat(fact: &Value) -> Entries {
    let mut entries = Entries::new();
    flatten(fact, "", &mut entries);
    entries
}

fn flatten(value: &Value, way: &str, entries: &mut Entries) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                let field = match (name.as_str(), field.as_u64()) {
                    ("vendor" | "device", Some(number)) => &json!(format!("{number:#06x}")),
                    ("mode", Some(number)) => &json!(format!("{number:o}")),
                    _ => field,
                };
                flatten(field, format!("{way} {}", words(name)).trim_start(), entries);
            }
        }
        Value::Array(elements) if elements.iter().any(Value::is_object) => {
            elements.iter().for_each(|element| element_of(element, way, entries));
        }
        Value::Array(elements) if elements.is_empty() => {}
        Value::Array(elements) => {
            insert(entries, way, elements.iter().map(scalar).collect::<Vec<_>>().join(", "));
        }
        Value::Null | Value::Bool(false) => {}
        _ if value == "" => {}
        _ => insert(entries, way, scalar(value)),
    }
}

/// Adds an element of a list as one entry, so that an element on one side only is one difference.
fn element_of(element: &Value, way: &str, entries: &mut Entries) {
    let identity = IDENTITIES.iter().find(|name| element[**name].is_string());
    let mut rest = element.clone();
    let step = identity.map(|name| rest[*name].take());
    let step = step.as_ref().and_then(Value::as_str).unwrap_or_default();
    let fields: Vec<String> = flat(&rest).into_iter().map(|(of, value)| format!("{of} {value}")).collect();
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
    let mut words = name.to_owned();
    for capital in 'A'..='Z' {
        words = words.replace(capital, &format!(" {}", capital.to_ascii_lowercase()));
    }
    words
}
