//! Everything that the rules judge by, and the questions that most of them ask.

use std::path::{Component, Path};

use vkload_core::discovery::Candidate;

use super::finding::Severity;
use super::subject::Target;
use super::suspects::SWAPCHAIN;
use super::trials::{LONG, Trials};
use crate::command::{Command, Step, Word};
use crate::facts::{CPU, Facts, Gpu, Library};
use crate::planned::Planned;
use crate::probe::{Ending, Stage, Trial};
use crate::view::Device;
use crate::view::{DriverView, LayerView};

/// A machine, a program on it, and the results of the trials.
pub(crate) struct Case {
    pub(crate) facts: Facts,
    pub(crate) planned: Planned,
    pub(crate) target: Target,
    pub(crate) trials: Trials,
    /// The layers that are active in a program that asks for none.
    pub(crate) layers: Vec<LayerView>,
    pub(crate) drivers: Vec<DriverView>,
}

impl Case {
    pub(crate) fn new(facts: Facts, planned: Planned, target: Target, trials: Trials) -> Self {
        let layers = LayerView::active_by_default(&planned.layers);
        let drivers = DriverView::all(&planned.drivers);
        Self { facts, planned, target, trials, layers, drivers }
    }

    /// Returns whether a program can use a device, and show pictures if the driver can. `None` if nothing was tried.
    pub(crate) fn works(&self) -> Option<bool> {
        let program = self.trials.program.as_ref().filter(|trial| trial.has_begun())?;
        let can_show = |device: &Device| {
            let lost = self.trials.causes.iter().flat_map(|cause| &cause.lost);
            let lost = lost.filter(|lost| lost.device == device.name);
            !lost.flat_map(|lost| &lost.extensions).any(|name| name == SWAPCHAIN)
        };
        Some(program.works() && program.usable().any(can_show))
    }

    /// Returns whether a program is known to get no device.
    pub(super) fn fails(&self) -> bool {
        self.works() == Some(false)
    }

    /// Returns the devices that programs can use.
    pub(crate) fn devices(&self) -> Vec<&Device> {
        self.trials.program.iter().flat_map(Trial::usable).collect()
    }

    /// Returns whether programs have nothing but the processor to draw with.
    pub(crate) fn only_software(&self) -> bool {
        let devices = self.devices();
        self.works() == Some(true) && !devices.is_empty() && devices.iter().all(|device| device.kind == "cpu")
    }

    /// Returns whether programs have Vulkan 1.0 and nothing newer.
    pub(super) fn only_old_versions(&self) -> bool {
        let devices = self.devices();
        !devices.is_empty() && devices.iter().all(|device| device.api_version.starts_with("1.0."))
    }

    /// Returns whether the loader that programs get is one of Vulkan 1.0, above which no device has more.
    pub(super) fn has_old_loader(&self) -> bool {
        self.trials.program.as_ref().is_some_and(|trial| trial.version.starts_with("1.0."))
    }

    /// Returns the severity of a fault that keeps programs from a device.
    pub(super) fn blame(&self) -> Severity {
        match self.works() {
            Some(true) => Severity::Warning,
            Some(false) => Severity::Error,
            None => Severity::Warning,
        }
    }

    /// Returns the severity of a fact that matters only if nothing works.
    pub(super) fn mention(&self) -> Severity {
        if self.fails() { Severity::Error } else { Severity::Note }
    }

    pub(super) fn candidate(&self, driver: &DriverView) -> Option<&Candidate> {
        self.planned.drivers.drivers.get(driver.index)
    }

    pub(super) fn library(&self, manifest: &str) -> Option<&Library> {
        self.facts.libraries.iter().find(|library| library.manifest == manifest)
    }

    /// Returns the seconds that programs wait for what was tried, if they are many.
    pub(super) fn long_wait(&self, trial: &Trial) -> Option<u64> {
        let program = self.trials.program.as_ref().map_or(0, |program| program.milliseconds);
        Some(trial.milliseconds.min(program)).filter(|time| *time >= LONG).map(|time| time / 1000)
    }

    /// Returns the result of trying the driver alone.
    pub(super) fn trial(&self, driver: &DriverView) -> Option<&Trial> {
        self.trials.driver(&driver.manifest)
    }

    /// Returns the drivers of which a device can be used, alone.
    pub(super) fn good_drivers(&self) -> impl Iterator<Item = &DriverView> {
        self.drivers.iter().filter(|driver| self.trial(driver).is_some_and(Trial::works))
    }

    pub(super) fn variable(&self, name: &str) -> Option<&str> {
        let value = self.facts.variables.get(name).map(String::as_str);
        value.filter(|value| !value.is_empty() && self.loader_reads(name))
    }

    /// Returns whether the loader that programs get reads this variable or the settings file, as far as it is known. True for all that is
    /// not a loader's.
    pub(super) fn loader_reads(&self, name: &str) -> bool {
        !self.facts.not_read.iter().any(|other| other == name)
    }

    pub(super) fn is_driven(&self, gpu: &Gpu) -> bool {
        let trials = self.trials.program.iter().chain(self.trials.drivers.iter().map(|(_, trial)| trial));
        trials.flat_map(Trial::usable).any(|device| device.is(gpu))
    }

    /// Returns whether a manifest of a driver for this GPU is installed, which a variable or the settings file may keep from being found.
    pub(super) fn has_manifest_for(&self, gpu: &Gpu) -> bool {
        let found = self.drivers.iter().map(|driver| &driver.manifest);
        found.chain(&self.facts.manifests).any(|manifest| gpu.is_driven_by(manifest))
    }

    /// Returns the command, without its `sudo` if the file at `path` belongs to the user.
    pub(super) fn on(&self, path: &str, syntax: &'static str, words: &[Word<'_>]) -> Command {
        let (command, home) = (Command::new(syntax, words), &self.facts.user.home);
        let path = Path::new(path);
        let leaves = path.components().any(|part| part == Component::ParentDir);
        let own = !home.is_empty() && home != "/" && path.starts_with(home) && !leaves;
        if own { command.without_sudo() } else { command }
    }

    /// Returns how Mesa's driver for GPUs of this family is installed, or the one for the processor.
    pub(super) fn install_driver(&self, family: &str) -> Step {
        if self.is_sealed() {
            return self.install_in_sandbox();
        }
        let before_venus =
            self.facts.system.is("debian") && ["11", "12"].contains(&&*self.facts.system.version);
        if family == "virtio" && before_venus {
            return "This release's mesa-vulkan-drivers has no driver for virtio-gpu: install Mesa 24 or newer from its backports, or update to Debian 13".into();
        }
        let command = self.facts.packages.vulkan_driver(family, self.target.bits);
        let unknown =
            "Install your distribution's Vulkan driver for this GPU (Mesa's, unless the vendor has its own)";
        let by_configuration = self.by_configuration().map_or(unknown, |row| row.1);
        command.map_or_else(|| by_configuration.into(), Step::from)
    }

    /// Returns whether there are libraries of NVIDIA's in the kernel's version, which its container toolkit gives.
    pub(super) fn has_nvidias_libraries(&self) -> bool {
        let nvidia = &self.facts.nvidia;
        nvidia.module.as_ref().is_some_and(|module| nvidia.libraries.contains(module))
    }

    /// Returns how NVIDIA's driver is installed here, or given to a container.
    pub(super) fn install_nvidia(&self) -> Vec<Step> {
        let is_narrow = self.target.bits == 32 && usize::BITS == 64;
        if is_narrow && self.facts.environment.container.is_none() && !self.is_sealed() {
            return vec![self.by_configuration().map_or(NARROW, |row| row.1).into()];
        }
        if self.facts.environment.container.is_some() && !self.facts.environment.may_have_toolkit() {
            return vec![
                "Give this container the host's /dev/nvidia* and NVIDIA's libraries of the same version"
                    .into(),
            ];
        }
        if self.facts.environment.container.is_some() {
            let asked = self.variable("NVIDIA_DRIVER_CAPABILITIES").unwrap_or_default();
            let asks = asked.split(',').any(|it| matches!(it.trim(), "all" | "graphics"));
            if asks || self.has_nvidias_libraries() {
                return vec![
                    Step::say("On the host, see that NVIDIA's driver works, let the toolkit list it again, and create the container anew: ")
                        .run(Command::new("sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml", &[])),
                ];
            }
            return vec!["Start the container with --gpus all -e NVIDIA_DRIVER_CAPABILITIES=all (or at least graphics,utility)".into()];
        }
        if self.is_sealed() {
            return vec![self.update_sandbox()];
        }
        let unknown = "Install NVIDIA's driver; its Vulkan part comes with it";
        let unknown = || vec![self.by_configuration().map_or(unknown, |row| row.2).into()];
        let manager = self.facts.packages.manager;
        manager.map_or_else(unknown, |manager| manager.nvidia_driver(&self.facts.system))
    }

    /// Returns how a driver for this GPU is installed, or the one for the processor.
    pub(super) fn install_for(&self, gpu: Option<&Gpu>) -> Vec<Step> {
        match gpu {
            Some(gpu) if gpu.vendor == 0x10de => self.install_nvidia(),
            gpu => vec![self.install_driver(gpu.map_or(CPU, Gpu::family))],
        }
    }

    /// Returns the row of a distribution in which drivers are configured.
    fn by_configuration(&self) -> Option<&'static (&'static str, &'static str, &'static str)> {
        BY_CONFIGURATION.iter().find(|row| self.facts.system.is(row.0))
    }

    /// Returns how this container is given device files.
    pub(super) fn give_device(&self, paths: &[&str]) -> Step {
        let all = paths.join(" and ");
        let options = |syntax: &'static str| {
            let add = |command: Command, path: &&str| {
                let allowed = if path.starts_with("/dev/dri") { "char-drm" } else { path };
                command.then(syntax, &[path, &format!("{allowed} rw")])
            };
            Step::say("Start the container with").run(paths.iter().fold(Command::new("", &[]), add))
        };
        match self.facts.environment.container.as_deref() {
            Some("systemd-nspawn") => options(" --bind={} --property=DeviceAllow={}"),
            Some("lxc" | "lxc-libvirt") => {
                let step = "On the host, add it to the container's configuration as lxc.mount.entry, and its numbers (ls -l) to lxc.cgroup2.devices.allow";
                format!("{all}: {step}").into()
            }
            Some("kubernetes") => format!("Let the device plugin, or CDI, give the pod {all}: a volume with it gives no access without a privileged container").into(),
            _ => options(" --device {}"),
        }
    }

    /// Returns how this program gets a file that exists, and that something forbids.
    pub(super) fn allow(&self, path: &str) -> Step {
        if self.variable("container") == Some("firejail") {
            return Step::say("Start the program with ")
                .run(Command::new("firejail --noblacklist={}", &[&path]));
        }
        if self.facts.environment.container.is_some() && path.starts_with("/dev/") {
            return self.give_device(&[path]);
        }
        "See what forbids it (a sandbox, SELinux, AppArmor, a device policy of systemd): sudo dmesg | grep -i denied".into()
    }

    pub(super) fn install_library(&self, name: &str) -> Vec<Step> {
        if self.facts.environment.wsl.is_some() && OF_WINDOWS.contains(&name) {
            return vec![match self.facts.environment.container {
                Some(_) => "Start the container with --device /dev/dxg -v /usr/lib/wsl:/usr/lib/wsl -e LD_LIBRARY_PATH=/usr/lib/wsl/lib".into(),
                None => UPDATE_WSL.into(),
            }];
        }
        if self.is_sealed() {
            return vec![self.update_sandbox()];
        }
        if name.contains("nvidia") && self.facts.environment.container.is_some() {
            return self.install_nvidia();
        }
        let unknown = || vec![format!("Install the package that has {name}").into()];
        let manager = self.facts.packages.manager;
        manager.map_or_else(unknown, |manager| manager.install_library(name, self.target.bits))
    }

    /// Returns the result of trying a layer alone, if it shows a fault. Some failures are not faults: the layer may need another layer.
    /// A layer that breaks programs has a finding of its own.
    pub(crate) fn fault_of_layer(&self, name: &str) -> Option<&Trial> {
        let trial = self.trials.layer(name).filter(|trial| trial.ending != Ending::Finished)?;
        let fails_alone = trial.stage > Stage::Negotiate && !trial.is_violent();
        let explained = self.works() == Some(true) || self.trials.culprits().next().is_some();
        let told = self.trials.culprits().any(|culprit| culprit == name);
        let excused = told || (fails_alone && explained);
        (!excused).then_some(trial)
    }

    /// Returns how the package with this file is installed again.
    pub(super) fn reinstall(&self, path: &str) -> Step {
        if self.is_sealed() {
            return self.update_sandbox();
        }
        let packaged = ["/usr/", "/lib", "/etc/"].iter().any(|start| path.starts_with(start))
            && !path.starts_with("/usr/local/");
        let known = self.facts.owners.get(path).filter(|_| packaged);
        let command = match known {
            Some(package) if package.is_empty() => None,
            Some(package) => self.facts.packages.reinstall(package),
            None => self.facts.packages.reinstall_owner(path).filter(|_| packaged),
        };
        command.map_or_else(|| Step::say(format!("Reinstall what brought {path}")), Step::from)
    }

    /// Returns how the driver that works is updated.
    pub(super) fn update_driver(&self) -> Step {
        let manifest = self.good_drivers().next().map(|driver| driver.manifest.as_str());
        let package =
            manifest.and_then(|manifest| self.facts.owners.get(manifest)).filter(|name| !name.is_empty());
        let command = package.and_then(|package| self.facts.packages.update(package));
        match (command, manifest) {
            (Some(command), _) => Step::say("Update the driver, if a newer one exists: ").run(command),
            (None, Some(manifest)) => format!("Update the driver, if a newer one exists ({manifest})").into(),
            (None, None) => "Update the driver, if a newer one exists".into(),
        }
    }

    /// Returns whether this file is known to belong to no package.
    pub(super) fn is_of_no_package(&self, path: &str) -> bool {
        self.facts.owners.get(path).is_some_and(String::is_empty)
    }

    /// Returns how a library in the program's own folders (`bin/../lib`) is taken away. Other programs may use what lies elsewhere.
    pub(super) fn take_away(&self, path: &str) -> Option<Step> {
        let folder = self.target.program.as_deref()?.parent()?.parent()?;
        let is_own = folder.components().count() > 2 && Path::new(path).starts_with(folder);
        let off = format!("{path}.off");
        is_own.then(|| Step::say("Or for good: ").run(self.on(path, "sudo mv {} {}", &[&path, &off])))
    }

    pub(super) fn remove(&self, path: &str) -> Command {
        self.on(path, "sudo rm {}", &[&path])
    }

    /// Returns how the libraries of an environment are updated in which nothing can be installed.
    fn update_sandbox(&self) -> Step {
        let environment = &self.facts.environment;
        let step = Step::say("Nothing can be installed in here: update the application and its runtime");
        match (&environment.snap, &environment.flatpak) {
            (Some(_), _) => step.and_say(": ").run(Command::new("sudo snap refresh", &[])),
            (_, Some(_)) => step.and_say(": ").run(Command::new("flatpak update", &[])),
            _ => step,
        }
    }

    /// Returns how a loader or a driver gets into such an environment.
    pub(super) fn install_in_sandbox(&self) -> Step {
        let flatpak = self.facts.environment.flatpak.as_ref().filter(|_| self.target.bits == 32);
        let step = || Step::say("Install the runtime's parts for 32-bit programs: ");
        let nvidia = self.facts.nvidia.flatpak_extension();
        let drivers = nvidia.as_deref().unwrap_or("default");
        flatpak.map_or_else(|| self.update_sandbox(), |it| step().run(it.install_narrow(drivers)))
    }

    /// Returns whether the environment cannot be changed from inside by installing packages.
    pub(super) fn is_sealed(&self) -> bool {
        let environment = &self.facts.environment;
        environment.flatpak.is_some() || environment.snap.is_some() || environment.steam_runtime.is_some()
    }
}

/// Distributions in which drivers are configured rather than installed: how Mesa's and NVIDIA's are.
const BY_CONFIGURATION: &[(&str, &str, &str)] = &[
    (
        "nixos",
        "Set hardware.graphics.enable and, for 32-bit programs, hardware.graphics.enable32Bit to true in configuration.nix, then: sudo nixos-rebuild switch",
        "Set services.xserver.videoDrivers = [ \"nvidia\" ] and hardware.graphics.enable = true in configuration.nix, then: sudo nixos-rebuild boot, and restart",
    ),
    (
        "gentoo",
        "Set USE=vulkan and VIDEO_CARDS (the GPU's, or lavapipe) in /etc/portage, then: sudo emerge --oneshot media-libs/mesa",
        "Install it: sudo emerge x11-drivers/nvidia-drivers",
    ),
];

/// How the driver's part for 32-bit programs is installed.
pub(super) const NARROW: &str = "Install the driver's 32-bit package (NVIDIA's: lib32-nvidia-utils, nvidia-driver-libs:i386, libnvidia-gl-SERIES:i386 on Ubuntu, xorg-x11-drv-nvidia-libs.i686)";

pub(super) const UPDATE_WSL: &str =
    "In Windows: update the GPU's driver, then wsl --update and wsl --shutdown";

/// Libraries that Windows gives its subsystem for Linux, in `/usr/lib/wsl/lib`.
const OF_WINDOWS: &[&str] = &["libdxcore.so", "libd3d12.so", "libd3d12core.so"];

pub(super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
