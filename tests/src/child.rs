//! The process that runs a scenario's body.
//!
//! It is the test's own executable, started again. A constructor runs the body before the test harness gets control, and exits. The body is
//! a plain function, and executables are laid out the same way each time they are started, so its distance from a known address identifies
//! it.

use std::ffi::{CStr, CString, c_char, c_void};
use std::fmt::Display;
use std::fs::OpenOptions;
use std::io::Write;
use std::panic::catch_unwind;
use std::path::PathBuf;
use std::sync::atomic::{AtomicPtr, Ordering};

use ash::vk;

use crate::{Ask, Instance};

/// The body of a scenario: a closure that captures nothing.
pub(crate) type Body = fn(&Vk);

/// Variable with the body's distance from [`ENTER`], decimal.
pub(crate) const BODY: &str = "VKLOAD_TEST_BODY";
/// Variable with the path of the library under test.
pub(crate) const LIBRARY: &str = "VKLOAD_TEST_LIBRARY";
/// Variable with the path of the sandbox.
pub(crate) const SANDBOX: &str = "VKLOAD_TEST_SANDBOX";
/// Variables that begin so are arguments of the body.
pub(crate) const ARGUMENT: &str = "VKLOAD_TEST_ARGUMENT_";

/// The exit code of a scenario that came to its end, unlike one in which a library calls `exit(0)`.
pub(crate) const ENDED: i32 = 42;

/// The seconds after which a process of a test is ended, so that nothing hangs: long enough for a slow machine.
pub(crate) const TIME_LIMIT: u32 = 600;

#[used]
#[unsafe(link_section = ".init_array")]
static ENTER: extern "C" fn() = enter;

/// Returns how the process finds the body again.
pub(crate) fn number(body: Body) -> String {
    (body as usize).wrapping_sub(ENTER as usize).to_string()
}

extern "C" fn enter() {
    let Ok(number) = std::env::var(BODY) else { return };
    let address = number.parse::<usize>().unwrap().wrapping_add(ENTER as usize);
    // SAFETY: `number` made it from a function of this type in the same executable, which the parent process started.
    let body: Body = unsafe { std::mem::transmute(address) };
    // SAFETY: no signal handler is replaced; the default action of SIGALRM kills the process.
    unsafe { libc::alarm(TIME_LIMIT) };
    let ended = catch_unwind(|| body(&Vk::open()));
    std::process::exit(if ended.is_ok() { ENDED } else { 101 });
}

/// The loader under test, and a way to report events to the test.
pub struct Vk {
    library: *mut c_void,
    pub entry: ash::Entry,
}

impl Vk {
    /// Opens the library under test once more; it stays open.
    pub fn open() -> Self {
        let path = CString::new(std::env::var(LIBRARY).unwrap()).unwrap();
        // SAFETY: the library's constructors are a loader's, which are meant to run anywhere.
        let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        assert!(!library.is_null(), "{path:?} does not open: {}", last_error());
        let symbol = symbol(library, c"vkGetInstanceProcAddr");
        assert!(!symbol.is_null(), "{path:?} has no vkGetInstanceProcAddr");
        // SAFETY: a library that exports this name exports Vulkan's function.
        let get_instance_proc_addr: vk::PFN_vkGetInstanceProcAddr = unsafe { std::mem::transmute(symbol) };
        let functions = ash::StaticFn { get_instance_proc_addr };
        // SAFETY: as above; the library is closed only by `close`, which takes `self`.
        let entry = unsafe { ash::Entry::from_static_fn(functions) };
        Self { library, entry }
    }

    pub fn close(self) {
        // SAFETY: `open` opened it; nothing of it is used after `self` is gone.
        assert_eq!(unsafe { libc::dlclose(self.library) }, 0, "{}", last_error());
    }

    /// Closes the library as often as it was opened, so that it is unloaded. Nothing of this value works afterwards.
    pub fn close_all(&self) {
        let path = CString::new(std::env::var(LIBRARY).unwrap()).unwrap();
        for _ in 0..100 {
            // SAFETY: the library is only closed, and this value says that it is not used any more.
            unsafe {
                let library = libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
                if library.is_null() {
                    return;
                }
                assert_eq!(libc::dlclose(library) | libc::dlclose(library), 0, "{}", last_error());
            }
        }
        panic!("the library stays open");
    }

    /// Reports a value to the test. The last value of a key counts.
    pub fn say(&self, key: &str, value: impl Display) {
        let path = PathBuf::from(std::env::var(SANDBOX).unwrap()).join("out/said");
        let mut file = OpenOptions::new().append(true).create(true).open(path).unwrap();
        file.write_all(format!("{key}\t{value}\n").as_bytes()).unwrap();
    }

    /// Returns an argument of the scenario. The path of each driver's manifest is one, under the driver's name.
    pub fn arg(&self, name: &str) -> String {
        std::env::var(format!("{ARGUMENT}{name}")).unwrap()
    }

    pub fn path(&self, relative: &str) -> PathBuf {
        PathBuf::from(std::env::var(SANDBOX).unwrap()).join(relative)
    }

    /// Returns whether the library of a driver is loaded at this moment.
    pub fn is_loaded(&self, driver: &str) -> bool {
        let path = self.path(&format!("lib/lib{driver}.so"));
        let path = CString::new(path.to_str().unwrap_or_default()).unwrap_or_default();
        // SAFETY: nothing is loaded by this.
        let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        if library.is_null() {
            return false;
        }
        // SAFETY: the call above counted it once more.
        unsafe { libc::dlclose(library) };
        true
    }

    /// Has a driver call `hook` at the beginning of every call from now on, with the command and its line in the trace.
    pub fn on_calls_of(&self, driver: &str, hook: unsafe extern "C" fn(*const c_char, *const c_char)) {
        let path = CString::new(self.path(&format!("lib/lib{driver}.so")).to_str().unwrap()).unwrap();
        // SAFETY: nothing is loaded by this, and the loader keeps the library open. The variable is an aligned pointer to such
        // a function.
        unsafe {
            let library = libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
            assert!(!library.is_null(), "{driver} is not loaded");
            libc::dlclose(library);
            let variable = AtomicPtr::from_ptr(symbol(library, c"test_on_call").cast::<*mut c_void>());
            variable.store(hook as *mut c_void, Ordering::Release);
        }
    }

    /// Hides devices of a driver by their numbers from now on, as if they were unplugged.
    pub fn hide(&self, driver: &str, devices: &[u32]) {
        let list: Vec<String> = devices.iter().map(u32::to_string).collect();
        std::fs::write(self.path(&format!("lib/lib{driver}.so.cfg.hidden")), list.join("\n")).unwrap();
    }

    /// Returns the address of an exported symbol, 0 if it does not exist.
    pub fn symbol(&self, name: &str) -> usize {
        symbol(self.library, &CString::new(name).unwrap_or_default()) as usize
    }

    /// Returns the result of vkGetInstanceProcAddr, as an address.
    pub fn proc(&self, instance: vk::Instance, name: &str) -> usize {
        let name = CString::new(name).unwrap_or_default();
        // SAFETY: the instance is null or alive; the name is a C string.
        let function = unsafe { self.entry.get_instance_proc_addr(instance, name.as_ptr()) };
        function.map_or(0, |function| function as usize)
    }

    /// Creates an instance.
    ///
    /// # Errors
    /// The error of vkCreateInstance.
    pub fn create(&self, ask: &Ask<'_>) -> Result<Instance<'_>, vk::Result> {
        ask.create(self)
    }

    /// Creates an instance of Vulkan 1.0 that asks for nothing.
    pub fn instance(&self) -> Instance<'_> {
        self.create(&Ask::new()).unwrap()
    }
}

fn symbol(library: *mut c_void, name: &CStr) -> *mut c_void {
    // SAFETY: the library is open; the name is a C string.
    unsafe { libc::dlsym(library, name.as_ptr()) }
}

fn last_error() -> String {
    // SAFETY: dlerror gives null or a C string that lasts until the next call of this thread.
    unsafe {
        let text: *const c_char = libc::dlerror();
        if text.is_null() { String::new() } else { CStr::from_ptr(text).to_string_lossy().into_owned() }
    }
}
