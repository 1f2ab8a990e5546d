//! A system and parents for objects in unit tests, a driver that tests control, and memory that counts and fails.

pub(crate) mod commands;
mod driver;
mod memory;
mod no_parts;

use crate::atomic::AtomicU64;
use core::ptr::NonNull;
use core::sync::atomic::Ordering;
use std::boxed::Box;
use std::thread;

use ash::vk;
use vkload_core::memory::{CopiedCallbacks, OutOfMemory, Text};
use vkload_core::platform::Waiting;

use crate::dispatch::{DispatchTable, EntryPoints};
use crate::drm::{Bus, DrmDevice, DrmDevices, NodeError, PciAddress, PciId};
use crate::host::Host;
use crate::object::{Listeners, ObjectBase, ParentKind, ParentObject, Root};

use driver::PLAN;
pub(crate) use driver::{TestDriver, live_devices, plain_driver, plan, private};
pub(crate) use memory::{Fail, Ledger, failing, with_memory};
pub(crate) use no_parts::no_parts;

pub(crate) struct TestHost;

impl Waiting for TestHost {
    fn wait(&self, _: u32) {
        thread::yield_now();
    }

    fn thread(&self) -> usize {
        std::thread_local!(static MARK: usize = const { 0 });
        MARK.with(|mark| core::ptr::from_ref(mark).addr())
    }
}

impl Host for TestHost {
    fn read_clock(&self, domain: vk::TimeDomainKHR) -> Option<u64> {
        (domain == vk::TimeDomainKHR::CLOCK_MONOTONIC).then(|| self.now())
    }

    /// Returns the plan's devices, the last one first, and one that the user may not open.
    fn drm_devices(&self) -> Result<DrmDevices, OutOfMemory> {
        let count = PLAN.with_borrow_mut(|plan| {
            plan.lists += 1;
            plan.nodes.len() as u8
        });
        let mut list = DrmDevices::default();
        for bus in (0..count).rev() {
            let address = PciAddress { domain: 0, bus, device: 0, function: 0 };
            let bus = Bus::Pci(address, PciId::default());
            list.add(DrmDevice { bus, kernel_driver: Text::new(), primary: None, render: None })?;
        }
        if count != 0 {
            list.leave_out(c"/dev/dri/renderD200", NodeError::NoPermission)?;
        }
        Ok(list)
    }

    fn trace_requested(&self) -> bool {
        PLAN.with_borrow(|plan| plan.trace_requested)
    }

    /// Returns a time that advances by a second with every call.
    fn now(&self) -> u64 {
        static NOW: AtomicU64 = AtomicU64::new(0);
        NOW.fetch_add(1_000_000_000, Ordering::Relaxed)
    }
}

/// A device without anything but its root.
#[repr(C)]
pub(crate) struct TestDevice(Root);

/// An instance without anything but its root.
#[repr(C)]
pub(crate) struct TestInstance(Root);

// SAFETY: begins with its root.
unsafe impl ParentObject for TestDevice {
    type Handle = vk::Device;
    const KIND: ParentKind = ParentKind::Device;
    fn root(&self) -> &Root {
        &self.0
    }
}

// SAFETY: begins with its root.
unsafe impl ParentObject for TestInstance {
    type Handle = vk::Instance;
    const KIND: ParentKind = ParentKind::Instance;
    fn root(&self) -> &Root {
        &self.0
    }
}

/// Defines the types behind a test's handles.
macro_rules! objects {
    ($($name:ident $(($data:ty))?: $handle:ident of $parent:ty,)*) => {$(
        struct $name $(($data))?;
        // SAFETY: no other type is behind such handles.
        unsafe impl $crate::object::VkObject for $name {
            type Handle = vk::$handle;
            type Parent = $parent;
        }
    )*};
}
pub(crate) use objects;

pub(crate) struct Held<T: ParentObject>(NonNull<T>);

impl<T: ParentObject> Held<T> {
    pub(crate) fn new(callbacks: Option<&vk::AllocationCallbacks<'_>>) -> Self {
        static TABLE: DispatchTable = DispatchTable::new(&EntryPoints::<()>::NONE);
        Self::with_table(callbacks, &TABLE)
    }

    pub(crate) fn with_table(
        callbacks: Option<&vk::AllocationCallbacks<'_>>,
        table: &'static DispatchTable,
    ) -> Self {
        let block = NonNull::from(Box::leak(Box::<T>::new_uninit()));
        let kind = match T::KIND {
            ParentKind::Instance => vk::ObjectType::INSTANCE,
            ParentKind::Device => vk::ObjectType::DEVICE,
        };
        let base = ObjectBase::with_dispatch(kind, T::KIND, block.cast(), table);
        let callbacks = callbacks.map_or(core::ptr::null(), core::ptr::from_ref);
        // SAFETY: the test's callbacks live as long as the test.
        let memory = unsafe { CopiedCallbacks::new(callbacks, vk::SystemAllocationScope::DEVICE) };
        // SAFETY: both test parents are a root and nothing else.
        unsafe {
            block.cast::<Root>().write(Root::of_instance(
                base,
                memory,
                &TestHost,
                Listeners::new(memory, &TestHost),
            ))
        };
        Self(block.cast())
    }
}

impl<T: ParentObject> core::ops::Deref for Held<T> {
    type Target = T;
    fn deref(&self) -> &T {
        // SAFETY: the block lives as long as this.
        unsafe { self.0.as_ref() }
    }
}

impl<T: ParentObject> Drop for Held<T> {
    fn drop(&mut self) {
        // SAFETY: the test no longer uses the parent, whose block came from a box of the same type.
        unsafe {
            self.root().release();
            drop(Box::from_raw(self.0.as_ptr()));
        }
    }
}
