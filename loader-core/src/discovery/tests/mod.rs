use std::format;
use std::string::{String, ToString};
use std::vec::Vec as StdVec;

use super::*;
use crate::drivers::best_reason;
use crate::negotiation::DriverStatus;
use crate::platform::imaginary::Imaginary;

mod cache;
mod drivers;
mod fuchsia;
pub(super) mod hostile;
mod reasons;
mod search_paths;
mod settings;

static ROOTS: [Root; 6] = Policy::linux_roots(b"/usr/local/etc", b"/etc");
static POLICY: Policy = Policy { pointer_width: 64, ..Policy::linux(&ROOTS) };
const REQUEST: Request = Request { portability: false };

/// Returns the plan for the current state of `system`.
fn plan_of(system: &'static Imaginary) -> Plan {
    let settings = KnownSettings::discover(&system.platform(), &POLICY).unwrap();
    discover(&system.platform(), &POLICY, &REQUEST, &settings, &mut Snapshot::new()).unwrap()
}

/// Returns a manifest for `library`, with `more` fields.
fn manifest_with(library: &str, more: &str) -> String {
    format!(
        r#"{{"file_format_version": "1.0.1", "ICD": {{"library_path": "{library}", "api_version": "1.3.204"{more}}}}}"#
    )
}

fn manifest(library: &str) -> String {
    manifest_with(library, "")
}

fn shown(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns every candidate: its path, and the id of its reason or "use".
fn decisions(plan: &Plan) -> StdVec<(String, &'static str)> {
    let decision = |driver: &Candidate| match &driver.decision {
        DriverDecision::Use => "use",
        DriverDecision::Skip(reason) => reason.id(),
    };
    plan.drivers.iter().map(|driver| (shown(&driver.path), decision(driver))).collect()
}

/// Returns the libraries to open, in order.
fn used(plan: &Plan) -> StdVec<String> {
    plan.used().map(|(_, driver)| shown(&driver.library)).collect()
}

fn searched(plan: &Plan) -> StdVec<String> {
    plan.searched.iter().map(|searched| shown(&searched.path)).collect()
}

fn notes(plan: &Plan) -> StdVec<String> {
    plan.notes.iter().map(ToString::to_string).collect()
}
