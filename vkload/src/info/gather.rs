//! Asks the loader.

use std::ffi::CStr;

use loader_core::discovery::{self, Candidate, Decision, Looked, Origin, Plan, Request, Snapshot};
use loader_core::memory::Shown;
use platform_linux::{PLATFORM, POLICY};

use super::report::{Driver, Problem, Report, Searched};
use super::{advice, devices};

/// What the loader finds here and now.
pub(crate) fn gather() -> Report {
    let mut report = Report::default();
    // Drivers of a part of Vulkan are shown too, so they are asked for.
    let request = Request { portability: true };
    let Ok(plan) = discovery::discover(&PLATFORM, &POLICY, &request, &mut Snapshot::new()) else {
        let reason = "memory ran out while searching for drivers".into();
        return Report { problem: Some(Problem { reason, advice: Vec::new() }), ..report };
    };
    report.drivers = plan.drivers.iter().map(|candidate| driver(candidate, &plan)).collect();
    report.searched = plan
        .searched
        .iter()
        .map(|place| Searched {
            path: shown(&place.path),
            because: origin(place.origin),
            found: found(&place.result),
        })
        .collect();
    report.notes = plan.notes.iter().map(|note| format!("{note:?}")).collect();
    let failure = match entry() {
        Some(entry) => devices::fill(&mut report, &entry).err(),
        None => None,
    };
    if let Some(failure) = failure {
        report.notes.push(format!("an application gets {failure:?}"));
    }
    if !report.has_device() {
        let reason = format!("{:?}", discovery::best_reason(&plan, &[]));
        report.problem = Some(Problem { reason, advice: advice::install_a_driver() });
    }
    report
}

/// The loader in this program, for the part that an application sees.
fn entry() -> Option<ash::Entry> {
    None
}

fn driver(candidate: &Candidate, plan: &Plan) -> Driver {
    let remark = match (candidate.decision, candidate.warning) {
        (Decision::Skip(reason), _) => format!("{reason:?}"),
        (Decision::Use, Some(warning)) => format!("{warning:?}"),
        (Decision::Use, None) => String::new(),
    };
    let found_by = plan.searched.get(candidate.found_in).map(|place| origin(place.origin));
    Driver {
        manifest: shown(&candidate.path),
        library: shown(&candidate.library),
        api_version: candidate.api_version.to_string(),
        portability: candidate.portability,
        found_by: found_by.unwrap_or_default(),
        used: candidate.decision == Decision::Use,
        remark,
    }
}

fn origin(origin: Origin) -> String {
    let words = |name: &CStr| name.to_string_lossy().into_owned();
    match origin {
        Origin::Variable(name) => words(name),
        Origin::Fallback(name) => format!("{} is unset", words(name)),
        Origin::BuiltIn(name) => name.to_owned(),
    }
}

fn found(result: &Looked) -> String {
    match result {
        Looked::Folder { manifests } => format!("{manifests} manifests"),
        Looked::File => "a manifest".into(),
        Looked::Repeated => "the same as above".into(),
        Looked::Failed(error) => format!("{error:?}"),
    }
}

/// Bytes of a path as text.
fn shown(bytes: &[u8]) -> String {
    Shown(bytes).to_string()
}
