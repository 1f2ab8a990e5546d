//! Finds out: reads the machine, plans, tries. Changes nothing.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use vkload_core::platform::Reader;
use vkload_core::platform::variables::{ALL, Variable};

use super::case::Case;
use super::kept;
use super::rules;
use super::subject::Target;
use super::trials::Trials;
use crate::facts::{Facts, Named, Variables, not_read, own_variables};
use crate::lossless;
use crate::own_loader;
use crate::planned::Planned;
use crate::probe::parent::Settings;
use crate::probe::{Progress, Trial};
use crate::subprocess::{Stop, is_set};

pub(crate) struct Request<'a> {
    pub(crate) whom: Whom<'a>,
    /// Whether to load drivers, layers and the loader, in other processes.
    pub(crate) probe: bool,
    /// The time limit for each of them.
    pub(crate) limit: Duration,
    pub(crate) record: Option<&'a Path>,
    pub(crate) progress: Progress<'a>,
    /// Receives the name of a trial that takes long, and its limit.
    pub(crate) late: fn(&str, Duration),
    pub(crate) stop: Stop,
}

/// The programs that the doctor judges for.
pub(crate) enum Whom<'a> {
    /// Any program of this width, 32 or 64.
    AnyProgram(u32),
    /// A program to start, with its arguments.
    Program(&'a [OsString]),
    Process(u32),
    /// This program, with the loader in it.
    ThisProgram,
    /// Any program, if it got the loader that is built into vkload.
    OwnLoader,
}

pub(crate) fn case(request: &Request<'_>) -> Result<Case, String> {
    let (mut target, mut variables) = target(&request.whom)?;
    if let Some(process) = target.process.as_ref().filter(|process| process.confined && request.probe) {
        return Err(format!(
            "process {} has fewer rights than this one, as in a container; run vkload there, or add --no-probe",
            process.id
        ));
    }
    let executable = target.executable.clone();
    let loader = Some(lossless::path(&target.loader)).filter(|path| path.is_absolute());
    let set = variables.clone();
    if target.elevated {
        variables.retain(|name, _| !is_ignored(name));
    }
    let mut not_read = if target.built_in {
        Vec::new()
    } else {
        not_read(loader.as_deref(), &variables, executable.as_deref(), target.bits)
    };
    not_read.extend(set.keys().filter(|name| !variables.contains_key(*name)).cloned());
    let planned = Planned::for_loader(&variables, executable.as_deref(), target.bits, &not_read)?;
    if request.probe && !matches!(request.whom, Whom::ThisProgram) {
        planned.check_rights()?;
    }
    let named = |(manifest, library): (&[u8], &[u8])| Named {
        manifest: lossless::text(manifest),
        library: lossless::text(library),
    };
    let named: Vec<_> = planned.libraries().map(named).collect();
    let mut facts = Facts::gather(&set, executable.as_deref(), target.bits, &named);
    facts.not_read = not_read;
    if target.built_in {
        // The program gets none of them.
        facts.loaders.clear();
    }
    target.settle(&facts.loaders);
    let keep = |trials: &Trials| match request.record {
        Some(file) => kept::write(file, &facts, &planned, &target, trials),
        None => Ok(()),
    };
    // Keep a recording before anything is tried, in case a trial goes wrong.
    keep(&Trials::default())?;
    let mut failed = Ok(());
    let trials = if !request.probe || target.bits != usize::BITS {
        Trials::default()
    } else {
        let settings =
            Settings { variables, limit: request.limit, late: request.late, stop: request.stop.clone() };
        let mut trials = Trials::run(&target, &planned, &facts, &settings, request.progress, &mut |trials| {
            failed = keep(trials)
        });
        let works = trials.program.as_ref().is_some_and(Trial::works);
        if let (Whom::Program(program), true) = (&request.whom, works) {
            trials.ask(program, &planned, executable.as_deref(), &settings, request.progress);
            failed = failed.and(keep(&trials));
        }
        trials
    };
    failed?;
    if is_set(&request.stop) {
        return Err("the diagnosis was stopped".to_owned());
    }
    let mut case = Case::new(facts, planned, target, trials);
    if !is_healthy(&case) {
        let process = case.target.process.as_ref().map(|process| process.id);
        let process = process.zip(case.target.program.as_deref());
        case.facts.add_origins(process);
        if let Some(file) = request.record {
            kept::write(file, &case.facts, &case.planned, &case.target, &case.trials)?;
        }
    }
    Ok(case)
}

/// Returns whether an elevated program ignores this variable: its loader does, or the dynamic linker.
pub(super) fn is_ignored(name: &str) -> bool {
    let is_secure = |it: &Variable| it.reader == Reader::Secure && it.name.to_bytes() == name.as_bytes();
    name.starts_with("LD_") || (name != "HOME" && ALL.iter().any(is_secure))
}

fn target(whom: &Whom<'_>) -> Result<(Target, Variables), String> {
    match whom {
        Whom::Process(id) => Target::process(*id),
        Whom::AnyProgram(bits) => Ok((Target::program(None, *bits)?, own_variables())),
        Whom::Program(program) => {
            let name = program.first().map(Path::new);
            Ok((Target::program(name, usize::BITS)?, own_variables()))
        }
        Whom::ThisProgram => Ok((Target::this_program(), configured_variables())),
        Whom::OwnLoader => Ok((Target::own_loader(), own_variables())),
    }
}

/// Returns this process's variables as the loader in it reads them.
fn configured_variables() -> Variables {
    let mut variables = own_variables();
    for setting in own_loader::settings() {
        if let Ok(Some(value)) = own_loader::PLATFORM.environment.variable(setting.name, Reader::Secure) {
            variables.insert(setting.name.to_string_lossy().into_owned(), lossless::text(&value));
        }
    }
    variables
}

/// Returns whether nothing needs to be done, so that the origins of files and variables do not matter.
fn is_healthy(case: &Case) -> bool {
    rules::findings(case).iter().all(|finding| finding.next.is_empty())
}
