//! The rules: each is a function of the case that returns its findings. The table follows the order of the files, not of the answer.

mod devices;
mod drivers;
mod files;
mod gpus;
mod layers;
mod library;
mod loader;
mod nvidia;
mod place;
mod settings;
mod summary;
mod variables;

use super::case::Case;
use super::finding::{Finding, Severity, weight};

/// A rule: returns its findings for a case.
type Rule = fn(&Case) -> Vec<Finding>;

const RULES: &[Rule] = &[
    loader::not_begun,
    loader::absent,
    loader::shadowed,
    loader::two,
    loader::mixed,
    loader::broken,
    layers::culprits,
    layers::broken,
    layers::slow,
    layers::none,
    drivers::tried,
    drivers::not_opened,
    drivers::devices_that_fail,
    variables::replacing,
    variables::filters,
    variables::separators,
    variables::misspelt,
    variables::folders,
    variables::hiding,
    settings::unusable,
    settings::drivers,
    settings::layers,
    files::strays,
    devices::closed,
    devices::refused,
    devices::none,
    gpus::without_driver,
    nvidia::versions,
    nvidia::container,
    place::flatpak,
    place::snap,
    place::wsl,
    place::steam,
    place::container,
    place::process,
    place::proc_is_absent,
    place::memory_limit,
    place::app_image,
    summary::software,
    summary::old_version,
    summary::portability,
    summary::other_width,
    summary::nothing_found,
    summary::no_gpu,
    summary::result,
];

/// Returns all findings, the gravest first, and among equals the best explanation.
pub(super) fn findings(case: &Case) -> Vec<Finding> {
    let mut all: Vec<Finding> = RULES.iter().flat_map(|rule| rule(case)).collect();
    all.sort_by_key(|finding| (finding.severity, u8::MAX - finding.weight));
    let mut said: Vec<(String, String)> = Vec::new();
    all.retain(|finding| {
        let one = (finding.id.clone(), finding.about.clone());
        let new = !said.contains(&one);
        said.push(one);
        new
    });
    if case.facts.user.id == 0 {
        let steps = all.iter_mut().flat_map(|finding| &mut finding.next);
        steps.for_each(|step| *step = step.replace("sudo ", ""));
    }
    leave_out_guesses(&mut all, case.good_drivers().next().is_some());
    all
}

/// Leaves out findings that matter only if no other explains more. If a driver works alone and the cause of the failure was proven,
/// findings that were not proven are left out.
fn leave_out_guesses(all: &mut Vec<Finding>, a_driver_works: bool) {
    let Some(first) = all.first().filter(|first| first.severity == Severity::Error).map(|first| first.weight)
    else {
        return;
    };
    let enough = if first >= weight::SEEN { weight::LIKELY } else { weight::REST + 1 };
    all.retain(|finding| {
        finding.severity != Severity::Error || finding.weight == first || finding.weight >= enough
    });
    if a_driver_works && first >= weight::PROVEN - 10 {
        let others = all
            .iter_mut()
            .filter(|finding| finding.severity == Severity::Error && finding.weight < weight::PROVEN - 10);
        others.for_each(|finding| finding.severity = Severity::Warning);
    }
}
