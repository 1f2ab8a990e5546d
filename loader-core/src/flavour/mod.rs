//! The kinds of loader as policy values: the differences between Linux, Android and Fuchsia, except for the
//! system calls.
#![forbid(unsafe_code)]

use crate::discovery::Source;
use crate::registry::{CommandSet, ExtensionSet, VulkanPlatform as WindowSystem, command};

#[derive(Clone, Copy)]
pub struct Flavour {
    pub source: &'static dyn Source,
    /// The extensions that exist on this system: those for its window systems, and those for every system.
    pub extensions: ExtensionSet,
    /// The commands that `vkGetInstanceProcAddr` knows with every instance, whatever is enabled, and whose
    /// functions are exported or stamped out: core commands and device-extension commands.
    pub commands: CommandSet,
    /// Whether physical devices are sorted so that the one a user most likely wants comes first.
    pub sorts_devices: bool,
    /// Returns the end of the message that no driver can be used: how a user finds out more. Empty if no tool
    /// shows more.
    pub more_about_drivers: fn() -> &'static str,
    /// Whether software devices are listed only if no other device is there, unless
    /// `VK_LOADER_X_SOFTWARE_DEVICES_LAST` or the settings file decides.
    pub software_devices_last: bool,
    pub refuses_software_devices: bool,
    /// How the trampolines of commands on devices, queues and command buffers find the device.
    pub handles: Handles,
}

/// How the table for the handle of a device, a queue or a command buffer is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handles {
    /// By an address that the loader wrote into the first word.
    Written,
    /// By the value of the first word, which the loader may not have written ([`crate::dispatch::Keys`]).
    /// Only libraries with the feature `foreign-handles` contain the code for it.
    #[cfg(feature = "foreign-handles")]
    LookedUp,
}

impl Handles {
    /// Returns whether some drivers' handles begin with a word of their own, which the loader looks up.
    pub const fn are_looked_up(self) -> bool {
        match self {
            Self::Written => false,
            #[cfg(feature = "foreign-handles")]
            Self::LookedUp => true,
        }
    }
}

impl Flavour {
    /// Returns a port's policy: drivers from `source`, and `extensions`, which belong to the system's window
    /// systems or to every system ([`ExtensionSet::on`]). Devices keep the order of their drivers. A
    /// port that needs another value sets that field.
    pub const fn new(source: &'static dyn Source, extensions: &ExtensionSet) -> Self {
        let commands = CommandSet::core_and_device_extensions(extensions);
        Self {
            source,
            extensions: *extensions,
            commands: commands.of_objects().without(&NOT_EXPORTED),
            sorts_devices: false,
            more_about_drivers: || "",
            software_devices_last: false,
            refuses_software_devices: false,
            handles: Handles::Written,
        }
    }

    /// Returns the policy of a Linux system: ICDs found by manifests.
    pub const fn linux(source: &'static dyn Source) -> Self {
        const EXTENSIONS: ExtensionSet = ExtensionSet::on(&[
            WindowSystem::None,
            WindowSystem::Xlib,
            WindowSystem::XlibXrandr,
            WindowSystem::Xcb,
            WindowSystem::Wayland,
            WindowSystem::DirectFb,
            WindowSystem::Provisional,
        ]);
        Self {
            sorts_devices: true,
            more_about_drivers: || "; for more, run `vkload doctor`",
            ..Self::new(source, &EXTENSIONS)
        }
    }

    /// Returns the policy of a Fuchsia component: ICDs found by manifests, of the loader service or in
    /// folders.
    pub const fn fuchsia(source: &'static dyn Source) -> Self {
        const EXTENSIONS: ExtensionSet =
            ExtensionSet::on(&[WindowSystem::None, WindowSystem::Fuchsia, WindowSystem::Provisional]);
        Self::new(source, &EXTENSIONS)
    }

    /// Returns a loader that an Android application brings along: the system's loader is its driver, and
    /// there may be ICDs besides.
    #[cfg(feature = "foreign-handles")]
    pub const fn apk(source: &'static dyn Source) -> Self {
        const EXTENSIONS: ExtensionSet =
            ExtensionSet::on(&[WindowSystem::None, WindowSystem::Android, WindowSystem::Provisional]);
        Self { handles: Handles::LookedUp, ..Self::new(source, &EXTENSIONS) }
    }

    /// Returns the commands that `vkGetInstanceProcAddr` knows with an instance for which these extensions are
    /// enabled, and whose functions are exported or stamped out.
    pub fn commands_with(&self, enabled: &ExtensionSet) -> CommandSet {
        let of_extensions = CommandSet::of_instance_extensions(enabled, &self.extensions);
        self.commands.with(&of_extensions.without(&NOT_EXPORTED))
    }
}

/// Commands that the loader has written by hand but no library exports.
pub const NOT_EXPORTED: CommandSet = CommandSet::listed(&[
    command::ENUMERATE_PHYSICAL_DEVICE_GROUPS_KHR,
    command::CREATE_EXTERNAL_COMPUTE_QUEUE_NV,
]);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discovery::Policy;

    static POLICY: Policy = Policy::linux(&[]);

    #[test]
    fn the_tool_is_recommended_only_if_it_is_installed() {
        assert!((Flavour::linux(&POLICY).more_about_drivers)().contains("vkload doctor"));
        assert_eq!((Flavour::fuchsia(&POLICY).more_about_drivers)(), "");
        #[cfg(feature = "foreign-handles")]
        assert_eq!((Flavour::apk(&POLICY).more_about_drivers)(), "");
    }

    #[cfg(feature = "foreign-handles")]
    #[test]
    fn a_loader_of_an_application_knows_androids_windows_and_looks_devices_up() {
        use crate::registry::ExtensionId;

        let flavour = Flavour::apk(&POLICY);
        let all = ExtensionId::all().fold(ExtensionSet::default(), |mut set, id| {
            set.insert(id);
            set
        });
        let commands = flavour.commands_with(&all);
        assert!(commands.contains(command::CREATE_ANDROID_SURFACE_KHR));
        assert!(!commands.contains(command::CREATE_XCB_SURFACE_KHR));
        assert_eq!(flavour.handles, Handles::LookedUp);
        assert_eq!(Flavour::linux(&POLICY).handles, Handles::Written);
    }
}
