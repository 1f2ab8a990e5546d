//! The environment of the measured processes: a separate home folder and search folders, and drivers and layers that do nothing.
use std::ffi::{CStr, CString, c_char, c_ulong};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr;

use tempfile::TempDir;

use crate::benches::operation::Operation;

const NULL_DRIVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/null_driver.c");

const NULL_LAYER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/null_layer.c");

/// The parts that all stages share: the compiled driver and layer.
#[derive(Debug)]
pub(crate) struct Libraries {
    folder: TempDir,
}

/// Search folders as a system has them, the manifests in the last of them.
#[derive(Debug)]
pub(crate) struct Stage {
    folder: TempDir,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Contents {
    pub(crate) manifests: u32,
    /// How many of these name a driver; the others name libraries that do not exist.
    pub(crate) drivers: u32,
    /// Manifests of explicit layers that are not enabled.
    pub(crate) explicit_layers: u32,
    /// Manifests of implicit layers that wait for a variable.
    pub(crate) implicit_layers: u32,
    /// Layers that are active, each a library of its own.
    pub(crate) active_layers: u32,
    pub(crate) mesas_layer: bool,
    /// Objects in the settings file; 0 for no such file.
    pub(crate) settings: u32,
}

impl Contents {
    pub(crate) const ONE_DRIVER: Self = Self {
        manifests: 1,
        drivers: 1,
        explicit_layers: 0,
        implicit_layers: 0,
        active_layers: 0,
        mesas_layer: false,
        settings: 0,
    };

    /// Returns one driver, and the other needs of the operation.
    pub(crate) fn of(operation: Operation) -> Self {
        let Operation { mesas_layer, explicit_layers, .. } = operation;
        Self { mesas_layer, explicit_layers, ..Self::ONE_DRIVER }
    }
}

impl Libraries {
    /// Compiles the drivers and layers.
    ///
    /// # Errors
    /// If the C compiler or the Vulkan headers are missing.
    pub(crate) fn compile() -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        for (name, source) in [("libnull.so", NULL_DRIVER), ("liblayer.so", NULL_LAYER)] {
            let status = Command::new("cc")
                .args(["-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-o"])
                .args([&folder.path().join(name), Path::new(source)])
                .status();
            if !status.is_ok_and(|status| status.success()) {
                return Err(format!("{source} does not compile: install the packages gcc and libvulkan-dev"));
            }
        }
        Ok(Self { folder })
    }

    fn copy(&self, name: &str, to: &Path) -> io::Result<()> {
        fs::copy(self.folder.path().join(name), to).map(|_| ())
    }
}

impl Stage {
    /// Sets the files up.
    ///
    /// # Errors
    /// Of the file system.
    pub(crate) fn new(libraries: &Libraries, contents: Contents) -> io::Result<Self> {
        let stage = Self { folder: tempfile::tempdir()? };
        let folder = stage.folder.path();
        for name in ["home", "etc", DRIVERS, EXPLICIT, IMPLICIT] {
            fs::create_dir_all(folder.join(name))?;
        }
        for number in 0..contents.manifests {
            let library = folder.join(format!("libnull{number}.so"));
            if number < contents.drivers {
                libraries.copy("libnull.so", &library)?;
            }
            let manifest = serde_json::json!({
                "file_format_version": "1.0.0",
                "ICD": { "library_path": library, "api_version": "1.3.0" },
            });
            fs::write(folder.join(DRIVERS).join(format!("null{number}.json")), manifest.to_string())?;
        }
        for number in 0..contents.explicit_layers {
            let name = format!("explicit{number}");
            fs::write(folder.join(EXPLICIT).join(format!("{name}.json")), layer(&name, &absent(), &[]))?;
        }
        for number in 0..contents.implicit_layers {
            let name = format!("waiting{number}");
            let switches = ["enable_environment", "disable_environment"];
            fs::write(
                folder.join(IMPLICIT).join(format!("{name}.json")),
                layer(&name, &absent(), &switches),
            )?;
        }
        for number in 0..contents.active_layers {
            let name = format!("active{number}");
            let library = folder.join(format!("liblayer{number}.so"));
            libraries.copy("liblayer.so", &library)?;
            let manifest = layer(&name, &library, &["disable_environment"]);
            fs::write(folder.join(IMPLICIT).join(format!("{name}.json")), manifest)?;
        }
        if contents.mesas_layer {
            fs::copy(MESAS_LAYER, folder.join(IMPLICIT).join("mesa.json"))?;
        }
        if contents.settings > 0 {
            fs::create_dir_all(folder.join(SETTINGS))?;
            // An object in each line, as tools write them.
            let object = "{\"app_keys\": [\"/no/such/program\"]}";
            let objects = vec![object; contents.settings as usize].join(",\n");
            let file = format!("{{\"file_format_version\": \"1.0.0\", \"settings_array\": [{objects}]}}");
            fs::write(folder.join(SETTINGS).join("vk_loader_settings.json"), file)?;
        }
        Ok(stage)
    }

    /// Gives a command the environment of this stage and the default search paths, whose folders are this stage's in a mount namespace
    /// of the command's own.
    pub(crate) fn surround(&self, command: &mut Command) {
        command
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.folder.path().join("home"));
        let path =
            |path: PathBuf| CString::new(path.into_os_string().into_vec()).expect("a path without a NUL");
        let mounts: Vec<_> = [("etc", "/etc/vulkan"), ("share", "/usr/share/vulkan")]
            .into_iter()
            .filter(|(_, of_system)| Path::new(of_system).exists())
            .map(|(own, of_system)| (path(self.folder.path().join(own)), path(of_system.into())))
            .collect();
        let mount = move |from: *const c_char, to: &CStr, flags: c_ulong| {
            // SAFETY: the paths are C strings, or NULL where the flags need none.
            match unsafe { libc::mount(from, to.as_ptr(), ptr::null(), flags, ptr::null()) } {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            }
        };
        // SAFETY: between fork and exec, the closure makes system calls only.
        unsafe {
            command.pre_exec(move || {
                if libc::unshare(libc::CLONE_NEWNS) != 0 {
                    return Err(io::Error::last_os_error());
                }
                mount(ptr::null(), c"/", libc::MS_REC | libc::MS_PRIVATE)?;
                mounts.iter().try_for_each(|(from, to)| mount(from.as_ptr(), to, libc::MS_BIND))
            });
        }
    }

    pub(crate) fn record(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns whether this process may make mount namespaces.
    pub(crate) fn can_be_made() -> bool {
        // SAFETY: only the namespace of this thread changes, which ends at once.
        std::thread::spawn(|| unsafe { libc::unshare(libc::CLONE_NEWNS) == 0 }).join().unwrap_or(false)
    }

    pub(crate) fn has_mesas_layer() -> bool {
        Path::new(MESAS_LAYER).exists()
    }

    /// Returns whether a file that was loaded is one of the drivers or layers.
    pub(crate) fn is_not_the_loaders(file: &str) -> bool {
        let name = Path::new(file).file_name().unwrap_or_default().to_string_lossy();
        ["libnull", "liblayer", "libVkLayer_MESA"].iter().any(|own| name.starts_with(own))
    }
}

/// The layer that Mesa's packages install for every program.
const MESAS_LAYER: &str = "/usr/share/vulkan/implicit_layer.d/VkLayer_MESA_device_select.json";

const DRIVERS: &str = "share/icd.d";
const EXPLICIT: &str = "share/explicit_layer.d";
const SETTINGS: &str = "home/.local/share/vulkan/loader_settings.d";
const IMPLICIT: &str = "share/implicit_layer.d";

fn absent() -> PathBuf {
    PathBuf::from("/nonexistent/liblayer.so")
}

/// Returns a layer's manifest, with these objects that name a variable each.
fn layer(name: &str, library: &Path, switches: &[&str]) -> String {
    let mut layer = serde_json::json!({
        "name": format!("VK_LAYER_BENCH_{name}"),
        "type": "GLOBAL",
        "library_path": library,
        "api_version": "1.3.0",
        "implementation_version": "1",
        "description": "one of many layers",
    });
    for switch in switches {
        layer[switch] = serde_json::json!({ format!("BENCH_{switch}_{name}"): "1" });
    }
    serde_json::json!({ "file_format_version": "1.2.0", "layer": layer }).to_string()
}
