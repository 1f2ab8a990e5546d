//! The kernel's part: GPUs that none of its drivers has taken, and what its log says about a GPU.

use super::super::case::Case;
use super::super::finding::{Finding, Id};
use crate::command::{Command, Step};
use crate::facts::{Gpu, Module};

/// Parts of the kernel's complaints, and what helps. Steps that need more than words are in [`remedy`].
const REMEDIES: &[(&str, &str)] = &[
    ("Legacy drivers", ""),
    ("firmware", ""),
    ("is rejected", ""),
    ("unsigned module loading is restricted", ""),
    ("supported by open nvidia", "Install NVIDIA's own kernel modules (nvidia-dkms) instead, and restart"),
    ("open kernel modules", "Install NVIDIA's open kernel modules (nvidia-open-dkms) instead, and restart"),
    ("is not supported by the", "Install a release of NVIDIA's driver that supports this GPU, and restart"),
    ("API mismatch", "Restart the computer, so that it loads the module of the libraries' version"),
    ("fallen off the bus", "Switch the computer off and on; check the GPU's power supply and its slot"),
    ("I/O region", "Turn on \"Above 4G decoding\" in the firmware's settings, and restart"),
    ("force_probe=", "Add the option to the kernel's command line, or start a newer kernel"),
    ("_support=1", "Add the options to the kernel's command line, and restart"),
];

/// Returns the kernel's complaint about this GPU: the first one for which a remedy is known, or the first one.
fn complaint<'a>(case: &'a Case, gpu: &Gpu) -> Option<&'a String> {
    if case.facts.environment.container.is_some() {
        return None;
    }
    let drivers = gpu.maker().map(|maker| maker.kernel_drivers).unwrap_or_default();
    // The kernel does not name the module that it rejects.
    let is_waiting =
        gpu.modules.iter().any(|module| module.name == "nvidia" && module.is_here && !module.is_loaded);
    let concerns = |line: &&String| {
        let names = |name: &&str| line.split([' ', ':']).any(|word| word == *name);
        line.contains(&gpu.address)
            || drivers.iter().copied().chain(gpu.driver.as_deref()).any(|name| names(&name))
            || (gpu.vendor == 0x10de && line.starts_with("NVRM"))
            || (is_waiting && (line.starts_with("Loading of ") || line.starts_with("Lockdown")))
    };
    let all = || case.facts.kernel_log.iter().filter(concerns);
    all().find(|line| known(gpu, line).is_some()).or_else(|| all().next())
}

/// Returns the row for this complaint.
fn known(gpu: &Gpu, line: &str) -> Option<&'static (&'static str, &'static str)> {
    // A driver that has the GPU does without this firmware.
    let is_needed = |part: &str| part != "firmware" || gpu.driver.is_none() || gpu.vendor == 0x10de;
    REMEDIES.iter().find(|(part, _)| line.contains(part) && is_needed(part))
}

/// The most characters of a complaint that are shown.
const LONGEST: usize = 240;

/// Returns the kernel's complaint about this GPU as the end of a sentence.
pub(super) fn said(case: &Case, gpu: &Gpu) -> String {
    let shown = |line: &String| line.chars().take(LONGEST).collect::<String>();
    complaint(case, gpu).map(|line| format!("; the kernel's log: {}", shown(line))).unwrap_or_default()
}

/// Returns what helps against the kernel's complaint about this GPU.
pub(super) fn remedy(case: &Case, gpu: &Gpu) -> Option<Step> {
    let line = complaint(case, gpu)?;
    let (part, step) = known(gpu, line)?;
    Some(match *part {
        "Legacy drivers" => {
            let series = line.split(' ').find_map(|word| word.strip_suffix(".xx")?.parse::<u32>().ok());
            let series = series.map_or_else(|| "an older".to_owned(), |series| series.to_string());
            format!("Install the {series} series of NVIDIA's driver (a legacy driver), and restart").into()
        }
        "firmware" if line.starts_with("NVRM") || (line.contains("nvidia/") && !line.contains("nouveau")) => {
            "Install NVIDIA's driver again with its firmware (Debian: firmware-nvidia-gsp), and restart"
                .into()
        }
        "firmware" => firmware(case, gpu),
        "is rejected" | "unsigned module loading is restricted" => enrol(case),
        _ => Step::from(*step),
    })
}

/// Returns how the key is enrolled with which this machine signs modules.
fn enrol(case: &Case) -> Step {
    let key = case.facts.system.module_key.as_deref().unwrap_or("KEY");
    Step::say("Enrol the key of the module, and restart: ")
        .run(Command::new("sudo mokutil --import {}", &[&key]))
        .and_say("; or turn Secure Boot off in the firmware")
}

fn firmware(case: &Case, gpu: &Gpu) -> Step {
    let step = case.facts.packages.firmware(&case.facts.system.like, gpu.vendor);
    step.map_or_else(
        || "Install the firmware of this GPU, and restart".into(),
        |it| Step::from(it).and_say(", then restart"),
    )
}

/// Returns the word of the kernel's command line that keeps this module from taking this GPU.
fn forbidding<'a>(case: &'a Case, gpu: &Gpu, module: &str) -> Option<&'a str> {
    let refused = format!("!{:04x}", gpu.device);
    let is_refused = |list: &str| list.split(',').any(|it| it == refused || it == "!*");
    let names = |list: &str| list.split(',').any(|it| it == module);
    let is_meant = |word: &&str| match word.split_once('.') {
        Some(("modprobe", option)) => option.strip_prefix("blacklist=").is_some_and(names),
        Some((of, "modeset=0")) => of == module,
        Some((of, option)) => of == module && option.strip_prefix("force_probe=").is_some_and(is_refused),
        None => *word == "nomodeset" || word.strip_prefix("module_blacklist=").is_some_and(names),
    };
    case.facts.system.no_graphics.iter().flat_map(|words| words.split(' ')).find(is_meant)
}

/// Reports a GPU that no kernel driver has taken, and why.
pub(super) fn not_taken(case: &Case, gpu: &Gpu, name: &str) -> Option<Finding> {
    let system = &case.facts.system;
    if case.facts.environment.container.is_some() {
        return super::gpus::has_file(case).is_none().then(|| super::gpus::without_file(case, gpu));
    }
    let usual =
        gpu.maker().and_then(|maker| maker.kernel_drivers.first()).copied().unwrap_or("the GPU's module");
    let known = |module: &&Module| module.is_here || !module.elsewhere.is_empty();
    // NVIDIA's libraries work with no module but its own.
    let is_nvidia = usual == "nvidia" && !case.facts.nvidia.libraries.is_empty();
    let module = gpu.modules.iter().filter(known).find(|module| !is_nvidia || module.name == usual);
    let usual = module.map_or(usual, |module| &module.name);
    let kernel = &system.kernel;
    let missing = module.and_then(|module| module.firmware.as_ref());
    let (why, step): (String, Step) = if let Some(word) = forbidding(case, gpu, usual) {
        (
            format!(": the kernel was started with \"{word}\""),
            format!("Remove {word} from the kernel command line (GRUB_CMDLINE_LINUX in /etc/default/grub), update the boot loader and restart").into(),
        )
    } else if system.is_updated {
        (
            format!(": the modules of the running kernel ({kernel}) are gone, as after an update"),
            "Restart the computer, so that it runs the kernel whose modules are installed".into(),
        )
    } else if let Some((_, file)) = system.blocked_modules.iter().find(|it| it.0 == usual.replace('-', "_")) {
        let step = match system.is("ubuntu") && usual == "nvidia" {
            true => Step::from(Command::new("sudo prime-select nvidia", &[]))
                .and_say(", or remove the line that names "),
            false => Step::say("Remove the line that names "),
        };
        (
            format!(": {file} keeps {usual} from being loaded"),
            step.and_say(format!("{usual} from {file}, and restart")),
        )
    } else if let Some(Module { name, elsewhere, .. }) = module.filter(|module| !module.is_here) {
        let dkms = Command::new("sudo dkms autoinstall -k {} && sudo modprobe {}", &[kernel, name]);
        let step = match name.as_str() {
            "nvidia" => Step::from(dkms).and_say("; if DKMS does not build it, install"),
            _ => Step::say("Install"),
        };
        (
            format!(
                ": the module {name} is there for kernel {} and not for the one that runs ({kernel})",
                elsewhere.join(" and ")
            ),
            step.and_say(" the package for this kernel or start the other one"),
        )
    } else if let Some(step) = remedy(case, gpu) {
        (said(case, gpu), step)
    } else if is_nvidia && module.is_none() && !gpu.modules.is_empty() {
        let step = Step::say("See whether DKMS has built it: ").run(Command::new("dkms status", &[]));
        (
            ": NVIDIA's libraries are installed, and no kernel here has the module nvidia".to_owned(),
            step.and_say("; if not, reinstall NVIDIA's driver with the headers of this kernel"),
        )
    } else if gpu.maker().is_some() && module.is_none() && !gpu.modules.is_empty() {
        let step = match system.is("ubuntu") {
            true => Command::new("sudo apt-get install linux-modules-extra-{}", &[kernel]).into(),
            false => "Install the package of this kernel that has the module, or a kernel that has it".into(),
        };
        (format!(": no kernel here has the module {usual}"), step)
    } else if let Some(missing) = missing {
        (format!(": {usual} needs firmware that is not installed ({missing})"), firmware(case, gpu))
    } else if complaint(case, gpu).is_none() && system.secure_boot && usual == "nvidia" {
        let why = ": Secure Boot is on, and the kernel loads no module without a key that it knows";
        (why.to_owned(), enrol(case))
    } else {
        let log = Command::new("sudo dmesg | grep -i {}", &[&usual]);
        let step = match module.is_some_and(|module| module.is_loaded) || complaint(case, gpu).is_some() {
            true => Step::say("See why: ").run(log),
            false => Step::from(Command::new("sudo modprobe {}", &[&usual]))
                .and_say("; if that does not help, see why: ")
                .run(log),
        };
        (said(case, gpu), step)
    };
    let what =
        format!("no kernel driver has taken this GPU ({}), so no Vulkan driver can use it{why}", gpu.name());
    Some(Finding::new(case, Id::GpuWithoutKernelDriver, name, what).step(step))
}
