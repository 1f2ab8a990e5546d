//! `vkload replay`: what another machine decided, decided again from its recording.

use std::path::Path;
use std::process::ExitCode;

use serde_json::Value;
use vkload_core::discovery::Policy;

use crate::arguments::{Format, ReplayArguments, Show};
use crate::diagnosis;
use crate::doctor;
use crate::planned::Planned;
use crate::recording;
use crate::{chain, escape, info, output, paths};

/// Prints the decisions that follow from the recording.
pub(crate) fn print(options: &ReplayArguments) -> ExitCode {
    match replay(options) {
        Ok(output) => output::print_escaped(&output, ExitCode::SUCCESS),
        Err(problem) => output::fail(&problem),
    }
}

/// A recorded machine, with the decisions made again.
pub(crate) struct Machine {
    pub(crate) policy: Policy,
    pub(crate) planned: Planned,
    /// The whole recording: the doctor reads its own fields.
    pub(crate) seen: Value,
}

pub(crate) fn load(file: &Path) -> Result<Machine, String> {
    let (policy, snapshot, seen) = recording::read(file)?;
    let planned = Planned::new(&policy, snapshot, &|_, questions| {
        Err(format!(
            "{}: this version of the loader would ask more than was recorded: {:?}",
            file.display(),
            questions.first()
        ))
    })?;
    Ok(Machine { policy, planned, seen })
}

fn replay(options: &ReplayArguments) -> Result<String, String> {
    let (file, format) = (&options.file, chain::format(options.format, options.json));
    let json = format == Format::Json;
    let can_draw = matches!(options.show, Show::Chain)
        || (format == Format::Html && matches!(options.show, Show::Doctor));
    if matches!(format, Format::Svg | Format::Html) && !can_draw {
        return Err("`--format svg` works with `--show chain`; `--format html` with `--show chain` or `--show doctor`".into());
    }
    let Machine { planned, seen, .. } = load(file)?;
    if let Show::Paths = options.show {
        return Ok(escape::lines(&paths::render(&planned, json)));
    }
    let case = diagnosis::recorded(planned, seen)?;
    Ok(match options.show {
        Show::Chain => chain::render(&doctor::picture(&case)?, format),
        Show::Doctor => doctor::rendered(case, format, options.verbose).0,
        Show::Info | Show::Paths => {
            let report = info::gather::report(&diagnosis::answer(case));
            escape::lines(&info::render(&report, options.verbose, json))
        }
    })
}
