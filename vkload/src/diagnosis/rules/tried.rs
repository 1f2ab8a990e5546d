//! What is at fault because the failing thing works without it: variables, layers and drivers.

use std::cmp::Reverse;

use super::super::asked::words;
use super::super::case::{Case, file_name};
use super::super::finding::{Evidence, Finding, Id, Severity};
use super::super::suspects::{Broken, Culprit};
use super::drivers::{leave_out, printed};
use super::layers::{because, off, outcome, parts as parts_of};
use crate::command::{Command, Step};
use crate::probe::{Ending, Trial};
use crate::view::{Device, DriverView, LayerView};

fn clause(cause: &Culprit, trial: &Trial) -> String {
    match (&cause.breaks, &trial.ending) {
        (Broken::Program, Ending::Finished) => "the program works".to_owned(),
        (Broken::Program, ending) => format!("the program {}", words(ending)),
        (Broken::Part(manifest), Ending::Signal { .. } | Ending::Exited { .. } | Ending::TimedOut { .. }) => {
            format!("{} {trial}", file_name(manifest))
        }
        (Broken::Part(manifest), Ending::Failed { words, .. }) => format!("{}: {words}", file_name(manifest)),
        (Broken::Part(_), Ending::Finished) if trial.devices.is_empty() => "it works".to_owned(),
        (Broken::Part(manifest), _) => format!("{}: {}", file_name(manifest), outcome(trial)),
        (Broken::Loader, _) => outcome(trial),
    }
}

/// Returns the words before the outcome of the trial without this and, if there are several causes or parts of one, without the others.
fn without(case: &Case, cause: &Culprit) -> &'static str {
    let same = case.trials.causes.iter().filter(|other| other.breaks == cause.breaks).count();
    let parts = [&cause.variables, &cause.layers, &cause.drivers].map(Vec::len).iter().sum::<usize>()
        + cause.absent.len()
        + cause.files.len();
    if same > 1 || parts + cause.libraries.len() + usize::from(cause.settings.is_some()) > 1 {
        "without all that is named here"
    } else {
        "without it"
    }
}

/// Returns what trials have shown to make the program fail.
pub(super) fn cause_of_program(case: &Case) -> Option<&Culprit> {
    case.trials.causes.iter().find(|cause| cause.breaks == Broken::Program)
}

/// Reports drivers without which the others work, and layers without which something does.
pub(super) fn parts(case: &Case) -> Vec<Finding> {
    let of = |cause: &Culprit| {
        let driver = case.drivers.iter().find(|driver| cause.drivers.contains(&driver.manifest));
        // If it fails alone as well, another rule says how.
        let works_alone =
            |driver: &&DriverView| case.trial(driver).is_some_and(|trial| trial.ending == Ending::Finished);
        let driver = driver.filter(works_alone).map(|driver| {
            let (with, without) = (clause(cause, &cause.with), clause(cause, &cause.without));
            let without_it = self::without(case, cause);
            let is_programs = cause.breaks == Broken::Program;
            let printed = if is_programs { printed(&cause.with) } else { String::new() };
            let what = format!("with this driver beside the others {with}{printed}; {without_it} {without}");
            Finding::new(case, Id::DriverBreaks, &driver.manifest, what).with_steps(leave_out(case, driver))
        });
        let settings = cause.settings.as_ref().map(|path| {
            let (with, without) = (clause(cause, &cause.with), clause(cause, &cause.without));
            let what = format!("with this settings file {with}; {} {without}", self::without(case, cause));
            let finding =
                Finding::new(case, Id::SettingsBreak, path, what).with_severity(severity(case, cause));
            finding.step(case.remove(path)).step(Command::new("vkload settings {}", &[path]))
        });
        let files = cause.files.iter().map(|path| {
            let (with, without) = (clause(cause, &cause.with), clause(cause, &cause.without));
            let what = format!("with this file {with}; {} {without}", self::without(case, cause));
            let off = case.on(path, "sudo mv {} {}", &[path, &format!("{path}.off")]);
            Finding::new(case, Id::FileBreaks, path, what).step(off)
        });
        let libraries = cause.libraries.iter().map(|pair| library(case, cause, pair));
        let absent = cause.absent.iter().map(|(name, value)| {
            let (with, without) = (clause(cause, &cause.with), clause(cause, &cause.without));
            let state = if case.facts.variables.contains_key(name) { "is empty" } else { "is not set" };
            let with_it = match self::without(case, cause) {
                "without it" => format!("with {name}={value}"),
                _ => "with all that is named here changed".to_owned(),
            };
            let what = format!("{state}: {with}; {with_it} {without}");
            let finding = Finding::new(case, Id::VariableBreaks, name, what);
            finding.with_severity(severity(case, cause)).step(Command::export(name, value))
        });
        // Each of several layers that fail together can be left out.
        let layers = cause.layers.first().and_then(|name| layer(case, cause, name));
        layers
            .into_iter()
            .chain(absent)
            .chain(driver)
            .chain(settings)
            .chain(files)
            .chain(libraries)
            .collect::<Vec<_>>()
    };
    case.trials.causes.iter().flat_map(of).collect()
}

fn severity(case: &Case, cause: &Culprit) -> Severity {
    if cause.breaks == Broken::Program { Severity::Error } else { case.blame() }
}

/// Reports a library that the program brings.
fn library(case: &Case, cause: &Culprit, (brought, system): &(String, String)) -> Finding {
    let (with, without) = (clause(cause, &cause.with), clause(cause, &cause.without));
    let without_it = match self::without(case, cause) {
        "without it" => format!("with {system}"),
        all => all.to_owned(),
    };
    let what =
        format!("is the program's own and replaces the system's: with it {with}; {without_it} {without}");
    let program = case.target.program.clone().unwrap_or_default();
    Finding::new(case, Id::LibraryBrought, brought, what)
        .step(Command::new("LD_PRELOAD={} {}", &[system, &program]))
        .with_steps(case.take_away(brought))
}

fn layer(case: &Case, cause: &Culprit, name: &String) -> Option<Finding> {
    let layer = case.layers.iter().find(|layer| layer.name == *name)?;
    let because = because(case, layer);
    let lost = cause.with.works().then(|| cause.lost.first()).flatten();
    if let Some(lost) = lost.filter(|_| case.works() == Some(true)) {
        let what = format!("hides {}; it is active because {because}", parts_of(lost));
        return Some(Finding::new(case, Id::LayerHidesExtensions, name, what));
    }
    let without_it = without(case, cause);
    let (with, without) = match lost {
        Some(lost) => {
            let lacks = format!("programs lack {}, and show no picture", parts_of(lost));
            (lacks, "nothing is missing".to_owned())
        }
        None => {
            let with = hidden(cause).unwrap_or_else(|| clause(cause, &cause.with));
            (with, clause(cause, &cause.without))
        }
    };
    let others: Vec<_> = cause.layers.iter().filter(|other| *other != name).map(String::as_str).collect();
    let together =
        if others.is_empty() { String::new() } else { format!(" and {} together", others.join(", ")) };
    let printed = printed(&cause.with);
    let what = format!("with this layer{together} {with}{printed}; {without_it} {without}; {because}");
    let finding = Finding::new(case, Id::LayerBreaks, name, what).with_severity(severity(case, cause));
    let same = |other: &&LayerView| {
        other.name != *name && cause.layers.contains(&other.name) && other.library == layer.library
    };
    let first = match case.layers.iter().find(same) {
        Some(other) => Some(only_one(case, layer, other)),
        None => other_order(case, cause),
    };
    let mut steps: Vec<Step> = first.into_iter().chain(off(case, layer)).collect();
    for other in case.layers.iter().filter(|other| cause.layers.contains(&other.name)) {
        let first = off(case, other).into_iter().next().filter(|first| !steps.contains(first));
        steps.extend(first.map(|first| Step::say("Or: ").and(first)));
    }
    let finding = finding.with_steps(steps);
    // Of several causes, each gets no more than its own remedy.
    let reinstall = (case.trials.causes.len() == 1).then(|| case.reinstall(&layer.manifest));
    Some(finding.with_steps(reinstall).with_steps(cause.with.ending.patience()))
}

/// Returns how one of two layers with the same library is left: the one for programs of the other width, by its name, goes.
fn only_one(case: &Case, layer: &LayerView, other: &LayerView) -> Step {
    let widths: &[&str] = if case.target.bits == 64 { &["32", "i686", "i386"] } else { &["64"] };
    let is_other = |it: &&LayerView| widths.iter().any(|part| file_name(&it.manifest).contains(part));
    let from = &[layer, other].into_iter().find(is_other).unwrap_or(other).manifest;
    let step = Step::say(format!("Both layers load {}, which works only once: ", layer.library));
    step.run(case.on(from, "sudo mv {} {}", &[from, &format!("{from}.off")]))
}

/// Returns commands for an order in which the layers work, if they fail in another.
fn other_order(case: &Case, cause: &Culprit) -> Option<Step> {
    let name = cause.belongs_last.as_ref()?;
    let changes = case.layers.iter().find(|layer| layer.name == *name)?.last(&case.facts.variables)?;
    let mut changes: Vec<_> = changes.iter().collect();
    changes.sort_by_key(|(_, value)| value.is_some());
    let commands = changes.into_iter().map(|(name, value)| Command::change(name, value.as_deref()));
    Some(commands.reduce(|all, one| all.and_then("; ", one))?.into())
}

/// Makes findings certain if a trial has proven them, and adds findings about variables without a rule. Findings that these explain are no
/// longer errors.
pub(super) fn causes(case: &Case, all: &mut Vec<Finding>) {
    let mut proven: Vec<&String> = Vec::new();
    for cause in &case.trials.causes {
        let severity = severity(case, cause);
        let without = format!("; {} {}", without(case, cause), clause(cause, &cause.without));
        for found in all.iter_mut().filter(|finding| cause.drivers.contains(&finding.about)) {
            // The finding about the variable repeats this one.
            if found.id != Id::DriverBreaks && cause.variables.is_empty() {
                found.what += &without;
            }
            (found.severity, found.evidence) = (severity, Evidence::Proven);
        }
        for name in &cause.variables {
            // The best explanation is the one that counts.
            let best = all
                .iter()
                .filter(|it| it.about == *name)
                .min_by_key(|it| (Reverse(it.severity), it.evidence));
            let best = best.map(|finding| finding.id);
            all.retain(|finding| finding.about != *name || Some(finding.id) == best);
            if let Some(found) = all.iter_mut().find(|finding| finding.about == *name) {
                found.what += &without;
                (found.severity, found.evidence) = (severity, Evidence::Proven);
                if found.next.is_empty() {
                    found.next.push(Command::unset(name).into());
                }
                continue;
            }
            // A variable that nothing is known to read is not among the facts.
            let value =
                case.facts.variables.get(name).map_or("is set".to_owned(), |it| format!("is \"{it}\""));
            let others = cause.variables.iter().filter(|other| *other != name).chain(&cause.layers);
            let others: String = others.map(|other| format!(" and {other}")).collect();
            let with = effect(case, cause, all)
                .or_else(|| hidden(cause))
                .unwrap_or_else(|| clause(cause, &cause.with));
            let what = format!("{value}: with that{others} {with}{without}");
            let finding = Finding::new(case, Id::VariableBreaks, name, what).with_severity(severity);
            all.push(finding.step(Command::unset(name)));
        }
        proven
            .extend(cause.variables.iter().chain(&cause.layers).chain(&cause.drivers).chain(&cause.settings));
        proven.extend(cause.absent.iter().map(|(name, _)| name).chain(&cause.files));
    }
    let is_solved = |cause: &Culprit| cause.breaks == Broken::Loader && cause.without.works();
    if case.trials.causes.iter().any(is_solved) {
        let is_proven = |finding: &Finding| proven.contains(&&finding.about);
        all.retain(|it| it.severity < Severity::Error || it.evidence <= Evidence::Seen || is_proven(it));
        let others = all.iter_mut().filter(|finding| !is_proven(finding));
        others.for_each(|finding| finding.severity = finding.severity.min(Severity::Warning));
    }
}

/// Returns the devices that programs lack because of this, if they have others.
fn hidden(cause: &Culprit) -> Option<String> {
    let is_hidden = |device: &&Device| !cause.with.usable().any(|other| other.is_same(device));
    let all = || cause.without.usable();
    let names: Vec<_> = all().filter(is_hidden).map(|device| device.name_among(all())).collect();
    (cause.with.works() && !names.is_empty()).then(|| format!("programs do not get {}", names.join(" and ")))
}

/// Removes the finding about the part that the variables of this cause break, and returns it as a clause.
fn effect(case: &Case, cause: &Culprit, all: &mut Vec<Finding>) -> Option<String> {
    let layer = |name: &String| {
        case.layers.iter().find(|layer| layer.name == *name).map(|layer| layer.manifest.clone())
    };
    let is_effect = |finding: &Finding| match &cause.breaks {
        Broken::Part(of) => finding.about == *of || Some(&finding.about) == layer(of).as_ref(),
        Broken::Loader => {
            finding.severity == Severity::Error
                && finding.evidence <= Evidence::Seen
                && finding.about.starts_with('/')
        }
        Broken::Program => false,
    };
    let at = all.iter().position(is_effect)?;
    Some(all.remove(at).sentence())
}
