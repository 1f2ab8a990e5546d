//! The actions of rows: create objects of any type and destroy them, write nothing or the permitted minimum, and
//! return a plausible result.
//!
//! # Safety
//! For every function here: handles are live, and pointers are valid for the function's writes, or NULL if that is
//! allowed.

use vkload_driver_runtime::registry::parameter::{InOptional, Out};
use vkload_driver_runtime::vk::{self, Handle};
use vkload_driver_runtime::{Device, Object, VkObject, calls};

use super::rows::Pointer;
pub(super) use crate::description::SIZE;
use crate::runtime::runtime;
use crate::surface::Surface;
use crate::{Null, pipelines, resource};

pub(super) const SUCCESS: vk::Result = vk::Result::SUCCESS;

/// The argument of commands without allocation callbacks.
pub(super) const NO_CALLBACKS: Pointer = core::ptr::null_mut();

/// The alignment that the specification requires of acceleration-structure addresses, in bits.
const ADDRESS_BITS: u32 = 8;

/// The index of this processor's figures among three: 64 bits, 32 bits, and 32 bits with numbers of 64 bits aligned to four
/// bytes.
const ABI: usize = match (size_of::<usize>(), align_of::<u64>()) {
    (8, _) => 0,
    (_, 8) => 1,
    _ => 2,
};

/// The bytes of a structure's `sType` and `pNext`.
const HEADER: usize = size_of::<vk::BaseOutStructure<'_>>();

/// An object of the type with this number, and nothing else.
struct Plain<const TYPE: i32>;

#[derive(Clone, Copy)]
pub(super) struct PlainHandle<const TYPE: i32>(u64);

impl<const TYPE: i32> Handle for PlainHandle<TYPE> {
    const TYPE: vk::ObjectType = vk::ObjectType::from_raw(TYPE);

    fn as_raw(self) -> u64 {
        self.0
    }

    fn from_raw(handle: u64) -> Self {
        Self(handle)
    }
}

// SAFETY: no other type is behind such handles.
unsafe impl<const TYPE: i32> VkObject for Plain<TYPE> {
    type Handle = PlainHandle<TYPE>;
    type Parent = Device<Null>;
}

/// Creates objects, each with its handle in the array `out`; all or none.
pub(super) unsafe fn create<const TYPE: i32>(
    parent: Pointer,
    count: u32,
    callbacks: Pointer,
    out: Pointer,
) -> vk::Result {
    let out = out.cast::<PlainHandle<TYPE>>();
    for index in 0..count as usize {
        // SAFETY: see above.
        unsafe {
            let parent = vk::Device::from_raw(parent.addr() as u64);
            let result = Object::create_command(parent, callbacks.cast(), out.add(index), Plain::<TYPE>);
            if result != SUCCESS {
                (0..index).for_each(|made| destroy::<TYPE>(out.add(made).read().0, callbacks));
                out.write_bytes(0, count as usize);
                return result;
            }
        }
    }
    SUCCESS
}

pub(super) trait Raw {
    fn raw(self) -> u64;
}

impl Raw for u64 {
    fn raw(self) -> u64 {
        self
    }
}

impl Raw for Pointer {
    fn raw(self) -> u64 {
        self.expose_provenance() as u64
    }
}

/// Destroys an object that [`create`] made, or none.
pub(super) unsafe fn destroy<const TYPE: i32>(handle: impl Raw, callbacks: Pointer) {
    // SAFETY: see above.
    unsafe { Object::<Plain<TYPE>>::destroy(PlainHandle(handle.raw()), callbacks.cast()) };
}

pub(super) unsafe fn surface(instance: Pointer, callbacks: Pointer, out: Pointer) -> vk::Result {
    // SAFETY: see above.
    unsafe {
        let instance = vk::Instance::from_raw(instance.addr() as u64);
        Object::create_command(instance, callbacks.cast(), out.cast(), Surface)
    }
}

pub(super) unsafe fn pipelines(parent: Pointer, count: u32, callbacks: Pointer, out: Pointer) -> vk::Result {
    let parent = vk::Device::from_raw(parent.addr() as u64);
    // SAFETY: see above.
    unsafe { pipelines::create_others(parent, count, callbacks.cast(), out.cast()) }
}

/// Creates a fence for a display or device event: it is signalled, so that no program waits forever for an event that
/// cannot happen.
pub(super) unsafe fn fence(parent: Pointer, callbacks: Pointer, out: Pointer) -> vk::Result {
    let info = vk::FenceCreateInfo::default().flags(vk::FenceCreateFlags::SIGNALED);
    // SAFETY: see above.
    unsafe {
        let device = vk::Device::from_raw(parent.addr() as u64);
        let (callbacks, out) = (InOptional::new(callbacks.cast()), Out::new(out.cast()));
        let call = calls::CreateFence::new(device, (&info).into(), callbacks, out);
        call.make(runtime).unwrap_or(vk::Result::ERROR_OUT_OF_HOST_MEMORY)
    }
}

/// Returns the result of work that was done at once, although it could have been deferred.
pub(super) fn done(operation: u64) -> vk::Result {
    if operation == 0 { SUCCESS } else { vk::Result::OPERATION_NOT_DEFERRED_KHR }
}

pub(super) fn failure(result: i32) -> vk::Result {
    vk::Result::from_raw(result)
}

/// Returns an address, or another number, for the object whose handle is at this offset in a structure: not 0, and no
/// other object's.
pub(super) unsafe fn address(info: Pointer, at: [usize; 3]) -> u64 {
    // SAFETY: see above.
    unsafe { info.byte_add(at[ABI]).cast::<u64>().read_unaligned() << ADDRESS_BITS }
}

/// Zeroes this many values of this size.
pub(super) unsafe fn clear(out: Pointer, count: impl Count, sizes: [usize; 3]) {
    if !out.is_null() {
        // SAFETY: see above.
        unsafe { out.cast::<u8>().write_bytes(0, count.count() * sizes[ABI]) };
    }
}

pub(super) trait Count {
    fn count(self) -> usize;
}

impl Count for u32 {
    fn count(self) -> usize {
        self as usize
    }
}

impl Count for Pointer {
    fn count(self) -> usize {
        self.addr()
    }
}

/// Zeroes structures, except for their types and chains.
pub(super) unsafe fn clear_structures(out: Pointer, count: impl Count, sizes: [usize; 3]) {
    if out.is_null() {
        return;
    }
    let size = sizes[ABI];
    for index in 0..count.count() {
        // SAFETY: see above.
        unsafe { out.byte_add(index * size + HEADER).cast::<u8>().write_bytes(0, size - HEADER) };
    }
}

pub(super) unsafe fn clear_counts(out: Pointer, at: &[[usize; 3]]) {
    if out.is_null() {
        return;
    }
    for offset in at {
        // SAFETY: see above.
        unsafe { out.byte_add(offset[ABI]).cast::<u32>().write(0) };
    }
}

/// Sets the count to 0.
pub(super) unsafe fn none<T: From<u8>>(count: Pointer) {
    // SAFETY: see above.
    unsafe { count.cast::<T>().write(T::from(0)) };
}

pub(super) unsafe fn size(out: Pointer) {
    // SAFETY: see above.
    unsafe { out.cast::<u64>().write(SIZE) };
}

/// Writes the memory requirements of an object without a size of its own.
pub(super) unsafe fn requirements(out: Pointer) {
    // SAFETY: see above.
    unsafe { resource::write_requirements(SIZE, out.cast()) };
}

/// Writes the sizes of an acceleration structure and of the memory to build it in.
pub(super) unsafe fn acceleration_structure_sizes(out: Pointer) {
    // SAFETY: see above.
    unsafe {
        let out = &mut *out.cast::<vk::AccelerationStructureBuildSizesInfoKHR<'_>>();
        out.acceleration_structure_size = SIZE;
        out.update_scratch_size = SIZE;
        out.build_scratch_size = SIZE;
    }
}

/// Writes the same sizes for a micromap.
pub(super) unsafe fn micromap_sizes(out: Pointer) {
    // SAFETY: see above.
    unsafe {
        let out = &mut *out.cast::<vk::MicromapBuildSizesInfoEXT<'_>>();
        out.micromap_size = SIZE;
        out.build_scratch_size = SIZE;
        out.discardable = vk::FALSE;
    }
}
