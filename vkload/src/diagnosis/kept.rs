//! Cases in recordings: the doctor adds the `facts` of the machine, the `target` that it judges for, and the `trials`.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::case::Case;
use super::subject::Target;
use super::trials::Trials;
use crate::facts::Facts;
use crate::planned::Planned;
use crate::recording;

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
    ];
    let fields: Map<_, _> = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    recording::write(file, planned, target.bits, fields, (&facts.user.home, &facts.user.name))
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
