//! Finds out: reads the machine, plans, tries. Changes nothing.

use std::path::Path;
use std::time::Duration;

use vkload_core::memory::Escaped;

use super::asked;
use super::case::Case;
use super::kept::{self, RecordedCase};
use super::rules;
use super::subject::Target;
use super::trials::Trials;
use crate::arguments::DoctorArguments;
use crate::facts::{Facts, Named, not_read, own_variables};
use crate::output;
use crate::planned::Planned;
use crate::probe::Trial;
use crate::probe::parent::Settings;

/// Returns the case that these options ask for.
pub(super) fn case(options: &DoctorArguments) -> Result<Case, String> {
    let (mut target, variables) = match options.pid {
        Some(id) => Target::process(id)?,
        None => (
            Target::program(
                options.program.first().map(Path::new),
                if options.bits_32 { 32 } else { usize::BITS },
            )?,
            own_variables(),
        ),
    };
    let executable = target.executable.clone();
    let loader = Some(Path::new(&target.loader)).filter(|path| path.is_absolute());
    let not_read = not_read(Path::new("/"), loader, &variables, executable.as_deref(), target.bits);
    let planned = Planned::for_loader(&variables, executable.as_deref(), target.bits, &not_read)?;
    let mut facts =
        Facts::gather(Path::new("/"), &variables, executable.as_deref(), target.bits, &named(&planned));
    facts.not_read = not_read;
    target.settle(&facts.loaders);
    let keep = |trials: &Trials| match &options.record {
        Some(file) => {
            kept::write(file, &RecordedCase { facts: &facts, planned: &planned, target: &target, trials })
        }
        None => Ok(()),
    };
    // Keep a recording before anything is tried, in case a trial goes wrong.
    keep(&Trials::default())?;
    let mut failed = Ok(());
    let trials = if options.no_probe || target.bits != usize::BITS {
        Trials::default()
    } else {
        let settings = Settings { variables, limit: Duration::from_secs(options.timeout), late };
        let mut trials = Trials::run(&target, &planned, &facts.nodes, &settings, &progress, &mut |trials| {
            failed = keep(trials)
        });
        if !options.program.is_empty() && trials.program.as_ref().is_some_and(Trial::works) {
            progress("the program, to see its requests");
            trials.asked = asked::watch(&options.program, &settings).ok();
            failed = failed.and(keep(&trials));
        }
        output::clear_progress();
        trials
    };
    failed?;
    let mut case = Case::new(facts, planned, target, trials);
    if !is_healthy(&case) {
        let process = case.target.process.as_ref().map(|process| process.id);
        let process = process.zip(case.target.program.as_deref());
        case.facts.add_origins(Path::new("/"), process);
        if let Some(file) = &options.record {
            let Case { facts, planned, target, trials, .. } = &case;
            kept::write(file, &RecordedCase { facts, planned, target, trials })?;
        }
    }
    Ok(case)
}

/// Returns whether nothing needs to be done, so that the origins of files and variables do not matter.
fn is_healthy(case: &Case) -> bool {
    rules::findings(case).iter().all(|finding| finding.next.is_empty())
}

/// Returns the libraries that the manifests name, which programs would open.
fn named(planned: &Planned) -> Vec<Named> {
    let drivers = planned.drivers.drivers.iter().filter(|driver| !driver.library.is_empty()).map(|driver| {
        Named { manifest: Escaped(&driver.path).to_string(), library: Escaped(&driver.library).to_string() }
    });
    let layers = planned.layers.layers.iter().filter(|layer| !layer.library.is_empty()).map(|layer| Named {
        manifest: Escaped(&layer.path).to_string(),
        library: Escaped(&layer.library).to_string(),
    });
    drivers.chain(layers).collect()
}

/// Names a trial that takes long on standard error. On a terminal, [`progress`] does.
fn late(what: &str, limit: Duration) {
    output::tell_without_terminal(&format!("trying {what}, for {} seconds at most", limit.as_secs()));
}

/// Shows the current trial on a terminal.
fn progress(what: &str) {
    let shown: String = what.chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect();
    output::progress(&format!("trying {shown}"));
}
