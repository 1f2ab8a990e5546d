//! The surroundings in which a program runs: nothing of the user's own environment.
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use tempfile::TempDir;

use crate::programs::driver::runtime_null_driver;
use crate::programs::real_layer::{ORDER_FILE, order_layer};
use crate::programs::{Library, RealLayer};

/// A folder with an empty home folder and, by default, no driver or layer manifests.
#[derive(Debug)]
pub struct Machine {
    folder: TempDir,
    drivers: Option<String>,
    /// Folders for `XDG_DATA_DIRS`, each with the manifest of one layer.
    layers: Vec<PathBuf>,
    display: Option<String>,
    variables: Vec<(&'static str, &'static str)>,
}

#[derive(Debug)]
pub struct Output {
    pub status: ExitStatus,
    /// Its standard output, with invalid UTF-8 replaced.
    pub stdout: String,
    pub stderr: String,
}

impl Machine {
    /// Only the drivers whose manifests are listed; no layers. A layer's manifest that the distribution
    /// installs under `/usr/share` is not seen, since `XDG_DATA_DIRS` points elsewhere.
    pub fn with_drivers(manifests: &[PathBuf]) -> Self {
        let listed: Vec<_> = manifests.iter().map(|path| path.display().to_string()).collect();
        Self { drivers: Some(listed.join(":")), ..Self::with_default_search() }
    }

    /// Drivers and layers as the system's own folders list them.
    pub fn with_default_search() -> Self {
        let folder =
            tempfile::Builder::new().prefix("vkload-machine-").tempdir().expect("a folder to run in");
        for name in ["home", "empty", "runtime", "work"] {
            fs::create_dir(folder.path().join(name)).expect("a folder to run in");
        }
        Self { folder, drivers: None, layers: Vec::new(), display: None, variables: Vec::new() }
    }

    /// Only this project's null driver, which moves bytes and draws nothing, with surfaces as most drivers have them.
    pub fn with_null_driver() -> Self {
        let mut machine = Self::with_default_search();
        let manifest = runtime_null_driver(machine.folder.path());
        machine.drivers = Some(manifest.display().to_string());
        machine.variables.push(("VKLOAD_NULL_DRIVER", "surfaces=loader"));
        machine
    }

    /// Lets programs draw on `display`, such as `:7`.
    pub fn with_display(mut self, display: &str) -> Self {
        self.display = Some(display.to_owned());
        self
    }

    /// Installs `layers` here, found in this order. Both loaders read folders in the order of their variable, but files inside one folder
    /// in different orders, so each layer has a separate folder.
    pub fn with_layers(mut self, layers: &[&RealLayer]) -> Self {
        for layer in layers {
            self.install(Path::new(layer.manifest));
        }
        self
    }

    /// Installs a layer that writes down the order of those that are installed after it.
    pub fn with_order_layer(mut self) -> Self {
        let folder = self.folder.path().join("order");
        fs::create_dir(&folder).expect("a folder for the order layer");
        self.install(&order_layer(&folder));
        self
    }

    fn install(&mut self, manifest: &Path) {
        let part = |path: Option<&OsStr>| path.expect("a manifest in a folder").to_owned();
        let kind = part(manifest.parent().and_then(Path::file_name));
        let root = self.folder.path().join(format!("layer{}", self.layers.len()));
        let folder = root.join("vulkan").join(kind);
        fs::create_dir_all(&folder).expect("a folder for a layer");
        fs::copy(manifest, folder.join(part(manifest.file_name()))).expect("a copy of a layer's manifest");
        self.layers.push(root);
    }

    /// Returns the order layer's output since the last call: a line for each instance and each device.
    pub fn order(&self) -> String {
        let file = self.work().join(ORDER_FILE);
        let order = fs::read_to_string(&file).unwrap_or_default();
        let _ = fs::remove_file(&file);
        order
    }

    /// Returns the folder in which programs run and write files.
    pub fn work(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    /// `program` made to use `library` here.
    pub fn command(&self, library: &Library, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        self.surround(&mut command, library);
        command
    }

    fn surround(&self, command: &mut Command, library: &Library) {
        let path = |name: &str| self.folder.path().join(name);
        command
            .env_clear()
            .env("PATH", env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into()))
            .env("LC_ALL", "C")
            .env("HOME", path("home"))
            .env("XDG_RUNTIME_DIR", path("runtime"))
            .env("LD_LIBRARY_PATH", library.search_path())
            .env("VKLOAD_ORDER_FILE", self.work().join(ORDER_FILE))
            .current_dir(path("work"));
        if let Some(display) = &self.display {
            command.env("DISPLAY", display);
        }
        command.envs(self.variables.iter().copied());
        let Some(drivers) = &self.drivers else { return };
        command.env("VK_DRIVER_FILES", drivers);
        for variable in ["XDG_DATA_HOME", "XDG_DATA_DIRS", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS"] {
            command.env(variable, path("empty"));
        }
        if !self.layers.is_empty() {
            command.env("XDG_DATA_DIRS", env::join_paths(&self.layers).expect("folders without colons"));
        }
    }
}

impl Output {
    /// Returns the standard output of a program that succeeded.
    pub fn success(self) -> String {
        assert!(self.status.success(), "{}\n{}\n{}", self.status, self.stdout, self.stderr);
        self.stdout
    }
}

pub fn run(command: &mut Command) -> Output {
    let output = match command.output() {
        Ok(output) => output,
        Err(error) => panic!("{}: {error}", Path::new(command.get_program()).display()),
    };
    Output {
        status: output.status,
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
