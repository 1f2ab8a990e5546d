//! The driver of the current system: its abilities, and the calls that it received.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_int};
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ash::vk;
use platform_android::hal::layout;

use super::objects::Objects;

/// A driver. [`Android::install`](crate::Android::install) puts it into a system.
pub struct Hal {
    pub id: &'static CStr,
    /// The result of the module's `open`: 0, or a negative error number.
    pub opens: c_int,
    /// The answer of vkEnumerateInstanceVersion. A driver for Vulkan 1.0 lacks it.
    pub version: Option<u32>,
    pub instance_extensions: Vec<(&'static CStr, u32)>,
    pub devices: usize,
    /// Their version of Vulkan.
    pub device_version: u32,
    pub device_extensions: Vec<(&'static CStr, u32)>,
    /// The groups of physical devices: the number of devices in each. They are assigned in order.
    pub groups: Vec<usize>,
    /// Commands that cannot be found although version or extensions promise them.
    pub lacks: Vec<&'static CStr>,
    /// Commands that can be found although version and extensions do not promise them.
    pub early: Vec<&'static CStr>,
    /// The results of commands that do not succeed. They do nothing then.
    pub fails: BTreeMap<&'static CStr, vk::Result>,
    /// The objects that lack the magic number in their first word.
    pub without_magic: Vec<vk::ObjectType>,
    /// `VkPhysicalDevicePresentationPropertiesANDROID::sharedImage`
    pub shared_image: bool,
    /// `VkPhysicalDeviceImageCompressionControlFeaturesEXT::imageCompressionControl`
    pub image_compression_control: bool,
    /// Whether a fence can be imported from a `SYNC_FD`.
    pub imports_sync_fd: bool,
    pub no_queue: bool,
}

impl Default for Hal {
    /// Returns a driver without faults: Vulkan 1.3, one device with everything that a window system
    /// needs.
    fn default() -> Self {
        Self {
            id: c"vulkan",
            opens: 0,
            version: Some(vk::API_VERSION_1_3),
            instance_extensions: vec![
                (c"VK_KHR_get_physical_device_properties2", 2),
                (c"VK_KHR_external_fence_capabilities", 1),
            ],
            devices: 1,
            device_version: vk::API_VERSION_1_3,
            device_extensions: vec![
                (c"VK_ANDROID_native_buffer", 11),
                (c"VK_KHR_external_fence_fd", 1),
                (c"VK_KHR_bind_memory2", 1),
            ],
            groups: vec![1],
            lacks: Vec::new(),
            early: Vec::new(),
            fails: BTreeMap::new(),
            without_magic: Vec::new(),
            shared_image: false,
            image_compression_control: false,
            imports_sync_fd: true,
            no_queue: false,
        }
    }
}

impl Hal {
    /// Returns a driver for Vulkan 1.0, which has the commands of 1.1 only through extensions.
    pub fn old() -> Self {
        Self {
            version: None,
            device_version: vk::API_VERSION_1_0,
            instance_extensions: vec![
                (c"VK_KHR_device_group_creation", 1),
                (c"VK_KHR_get_physical_device_properties2", 1),
                (c"VK_KHR_external_memory_capabilities", 1),
                (c"VK_KHR_external_fence_capabilities", 1),
                (c"VK_KHR_external_semaphore_capabilities", 1),
            ],
            ..Self::default()
        }
    }
}

impl Hal {
    /// Returns a driver for Vulkan 1.3 with a device of 1.2.
    pub fn new_under_an_older_device() -> Self {
        Self { device_version: vk::API_VERSION_1_2, ..Self::default() }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReceivedCreateInfo {
    pub extensions: Vec<String>,
    pub layers: u32,
    /// The application's version of Vulkan, if it passed application info.
    pub api_version: Option<u32>,
    /// The structures of the pNext chain, by the numbers of their types.
    pub chain: Vec<i32>,
    /// Whether `pEnabledFeatures`, if present, has robustBufferAccess.
    pub robust: Option<bool>,
    pub callbacks: usize,
}

#[derive(Clone, Debug, Default)]
pub struct Received {
    /// The commands that were called, except those that find functions.
    pub calls: Vec<&'static CStr>,
    pub instances: Vec<ReceivedCreateInfo>,
    pub devices: Vec<ReceivedCreateInfo>,
}

pub struct Installed {
    /// Its properties. Changes take effect from the next call on.
    pub hal: Mutex<Hal>,
    pub(super) received: Mutex<Received>,
    pub(super) objects: Mutex<Objects>,
    pub(super) module: Box<layout::Module>,
    pub(super) device: Box<layout::Device>,
}

// SAFETY: only the loader writes to the module and the device, which is their purpose; everything
// else is behind locks.
unsafe impl Send for Installed {}
// SAFETY: only the loader writes to the module and the device, which is their purpose; everything
// else is behind locks.
unsafe impl Sync for Installed {}

/// The driver of the current system: only one at a time.
pub(super) static CURRENT: AtomicPtr<Installed> = AtomicPtr::new(ptr::null_mut());

pub(super) fn current() -> &'static Installed {
    // SAFETY: the pointer is NULL or was stored by `install`, which leaks the value.
    unsafe { CURRENT.load(Ordering::Acquire).as_ref() }.expect("no driver is installed")
}

impl Installed {
    pub fn received(&self) -> Received {
        std::mem::take(&mut self.received.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub fn alive(&self, kind: vk::ObjectType) -> usize {
        self.objects().alive(kind)
    }

    pub(super) fn hal(&self) -> MutexGuard<'_, Hal> {
        self.hal.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn objects(&self) -> MutexGuard<'_, Objects> {
        self.objects.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn record(&self, command: &'static CStr) {
        self.received.lock().unwrap_or_else(PoisonError::into_inner).calls.push(command);
    }

    pub(super) fn answer(&self, command: &'static CStr) -> vk::Result {
        self.record(command);
        self.hal().fails.get(command).copied().unwrap_or(vk::Result::SUCCESS)
    }
}
