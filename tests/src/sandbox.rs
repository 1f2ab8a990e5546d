//! A folder that acts as the whole file system of a scenario.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// A folder of its own for one scenario, removed after its last use unless the test fails.
#[derive(Clone, Debug)]
pub struct Sandbox {
    folder: Arc<Folder>,
}

#[derive(Debug)]
struct Folder {
    root: PathBuf,
    keep: AtomicBool,
}

impl Sandbox {
    /// Returns a new folder, with the folders that are searched for drivers in it.
    #[expect(clippy::new_without_default, reason = "it makes a folder")]
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let root = temporary_folder().join(format!("sandbox-{}-{number}", std::process::id()));
        for folder in ["home", "data/vulkan/icd.d", "out"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        Self { folder: Arc::new(Folder { root, keep: AtomicBool::new(false) }) }
    }

    pub fn keep(self) -> PathBuf {
        self.folder.keep.store(true, Ordering::Relaxed);
        self.folder.root.clone()
    }

    pub fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.folder.root.join(relative)
    }

    /// Writes a file and the folders that it lies in.
    pub fn write(&self, relative: impl AsRef<Path>, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, contents).unwrap();
        path
    }

    /// Returns the variables that keep a program inside it.
    pub fn environment(&self) -> Vec<(String, String)> {
        let inside = |path: &str| self.path(path).to_str().unwrap().to_owned();
        vec![
            ("HOME".to_owned(), inside("home")),
            ("XDG_CONFIG_DIRS".to_owned(), inside("config")),
            ("XDG_DATA_DIRS".to_owned(), inside("data")),
        ]
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if *self.keep.get_mut() {
            return;
        }
        if std::thread::panicking() {
            eprintln!("the scenario's files are kept in {}", self.root.display());
        } else {
            _ = fs::remove_dir_all(&self.root);
        }
    }
}

/// Returns the folder for files of test runs. It is not in the checkout, which may be another user's, or in a home, whose name recordings leave out.
pub(crate) fn temporary_folder() -> PathBuf {
    // SAFETY: no preconditions.
    let user = unsafe { libc::geteuid() };
    std::env::temp_dir().join(format!("vkload-tests-{user}"))
}

/// Returns the folder that cargo builds into: test executables lie in `PROFILE/deps` of it.
pub fn target_folder() -> PathBuf {
    let executable = std::env::current_exe().unwrap();
    let deps = executable.parent().unwrap();
    deps.parent().and_then(Path::parent).unwrap_or(deps).to_owned()
}
