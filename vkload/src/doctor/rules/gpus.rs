//! Graphics devices on the bus that programs cannot use.

use super::super::case::{Case, file_name};
use super::super::finding::{Finding, Severity, weight};
use crate::facts::Gpu;

/// GPUs that no usable device belongs to.
pub(super) fn without_driver(case: &Case) -> Vec<Finding> {
    let idle = |gpu: &&Gpu| case.works().is_some() && !case.is_driven(gpu);
    case.facts.gpus.iter().filter(idle).filter_map(|gpu| one(case, gpu)).collect()
}

fn one(case: &Case, gpu: &Gpu) -> Option<Finding> {
    let name = format!("GPU {}", gpu.place);
    let severity = if case.fails() { Severity::Error } else { Severity::Warning };
    let finding = |weight, id: &str, what: String| Finding::new(severity, weight, id, &name, what);
    let maker = gpu.name();
    if !gpu.can_have_vulkan() {
        let what =
            format!("this graphics device ({maker}) only shows pictures: there is no Vulkan driver for it");
        return Some(
            Finding::new(Severity::Note, weight::LIKELY, "gpu-without-vulkan", &name, what)
                .step("Programs that need no GPU can draw on the processor: ".to_owned() + &software(case)),
        );
    }
    let kernel = gpu.driver.as_deref();
    if gpu.vendor == 0x10de && kernel == Some("nouveau") {
        let what = format!(
            "the kernel drives this GPU (NVIDIA) with nouveau{}",
            if has_nvk(case) {
                ", and Mesa's driver for it finds no device"
            } else {
                ", and no Vulkan driver for nouveau is installed"
            }
        );
        return Some(finding(weight::KNOWN, "gpu-nouveau", what).steps(nvidia_steps(case)));
    }
    if let Some(kernel @ ("vfio-pci" | "pci-stub")) = kernel {
        let what = format!(
            "this GPU ({maker}) is set aside for virtual machines ({kernel}), so no program here can use it"
        );
        return Some(Finding::new(severity, weight::KNOWN, "gpu-set-aside", &name, what).step(
            "Take it out of the options of vfio-pci (/etc/modprobe.d, kernel command line) and restart",
        ));
    }
    if kernel == Some("radeon") {
        let what = "the kernel drives this GPU (AMD) with radeon, and Vulkan needs amdgpu".to_owned();
        return Some(finding(weight::KNOWN, "gpu-radeon", what).step("Add to the kernel command line: radeon.si_support=0 radeon.cik_support=0 amdgpu.si_support=1 amdgpu.cik_support=1"));
    }
    if kernel.is_none() {
        let module =
            gpu.maker().and_then(|maker| maker.kernel_drivers.first()).copied().unwrap_or("the GPU's module");
        let what = format!("no kernel driver has taken this GPU ({maker}), so no Vulkan driver can use it");
        return Some(
            finding(weight::KNOWN, "gpu-without-kernel-driver", what)
                .step(format!("sudo modprobe {module}; then look at: sudo dmesg | grep -i {module}")),
        );
    }
    let drivers: Vec<_> = case.drivers.iter().filter(|driver| gpu.is_driven_by(&driver.manifest)).collect();
    let Some(driver) = drivers.first() else {
        let what = format!("GPU {} ({maker}) has no Vulkan driver", gpu.place);
        let manager = case.facts.packages.manager;
        let mut finding = Finding::new(severity, weight::KNOWN, "gpu-without-driver", "", what);
        if gpu.vendor == 0x10de {
            return Some(finding.steps(nvidia_steps(case)));
        }
        if case.is_sealed() {
            return Some(finding.step("Nothing can be installed in here: update the application's runtime"));
        }
        finding
            .next
            .extend(manager.map(|manager| manager.vulkan_drivers(Some(gpu.vendor))).unwrap_or_default());
        if finding.next.is_empty() {
            finding.next.push(
                "Install your distribution's Vulkan drivers (Mesa's, unless the maker has one of its own)"
                    .to_owned(),
            );
        }
        return Some(finding);
    };
    // Why the driver does not work is said where that is known.
    let quiet = case
        .trial(driver)
        .is_some_and(|trial| trial.ending == crate::probe::Ending::Finished && trial.devices.is_empty());
    if !quiet {
        return None;
    }
    let kernel = kernel.unwrap_or_default();
    let what = format!(
        "{} is loaded, but it finds no GPU: the kernel drives GPU {} ({maker}) with {kernel}",
        file_name(&driver.manifest),
        gpu.place
    );
    let step = match gpu.vendor {
        0x1af4 => "Turn on Vulkan for the virtual machine's graphics (venus: -device virtio-gpu-gl,blob=true,venus=true,hostmem=4G)".to_owned(),
        _ => format!("sudo dmesg | grep -i {kernel}: the GPU may be too old or too new for this driver; update Mesa and the kernel"),
    };
    Some(finding(weight::LIKELY, "gpu-not-found", what).step(step))
}

fn has_nvk(case: &Case) -> bool {
    case.drivers.iter().any(|driver| driver.manifest.contains("nouveau"))
}

/// How NVIDIA's driver is installed here.
pub(super) fn nvidia_steps(case: &Case) -> Vec<String> {
    let Some(manager) = case.facts.packages.manager.filter(|_| !case.is_sealed()) else {
        return vec!["Install NVIDIA's driver; its Vulkan part comes with it".to_owned()];
    };
    manager.nvidia_driver(&case.facts.system)
}

/// The command that brings a driver that runs on the processor.
fn software(case: &Case) -> String {
    let manager = case.facts.packages.manager;
    manager
        .and_then(|manager| manager.vulkan_drivers(None).into_iter().next())
        .unwrap_or_else(|| "install Mesa's lavapipe".to_owned())
}
