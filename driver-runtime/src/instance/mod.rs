//! Instances.

mod app_info;
mod physical_devices;
#[cfg(test)]
pub(crate) mod tests;

use core::ops::Deref;

use ash::vk;

use crate::dispatch::Enabled;
use crate::extensions::EnabledExtensions;
use crate::object::{ParentKind, ParentObject, Root};
use crate::parts::Parts;
use crate::trace::TraceSettings;

pub use app_info::AppInfo;
pub use physical_devices::Enumeration;
pub(crate) use physical_devices::{Found, PhysicalDevices};

/// An instance: what the runtime keeps, and behind it the driver's part.
#[repr(C)]
pub struct Instance<D: Parts> {
    root: Root,
    app: AppInfo,
    extensions: EnabledExtensions,
    trace: TraceSettings,
    devices: PhysicalDevices<D>,
    driver: D::Instance,
}

/// What an instance is created with; extensions and version are checked.
pub struct InstanceRequest<'a> {
    /// What the application says about itself.
    pub app: &'a AppInfo,
    /// The extensions that it enables.
    pub extensions: &'a EnabledExtensions,
    /// All that it asks for.
    pub info: &'a vk::InstanceCreateInfo<'a>,
}

impl<D: Parts> Instance<D> {
    /// An instance that has not looked for its physical devices yet.
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

    /// The instance of a handle, or `None` for NULL and for what is no instance.
    ///
    /// # Safety
    /// `handle` is null or a live handle of any of the runtime's objects, and stays live for `'a`.
    #[must_use]
    pub unsafe fn from_handle<'a>(handle: vk::Instance) -> Option<&'a Self> {
        // SAFETY: the caller vouches for the handle.
        unsafe { Self::of_handle(handle) }
    }

    /// What the application says about itself.
    pub fn app(&self) -> &AppInfo {
        &self.app
    }

    /// The extensions that the application enabled.
    pub fn extensions(&self) -> &EnabledExtensions {
        &self.extensions
    }

    /// What is traced.
    pub fn trace(&self) -> TraceSettings {
        self.trace
    }

    /// What may be looked up through the instance.
    pub(crate) fn enabled(&self) -> Enabled<'_> {
        Enabled { api_version: self.app.api_version, instance: &self.extensions, device: None }
    }

    pub(crate) fn devices(&self) -> &PhysicalDevices<D> {
        &self.devices
    }
}

impl<D: Parts> Deref for Instance<D> {
    type Target = D::Instance;
    fn deref(&self) -> &D::Instance {
        &self.driver
    }
}

// SAFETY: the first field is the root, and the layout is C's. A process has one driver, so all such handles are of this type.
unsafe impl<D: Parts> ParentObject for Instance<D> {
    type Handle = vk::Instance;
    const KIND: ParentKind = ParentKind::Instance;
    fn root(&self) -> &Root {
        &self.root
    }
}
