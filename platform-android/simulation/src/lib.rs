//! An Android system in a folder of another system: it provides the system calls that
//! [`platform_android`] makes.
//!
//! Android's paths lie below the folder, properties and the framework's decisions are set by tests,
//! libraries are libraries of this machine, fences are pipes, and every object is counted until it
//! comes back.

mod application;
mod built_in;
mod exported;
mod fences;
mod filled;
pub mod graphics;
pub mod hal;
mod layers;
mod libraries;
mod made;
mod packages;
mod scarce;
mod sleepers;
mod slices;
mod system;
mod window;

pub use exported::exported;
pub use fences::SignalledLater;
pub use filled::filled;
pub use made::{null_driver, null_driver_without_module};
pub use packages::{Packed, package};
pub use scarce::{Scarce, with_memory_for};
pub use window::{FakeWindow, NextBuffer, Shown, State as WindowState, Told, WithoutBuffers};

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, CString, OsStr, c_int, c_void};
use std::fs;
use std::mem::offset_of;
use std::num::NonZero;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::sync::atomic::AtomicU32;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use platform_android::driver::hooks;
use platform_android::hal::layout::Module;
use platform_android::host::Host;
use platform_android::system::{BufferKind, Namespace, OpenMethod, Statistic};
use platform_android::{ApiLevel, Switches};
use platform_android_system::SystemLoader;
use platform_android_system::hal::DriverSearch;
use vkload_core::log::Level;
use vkload_core::registry;

/// Returns the driver level's function of a command, which its type names, without looking it up.
#[macro_export]
macro_rules! hook {
    ($type:ident) => {
        $crate::hook::<vkload_core::registry::types::$type>(stringify!($type))
    };
}

#[doc(hidden)]
pub unsafe fn hook<F: Copy>(type_name: &str) -> F {
    let name = CString::new(type_name.trim_start_matches("PFN_")).unwrap();
    let hook = registry::find(&name).and_then(hooks::of).unwrap();
    // SAFETY: the caller passes the command's type and its name.
    unsafe { std::mem::transmute_copy(&hook.function) }
}

/// Only one system at a time: a process has one loader.
static TURN: Mutex<()> = Mutex::new(());

thread_local! {
    static HAS_TURN: Cell<bool> = const { Cell::new(false) };
}

/// A system with its loader. Another one in the same process waits until this one is dropped.
pub struct Simulation {
    pub android: &'static Android,
    /// Its loader, which has done nothing yet. It is the loader of the process.
    pub loader: &'static SystemLoader,
    _turn: MutexGuard<'static, ()>,
}

pub struct Android {
    folder: PathBuf,
    started: Instant,
    world: Mutex<World>,
    sleepers: sleepers::Sleepers,
    recorded: &'static AtomicU32,
}

/// The part that a test can change at any time: see [`Android::change`].
pub struct World {
    pub variables: BTreeMap<String, String>,
    pub makes_namespaces: bool,
    /// Whether opening always fails in the namespaces created until now.
    pub namespaces_lack_libraries: bool,
    pub properties: BTreeMap<String, String>,
    pub dumpable: bool,
    /// The process id; changing it simulates a fork.
    pub process: u32,
    pub running: BTreeSet<u32>,
    pub page_size: usize,
    /// The folder in which the vendor's libraries are looked up by name.
    pub vendor_folder: String,
    /// Linker namespaces by name, each with the folder in which names are looked up.
    pub namespaces: BTreeMap<String, String>,
    /// The name of the namespace of an updatable driver, if any.
    pub updatable_driver: Option<String>,
    /// The path of the module that libhardware finds, empty if it finds none; `None` if libhardware
    /// is missing.
    pub hardware_module: Option<String>,
    pub application_namespace: bool,
    pub layer_paths: String,
    /// The application's data folder, and the folder of its own loader.
    pub own_folders: [&'static str; 2],
    pub debug_layers: String,
    /// Which buffers can be allocated: all, unless a test changes this.
    pub buffer_supported: fn(BufferKind) -> bool,
    /// How many bytes of a file can be written; `None` for all.
    pub room: Option<usize>,
    /// Whether no descriptor is left to duplicate a fence.
    pub no_more_descriptors: bool,
    /// The timeouts of waits for fences, in milliseconds; for ever if negative.
    pub fence_waits: Vec<c_int>,
    /// The calls in order: a word for each, and its subject.
    pub calls: Vec<String>,
    pub log: Vec<(Level, String)>,
    /// Whether the log also goes to standard error: for tests in which the process ends.
    pub echoes: bool,
    pub statistics: Vec<Statistic>,
    slices: Vec<String>,
    open_slices: usize,
    pub engines: Vec<String>,
    /// The extensions that were reported: whether they are of a device, and their names.
    pub extensions: Vec<(bool, Vec<String>)>,
    /// Libraries that are part of the test, by path.
    built_in: BTreeMap<String, built_in::BuiltIn>,
    libraries: libraries::Openings,
    fences: fences::Ledger,
    names: Vec<String>,
}

impl Simulation {
    /// Creates an empty system: without driver and layers, with no property but its level; the
    /// process may not be dumped.
    pub fn new() -> Self {
        Self::at(ApiLevel::NEWEST)
    }

    /// Creates an empty system of an older Android.
    pub fn at(level: ApiLevel) -> Self {
        Self::of(level, |switches| switches)
    }

    /// Creates an empty system of this Android, with other switches.
    pub fn of(level: ApiLevel, switches: impl Fn(Switches) -> Switches) -> Self {
        assert!(!HAS_TURN.replace(true), "this thread has a system already, which must be dropped first");
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = tempfile::tempdir().expect("a folder for the system").keep();
        let android = Android::at(folder);
        android.set("ro.build.version.sdk", &level.0.to_string());
        let host = Host::new(android).at(level).with(switches(Switches::of(level)));
        let loader: &'static SystemLoader = loader_on(host);
        loader.enter();
        Self { android, loader, _turn: turn }
    }
}

/// Returns a system's loader on this host that has done nothing yet.
pub fn loader_on(host: Host) -> &'static mut SystemLoader {
    Box::leak(Box::new(SystemLoader::new(host, Box::leak(Box::new(DriverSearch::new())))))
}

impl Default for Simulation {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Simulation {
    fn drop(&mut self) {
        HAS_TURN.set(false);
        // The system stays alive for references to it; its folder need not.
        let _ = fs::remove_dir_all(&self.android.folder);
    }
}

impl Android {
    /// Creates a system with the content of this folder, and nothing else: no properties, and the
    /// process may not be dumped.
    pub fn at(folder: PathBuf) -> &'static Self {
        Box::leak(Box::new(Self {
            folder,
            started: Instant::now(),
            world: Mutex::new(World::new()),
            sleepers: sleepers::Sleepers::default(),
            recorded: Box::leak(Box::default()),
        }))
    }

    /// Locks the current state for reading or changing it. Nothing of the loader may be called
    /// while it is held.
    pub fn change(&self) -> MutexGuard<'_, World> {
        self.world.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the path on this machine of an Android path.
    pub fn host_path(&self, path: &str) -> PathBuf {
        self.folder.join(path.trim_start_matches('/'))
    }

    /// Writes a file there, after creating the folders that lead to it.
    pub fn file(&self, path: &str, content: impl AsRef<[u8]>) {
        let host_path = self.host_path(path);
        fs::create_dir_all(host_path.parent().unwrap_or(Path::new("/"))).expect("folders");
        fs::write(host_path, content).expect("a file");
    }

    pub fn library(&self, path: &str, from: &Path) {
        let host_path = self.host_path(path);
        fs::create_dir_all(host_path.parent().unwrap_or(Path::new("/"))).expect("folders");
        fs::copy(from, host_path).expect("a library");
    }

    pub fn set(&self, name: &str, value: &str) {
        self.change().properties.insert(name.into(), value.into());
    }

    /// Returns the records logged since the last call.
    pub fn logged(&self) -> Vec<(Level, String)> {
        std::mem::take(&mut self.change().log)
    }

    /// Returns the calls since the last time.
    pub fn calls(&self) -> Vec<String> {
        std::mem::take(&mut self.change().calls)
    }

    /// Returns the paths of open libraries, one entry per opening.
    pub fn open_libraries(&self) -> Vec<String> {
        self.change().libraries.paths()
    }

    /// Returns how many threads sleep until they are woken.
    pub fn asleep(&self) -> usize {
        self.sleepers.count()
    }

    pub fn open_fences(&self) -> usize {
        self.change().fences.open()
    }

    fn here(&self, path: &CStr) -> PathBuf {
        let path = Path::new(OsStr::from_bytes(path.to_bytes()));
        path.strip_prefix("/").map_or_else(|_| path.to_owned(), |below| self.folder.join(below))
    }

    /// Opens the library with this path. Libraries that it needs are in the folder of the system,
    /// and, in a namespace, in the namespace's folder.
    fn library_at(&self, path: &str, of_namespace: Option<&str>) -> Result<libraries::Opened, String> {
        let built_in = self.change().built_in.get(path.trim_start_matches('/')).cloned();
        if let Some(library) = built_in {
            return Ok(libraries::Opened::Test(library));
        }
        let folders: Vec<_> =
            ["/"].into_iter().chain(of_namespace).map(|folder| self.host_path(folder)).collect();
        let plan = self.change().libraries.plan(self.host_path_of_library(path), &folders)?;
        // Initialisers may do anything, so the state is not locked.
        plan.open()
    }

    fn record(&self, call: &str, about: &CStr) {
        self.change().calls.push(format!("{call} {}", about.to_string_lossy()));
    }
}

impl Android {
    /// Returns the module of a library, opened as by libhardware.
    fn module_of(&self, path: &str) -> Option<NonNull<c_void>> {
        let library = self.library_at(path, None).ok()?;
        let mut world = self.change();
        let library = world.libraries.add(library, path, OpenMethod::Linker);
        let module = world.libraries.symbol(library, c"HMI")?;
        let dso = module.as_ptr().wrapping_byte_add(offset_of!(Module, dso)).cast::<*mut c_void>();
        // SAFETY: the symbol is a writable module, which no other code knows yet.
        unsafe { dso.write(library.handle.as_ptr()) };
        Some(module)
    }
}

impl World {
    fn new() -> Self {
        Self {
            variables: BTreeMap::new(),
            makes_namespaces: false,
            namespaces_lack_libraries: false,
            properties: BTreeMap::new(),
            dumpable: false,
            process: 1000,
            running: BTreeSet::new(),
            page_size: 4096,
            vendor_folder: "/vendor/lib64/hw".into(),
            namespaces: BTreeMap::new(),
            updatable_driver: None,
            hardware_module: None,
            application_namespace: false,
            layer_paths: String::new(),
            own_folders: ["", ""],
            debug_layers: String::new(),
            buffer_supported: |_| true,
            room: None,
            no_more_descriptors: false,
            fence_waits: Vec::new(),
            calls: Vec::new(),
            log: Vec::new(),
            echoes: true,
            statistics: Vec::new(),
            slices: Vec::new(),
            open_slices: 0,
            engines: Vec::new(),
            extensions: Vec::new(),
            built_in: BTreeMap::new(),
            libraries: libraries::Openings::default(),
            fences: fences::Ledger::default(),
            names: Vec::new(),
        }
    }

    /// Returns the namespace with this name, represented by its position in a list, counting from
    /// 1.
    fn namespace(&mut self, name: &str) -> Namespace {
        let index = self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        Namespace(NonNull::without_provenance(NonZero::<usize>::MIN.saturating_add(index)))
    }

    fn named(&self, namespace: Namespace) -> String {
        self.names.get(namespace.0.addr().get() - 1).cloned().unwrap_or_default()
    }
}
