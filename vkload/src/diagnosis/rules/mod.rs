//! The rules: each is a function of the case that returns its findings. The table follows the order of the files, not of the answer.

mod assignments;
mod devices;
mod displays;
mod drivers;
mod environment;
mod files;
mod gpus;
mod layers;
mod library;
mod loader;
mod nvidia;
mod program;
mod settings;
mod summary;
mod variables;

use super::case::Case;
use super::finding::{Evidence, Finding, Id, Severity};

/// A rule: returns its findings for a case.
type Rule = fn(&Case) -> Vec<Finding>;

const RULES: &[Rule] = &[
    loader::not_begun,
    loader::preloaded,
    loader::old,
    loader::not_read,
    loader::absent,
    loader::shadowed,
    loader::two,
    loader::mixed,
    loader::broken,
    layers::culprits,
    layers::broken,
    layers::takes_long,
    layers::twice,
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
    variables::of_dxvk,
    settings::unusable,
    settings::drivers,
    settings::layers,
    files::strays,
    displays::dead,
    devices::closed,
    devices::refused,
    devices::none,
    gpus::without_driver,
    nvidia::versions,
    nvidia::device_files,
    nvidia::container,
    environment::flatpak,
    environment::snap,
    environment::wsl,
    environment::steam,
    environment::container,
    environment::process,
    environment::proc_is_absent,
    environment::memory_limit,
    environment::app_image,
    program::missing,
    program::version,
    program::fails,
    summary::software,
    summary::old_version,
    summary::portability,
    summary::other_width,
    summary::nothing_found,
    summary::no_gpu,
    summary::result,
];

/// Findings that explain others of the same severity and evidence, and come before them in this order. All others are in the order of the
/// rules, and so is everything that is merely likely.
const EXPLAINING: &[Id] = &[
    Id::NotTried,
    Id::NoLoader,
    Id::LoaderDangling,
    Id::LoaderTruncated,
    Id::LoaderNotElf,
    Id::LoaderDenied,
    Id::LoaderMachine,
    Id::LoaderClass,
    Id::LoaderBroken,
    // A variable was set on purpose, although turning off the layer that reads it would help as well.
    Id::DevicesChosen,
    Id::LayerBreaks,
    Id::NoModesetting,
    Id::MemoryLimit,
    Id::NvidiaVersions,
    Id::NoProc,
    Id::SettingsDrivers,
    Id::DriversReplaced,
    Id::FlatpakDevices,
    Id::FlatpakExtension,
    Id::LoaderShadowed,
    Id::LoaderBesideSystem,
    Id::NoAccess,
    Id::DeviceRefused,
    Id::NvidiaModule,
    Id::NvidiaDevice,
    Id::NvidiaLibraries,
    Id::DeviceFails,
    Id::NoDeviceFile,
    Id::NvidiaManifest,
];

/// Findings with those that have the same cause and say less about it. They are left out if the first one is reported.
const EXPLAINED: &[(Id, &[Id])] = &[
    (Id::NoModesetting, &[Id::GpuWithoutKernelDriver, Id::NoDeviceFile, Id::NvidiaModule]),
    (Id::NoDeviceFile, &[Id::GpuWithoutKernelDriver]),
    (Id::GpuWithoutVulkan, &[Id::NoGpu]),
    (Id::ContainerWithoutDevice, &[Id::Software]),
    (Id::DriversReplaced, &[Id::ContainerWithoutDevice]),
    (Id::NoDriver, &[Id::LibraryClass]),
    (
        Id::NvidiaVersions,
        &[
            Id::NvidiaDevice,
            Id::LibraryAbsent,
            Id::LibraryMissing,
            Id::DriverFails,
            Id::DriverDoesNotLoad,
            Id::GpuNotFound,
            Id::NoGpu,
        ],
    ),
    (Id::NvidiaDevice, &[Id::DriverFails, Id::DriverDoesNotLoad, Id::GpuNotFound, Id::NoGpu]),
    (
        // Nothing was tried without it.
        Id::PreloadBreaks,
        &[
            Id::LoaderBroken,
            Id::LoaderShadowed,
            Id::LoaderDiffers,
            Id::ProgramDies,
            Id::Program,
            Id::NoGpu,
            Id::DriverDoesNotLoad,
            Id::DriverFails,
            Id::DriverCrashes,
            Id::DriverHangs,
            Id::DriverExits,
            Id::DeviceFails,
            Id::LayerDoesNotLoad,
            Id::LayerFails,
            Id::LayerCrashes,
            Id::LayerHangs,
            Id::LayerExits,
            Id::GpuNotFound,
        ],
    ),
];

/// Leaves out findings that another one explains.
fn leave_out_explained(all: &mut Vec<Finding>) {
    let is_cause =
        |finding: &&Finding| finding.severity < Severity::Note || finding.id == Id::ContainerWithoutDevice;
    let found: Vec<Id> = all.iter().filter(is_cause).map(|finding| finding.id).collect();
    let explained =
        |id: Id| EXPLAINED.iter().any(|(cause, effects)| found.contains(cause) && effects.contains(&id));
    all.retain(|finding| !explained(finding.id));
    // The headline says it, and the others say why.
    if all.iter().any(|finding| finding.severity < Severity::Note && finding.id != Id::Software) {
        all.retain(|finding| finding.id != Id::Software);
    }
}

/// Returns the position of a finding among others of the same severity and evidence.
fn rank(finding: &Finding) -> usize {
    let listed = EXPLAINING.iter().position(|id| *id == finding.id);
    listed.filter(|_| finding.evidence < Evidence::Likely).unwrap_or(EXPLAINING.len())
}

/// Returns all findings, the gravest first, and among equals the best explanation.
pub(super) fn findings(case: &Case) -> Vec<Finding> {
    let mut all: Vec<Finding> = RULES.iter().flat_map(|rule| rule(case)).collect();
    all.sort_by_key(|finding| (finding.severity, finding.evidence, rank(finding)));
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
