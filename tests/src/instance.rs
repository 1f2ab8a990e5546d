//! Instances in a scenario's body.

use std::ffi::{CStr, CString, c_char, c_void};
use std::ops::Deref;

use ash::vk;

use crate::Vk;

/// The parameters of vkCreateInstance. Without [`Ask::api`] no VkApplicationInfo is passed.
#[derive(Clone, Default)]
#[must_use]
pub struct Ask<'a> {
    api: Option<u32>,
    extensions: Vec<CString>,
    layers: Vec<CString>,
    flags: vk::InstanceCreateFlags,
    next: Option<&'a c_void>,
    callbacks: Option<vk::AllocationCallbacks<'static>>,
}

impl<'a> Ask<'a> {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn api(self, major: u32, minor: u32) -> Self {
        self.raw_api(vk::make_api_version(0, major, minor, 0))
    }

    pub fn raw_api(mut self, version: u32) -> Self {
        self.api = Some(version);
        self
    }

    pub fn extension(mut self, name: &str) -> Self {
        self.extensions.push(CString::new(name).unwrap_or_default());
        self
    }

    pub fn layer(mut self, name: &str) -> Self {
        self.layers.push(CString::new(name).unwrap_or_default());
        self
    }

    /// Requests portability drivers: sets the flag, but does not enable the extension.
    pub fn portability_flag(mut self) -> Self {
        self.flags |= vk::InstanceCreateFlags::ENUMERATE_PORTABILITY_KHR;
        self
    }

    pub fn flags(mut self, flags: vk::InstanceCreateFlags) -> Self {
        self.flags = flags;
        self
    }

    pub fn next<T: vk::ExtendsInstanceCreateInfo>(mut self, structure: &'a T) -> Self {
        let pointer: *const T = structure;
        // SAFETY: a reference to the first byte of a structure that lives as long; it is only passed on.
        self.next = Some(unsafe { &*pointer.cast() });
        self
    }

    /// Uses memory from these callbacks, which stay valid until the instance is destroyed.
    pub fn callbacks(mut self, callbacks: Option<vk::AllocationCallbacks<'static>>) -> Self {
        self.callbacks = callbacks;
        self
    }

    pub(crate) fn create<'v>(&self, vk: &'v Vk) -> Result<Instance<'v>, vk::Result> {
        let application = vk::ApplicationInfo::default()
            .application_name(c"scenario")
            .engine_name(c"none")
            .api_version(self.api.unwrap_or(0));
        let extensions: Vec<*const c_char> = self.extensions.iter().map(|name| name.as_ptr()).collect();
        let layers: Vec<*const c_char> = self.layers.iter().map(|name| name.as_ptr()).collect();
        let mut info = vk::InstanceCreateInfo::default()
            .flags(self.flags)
            .enabled_extension_names(&extensions)
            .enabled_layer_names(&layers);
        if self.api.is_some() {
            info = info.application_info(&application);
        }
        if let Some(next) = self.next {
            info.p_next = next;
        }
        // SAFETY: the structure and all that it points to are alive.
        let raw = unsafe { vk.entry.create_instance(&info, self.callbacks.as_ref()) }?;
        Ok(Instance { vk, raw: Some(raw), callbacks: self.callbacks })
    }
}

/// An instance, destroyed when it goes out of scope.
pub struct Instance<'v> {
    vk: &'v Vk,
    raw: Option<ash::Instance>,
    callbacks: Option<vk::AllocationCallbacks<'static>>,
}

impl Deref for Instance<'_> {
    type Target = ash::Instance;
    fn deref(&self) -> &ash::Instance {
        self.raw.as_ref().unwrap_or_else(|| unreachable!("only `leak` and `drop` take it"))
    }
}

impl Drop for Instance<'_> {
    fn drop(&mut self) {
        if let Some(raw) = &self.raw {
            // SAFETY: it is alive, and nothing else uses it: a body has one thread.
            unsafe { raw.destroy_instance(self.callbacks.as_ref()) };
        }
    }
}

impl Instance<'_> {
    pub fn leak(mut self) -> ash::Instance {
        self.raw.take().unwrap()
    }

    pub fn devices(&self) -> Vec<vk::PhysicalDevice> {
        self.try_devices().unwrap()
    }

    /// Returns its physical devices.
    ///
    /// # Errors
    /// The error of vkEnumeratePhysicalDevices.
    pub fn try_devices(&self) -> Result<Vec<vk::PhysicalDevice>, vk::Result> {
        // SAFETY: the instance is alive.
        unsafe { self.enumerate_physical_devices() }
    }

    pub fn name(&self, device: vk::PhysicalDevice) -> String {
        // SAFETY: the device is one of this instance.
        let properties = unsafe { self.get_physical_device_properties(device) };
        properties.device_name_as_c_str().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Returns the names of its physical devices, in order.
    pub fn names(&self) -> Vec<String> {
        self.devices().into_iter().map(|device| self.name(device)).collect()
    }

    pub fn named(&self, name: &str) -> vk::PhysicalDevice {
        self.devices().into_iter().find(|device| self.name(*device) == name).unwrap()
    }

    /// Creates a device with one queue and these extensions.
    ///
    /// # Errors
    /// The error of vkCreateDevice.
    pub fn try_device(
        &self,
        physical_device: vk::PhysicalDevice,
        extensions: &[&str],
    ) -> Result<ash::Device, vk::Result> {
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let extensions: Vec<CString> =
            extensions.iter().map(|name| CString::new(*name).unwrap_or_default()).collect();
        let extensions: Vec<*const c_char> = extensions.iter().map(|name| name.as_ptr()).collect();
        let info =
            vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&extensions);
        // SAFETY: the structure and all that it points to are alive.
        unsafe { self.create_device(physical_device, &info, None) }
    }

    /// Does the same, for a call that has to succeed.
    pub fn device(&self, physical_device: vk::PhysicalDevice, extensions: &[&str]) -> ash::Device {
        self.try_device(physical_device, extensions).unwrap()
    }

    /// Returns the result of vkGetInstanceProcAddr, as an address.
    pub fn proc(&self, name: &str) -> usize {
        self.vk.proc(self.handle(), name)
    }

    /// Returns a command by its type.
    ///
    /// # Safety
    /// `F` has to be the function pointer type of the command.
    pub unsafe fn command<F: Copy>(&self, name: &str) -> F {
        let address = self.proc(name);
        assert_ne!(address, 0, "{name} is not there");
        assert_eq!(size_of::<F>(), size_of::<usize>());
        // SAFETY: the caller says that it is such a function; the sizes are the same.
        unsafe { std::mem::transmute_copy(&address) }
    }
}

/// Returns the names in a list of extensions, in order.
pub fn extension_names(list: &[vk::ExtensionProperties]) -> Vec<String> {
    let name = |extension: &vk::ExtensionProperties| {
        extension
            .extension_name_as_c_str()
            .map_or("?".to_owned(), |name: &CStr| name.to_string_lossy().into_owned())
    };
    list.iter().map(name).collect()
}
