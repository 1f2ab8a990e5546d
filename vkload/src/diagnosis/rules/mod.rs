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

fn of_rules(case: &Case) -> Vec<Finding> {
    let mut all = Vec::new();
    all.extend(loader::not_begun(case));
    all.extend(tried::parts(case));
    all.extend(loader::old(case));
    all.extend(loader::not_read(case));
    all.extend(loader::absent(case));
    all.extend(loader::other_works(case));
    all.extend(loader::mixed(case));
    all.extend(loader::broken(case));
    all.extend(layers::broken(case));
    all.extend(layers::takes_long(case));
    all.extend(layers::twice(case));
    all.extend(layers::slow(case));
    all.extend(layers::moved(case));
    all.extend(drivers::tried(case));
    all.extend(drivers::takes_long(case));
    all.extend(drivers::without_manifest(case));
    all.extend(drivers::not_opened(case));
    all.extend(drivers::devices_that_fail(case));
    all.extend(variables::replacing(case));
    all.extend(variables::separators(case));
    all.extend(variables::misspelt(case));
    all.extend(variables::folders(case));
    all.extend(variables::choosing(case));
    all.extend(variables::without_layer(case));
    all.extend(settings::unusable(case));
    all.extend(settings::layers(case));
    all.extend(files::strays(case));
    all.extend(devices::closed(case));
    all.extend(devices::refused(case));
    all.extend(devices::incomplete(case));
    all.extend(gpus::without_driver(case));
    all.extend(nvidia::versions(case));
    all.extend(nvidia::device_files(case));
    all.extend(nvidia::memory_file(case));
    all.extend(nvidia::container(case));
    all.extend(environment::flatpak(case));
    all.extend(environment::snap(case));
    all.extend(environment::wsl(case));
    all.extend(environment::steam(case));
    all.extend(environment::container(case));
    all.extend(environment::process(case));
    all.extend(environment::dead_displays(case));
    all.extend(environment::unmounted(case));
    all.extend(environment::memory_limit(case));
    all.extend(environment::app_image(case));
    all.extend(program::missing(case));
    all.extend(program::version(case));
    all.extend(program::fails(case));
    all.extend(summary::software(case));
    all.extend(summary::old_version(case));
    all.extend(summary::portability(case));
    all.extend(summary::other_width(case));
    all.extend(summary::narrow(case));
    all.extend(summary::nothing_found(case));
    all.extend(summary::no_gpu(case));
    all.extend(summary::result(case));
    all.extend(summary::excluded(case));
    all
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
