//! The commands of pipeline caches.

use core::ffi::c_void;

use ash::vk;

use super::{Cache, PipelineCaches};
use crate::device::Device;
use crate::dispatch::EntryPoints;
use crate::entry_points;
use crate::object::{Object, ParentObject};
use crate::result::code;

/// # Safety
/// As specified for `vkCreatePipelineCache`.
pub(super) unsafe extern "system" fn create<D: PipelineCaches>(
    device: vk::Device,
    info: *const vk::PipelineCacheCreateInfo<'_>,
    callbacks: *const vk::AllocationCallbacks<'_>,
    out: *mut vk::PipelineCache,
) -> vk::Result {
    // SAFETY: the caller passes a live handle, valid pointers and this many bytes of data.
    unsafe {
        let Some(device) = Device::<D>::from_handle(device) else {
            return vk::Result::ERROR_OUT_OF_HOST_MEMORY;
        };
        let memory = device.root().memory().or(callbacks, vk::SystemAllocationScope::CACHE);
        let cache = Cache::new(memory);
        let info = &*info;
        if info.initial_data_size != 0 && !info.p_initial_data.is_null() {
            let data = core::slice::from_raw_parts(info.p_initial_data.cast(), info.initial_data_size);
            if let Err(error) = cache.import(device, data) {
                return error.into();
            }
        }
        code(Object::create(device, callbacks, cache).map(|cache| out.write(cache.into_handle())))
    }
}

/// # Safety
/// As specified for `vkDestroyPipelineCache`.
pub(super) unsafe extern "system" fn destroy<D: PipelineCaches>(
    _: vk::Device,
    cache: vk::PipelineCache,
    callbacks: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: the caller passes a live or null handle.
    unsafe { Object::<Cache<D>>::destroy(cache, callbacks) };
}

/// Writes as many whole entries as fit.
///
/// # Safety
/// As specified for `vkGetPipelineCacheData`.
pub(super) unsafe extern "system" fn get_data<D: PipelineCaches>(
    device: vk::Device,
    cache: vk::PipelineCache,
    size: *mut usize,
    out: *mut c_void,
) -> vk::Result {
    // SAFETY: the caller passes live handles, and a buffer of the given size.
    unsafe {
        let (Some(device), Some(cache)) =
            (Device::<D>::from_handle(device), Object::<Cache<D>>::from_handle(cache))
        else {
            return vk::Result::ERROR_OUT_OF_HOST_MEMORY;
        };
        let room = if out.is_null() { usize::MAX } else { size.read() };
        let (mut used, mut is_whole) = (0usize, true);
        let memory = device.root().memory().scoped(vk::SystemAllocationScope::COMMAND);
        let done = cache.for_each_part(device, memory, |part| {
            let end = used.saturating_add(part.len());
            if end > room {
                is_whole = false;
                return false;
            }
            if !out.is_null() {
                out.cast::<u8>().add(used).copy_from(part.as_ptr(), part.len());
            }
            used = end;
            true
        });
        size.write(used);
        match done {
            Ok(()) if is_whole => vk::Result::SUCCESS,
            Ok(()) => vk::Result::INCOMPLETE,
            Err(error) => error.into(),
        }
    }
}

/// # Safety
/// As specified for `vkMergePipelineCaches`.
pub(super) unsafe extern "system" fn merge<D: PipelineCaches>(
    _: vk::Device,
    target: vk::PipelineCache,
    count: u32,
    sources: *const vk::PipelineCache,
) -> vk::Result {
    // SAFETY: the caller passes live handles in a counted array.
    unsafe {
        let Some(target) = Object::<Cache<D>>::from_handle(target) else { return vk::Result::SUCCESS };
        for index in 0..count as usize {
            let Some(source) = Object::<Cache<D>>::from_handle(sources.add(index).read()) else { continue };
            if let Err(error) = target.merge(source) {
                return error.into();
            }
        }
    }
    vk::Result::SUCCESS
}

/// Returns the commands, for [`Driver::COMMANDS`](crate::Driver::COMMANDS): `entry_points! { ...
/// }.and(&pipeline_cache::entry_points::<Self>())`.
#[must_use]
pub const fn entry_points<D: PipelineCaches>() -> EntryPoints<D> {
    // SAFETY: each function implements its command, with the runtime's objects for this driver.
    unsafe {
        entry_points! {
            CREATE_PIPELINE_CACHE: PFN_vkCreatePipelineCache = create::<D>,
            DESTROY_PIPELINE_CACHE: PFN_vkDestroyPipelineCache = destroy::<D>,
            GET_PIPELINE_CACHE_DATA: PFN_vkGetPipelineCacheData = get_data::<D>,
            MERGE_PIPELINE_CACHES: PFN_vkMergePipelineCaches = merge::<D>,
        }
    }
}
