//! A configurable driver: its abilities, gaps and faults are data, and it records its calls.

mod commands;
mod installed;
mod objects;

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use platform_android::hal::layout;

use crate::Android;
use installed::{CURRENT, current};
pub use installed::{Hal, Installed, Received, ReceivedCreateInfo};

static METHODS: layout::Methods = layout::Methods { open: Some(open) };

impl Android {
    /// Installs this as the driver of the system: `vulkan.made.so` in the vendor's folder, which
    /// `ro.hardware.vulkan` names.
    pub fn install(&self, hal: Hal) -> &'static Installed {
        let module = Box::new(layout::Module {
            tag: layout::MODULE_TAG,
            module_api_version: 1,
            hal_api_version: 0x0100,
            id: hal.id.as_ptr(),
            name: c"a driver made to measure".as_ptr(),
            author: c"tests".as_ptr(),
            methods: &raw const METHODS,
            dso: ptr::null_mut(),
            reserved: [0; 25],
        });
        let device = Box::new(layout::Device {
            tag: layout::DEVICE_TAG,
            version: 0x0001_0000,
            module: ptr::null_mut(),
            reserved: [0; 12],
            close: Some(close),
            enumerate_instance_extension_properties: Some(commands::enumerate_instance_extension_properties),
            create_instance: Some(commands::create_instance),
            get_instance_proc_addr: Some(commands::get_instance_proc_addr),
        });
        let installed = Box::leak(Box::new(Installed {
            hal: Mutex::new(hal),
            received: Mutex::default(),
            objects: Mutex::default(),
            module,
            device,
        }));
        let module = (&raw mut *installed.module).cast::<c_void>();
        installed.device.module = module.cast();
        CURRENT.store(installed, Ordering::Release);
        let folder = self.change().vendor_folder.clone();
        self.built_in(&format!("{folder}/vulkan.made.so"), &[(c"HMI", module)]);
        self.set("ro.hardware.vulkan", "made");
        installed
    }
}

unsafe extern "C" fn open(
    _: *const layout::Module,
    id: *const c_char,
    out: *mut *mut layout::Device,
) -> c_int {
    let installed = current();
    let opens = installed.hal().opens;
    // SAFETY: the loader passes a C string and valid memory for the result.
    unsafe {
        if opens == 0 {
            assert_eq!(CStr::from_ptr(id), c"vk0");
            out.write((&raw const *installed.device).cast_mut());
        }
    }
    installed.record(c"open");
    opens
}

unsafe extern "C" fn close(_: *mut layout::Device) -> c_int {
    current().record(c"close");
    0
}
