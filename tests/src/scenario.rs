//! A machine to run a piece of a program on.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::child::{self, Body};
use crate::{Driver, Layer, Run, Sandbox, library_under_test};

/// Files, drivers and environment of a program to run.
#[derive(Debug)]
#[must_use]
pub struct Scenario {
    sandbox: Sandbox,
    environment: BTreeMap<String, String>,
    executable: PathBuf,
    user: Option<u32>,
}

impl Scenario {
    /// Returns a machine without any driver.
    #[expect(clippy::new_without_default, reason = "it makes a folder")]
    pub fn new() -> Self {
        let sandbox = Sandbox::new();
        let mut environment: BTreeMap<String, String> = sandbox.environment().into_iter().collect();
        environment.insert(child::LIBRARY.to_owned(), library_under_test().to_str().unwrap().to_owned());
        environment.insert(child::SANDBOX.to_owned(), sandbox.path("").to_str().unwrap().to_owned());
        Self { sandbox, environment, executable: std::env::current_exe().unwrap(), user: None }
    }

    pub fn driver(self, driver: Driver) -> Self {
        let manifest = driver.install(&self.sandbox);
        // The scenario finds manifests by name: Vk::arg("good").
        self.argument(driver.name(), manifest.to_str().unwrap())
    }

    pub fn layer(self, layer: Layer) -> Self {
        let manifest = layer.install(&self.sandbox);
        self.argument(layer.name(), manifest.to_str().unwrap())
    }

    pub fn file(self, relative: &str, contents: impl AsRef<[u8]>) -> Self {
        self.sandbox.write(relative, contents);
        self
    }

    pub fn with(self, action: impl FnOnce(&Sandbox)) -> Self {
        action(&self.sandbox);
        self
    }

    /// Sets a variable of the program's environment. `SANDBOX` in the value is replaced by the sandbox's path.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        let root = self.sandbox.path("");
        let value = value.replace("SANDBOX", root.to_str().unwrap().trim_end_matches('/'));
        self.environment.insert(name.to_owned(), value);
        self
    }

    pub fn env_remove(mut self, name: &str) -> Self {
        self.environment.remove(name);
        self
    }

    /// Lets memory run out as [`Scarce`](crate::Scarce) says.
    pub fn scarce_memory(self) -> Self {
        let library = crate::compile::scarce();
        self.env("LD_PRELOAD", library.to_str().unwrap())
    }

    pub fn log(self) -> Self {
        self.env("VK_LOADER_DEBUG", "all")
    }

    /// Adds an argument that the body reads with [`Vk::arg`](crate::Vk::arg).
    pub fn argument(self, name: &str, value: &str) -> Self {
        let name = format!("{}{name}", child::ARGUMENT);
        self.env(&name, value)
    }

    /// Writes a settings file with these settings ([`Self::settings_file`]).
    pub fn settings(self, members: &str) -> Self {
        self.settings_file(&format!(
            "{{\n    \"file_format_version\": \"1.0.0\",\n    \"settings\": {{{members}}}\n}}\n"
        ))
    }

    /// Writes a settings file to Vulkan Configurator's path. `SANDBOX` is replaced by the scenario's folder.
    pub fn settings_file(self, text: &str) -> Self {
        let root = self.sandbox.path("");
        let text = text.replace("SANDBOX", root.to_str().unwrap().trim_end_matches('/'));
        self.file("home/.local/share/vulkan/loader_settings.d/vk_loader_settings.json", text)
    }

    pub fn library(self, path: &Path) -> Self {
        self.env(child::LIBRARY, path.to_str().unwrap())
    }

    /// Runs as this executable instead: a copy of the present one.
    pub fn executable(mut self, path: PathBuf) -> Self {
        self.executable = path;
        self
    }

    /// Starts as this user, who has only the group of the same number.
    pub fn user(mut self, user: u32) -> Self {
        self.user = Some(user);
        self
    }

    pub fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    /// Does not run at all: only leaves its folder behind.
    pub fn keep(self) -> PathBuf {
        self.sandbox.keep()
    }

    /// Runs the body in a process of its own and waits for its end.
    #[must_use]
    pub fn run(self, body: Body) -> Run {
        self.start(body)
    }

    /// Does the same for a scenario that runs more than once. Nothing of an earlier run's results is left.
    #[must_use]
    pub fn run_again(&self, body: Body) -> Run {
        for old in fs::read_dir(self.sandbox.path("out")).into_iter().flatten().flatten() {
            _ = fs::remove_file(old.path());
        }
        self.start(body)
    }

    fn start(&self, body: Body) -> Run {
        let mut command = Command::new(&self.executable);
        if let Some(user) = self.user {
            command.uid(user).gid(user);
        }
        let output = command
            .current_dir(self.sandbox.path(""))
            .env_clear()
            .envs(&self.environment)
            .envs(self.runtime())
            .env(child::BODY, child::number(body))
            .stdin(Stdio::null())
            .output()
            .unwrap_or_else(|error| panic!("{}: {error}", self.executable.display()));
        Run::new(self.sandbox.clone(), output)
    }

    /// Returns the variables by which the library's sanitizer is in the process before everything else, if it has one:
    /// `VKLOAD_TEST_RUNTIME` names that sanitizer's runtime, and `ASAN_OPTIONS` is passed on.
    fn runtime(&self) -> Vec<(&'static str, OsString)> {
        let Some(mut preloaded) = std::env::var_os("VKLOAD_TEST_RUNTIME") else { return Vec::new() };
        if let Some(own) = self.environment.get("LD_PRELOAD") {
            preloaded.push(":");
            preloaded.push(own);
        }
        let options = std::env::var_os("ASAN_OPTIONS").unwrap_or_default();
        vec![("LD_PRELOAD", preloaded), ("ASAN_OPTIONS", options)]
    }
}
