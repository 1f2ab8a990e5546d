//! Where the measured processes run: a home folder and search folders of their own, and drivers that do nothing.
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

const NULL_DRIVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/null_driver.c");

/// What all stages share: the compiled driver.
#[derive(Debug)]
pub(crate) struct NullDriver {
    folder: TempDir,
}

/// Search folders as a system has them, with `drivers` drivers' manifests among `manifests` in the last of them.
/// The other manifests name libraries that do not exist.
#[derive(Debug)]
pub(crate) struct Stage {
    folder: TempDir,
}

impl NullDriver {
    /// Compiles it.
    ///
    /// # Errors
    /// Where there is no C compiler or no Vulkan header.
    pub(crate) fn compile() -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let status = Command::new("cc")
            .args(["-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-o"])
            .args([&folder.path().join("libnull.so"), Path::new(NULL_DRIVER)])
            .status();
        match status {
            Ok(status) if status.success() => Ok(Self { folder }),
            _ => {
                Err("the null driver does not compile: install the packages gcc and libvulkan-dev".to_owned())
            }
        }
    }

    fn library(&self) -> PathBuf {
        self.folder.path().join("libnull.so")
    }
}

impl Stage {
    /// Sets the files up.
    ///
    /// # Errors
    /// Of the file system.
    pub(crate) fn new(driver: &NullDriver, manifests: usize, drivers: usize) -> io::Result<Self> {
        let stage = Self { folder: tempfile::tempdir()? };
        for name in ["home", "config", "share1", "share2/vulkan/icd.d"] {
            fs::create_dir_all(stage.folder.path().join(name))?;
        }
        let manifest_folder = stage.folder.path().join("share2/vulkan/icd.d");
        for number in 0..manifests {
            let library = stage.folder.path().join(format!("libnull{number}.so"));
            if number < drivers {
                fs::copy(driver.library(), &library)?;
            }
            let manifest = serde_json::json!({
                "file_format_version": "1.0.0",
                "ICD": { "library_path": library, "api_version": "1.3.0" },
            });
            fs::write(manifest_folder.join(format!("null{number}.json")), manifest.to_string())?;
        }
        Ok(stage)
    }

    /// Gives a command the environment of this stage and nothing else.
    pub(crate) fn surround(&self, command: &mut Command) {
        let path = |name: &str| self.folder.path().join(name).display().to_string();
        command
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", path("home"))
            .env("XDG_CONFIG_DIRS", path("config"))
            .env("XDG_DATA_DIRS", format!("{}:{}", path("share1"), path("share2")));
    }

    /// Where a tool may leave its record.
    pub(crate) fn record(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Whether a file that was loaded is one of the drivers.
    pub(crate) fn is_driver(file: &str) -> bool {
        Path::new(file).file_name().is_some_and(|name| name.to_string_lossy().starts_with("libnull"))
    }
}
