//! Drivers made to measure.

use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use ash::vk;

use crate::device::api_version;
use crate::{Device, Sandbox, compile};

/// How a driver breaks the idiom of asking for a count and then for as many elements.
#[derive(Clone, Copy, Debug)]
#[repr(i32)]
pub enum Lie {
    /// The second call has one element more than the first one counted.
    Grows = 1,
    /// The first call counts three elements too many.
    Shrinks,
    /// The second call returns a count seven larger than the array.
    Overflows,
    /// The first call answers 4,294,967,295.
    Huge,
    /// The second call always says that it is incomplete.
    Endless,
}

/// A driver to be installed: by default well-behaved, of interface version 5 and Vulkan 1.3, without devices and extensions. Versions are
/// written as in manifests: `1.3.0`.
#[derive(Clone, Debug)]
#[must_use]
pub struct Driver {
    name: String,
    interface: u32,
    exports: Option<&'static [&'static str]>,
    api: String,
    manifest_api: Option<String>,
    library_path: Option<String>,
    manifest_fields: String,
    manifest: Option<String>,
    folder: String,
    configuration: String,
    devices: String,
    holds_layer: bool,
}

impl Driver {
    pub const NOTHING: &[&str] = &[];
    /// Exports the function that looks commands up, and no more.
    pub const LOOKUP: &[&str] = &["-DEXPORT_LOOKUP"];
    /// Exports the negotiation, and nothing to look commands up with.
    pub const NEGOTIATE: &[&str] = &["-DEXPORT_NEGOTIATE"];
    /// Exports Vulkan's own commands, as interface version 0 has it.
    pub const CORE: &[&str] = &["-DEXPORT_CORE"];
    /// Exports what interface versions 2 and 3 ask for.
    pub const LOOKUP_NEGOTIATE: &[&str] = &["-DEXPORT_LOOKUP", "-DEXPORT_NEGOTIATE"];
    /// Exports what interface versions 4 to 6 ask for.
    pub const LOOKUP_NEGOTIATE_PHYSICAL: &[&str] =
        &["-DEXPORT_LOOKUP", "-DEXPORT_NEGOTIATE", "-DEXPORT_PHYSICAL"];

    /// Returns a driver whose manifest is `NAME.json` and whose library is `libNAME.so` in the sandbox's `lib`.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            interface: 5,
            exports: None,
            api: "1.3.0".to_owned(),
            manifest_api: None,
            library_path: None,
            manifest_fields: String::new(),
            manifest: None,
            folder: "data/vulkan/icd.d".to_owned(),
            configuration: String::new(),
            devices: String::new(),
            holds_layer: false,
        }
    }

    /// Sets its highest interface version. Determines its exports, unless [`Self::exports`] does.
    pub fn interface(mut self, version: u32) -> Self {
        self.interface = version;
        self
    }

    /// Sets its exports, one of the constants of this type.
    pub fn exports(mut self, switches: &'static [&'static str]) -> Self {
        self.exports = Some(switches);
        self
    }

    /// Sets the result of its vkEnumerateInstanceVersion and, unless [`Self::manifest_api`] is used, its manifest's version.
    pub fn api(mut self, version: &str) -> Self {
        version.clone_into(&mut self.api);
        self
    }

    /// Sets its manifest's version only.
    pub fn manifest_api(mut self, version: &str) -> Self {
        self.manifest_api = Some(version.to_owned());
        self
    }

    /// Sets its manifest's `library_path`, instead of the library's absolute path.
    pub fn library_path(mut self, path: &str) -> Self {
        self.library_path = Some(path.to_owned());
        self
    }

    /// Adds a field to the manifest's `ICD` object, the value in JSON.
    pub fn manifest_field(mut self, key: &str, value: &str) -> Self {
        write!(self.manifest_fields, ", \"{key}\": {value}").unwrap();
        self
    }

    /// Sets the whole manifest as text, with `LIBRARY` for the path of its library.
    pub fn manifest(mut self, text: &str) -> Self {
        self.manifest = Some(text.to_owned());
        self
    }

    /// Sets the folder of its manifest in the sandbox, by default `data/vulkan/icd.d`.
    pub fn folder(mut self, folder: &str) -> Self {
        folder.clone_into(&mut self.folder);
        self
    }

    /// Adds a physical device, after its existing ones.
    pub fn device(mut self, device: Device) -> Self {
        self.devices.push_str(device.configuration());
        self
    }

    /// Adds a group of devices by their numbers. Without any group, each device is one.
    pub fn group(self, members: &[u32]) -> Self {
        let members: Vec<String> = members.iter().map(u32::to_string).collect();
        self.line("group", members.join(","))
    }

    pub fn extension(self, name: &str) -> Self {
        self.line("extension", name)
    }

    pub fn extension_version(self, name: &str, version: u32) -> Self {
        self.line("extension", format!("{name}:{version}"))
    }

    /// Sets a command's immediate result; the command does nothing else.
    pub fn result(self, command: &str, result: vk::Result) -> Self {
        self.line("result", format!("{command}:{}", result.as_raw()))
    }

    pub fn lie(self, command: &str, lie: Lie) -> Self {
        self.line("lie", format!("{command}:{}", lie as i32))
    }

    /// Removes a command that its version or extensions include.
    pub fn without(self, command: &str) -> Self {
        self.line("without", command)
    }

    /// Makes surfaces of its own (interface version 3).
    pub fn own_surfaces(self) -> Self {
        self.line("own_surfaces", 1)
    }

    /// Asks the loader for extensions and instances whenever it is asked itself, as one does that is made on top of other drivers.
    pub fn uses_the_loader(self) -> Self {
        self.line("loader", crate::library_under_test().display())
    }

    /// Records look-ups by name, as `vk_icdGetInstanceProcAddr` and so on.
    pub fn trace_lookups(self) -> Self {
        self.line("trace_lookups", 1)
    }

    /// Sends a message of its own to its messengers when its devices are counted.
    pub fn speaks(self) -> Self {
        self.line("speaks", 1)
    }

    /// Adds an extension, of the instance and of each device, whose name has no NUL at its end.
    pub fn unterminated(self) -> Self {
        self.line("unterminated", 1)
    }

    /// Makes its vkGetDeviceProcAddr return a pointer for every name, which must not be called.
    pub fn knows_all_device_commands(self) -> Self {
        self.line("knows_all", 1)
    }

    /// Makes all its instances return the same `VkPhysicalDevice`s.
    pub fn shares_devices(self) -> Self {
        self.line("shared_devices", 1)
    }

    /// Allocates memory for its objects from the callbacks of their creation, and frees it with the callbacks of their destruction. Aborts
    /// the process unless both or neither call has callbacks.
    pub fn uses_callbacks(self) -> Self {
        self.line("uses_callbacks", 1)
    }

    /// Leaves the magic number out of its dispatchable objects.
    pub fn forgets_magic(self) -> Self {
        self.line("magic", 0)
    }

    /// Has this many commands `vkUnknownPhysicalDevice<N>TEST` and `vkUnknownDevice<N>TEST`, at most 300 of each.
    pub fn unknown_commands(self, physical_device: u32, device: u32) -> Self {
        self.line("unknown_physical_devices", physical_device).line("unknown_devices", device)
    }

    /// Makes its library a layer's as well, which is installed [inside it](crate::Layer::inside_driver).
    pub fn holds_layer(mut self) -> Self {
        self.holds_layer = true;
        self
    }

    /// Adds a line to its configuration, as `tests/drivers/config.c` reads it.
    pub fn line(mut self, key: &str, value: impl std::fmt::Display) -> Self {
        writeln!(self.configuration, "{key}={value}").unwrap();
        self
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Puts its library, configuration and manifest into the sandbox. Gives the path of the manifest.
    pub fn install(&self, sandbox: &Sandbox) -> PathBuf {
        let library = self.install_library(sandbox);
        sandbox.write(
            format!("{}/{}.json", self.folder, self.name),
            self.manifest_text(library.to_str().unwrap()),
        )
    }

    /// Puts its library and configuration into the sandbox. Gives the path of the library.
    pub fn install_library(&self, sandbox: &Sandbox) -> PathBuf {
        let library = sandbox.path(format!("lib/lib{}.so", self.name));
        fs::create_dir_all(library.parent().unwrap()).unwrap();
        // A copy, not a link: the dynamic linker takes two links for one library.
        let compiled = if self.holds_layer {
            compile::driver_with_layer(&[self.switches(), crate::Layer::NEGOTIATE].concat())
        } else {
            compile::driver(self.switches())
        };
        fs::copy(compiled, &library).unwrap();
        let configuration = format!(
            "trace={}\ninterface={}\napi={}\n{}{}",
            sandbox.path(format!("out/{}.trace", self.name)).display(),
            self.interface,
            api_version(&self.api),
            self.configuration,
            // Last, because keys after a device belong to that device.
            self.devices
        );
        fs::write(format!("{}.cfg", library.display()), configuration).unwrap();
        library
    }

    fn switches(&self) -> &'static [&'static str] {
        self.exports.unwrap_or(match self.interface {
            0 => Self::CORE,
            1 | 7.. => Self::LOOKUP,
            2 | 3 => Self::LOOKUP_NEGOTIATE,
            4..=6 => Self::LOOKUP_NEGOTIATE_PHYSICAL,
        })
    }

    fn manifest_text(&self, library: &str) -> String {
        if let Some(text) = &self.manifest {
            return text.replace("LIBRARY", library);
        }
        let library = self.library_path.as_deref().unwrap_or(library);
        let api = self.manifest_api.as_deref().unwrap_or(&self.api);
        let more = &self.manifest_fields;
        format!(
            "{{\"file_format_version\": \"1.0.1\", \"ICD\": {{\"library_path\": \"{library}\", \"api_version\": \"{api}\"{more}}}}}\n"
        )
    }
}
