//! The content of `vkload info`: the plan for the loader that programs get, and the result of each trial.

use super::layers;
use super::report::{Driver, Problem, Report};
use crate::diagnosis::{Diagnosis, Severity};
use crate::probe::{Cause, Ending, Stage, Trial};
use crate::searched::SearchPath;
use crate::view::{Device, DriverView};

/// Returns the report of the doctor's case.
pub(crate) fn report(answer: &Diagnosis) -> Report {
    let case = &answer.case;
    let plan = &case.planned.drivers;
    let mut report = Report { layers: layers::all(case), ..Report::default() };
    for (view, candidate) in DriverView::all(plan).into_iter().zip(&plan.drivers) {
        let trial = case.trials.driver(&view.manifest);
        report.drivers.push(driver(view, candidate.warning.as_ref().map(ToString::to_string), trial));
    }
    report.searched.extend(plan.searched.iter().map(SearchPath::new));
    let notes = plan.notes.iter().map(ToString::to_string);
    report.notes.extend(notes.chain(case.planned.layers.notes.iter().map(ToString::to_string)));
    if let Some(program) = &case.trials.program {
        report.loader =
            if program.file.is_empty() { case.target.loader.clone() } else { program.file.clone() };
        report.vulkan.clone_from(&program.version);
        report.extensions.clone_from(&program.extensions);
        report.devices = program.devices.iter().map(|tried| tried.device.clone()).collect::<Vec<Device>>();
    }
    if case.works() == Some(false) {
        let cause = answer.findings.iter().find(|finding| finding.severity == Severity::Error);
        report.problem = cause.map(|finding| Problem {
            reason: finding.sentence(),
            advice: finding.next.iter().map(ToString::to_string).collect(),
        });
    }
    report
}

fn driver(mut view: DriverView, warning: Option<String>, trial: Option<&Trial>) -> Driver {
    let mut remarks = Vec::from_iter((!view.remark.is_empty()).then(|| std::mem::take(&mut view.remark)));
    remarks.extend(warning);
    let devices = trial.map_or(0, |trial| trial.devices.len());
    if let Some(trial) = trial.filter(|trial| trial.ending != Ending::Finished || devices == 0) {
        // A device that fails is one that programs get.
        view.used = devices > 0;
        if !view.used {
            view.outcome = outcome(trial).into();
        }
        remarks.push(match trial.ending {
            Ending::Finished => "it has no device here".to_owned(),
            _ => trial.to_string(),
        });
    }
    Driver { view: DriverView { remark: remarks.join("; "), ..view }, devices }
}

/// Returns the name of the result for programs, which does not change.
pub(super) fn outcome(trial: &Trial) -> &'static str {
    match (&trial.ending, trial.stage) {
        (Ending::Finished, _) => "no-devices",
        (Ending::Signal { .. }, _) => "crashes",
        (Ending::TimedOut { .. }, _) => "hangs",
        (Ending::Exited { .. }, _) => "exits",
        (_, Stage::Start | Stage::Open) => "does-not-open",
        (Ending::Failed { cause: Cause::WrongKind, .. }, _) => "no-entry-point",
        (Ending::Failed { cause: Cause::LacksCommand, .. }, _) => "missing-command",
        (_, Stage::Negotiate) => "negotiation-refused",
        (_, Stage::Query | Stage::CreateInstance) => "create-instance-failed",
        _ => "enumeration-failed",
    }
}
