//! Cases in recordings: the doctor adds the `facts` of the machine, the `target` that it judges for, and the `trials`.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::case::Case;
use super::subject::Target;
use super::trials::Trials;
use crate::facts::Facts;
use crate::planned::Planned;
use crate::probe::{Ending, Trial};
use crate::recording;
use crate::view::LayerView;

/// Records a machine as the doctor sees it.
pub(super) fn write(
    file: &Path,
    facts: &Facts,
    planned: &Planned,
    target: &Target,
    trials: &Trials,
) -> Result<(), String> {
    let problem = |error: serde_json::Error| format!("{}: {error}", file.display());
    let fields = [
        ("facts", serde_json::to_value(facts).map_err(problem)?),
        ("target", serde_json::to_value(target).map_err(problem)?),
        ("trials", serde_json::to_value(trials).map_err(problem)?),
        ("report", report(planned, trials)),
    ];
    let fields: Map<_, _> = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    recording::write_with(file, planned, target.bits, fields, (&facts.user.home, &facts.user.name))
}

/// Returns the case of a recording, and the loader's plan for it.
pub(crate) fn recorded(planned: Planned, recording: Value) -> Result<Case, String> {
    #[derive(Deserialize)]
    struct Seen {
        facts: Facts,
        target: Target,
        trials: Trials,
    }
    let Seen { facts, target, trials } = serde_json::from_value(recording)
        .map_err(|error| format!("the recording is not understood: {error}"))?;
    Ok(Case::new(facts, planned, target, trials))
}

/// Returns the report of `vkload info`, as far as the trials can fill it.
fn report(planned: &Planned, trials: &Trials) -> Value {
    let Some(program) = &trials.program else { return Value::Null };
    let driver = |(manifest, trial): &(String, Trial)| {
        let (outcome, remark) = match (&trial.ending, trial.devices.is_empty()) {
            (Ending::Finished, false) => ("used", String::new()),
            (Ending::Finished, true) => ("no-devices", "it has no device here".to_owned()),
            _ => ("failed", trial.to_string()),
        };
        let used = outcome == "used";
        json!({ "manifest": manifest, "used": used, "outcome": outcome, "remark": remark, "devices": trial.devices.len() })
    };
    let layer = |layer: LayerView| {
        let trial = trials.layer(&layer.name).filter(|trial| trial.is_unusable())?;
        Some(
            json!({ "manifest": layer.manifest, "name": layer.name, "outcome": trial.fault, "remark": trial.to_string() }),
        )
    };
    json!({
        "vulkan": program.version,
        "devices": program.usable().collect::<Vec<_>>(),
        "drivers": trials.drivers.iter().map(driver).collect::<Vec<_>>(),
        "layers": LayerView::active_by_default(&planned.layers).into_iter().filter_map(layer).collect::<Vec<_>>(),
    })
}
