//! Graphics devices on the bus that programs cannot use.

use super::super::case::{Case, file_name};
use super::super::finding::{Evidence, Finding, Id, Severity};
use crate::command::{Command, Step};
use crate::facts::Gpu;
use crate::probe::{Ending, Trial};

pub(super) fn without_driver(case: &Case) -> Vec<Finding> {
    let idle = |gpu: &&Gpu| case.works().is_some() && !case.is_driven(gpu);
    case.facts.gpus.iter().filter(idle).filter_map(|gpu| one(case, gpu)).collect()
}

fn one(case: &Case, gpu: &Gpu) -> Option<Finding> {
    let name = format!("GPU {}", gpu.address);
    let finding = |id, what: String| Finding::new(case, id, &name, what);
    let maker = gpu.name();
    if !gpu.can_have_vulkan() {
        return Some(without_vulkan(case, gpu, &name));
    }
    let kernel = gpu.driver.as_deref();
    if gpu.vendor == 0x10de && kernel == Some("nouveau") {
        let what = format!(
            "the kernel driver of this GPU (NVIDIA) is nouveau{}",
            if has_nvk(case) {
                ", and Mesa's driver for it does not find this GPU"
            } else {
                ", and no Vulkan driver for nouveau is installed"
            }
        );
        return Some(finding(Id::GpuNouveau, what).with_steps(case.install_nvidia()));
    }
    if let Some(kernel @ ("vfio-pci" | "pci-stub")) = kernel {
        let what = format!(
            "this GPU ({maker}) is set aside for virtual machines ({kernel}), so no program here can use it"
        );
        return Some(finding(Id::GpuSetAside, what).step(
            "Take it out of the options of vfio-pci (/etc/modprobe.d, kernel command line) and restart",
        ));
    }
    if kernel == Some("radeon") {
        let what = "the kernel driver of this GPU (AMD) is radeon, and Vulkan needs amdgpu".to_owned();
        return Some(finding(Id::GpuRadeon, what).step("Add to the kernel command line: radeon.si_support=0 radeon.cik_support=0 amdgpu.si_support=1 amdgpu.cik_support=1"));
    }
    if kernel.is_none() {
        let module =
            gpu.maker().and_then(|maker| maker.kernel_drivers.first()).copied().unwrap_or("the GPU's module");
        let what = format!("no kernel driver has taken this GPU ({maker}), so no Vulkan driver can use it");
        return Some(
            finding(Id::GpuWithoutKernelDriver, what).step(super::devices::load_module(case, module)),
        );
    }
    let is_for = |manifest: &str| {
        gpu.is_driven_by(manifest) && (!gpu.needs_hasvk() || file_name(manifest).contains("hasvk"))
    };
    let drivers: Vec<_> = case.drivers.iter().filter(|driver| is_for(&driver.manifest)).collect();
    if drivers.is_empty()
        && gpu.needs_hasvk()
        && case.drivers.iter().any(|driver| gpu.is_driven_by(&driver.manifest))
    {
        let what = format!(
            "this GPU ({maker}) needs Mesa's driver intel_hasvk, which is not installed: intel_icd is for newer ones"
        );
        return Some(finding(Id::GpuWithoutDriver, what).step(case.install_driver(Some(gpu.vendor))));
    }
    if drivers.is_empty() && (case.has_manifest_for(gpu) || super::nvidia::container(case).is_some()) {
        return None;
    }
    let Some(driver) = drivers.first() else {
        let what = format!("GPU {} ({maker}) has no Vulkan driver", gpu.address);
        let finding = Finding::new(case, Id::GpuWithoutDriver, "", what);
        if gpu.vendor == 0x10de {
            return Some(finding.with_steps(case.install_nvidia()));
        }
        return Some(finding.step(case.install_driver(Some(gpu.vendor))));
    };
    // Another rule reports why the driver does not work, if that is known. Containers see GPUs on the bus that they are not given.
    let is_missing = |trial: &Trial| {
        let known = trial.devices.iter().all(|tried| !tried.device.bus.is_empty() && !tried.device.is(gpu));
        known && (trial.devices.is_empty() || case.facts.environment.container.is_none())
    };
    let quiet = case.trial(driver).is_some_and(|trial| trial.ending == Ending::Finished && is_missing(trial));
    if !quiet || super::devices::any_closed(case) {
        return None;
    }
    let kernel = kernel.unwrap_or_default();
    let what = format!(
        "{} loads, but does not find this GPU ({maker}; kernel driver {kernel}){}",
        file_name(&driver.manifest),
        case.trial(driver).map(Trial::searches).unwrap_or_default()
    );
    let missing = case.trial(driver).and_then(|trial| trial.not_found.first());
    if let (Some(missing), Some(manager)) = (missing, case.facts.packages.manager) {
        let install = manager.install_library(missing, case.target.bits);
        return Some(finding(Id::GpuNotFound, what).evidence(Evidence::Seen).with_steps(install));
    }
    let step: Step = match gpu.vendor {
        0x1af4 => "Turn on Vulkan for the virtual machine's graphics (venus: -device virtio-gpu-gl,blob=true,venus=true,hostmem=4G)".into(),
        0x10de => "Update NVIDIA's driver: the GPU may be too new for it, or too old; the kernel's log may say more: sudo dmesg | grep -i nvrm".into(),
        _ => Step::say("Update Mesa and the kernel: the GPU may be too new for them, or too old; the kernel's log may say more: ")
            .run(Command::new("sudo dmesg | grep -i {}", &[&kernel])),
    };
    Some(finding(Id::GpuNotFound, what).step(step))
}

fn without_vulkan(case: &Case, gpu: &Gpu, name: &str) -> Finding {
    let maker = gpu.name();
    let what = match gpu.maker() {
        Some(_) if gpu.is_too_old() => {
            format!("this GPU ({maker}) is older than Vulkan: no Vulkan driver supports it")
        }
        Some(_) => {
            format!("this graphics device ({maker}) only drives a display: no Vulkan driver supports it")
        }
        None => format!("no Vulkan driver for this graphics device ({maker}) is known"),
    };
    let (severity, evidence) = match gpu.is_too_old() {
        true if case.fails() => (Severity::Error, Evidence::Known),
        true if case.only_software() => (Severity::Warning, Evidence::Known),
        _ => (Severity::Note, Evidence::Likely),
    };
    let software = Step::say("To draw on the processor instead: ").and(case.install_driver(None));
    Finding::new(case, Id::GpuWithoutVulkan, name, what)
        .with_severity(severity)
        .evidence(evidence)
        .with_steps(case.devices().is_empty().then_some(software))
}

fn has_nvk(case: &Case) -> bool {
    case.drivers.iter().any(|driver| driver.manifest.contains("nouveau"))
}
