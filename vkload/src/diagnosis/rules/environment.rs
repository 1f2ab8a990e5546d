//! The program's environment: containers, virtual machines and limits.

use super::super::case::{Case, UPDATE_WSL};
use super::super::finding::{Evidence, Finding, Id, Severity};
use crate::command::{Command, Step};
use crate::probe::{Ending, Trial};

fn no_hardware(case: &Case) -> bool {
    !case.devices().iter().any(|device| device.kind != "cpu") && case.works().is_some()
}

/// Reports problems in Flatpak, whose drivers come as extensions of the runtime.
pub(super) fn flatpak(case: &Case) -> Option<Finding> {
    let flatpak = case.facts.environment.flatpak.as_ref().filter(|_| no_hardware(case))?;
    let finding = |id, what: String| Finding::new(case, id, "Flatpak", what);
    let application = if flatpak.application.is_empty() { "APPLICATION" } else { &flatpak.application };
    if !flatpak.devices {
        let what = format!("{application} has no permission to use graphics devices (devices=dri)");
        return Some(
            finding(Id::FlatpakDevices, what)
                .step(Command::new("flatpak override --user --device=dri {}", &[&application])),
        );
    }
    let nvidia = &case.facts.nvidia;
    if let (Some(module), Some(wanted)) = (&nvidia.module, nvidia.flatpak_extension())
        && !flatpak.gl_extensions.iter().any(|name| name.contains(&wanted))
    {
        let what = format!(
            "the kernel has NVIDIA's driver {module}, and the extension with its libraries is not installed"
        );
        return Some(
            finding(Id::FlatpakExtension, what)
                .step(Command::new("flatpak install flathub org.freedesktop.Platform.GL.{}", &[&wanted])),
        );
    }
    if flatpak.gl_extensions.iter().all(|name| name == "host") {
        let what = "the extension with Mesa's drivers is not installed".to_owned();
        return Some(finding(Id::FlatpakExtension, what).step(flatpak.install("GL.default")));
    }
    None
}

/// Reports problems in Snap, whose drivers come by an interface and a content snap.
pub(super) fn snap(case: &Case) -> Option<Finding> {
    let name = case.facts.environment.snap.as_ref().filter(|_| no_hardware(case))?;
    if !case.drivers.is_empty() && case.facts.nodes.iter().any(|node| node.is_needed() && !node.is_closed()) {
        return None;
    }
    let what = format!(
        "the snap {name} sees no GPU: it needs the interface opengl and a snap with drivers (graphics-core22, gpu-2404 or mesa-2404)"
    );
    let finding = Finding::new(case, Id::SnapInterface, "Snap", what);
    Some(finding.step(Command::new("sudo snap connect {}:opengl; snap connections {}", &[name, name])))
}

/// Reports problems in the Windows Subsystem for Linux, which reaches the GPU through Direct3D.
pub(super) fn wsl(case: &Case) -> Option<Finding> {
    let generation = case.facts.environment.wsl.filter(|_| no_hardware(case))?;
    let finding = |id, what: &str| Finding::new(case, id, "WSL", what);
    if generation < 2 {
        let finding = finding(Id::WslGeneration, "this is WSL 1, which has no GPU");
        return Some(finding.step("In Windows: wsl --set-version DISTRIBUTION 2"));
    }
    if !case.facts.nodes.iter().any(|node| node.path == "/dev/dxg") {
        let finding = finding(Id::WslDevice, "there is no /dev/dxg, through which WSL reaches the GPU");
        return Some(finding.step(UPDATE_WSL));
    }
    let dzn = case.drivers.iter().find(|driver| driver.manifest.contains("dzn"));
    // The rule about drivers says why it fails.
    if dzn.and_then(|driver| case.trial(driver)).is_some_and(|trial| trial.ending != Ending::Finished) {
        return None;
    }
    let what = match dzn {
        Some(_) => "the GPU is reached through Direct3D 12 (Mesa's dzn), which finds no device here",
        None => {
            "the GPU can only be reached through Direct3D 12, and the loader finds no manifest of Mesa's driver for that (dzn)"
        }
    };
    let step: Step = if case.facts.system.is("ubuntu") {
        let install =
            "sudo add-apt-repository ppa:kisak/kisak-mesa && sudo apt-get install mesa-vulkan-drivers";
        Command::new(install, &[]).into()
    } else {
        "Install a build of Mesa with dzn (Microsoft's Direct3D 12 driver), 22.3 or newer".into()
    };
    Some(finding(Id::WslDriver, what).step(step))
}

/// Reports problems in Steam's runtime, which combines its own libraries with the host's drivers.
pub(super) fn steam(case: &Case) -> Option<Finding> {
    let runtime = case.facts.environment.steam_runtime.as_ref();
    let runtime = runtime.filter(|_| case.fails() || case.only_software())?;
    let what = format!(
        "this is Steam's runtime ({runtime}), which gets its drivers from the host and its libraries from the runtime"
    );
    let finding = Finding::new(case, Id::SteamRuntime, "Steam", what);
    Some(finding.step("Run vkload doctor outside of it, where the host's drivers can be tried").step("To see how the host's drivers are brought in, add to the game's launch options: STEAM_LINUX_RUNTIME_LOG=1 PRESSURE_VESSEL_VERBOSE=1 %command%"))
}

/// Reports a container without any graphics device.
pub(super) fn container(case: &Case) -> Option<Finding> {
    let name = case.facts.environment.container.as_ref().filter(|_| no_hardware(case))?;
    let has_node = case.facts.nodes.iter().any(|node| node.kind != "card");
    if has_node || !case.facts.gpus.is_empty() || case.facts.nvidia.module.is_some() {
        return None;
    }
    let what = format!("this container ({name}) has no graphics device");
    let finding = Finding::new(case, Id::ContainerWithoutDevice, "container", what);
    let step = case.give_device(&["/dev/dri"]);
    Some(finding.step(if case.facts.environment.may_have_toolkit() {
        step.and_say("; for an NVIDIA GPU with --gpus all -e NVIDIA_DRIVER_CAPABILITIES=all")
    } else {
        step
    }))
}

/// Reports findings about a running process, such as another file system.
pub(super) fn process(case: &Case) -> Vec<Finding> {
    let Some(process) = &case.target.process else { return Vec::new() };
    let mut all = Vec::new();
    let about = format!("process {}", process.id);
    if process.elsewhere {
        let what = "it runs in another file system (a container, Flatpak or Snap), and this answer is about this one".to_owned();
        let finding = Finding::new(case, Id::ProcessElsewhere, &about, what);
        all.push(finding.step("Run vkload doctor in it (docker exec, podman exec, flatpak enter): a program of a container must not run with root's rights outside"));
    }
    if !process.lacks.is_empty() {
        let what = format!(
            "its /dev has none of the device files through which drivers reach GPUs: {}",
            process.lacks.join(", ")
        );
        let finding = Finding::new(case, Id::ProcessElsewhere, &about, what).evidence(Evidence::Known);
        let finding = finding.with_severity(Severity::Error);
        all.push(match &process.service {
            Some(service) => {
                let step =
                    "Give its service the device files (PrivateDevices=no below [Service]), and restart it: ";
                finding.step(Step::say(step).run(Command::new("sudo systemctl edit {}", &[service])))
            }
            None => finding.step("Give them to the sandbox that it runs in, and start it again"),
        });
    }
    let what = match &process.libraries[..] {
        [] => "no Vulkan library is in its memory: it has not used Vulkan yet, or brings a loader of its own"
            .to_owned(),
        libraries => format!("in its memory: {}", libraries.join(", ")),
    };
    all.push(Finding::new(case, Id::ProcessLibraries, &about, what));
    all
}

/// Reports a program that brings a file system of its own.
pub(super) fn app_image(case: &Case) -> Option<Finding> {
    let program = case.target.program.as_ref().filter(|_| case.target.app_image)?;
    let about = program.display().to_string();
    let what =
        "is an AppImage: the libraries in it, which may include a Vulkan loader, are seen only while it runs";
    let command =
        Command::new("vkload doctor --pid $(pgrep -n -f {})", &[&program.file_stem().unwrap_or_default()]);
    let finding = Finding::new(case, Id::AppImage, &about, what);
    Some(finding.step(Step::say("Start it, then: ").run(command)))
}

/// Reports a bare chroot. Drivers, the C library and this tool all read `/proc`, and GPUs are reached through `/dev`.
pub(super) fn unmounted(case: &Case) -> Vec<Finding> {
    let hidden = case.facts.environment.hidden.first().filter(|_| no_hardware(case)).map(|first| {
        let others = case.facts.environment.hidden.len().saturating_sub(1);
        let more =
            if others > 0 { format!(", nor {others} other folders of the kernel") } else { String::new() };
        let what = format!("cannot be read here{more}, and drivers look there for the GPU");
        let finding = Finding::new(case, Id::NotMounted, first, what).evidence(Evidence::Seen);
        finding.step(case.allow(first))
    });
    let of = |folder: &String| {
        let mount = match folder.as_str() {
            "/proc" => Command::new("sudo mount -t proc proc /proc", &[]).into(),
            _ => Step::say("From outside of this file system: ")
                .run(Command::new("sudo mount --bind /dev ROOT/dev", &[])),
        };
        Finding::new(case, Id::NotMounted, folder, "is not mounted, and drivers need it").step(mount)
    };
    case.facts.environment.unmounted.iter().map(of).chain(hidden).collect()
}

/// The dynamic linker's messages for a library that does not fit into memory.
const NO_ROOM: &[&str] = &["Cannot allocate memory", "failed to map segment"];

/// Reports a limit on address space. Drivers reserve far more than they use, so they can fail under it.
pub(super) fn memory_limit(case: &Case) -> Option<Finding> {
    let limit = case.facts.user.address_space.filter(|_| case.fails())?;
    let has_no_room = |trial: &Trial| match &trial.ending {
        Ending::Result { code } => *code == ash::vk::Result::ERROR_OUT_OF_HOST_MEMORY.as_raw(),
        Ending::Failed { words, .. } => NO_ROOM.iter().any(|part| words.contains(part)),
        _ => false,
    };
    let proven =
        case.trials.drivers.iter().map(|(_, trial)| trial).chain(&case.trials.program).any(has_no_room);
    let what = format!("is {} KiB, and drivers reserve more address space than that", limit / 1024);
    let evidence = if proven { Evidence::Proven } else { Evidence::Likely };
    Some(
        Finding::new(case, Id::MemoryLimit, "ulimit -v", what)
            .evidence(evidence)
            .step(Command::new("ulimit -v unlimited", &[]))
            .step("If that is refused, see who sets the limit: grep -v '^#' /etc/security/limits.conf"),
    )
}

/// Reports variables that name a window system which is not there.
pub(super) fn dead_displays(case: &Case) -> Vec<Finding> {
    let of = |(name, value): &(String, String)| {
        let what =
            format!("is \"{value}\", and nothing answers there, so programs cannot open a window by it");
        Finding::new(case, Id::DisplayDead, name, what)
            .step(Command::unset(name))
            .step("Or start the program from a terminal of the session on the screen")
    };
    case.facts.dead_displays.iter().map(of).collect()
}
