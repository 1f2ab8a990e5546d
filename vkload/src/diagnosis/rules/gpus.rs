//! Graphics devices on the bus that programs cannot use. The first link is reported that is missing between the kernel and the programs: a kernel
//! driver that has the device, a device file, a Vulkan driver for it, a Vulkan driver that finds it.

use super::super::case::{Case, file_name};
use super::super::finding::{Evidence, Finding, Id, Severity};
use crate::command::{Command, Step};
use crate::facts::{CPU, Gpu, Node};
use crate::probe::{Ending, Trial};
use crate::view::{Device, DriverView};

pub(super) fn without_driver(case: &Case) -> Vec<Finding> {
    let idle = case.facts.gpus.iter().filter(|gpu| !case.is_driven(gpu));
    idle.filter_map(|gpu| one(case, gpu)).collect()
}

fn one(case: &Case, gpu: &Gpu) -> Option<Finding> {
    let name = format!("GPU {}", gpu.address);
    let finding = |id, what: String| Finding::new(case, id, &name, what);
    let maker = gpu.name();
    if !gpu.can_have_vulkan() {
        return Some(without_vulkan(case, gpu, &name));
    }
    let kernel = gpu.driver.as_deref();
    match kernel {
        None => return super::kernel::not_taken(case, gpu, &name),
        // Only a trial shows what Mesa's driver finds.
        Some("nouveau") if case.works().is_none() && has_nvk(case) => return None,
        Some("nouveau") => {
            let has_libraries = !case.facts.nvidia.libraries.is_empty();
            let more = match (has_libraries, has_nvk(case)) {
                (true, _) => "and the libraries that are installed are those of NVIDIA's driver",
                (false, true) => "and Mesa's driver for it does not find this GPU",
                (false, false) => "and no Vulkan driver for nouveau is found",
            };
            let what = format!("the kernel driver of this GPU (NVIDIA) is nouveau, {more}");
            let finding = finding(Id::GpuNouveau, what);
            let has_module = gpu.modules.iter().any(|module| module.name == "nvidia" && module.is_here);
            return Some(match has_libraries && has_module && super::nvidia::has_manifest(case) {
                true => finding.step("echo blacklist nouveau | sudo tee /etc/modprobe.d/blacklist-nouveau.conf, then rebuild the initial RAM disk (sudo update-initramfs -u, sudo dracut --force or sudo mkinitcpio -P) and restart"),
                false => finding.with_steps(case.install_nvidia()),
            });
        }
        Some(kernel @ ("vfio-pci" | "pci-stub")) => {
            let what = format!(
                "this GPU ({maker}) is set aside for virtual machines ({kernel}), so no program here can use it"
            );
            // A machine with another GPU keeps this one for virtual machines on purpose.
            let is_other = |other: &Gpu| case.works().is_none() && other.has_usual_driver();
            if case.devices().iter().any(|device| device.kind != "cpu")
                || case.facts.gpus.iter().any(is_other)
            {
                return Some(finding(Id::GpuSetAside, what).with_severity(Severity::Note));
            }
            return Some(finding(Id::GpuSetAside, what).step(
                "Take it out of the options of vfio-pci (/etc/modprobe.d, kernel command line) and restart",
            ));
        }
        Some("radeon") => {
            let what = "the kernel driver of this GPU (AMD) is radeon, and Vulkan needs amdgpu".to_owned();
            return Some(finding(Id::GpuRadeon, what).step("Add to the kernel command line: radeon.si_support=0 radeon.cik_support=0 amdgpu.si_support=1 amdgpu.cik_support=1"));
        }
        Some(_) if has_no_file(case, gpu) => return Some(without_file(case, gpu)),
        Some(_) => {}
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
        return Some(finding(Id::GpuWithoutDriver, what).step(case.install_driver(gpu.family())));
    }
    if drivers.is_empty() && (case.has_manifest_for(gpu) || super::nvidia::container(case).is_some()) {
        return None;
    }
    let Some(driver) = drivers.first() else {
        let what = format!("no Vulkan driver for this GPU ({maker}) is found");
        return Some(finding(Id::GpuWithoutDriver, what).with_steps(case.install_for(Some(gpu))));
    };
    let has_mesas = drivers.iter().any(|driver| file_name(&driver.manifest).starts_with("radeon"));
    not_found(case, gpu, driver, has_mesas)
}

/// Reports a GPU that the driver installed for it does not find.
fn not_found(case: &Case, gpu: &Gpu, driver: &DriverView, has_mesas: bool) -> Option<Finding> {
    let finding = |what: String| Finding::new(case, Id::GpuNotFound, &format!("GPU {}", gpu.address), what);
    // Another rule reports why the driver does not work, if that is known. In a container a driver may find another GPU only, since containers
    // also see GPUs on the bus that they are not given.
    let is_missing = |trial: &Trial| {
        let known = trial.devices.iter().all(|tried| !tried.device.bus.is_empty() && !tried.device.is(gpu));
        known && (trial.devices.is_empty() || case.facts.environment.container.is_none())
    };
    let quiet = case.trial(driver).is_some_and(|trial| trial.ending == Ending::Finished && is_missing(trial));
    if !quiet || super::devices::any_closed(case) {
        return None;
    }
    let kernel = gpu.driver.as_deref().unwrap_or_default();
    // A platform device has no address that identifies it.
    let is_it = |device: &Device| device.is(gpu) || (gpu.vendor == 0 && device.kind != "cpu");
    let is_helped =
        case.trials.helped.iter().any(|(of, trial)| {
            *of == driver.manifest && trial.devices.iter().any(|tried| is_it(&tried.device))
        });
    let helping = case.trials.helping.iter().find(|(of, ..)| is_helped && *of == driver.manifest);
    let with = helping.map(|(_, name, value)| format!("; with {name}={value} it does")).unwrap_or_default();
    let what = format!(
        "{} loads, but does not find this GPU ({}; kernel driver {kernel}){}{}{with}{}",
        file_name(&driver.manifest),
        gpu.name(),
        case.trial(driver).map(Trial::searches).unwrap_or_default(),
        case.trial(driver).map(super::drivers::printed).unwrap_or_default(),
        super::kernel::said(case, gpu),
    );
    if let Some(trial) = case.trial(driver).filter(|_| helping.is_some()) {
        let steps = super::drivers::repair(case, driver, trial);
        return Some(finding(what).evidence(Evidence::Seen).with_steps(steps));
    }
    if let Some(missing) = case.trial(driver).and_then(|trial| trial.not_found.first()) {
        let install = case.install_library(missing);
        return Some(finding(what).evidence(Evidence::Seen).with_steps(install));
    }
    let refused = case.trial(driver).and_then(|trial| trial.refused.last());
    if let Some(step) = refused.and_then(|file| super::drivers::give(case, file)) {
        return Some(finding(what).evidence(Evidence::Seen).step(step));
    }
    if let Some(step) = super::kernel::remedy(case, gpu) {
        return Some(finding(what).step(step));
    }
    // AMD's own driver does not find all its GPUs, and Mesa's does.
    if case.is_sealed() || (gpu.vendor == 0x1002 && !has_mesas) {
        return Some(finding(what).step(case.install_driver(gpu.family())));
    }
    let step: Step = match gpu.vendor {
        0x1af4 => "Turn on Vulkan for the virtual machine's graphics (venus: -device virtio-gpu-gl,blob=true,venus=true,hostmem=4G)".into(),
        0x10de => "Update NVIDIA's driver: the GPU may be too new for it, or too old; the kernel's log may say more: sudo dmesg | grep -i nvrm".into(),
        _ => Step::say("Update Mesa and the kernel: the GPU may be too new for them, or too old; the kernel's log may say more: ")
            .run(Command::new("sudo dmesg | grep -i {}", &[&kernel])),
    };
    Some(finding(what).step(step))
}

/// Returns whether no device file is here for a GPU whose kernel driver makes one.
fn has_no_file(case: &Case, gpu: &Gpu) -> bool {
    has_file(case).is_none() && gpu.has_usual_driver() && case.facts.environment.wsl.is_none()
}

pub(super) fn without_file(case: &Case, gpu: &Gpu) -> Finding {
    let is_container = case.facts.environment.container.is_some();
    let end = if is_container { " in this container" } else { "" };
    let what = format!("there is no device file for GPU {} ({}){end}", gpu.address, gpu.name());
    let finding = Finding::new(case, Id::NoDeviceFile, "/dev/dri", what);
    match (is_container, gpu.vendor) {
        (true, 0x10de) => {
            finding.step("Start the container with --gpus all -e NVIDIA_DRIVER_CAPABILITIES=all")
        }
        (true, _) => finding.step(case.give_device(&["/dev/dri"])),
        (false, _) => finding.step(Command::new("sudo dmesg | grep -i -e drm -e gpu", &[])),
    }
}

pub(super) fn has_file(case: &Case) -> Option<&Node> {
    case.facts.nodes.iter().find(|node| node.kind != "card")
}

fn without_vulkan(case: &Case, gpu: &Gpu, name: &str) -> Finding {
    let maker = gpu.name();
    let what = match gpu.maker() {
        Some(_) if gpu.is_too_old() => {
            format!("this GPU ({maker}) is older than Vulkan: no Vulkan driver supports it")
        }
        Some(_) => format!("no Vulkan driver for this graphics device ({maker}) exists"),
        None => format!("no Vulkan driver for this graphics device ({maker}) is known"),
    };
    let is_only = gpu.maker().is_some() && !case.facts.gpus.iter().any(Gpu::can_have_vulkan);
    let (severity, evidence) = match gpu.is_too_old() {
        is_old if case.fails() && (is_old || is_only) => (Severity::Error, Evidence::Known),
        true if case.only_software() => (Severity::Warning, Evidence::Known),
        _ => (Severity::Note, Evidence::Likely),
    };
    let software = Step::say("To draw on the processor instead: ").and(case.install_driver(CPU));
    Finding::new(case, Id::GpuWithoutVulkan, name, what)
        .with_severity(severity)
        .evidence(evidence)
        .with_steps((case.works().is_some() && case.devices().is_empty()).then_some(software))
}

fn has_nvk(case: &Case) -> bool {
    case.drivers.iter().any(|driver| driver.manifest.contains("nouveau"))
}
