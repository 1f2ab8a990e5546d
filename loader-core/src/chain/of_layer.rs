//! The loader's handles for layer objects.
//!
//! A layer may wrap the loader's instance or physical devices, or add physical devices of its own. The loader
//! does not know the address of such an object, and a trampoline could not check it. So the application
//! receives a loader handle instead. Its table holds only terminators, which replace it by the layer's handle
//! on the way down.

use ash::vk::{self, Handle as _};

use super::instance_table::NEVER_IN_LAYERS;
use crate::dispatch::{Handle, HandleKind, InstanceTable, TERMINATORS, Table as _};
use crate::log::{Level, Topic};
use crate::memory::{Application, Box, OutOfMemory};
use crate::objects::{Instance, LayerHandle, ListedPtr, PhysicalDevice, instance_terminator};

/// Returns the table that all such handles of an instance share.
pub(super) fn table(allocator: Application) -> Result<Box<InstanceTable, Application>, OutOfMemory> {
    let table = InstanceTable::try_new(allocator)?;
    let mut number = 0usize;
    while let (Some(slot), Some(piece)) = (table.slot(number), TERMINATORS.piece(number)) {
        slot.set(piece);
        number = number.wrapping_add(1);
    }
    if let Some(function) = instance_terminator(NEVER_IN_LAYERS) {
        table.set(NEVER_IN_LAYERS, function);
    }
    Ok(table)
}

impl Instance {
    /// Returns whether `handle` may name a dispatchable object: it is the address of two words of memory.
    pub(crate) fn may_be_object(&self, handle: u64) -> bool {
        let can_read = |address| self.loader.platform.identity.can_read(address) != Some(false);
        usize::try_from(handle).is_ok_and(|address| {
            address != 0
                && address & align_of::<usize>().wrapping_sub(1) == 0
                && can_read(address)
                && can_read(address.wrapping_add(size_of::<usize>()))
        })
    }

    #[cold]
    pub(crate) fn report_no_object(&self, what: &str, handle: u64) {
        self.logger.log_always(
            Level::Error,
            Topic::Layer,
            format_args!(
                "a layer gives {handle:#x} as a {what}, where no object can be; disable the layers one by one"
            ),
        );
    }

    /// Returns the application's handle for `handle`, which came up the chain: the same handle if it belongs
    /// to the loader, or else one of this kind.
    ///
    /// # Errors
    /// `ERROR_OUT_OF_HOST_MEMORY`, or `ERROR_INITIALIZATION_FAILED`, with a message, if the address cannot
    /// hold an object.
    pub(crate) fn handle_for_application(&self, handle: u64, kind: HandleKind) -> Result<u64, vk::Result> {
        let waiting = self.loader.platform.waiting;
        if self.layers().is_empty()
            || handle == self.handle().as_raw()
            || self.own_physical_device(handle).is_some()
        {
            return Ok(handle);
        }
        let stands_for = |known: &ListedPtr<LayerHandle>| {
            // SAFETY: the list keeps its handles alive until the instance is destroyed.
            unsafe { known.0.as_ref() }.0.lower().expose_provenance() as u64 == handle
        };
        let known = self.of_layers.read(waiting, |list| list.iter().find(|known| stands_for(known)).copied());
        if let Some(known) = known {
            return Ok(known.0.as_ptr().expose_provenance() as u64);
        }
        if !self.may_be_object(handle) {
            let of_instance = kind == HandleKind::WrappedInstance;
            self.report_no_object(if of_instance { "VkInstance" } else { "VkPhysicalDevice" }, handle);
            return Err(vk::Result::ERROR_INITIALIZATION_FAILED);
        }
        let Ok(lower) = usize::try_from(handle) else { return Ok(handle) };
        let lower = core::ptr::with_exposed_provenance_mut(lower);
        let Some(table) = &self.of_layer_table else { return Ok(handle) };
        let table = &raw const **table;
        let made = LayerHandle(Handle::new(
            kind,
            table,
            &raw const *self.table,
            lower,
            core::ptr::from_ref(self).cast(),
        ));
        let made =
            ListedPtr(Box::into_non_null(Box::try_new_in(made, self.allocator).map_err(OutOfMemory::from)?));
        let inserted = self.of_layers.find_or_insert(waiting, made, stands_for);
        if !matches!(inserted, Ok((_, true))) {
            // SAFETY: the list did not take it, so no other code has seen it.
            drop(unsafe { Box::from_non_null_in(made.0, self.allocator) });
        }
        Ok(inserted?.0.0.as_ptr().expose_provenance() as u64)
    }

    pub(super) fn own_physical_device(&self, handle: u64) -> Option<&PhysicalDevice> {
        let waiting = self.loader.platform.waiting;
        let has_handle =
            |known: &&ListedPtr<PhysicalDevice>| known.0.as_ptr().expose_provenance() as u64 == handle;
        let mut drivers = self.drivers.iter();
        let known = drivers
            .find_map(|driver| driver.devices.read(waiting, |list| list.iter().find(has_handle).copied()))?;
        // SAFETY: the list keeps its devices alive until the instance is destroyed.
        Some(unsafe { known.0.as_ref() })
    }
}
