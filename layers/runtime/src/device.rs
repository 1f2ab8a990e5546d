//! Devices, found by any of their handles.

use core::fmt;

use crate::call::Command;
use crate::dispatch::{DeviceLevel, Dispatch, Level as _};
use crate::layer::Layer;
use crate::runtime::ExportedLayer;

/// A device, with the layer's data and the next layer's functions.
pub struct Device<'a, L: Layer>(&'a Dispatch<L>, &'a L::Device);

impl<L: Layer> fmt::Debug for Device<'_, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(&self.0.lookup.device).finish()
    }
}

/// Returns the device that a handle belongs to. `None` if the layer does not know it.
///
/// # Safety
/// The handle is one that the chain passes for a device, a queue or a command buffer, and the device is not destroyed while the
/// result is used.
pub unsafe fn device_of<'a, L: ExportedLayer>(handle: u64) -> Option<Device<'a, L>> {
    // SAFETY: the caller vouches for the handle.
    let dispatch = unsafe { L::runtime().of(core::ptr::with_exposed_provenance(handle as usize))? };
    Some(Device(dispatch, DeviceLevel::of(Some(dispatch))?))
}

impl<'a, L: Layer> Device<'a, L> {
    /// Returns the layer's data.
    pub fn data(&self) -> &'a L::Device {
        self.1
    }

    /// Returns the next layer's function of a command, as [`Call::function`](crate::Call::function) does.
    pub fn function<C: Command<Level = DeviceLevel>>(&self) -> Option<C::Function> {
        let function = self.0.function(C::ID)?;
        // SAFETY: the function is one of this command.
        Some(unsafe { C::typed(function) })
    }
}
