//! The loader in `loader.rs` above the tests' system loader (`tests/system-loader`), and the calls that the latter receives.

use std::ffi::{CStr, CString, c_char, c_void};
use std::path::PathBuf;

use ash::vk::{self, Handle};
use vkload_tests::{Ask, Instance, Scenario, Vk, system_loader};

pub(crate) const SYSTEM_LOADER: &str = "VKLOAD_TEST_SYSTEM_LOADER";

/// Returns the loader under test, which cargo compiles with all tests of the package.
pub(crate) fn loader() -> PathBuf {
    let library = std::env::current_exe().unwrap().with_file_name("../examples/libvkload_above.so");
    let command = "cargo build -p vkload-tests --examples";
    assert!(library.exists(), "{} does not exist: run `{command}` first", library.display());
    library
}

/// Returns a machine with the tests' system loader as the only driver.
pub(crate) fn scenario() -> Scenario {
    above(system_loader().to_str().unwrap())
}

/// Returns a machine where this other loader is the only driver.
pub(crate) fn above(system_loader: &str) -> Scenario {
    Scenario::new()
        .library(&loader())
        .env(SYSTEM_LOADER, system_loader)
        .argument("layers", "")
        .argument("way", "")
}

/// Asks for the layers that the scenario has as its argument.
pub(crate) fn ask(vk: &Vk) -> Ask<'static> {
    let ask = Ask::new().api(1, 1);
    vk.arg("layers").split(',').filter(|name| !name.is_empty()).fold(ask, |ask, name| ask.layer(name))
}

/// The tests' system loader in the process of a scenario.
pub(crate) struct System {
    last_call: unsafe extern "C" fn() -> *const c_char,
    find: vk::PFN_vkGetInstanceProcAddr,
}

impl System {
    pub(crate) fn open() -> Self {
        let path = CString::new(std::env::var(SYSTEM_LOADER).unwrap()).unwrap();
        // SAFETY: the library exports these functions, which have these types.
        unsafe {
            let library = libc::dlopen(path.as_ptr(), libc::RTLD_NOW);
            assert!(!library.is_null());
            Self {
                last_call: function(library, c"system_loader_last_call"),
                find: function(library, c"vkGetInstanceProcAddr"),
            }
        }
    }

    /// Returns the last call of this thread: command, kind and number of the object, arguments.
    pub(crate) fn last_call(&self) -> String {
        // SAFETY: the text is this thread's, and stays until the next call.
        unsafe { CStr::from_ptr((self.last_call)()) }.to_str().unwrap().trim_end().to_owned()
    }

    /// Returns its own function for a command of devices.
    pub(crate) fn device_command(&self, device: vk::Device, name: &str) -> usize {
        let name = CString::new(name).unwrap();
        // SAFETY: the physical device's instance is the parent of the device's parent, and these are its own handles.
        unsafe {
            let physical_device = object(device).parent;
            let instance = (*physical_device.cast::<Object>()).parent;
            let find = (self.find)(vk::Instance::from_raw(instance as u64), c"vkGetDeviceProcAddr".as_ptr());
            let find: vk::PFN_vkGetDeviceProcAddr = std::mem::transmute(find);
            find(device, name.as_ptr()).map_or(0, |function| function as usize)
        }
    }
}

/// # Safety
/// `F` is the type of the function.
unsafe fn function<F: Copy>(library: *mut c_void, name: &CStr) -> F {
    // SAFETY: the library is open, and the caller vouches for the type.
    unsafe {
        let found = libc::dlsym(library, name.as_ptr());
        assert!(!found.is_null(), "{name:?}");
        assert_eq!(size_of::<F>(), size_of_val(&found));
        std::mem::transmute_copy(&found)
    }
}

/// The objects behind its handles.
#[repr(C)]
pub(crate) struct Object {
    pub(crate) key: usize,
    kind: u32,
    parent: *const c_void,
    owner: u32,
    pub(crate) number: u32,
}

/// Returns the object behind one of its own handles.
pub(crate) fn object(handle: impl Handle) -> &'static Object {
    // SAFETY: the tests' system loader never gives the memory of its objects back.
    unsafe { &*std::ptr::with_exposed_provenance(handle.as_raw() as usize) }
}

/// How an application comes by its functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Exported,
    OfInstance,
    OfDevice,
}

impl Way {
    pub(crate) const ALL: [Self; 3] = [Self::Exported, Self::OfInstance, Self::OfDevice];

    pub(crate) fn find(self, vk: &Vk, instance: &Instance<'_>, device: vk::Device, name: &str) -> usize {
        let address = match self {
            Self::Exported => vk.symbol(name),
            Self::OfInstance => instance.proc(name),
            Self::OfDevice => {
                // SAFETY: it is this command; the device is alive.
                unsafe {
                    let find: vk::PFN_vkGetDeviceProcAddr =
                        std::mem::transmute(vk.symbol("vkGetDeviceProcAddr"));
                    let name = CString::new(name).unwrap();
                    find(device, name.as_ptr()).map_or(0, |function| function as usize)
                }
            }
        };
        assert_ne!(address, 0, "{self:?} {name}");
        address
    }
}
