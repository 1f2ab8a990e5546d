//! NVIDIA's driver, whose parts must be of one version.

use super::super::case::{Case, file_name};
use super::super::finding::{Evidence, Finding, Id, Severity};
use crate::command::{Command, Step};
use crate::facts::Gpu;
use crate::probe::{Stage, Trial};

/// Reports that the kernel's part and the libraries differ, or that one is missing.
pub(super) fn versions(case: &Case) -> Option<Finding> {
    let nvidia = &case.facts.nvidia;
    if !is_concerned(case) {
        return None;
    }
    match (&nvidia.module, &nvidia.libraries[..]) {
        (Some(module), [first, ..])
            if !nvidia.libraries.contains(module)
                || nvidia.used.as_ref().is_some_and(|used| used != module) =>
        {
            let used = nvidia.used.as_ref().unwrap_or(first);
            let what = format!(
                "the kernel module is version {module} of NVIDIA's driver, and the libraries are version {used}; they must be the same"
            );
            let finding = Finding::new(case, Id::NvidiaVersions, "NVIDIA", what);
            let named = case.facts.libraries.iter().filter(|library| library.library.contains("nvidia"));
            let mut packages = named.filter_map(|library| case.facts.owners.get(library.path.as_ref()?));
            let of_image = packages.find(|package| !package.is_empty());
            Some(match (&case.facts.environment.container, of_image) {
                (Some(_), Some(package)) => finding.step(format!(
                    "Take the package {package} out of the image: NVIDIA's container toolkit brings the host's libraries, which it hides"
                )),
                (Some(_), None) => finding.step(
                    "Start the container again: it got its libraries before the host's driver was updated",
                ),
                // The extension for this version, if it is not installed.
                _ if case.facts.environment.flatpak.is_some() => match super::environment::flatpak(case) {
                    Some(missing) => finding.with_steps(missing.next),
                    None => finding.step(Command::new("flatpak update", &[])),
                },
                _ => finding
                    .step("Restart the computer, so that it loads the kernel module of the version that is installed"),
            })
        }
        (Some(module), [])
            if case.facts.environment.container.is_none()
                && case.facts.environment.flatpak.is_none()
                && !lies_elsewhere(case) =>
        {
            let is_before_vulkan =
                module.split('.').next().and_then(|it| it.parse().ok()).is_some_and(|it: u32| it < 364);
            let what = match is_before_vulkan {
                true => format!(
                    "the kernel has NVIDIA's driver {module}, which has no Vulkan: series 364 was the first with it"
                ),
                false => format!(
                    "the kernel has NVIDIA's driver {module}, but the driver's Vulkan libraries are missing"
                ),
            };
            let finding = Finding::new(case, Id::NvidiaLibraries, "NVIDIA", what);
            let remove = is_before_vulkan.then_some(
                "Remove the packages of this series, and install the newest one that supports this GPU",
            );
            Some(finding.with_steps(remove).with_steps(case.install_nvidia()))
        }
        _ => None,
    }
}

/// Returns whether NVIDIA's driver may lie where its version is not seen: where it is not searched for, or behind a manifest that is left out.
fn lies_elsewhere(case: &Case) -> bool {
    let mut libraries = case.facts.libraries.iter();
    libraries.any(|library| library.library.contains("nvidia") && library.elsewhere.is_some())
        || case.drivers.iter().any(|driver| !driver.used && file_name(&driver.manifest).contains("nvidia"))
}

/// Device files without which NVIDIA's driver finds no GPU.
const DEVICE_FILES: &[&str] = &["/dev/nvidiactl", "/dev/nvidia0"];

/// Reports missing device files if the module and the libraries exist.
pub(super) fn device_files(case: &Case) -> Option<Finding> {
    let nvidia = &case.facts.nvidia;
    let is_there = |path: &str| case.facts.nodes.iter().any(|node| node.path == path);
    let missing: Vec<&str> = DEVICE_FILES.iter().copied().filter(|path| !is_there(path)).collect();
    let complete = nvidia.module.as_ref().is_some_and(|module| nvidia.libraries.contains(module));
    if !is_concerned(case)
        || missing.is_empty()
        || !complete
        || !case.works().is_some_and(|_| has_manifest(case))
    {
        return None;
    }
    if case.facts.gpus.iter().any(Gpu::needs_open_modules) && !nvidia.is_open && missing == ["/dev/nvidia0"] {
        let what =
            "this GPU works with NVIDIA's open kernel modules only, and the other ones are loaded".to_owned();
        let finding = Finding::new(case, Id::NvidiaDevice, "NVIDIA", what);
        let major = nvidia.module.as_deref().and_then(|it| it.split('.').next()).unwrap_or_default();
        return Some(finding.step(match case.facts.system.is("ubuntu") {
            true => Step::from(Command::new("sudo apt-get install {}", &[&format!("nvidia-driver-{major}-open")])).and_say(", then restart"),
            false => "Install NVIDIA's open kernel modules (nvidia-open, nvidia-open-dkms) instead, and restart".into(),
        }));
    }
    let verb = if missing.len() > 1 { "do not exist" } else { "does not exist" };
    let gpu = case.facts.gpus.iter().find(|gpu| gpu.vendor == 0x10de);
    let said = gpu.map(|gpu| super::kernel::said(case, gpu)).unwrap_or_default();
    let missing_files = missing.join(" and ");
    let what = format!("{missing_files} {verb}, and NVIDIA's driver reaches the GPU through them{said}");
    let finding = Finding::new(case, Id::NvidiaDevice, "NVIDIA", what);
    let environment = &case.facts.environment;
    Some(if environment.container.is_some() && !environment.may_have_toolkit() {
        finding.with_steps(case.install_nvidia())
    } else if environment.container.is_some() {
        let options: String = missing.iter().map(|path| format!(" --device {path}")).collect();
        let set =
            case.variable("NVIDIA_DRIVER_CAPABILITIES").map_or(" -e NVIDIA_DRIVER_CAPABILITIES=all", |_| "");
        finding.step(format!("Start the container with --gpus all{set}{options}"))
    } else if let Some(step) = gpu.and_then(|gpu| super::kernel::remedy(case, gpu)) {
        finding.step(step)
    } else {
        finding
            .step(Command::new("sudo nvidia-modprobe -c 0 -u", &[]))
            .step("If that does not help, see why: sudo dmesg | grep -i nvrm")
    })
}

/// Reports that the program fails in creating a device, for which NVIDIA's driver may need a device file that does not exist.
pub(super) fn unified_memory_file(case: &Case) -> Option<Finding> {
    let by_others = super::tried::cause_of_program(case).is_some_and(|cause| cause.drivers.is_empty());
    let asked = case.trials.asked.as_ref().filter(|it| it.failure.is_some() && it.missing.is_empty())?;
    let is_there = case.facts.nodes.iter().any(|node| node.path == "/dev/nvidia-uvm");
    let refuses = asked.refused.as_ref().is_some_and(|(command, _)| command == "vkCreateDevice");
    let has_gpu = case.devices().iter().any(|device| device.vendor == 0x10de);
    let what = "/dev/nvidia-uvm does not exist, which NVIDIA's driver needs for some extensions, and vkCreateDevice fails in the program";
    let finding = Finding::new(case, Id::NvidiaDevice, "NVIDIA", what).with_severity(Severity::Error);
    let is_here = case.facts.nvidia.module.is_some() && case.facts.environment.container.is_none();
    let finding = finding.evidence(Evidence::Likely).step(Command::new("sudo nvidia-modprobe -c 0 -u", &[]));
    (refuses && has_gpu && !is_there && !by_others && is_here).then_some(finding)
}

/// Returns whether a GPU of NVIDIA's may be here that programs do not get and for which NVIDIA has a Vulkan driver.
fn is_concerned(case: &Case) -> bool {
    let mut own = case.facts.gpus.iter().filter(|gpu| gpu.vendor == 0x10de).peekable();
    let is_old = own.peek().is_some() && own.all(Gpu::is_too_old);
    !is_old && !case.devices().iter().any(|device| device.vendor == 0x10de)
}

pub(super) fn has_manifest(case: &Case) -> bool {
    let found = case.drivers.iter().map(|driver| &driver.manifest);
    found.chain(&case.facts.manifests).any(|manifest| file_name(manifest).contains("nvidia"))
}

/// Reports a container that has NVIDIA's GPU, but not the graphics part of the driver.
pub(super) fn container(case: &Case) -> Option<Finding> {
    let has_node = case.facts.nodes.iter().any(|node| node.path.starts_with("/dev/nvidia"));
    let visible = case.facts.nvidia.visible_devices.as_deref();
    let is_container = case.facts.environment.may_have_toolkit() || visible.is_some();
    if let Some(value @ ("" | "void" | "none")) = visible.filter(|_| is_concerned(case) && !has_node) {
        let what = format!("is \"{value}\", so NVIDIA's container toolkit gives this container no GPU");
        let finding = Finding::new(case, Id::NvidiaCapabilities, "NVIDIA_VISIBLE_DEVICES", what);
        let step = "Start the container with --gpus all -e NVIDIA_VISIBLE_DEVICES=all -e NVIDIA_DRIVER_CAPABILITIES=all";
        return Some(finding.step(step));
    }
    if !is_concerned(case) || !is_container || !(has_node || case.facts.nvidia.module.is_some()) {
        return None;
    }
    let capabilities = case.variable("NVIDIA_DRIVER_CAPABILITIES");
    let has_graphics =
        capabilities.is_some_and(|value| value.split(',').any(|it| matches!(it.trim(), "all" | "graphics")));
    let loads =
        |(of, trial): &(String, Trial)| file_name(of).contains("nvidia") && trial.stage > Stage::Negotiate;
    let has_driver = case.trials.drivers.iter().any(loads);
    let is_given = case.has_nvidias_libraries();
    let has_none = case.facts.nvidia.libraries.is_empty();
    if !has_graphics && !has_driver && !is_given && (case.works().is_some() || has_none) {
        let what = match capabilities {
            Some(value) => format!("is \"{value}\", which lacks \"graphics\", so the container has no Vulkan driver for its NVIDIA GPU"),
            None => "is not set, so the container got no Vulkan driver for its NVIDIA GPU: only compute and utility are given".to_owned(),
        };
        return Some(
            Finding::new(case, Id::NvidiaCapabilities, "NVIDIA_DRIVER_CAPABILITIES", what)
                .with_steps(case.install_nvidia()),
        );
    }
    None
}
