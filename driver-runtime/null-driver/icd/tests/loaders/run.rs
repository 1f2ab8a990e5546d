//! Loaders, and programs that run on them in processes of their own.

use std::env;
use std::ffi::{CStr, OsStr};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

/// Debian's Khronos loader (package libvulkan1).
const DISTRIBUTION: &str = "/usr/lib/x86_64-linux-gnu/libvulkan.so.1";

/// The output of a successful program.
pub(crate) const CONTENT: &str = "the program is content";

/// The value that programs use instead of a loader's path.
pub(crate) const NO_LOADER: &str = "none";

/// A loader, and a manifest that makes it use the driver.
pub(crate) struct Run {
    loader: PathBuf,
    pub(crate) folder: TempDir,
}

impl Run {
    pub(crate) fn new(loader: &Path) -> Self {
        let run = Self { loader: loader.to_owned(), folder: tempfile::tempdir().unwrap() };
        run.use_library(&library());
        run
    }

    pub(crate) fn use_library(&self, library: &Path) {
        let text = format!(
            r#"{{"file_format_version": "1.0.0", "ICD": {{"library_path": "{}", "api_version": "1.3.0"}}}}"#,
            library.display()
        );
        fs::write(self.folder.path().join("null.json"), text).unwrap();
    }

    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let manifest = self.folder.path().join("null.json");
        let mut command = Command::new(program);
        command
            .env("VK_DRIVER_FILES", &manifest)
            .env("VK_ICD_FILENAMES", &manifest)
            .env("VK_LOADER_LAYERS_DISABLE", "~implicit~")
            .env("NODEVICE_SELECT", "1")
            .env("TEST_LOADER", &self.loader)
            .env("LD_LIBRARY_PATH", self.search_path());
        command
    }

    /// Returns the command to run one of the [`programs`](crate::programs), with the words that configure the driver.
    pub(crate) fn command_of(&self, program: &str, scenario: &str) -> Command {
        let mut command = self.command(env::current_exe().unwrap());
        let module = match program {
            "buffers" => "programs",
            "two_processes" | "handles" => "programs::sharing",
            "look_ups" => "programs::newest",
            "all_commands" | "acceleration_structures" => "programs::extensions",
            "first_words" | "groups" | "nodes" => "programs::facts",
            "suboptimal" | "two_images" | "image_in_use" | "present_fence" | "replaced" | "frames"
            | "present_ids" | "second_swapchain" => "programs::swapchains",
            "copies_by_address"
            | "images_by_address"
            | "queries_of_extensions"
            | "host_event"
            | "events_markers_and_resolves" => "programs::effects",
            "lost" | "small_heap" | "no_budget" | "clocks" | "forgotten_wait" | "cleared"
            | "clock_of_readings" | "families" | "descriptor_buffers" | "some_failures" => "programs::honest",
            other => &format!("programs::{other}"),
        };
        let test = format!("{module}::{program}");
        command.args(["--ignored", "--exact", test.as_str(), "--nocapture"]);
        command.env("VKLOAD_NULL_DRIVER", scenario).stdin(Stdio::null());
        command
    }

    /// Runs a program to its good end.
    pub(crate) fn content(&self, program: &str, scenario: &str) {
        let shown = self.output(&mut self.command_of(program, scenario));
        assert!(shown.contains(CONTENT), "{program} on {:?}: {shown}", self.loader);
    }

    /// Runs a program that fails, and returns its output.
    pub(crate) fn failure(&self, program: &str, scenario: &str) -> String {
        let output = self.start(&mut self.command_of(program, scenario));
        assert!(!output.status.success(), "{program} on {:?}: {output:?}", self.loader);
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    }

    pub(crate) fn start(&self, command: &mut Command) -> Output {
        command.output().unwrap()
    }

    pub(crate) fn output(&self, command: &mut Command) -> String {
        let output = self.start(command);
        let text =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{:?}: {text}", self.loader);
        text
    }

    /// Creates a folder in which the loader has the name that programs search for.
    pub(crate) fn search_path(&self) -> PathBuf {
        let link = self.folder.path().join("libvulkan.so.1");
        if self.loader.exists() && !link.exists() {
            std::os::unix::fs::symlink(&self.loader, link).unwrap();
        }
        self.folder.path().to_owned()
    }
}

pub(crate) fn with_loader(loader: Option<PathBuf>, test: impl FnOnce(&Run)) {
    if let Some(loader) = loader {
        test(&Run::new(&loader));
    }
}

/// Returns the loader of this workspace, if `cargo xtask build` made it.
pub(crate) fn ours() -> Option<PathBuf> {
    let folder = library().parent().unwrap().join("../../release/libvulkan.so.1");
    found(fs::canonicalize(folder).unwrap_or_else(|_| "target/release/libvulkan.so.1".into()))
}

pub(crate) fn distribution() -> Option<PathBuf> {
    found(DISTRIBUTION.into())
}

pub(crate) fn found(path: PathBuf) -> Option<PathBuf> {
    if !path.exists() {
        println!("skipped: there is no {}", path.display());
    }
    path.exists().then_some(path)
}

/// Returns the driver's path: cargo builds it next to the tests.
pub(crate) fn library() -> PathBuf {
    env::current_exe().unwrap().parent().unwrap().join("libvkload_null.so")
}

pub(crate) fn exists(program: &str) -> bool {
    let there = Command::new(program).arg("--version").output().is_ok();
    if !there {
        println!("skipped: there is no {program}");
    }
    there
}

/// Builds a library that exports only `vk_icdGetInstanceProcAddr`.
pub(crate) fn shim(folder: &Path) -> PathBuf {
    const TEXT: &CStr = c"
        #include <dlfcn.h>
        typedef void *(*lookup)(void *, const char *);
        void *vk_icdGetInstanceProcAddr(void *instance, const char *name) {
            static lookup driver;
            if (!driver) driver = (lookup)dlsym(dlopen(DRIVER, RTLD_NOW), \"vk_icdGetInstanceProcAddr\");
            return driver(instance, name);
        }";
    let (source, shim) = (folder.join("shim.c"), folder.join("libshim.so"));
    fs::write(&source, TEXT.to_bytes()).unwrap();
    let define = format!("-DDRIVER=\"{}\"", library().display());
    let status = Command::new("cc")
        .args(["-shared", "-fPIC", "-o"])
        .arg(&shim)
        .arg(define)
        .arg(source)
        .status()
        .unwrap();
    assert!(status.success());
    shim
}
