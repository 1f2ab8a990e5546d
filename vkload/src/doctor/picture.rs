//! The answer as a page, with the call chain as it was found.

use crate::chain::{self, Device, Model};
use crate::diagnosis::case::Case;
use crate::diagnosis::{Diagnosis, Finding};
use crate::page::{self, Card, Part, Section};
use crate::probe::{Ending, Trial, Tried};

/// Returns the call chain, with the results of trying its layers and drivers.
pub(crate) fn picture(case: &Case) -> Result<Model, String> {
    let mut model = chain::picture(&case.planned, &[])?;
    if let Some(program) = &case.target.program {
        model.application = program.display().to_string();
    }
    if let Some(trial) = &case.trials.program {
        model.loader.clone_from(&trial.file);
    }
    for layer in &mut model.layers {
        let name = &layer.view.name;
        let broken = case.fault_of_layer(name).map(Trial::to_string);
        let guilty = case
            .trials
            .culprits()
            .any(|culprit| culprit == name)
            .then(|| "without this layer it works".to_owned());
        layer.problem = broken.or(guilty).unwrap_or_default();
    }
    for driver in &mut model.drivers {
        let Some(trial) = case.trials.driver(&driver.view.manifest) else { continue };
        if trial.ending != Ending::Finished {
            driver.problem = trial.to_string();
        }
        let name =
            |one: &Tried| one.device.name_among(trial.devices.iter().map(|other| &other.device)).into();
        driver.devices = Some(trial.devices.iter().map(|tried| device(tried, name(tried))).collect());
    }
    Ok(model)
}

fn device(tried: &Tried, name: String) -> Device {
    let failure = tried.failure.as_ref();
    Device {
        name,
        kind: tried.device.kind.to_string(),
        api_version: tried.device.api_version.clone(),
        problem: failure.map(|(stage, ending)| ending.tell(*stage)).unwrap_or_default(),
    }
}

/// Returns the whole answer as one page that needs nothing else.
pub(super) fn html(answer: &Diagnosis) -> String {
    let cards = answer.findings.iter().map(card).collect();
    let mut sections = vec![Section { title: String::new(), parts: cards }];
    if let Ok(model) = picture(&answer.case) {
        sections
            .push(Section { title: "Call chain".to_owned(), parts: vec![Part::Picture(chain::svg(&model))] });
        sections.extend(chain::html::tables(&model));
    }
    page::document(&answer.headline(), &sections)
}

fn card(finding: &Finding) -> Part {
    let (title, text) = if finding.about.is_empty() {
        (finding.what.clone(), String::new())
    } else {
        (finding.about.clone(), finding.what.clone())
    };
    Part::Card(Card { severity: finding.severity, title, text, steps: finding.next.clone() })
}
