//! Instances.

mod app_info;
mod create;
mod proc_addr;
mod queries;
#[cfg(test)]
pub(crate) mod tests;

use core::ops::Deref;
use core::ptr::NonNull;

use ash::vk::{self, Handle};

use crate::dispatch::Enabled;
use crate::driver::Driver;
use crate::extensions::EnabledExtensions;
use crate::object::{ObjectBase, ParentKind, ParentObject, Root};
use crate::physical_device::PhysicalDevices;
use crate::trace::TraceSettings;

pub use app_info::AppInfo;
pub(crate) use create::{create_instance, destroy_instance};
pub(crate) use proc_addr::c_string;
pub use proc_addr::{
    get_instance_proc_addr, get_instance_proc_addr_unchecked, get_physical_device_proc_addr,
};
pub(crate) use queries::{
    enumerate_instance_extension_properties, enumerate_instance_layer_properties, enumerate_instance_version,
};

/// An instance: what the runtime keeps, and behind it the driver's part.
#[repr(C)]
pub struct Instance<D: Driver> {
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

impl<D: Driver> Instance<D> {
    /// The instance of a handle, or `None` for NULL and for what is no instance.
    ///
    /// # Safety
    /// `handle` is null or a live handle of any of the runtime's objects, and stays live for `'a`.
    #[must_use]
    pub unsafe fn from_handle<'a>(handle: vk::Instance) -> Option<&'a Self> {
        let address = usize::try_from(handle.as_raw()).unwrap_or_default();
        let base = NonNull::new(core::ptr::with_exposed_provenance_mut::<ObjectBase>(address))?;
        // SAFETY: a live handle is the address of an object, which begins with its base; the type says what follows.
        unsafe {
            if base.as_ref().kind() != vk::ObjectType::INSTANCE {
                return None;
            }
            Some(base.cast::<Self>().as_ref())
        }
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

impl<D: Driver> Deref for Instance<D> {
    type Target = D::Instance;
    fn deref(&self) -> &D::Instance {
        &self.driver
    }
}

// SAFETY: the first field is the root, and the layout is C's.
unsafe impl<D: Driver> ParentObject for Instance<D> {
    const KIND: ParentKind = ParentKind::Instance;
    fn root(&self) -> &Root {
        &self.root
    }
}
