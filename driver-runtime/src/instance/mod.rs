//! Instances.

mod app_info;
mod physical_devices;
#[cfg(test)]
pub(crate) mod tests;

use core::ops::Deref;

use ash::vk;

use crate::dispatch::Enabled;
use crate::driver_types::DriverTypes;
use crate::extensions::EnabledExtensions;
use crate::object::{ParentKind, ParentObject, Root};
use crate::trace::TraceSettings;

pub use app_info::AppInfo;
pub use physical_devices::Enumeration;
pub(crate) use physical_devices::{Found, PhysicalDevices};

/// An instance: the runtime's data, then the driver's part.
#[repr(C)]
pub struct Instance<D: DriverTypes> {
    root: Root,
    app: AppInfo,
    extensions: EnabledExtensions,
    trace: TraceSettings,
    devices: PhysicalDevices<D>,
    driver: D::Instance,
}

/// The checked extensions and version to create an instance with.
pub struct InstanceRequest<'a> {
    /// The application's description of itself.
    pub app: &'a AppInfo,
    /// The extensions that it enables.
    pub extensions: &'a EnabledExtensions,
    /// The whole request.
    pub info: &'a vk::InstanceCreateInfo<'a>,
}

impl<D: DriverTypes> Instance<D> {
    /// Creates an instance that has not searched for physical devices yet.
    pub(crate) fn new(
        root: Root,
        app: AppInfo,
        extensions: EnabledExtensions,
        trace: TraceSettings,
        driver: D::Instance,
    ) -> Self {
        let devices = PhysicalDevices::new(*root.memory());
        Self { root, app, extensions, trace, devices, driver }
    }

    /// Returns the instance of a handle, or `None` for NULL and for a handle of another type.
    ///
    /// # Safety
    /// `handle` is null or a live handle of any of the runtime's objects, and stays live for `'a`.
    pub unsafe fn from_handle<'a>(handle: vk::Instance) -> Option<&'a Self> {
        // SAFETY: the caller vouches for the handle.
        unsafe { Self::of_handle(handle) }
    }

    /// Returns the application's description of itself.
    pub fn app(&self) -> &AppInfo {
        &self.app
    }

    /// Returns the extensions that the application enabled.
    pub fn extensions(&self) -> &EnabledExtensions {
        &self.extensions
    }

    /// Returns the trace settings.
    pub fn trace(&self) -> TraceSettings {
        self.trace
    }

    /// Returns the extensions and version that decide look-ups through the instance.
    pub(crate) fn enabled(&self) -> Enabled<'_> {
        Enabled { api_version: self.app.api_version, instance: &self.extensions, device: None }
    }

    pub(crate) fn devices(&self) -> &PhysicalDevices<D> {
        &self.devices
    }
}

impl<D: DriverTypes> Deref for Instance<D> {
    type Target = D::Instance;
    fn deref(&self) -> &D::Instance {
        &self.driver
    }
}

// SAFETY: the first field is the root, and the layout is C's. A process has one driver, so all such handles are of this type.
unsafe impl<D: DriverTypes> ParentObject for Instance<D> {
    type Handle = vk::Instance;
    const KIND: ParentKind = ParentKind::Instance;
    fn root(&self) -> &Root {
        &self.root
    }
}
