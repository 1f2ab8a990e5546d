//! The rules: each is a function of the case that returns its findings. Their order follows the files, since [`findings`] sorts the answer.

mod assignments;
mod devices;
mod drivers;
mod environment;
mod files;
mod gpus;
mod kernel;
mod layers;
mod library;
mod loader;
mod nvidia;
mod program;
mod settings;
mod summary;
mod tried;
mod variables;

use std::cmp::Reverse;

use super::case::Case;
use super::finding::{Evidence, Finding, Id, Severity};

/// Returns the findings of all these rules, of which some return one and others several.
macro_rules! findings_of {
    ($case:ident: $($rule:path),*) => {{
        let mut all = Vec::new();
        $(all.extend($rule($case));)*
        all
    }};
}

fn of_rules(case: &Case) -> Vec<Finding> {
    findings_of!(case:
        loader::not_begun, tried::parts, loader::old, loader::not_read, loader::absent,
        loader::other_works, loader::mixed, loader::broken, layers::broken, layers::takes_long,
        layers::twice, layers::slow, layers::moved, drivers::tried, drivers::takes_long,
        drivers::without_manifest, drivers::not_opened, drivers::devices_that_fail, variables::replacing,
        variables::separators, variables::misspelt, variables::folders, variables::choosing,
        variables::without_layer, settings::unusable, settings::layers, files::strays, devices::closed,
        devices::refused, devices::incomplete, gpus::without_driver, nvidia::versions,
        nvidia::device_files, nvidia::unified_memory_file, nvidia::container, environment::flatpak,
        environment::snap, environment::wsl, environment::steam, environment::container,
        environment::process, environment::dead_displays, environment::unmounted,
        environment::memory_limit, environment::app_image, program::missing, program::version,
        program::fails, summary::software, summary::old_version, summary::portability,
        summary::other_width, summary::narrow, summary::nothing_found, summary::no_gpu, summary::result,
        summary::excluded
    )
}

/// Leaves out findings that another one explains.
fn leave_out_explained(all: &mut Vec<Finding>) {
    let is_cause =
        |finding: &&Finding| finding.severity > Severity::Note || finding.id == Id::ContainerWithoutDevice;
    let found: Vec<Id> = all.iter().filter(is_cause).map(|finding| finding.id).collect();
    all.retain(|finding| !finding.id.causes().iter().any(|cause| found.contains(cause)));
    // The headline says it, and the others say why.
    if all.iter().any(|finding| finding.severity > Severity::Note && finding.id != Id::Software) {
        all.retain(|finding| finding.id != Id::Software);
    }
}

/// Returns the position of a finding among others of the same severity and evidence. Those that explain nothing, or are merely likely, stay in the
/// order of the rules.
fn rank(finding: &Finding) -> Id {
    let explains = finding.id <= Id::ManifestMissing && finding.evidence < Evidence::Likely;
    if explains { finding.id } else { Id::Reason("") }
}

/// Returns all findings, the gravest first, and among equals the best explanation.
pub(super) fn findings(case: &Case) -> Vec<Finding> {
    let mut all = of_rules(case);
    // Comes before the sort, since it changes the severity and evidence of other findings.
    tried::causes(case, &mut all);
    all.sort_by_key(|finding| (Reverse(finding.severity), finding.evidence, rank(finding)));
    let mut said: Vec<(Id, String)> = Vec::new();
    all.retain(|finding| {
        let one = (finding.id, finding.about.clone());
        let new = !said.contains(&one);
        said.push(one);
        new
    });
    leave_out_explained(&mut all);
    assignments::add_steps(case, &mut all);
    leave_out_guesses(&mut all, case.good_drivers().next().is_some());
    all.iter_mut().for_each(|finding| finding.tried = finding.is_tried());
    if case.facts.user.id == 0 {
        let steps = all.iter_mut().flat_map(|finding| &mut finding.next);
        steps.for_each(|step| *step = std::mem::take(step).without_sudo());
    }
    all
}

/// Leaves out findings that matter only if no other explains more. If a driver works alone and the cause of the failure was proven,
/// findings that were not proven are left out.
fn leave_out_guesses(all: &mut Vec<Finding>, a_driver_works: bool) {
    let Some(first) =
        all.first().filter(|first| first.severity == Severity::Error).map(|first| first.evidence)
    else {
        return;
    };
    let enough = if first <= Evidence::Seen { Evidence::Likely } else { Evidence::Missing };
    let is_error = |finding: &Finding| finding.severity == Severity::Error;
    all.retain(|finding| !is_error(finding) || finding.evidence == first || finding.evidence <= enough);
    if a_driver_works && first == Evidence::Proven {
        let others = all.iter_mut().filter(|it| is_error(it) && it.evidence != Evidence::Proven);
        others.for_each(|finding| finding.severity = Severity::Warning);
    }
}
