//! The state as a headline, and the reason if no other rule has one.

use vkload_core::discovery::{DriverDecision, Origin, SearchResult, Searched, SkipReason};

use super::super::case::{Case, NARROW, file_name};
use super::super::finding::{Evidence, Finding, Id, Severity};
use crate::command::Step;
use crate::facts::{Gpu, LibraryState};
use crate::probe::{Ending, Stage, Trial};
use crate::view::DriverView;

/// Works, and only on the processor.
pub(super) fn software(case: &Case) -> Option<Finding> {
    if !case.only_software() {
        return None;
    }
    let gpu = case.facts.gpus.iter().any(|gpu| gpu.can_have_vulkan());
    let what = if gpu || case.facts.environment.wsl.is_some() {
        "programs draw on the processor and not on this machine's GPU"
    } else if case.facts.gpus.is_empty() {
        "programs draw on the processor, because there is no GPU here"
    } else {
        "programs draw on the processor, because no Vulkan driver for this machine's GPU exists"
    };
    let severity = if gpu { Severity::Warning } else { Severity::Note };
    let finding = Finding::new(case, Id::Software, "", what).with_severity(severity);
    let environment = &case.facts.environment;
    Some(match (&environment.virtual_machine, gpu) {
        (Some(name), false) => finding.step(match name.as_str() {
            "QEMU" | "KVM" => {
                format!("This is a virtual machine ({name}): give it a GPU by PCI pass-through, or virtio-gpu with venus")
            }
            _ => format!("This is a virtual machine ({name}), whose graphics have no Vulkan: give it a GPU by PCI pass-through, or run the program outside"),
        }),
        _ => finding,
    })
}

/// Works, and only in a version that most programs do not accept.
pub(super) fn old_version(case: &Case) -> Option<Finding> {
    if !case.only_old_versions() {
        return None;
    }
    let device = case.devices().into_iter().next()?;
    let what = format!(
        "{} has Vulkan {} only, and most programs need 1.1 or newer",
        device.name, device.api_version
    );
    let driver = case.good_drivers().next().map(|driver| case.reinstall(&driver.manifest));
    let finding = Finding::new(case, Id::OldVersion, "", what);
    Some(finding.step("Update the driver, unless the GPU is too old for a newer version").with_steps(driver))
}

/// Works, and only for programs that ask for drivers that lack a part of Vulkan.
pub(super) fn portability(case: &Case) -> Option<Finding> {
    let good: Vec<&DriverView> = case.good_drivers().collect();
    let is_part =
        |driver: &&&DriverView| case.candidate(driver).is_some_and(|candidate| candidate.portability);
    if case.works() != Some(true) || good.is_empty() || good.iter().filter(is_part).count() < good.len() {
        return None;
    }
    let names: Vec<_> = good.iter().map(|driver| file_name(&driver.manifest)).collect();
    let what = format!(
        "{} lacks a part of Vulkan (is_portability_driver), so only programs that enable VK_KHR_portability_enumeration get its devices; others get VK_ERROR_INCOMPATIBLE_DRIVER",
        names.join(" and ")
    );
    let finding = Finding::new(case, Id::PortabilityOnly, "", what);
    Some(finding.step("Update the program, or install a driver that is complete"))
}

/// Reports that all drivers found are for programs of another width.
pub(super) fn other_width(case: &Case) -> Option<Finding> {
    let is_left_out = |driver: &DriverView| {
        let decision = case.candidate(driver).map(|candidate| candidate.decision);
        matches!(decision, Some(DriverDecision::Skip(SkipReason::LibraryArch { .. })))
    };
    let other = |driver: &&DriverView| {
        let state = case.library(&driver.manifest).map(|library| &library.state);
        is_left_out(driver) || matches!(state, Some(LibraryState::WrongClass { .. }))
    };
    let used: Vec<&DriverView> =
        case.drivers.iter().filter(|driver| driver.used || is_left_out(driver)).collect();
    if used.is_empty() || is_replaced(case) || case.works() == Some(true) || !used.iter().all(other) {
        return None;
    }
    let names: Vec<_> = used.iter().map(|driver| file_name(&driver.manifest)).collect();
    let what = format!(
        "no manifest names a driver for {}-bit programs, only for others: {}",
        case.target.bits,
        names.join(", ")
    );
    Some(Finding::new(case, Id::NoDriver, "", what).with_steps(install(case)))
}

/// Reports that 32-bit programs have a loader and no driver for a GPU that others use.
pub(super) fn narrow(case: &Case) -> Option<Finding> {
    if case.target.bits != 64 || case.target.program.is_some() || is_replaced(case) || case.is_sealed() {
        return None;
    }
    let narrow = case.facts.narrow.as_ref()?;
    let lacks = |gpu: &&Gpu| case.is_driven(gpu) && !narrow.iter().any(|manifest| gpu.is_driven_by(manifest));
    let gpu = case.facts.gpus.iter().find(lacks)?;
    let mesas = Some(gpu).filter(|gpu| gpu.vendor != 0x10de).map(Gpu::family);
    let install = mesas.and_then(|family| case.facts.packages.vulkan_driver(family, 32));
    let what = format!(
        "32-bit programs, such as older Windows games, have a loader here and no driver for this GPU ({})",
        gpu.name()
    );
    let finding = Finding::new(case, Id::NarrowDriver, &format!("GPU {}", gpu.address), what);
    Some(finding.step(install.map_or_else(|| NARROW.into(), Step::from)))
}

/// Returns whether a variable replaces the search for drivers.
fn is_replaced(case: &Case) -> bool {
    case.planned.drivers.searched.iter().any(|one| matches!(one.origin, Origin::Replacing(_)))
}

pub(super) fn nothing_found(case: &Case) -> Option<Finding> {
    if case.drivers.iter().any(|driver| driver.used) || case.works() == Some(true) {
        return None;
    }
    // Installed manifests that the search misses have a rule that says why.
    if is_replaced(case) || !case.drivers.is_empty() || !case.facts.manifests.is_empty() {
        return None;
    }
    let is_read =
        |one: &&Searched| matches!(one.result, SearchResult::Failed(_) | SearchResult::Folder { .. });
    let folders = case.planned.drivers.searched.iter().filter(is_read).count();
    let what = format!(
        "no Vulkan driver is found: none of the {folders} folders that are searched (/usr/share/vulkan/icd.d and others) has a driver's manifest"
    );
    let finding = Finding::new(case, Id::NoDriver, "", what).evidence(Evidence::Missing);
    Some(finding.with_steps(install(case)))
}

fn install(case: &Case) -> Vec<Step> {
    case.install_for(case.facts.gpus.iter().find(|gpu| gpu.can_have_vulkan()))
}

/// Reports that no installed driver finds a device.
pub(super) fn no_gpu(case: &Case) -> Option<Finding> {
    let idle = |trial: &&Trial| {
        trial.devices.is_empty()
            && trial.not_found.is_empty()
            && (trial.ending == Ending::Finished
                || (matches!(trial.ending, Ending::Result { code: -9 | -3 })
                    && trial.stage == Stage::CreateInstance))
    };
    let drivers: Vec<_> = case
        .drivers
        .iter()
        .filter(|driver| case.trial(driver).as_ref().is_some_and(idle))
        .map(|driver| file_name(&driver.manifest))
        .collect();
    if !case.fails() || drivers.is_empty() {
        return None;
    }
    let what = match &drivers[..] {
        [one] => format!("1 driver loaded, but it found no GPU: {one}"),
        drivers => format!("{} drivers loaded, but they found no GPU: {}", drivers.len(), drivers.join(", ")),
    };
    let finding = Finding::new(case, Id::NoGpu, "", what);
    let has_software = case.drivers.iter().any(|driver| driver.manifest.contains("lvp"));
    let known = !case.facts.gpus.is_empty();
    let environment = &case.facts.environment;
    let is_inner = environment.container.is_some() || environment.virtual_machine.is_some();
    let finding = match (known, environment.board.as_ref().filter(|_| !is_inner)) {
        (true, _) => finding,
        (false, None) => finding.step(
            "The kernel lists no graphics device; if there is one, look for it: lspci | grep -i -e vga -e 3d",
        ),
        (false, Some(board)) => {
            let off = environment.turned_off.join(" and ");
            let off =
                if off.is_empty() { String::new() } else { format!(": its device tree turns off {off}") };
            let finding =
                finding.step(format!("The kernel of this board ({board}) lists no graphics device{off}"));
            if environment.turned_off.is_empty() {
                finding
            } else if board.starts_with("Raspberry Pi") {
                finding.step("Add dtoverlay=vc4-kms-v3d to /boot/firmware/config.txt (or /boot/config.txt), and restart")
            } else {
                finding.step("Turn it on in the device tree, by an overlay in the boot loader's configuration, and restart")
            }
        }
    };
    Some(if has_software {
        finding
    } else {
        finding.with_steps(
            install(case)
                .into_iter()
                .take(1)
                .filter(|_| !known)
                .map(|step| Step::say("To draw on the processor instead: ").and(step)),
        )
    })
}

/// Reports the suspects without which it is the same.
pub(super) fn excluded(case: &Case) -> Option<Finding> {
    let names = &case.trials.excluded;
    let shown: Vec<_> = names.iter().take(SHOWN).map(|name| file_name(name)).collect();
    let more = names.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let what = format!("tried without effect: all of these left out: {}{more}", shown.join(", "));
    (!names.is_empty() && case.trials.causes.is_empty()).then(|| Finding::new(case, Id::Excluded, "", what))
}

/// More names are not shown.
const SHOWN: usize = 5;

/// Reports the program's result if no other rule explains it.
pub(super) fn result(case: &Case) -> Option<Finding> {
    let program = case.trials.program.as_ref().filter(|trial| !trial.works() && trial.stage > Stage::Open)?;
    let what = match &program.ending {
        Ending::Finished => "a program finds no device that it can use".to_owned(),
        ending => ending.tell(program.stage),
    };
    let good: Vec<&DriverView> = case.good_drivers().collect();
    let alone = match &good[..] {
        [] => String::new(),
        [one] => format!(", though {} works alone", file_name(&one.manifest)),
        some => {
            let names: Vec<_> = some.iter().map(|driver| file_name(&driver.manifest)).collect();
            format!(", though {} each work alone", names.join(" and "))
        }
    };
    let said = program.printed.last().map(|line| format!("; the loader says: {line}")).unwrap_or_default();
    let finding = Finding::new(case, Id::Program, &program.file, what + &alone + &said);
    Some(finding.step("To see everything that the loader says: VK_LOADER_DEBUG=all vkload doctor --json"))
}
