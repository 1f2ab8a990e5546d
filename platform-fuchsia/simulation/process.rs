//! A process of the simulated system, with the loader in it.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char};
use std::ops::Deref;
use std::sync::{Mutex, PoisonError, RwLock};

use crate::{Fuchsia, POLICY, RawHandle};
use ash::{Entry, StaticFn, vk};
use vkload_core::flavour::Flavour;
use vkload_core::loader::Loader;
use vkload_core::memory::{OutOfMemory, Text, text};
use vkload_core::platform::{Environment, Platform, Reader};

use super::Simulation;

pub const API_LEVEL: u32 = 27;

#[derive(Clone, Copy)]
pub struct Process {
    pub simulation: &'static Simulation,
    pub fuchsia: &'static Fuchsia,
    pub loader: &'static Loader,
}

impl Process {
    /// Creates a process with only these variables.
    pub fn new(simulation: &'static Simulation, variables: &[(&'static str, &'static str)]) -> Self {
        let variables = Box::leak(Box::new(Variables(variables.iter().copied().collect())));
        Self::with(simulation, |platform| Platform { environment: variables, ..platform })
    }

    /// Returns a process with the variables of the running program.
    pub fn with_own_variables(simulation: &'static Simulation) -> Self {
        Self::with(simulation, |platform| platform)
    }

    fn with(simulation: &'static Simulation, change: impl FnOnce(Platform) -> Platform) -> Self {
        let fuchsia: &'static _ = Box::leak(Box::new(Fuchsia::new(simulation, API_LEVEL, open_in_namespace)));
        let platform = Box::leak(Box::new(change(fuchsia.platform(std::process::abort))));
        let loader = Box::leak(Box::new(Loader::new(platform, Flavour::fuchsia(&POLICY))));
        Self { simulation, fuchsia, loader }
    }

    /// Runs a program in this process. The global commands have no argument that identifies the
    /// loader: they belong to the running process, and one runs at a time.
    pub fn run<T>(&self, program: impl FnOnce(&Entry) -> T) -> T {
        static TURN: Mutex<()> = Mutex::new(());
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        *RUNNING.write().unwrap_or_else(PoisonError::into_inner) = Some(*self);
        // SAFETY: this is the loader's own vkGetInstanceProcAddr.
        let entry = unsafe {
            Entry::from_static_fn(StaticFn { get_instance_proc_addr: entry::get_instance_proc_addr })
        };
        program(&entry)
    }
}

static RUNNING: RwLock<Option<Process>> = RwLock::new(None);

fn running() -> Process {
    RUNNING.read().unwrap_or_else(PoisonError::into_inner).expect("a process runs")
}

unsafe extern "system" fn open_in_namespace(name: *const c_char, handle: RawHandle) -> vk::Result {
    // SAFETY: the driver interface obliges the driver to pass a C string and to give up its handle.
    unsafe { running().fuchsia.open_in_namespace(name, handle) }
}

struct Running;

impl Deref for Running {
    type Target = Loader;
    fn deref(&self) -> &Loader {
        running().loader
    }
}

static LOADER: Running = Running;

mod entry {
    #![allow(unreachable_pub, dead_code, reason = "what a shared library would export")]
    vkload_core::global_commands!(super::LOADER);
}

struct Variables(BTreeMap<&'static str, &'static str>);

impl Environment for Variables {
    fn variable(&self, name: &CStr, _: Reader) -> Result<Option<Text>, OutOfMemory> {
        let value = name.to_str().ok().and_then(|name| self.0.get(name));
        value.map(|value| text(&[value.as_bytes()])).transpose()
    }
}
